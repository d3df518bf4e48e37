"""What the editor of a document delivers: a summary, transitions and edits, which code carries out.

EXECUTIVE SUMMARY:
…
END SUMMARY
TRANSITION 2: With the parts named, their data can follow.
TERM: rider <= passenger; traveller
CUT 5.3 REPEATS 2.4
CONFLICT 3.2 / 6.1: one says hourly, the other daily
TODO 4: the retention period

An edit is refused if it could lose or change more than it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from moot.deliberation.parsing import Line, Shown, as_written, lines
from moot.deliberation.sections import sections
from moot.deliberation.similarity import (
    STOP_WORDS,
    Vector,
    cosine,
    document_weights,
    letter_groups,
    weighted_vector,
)
from moot.deliberation.text import name_key, word_count
from moot.kernel.values import Wire
from moot.modes.blueprint.section import canonical, joined, paragraphs, passages, without_paragraphs

LEAST_COSINE = 0.45
MOST_TERMS = 20
LONGEST_TERM = 80

_PARAGRAPH = r"[\[(]?(\d{1,3})\.(\d{1,4})[\])]?"
_TRANSITION = re.compile(
    r"TRANSITION\s+(?:(?:in)?to\s+)?(?:section\s+)?(\d{1,3})\s*[:.–—-]\s*(\S.*)", re.IGNORECASE
)
_ARROW = re.compile(r"\s*(?:<=|≤|⇐|←|<-)\s*")
_TERM = re.compile(rf"TERM\s*[:=]\s*(\S[^<≤⇐←]{{0,200}}?){_ARROW.pattern}(\S.*)", re.IGNORECASE)
_CUT = re.compile(rf"CUT\s+{_PARAGRAPH}\s+REPEATS\s+{_PARAGRAPH}(?!\d)", re.IGNORECASE)
_CONFLICT = re.compile(
    rf"CONFLICT\s+{_PARAGRAPH}\s*(?:[/,&]|and|vs\.?)\s*{_PARAGRAPH}\s*[:–—-]\s*(\S.*)", re.IGNORECASE
)
_TODO = re.compile(r"TODO\s+(?:section\s+)?(\d{1,3})\s*[:–—-]\s*(\S.*)", re.IGNORECASE)
_END = re.compile(r"END\s+(?:SUMMARY|OF\s+ASSEMBLY)\W*$", re.IGNORECASE)
_SUMMARY = re.compile(r"EXECUTIVE\s+SUMMARY\s*(:)?", re.IGNORECASE)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_SECTION = re.compile(r"SECTION\s+\d", re.IGNORECASE)
_MARKERS = (_TRANSITION, _TERM, _CUT, _CONFLICT, _TODO, _END)
_TEMPLATES = {
    "one or two sentences that lead from section 1 into section 2",
    "what contradicts what",
    "what section 4 still lacks",
    "variant; variant",
}
# Code in a line, links, references and addresses: an edit of words does not reach into them.
_UNTOUCHED = re.compile(
    r"(`[^`\n]*`|\[\[[^\[\]\n]{0,60}\]\]|\[[^\[\]\n]{0,300}\]\([^()\s]{0,500}\)|https?://\S+)"
)


class Conflict(Wire):
    """Two paragraphs, by section and number, that contradict each other."""

    first: str
    second: str
    text: str


@dataclass(frozen=True)
class Cut:
    """The paragraph to go, and the one that says the same: (section, number)."""

    gone: tuple[int, int]
    kept: tuple[int, int]


@dataclass(frozen=True)
class Edits:
    """What could be read of the editor's reply."""

    summary: str | None = None
    transitions: Mapping[int, str] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    """Variant → preferred term."""
    cuts: Sequence[Cut] = ()
    conflicts: Sequence[Conflict] = ()
    todos: Sequence[tuple[int, str]] = ()


def read_edits(reply: str, titles: Sequence[str], shown: Shown) -> Edits | None:
    """None if nothing in the reply is what was asked for. `titles` are those of the written sections."""
    prepared = lines(reply)
    marked = [line for line in prepared if _is_marker(line)]
    headings = headings_of(prepared)
    # A heading alone begins a summary only in a reply that is no document of its own.
    headed = any(_SUMMARY.match(line.plain) for line in prepared if not line.fenced)
    if not marked and not (headed and not any(_is_among(title, headings) for title in titles)):
        return None
    return Edits(
        summary=_summary(prepared, shown),
        transitions={
            int(found[1]): as_written(line, found, 2)[0] for line, found in _own(_TRANSITION, marked, shown)
        },
        terms=_terms(as_written(line, found, 1)[0] for line, found in _own(_TERM, marked, shown)),
        cuts=[
            Cut((int(found[1]), int(found[2])), (int(found[3]), int(found[4])))
            for _, found in _own(_CUT, marked, shown)
        ],
        conflicts=[
            Conflict(
                first=f"{found[1]}.{found[2]}",
                second=f"{found[3]}.{found[4]}",
                text=as_written(line, found, 5)[0],
            )
            for line, found in _own(_CONFLICT, marked, shown)
        ],
        todos=[(int(found[1]), as_written(line, found, 2)[0]) for line, found in _own(_TODO, marked, shown)],
    )


def _is_marker(line: Line) -> bool:
    if line.fenced or not line.plain:
        return False
    summary = _SUMMARY.match(line.plain)
    return bool(summary and summary[1]) or any(pattern.match(line.plain) for pattern in _MARKERS)


