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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from moot.deliberation.parsing import Line, Shown, as_written, lines
from moot.deliberation.samples import Samples
from moot.deliberation.sections import sections, with_values
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
from moot.modes.blueprint.layouts import ASSEMBLY_LAYOUT
from moot.modes.blueprint.section import (
    Passage,
    canonical,
    join_passages,
    paragraphs,
    passages,
    remove_paragraphs,
)

LEAST_COSINE = 0.45
MOST_TERMS = 20
LONGEST_TERM = 80

_PARAGRAPH = r"[\[(]?(\d{1,3})\.(\d{1,4})[\])]?"
_TRANSITION = re.compile(
    r"TRANSITION\s+(?:(?:in)?to\s+)?(?:section\s+)?(\d{1,3})\s*[:=.–—-]\s*(\S.*)", re.IGNORECASE
)
_ARROW = re.compile(r"\s*(?:<=|≤|⇐|←|<-)\s*")
_TERM = re.compile(rf"TERM\s*[:=–—-]\s*(\S[^<≤⇐←]{{0,200}}?){_ARROW.pattern}(\S.*)", re.IGNORECASE)
_CUT = re.compile(rf"CUT\s+{_PARAGRAPH}\s+REPEATS\s+{_PARAGRAPH}(?!\d)", re.IGNORECASE)
_CONFLICT = re.compile(
    rf"CONFLICT\s+{_PARAGRAPH}\s*(?:[/,&]|and|vs\.?)\s*{_PARAGRAPH}\s*[:=–—-]\s*(\S.*)", re.IGNORECASE
)
_ALONE = re.compile(
    rf"(?:(?:TRANSITION|TODO)\s+(?:section\s+)?\d{{1,3}}|CONFLICT\s+{_PARAGRAPH}\s*/\s*{_PARAGRAPH})\s*[:=–—-]?",
    re.IGNORECASE,
)
_TODO = re.compile(r"TODO\s+(?:section\s+)?(\d{1,3})\s*[:=–—-]\s*(\S.*)", re.IGNORECASE)
_END = re.compile(r"END\s+(?:SUMMARY|OF\s+ASSEMBLY)\W*$", re.IGNORECASE)
_SUMMARY = re.compile(r"EXECUTIVE\s+SUMMARY\s*(:)?", re.IGNORECASE)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_SECTION = re.compile(r"SECTION\s+\d", re.IGNORECASE)
_MARKERS = (_TRANSITION, _TERM, _CUT, _CONFLICT, _TODO, _END)
# The values of the layout itself: an editor who repeats them, or begins to, has said nothing.
_SAMPLES = Samples(
    ASSEMBLY_LAYOUT,
    "one or two sentences that lead from section 1 into section 2",
    "three to five paragraphs on scope, main points and recommendations",
    "what contradicts what",
    "what section 4 still lacks",
    "variant; variant",
    "preferred term",
)
_SAMPLE_CUT = re.compile(r"CUT 5\.3 REPEATS 2\.4", re.IGNORECASE)
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
    """The paragraph to go, and the one that says the same, each as (section, number)."""

    duplicate: tuple[int, int]
    original: tuple[int, int]


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
    prepared = with_values(lines(reply), _ALONE)
    marker_lines = [line for line in prepared if _is_marker(line)]
    headings = headings_of(prepared)
    # A heading alone begins a summary only in a reply that is no document of its own.
    has_summary_line = any(_SUMMARY.match(line.plain) for line in prepared if not line.fenced)
    if not marker_lines and not (
        has_summary_line and not any(_is_among(title, headings) for title in titles)
    ):
        return None
    return Edits(
        summary=_summary(prepared, shown),
        transitions={
            int(match[1]): as_written(line, match, 2)[0]
            for line, match in _own_matches(_TRANSITION, marker_lines, shown)
        },
        terms=_replacements(
            as_written(line, match, 1)[0] for line, match in _own_matches(_TERM, marker_lines, shown)
        ),
        cuts=[
            Cut(duplicate=(int(match[1]), int(match[2])), original=(int(match[3]), int(match[4])))
            for _, match in _own_matches(_CUT, marker_lines, shown)
        ],
        conflicts=[
            Conflict(
                first=f"{match[1]}.{match[2]}",
                second=f"{match[3]}.{match[4]}",
                text=as_written(line, match, 5)[0],
            )
            for line, match in _own_matches(_CONFLICT, marker_lines, shown)
        ],
        todos=[
            (int(match[1]), as_written(line, match, 2)[0])
            for line, match in _own_matches(_TODO, marker_lines, shown)
        ],
    )


def _is_marker(line: Line) -> bool:
    if line.fenced or not line.plain:
        return False
    summary = _SUMMARY.match(line.plain)
    return bool(summary and summary[1]) or any(pattern.match(line.plain) for pattern in _MARKERS)


def _own_matches(
    pattern: re.Pattern[str], marker_lines: Sequence[Line], shown: Shown
) -> list[tuple[Line, re.Match[str]]]:
    """What the editor wrote itself; what it may have quoted only if there is nothing else."""
    matches = [(line, match) for line in marker_lines if (match := pattern.match(line.plain))]
    echoes = any(_is_sample(match) for _, match in _matches(_MARKERS, marker_lines))
    matches = [(line, match) for line, match in matches if not _is_sample(match)]
    if echoes:  # where the layout's words came back, its numbers did too
        matches = [(line, match) for line, match in matches if not _SAMPLE_CUT.match(line.plain)]
    return [(line, match) for line, match in matches if line.plain not in shown] or matches


def _matches(
    patterns: Sequence[re.Pattern[str]], marker_lines: Sequence[Line]
) -> Iterator[tuple[Line, re.Match[str]]]:
    for line in marker_lines:
        yield from ((line, match) for pattern in patterns if (match := pattern.match(line.plain)))


