"""Task graphs: worked examples, and laws that hold for ten thousand random ones."""

from __future__ import annotations

import random
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import pytest

from moot.modes.decompose.graph import (
    LOADS,
    Complexity,
    Job,
    assign,
    break_cycles,
    components,
    execution_waves,
    find_cycle,
    first_tasks,
    longest_chain,
    wave_numbers,
)

EXAMPLE = {"t1": [], "t2": [], "t3": ["t1"], "t4": ["t3"], "t5": ["t2", "t4"]}


def test_the_worked_example_has_four_waves_and_its_longest_chain() -> None:
    assert execution_waves(EXAMPLE) == [["t1", "t2"], ["t3"], ["t4"], ["t5"]]
    assert longest_chain(EXAMPLE) == ["t1", "t3", "t4", "t5"]
    assert longest_chain(EXAMPLE, {"t1": 10, "t2": 45, "t3": 15, "t4": 15, "t5": 10}) == ["t2", "t5"]


def test_a_diamond_takes_the_chain_that_comes_first_in_the_plan() -> None:
    diamond = {"t1": [], "t2": ["t1"], "t3": ["t1"], "t4": ["t2", "t3"]}
    assert execution_waves(diamond) == [["t1"], ["t2", "t3"], ["t4"]]
    assert longest_chain(diamond) == ["t1", "t2", "t4"]


def test_only_what_points_forward_in_a_circle_is_dropped() -> None:
    needs = {"t1": ["t3"], "t2": ["t1"], "t3": ["t2"], "t4": ["t3"]}
    assert find_cycle(needs) in (["t1", "t2", "t3", "t1"], ["t2", "t3", "t1", "t2"], ["t3", "t1", "t2", "t3"])
    unwound = break_cycles(needs)
    assert unwound.dropped == [("t1", "t3")]
    assert wave_numbers(unwound.needs) == {"t1": 1, "t2": 2, "t3": 3, "t4": 4}
    assert find_cycle(unwound.needs) == []


def test_a_need_that_points_forward_outside_a_circle_stays() -> None:
    needs = {"t1": ["t2"], "t2": [], "t3": ["t4"], "t4": ["t3"]}
    assert break_cycles(needs).needs == {"t1": ["t2"], "t2": [], "t3": [], "t4": ["t3"]}


def workers(count: int) -> dict[int, str]:
    return {seat: chr(64 + seat) for seat in range(1, count + 1)}


def jobs(needs: dict[str, list[str]], complexities: dict[str, Complexity], expertise: str = "") -> list[Job]:
    waves = wave_numbers(needs)
    return [Job(task, waves[task], complexities.get(task, "MEDIUM"), expertise) for task in needs]


def test_the_worked_example_is_assigned_by_load_then_by_number_of_tasks() -> None:
    complexities: dict[str, Complexity] = {"t1": "LOW", "t2": "HIGH", "t5": "LOW"}
    assignment = assign(jobs(EXAMPLE, complexities), workers(2), {})
    assert assignment.seats == {"t2": 1, "t1": 2, "t3": 2, "t4": 1, "t5": 2}
    assert assignment.loads == {1: 5, 2: 4}
    assert (assignment.another(1), assignment.another(2)) == (2, 1)


def test_equal_tasks_without_tags_go_round() -> None:
    plain: dict[str, list[str]] = {f"t{number}": [] for number in range(1, 7)}
    assert list(assign(jobs(plain, {}), workers(3), {}).seats.values()) == [1, 2, 3, 1, 2, 3]


def test_a_task_goes_to_who_knows_the_field_else_to_the_least_loaded() -> None:
    tags = {"B": ["Creative"]}
    two: dict[str, list[str]] = {"t1": [], "t2": []}
    assert set(assign(jobs(two, {}, "creative"), workers(2), tags).seats.values()) == {2}
    assert list(assign(jobs(two, {}, "legal"), workers(2), tags).seats.values()) == [1, 2]


def test_nobody_else_can_take_over_from_the_only_worker() -> None:
    assert assign(jobs({"t1": []}, {}), workers(1), {}).another(1) is None


