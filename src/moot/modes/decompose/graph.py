"""A graph of tasks: circles broken, waves, the longest chain, who does what.

    t1 ──▶ t3 ──▶ t4 ──┐        waves     [t1, t2] [t3] [t4] [t5]
    t2 ────────────────┴─▶ t5   longest   t1 → t3 → t4 → t5

A graph maps each task to what it needs, in the order of the plan; order in the plan breaks every tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal

Needs = Mapping[str, Sequence[str]]
Complexity = Literal["LOW", "MEDIUM", "HIGH"]

LOADS: Mapping[Complexity, int] = {"LOW": 1, "MEDIUM": 2, "HIGH": 3}


def find_cycle(needs: Needs) -> list[str]:
    """Tasks that need each other, the first again at the end; empty if there are none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


@dataclass(frozen=True)
class AcyclicNeeds:
    """A graph without circles, and the (task, need) pairs that had to go."""

    needs: dict[str, list[str]]
    dropped: list[tuple[str, str]]


def break_cycles(needs: Needs) -> AcyclicNeeds:
    """Among tasks that need each other, whatever points to one listed later is dropped; the rest is
    acyclic by construction, and all other needs stay."""
    group = components(needs)
    place = {task: at for at, task in enumerate(needs)}
    dropped = [
        (task, need)
        for task, all_needs in needs.items()
        for need in all_needs
        if group[task] == group[need] and place[need] >= place[task]
    ]
    removed = set(dropped)
    acyclic = {
        task: [need for need in task_needs if (task, need) not in removed]
        for task, task_needs in needs.items()
    }
    return AcyclicNeeds(acyclic, dropped)


def components(needs: Needs) -> dict[str, int]:
    """A number for each task, the same for those that need each other.

    Two walks: one along the needs that notes in which order tasks are left, one against them in the
    reverse of it. Without recursion, for a plan may be as long as a model likes.
    """
    needed_by: dict[str, list[str]] = {task: [] for task in needs}
    for task, task_needs in needs.items():
        for need in task_needs:
            needed_by[need].append(task)
    visited: set[str] = set()
    order = [task for start in needs for task in _walk(start, needs, visited)]
    group: dict[str, int] = {}
    visited_back: set[str] = set()
    for number, start in enumerate(reversed(order)):
        for task in _walk(start, needed_by, visited_back):
            group[task] = number
    return group


def _walk(start: str, edges: Needs, visited: set[str]) -> list[str]:
    """All that is reached from here and was not seen before, each after what lies beyond it."""
    if start in visited:
        return []
    visited.add(start)
    order: list[str] = []
    path = [(start, iter(edges[start]))]
    while path:
        task, rest = path[-1]
        onward = next((other for other in rest if other not in visited), None)
        if onward is None:
            path.pop()
            order.append(task)
        else:
            visited.add(onward)
            path.append((onward, iter(edges[onward])))
    return order


def wave_numbers(needs: Needs) -> dict[str, int]:
    """1 for a task that needs nothing, else one more than the latest of what it needs; in plan order."""
    waves: dict[str, int] = {}
    for task in TopologicalSorter(needs).static_order():
        waves[task] = 1 + max((waves[need] for need in needs[task]), default=0)
    return {task: waves[task] for task in needs}


def execution_waves(needs: Needs) -> list[list[str]]:
    waves = wave_numbers(needs)
    return [[task for task in needs if waves[task] == number] for number in range(1, max(waves.values()) + 1)]


def first_tasks(needs: Needs, limit: int) -> list[str]:
    """So many by wave and plan order, in plan order: a cut that never loses what a kept task needs."""
    waves = wave_numbers(needs)
    chosen = set(sorted(needs, key=lambda task: waves[task])[:limit])
    return [task for task in needs if task in chosen]


def longest_chain(needs: Needs, weights: Mapping[str, int] | None = None) -> list[str]:
    """The chain of needs with the most tasks, or the greatest sum of weights; of several, the one whose
    tasks come first in the plan."""
    place = {task: at for at, task in enumerate(needs)}

    def rank(chain: Sequence[str]) -> tuple[int, list[int]]:
        return -sum(weights[task] if weights else 1 for task in chain), [place[task] for task in chain]

    best: dict[str, list[str]] = {}
    for task in TopologicalSorter(needs).static_order():
        best[task] = min(([*best[need], task] for need in needs[task]), key=rank, default=[task])
    return min(best.values(), key=rank, default=[])


@dataclass(frozen=True)
class Job:
    """What an assignment goes by."""

    id: str
    wave: int
    complexity: Complexity
    expertise: str


@dataclass(frozen=True)
class Assignment:
    """Task → seat of its worker, and what each seat has to carry. Loads never change afterwards."""

    seats: dict[str, int]
    loads: dict[int, int]

    def another(self, seat: int) -> int | None:
        """Who takes over from this seat: the least loaded of the others."""
        others = [other for other in self.loads if other != seat]
        return min(others, key=lambda other: (self.loads[other], other), default=None)


def assign(jobs: Iterable[Job], workers: Mapping[int, str], tags: Mapping[str, Sequence[str]]) -> Assignment:
    """Heavy tasks of early waves first, each to the least loaded worker who knows the field, or to the
    least loaded of all if nobody does."""
    loads = dict.fromkeys(workers, 0)
    counts = dict.fromkeys(workers, 0)
    seats: dict[str, int] = {}
    for job in sorted(jobs, key=lambda job: (job.wave, -LOADS[job.complexity])):
        experts = [seat for seat, model in workers.items() if job.expertise in _fold(tags.get(model, ()))]
        seat = min(experts or workers, key=lambda seat: (loads[seat], counts[seat], seat))
        loads[seat] += LOADS[job.complexity]
        counts[seat] += 1
        seats[job.id] = seat
    return Assignment(seats, loads)


def _fold(tags: Sequence[str]) -> set[str]:
    return {tag.strip().casefold() for tag in tags}
