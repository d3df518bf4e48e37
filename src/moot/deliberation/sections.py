"""The layout of a reply: sections under headings, items of lists, rows of tables, repeated blocks.

    FINDING 1: Weak key                     blocks("FINDING")
    Severity: HIGH                              sections(block.lines, ("Severity", "Evidence"))
    Evidence: "md5(password)"
    ### Strengths                           sections(text, ("Strengths", "Summary"))
    - short [1, 3]                              items(section.lines)

Headings and fields count only outside code. What they hold is given as it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import NamedTuple

from moot.deliberation.parsing import (
    NOTHING_SHOWN,
    Line,
    Shown,
    as_written,
    is_template,
    line_text,
    lines,
    lines_with,
    marker_pattern,
    plain,
    without_cut_label,
)
from moot.deliberation.samples import Samples
from moot.deliberation.text import name_key

_SIGN = re.compile(r"(?:>\s*)*(?:[-+*•–—·]\s+|(?:\*\*)?\d{1,3}[.)](?:\*\*)?\s+)")
_HEADING = re.compile(r"\s*(?:>\s*)*#{1,6}\s")
_ALL_BOLD = re.compile(r"\s*(?:>\s*)*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*(?::\s*)?$")
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*:?-{1,}:?\s*$")
_FIELD = re.compile(r"[A-Za-z][\w -]{1,30}:\s*\S")
_NONE = re.compile(r"[\W_]*(?:none|n/?a|nil|nothing)?[\W_]*$", re.IGNORECASE)

_LABEL_ALONE = re.compile(r"[A-Za-z][\w -]{1,30}:")
_RULE_BELOW = re.compile(r"[^\S\n]*(?:-[ -]+-|\*[ *]+\*|_[ _]+_)[^\S\n]*")
_LONGEST_TITLE = 150

Names = Sequence[str] | Mapping[str, Sequence[str]]
"""Names of sections; a mapping gives each its spellings."""


@dataclass(frozen=True)
class Section:
    """What stands under a heading or after a field's name; what follows it on its own line comes first."""

    lines: tuple[Line, ...]

    @cached_property
    def text(self) -> str:
        return _without_rule("\n".join([line.raw for line in self.lines]).strip())

    @cached_property
    def joined(self) -> str:
        """The text as one line."""
        return " ".join(self.text.split())


def sections(
    text: str | Sequence[Line],
    names: Names,
    *,
    other_headings_end: bool = False,
    headings_only: bool = False,
    in_block: bool = False,
    shown: Shown = NOTHING_SHOWN,
    samples: Samples | None = None,
) -> dict[str, Section]:
    """The named sections or fields that hold something, in any order; of a repeated one the last.

    A section begins at its name, alone on a line or with `:`, `=` or ` - `, and runs to the next
    name; a Markdown or bold heading may go on after the name ("Key Findings (5)"). With
    `other_headings_end` any other `#` heading ends it too; with `headings_only` no text may follow the
    name on its line. A heading that stands in a shown text together with what stands beside or below it
    is a quotation, and counts only if there is no other. `in_block`: the fields of a block begin right below
    its header, so that of several quotations the first counts. `samples`: those of the layout; what only
    repeats one is nothing, and whatever else stands in brackets is something.
    """
    section_names = _section_names(names)
    prepared = without_cut_label(lines(text) if isinstance(text, str) else text, section_names.labels)
    own: dict[str, Section] = {}
    quoted: dict[str, Section] = {}
    name, content, into = "", list[Line](), own
    for index, line in enumerate(prepared):
        start = (
            None if line.fenced or not line.plain else _section_start(line, section_names, other_headings_end)
        )
        if start and not (headings_only and start[1].plain and not _HEADING.match(line.raw)):
            while line.plain.startswith("|") and content and content[-1].plain.startswith("|"):
                content.pop()  # the head of the table that begins here
            _keep(into, name, content, samples, first=in_block and into is quoted)
            name, content = start[0], [start[1]]
            into = quoted if _is_quoted(prepared, index, start[1].plain, shown) else own
        else:
            content.append(line)
    _keep(into, name, content, samples, first=in_block and into is quoted)
    return {**quoted, **own}


