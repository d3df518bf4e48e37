"""Options of decompose: who plans, who works, who assembles, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel, RoleModel, problem


class DecomposeConfig(ModeConfig):
    planner_model: Annotated[
        RoleModel, Field(title="Planner", description="Splits the task into parts. May also be a worker.")
    ]
    worker_models: Annotated[
        tuple[ModelId, ...],
        Count(1, 5, "At least 1 worker model required", "Maximum 5 worker models allowed"),
        Field(title="Workers", description="They solve the parts. A model may hold several seats."),
    ]
    assembler_model: Annotated[
        RoleModel,
        Field(title="Assembler", description="Combines the parts into one answer. By default, the planner."),
    ]
    max_tasks: Annotated[
        int,
        Between("maxTasks", 3, 8),
        Field(title="Maximum parts", description="The maximum number of parts. A longer plan is shortened."),
    ] = 6
    worker_tags: Annotated[
        dict[str, tuple[str, ...]],
        Field(
            title="What workers are good at",
            description="For example technical, creative or analytical. Tasks go to the model that fits.",
            json_schema_extra={"keys": "workerModels"},
        ),
    ] = {}  # noqa: RUF012 - pydantic copies it
    max_dependency_chars: Annotated[
        int,
        Between("maxDependencyChars", 2_000, 50_000),
        Field(
            title="Longest result to pass on",
            description="In characters. The middle of a longer result is left out.",
        ),
    ] = 12_000

    @model_validator(mode="after")
    def _seats_and_tags(self) -> DecomposeConfig:
        if 1 + len(self.worker_models) + (self.assembler_model != self.planner_model) > 6:
            raise problem("Decompose mode allows at most 6 models: planner, workers and a separate assembler")
        if not set(self.worker_tags) <= set(self.worker_models):
            raise problem("workerTags names a model that is not a worker")
        return self


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    planner = given.get("plannerModel") or panel.special()
    return {"plannerModel": planner, "workerModels": panel.pick(3), "assemblerModel": planner}
