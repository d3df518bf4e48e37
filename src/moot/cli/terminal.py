"""A run on a terminal: stages with their tables, notices, the answer as Markdown.

Whatever is drawn goes through `Screen`, which lets no control character pass but those of rich itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from moot.cli.ending import answer, summary
from moot.cli.plain import opening, row_in_words
from moot.history.event_table import Facts, Table, facts_of, heading, who
from moot.history.notices import SIMULATED, notices
from moot.history.safe_text import one_line, safe_text

if TYPE_CHECKING:
    from moot.history.views import Deliberation

SEAT_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "bright_red", "bright_cyan", "bright_magenta")
BAR_WIDTH = 20
MOST_COLUMNS = 6
_COUNTS = re.compile("tall(y|ies)|count|score")


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


def event_view(event: Mapping[str, Any], *, full: bool = False) -> RenderableType | None:
    """An event that stays on the screen, or None if it has nothing to say there."""
    data: Any = event.get("data")
    if "runId" in event:
        return Text(opening(event), style="dim")
    match event["type"], data:
        case "model_failed", {"step": step, "reason": reason}:
            return _line("✗", f"{who(data)} failed in {step}: {one_line(str(reason), 1000)}", "red")
        case "warning", {"message": message}:
            return _line("!", one_line(str(message), 1000), "yellow")
        case "complete" | "error" | "title_complete", _:
            return None
    if str(event["type"]).endswith("_start"):
        return None
    facts = facts_of(event)
    title = " · ".join(part for part in (heading(event["type"]), facts.who) if part)
    return Group(Text(f"● {title}", style="bold"), *_facts_view(facts, full))


def _line(sign: str, text: str, style: str) -> Text:
    return Text(f"{sign} {text}", style=style)


def _facts_view(facts: Facts, full: bool) -> list[RenderableType]:
    parts: list[RenderableType] = [_table(table) for table in facts.tables]
    if facts.scalars:
        parts.append(Text(" · ".join(f"{name} {value}" for name, value in facts.scalars)))
    if full:
        for text in facts.texts:
            parts += [Text(f"{text.who} – {text.name}".strip(" –"), style="bold"), markdown(text.text)]
    return [Padding(one, (0, 0, 0, 2)) for one in parts]


def _table(table: Table) -> RenderableType:
    """A grid, or a line per row where there are more columns than a terminal has room for."""
    body = _lines(table) if len(table.columns) > MOST_COLUMNS else _grid(table)
    return Group(Text(table.name, style="dim italic"), body) if table.name else body


def _lines(table: Table) -> RenderableType:
    return Group(*(Text(f"• {row_in_words(table, row)}") for row in table.rows))


def _grid(table: Table) -> RenderableType:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(table.columns))
    for column in table.columns or table.rows[0]:
        title = column if table.columns else ""
        grid.add_column(title, header_style="dim", no_wrap=title in ("seat", "time"))
    bars = _bars(table)
    if bars:
        grid.add_column("")
    for row, bar in zip(table.rows, bars or ((),) * len(table.rows), strict=True):
        grid.add_row(*(Text(cell) for cell in row), *(Text(sign, style="cyan") for sign in bar))
    return grid


def _bars(table: Table) -> list[tuple[str]]:
    """A map of counts is drawn: a bar per key, the longest for the most."""
    if (
        table.columns
        or not _COUNTS.search(table.name)
        or not all(row[1].isascii() and row[1].isdigit() for row in table.rows)
    ):
        return []
    most = max(int(row[1]) for row in table.rows) or 1
    return [("█" * round(int(row[1]) * BAR_WIDTH / most),) for row in table.rows]


def ending(deliberation: Deliberation, title: str | None = None) -> RenderableType:
    """The answer under everything that qualifies it, then what it took."""
    parts: list[RenderableType] = []
    text = answer(deliberation)
    if text:
        name = "Answer (simulated)" if deliberation.simulated else "Answer"
        parts.append(Rule(Text(f"{name}: {one_line(title, 60)}" if title else name), style="dim"))
    parts += _notices(deliberation, bool(text))
    if deliberation.simulated and text:
        parts.append(Text(SIMULATED, style="yellow"))
    if text:
        parts += [Text(), markdown(text), Text()]
    return Group(*parts, Text(summary(deliberation), style="dim"))


def _notices(deliberation: Deliberation, has_answer: bool) -> list[RenderableType]:
    messages = notices(deliberation)
    if not messages or deliberation.record.status == "complete":
        return [_line("!", notice, "yellow") for notice in messages]
    style = "bold yellow" if has_answer and deliberation.record.status == "degraded" else "bold red"
    return [Text(messages[0], style=style), *(Text(f"  • {notice}") for notice in messages[1:])]


def markdown(text: str) -> RenderableType:
    return Markdown(safe_text(text), hyperlinks=False)
