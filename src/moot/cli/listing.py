"""Lists: a table on a terminal, aligned columns elsewhere, one JSON object per line for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from moot.cli import plain
from moot.cli.output import screen_of_terminal
from moot.history.safe_text import one_line

if TYPE_CHECKING:
    from moot.cli.terminal import Screen
    from moot.kernel.values import Wire


GAP = 2
NARROWEST = 12
"""Where the last column would be narrower, rows are stacked."""
COMFORTABLE = 30
"""The same for a column of sentences."""


def print_json(items: Iterable[Wire]) -> None:
    for item in items:
        plain.write_json(item.model_dump_json().encode())


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str, *, cut: bool = True
) -> None:
    """The last column takes what room there is on a terminal: cut there, or wrapped."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    if not cells:
        plain.write(empty)
        return
    screen = screen_of_terminal()
    if screen is None:
        _print_aligned(columns, cells)
        return
    from rich.table import Table
    from rich.text import Text

    widths = _widths(columns, cells)
    remaining = screen.width - sum(widths[:-1]) - GAP * (len(columns) - 1)
    if remaining < (NARROWEST if cut else COMFORTABLE):
        _print_stacked(screen, columns, cells, named=cut)
        return
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), collapse_padding=True, header_style="dim")
    for column, width in zip(columns[:-1], widths, strict=False):
        table.add_column(column, no_wrap=True, width=width)
    table.add_column(columns[-1], no_wrap=cut, overflow="ellipsis" if cut else "fold", width=remaining)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    screen.print(table)


def _print_stacked(
    screen: Screen, columns: Sequence[str], rows: Sequence[Sequence[str]], *, named: bool
) -> None:
    """Too wide for this terminal: each row is a paragraph. Every figure has its column's name, and the last
    cell, unless `named`, is a sentence of its own."""
    from rich.padding import Padding
    from rich.text import Text

    for first, *rest in rows:
        screen.print(Text(first))
        figures = rest if named else rest[:-1]
        pairs = [f"{column} {cell}" for column, cell in zip(columns[1:], figures, strict=False) if cell]
        for line in (" · ".join(pairs), "" if named else rest[-1]):
            if line:
                screen.print(Padding(Text(line), (0, 0, 0, GAP)))


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max(cell_len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]


def _print_aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    for row in (columns, *rows):
        texts = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        plain.write("  ".join(texts).rstrip())