def _own(pattern: re.Pattern[str], marked: Sequence[Line], shown: Shown) -> list[tuple[Line, re.Match[str]]]:
    """What the editor wrote itself; what it may have quoted only if there is nothing else."""
    found = [(line, match) for line in marked if (match := pattern.match(line.plain))]
    found = [(line, match) for line, match in found if match[match.lastindex or 0] not in _TEMPLATES]
    return [(line, match) for line, match in found if line.plain not in shown] or found


def _summary(prepared: Sequence[Line], shown: Shown) -> str | None:
    """From its marker to its end, the next marker or the heading of a section."""
    found = sections(prepared, ("EXECUTIVE SUMMARY", "END SUMMARY", "END OF ASSEMBLY"), shown=shown)
    if "EXECUTIVE SUMMARY" not in found:
        return None
    kept = []
    for line in found["EXECUTIVE SUMMARY"].lines:
        if _is_marker(line) or (_HEADING.match(line.raw) and _SECTION.match(line.plain)):
            break
        kept.append(line.raw)
    text = canonical("\n".join(kept))
    return text or None


def headings_of(prepared: Sequence[Line]) -> list[str]:
    return [name_key(line.plain) for line in prepared if not line.fenced and _HEADING.match(line.raw)]


def _is_among(title: str, headings: Sequence[str]) -> bool:
    return any(name_key(title) in heading for heading in headings)


def is_whole_document(reply: str, titles: Sequence[str], words: int) -> bool:
    """Whether the editor wrote the document out: every title as a heading, four fifths of the words."""
    headings = headings_of(lines(reply))
    return all(_is_among(title, headings) for title in titles) and 5 * word_count(reply) >= 4 * words


def _terms(found: Iterable[str]) -> dict[str, str]:
    """Variants that may be replaced: long enough, no part of the term, and no word like "not"."""
    terms: dict[str, str] = {}
    for line in found:
        term, *variants = _ARROW.split(line, maxsplit=1)
        preferred = term.strip(" \"'“”*_`")
        for variant in re.split(r"[;,]", " ".join(variants)):
            variant = variant.strip(" .\"'“”*_`")
            inside = variant.casefold() in preferred.casefold()
            fits = 3 <= len(variant) <= LONGEST_TERM and 0 < len(preferred) <= LONGEST_TERM
            if fits and not inside and variant.casefold() not in STOP_WORDS:
                terms.setdefault(variant.casefold(), preferred)
    return dict(list(terms.items())[:MOST_TERMS])


def with_terms(body: str, terms: Mapping[str, str]) -> str:
    """Whole words replaced, outside code, links and headings, the case of the first letter kept."""
    if not terms:
        return body
    spelled = "|".join(
        r"\s+".join(map(re.escape, variant.split())) for variant in sorted(terms, key=len, reverse=True)
    )
    pattern = re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)

    def replaced(match: re.Match[str]) -> str:
        return _cased(terms[" ".join(match[0].casefold().split())], match[0])

    parts = [
        type(part)(outside_code(part.text, lambda text: pattern.sub(replaced, text)), part.kind)
        if part.kind in ("text", "table")
        else part
        for part in passages(body)
    ]
    return joined(parts)


def _cased(preferred: str, like: str) -> str:
    if like[0].isupper():
        return preferred[0].upper() + preferred[1:]
    is_acronym = preferred[1:2].isupper()
    return preferred if is_acronym else preferred[0].lower() + preferred[1:]


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with its words changed, but not in code, links, references and addresses."""
    pieces = _UNTOUCHED.split(text)
    return "".join(piece if at % 2 else change(piece) for at, piece in enumerate(pieces))


def _weighted(
    numbered: Mapping[tuple[int, int], str], named: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Vector]:
    """The vectors of the paragraphs that cuts name, weighted by all paragraphs."""
    groups = {place: letter_groups(text) for place, text in numbered.items()}
    weights = document_weights(list(groups.values()))
    return {place: weighted_vector(groups[place], weights) for place in named}


@dataclass(frozen=True)
class Shortened:
    bodies: dict[int, str]
    accepted: int
    refused: int


def carry_out(cuts: Sequence[Cut], bodies: Mapping[int, str]) -> Shortened:
    """Each cut in turn: of two like paragraphs in different sections one may go, if the other stays and
    the section loses no more than a quarter of its words."""
    if not cuts:
        return Shortened(dict(bodies), 0, 0)
    numbered = {
        (section, number): text
        for section, body in bodies.items()
        for number, text in enumerate(paragraphs(body), 1)
    }
    named = {place for cut in cuts for place in (cut.gone, cut.kept)} & numbered.keys()
    weighted = _weighted(numbered, named) if named else {}
    gone: set[tuple[int, int]] = set()
    kept: set[tuple[int, int]] = set()
    for cut in cuts:
        legal = cut.gone in numbered and cut.kept in numbered and cut.gone[0] != cut.kept[0]
        if not legal or cut.kept in gone or cut.gone in kept or cut.gone in gone:
            continue
        if cosine(weighted[cut.gone], weighted[cut.kept]) < LEAST_COSINE:
            continue
        lost = [numbered[one] for one in {*gone, cut.gone} if one[0] == cut.gone[0]]
        if 4 * sum(map(word_count, lost)) <= word_count(bodies[cut.gone[0]]):
            gone.add(cut.gone)
            kept.add(cut.kept)
    shorter = {
        section: without_paragraphs(body, [number for of, number in gone if of == section])
        for section, body in bodies.items()
    }
    return Shortened(shorter, len(gone), len(cuts) - len(gone))
