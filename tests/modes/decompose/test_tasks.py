"""Work on tasks: the figures of the worked example, exactly, and what failed tries leave behind."""

from __future__ import annotations

import pytest

from moot.kernel.values import Answer, Failure
from moot.modes.decompose.config import DecomposeConfig
from moot.modes.decompose.plan import Plan, Task
from moot.modes.decompose.prompts import shorten
from moot.modes.decompose.tasks import Attempt, Work, Worker, join_parts, strip_echo

NEEDS: dict[str, list[str]] = {"t1": [], "t2": [], "t3": ["t1"], "t4": ["t3"], "t5": ["t2", "t4"]}
SPANS = {"t1": (0, 10), "t2": (0, 45), "t3": (10, 25), "t4": (25, 40), "t5": (45, 55)}
"""Seconds after the plan: each task begins when all it needs is done."""


def work(needs: dict[str, list[str]], started_ms: int = 1000, workers: int = 2) -> Work:
    tasks = tuple(
        Task(
            id=task,
            title=task.upper(),
            description="Do it.",
            dependencies=needs_of,
            complexity="MEDIUM",
            expertise="general",
        )
        for task, needs_of in needs.items()
    )
    config = DecomposeConfig(
        planner_model="p/pam",
        worker_models=tuple(f"m/{seat}" for seat in range(1, workers + 1)),
        assembler_model="p/pam",
    )
    return Work.of(config, Plan(tasks), started_ms)


def success(start: int, end: int, text: str = "Done.") -> Attempt:
    reply = Answer(
        seat=1,
        model="m/1",
        response=text,
        response_time_ms=end - start,
        started_ms=start,
        ended_ms=end,
    )
    return Attempt.of(Worker(1, "m/1"), reply, "t1")


def failure(start: int, end: int) -> Attempt:
    failure = Failure(
        step="t1",
        seat=1,
        model="m/1",
        kind="other",
        reason="down",
        response_time_ms=end - start,
        started_ms=start,
        ended_ms=end,
    )
    return Attempt.failed(Worker(1, "m/1"), failure)


def test_the_worked_example_has_the_figures_of_the_paper() -> None:
    execution = work(NEEDS)
    for task in execution.plan.tasks:
        start, end = SPANS[task.id]
        execution.resolve(task, [success(1000 + 1000 * start, 1000 + 1000 * end)])
    stats = execution.statistics(total_time_ms=60_000)
    assert (stats.execution_time_ms, stats.critical_path_ms, stats.total_time_ms) == (55_000, 55_000, 60_000)
    assert stats.actual_critical_path == ["t2", "t5"]
    assert (stats.speedup, stats.parallelism_efficiency) == (1.7273, 1.0)
    assert (stats.total_waves, stats.max_parallelism, stats.completed_tasks) == (4, 2, 5)
    assert [wave.wave_time_ms for wave in execution.complete_waves] == [45_000, 15_000, 15_000, 10_000]


def test_a_wave_is_complete_only_after_all_before_it() -> None:
    execution = work({"t1": [], "t2": [], "t3": ["t1"]})
    first, second, third = execution.plan.tasks
    execution.resolve(first, [success(1000, 1010)])
    execution.resolve(third, [success(1010, 1020)])
    assert execution.complete_waves == []
    execution.resolve(second, [failure(1000, 1005), failure(1005, 1012)])
    assert [(w.wave_number, w.completed_count, w.failed_count) for w in execution.complete_waves] == [
        (1, 1, 1),
        (2, 1, 0),
    ]


def test_a_task_lasts_from_its_first_try_to_the_end_of_its_last() -> None:
    execution = work({"t1": [], "t2": ["t1"], "t3": ["t2"]})
    first, second, third = execution.plan.tasks
    second_try = execution.resolve(first, [failure(1000, 1030), success(1034, 1050)])
    assert (second_try.started_ms, second_try.ended_ms, second_try.data.response_time_ms) == (1000, 1050, 46)
    failed = execution.resolve(second, [failure(1051, 1054), failure(1055, 1062)])
    assert (failed.started_ms, failed.ended_ms, failed.data.attempts) == (1051, 1062, 2)
    unstarted = execution.resolve(third, [])
    assert (unstarted.started_ms, unstarted.ended_ms, unstarted.data.failure_reason) == (
        1062,
        1062,
        "pipeline_timeout",
    )
    assert (execution.missing, [task.id for task in execution.completed]) == (["t2", "t3"], ["t1"])
    assert join_parts(execution) == "## T1\n\nDone.\n\n---\n\nMissing parts:\n\n- T2\n- T3"


def test_no_time_gives_no_ratios() -> None:
    execution = work({"t1": []})
    execution.resolve(execution.plan.tasks[0], [success(1000, 1000)])
    stats = execution.statistics(1000)
    assert (stats.speedup, stats.parallelism_efficiency) == (None, None)


def test_who_takes_over_is_the_least_loaded_other_then_the_planner() -> None:
    three = work({"t1": [], "t2": [], "t3": [], "t4": []}, workers=3)
    assert three.substitute(three.plan["t1"]) == Worker(2, "m/2")
    assert three.substitute(three.plan["t2"]) == Worker(3, "m/3")
    alone = work({"t1": []}, workers=1)
    assert alone.substitute(alone.plan["t1"]) == Worker(None, "p/pam")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("SUB-TASK OUTPUT:\nIt is so.", "It is so."),
        ("**Assembled answer:**\n\nIt is so.\n", "It is so."),
        ("## Sub-task output: It is so.", "It is so."),
        ("  It is so.  ", "It is so."),
        ("My sub-task output: short.", "My sub-task output: short."),
        ("SUB-TASK OUTPUT:", ""),
        ("", ""),
    ],
)
def test_only_a_leading_echo_is_stripped(text: str, left: str) -> None:
    assert strip_echo(text) == left


def test_a_shortened_text_keeps_its_beginning_and_its_end() -> None:
    text = "".join(chr(97 + n % 26) for n in range(30_000))
    cut = shorten(text, 12_000)
    assert cut == f"{text[:8400]}[… 18000 characters omitted …]{text[-3600:]}"
    assert shorten(text, 30_000) == text
