"""Lists: a table on a terminal, aligned columns elsewhere, one JSON object per line for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from moot.cli import plain
from moot.cli.safe_text import one_line
from moot.cli.telling import screen_of_terminal

if TYPE_CHECKING:
    from moot.wire import Wire


def print_json(items: Iterable[Wire]) -> None:
    for item in items:
        plain.say_json(item.model_dump_json().encode())


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str) -> None:
    """The last column takes what room there is."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    if not cells:
        plain.say(empty)
        return
    screen = screen_of_terminal()
    if screen is None:
        _print_aligned(columns, cells)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, no_wrap=True, overflow="ellipsis")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    screen.print(table)


def _print_aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    for row in (columns, *rows):
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        plain.say("  ".join(padded).rstrip())
