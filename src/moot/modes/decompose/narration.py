"""A question taken apart and put together, told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, listed, quote, seconds
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
            tasks = tuple(
                f"{one.model} works on {_part(one.task_id)}, {quote(one.title)}" for one in wave.tasks
            )
            return Passage(f"Wave {wave.wave_number}", tasks)
        case TaskComplete(data=task):
            return Passage(f"Wave {task.wave_number}", (_task(task),))
        case AssemblyComplete(data=assembly):
            return _assembly(assembly)
    return None


def _plan(plan: PlanData) -> Passage:
    sentences = [
        f"{plan.model} planned {count(plan.total_tasks, 'part')} in "
        f"{count(len(plan.execution_waves), 'wave')}:"
    ]
    for task in plan.tasks:
        needs = f" (needs {listed(map(_part, task.dependencies))})" if task.dependencies else ""
        sentences.append(f"{_part(task.id).capitalize()}, {quote(task.title)}{needs}")
    return Passage("Plan", tuple(sentences))


def _task(task: TaskData) -> str:
    part = _part(task.task_id).capitalize()
    if task.failed:
        return f"{part} failed: {task.failure_reason}"
    gap = " A part it depends on was missing." if task.gap else ""
    length = count(task.word_count, "word")
    return f"{part} by {task.model}: {length}, {seconds(task.response_time_ms)}.{gap}"


def _assembly(assembly: AssemblyData) -> Passage:
    sentences = [_assembled(assembly)]
    if assembly.missing_tasks:
        sentences.append(f"Missing: {listed(map(_part, assembly.missing_tasks))}.")
    speedup = assembly.execution_stats.speedup
    if speedup is not None and speedup > 1:
        sentences.append(f"Working in parallel was {speedup:.1f} times as fast.")
    return Passage("Assembly", tuple(sentences))


def _assembled(assembly: AssemblyData) -> str:
    parts = count(assembly.tasks_assembled, "part")
    return f"{assembly.model} put {parts} together." if assembly.model else f"{parts}, one after the other."


def _part(task_id: str) -> str:
    """What the page calls it."""
    return task_id.replace("task_", "part ")


NARRATION = Narration({"plan": "Plan", "wave": "Wave", "assembly": "Assembly"}, tell)
