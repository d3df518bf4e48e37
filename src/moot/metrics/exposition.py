"""Counts and times in the text format that Prometheus reads.

runs = Counter("moot_runs_total", "Runs that ended.", ("mode", "status"))
runs.add("vote", "complete")
print("\\n".join(runs.lines()))
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MOST_SERIES = 2_000
"""A metric with more combinations of labels counts the rest under one: names come from people."""
OTHER = "other"


class Counter:
    """Grows, one figure for each combination of labels."""

    kind = "counter"

    def __init__(self, name: str, about: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self.about = about
        self.labels = tuple(labels)
        self._values: dict[tuple[str, ...], float] = {}

    def add(self, *labels: str, value: float = 1.0) -> None:
        key = _bounded(labels, self._values)
        self._values[key] = self._values.get(key, 0.0) + value

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.about, self.kind)
        for labels, value in sorted(self._values.items()):
            yield f"{self.name}{_shown(self.labels, labels)} {_number(value)}"


class Histogram:
    """How often what took at most so long."""

    def __init__(self, name: str, about: str, labels: Sequence[str], bounds: Sequence[float]) -> None:
        self.name = name
        self.about = about
        self.labels = tuple(labels)
        self._bounds = tuple(bounds)
        self._values: dict[tuple[str, ...], list[float]] = {}

    def observe(self, value: float, *labels: str) -> None:
        key = _bounded(labels, self._values)
        counts = self._values.setdefault(key, [0.0] * (len(self._bounds) + 2))
        counts[bisect_left(self._bounds, value)] += 1
        counts[-1] += value

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.about, "histogram")
        for labels, counts in sorted(self._values.items()):
            so_far = 0.0
            for bound, count in zip((*map(_number, self._bounds), "+Inf"), counts, strict=False):
                so_far += count
                shown = _shown((*self.labels, "le"), (*labels, bound))
                yield f"{self.name}_bucket{shown} {_number(so_far)}"
            yield f"{self.name}_sum{_shown(self.labels, labels)} {_number(counts[-1])}"
            yield f"{self.name}_count{_shown(self.labels, labels)} {_number(so_far)}"


def gauge(
    name: str, about: str, values: Mapping[tuple[str, ...], float], labels: Sequence[str] = ()
) -> Iterator[str]:
    """A figure as it is at the moment."""
    yield from _head(name, about, "gauge")
    for key, value in sorted(values.items()):
        yield f"{name}{_shown(labels, key)} {_number(value)}"


def _bounded(labels: tuple[str, ...], values: Mapping[tuple[str, ...], object]) -> tuple[str, ...]:
    return labels if labels in values or len(values) < MOST_SERIES else (OTHER,) * len(labels)


def _head(name: str, about: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _shown(names: Iterable[str], values: Iterable[str]) -> str:
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in zip(names, values, strict=True))
    return f"{{{pairs}}}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
