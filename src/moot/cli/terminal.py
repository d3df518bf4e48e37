"""A run on a terminal: stages in sentences and bars, notices, the answer as Markdown.

Whatever is drawn goes through `Screen`, which lets no control character pass but those of rich itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.text import Text

from moot.cli import plain
from moot.cli.ending import answer, summary
from moot.cli.narrator import FAILURE, WARNING
from moot.history.notices import SIMULATED
from moot.history.safe_text import one_line, safe_text

if TYPE_CHECKING:
    from moot.history.views import Deliberation
    from moot.kernel.narration import Passage

SEAT_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "bright_red", "bright_cyan", "bright_magenta")


class Screen(Console):
    """A console whose text cannot drive the terminal, however it came to be: Markdown, for one, writes
    characters that its source only names."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(safe_text(segment.text), segment.style)


def colour_of(seat: int | None) -> str:
    return "white" if seat is None else SEAT_COLOURS[(seat - 1) % len(SEAT_COLOURS)]


class Passages:
    """Passages as they stay on the screen; a heading is not said twice in a row."""

    def __init__(self) -> None:
        self._heading = ""

    def view(self, passage: Passage) -> RenderableType:
        parts: list[RenderableType] = []
        if passage.heading and passage.heading != self._heading:
            parts.append(Text(f"● {one_line(passage.heading)}", style="bold"))
        self._heading = passage.heading or self._heading
        body = [_sentence(sentence) for sentence in passage.sentences]
        body += [_bar(*cells) for cells in plain.chart(passage)]
        body += [Text(line, no_wrap=True) for line in passage.drawing]
        return Group(*parts, *(Padding(one, (0, 0, 0, 2)) for one in body))


def _sentence(sentence: str) -> Text:
    style = {FAILURE: "red", WARNING: "yellow"}.get(sentence[:1], "")
    return Text(one_line(sentence, 1000), style=style)


def _bar(name: str, bar: str, text: str) -> Text:
    return Text.assemble(f"{name}  ", (bar, "cyan"), f"  {text}")


def ending(deliberation: Deliberation, messages: Sequence[str], title: str | None = None) -> RenderableType:
    """The answer under everything that qualifies it, then what it took."""
    parts: list[RenderableType] = []
    text = answer(deliberation)
    if text:
        name = "Answer (simulated)" if deliberation.simulated else "Answer"
        parts.append(Rule(Text(f"{name}: {one_line(title, 60)}" if title else name), style="dim"))
    parts += _notices(deliberation, messages, bool(text))
    if deliberation.simulated and text:
        parts.append(Text(SIMULATED, style="yellow"))
    if text:
        parts += [Text(), Text(text) if deliberation.wants_schema else markdown(text), Text()]
    return Group(*parts, Text(summary(deliberation), style="dim"))


def _notices(deliberation: Deliberation, messages: Sequence[str], has_answer: bool) -> list[RenderableType]:
    if not messages or deliberation.record.status == "complete":
        return [Text(f"{WARNING} {notice}", style="yellow") for notice in messages]
    style = "bold yellow" if has_answer and deliberation.record.status == "degraded" else "bold red"
    return [Text(messages[0], style=style), *(Text(f"  • {notice}") for notice in messages[1:])]


def markdown(text: str) -> RenderableType:
    return Markdown(safe_text(text), hyperlinks=False)


def reply(heading: str, text: str) -> RenderableType:
    """All that a model wrote in one call."""
    return Group(Text(heading, style="bold"), Padding(markdown(text), (0, 0, 1, 2)))