def _is_sample(match: re.Match[str]) -> bool:
    value = match[match.lastindex] if match.lastindex else ""
    return bool(value) and (_SAMPLES.is_sample(value) or _SAMPLES.begins_one(value))


def _summary(prepared: Sequence[Line], shown: Shown) -> str | None:
    """From its marker to its end, the next marker or the heading of a section."""
    parts = sections(prepared, ("EXECUTIVE SUMMARY", "END SUMMARY", "END OF ASSEMBLY"), shown=shown)
    if "EXECUTIVE SUMMARY" not in parts:
        return None
    raws = []
    for line in parts["EXECUTIVE SUMMARY"].lines:
        if _is_marker(line) or (_HEADING.match(line.raw) and _SECTION.match(line.plain)):
            break
        raws.append(line.raw)
    text = canonical("\n".join(raws))
    return None if not text or _SAMPLES.is_sample(text) else text


def headings_of(prepared: Sequence[Line]) -> list[str]:
    return [name_key(line.plain) for line in prepared if not line.fenced and _HEADING.match(line.raw)]


def _is_among(title: str, headings: Sequence[str]) -> bool:
    return any(name_key(title) in heading for heading in headings)


def is_whole_document(reply: str, titles: Sequence[str], words: int) -> bool:
    """Whether the editor wrote the document out: every title as a heading, four fifths of the words."""
    headings = headings_of(lines(reply))
    return all(_is_among(title, headings) for title in titles) and 5 * word_count(reply) >= 4 * words


def _replacements(texts: Iterable[str]) -> dict[str, str]:
    """Variants that may be replaced: long enough, no part of the term, and no word like "not"."""
    terms: dict[str, str] = {}
    for text in texts:
        term, *variants = _ARROW.split(text, maxsplit=1)
        preferred = term.strip(" \"'“”*_`")
        for variant in re.split(r"[;,]", " ".join(variants)):
            variant = variant.strip(" .\"'“”*_`")
            inside = variant.casefold() in preferred.casefold()
            fits = 3 <= len(variant) <= LONGEST_TERM and 0 < len(preferred) <= LONGEST_TERM
            if fits and not inside and variant.casefold() not in STOP_WORDS:
                terms.setdefault(variant.casefold(), preferred)
    return dict(list(terms.items())[:MOST_TERMS])


def replace_terms(body: str, terms: Mapping[str, str]) -> str:
    """Whole words replaced, outside code, links and headings, the case of the first letter kept."""
    if not terms:
        return body
    variants = "|".join(
        r"\s+".join(map(re.escape, variant.split())) for variant in sorted(terms, key=len, reverse=True)
    )
    pattern = re.compile(rf"(?<!\w)(?:{variants})(?!\w)", re.IGNORECASE)

    def replacement(match: re.Match[str]) -> str:
        return _match_case(terms[" ".join(match[0].casefold().split())], match[0])

    parts = [
        Passage(outside_code(part.text, lambda text: pattern.sub(replacement, text)), part.kind)
        if part.kind in ("text", "table")
        else part
        for part in passages(body)
    ]
    return join_passages(parts)


def _match_case(preferred: str, like: str) -> str:
    if like[0].isupper():
        return preferred[0].upper() + preferred[1:]
    is_acronym = preferred[1:2].isupper()
    return preferred if is_acronym else preferred[0].lower() + preferred[1:]


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with its words changed, but not in code, links, references and addresses."""
    pieces = _UNTOUCHED.split(text)
    return "".join(piece if at % 2 else change(piece) for at, piece in enumerate(pieces))


def _paragraph_vectors(
    paragraphs: Mapping[tuple[int, int], str], places: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Vector]:
    """The vectors of the paragraphs that cuts name, weighted by all paragraphs."""
    groups = {place: letter_groups(text) for place, text in paragraphs.items()}
    weights = document_weights(list(groups.values()))
    return {place: weighted_vector(groups[place], weights) for place in places}


@dataclass(frozen=True)
class CutResult:
    """The bodies without the paragraphs that were cut, and how many cuts were accepted and refused."""

    bodies: dict[int, str]
    accepted: int
    refused: int


def apply_cuts(cuts: Sequence[Cut], bodies: Mapping[int, str]) -> CutResult:
    """Each cut in turn: of two like paragraphs in different sections one may go, if the other stays and
    the section loses no more than a quarter of its words."""
    if not cuts:
        return CutResult(dict(bodies), 0, 0)
    by_place = {
        (section, number): text
        for section, body in bodies.items()
        for number, text in enumerate(paragraphs(body), 1)
    }
    places = {place for cut in cuts for place in (cut.duplicate, cut.original)} & by_place.keys()
    vectors = _paragraph_vectors(by_place, places) if places else {}
    removed: set[tuple[int, int]] = set()
    originals: set[tuple[int, int]] = set()
    for cut in cuts:
        legal = cut.duplicate in by_place and cut.original in by_place and cut.duplicate[0] != cut.original[0]
        if not legal or cut.original in removed or cut.duplicate in originals or cut.duplicate in removed:
            continue
        if cosine(vectors[cut.duplicate], vectors[cut.original]) < LEAST_COSINE:
            continue
        removed_here = [by_place[one] for one in {*removed, cut.duplicate} if one[0] == cut.duplicate[0]]
        if 4 * sum(map(word_count, removed_here)) <= word_count(bodies[cut.duplicate[0]]):
            removed.add(cut.duplicate)
            originals.add(cut.original)
    shorter = {
        section: remove_paragraphs(body, [number for of, number in removed if of == section])
        for section, body in bodies.items()
    }
    return CutResult(shorter, len(removed), len(cuts) - len(removed))
