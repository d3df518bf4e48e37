"""Bars as SVG: plain enough for any reader, light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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


HEIGHT, TOP, BOTTOM, SIDE = 300, 36, 40, 70
COLOURS = ("#4a7dbd", "#c47a2c", "#4f9a5d")


def lines(file: Path, title: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """One line a series, both axes from the least to the most, the upright one from zero."""
    points = [point for one in series.values() for point in one]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    most = max(y for _, y in points) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = SIDE + (WIDTH - 2 * SIDE) * (x - left) / ((right - left) or 1)
        return across, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / most

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="{escape(title)}">',
        "<style>text{fill:#333}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        f'<text x="{SIDE}" y="18" font-weight="bold">{escape(title)}</text>',
        f'<path d="M{SIDE} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - SIDE}" fill="none" stroke="#888"/>',
    ]
    for x in dict.fromkeys(x for x, _ in points):
        across, _ = place(x, 0)
        parts.append(f'<text x="{across:.0f}" y="{HEIGHT - 22}" text-anchor="middle">{x:,.0f}</text>')
    for y in (0, most / 2, most):
        parts.append(f'<text x="{SIDE - 6}" y="{place(left, y)[1] + 4:.0f}" text-anchor="end">{y:.3g}</text>')
    for (name, one), colour in zip(series.items(), COLOURS, strict=False):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in one))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = place(*one[-1])
        parts.append(f'<text x="{x + 4:.0f}" y="{y - 6:.0f}" text-anchor="end">{escape(name)}</text>')
    file.write_text("\n".join([*parts, "</svg>", ""]))
