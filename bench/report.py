"""docs/benchmarks.md from what was measured last: `bench/results/ours.json` and `peers.json`.

python -m bench.report      # writes the page anew from the figures that are kept
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import plot
from bench.figures import Figure

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
LIBRARIES = ("moot", "aiohttp", "uvloop", "orjson", "uvicorn", "pydantic")

HEAD = """\
# Benchmarks

For anyone who wants to know what moot itself costs. After reading this page you know its processor time,
delays and memory, each compared with a goal and a bare script.

`make bench` and `make bench-peers` write this page; do not edit it. All figures come from one machine and
one run: the ratios carry over to yours, the absolute numbers do not. The models are scripted and run on the
same machine.

A council is three answers at once, three rankings at once, then the chairman's answer and a title: eight
calls. moot is called over HTTP and answers with server-sent events, each committed to SQLite (WAL,
`synchronous=FULL`) before it is sent. The bare script makes the same calls with aiohttp, and stores and shows
nothing.
"""
BUSY = """

**The machine was busy with other work.** Ratios of processor time still hold. Anything measured by the clock,
above all a thousand runs at once, should be measured again on an idle machine."""
OTHERS = """\
The same council on other people's libraries, each from PyPI in its own environment, used as its documentation
says, with replies of 300 words in one piece. They do not all do the same work: see the second column."""


def keep(name: str, rows: list[dict[str, Any]], load: float) -> None:
    """Keep what was measured, and write the page."""
    RESULTS.mkdir(exist_ok=True)
    about = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
        "load": round(load, 1),
        "versions": {one: version(one) for one in LIBRARIES} | {"SQLite": sqlite3.sqlite_version},
    }
    (RESULTS / f"{name}.json").write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
    write()


def write() -> None:
    parts = [HEAD]
    for name, section in (("ours", _ours), ("peers", _peers)):
        file = RESULTS / f"{name}.json"
        if file.exists():
            parts.append(section(json.loads(file.read_text())))
    PAGE.write_text("\n".join(parts))


def _conditions(kept: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in kept["versions"].items())
    conditions = f"{kept['date']}; {kept['machine']}; load before {kept['load']:g}; {versions}."
    return conditions + BUSY if kept["load"] > 1 else conditions


def _ours(kept: dict[str, Any]) -> str:
    figures = [Figure(**row) for row in kept["rows"]]
    missed = [figure for figure in figures if not figure.met]
    table = [
        f"| {one.name} | {one.shown} | {'' if one.goal is None else f'≤ {one.goal:g}'} "
        f"| {'' if one.goal is None else 'yes' if one.met else '**no**'} | {one.beside} |"
        for one in figures
    ]
    goals = len([one for one in figures if one.goal is not None])
    said = "Every goal is met."
    if missed:
        said = f"{len(missed)} of {goals} goals are missed. They stay here until they are met."
    plot.bars(
        ROOT / "docs" / "benchmarks-goals.svg",
        "How far from the goal (1 = goal)",
        [(one.name, one.value / one.goal) for one in figures if one.goal and "critical path" not in one.name],
        mark=1.0,
    )
    head = ["| figure | measured | goal | met | beside |", "| --- | --- | --- | --- | --- |"]
    picture = "![How far each figure is from its goal](benchmarks-goals.svg)"
    return "\n".join(["## moot", "", _conditions(kept), "", said, "", picture, "", *head, *table, ""])


def _peers(kept: dict[str, Any]) -> str:
    rows = kept["rows"]
    there = [row for row in rows if "cpu_ms" in row]
    plot.bars(
        ROOT / "docs" / "benchmarks-peers.svg",
        "Processor time of one council, milliseconds",
        [(row["name"], row["cpu_ms"]) for row in there],
    )
    lines = [f"| {row['name']} | {row['what']} | {_measured(row)} |" for row in rows]
    head = [
        "| system | what it does | wall over critical path, 50 ms a call | CPU a council, ms | versions |",
        "| --- | --- | --- | --- | --- |",
    ]
    picture = "![Processor time of one council](benchmarks-peers.svg)"
    return "\n".join(
        ["## Beside others", "", _conditions(kept), "", OTHERS, "", picture, "", *head, *lines, ""]
    )


def _measured(row: dict[str, Any]) -> str:
    if "problem" in row:
        return f"– | – | not measured: {row['problem']}"
    return f"{row['over_path']:.3f} | {row['cpu_ms']:.2f} | {row['versions']}"


if __name__ == "__main__":
    write()
