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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from moot.parsing import Line, as_written, is_template, lines, lines_with, marker_pattern
from moot.words import name_key

_SIGN = re.compile(r"(?:>\s*)*(?:[-+*•–—·]\s+|(?:\*\*)?\d{1,3}[.)](?:\*\*)?\s+)")
_HEADING = re.compile(r"\s*(?:>\s*)*#{1,6}\s")
_ALL_BOLD = re.compile(r"\s*(?:>\s*)*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:?\s*$")
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*:?-{1,}:?\s*$")
_NONE = re.compile(r"[\W_]*(?:none|n/?a|nil|nothing)?[\W_]*$", re.IGNORECASE)

Names = Sequence[str] | Mapping[str, Sequence[str]]
"""Names of sections; a mapping gives each its spellings."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading or after a field's name; what follows it on its own line comes first."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.raw for line in self.lines).strip()

    @property
    def joined(self) -> str:
        """The text as one line."""
        return " ".join(self.text.split())


def sections(
    text: str | Sequence[Line], names: Names, *, other_headings_end: bool = False
) -> dict[str, Section]:
    """The named sections or fields that hold something, in any order; of a repeated one the last.

    A section begins at its name, alone on a line or with `:`, `=` or ` - `, and runs to the next
    name; a Markdown or bold heading may go on after the name ("Key Findings (5)"). With
    `other_headings_end` any other `#` heading ends it too.
    """
    prepared = lines(text) if isinstance(text, str) else text
    found: dict[str, Section] = {}
    name, content = "", list[Line]()
    for line in [*prepared, None]:
        begun = _begun(line, names, other_headings_end) if line and not line.fenced else None
        if line is None or begun:
            _keep(found, name, content)
            name, content = ("", []) if begun is None else (begun[0], [begun[1]])
        else:
            content.append(line)
    return found


def _keep(found: dict[str, Section], name: str, content: Sequence[Line]) -> None:
    section = Section(tuple(content))
    if name and section.text and not is_template(section.text):
        found.pop(name, None)
        found[name] = section


def _begun(line: Line, names: Names, other_headings_end: bool) -> tuple[str, Line] | None:
    """The section that a line begins, with what the line says besides; "" is one that has no name."""
    spellings = _spellings(names)
    match = marker_pattern(tuple(spellings), False).match(line.plain)
    if match:
        raw = as_written(line, match)[0]
        return spellings[_key(match[1] or match[2])], Line(raw, line.plain[match.end() :].strip())
    headed = _HEADING.match(line.raw)
    if headed or _ALL_BOLD.match(line.raw) or line.plain.endswith(":"):
        key = name_key(line.plain[:200])
        for spelling in sorted(spellings, key=len, reverse=True):
            if key.startswith(name_key(spelling)):
                return spellings[spelling], Line("", "")
    return ("", Line("", "")) if headed and other_headings_end else None


def _spellings(names: Names) -> dict[str, str]:
    if isinstance(names, Mapping):
        return {_key(spelling): name for name, spellings in names.items() for spelling in (name, *spellings)}
    return {_key(name): name for name in names}


def _key(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold().strip()))


def says_none(value: str) -> bool:
    """Whether a value says that there is nothing: empty, `none`, `N/A`, `-`, `[]`."""
    return _NONE.match(value[:40]) is not None and len(value) <= 40


def items(text: str | Sequence[Line]) -> list[str]:
    """The items of a list, bulleted or numbered, without their signs; `NONE` and `-` make it empty.

    Lines that follow an item, and deeper items, belong to it; after a blank line only indented ones
    do. A text without any sign is a list of its lines.
    """
    prepared = lines(text) if isinstance(text, str) else text
    found: list[list[str]] = []
    depth, blank = 0, False
    for line in prepared:
        indent = len(line.raw) - len(line.raw.lstrip())
        sign = None if line.fenced else _SIGN.match(line.raw.lstrip())
        if sign and (not found or indent <= depth + 1):
            found.append([line.raw.lstrip()[sign.end() :]])
            depth = indent
        elif found and line.raw.strip() and (not blank or indent > depth):
            found[-1].append(line.raw.strip())
        blank = not line.raw.strip()
    if not found:
        found = [[line.raw.strip()] for line in prepared if line.raw.strip()]
    joined = [" ".join(part.strip() for part in parts) for parts in found]
    return [item for item in joined if not says_none(item) and not is_template(item)]


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

    `id` is as written, `number` its digits; `title` what follows on the header's line, as written.
    """

    id: str
    title: str
    lines: tuple[Line, ...]
    index: int

    @property
    def number(self) -> int | None:
        digits = re.search(r"\d{1,9}", self.id)
        return int(digits[0]) if digits else None

    @property
    def text(self) -> str:
        return "\n".join(line.raw for line in self.lines).strip()


def blocks(
    text: str | Sequence[Line],
    word: str | tuple[str, ...],
    *,
    ident: str = r"\d+",
    until: Sequence[str] = (),
    headings_end: bool = False,
) -> list[Block]:
    """Every block whose header is the word and an id that matches `ident`, in order.

    The id is followed by `:`, `.`, a dash or the line's end; in a heading or bold line by anything.
    The last block ends at a line that begins with one of `until`, and with `headings_end` every
    block ends at a `#` heading.
    """
    prepared = lines(text) if isinstance(text, str) else text
    pattern = _header_pattern(word if isinstance(word, tuple) else (word,), ident)
    stops = _stops(prepared, until, headings_end)
    starts = [index for index in lines_with(pattern, prepared) if _is_header(prepared[index], pattern)]
    found = []
    for place, index in enumerate(starts):
        following = starts[place + 1] if place + 1 < len(starts) else len(prepared)
        end = next((stop for stop in stops if index < stop < following), following)
        found.append(_block(prepared, index, end, pattern))
        if any(_begins(prepared[stop], until) for stop in stops if index < stop < following):
            break
    return found


@lru_cache(maxsize=64)
def _header_pattern(words: tuple[str, ...], ident: str) -> re.Pattern[str]:
    spelled = "|".join(r"[^\S\n]+".join(map(re.escape, word.split())) for word in words)
    separator = r"[^\S\n]*(?:[:=.)](?!\d)|[-–—](?!\d))|[^\S\n]*$|[^\S\n](?=[^\S\n]*\S)"
    return re.compile(
        rf"^(?:{spelled})[^\S\n]*[#\[(]?({ident})[\])]?(?P<separator>{separator})",
        re.IGNORECASE | re.MULTILINE,
    )


def _is_header(line: Line, pattern: re.Pattern[str]) -> bool:
    match = pattern.match(line.plain)
    if match is None or line.fenced:
        return False
    loose = not match["separator"].strip() and match.end() < len(line.plain)
    return not loose or bool(_HEADING.match(line.raw) or _ALL_BOLD.match(line.raw))


def _block(prepared: Sequence[Line], index: int, end: int, pattern: re.Pattern[str]) -> Block:
    line = prepared[index]
    match = pattern.match(line.plain)
    if match is None:
        return Block("", "", (), index)
    title = line.plain[match.end() :].strip(" :-–—")
    return Block(match[1], "" if is_template(title) else title, tuple(prepared[index + 1 : end]), index)


def _stops(prepared: Sequence[Line], until: Sequence[str], headings_end: bool) -> list[int]:
    return [
        index
        for index, line in enumerate(prepared)
        if not line.fenced
        and ((until and _begins(line, until)) or (headings_end and _HEADING.match(line.raw)))
    ]


def _begins(line: Line, until: Sequence[str]) -> bool:
    start = line.plain[:200].casefold()
    return any(start.startswith(one.casefold()) for one in until)
