"""A fleet simulated event by event: people ask, workers take runs, calls wait for the provider's limit.

    rate = simulate(Fleet(workers=4, runs_at_once=6, limit=256), everyone_at_once(48, VOTE)).runs_per_second

Only what binds is in it: places for runs, places for calls, how long a call takes. `python -m bench.scale`
compares it with the fleet that was measured.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np


@dataclass(frozen=True)
class Fleet:
    """`limit`: calls at once to the provider. `overhead`: seconds a stage takes besides its calls."""

    workers: int
    runs_at_once: int
    limit: int
    call_seconds: float = 3.0
    spread: float = 0.0
    overhead: float = 0.0


@dataclass(frozen=True)
class Question:
    """`stages`: how many calls each makes at once; a stage begins when all of the one before have ended."""

    at: float
    stages: tuple[int, ...]


VOTE = (4, 3)
"""Three answers and the title, then three votes."""
COUNCIL = (5, 4, 1)
"""Four answers and the title, four rankings, the chairman."""


@dataclass
class Report:
    waited: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    busiest: int = 0
    ended_at: float = 0.0

    @property
    def runs_per_second(self) -> float:
        return len(self.took) / self.ended_at


def everyone_at_once(number: int, stages: tuple[int, ...]) -> list[Question]:
    return [Question(0.0, stages)] * number


def arrivals(rate: float, seconds: float, stages: tuple[int, ...], seed: int = 14) -> list[Question]:
    """Questions as people ask: by chance, so many a second on average."""
    lot = np.random.default_rng(seed)
    moments = np.cumsum(lot.exponential(1 / rate, size=int(rate * seconds)))
    return [Question(float(at), stages) for at in moments]


class _Run:
    def __init__(self, question: Question) -> None:
        self.question = question
        self.stages = iter(question.stages)
        self.open_calls = 0


class _World:
    def __init__(self, fleet: Fleet, questions: Sequence[Question]) -> None:
        self.fleet = fleet
        self.report = Report()
        self.places = fleet.workers * fleet.runs_at_once
        self.calling = 0
        self.runs: deque[_Run] = deque()
        self.calls: deque[_Run] = deque()
        self.order = count()
        self.agenda: list[tuple[float, int, str, _Run]] = []
        self.lot = np.random.default_rng(7)
        for question in questions:
            self.plan(question.at, "asked", _Run(question))

    def plan(self, at: float, what: str, run: _Run) -> None:
        heapq.heappush(self.agenda, (at, next(self.order), what, run))

    def events(self) -> Iterator[tuple[float, str, _Run]]:
        while self.agenda:
            at, _, what, run = heapq.heappop(self.agenda)
            yield at, what, run

    def run(self) -> Report:
        for now, what, run in self.events():
            if what == "asked":
                self.runs.append(run)
            elif what == "stage":
                self.begin_stage(run, now)
            else:
                self.calling -= 1
                run.open_calls -= 1
                if not run.open_calls:
                    self.plan(now + self.fleet.overhead, "stage", run)
            self.serve(now)
        return self.report

    def begin_stage(self, run: _Run, now: float) -> None:
        wanted = next(run.stages, 0)
        if not wanted:
            self.places += 1
            self.report.took.append(now - run.question.at)
            self.report.ended_at = now
            return
        run.open_calls = wanted
        self.calls.extend([run] * wanted)

    def serve(self, now: float) -> None:
        """Give free places to whoever waits, for a run and then for a call."""
        while self.runs and self.places:
            run = self.runs.popleft()
            self.places -= 1
            self.report.waited.append(now - run.question.at)
            self.begin_stage(run, now)
        while self.calls and self.calling < self.fleet.limit:
            self.calling += 1
            self.report.busiest = max(self.report.busiest, self.calling)
            self.plan(now + self.duration(), "answered", self.calls.popleft())

    def duration(self) -> float:
        """Log-normal around the usual: most calls are quick, a few are slow."""
        fleet = self.fleet
        return (
            fleet.call_seconds * float(np.exp(self.lot.normal(0, fleet.spread)))
            if fleet.spread
            else fleet.call_seconds
        )


def simulate(fleet: Fleet, questions: Sequence[Question]) -> Report:
    return _World(fleet, questions).run()
