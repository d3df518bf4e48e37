"""The plan of a document: title, terms, and sections each with an owner of its own.

DOCUMENT TITLE: The Timetable Service
TERM: stop = a place where a vehicle halts
SECTION 1: Context
Description: Why it exists.
Key Topics: riders; operators
Length: Short
DOCUMENT SUMMARY:
Key themes: punctuality; openness

Sections are numbered anew in order of appearance. A plan with fewer than three section lines is read by
its headings, else by its numbered list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from moot.deliberation.parsing import Line, Shown, line_text, lines, marker, markers, unwrapped
from moot.deliberation.sections import Section, blocks, items, says_none, sections
from moot.deliberation.text import name_key
from moot.kernel.values import Wire
from moot.modes.blueprint.layouts import OUTLINE_SAMPLES

Length = Literal["Short", "Medium", "Long"]
OutlineParse = Literal["markers", "headings", "list"]
FEWEST_SECTIONS, MOST_SECTIONS = 3, 20
LONGEST_NAME = 200
LONGEST_ENTRY = 2_000
MOST_TERMS = 30

_FIELDS = ("Description", "Key Topics", "Length", "Source Coverage", "Excludes")
_SUMMARY = ("Total sections", "Estimated total length", "Key themes")
_HEADING = re.compile(r"\s{0,3}(#{2,3})\s+\S")
_NUMBERED = re.compile(r"(?:\*\*)?(\d{1,3})[.)]")
_LENGTH = re.compile(r"\b(short|medium|long)\b", re.IGNORECASE)
_NAME_END = re.compile(r"\s*:\s+|\s+[-–—]\s+")


class PlannedSection(Wire):
    """`source_number` is the number as the architect wrote it."""

    number: int
    source_number: int | None
    title: str
    description: str
    key_topics: list[str]
    length: Length
    source_coverage: str
    excludes: str
    assigned_model: str = ""


class Term(Wire):
    term: str
    meaning: str


@dataclass(frozen=True)
class Outline:
    title: str
    terms: list[Term]
    sections: list[PlannedSection]
    estimated_length: str
    key_themes: list[str]
    parse: OutlineParse

    @property
    def fault(self) -> str | None:
        """Why this plan cannot be worked with."""
        count = len(self.sections)
        if count < FEWEST_SECTIONS:
            return f"it has {count} sections that could be read, at least {FEWEST_SECTIONS} are needed"
        return (
            f"it has {count} sections, at most {MOST_SECTIONS} are allowed" if count > MOST_SECTIONS else None
        )


def read_outline(text: str, source: str = "") -> Outline:
    prepared = lines(text)
    planned, parse = _plan_sections(prepared, Shown([source]))
    title = marker(prepared, "DOCUMENT TITLE")
    summary = sections(_after(prepared, "DOCUMENT SUMMARY"), _SUMMARY)
    estimate = summary.get("Estimated total length")
    return Outline(
        title=(_filled(_name(title.raw)) if title else "") or "Untitled Document",
        terms=_terms(prepared),
        sections=planned,
        estimated_length=(_name(estimate.joined) if estimate else "") or "Unknown",
        key_themes=_list_entries(summary.get("Key themes")),
        parse=parse,
    )


def _plan_sections(prepared: Sequence[Line], shown: Shown) -> tuple[list[PlannedSection], OutlineParse]:
    by_markers = [entry for entry in _by_markers(prepared, shown) if _is_filled(entry)]
    if len(by_markers) >= FEWEST_SECTIONS:
        return _number_sections(by_markers), "markers"
    by_headings = _by_headings(prepared)
    if by_headings:
        return _number_sections(by_headings), "headings"
    by_list = _by_list(prepared)
    if FEWEST_SECTIONS <= len(by_list) <= MOST_SECTIONS:
        return _number_sections(by_list), "list"
    return _number_sections(by_markers), "markers"


@dataclass(frozen=True)
class _Entry:
    """A section of the plan as it was found there."""

    number: int | None
    title: str
    lines: Sequence[Line]
    quoted: bool = False


def _by_markers(prepared: Sequence[Line], shown: Shown) -> Iterator[_Entry]:
    entries = []
    for block in blocks(prepared, "SECTION", until=("DOCUMENT SUMMARY",)):
        header = prepared[block.index]
        # A plan may well take its headings from the source; a quotation is one that is set apart.
        quoted = not header.stands_alone and shown.has_line(header.plain)
        if _name(block.title):
            entries.append(_Entry(block.number, _name(block.title), block.lines, quoted))
    own = [entry for entry in entries if not entry.quoted]
    yield from own if len(own) >= FEWEST_SECTIONS else entries


def _by_headings(prepared: Sequence[Line]) -> list[_Entry]:
    """By those of the second level, else by those of the third."""
    for level in ("##", "###"):
        places = [at for at, line in enumerate(prepared) if _is_heading(line, level)]
        entries = [
            _Entry(None, _name(line_text(prepared[at].raw)), prepared[at + 1 : end])
            for at, end in pairwise([*places, len(prepared)])
            if not name_key(prepared[at].plain).startswith("documentsummary")
        ]
        if FEWEST_SECTIONS <= len(entries) <= MOST_SECTIONS:
            return entries
    return []


def _is_heading(line: Line, level: str) -> bool:
    match = None if line.fenced else _HEADING.match(line.raw)
    return match is not None and match[1] == level and bool(_name(line.plain))


def _by_list(prepared: Sequence[Line]) -> list[_Entry]:
    entries = []
    for line in prepared:
        if line.fenced or not _NUMBERED.match(line.raw) or not line.plain:
            continue
        title, *rest = _NAME_END.split(line_text(line.raw)[:LONGEST_ENTRY], maxsplit=1)
        description = rest[0] if rest else ""
        entries.append(
            _Entry(
                line.number,
                _name(title),
                [Line(f"Description: {description}", f"Description: {description}")],
            )
        )
    return entries


def _is_filled(entry: _Entry) -> bool:
    """Whether somebody has written something into the pattern."""
    description = sections(entry.lines, _FIELDS, other_headings_end=True).get("Description")
    return bool(_filled(entry.title) or (description and _filled(description.joined)))


def _filled(value: str) -> str:
    return "" if OUTLINE_SAMPLES.is_sample(value) else value


def _number_sections(entries: Sequence[_Entry]) -> list[PlannedSection]:
    return [_section(number, entry) for number, entry in enumerate(entries, 1)]


def _section(number: int, entry: _Entry) -> PlannedSection:
    own = [line for line in entry.lines if not line.plain.upper().startswith("TERM:")]
    fields = sections(own, _FIELDS, other_headings_end=True)
    values = {name: _filled(field.joined) for name, field in fields.items()}
    excludes = values.get("Excludes", "")
    return PlannedSection(
        number=number,
        source_number=entry.number,
        title=_filled(entry.title) or _name(values.get("Description", "").partition(". ")[0]),
        description=values.get("Description", ""),
        key_topics=_list_entries(fields.get("Key Topics")),
        length=_length(values.get("Length", "")),
        source_coverage=values.get("Source Coverage", ""),
        excludes="" if says_none(excludes) else excludes,
    )


def _length(value: str) -> Length:
    lengths = {word.capitalize() for word in _LENGTH.findall(value)}
    return next((length for length in get_args(Length) if lengths == {length}), "Medium")


def _list_entries(section: Section | None) -> list[str]:
    """What stands on the name's own line, or alone below it, split at commas and semicolons; else the items
    of the list."""
    if section is None:
        return []
    texts = [section.lines[0].raw] if section.lines[0].plain else items(section.lines)
    names = re.split(r"[,;]", texts[0]) if len(texts) == 1 else texts
    return [name for entry in names if (name := _filled(_name(entry))) and not says_none(name)]


def _terms(prepared: Sequence[Line]) -> list[Term]:
    terms: dict[str, Term] = {}
    for line in markers(prepared, "TERM"):
        name, sign, meaning = line.raw.partition("=")
        if sign and _name(name) and name_key(name) != "preferredterm":
            terms[name_key(name)] = Term(term=_name(name), meaning=" ".join(meaning.split()))
    return list(terms.values())[:MOST_TERMS]


def _after(prepared: Sequence[Line], start: str) -> Sequence[Line]:
    places = [at for at, line in enumerate(prepared) if line.plain.upper().startswith(start)]
    return prepared[places[-1] + 1 :] if places else ()


def _name(text: str) -> str:
    return " ".join(unwrapped(text).strip("# ").split())[:LONGEST_NAME]
