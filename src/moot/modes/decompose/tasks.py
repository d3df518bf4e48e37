"""Tasks being worked on: who tried, what came of it, how long it took, what was lost on the way.

work = Work.of(config, plan, started_ms)
work.resolve(task, [Attempt.of(worker, answer, "task_1")])
work.statistics(total_ms).speedup            # the sum of all tasks' times over the time that passed
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from moot.deliberation.rounding import half_up
from moot.deliberation.text import word_count
from moot.kernel.run import seats
from moot.kernel.values import Answer, Failure
from moot.modes.decompose.config import DecomposeConfig
from moot.modes.decompose.events import (
    AssignmentEntry,
    ExecutionStats,
    TaskData,
    WaveCompleteData,
    WaveStartData,
    WaveTask,
)
from moot.modes.decompose.graph import Assignment, Job, assign, execution_waves, longest_chain, wave_numbers
from moot.modes.decompose.plan import Plan, Task

PREVIEW_CHARS = 200
_ECHO = re.compile(
    r"[\s#*_>]*(?:sub-?task\s+output|task\s+output|assembled\s+answer|final\s+answer)[*_\s]*:[*_\s]*",
    re.IGNORECASE,
)


class Worker(NamedTuple):
    """`seat` is null for the planner who stands in."""

    seat: int | None
    model: str


@dataclass(frozen=True)
class Attempt:
    """One worker's try at a task; `failure` if nothing usable came of it."""

    worker: Worker
    response_time_ms: int
    started_ms: int
    ended_ms: int
    output: str = ""
    failure: Failure | None = None

    @classmethod
    def of(cls, worker: Worker, reply: Answer, step: str) -> Attempt:
        output = strip_echo(reply.response)
        return cls(
            worker=worker,
            response_time_ms=reply.response_time_ms,
            started_ms=reply.started_ms,
            ended_ms=reply.ended_ms,
            output=output,
            failure=None if output else empty_reply(reply, step),
        )

    @classmethod
    def failed(cls, worker: Worker, failure: Failure) -> Attempt:
        return cls(
            worker=worker,
            response_time_ms=failure.response_time_ms,
            started_ms=failure.started_ms,
            ended_ms=failure.ended_ms,
            failure=failure,
        )


def strip_echo(text: str) -> str:
    """Trimmed, without a leading heading that repeats what was asked for."""
    return _ECHO.sub("", text, count=1).strip() if _ECHO.match(text) else text.strip()


def empty_reply(reply: Answer, step: str) -> Failure:
    return Failure(
        step=step,
        seat=reply.seat,
        model=reply.model,
        kind="empty",
        reason=f"{reply.model} sent a heading and nothing under it.",
        response_time_ms=reply.response_time_ms,
    )


@dataclass(frozen=True)
class TaskOutcome:
    """With its place in the run's time."""

    data: TaskData
    started_ms: int
    ended_ms: int