def _is_quoted(prepared: Sequence[Line], index: int, beside: str, shown: Shown) -> bool:
    """A name with what stands beside it, or below it if nothing does."""
    if not shown.has_line(prepared[index].plain):
        return False
    if beside:
        return True
    following = next((line.plain for line in prepared[index + 1 :] if line.plain), "")
    return shown.has_line(following)


def _keep(
    parts: dict[str, Section], name: str, content: Sequence[Line], samples: Samples | None, first: bool
) -> None:
    section = Section(tuple(content))
    is_sample = samples.is_sample if samples else is_template
    if name and section.text and not is_sample(section.text) and not (first and name in parts):
        parts.pop(name, None)
        parts[name] = section


class _SectionNames(NamedTuple):
    """The sections that are looked for: the marker of any, its spellings, and those as headings show them."""

    labels: Sequence[str]
    marker: re.Pattern[str]
    spellings: Mapping[str, str]
    headings: Sequence[tuple[Sequence[str], str]]


def _section_names(names: Names) -> _SectionNames:
    if isinstance(names, Mapping):
        return _compile(tuple((name, (name, *others)) for name, others in names.items()))
    return _compile(tuple((name, (name,)) for name in names))


@lru_cache(maxsize=256)
def _compile(names: tuple[tuple[str, tuple[str, ...]], ...]) -> _SectionNames:
    spellings = {_spelling(one): name for name, others in names for one in others}
    longest_first = sorted(spellings, key=len, reverse=True)
    headings = [(_keys(spelling), spellings[spelling]) for spelling in longest_first]
    labels = [one for _, others in names for one in others]
    return _SectionNames(labels, marker_pattern(tuple(spellings), False), spellings, headings)


def _section_start(
    line: Line, section_names: _SectionNames, other_headings_end: bool
) -> tuple[str, Line] | None:
    """The section that a line begins, with what the line says besides; "" is one that has no name."""
    if line.plain.startswith("|"):
        return _section_in_cells(line, section_names)
    match = section_names.marker.match(line.plain)
    if match:
        raw = as_written(line, match)[0]
        return section_names.spellings[_spelling(match[1] or match[2])], Line(
            raw, line.plain[match.end() :].strip()
        )
    is_heading = "#" in line.raw and _HEADING.match(line.raw)
    if is_heading or line.plain.endswith(":") or _ALL_BOLD.match(line.raw):
        words = _keys(line.plain[:200])
        for keys, name in section_names.headings:
            # A sentence that ends in a colon is no heading, though it may begin with a heading's word.
            if words[: len(keys)] == keys and (is_heading or len(words) <= len(keys) + 3):
                return name, Line("", "")
    return ("", Line("", "")) if is_heading and other_headings_end else None


def _section_in_cells(line: Line, section_names: _SectionNames) -> tuple[str, Line] | None:
    """A table's row of a name and what is said of it: `| Severity | HIGH |`."""
    cells = [cell.strip() for cell in _CELL_EDGE.split(line.raw.strip().strip("|"))]
    name = section_names.spellings.get(_spelling(plain(cells[0]).rstrip(":"))) if len(cells) == 2 else None
    return (name, Line(cells[1], plain(cells[1]))) if name else None


def _spelling(name: str) -> str:
    return " ".join(_BETWEEN_WORDS.split(name.casefold().strip()))


def _keys(text: str) -> list[str]:
    return [key for word in text.split() if (key := name_key(word))]


def says_none(value: str) -> bool:
    """Whether a value says that there is nothing: empty, `none`, `N/A`, `-`, `[]`."""
    return _NONE.match(value[:40]) is not None and len(value) <= 40


