"""A work under review, as it passes through replies: prepared, revised, hardened; and refused if not whole.

KIND: WORK                              read_material   what the review starts from
=== MATERIAL ===                        enclosed        what stands between the two lines
1. Keys …                               fidelity        whether it is still the author's text
=== END MATERIAL ===                    stand_in        a line that stands for omitted text
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from moot.deliberation.choices import chosen_word
from moot.deliberation.parsing import Line, lines
from moot.deliberation.text import word_tokens

Kind = Literal["WORK", "TASK"]
MaterialFallback = Literal["generator_failed", "low_fidelity"]

FAITHFUL = Fraction(9, 10)
"""The share of the input's words that must recur in what is said to reproduce it."""

_FRAME = re.compile(r"={2,}\s*(.+?)\s*={2,}\s*:?$")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*)")
_STAND_IN = re.compile(
    r"(?:[\[(<{][^\])>}]*?|(?:…|\.\.\.).*?)\b(?:unchanged|as before|omitted)\b", re.IGNORECASE
)
_INSTRUCTIONS = ("reproduce all of it word for word", "a short numbered heading before each part")
"""As the prompt has them."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What stands between a section line and its end line. `closed`: the end line is there.

    `start` and `end` are the numbers of those two lines; without an end line, `end` is the reply's.
    """

    text: str
    start: int
    end: int
    closed: bool


def find_enclosure(prepared: Sequence[Line], name: str, after: int = -1) -> Enclosure | None:
    """The block of this name: from its first section line behind the line `after`, or else its first of
    all, to its last end line: what is enclosed may hold such lines itself."""
    starts = [i for i, line in enumerate(prepared) if not line.fenced and _is_section_line(line, name)]
    framed = [i for i in starts if _FRAME.match(prepared[i].plain)]
    start = next((i for i in (*framed, *starts) if i > after), next(iter((*framed, *starts)), None))
    if start is None:
        return None
    # An end line counts in code too: a code block that the work leaves open must not hide it.
    ends = [i for i in range(start + 1, len(prepared)) if _is_section_line(prepared[i], f"END {name}")]
    end = ends[-1] if ends else len(prepared)
    text = "\n".join(line.raw for line in prepared[start + 1 : end]).strip("\n").rstrip()
    return Enclosure(text, start, end, bool(ends))


def _is_section_line(line: Line, name: str) -> bool:
    """`=== NAME ===`, `NAME:` or a heading."""
    frame = _FRAME.match(line.plain)
    if frame:
        return frame[1].strip().casefold() == name.casefold()
    bare = line.plain.removesuffix(":").rstrip()
    is_heading = bare != line.plain or _HEADING.match(line.raw) is not None
    return is_heading and bare.casefold() == name.casefold()


@dataclass(frozen=True, slots=True)
class Material:
    """What a review starts from; `fallback` says why it is the input as it came."""

    text: str
    kind: Kind | None = None
    fallback: MaterialFallback | None = None


def read_material(reply: str, source: str) -> Material:
    """The prepared material. Unless it was made for a task, it must still be what was given."""
    prepared = lines(reply)
    block = find_enclosure(prepared, "MATERIAL")
    word = chosen_word(prepared[: block.start] if block else prepared[:3], "KIND", ("WORK", "TASK"))
    kind: Kind | None = "TASK" if word == "TASK" else "WORK" if word == "WORK" else None
    before = prepared[: block.start] if block and not block.text.strip() else None
    text = block.text if block and before is None else _without_kind(before or prepared)
    if (
        not text.strip()
        or _repeats_instructions(text, source)
        or (kind != "TASK" and fidelity(source, text) < FAITHFUL)
    ):
        return Material(source, kind, "low_fidelity")
    return Material(text, kind)


def _repeats_instructions(text: str, source: str) -> bool:
    """Whether the material goes on with what its author was told to do."""
    written, given = (" ".join(one.casefold().split()) for one in (text, source))
    return any(said in written and said not in given for said in _INSTRUCTIONS)


def _without_kind(prepared: Sequence[Line]) -> str:
    first = next((i for i, line in enumerate(prepared) if line.plain), 0)
    start = first + 1 if prepared[first].plain.casefold().startswith("kind") else first
    return "\n".join(line.raw for line in prepared[start:]).strip("\n").rstrip()


def fidelity(original: str, material: str) -> Fraction:
    """The share of the original's words, each as often as it occurs, that the material has too."""
    words = Counter(word_tokens(original))
    common = words & Counter(word_tokens(material))
    return Fraction(common.total(), words.total()) if words else Fraction(1)


def cut_at_line_end(text: str, longest: int) -> str:
    """The text up to its last line end within the limit, or up to the limit if it is all one line."""
    if len(text) <= longest:
        return text
    whole_lines = text[: longest + 1].rpartition("\n")[0]
    return whole_lines if whole_lines.strip() else text[:longest]


def stand_in(text: str, before: str) -> str | None:
    """The first line that stands for omitted text, `[rest unchanged]`, unless it stood there before."""
    old_lines = {line.strip() for line in before.split("\n")}
    for line in text.split("\n"):
        if line.strip() not in old_lines and _STAND_IN.search(line[:500]):
            return line.strip()
    return None
