"""A question taken apart and put together, told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, listed, quote, seat_name, seconds
from moot.modes.decompose.events import (
    AssemblyComplete,
    AssemblyData,
    PlanComplete,
    PlanData,
    TaskComplete,
    TaskData,
    WaveStart,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case PlanComplete(data=plan):
            return _plan(plan)
        case WaveStart(data=wave):
            tasks = tuple(f"{one.model} works on {one.task_id}, {quote(one.title)}" for one in wave.tasks)
            return Passage(f"Wave {wave.wave_number}", tasks)
        case TaskComplete(data=task):
            return Passage(f"Wave {task.wave_number}", (_task(task),))
        case AssemblyComplete(data=assembly):
            return _assembly(assembly)
    return None


def _plan(plan: PlanData) -> Passage:
    sentences = [
        f"{plan.model} planned {count(plan.total_tasks, 'task')} in "
        f"{count(len(plan.execution_waves), 'wave')}:"
    ]
    for task in plan.tasks:
        needs = f" (needs {listed(task.dependencies)})" if task.dependencies else ""
        sentences.append(f"{task.id} {quote(task.title)}{needs}")
    return Passage("Plan", tuple(sentences))


def _task(task: TaskData) -> str:
    if task.failed:
        return f"{task.task_id} failed: {task.failure_reason}"
    gap = " It had to do without a result it needed." if task.gap else ""
    length = count(task.word_count, "word")
    worker = seat_name(task.seat, task.model)
    return f"{task.task_id} done by {worker}: {length}, {seconds(task.response_time_ms)}.{gap}"


def _assembly(assembly: AssemblyData) -> Passage:
    sentences = [f"{count(assembly.tasks_assembled, 'result')} put together by {assembly.model or 'nobody'}."]
    if assembly.missing_tasks:
        sentences.append(f"Missing: {listed(assembly.missing_tasks)}.")
    speedup = assembly.execution_stats.speedup
    if speedup is not None and speedup > 1:
        sentences.append(f"Working side by side was {speedup:.1f} times as fast as one after the other.")
    return Passage("Assembly", tuple(sentences))


NARRATION = Narration({"plan": "Plan", "wave": "Wave", "assembly": "Assembly"}, tell)
