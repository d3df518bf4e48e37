"""Live panels: every seat's text as it streams, side by side, under a line that says where the run is.

    vote · Answers · 2.1 s · 3 calls · 912 tokens · $0.0031
    ╭ 1. openai/o3 ─────────────────────╮ ╭ 2. google/gemini-2.5-pro ─────────╮
    │ Tabs keep the width of an indent  │ │ waiting …                         │
    ╰───────────────────────────── 1.9 s╯ ╰───────────────────────────────────╯

What is told for good (a stage in sentences, a failure) is printed above and scrolls away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import orjson
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from moot.cli.ending import dollars, headline
from moot.cli.narrator import Narrator
from moot.cli.story import Speaker, Story
from moot.cli.terminal import Passages, Screen, colour_of, ending
from moot.history.safe_text import one_line, safe_text
from moot.kernel.clock import monotonic
from moot.kernel.narration import count, seconds

if TYPE_CHECKING:
    from moot.history.views import Deliberation
    from moot.kernel.followers import Frame
    from moot.kernel.mode import Mode

FRAME_SECONDS = 0.1
NARROWEST = 34
"""A column is at least so wide; what does not fit beside each other stands below."""
SHORTEST = 3
"""A panel is at least so high: one line of text."""


class Panels:
    """The renderer for terminals."""

    tokens = True
    ping = FRAME_SECONDS

    def __init__(self, screen: Screen, modes: Mapping[str, Mode[Any]]) -> None:
        self.story = Story()
        self._narrator = Narrator(modes)
        self._passages = Passages()
        self._screen = screen
        self._live = Live(console=screen, auto_refresh=False, transient=True)
        self._drawn_at = 0.0
        self._frame_at = monotonic()

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.update(Text())
        self._live.stop()

    def render(self, batch: Sequence[Frame]) -> None:
        for frame in batch:
            event: Mapping[str, Any] = orjson.loads(frame.json())
            self.story.apply(event)
            self._frame_at = monotonic()
            passage = self._narrator.passage(frame)
            if passage is not None:
                self._screen.print(self._passages.view(passage))
        if not batch or monotonic() - self._drawn_at >= FRAME_SECONDS:
            self._drawn_at = monotonic()
            self._live.update(self._picture(), refresh=True)

    def end(self, deliberation: Deliberation) -> None:
        self._screen.print(ending(deliberation, headline(deliberation), self.story.title))

    def _picture(self) -> RenderableType:
        now = self.story.at + int((monotonic() - self._frame_at) * 1000)
        size = self._screen.size
        head = _head(self.story, self._narrator.stage, now, size.width)
        speakers = self.story.visible
        if not speakers:
            return head
        columns = max(1, min(len(speakers), size.width // NARROWEST))
        rows = -(-len(speakers) // columns)
        height = max(SHORTEST, (size.height - 2) // rows)
        # Whoever has finished gives way first where not all can be shown.
        fitting = max(1, (size.height - 2) // height) * columns
        first = sorted(speakers, key=lambda one: one.ended_ms is not None)[:fitting]
        visible = [one for one in speakers if one in first]
        return Group(head, _grid(visible, columns, height, size.width // columns, now))


def _head(story: Story, stage: str, now: int, width: int) -> Text:
    figures = [seconds(now), count(story.calls, "call"), count(story.tokens, "token"), dollars(story.dollars)]
    parts = [story.mode, stage, *figures]
    if story.simulated:
        parts.append("simulated")
    return Text(one_line(" · ".join(part for part in parts if part), width), style="bold", no_wrap=True)


def _grid(speakers: Sequence[Speaker], columns: int, height: int, width: int, now: int) -> Grid:
    grid = Grid.grid(expand=True)
    for _ in range(columns):
        grid.add_column(ratio=1)
    for start in range(0, len(speakers), columns):
        row = speakers[start : start + columns]
        grid.add_row(*(_panel(speaker, height, width, now) for speaker in row))
    return grid


def _panel(speaker: Speaker, height: int, width: int, now: int) -> Panel:
    style = "red" if speaker.failure else "dim" if speaker.ended_ms is not None else colour_of(speaker.seat)
    took = speaker.ended_ms if speaker.ended_ms is not None else max(0, now - speaker.started_at)
    state = "✗ " if speaker.failure else "✓ " if speaker.ended_ms is not None else ""
    again = f"attempt {speaker.attempt} · " if speaker.attempt > 1 else ""
    return Panel(
        _tail(speaker, width - 4, height - 2),
        title=Text(one_line(speaker.name, width - 6)),
        title_align="left",
        subtitle=Text(f"{again}{state}{seconds(took)}"),
        subtitle_align="right",
        border_style=style,
        height=height,
    )


def _tail(speaker: Speaker, width: int, lines: int) -> Text:
    """The last lines of a text; only its end is laid out, for a reply may be long."""
    if speaker.failure:
        return Text(one_line(speaker.failure, width * lines), style="red")
    text = safe_text(speaker.text[-width * lines * 2 :]).strip()
    if not text:
        return Text("waiting …" if speaker.ended_ms is None else "", style="dim")
    rows: list[str] = []
    for paragraph in text.splitlines():
        rows += _wrap(paragraph, width) if paragraph.strip() else []
    return Text("\n".join(rows[-lines:]))


def _wrap(paragraph: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    rows = [""]
    for word in paragraph.split():
        candidate = f"{rows[-1]} {word}".strip()
        if len(chop_cells(candidate, width)) <= 1:
            rows[-1] = candidate
        else:
            rows += chop_cells(word, width)
    return [row for row in rows if row]
