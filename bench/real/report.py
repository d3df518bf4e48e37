"""The tables of docs/real-models.md, from the figures of every record."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

FIGURES = Path(__file__).with_name("figures")
Run = dict[str, Any]


def all_runs() -> list[Run]:
    return [
        orjson.loads(line)
        for file in sorted(FIGURES.glob("*.jsonl"))
        for line in file.read_bytes().splitlines()
    ]


def page() -> str:
    """Every table, one record after the other."""
    return "\n\n".join([totals(), *map(record, records())])


class Record(NamedTuple):
    """Runs that may be counted together: of one panel, under one label, by one state of the code. Where the
    code changed before all runs of a label were made, they are two records."""

    label: str
    panel: str
    commit: str

    @property
    def runs(self) -> list[Run]:
        return [run for run in all_runs() if Record.of(run) == self]

    @classmethod
    def of(cls, run: Run) -> Record:
        return cls(run["label"], run["panel"], run["commit"])


def records() -> list[Record]:
    """By panel, and in the order in which they were made."""
    found = list(dict.fromkeys(map(Record.of, all_runs())))
    order = {"before": 0, "after": 1, "later": 2, "today": 3}
    return sorted(found, key=lambda one: (one.panel, order.get(one.label, 4)))


def totals() -> str:
    rows = []
    for one in records():
        runs = one.runs
        kinds = calls_of(runs)
        known = [run for run in runs if run["right"] is not None]
        planted = [run for run in runs if run["planted"]]
        rows.append(
            (
                f"{one.label}, {one.panel} ({one.commit or 'commit not noted'})",
                len(runs),
                sum(kinds[kind]["replies"] for kind in kinds),
                sum(kinds[kind]["repairs"] for kind in kinds),
                statuses(runs),
                f"{sum(bool(run['right']) for run in known)} of {len(known)}",
                f"{sum(run['found'] for run in planted)} of {sum(run['planted'] for run in planted)}",
                sum(run["sample_left"] for run in runs),
                sum(run["fence_left"] for run in runs),
                len(unsaid_losses(runs)),
            )
        )
    head = ("record", "runs", "replies", "repairs", "came to", "right", "planted faults found")
    return table((*head, "samples delivered", "fences delivered", "losses told as complete"), rows)


def unsaid_losses(runs: Sequence[Run]) -> list[Run]:
    """Runs that told of something unread and yet were complete, or delivered a sample as an answer."""
    return [run for run in runs if run["status"] == "complete" and (run["unread"] or run["sample_left"])]


def statuses(runs: Sequence[Run]) -> str:
    count = Counter(run["status"] for run in runs)
    return ", ".join(
        f"{count[status]} {status}" for status in ("complete", "degraded", "failed") if count[status]
    )


def calls_of(runs: Iterable[Run]) -> dict[tuple[str, str], Counter[str]]:
    kinds: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for run in runs:
        for kind, counts in run["calls"].items():
            kinds[run["mode"], kind].update(counts)
    return kinds


def record(one: Record) -> str:
    runs = one.runs
    calls = [
        (mode, kind, *(counts[name] for name in ("replies", "repairs", "failed", "cut")))
        for (mode, kind), counts in calls_of(runs).items()
    ]
    outcomes = [
        (
            run["mode"],
            run["number"],
            run["status"],
            {True: "right", False: "wrong", None: "–"}[run["right"]],
            f"{run['found']} of {run['planted']}" if run["planted"] else "–",
            "–" if run["score"] is None else f"{run['score']:g}",
            "; ".join(run["unread"]) or run["error"] or "–",
        )
        for run in runs
    ]
    parts = (
        f"## {one.label}, {one.panel} ({one.commit or 'commit not noted'})",
        table(
            ("mode", "run", "came to", "answer", "faults found", "score", "what could not be read"), outcomes
        ),
        table(("mode", "kind of call", "replies", "repairs", "failed", "cut off"), calls),
    )
    return "\n\n".join(parts)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )
