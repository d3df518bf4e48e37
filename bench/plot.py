"""Bars as SVG: plain enough for any reader, light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

WIDTH, LEFT, ROW = 900, 430, 22


def bars(file: Path, title: str, values: Sequence[tuple[str, float]], mark: float | None = None) -> None:
    """One bar a value; on a logarithmic scale where they differ by more than twenty times. `mark`: a line."""
    shown = [(name, value) for name, value in values if math.isfinite(value)]
    if not shown:
        return
    most = max(value for _, value in shown)
    least = min(value for _, value in shown if value > 0)
    scale = _logarithmic(least, most) if most > 20 * least else lambda value: value / most
    room = WIDTH - LEFT - 70
    height = 40 + ROW * len(shown)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="{escape(title)}">',
        "<style>text{fill:#333}.bar{fill:#4a7dbd}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>',
    ]
    for number, (name, value) in enumerate(shown):
        y = 32 + ROW * number
        long = max(room * scale(value), 1)
        parts.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect class="bar" x="{LEFT}" y="{y}" width="{long:.0f}" height="14" rx="2"/>')
        parts.append(f'<text x="{LEFT + long + 6:.0f}" y="{y + 11}">{value:.3g}</text>')
    if mark is not None:
        x = LEFT + room * scale(mark)
        parts.append(f'<path d="M{x:.0f} 26V{height - 8}" stroke="#c44" stroke-dasharray="3 3"/>')
    file.write_text("\n".join([*parts, "</svg>", ""]))


def _logarithmic(least: float, most: float) -> Callable[[float], float]:
    low = math.log(least / 2)
    return lambda value: (math.log(max(value, least / 2)) - low) / (math.log(most) - low)