def items(text: str | Sequence[Line]) -> list[str]:
    """The items of a list, bulleted or numbered, without their signs; `NONE` and `-` make it empty.

    Lines that follow an item, and deeper items, belong to it; after a blank line only indented ones
    do. A text without any sign is a list of its lines.
    """
    prepared = lines(text) if isinstance(text, str) else text
    entries: list[list[str]] = []
    depth, blank = 0, False
    for line in prepared:
        indent = len(line.raw) - len(line.raw.lstrip())
        sign = None if line.fenced else _SIGN.match(line.raw.lstrip())
        if sign and (not entries or indent <= depth + 1):
            entries.append([line.raw.lstrip()[sign.end() :]])
            depth = indent
        elif entries and line.raw.strip() and (not blank or indent > depth):
            entries[-1].append(line.raw.strip())
        blank = not line.raw.strip()
    if not entries:
        entries = [[line.raw.strip()] for line in prepared if line.raw.strip()]
    texts = [" ".join(part.strip() for part in parts) for parts in entries]
    return [item for item in texts if not says_none(item) and not is_template(item)]


def table_rows(text: str | Sequence[Line]) -> list[list[str]]:
    """The cells of every line that is a table's row, rules left out; `\\|` is a bar inside a cell."""
    prepared = lines(text) if isinstance(text, str) else text
    rows = []
    for line in prepared:
        if "|" not in line.raw or line.fenced:
            continue
        row = line.raw.strip().lstrip("> ")
        cells = _CELL_EDGE.split(row)
        cells = cells[row.startswith("|") : len(cells) - (len(cells) > 1 and not cells[-1].strip())]
        if len(cells) > 1 and not all(_RULE.match(cell) for cell in cells):
            rows.append([cell.strip().replace("\\|", "|") for cell in cells])
    return rows


@dataclass(frozen=True, slots=True)
class Block:
    """One of several blocks with the same kind of header: `FINDING 3: Weak key`, `TASK task_1:`.

    `id` is as written, `number` its digits; `title` what follows on the header's line, as written, if that is
    no template; `header` whatever it is.
    """

    id: str
    title: str
    lines: tuple[Line, ...]
    index: int
    header: str = ""

    @property
    def number(self) -> int | None:
        digits = re.search(r"\d{1,9}", self.id)
        return int(digits[0]) if digits else None

    @property
    def text(self) -> str:
        return _without_rule("\n".join(line.raw for line in self.lines).strip())


def blocks(
    text: str | Sequence[Line],
    word: str | tuple[str, ...],
    *,
    ident: str = r"\d+",
    until: Sequence[str] = (),
    headings_end: bool = False,
    fields: Names = (),
    shown: Shown = NOTHING_SHOWN,
) -> list[Block]:
    """Every block whose header is the word and an id that matches `ident`, in order.

    The id is followed by `:`, `.`, a dash or the line's end; in a heading or bold line by anything.
    The last block ends at a line that begins with one of `until`, and with `headings_end` every
    block ends at a `#` heading that is none of its `fields`. A header that is a line of a shown text, and has
    no field of its own below it, is a quotation, and counts only if there is no other.
    """
    prepared = lines(text) if isinstance(text, str) else text
    pattern = _header_pattern(word if isinstance(word, tuple) else (word,), ident)
    headers = {
        index: header
        for index in lines_with(pattern, prepared)
        if (header := _header(prepared[index], pattern))
    }
    if not headers:
        return []
    own = {i: header for i, header in headers.items() if not _quotes_header(prepared, i, shown)}
    if own and len(own) < len(headers):
        prepared = _without_quoted_fields(prepared, headers.keys() - own.keys(), shown)
    headers = own or headers
    first = min(headers)
    ending = (at for at in range(first, len(prepared)) if _begins(prepared[at], until))
    last = next(ending, len(prepared)) if until else len(prepared)
    inner = _section_names(fields) if fields else None
    headings = [
        at
        for at, line in enumerate(prepared)
        if headings_end and _is_heading(line) and not (inner and inner.marker.match(line.plain))
    ]
    ends = sorted({*headers, *headings, last})
    return [
        _block(prepared, header, index, ends[bisect_right(ends, index)])
        for index, header in headers.items()
        if index < last
    ]