def test_a_very_long_circle_needs_no_recursion() -> None:
    needs = {f"t{number}": [f"t{(number + 1) % 5000}"] for number in range(5000)}
    unwound = break_cycles(needs)
    assert find_cycle(unwound.needs) == []
    assert len(set(components(needs).values())) == 1


def random_graph(dice: random.Random, size: int, *, acyclic: bool) -> dict[str, list[str]]:
    names = [f"t{number}" for number in range(size)]
    needs: dict[str, list[str]] = {}
    for place, name in enumerate(names):
        others = names[:place] if acyclic else [one for one in names if one != name]
        needs[name] = dice.sample(others, min(len(others), dice.randint(0, 3)))
    shuffled = dice.sample(names, size)
    return {name: needs[name] for name in shuffled}


def reaches(needs: dict[str, list[str]], start: str) -> set[str]:
    result: set[str] = set()
    todo = [start]
    while todo:
        for need in needs[todo.pop()]:
            if need not in result:
                result.add(need)
                todo.append(need)
    return result


def test_ten_thousand_random_graphs_keep_their_laws(dice: random.Random) -> None:
    for _ in range(5_000):
        check_unwinding(random_graph(dice, dice.randint(1, 9), acyclic=False))
        check_order(random_graph(dice, dice.randint(1, 9), acyclic=True), dice)


def check_unwinding(needs: dict[str, list[str]]) -> None:
    """No circle is left; only needs within a circle that point to a later task are gone."""
    unwound = break_cycles(needs)
    list(TopologicalSorter(unwound.needs).static_order())
    names = list(needs)
    reach = {name: reaches(needs, name) for name in names}
    for task, need in [(one, other) for one in needs for other in needs[one]]:
        in_circle = task in reach[need]
        forward = names.index(need) > names.index(task)
        assert (need not in unwound.needs[task]) == (in_circle and forward)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError:
        around = find_cycle(needs)
        assert around[0] == around[-1]
        assert all(before in needs[after] for before, after in pairwise(around))
    else:
        assert (find_cycle(needs), unwound.dropped) == ([], [])


def check_order(needs: dict[str, list[str]], dice: random.Random) -> None:
    waves = wave_numbers(needs)
    sorter = TopologicalSorter(needs)
    sorter.prepare()
    for expected in execution_waves(needs):
        ready = sorter.get_ready()
        assert set(ready) == set(expected)
        sorter.done(*ready)
    assert not sorter.is_active()

    chains = every_chain(needs)
    names = list(needs)
    best = longest_chain(needs)
    same = [chain for chain in chains if len(chain) == max(map(len, chains))]
    assert best == min(same, key=lambda chain: [names.index(task) for task in chain])
    weights = {name: dice.randint(0, 50) for name in names}
    heaviest = sum(weights[task] for task in longest_chain(needs, weights))
    assert heaviest == max(sum(weights[task] for task in chain) for chain in chains)

    first = first_tasks(needs, dice.randint(1, len(needs)))
    assert all(need in first for task in first for need in needs[task]), "a cut never loses what is needed"

    complexity: dict[str, Complexity] = {name: dice.choice(list(LOADS)) for name in names}
    assignment = assign(
        [Job(name, waves[name], complexity[name], "") for name in names], workers(dice.randint(1, 5)), {}
    )
    assert set(assignment.seats) == set(names)
    assert sum(assignment.loads.values()) == sum(LOADS[complexity[name]] for name in names)
    assert max(assignment.loads.values()) - min(assignment.loads.values()) <= max(LOADS.values())


def every_chain(needs: dict[str, list[str]]) -> list[list[str]]:
    chains: dict[str, list[list[str]]] = {}
    for task in TopologicalSorter(needs).static_order():
        chains[task] = [[task]] + [[*chain, task] for need in needs[task] for chain in chains[need]]
    return [chain for result in chains.values() for chain in result]


@pytest.mark.parametrize("limit", [1, 3, 9])
def test_a_cut_keeps_the_first_by_wave_and_plan(limit: int) -> None:
    needs = {"t1": ["t4"], "t2": [], "t3": ["t2"], "t4": []}
    assert first_tasks(needs, limit) == {1: ["t2"], 3: ["t1", "t2", "t4"], 9: list(needs)}[limit]
