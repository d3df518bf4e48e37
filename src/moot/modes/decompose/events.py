"""What decompose tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.deliberation.text import word_count
from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.values import Degraded, FailureKind, Maybe, Row, Wire
from moot.modes.decompose.config import DecomposeConfig
from moot.modes.decompose.graph import Complexity
from moot.modes.decompose.plan import Task

AssemblyFallback = Literal["substitute_model", "concatenation"]


class AssignmentEntry(Wire):
    task_id: str
    seat: int
    model: str
    wave_number: int


class WaveTask(Wire):
    task_id: str
    title: str
    seat: int
    model: str
    dependencies: list[str]


class WaveStartData(Wire):
    wave_number: int
    tasks: list[WaveTask]


class WaveCompleteData(Wire):
    wave_number: int
    completed_count: int
    failed_count: int
    wave_time_ms: int


class TaskOutput(Wire):
    """What became of a task. `gap`: it had to do without a result it needed."""

    task_id: str
    title: str
    seat: int | None
    model: str
    output: str
    word_count: int
    wave_number: int
    dependencies: list[str]
    response_time_ms: int
    attempts: int
    gap: bool
    failed: bool
    failure_reason: Maybe[str]
    failure_kind: Maybe[FailureKind]


class TaskData(TaskOutput):
    output_preview: str
    dependencies_used: list[str]
    complexity: Complexity
    expertise: str
    assigned_model: str

    def as_output(self) -> TaskOutput:
        return TaskOutput.model_validate(self.model_dump(include=set(TaskOutput.model_fields)))

    def row(self) -> Row:
        fields = {
            *("task_id", "title", "wave_number", "dependencies_used", "word_count", "complexity"),
            *("expertise", "assigned_model", "attempts", "gap"),
            *(("failed", "failure_reason") if self.failed else ()),
        }
        missing = f"[FAILED] {self.task_id} ({self.title}): {self.failure_reason}"
        return Row(
            self.task_id,
            self.wave_number,
            missing if self.failed else self.output,
            seat=self.seat,
            model=self.model,
            role="worker",
            parsed_data=self.model_dump(include=fields),
            response_time_ms=self.response_time_ms,
        )


class ExecutionStats(Wire):
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    total_waves: int
    max_parallelism: int
    critical_path: list[str]
    actual_critical_path: list[str]
    critical_path_ms: int
    execution_time_ms: int
    total_time_ms: int
    speedup: float | None
    parallelism_efficiency: float | None


class PlanResult(Wire):
    tasks: list[Task]
    execution_waves: list[list[str]]
    critical_path: list[str]
    max_parallelism: int


class PlanData(PlanResult):
    model: str
    seat: Maybe[int]
    total_tasks: int
    repaired: bool
    parse_failure: bool
    warnings: tuple[str, ...]
    response_time_ms: int
    assignments: list[AssignmentEntry]
    raw_text: str

    def as_result(self) -> PlanResult:
        return PlanResult.model_validate(self.model_dump(include=set(PlanResult.model_fields)))

    def row(self) -> Row:
        left_out = {"model", "seat", "raw_text", "response_time_ms", "total_tasks", "parse_failure"}
        return Row(
            "plan",
            0,
            self.raw_text,
            seat=self.seat,
            model=self.model,
            role="planner",
            parsed_data={"type": "plan", **self.model_dump(exclude=left_out)},
            response_time_ms=self.response_time_ms,
        )


class AssignmentData(Wire):
    assignments: list[AssignmentEntry]


class TaskStartData(Wire):
    task_id: str
    title: str
    seat: int | None
    model: str
    wave_number: int
    attempt: int


class AssemblyResult(Wire):
    model: str | None
    response: str
    response_time_ms: int | None
    tasks_assembled: int
    missing_tasks: list[str]
    skipped: bool
    fallback: AssemblyFallback | None


class AssemblyData(AssemblyResult, Degraded):
    execution_stats: ExecutionStats

    def as_result(self) -> AssemblyResult:
        return AssemblyResult.model_validate(self.model_dump(include=set(AssemblyResult.model_fields)))

    def row(self) -> Row:
        stats = self.execution_stats
        figures = {
            "wordCount": word_count(self.response),
            "totalWaves": stats.total_waves,
            "criticalPathMs": stats.critical_path_ms,
            "totalPipelineMs": stats.total_time_ms,
        }
        left_out = {"model", "response", "response_time_ms", "degraded"}
        return Row(
            "assembly",
            99,
            self.response,
            model=self.model,
            role="assembler",
            parsed_data=self.model_dump(exclude=left_out) | figures,
            response_time_ms=self.response_time_ms,
        )


class DecomposeResult(Wire):
    plan: Maybe[PlanResult]
    task_outputs: list[TaskOutput]
    assembly: Maybe[AssemblyResult]
    execution_stats: Maybe[ExecutionStats]
    degraded: Maybe[bool]
    warnings: tuple[str, ...]
    title: Maybe[str]


class DecomposeRoles(Wire):
    planner_model: str
    worker_models: tuple[str, ...]
    assembler_model: str
    max_tasks: int


class DecomposeStart(Opening):
    type = "decompose_start"
    config: DecomposeRoles


class PlanStart(Event):
    type = "plan_start"


class PlanComplete(Event):
    type = "plan_complete"
    data: PlanData


class AssignmentComplete(Event):
    type = "assignment_complete"
    data: AssignmentData


class WaveStart(Event):
    type = "wave_start"
    data: WaveStartData


class TaskStart(Event):
    type = "task_start"
    data: TaskStartData


class TaskComplete(Event):
    type = "task_complete"
    data: TaskData


class WaveComplete(Event):
    type = "wave_complete"
    data: WaveCompleteData


class AssemblyStart(Event):
    type = "assembly_start"


class AssemblyComplete(Event):
    type = "assembly_complete"
    data: AssemblyData


def opening_extras(config: DecomposeConfig) -> Mapping[str, Any]:
    return {
        "config": DecomposeRoles(
            planner_model=config.planner_model,
            worker_models=config.worker_models,
            assembler_model=config.assembler_model,
            max_tasks=config.max_tasks,
        )
    }


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case PlanComplete(data=plan):
            yield plan.row()
        case TaskComplete(data=task):
            yield task.row()
        case AssemblyComplete(data=assembly):
            yield assembly.row()


def result(events: Sequence[Event]) -> DecomposeResult:
    plan, assembly = last_data(events, PlanComplete), last_data(events, AssemblyComplete)
    order = [task.id for task in plan.tasks] if plan else []
    outputs = [event.data.as_output() for event in every(events, TaskComplete)]
    return DecomposeResult(
        plan=plan.as_result() if plan else None,
        task_outputs=sorted(outputs, key=lambda output: order.index(output.task_id)),
        assembly=assembly.as_result() if assembly else None,
        execution_stats=assembly.execution_stats if assembly else None,
        degraded=assembly.degraded if assembly else None,
        warnings=assembly.warnings if assembly else plan.warnings if plan else (),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    assembly = last_data(events, AssemblyComplete)
    return assembly.response if assembly else None