def _quotes_header(prepared: Sequence[Line], index: int, shown: Shown) -> bool:
    """Whether a header is a quotation: it stands in a shown text, and does not begin a paragraph in which
    a field of its own follows it."""
    header = prepared[index]
    if not shown.has_line(header.plain):
        return False
    begins = header.stands_alone and (index == 0 or not prepared[index - 1].plain)
    fields = takewhile(lambda line: _FIELD.match(line.plain), prepared[index + 1 :])
    return not begins or all(shown.has_line(field.plain) for field in fields)


def _without_quoted_fields(prepared: Sequence[Line], headers: Iterable[int], shown: Shown) -> list[Line]:
    """What was quoted along with a header belongs to no block, least of all to the one it stands in."""
    rest = list(prepared)
    for header in headers:
        for at in range(header + 1, len(rest)):
            if not rest[at].plain or not shown.has_line(rest[at].plain):
                break
            rest[at] = rest[at]._replace(plain="")  # text it stays, a field it is not
    return rest


@lru_cache(maxsize=64)
def _header_pattern(words: tuple[str, ...], ident: str) -> re.Pattern[str]:
    spellings = "|".join(r"[^\S\n]+".join(map(re.escape, word.split())) for word in words)
    separator = r"[^\S\n]*(?:[:=.)]|[-–—])(?!\d)|[^\S\n]*$|[^\S\n](?=[^\S\n]*\S)"
    return re.compile(
        rf"^(?:{spellings})[^\S\n]*[#\[(]?({ident})[\])]?(?P<separator>{separator})",
        re.IGNORECASE | re.MULTILINE,
    )


def _header(line: Line, pattern: re.Pattern[str]) -> re.Match[str] | None:
    match = pattern.match(line.plain)
    if match is None or line.fenced:
        return None
    loose = not match["separator"].strip() and match.end() < len(line.plain)
    return None if loose and not (_HEADING.match(line.raw) or _ALL_BOLD.match(line.raw)) else match


def _is_heading(line: Line) -> bool:
    return not line.fenced and "#" in line.raw and _HEADING.match(line.raw) is not None


def _block(prepared: Sequence[Line], header: re.Match[str], index: int, end: int) -> Block:
    title = as_written(prepared[index], header)[0].strip()
    inner = tuple(prepared[index + 1 : end])
    if not title:
        below = _title_below(inner)
        if below is not None:
            title, inner = line_text(inner[below].raw), inner[below + 1 :]
    return Block(header[1], "" if is_template(title) else title, inner, index, title)


def _title_below(inner: Sequence[Line]) -> int | None:
    """Which line is the title of a block whose header has none beside it: one that fields follow, or
    nothing."""
    filled = [at for at, line in enumerate(inner) if line.plain][:2]
    if not filled or len(inner[filled[0]].plain) > _LONGEST_TITLE:
        return None
    first, *others = (inner[at] for at in filled)
    if first.fenced or _is_field(first) or not all(map(_is_field, others)):
        return None
    return filled[0]


def _is_field(line: Line) -> bool:
    return _LABEL_ALONE.match(line.plain) is not None or _is_heading(line)


def with_values(prepared: Sequence[Line], head: re.Pattern[str]) -> list[Line]:
    """The lines, each that is nothing but a label joined with the value below it: `REACTION S2.1:`, and then
    `SUPPORT - …`."""
    joined: list[Line] = []
    last = -1  # the last of them that is not blank
    for line in prepared:
        alone = last >= 0 and head.fullmatch(joined[last].plain) is not None
        if line.plain and alone and not head.match(line.plain):
            label = joined[last].plain.rstrip(":：= ")
            joined[last:] = [Line(f"{label}: {line.raw.strip()}", f"{label}: {line.plain}", line.fenced)]
        else:
            joined.append(line)
            last = len(joined) - 1 if line.plain else last
    return joined


def _without_rule(text: str) -> str:
    """Without a line across the page at its end."""
    while text.endswith(("-", "*", "_")):
        above, _, last = text.rpartition("\n")
        if not above or not _RULE_BELOW.fullmatch(last):
            break
        text = above.rstrip()
    return text


def _begins(line: Line, until: Sequence[str]) -> bool:
    start = line.plain[:200].casefold()
    return not line.fenced and any(start.startswith(one.casefold()) for one in until)