@dataclass(frozen=True)
class Work:
    """A plan, who does what, and the outcomes so far. `started_ms` is when the plan was there, and the first
    tasks could begin."""

    plan: Plan
    waves: dict[str, int]
    workers: Mapping[int, str]
    assignment: Assignment
    planner: str
    started_ms: int
    outcomes: dict[str, TaskOutcome] = field(default_factory=dict)

    @classmethod
    def of(cls, config: DecomposeConfig, plan: Plan, started_ms: int) -> Work:
        workers, waves = seats(config.worker_models), wave_numbers(plan.needs)
        jobs = [Job(task.id, waves[task.id], task.complexity, task.expertise) for task in plan.tasks]
        return cls(
            plan=plan,
            waves=waves,
            workers=workers,
            assignment=assign(jobs, workers, config.worker_tags),
            planner=config.planner_model,
            started_ms=started_ms,
        )

    @property
    def assignments(self) -> list[AssignmentEntry]:
        return [
            AssignmentEntry(task_id=task, seat=seat, model=self.workers[seat], wave_number=self.waves[task])
            for task in self.plan.needs
            for seat in [self.assignment.seats[task]]
        ]

    def worker(self, task: Task) -> Worker:
        seat = self.assignment.seats[task.id]
        return Worker(seat, self.workers[seat])

    def substitute(self, task: Task) -> Worker:
        """The least loaded other worker, else the planner, else the same again."""
        first = self.worker(task)
        other = self.assignment.another(self.assignment.seats[task.id])
        if other is not None:
            return Worker(other, self.workers[other])
        return first if first.model == self.planner else Worker(None, self.planner)

    def wave_start(self, task: Task) -> WaveStartData:
        number = self.waves[task.id]
        return WaveStartData(
            wave_number=number,
            tasks=[
                WaveTask(
                    task_id=one.task_id,
                    title=self.plan[one.task_id].title,
                    seat=one.seat,
                    model=one.model,
                    dependencies=self.plan[one.task_id].dependencies,
                )
                for one in self.assignments
                if one.wave_number == number
            ],
        )

    def output_of(self, task_id: str) -> str | None:
        """The result of a task that is done."""
        outcome = self.outcomes.get(task_id)
        return outcome.data.output if outcome and not outcome.data.failed else None

    @property
    def in_order(self) -> list[Task]:
        """Every task after all it needs: by wave, then by plan."""
        return sorted(self.plan.tasks, key=lambda task: self.waves[task.id])

    @property
    def completed(self) -> list[Task]:
        return [task for task in self.in_order if self.output_of(task.id) is not None]

    @property
    def missing(self) -> list[str]:
        return [task.id for task in self.plan.tasks if self.output_of(task.id) is None]

    def resolve(self, task: Task, attempts: Sequence[Attempt]) -> TaskOutcome:
        """What became of a task after all tries at it; none means there was no time to start."""
        final = attempts[-1] if attempts else None
        failure = final.failure if final else None
        failed = final is None or failure is not None
        used = [need for need in task.dependencies if self.output_of(need) is not None]
        output = "" if final is None or failed else final.output
        worker = final.worker if final else self.worker(task)
        data = TaskData(
            task_id=task.id,
            title=task.title,
            seat=worker.seat,
            model=worker.model,
            wave_number=self.waves[task.id],
            output=output,
            output_preview=output[:PREVIEW_CHARS],
            word_count=word_count(output),
            attempts=len(attempts),
            gap=len(used) < len(task.dependencies),
            failed=failed,
            failure_reason=(failure.reason if failure else "pipeline_timeout") if failed else None,
            failure_kind=(failure.kind if failure else "timeout") if failed else None,
            response_time_ms=sum(one.response_time_ms for one in attempts),
            dependencies=task.dependencies,
            dependencies_used=used,
            complexity=task.complexity,
            expertise=task.expertise,
            assigned_model=self.worker(task).model,
        )
        ready = max((self.outcomes[need].ended_ms for need in task.dependencies), default=self.started_ms)
        started, ended = (attempts[0].started_ms, attempts[-1].ended_ms) if attempts else (ready, ready)
        self.outcomes[task.id] = TaskOutcome(data, started, ended)
        return self.outcomes[task.id]

    @property
    def complete_waves(self) -> list[WaveCompleteData]:
        """The waves that are complete, with all before them."""
        waves = []
        for number, tasks in enumerate(execution_waves(self.plan.needs), 1):
            if not self.outcomes.keys() >= set(tasks):
                break
            outcomes = [self.outcomes[task] for task in tasks]
            failed = sum(one.data.failed for one in outcomes)
            waves.append(
                WaveCompleteData(
                    wave_number=number,
                    completed_count=len(tasks) - failed,
                    failed_count=failed,
                    wave_time_ms=_span(outcomes),
                )
            )
        return waves

    def statistics(self, total_time_ms: int) -> ExecutionStats:
        needs, waves = self.plan.needs, execution_waves(self.plan.needs)
        times = {task: outcome.data.response_time_ms for task, outcome in self.outcomes.items()}
        actual = longest_chain(needs, times)
        longest, elapsed = sum(times[task] for task in actual), _span(list(self.outcomes.values()))
        return ExecutionStats(
            total_tasks=len(needs),
            completed_tasks=len(self.completed),
            failed_tasks=len(self.missing),
            total_waves=len(waves),
            max_parallelism=max(map(len, waves)),
            critical_path=longest_chain(needs),
            actual_critical_path=actual,
            critical_path_ms=longest,
            execution_time_ms=elapsed,
            total_time_ms=total_time_ms,
            speedup=_ratio(sum(times.values()), elapsed),
            parallelism_efficiency=_ratio(min(longest, elapsed), elapsed),
        )


def _span(outcomes: Sequence[TaskOutcome]) -> int:
    return max(one.ended_ms for one in outcomes) - min(one.started_ms for one in outcomes)


def _ratio(part: int, whole: int) -> float | None:
    return half_up(Fraction(part, whole), 4) if whole > 0 else None


def join_parts(work: Work) -> str:
    """The parts one after the other, and the titles of those that are missing."""
    parts = [f"## {task.title}\n\n{work.output_of(task.id)}" for task in work.completed]
    gaps = [f"- {work.plan[task_id].title}" for task_id in work.missing]
    missing = ["Missing parts:\n\n" + "\n".join(gaps)] if gaps else []
    return "\n\n---\n\n".join([*parts, *missing])
