"""Text without escape codes, for whatever is not a terminal: passages as indented lines, answers as they are.

Votes
  1. sim/ada voted for sim/bo.
  sim/bo (Response A)    ████████████████████  2 votes
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from moot.cli.ending import answer, summary
from moot.history.notices import SIMULATED
from moot.history.safe_text import one_line, safe_json, safe_text

if TYPE_CHECKING:
    from moot.history.views import Deliberation
    from moot.kernel.narration import Passage

BAR_WIDTH = 20
LONGEST_NAME = 40
LONGEST = 1000


class Lines:
    """Passages as lines; a heading is not said twice in a row."""

    def __init__(self) -> None:
        self._heading = ""

    def of(self, passage: Passage) -> list[str]:
        lines = []
        if passage.heading and passage.heading != self._heading:
            lines.append(one_line(passage.heading))
        self._heading = passage.heading or self._heading
        lines += [f"  {one_line(sentence, LONGEST)}" for sentence in passage.sentences]
        lines += [f"  {name}  {bar}  {text}".rstrip() for name, bar, text in chart(passage)]
        return [*lines, *(f"  {safe_text(line)}" for line in passage.drawing)]


def chart(passage: Passage) -> list[tuple[str, str, str]]:
    """Name, bar and value of each, in columns."""
    cells = [(one_line(bar.name, LONGEST_NAME), bar) for bar in passage.bars]
    width = max((len(name) for name, _ in cells), default=0)
    most = max([passage.highest, *(bar.value for _, bar in cells)]) or 1
    lengths = [round(max(bar.value, 0) * BAR_WIDTH / most) for _, bar in cells]
    longest = max(lengths, default=0)
    return [
        (name.ljust(width), ("█" * length).ljust(longest), one_line(bar.text))
        for (name, bar), length in zip(cells, lengths, strict=True)
    ]


def ending(deliberation: Deliberation, messages: Sequence[str]) -> str:
    """What is missing, the answer, what it took; the answer under everything that qualifies it."""
    first, *rest = messages or [""]
    head = "\n".join([first, *(f"  - {notice}" for notice in rest)]).strip()
    marks = SIMULATED if deliberation.simulated else ""
    parts = [head, marks, answer(deliberation), summary(deliberation)]
    return "\n\n".join(part for part in parts if part)


def write(text: str = "") -> None:
    """Onto stdout, at once: whoever reads a pipe wants to see it happen."""
    print(safe_text(text), flush=True)


def write_json(document: bytes) -> None:
    """A line of JSON."""
    sys.stdout.buffer.write(safe_json(document.decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def warn(text: str) -> None:
    print(wrapped(safe_text(text), sys.stderr), file=sys.stderr, flush=True)


def wrapped(text: str, stream: TextIO, indent: str = "") -> str:
    """A sentence broken between words where `stream` is a terminal; whole for a program that reads it."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrapper.fill(line) for line in text.splitlines())
