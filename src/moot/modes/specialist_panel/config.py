"""Options of a specialist panel: who sits on it in which role, who integrates, whether they react."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelName, Panel, TimeoutMs, problem
from moot.modes.specialist_panel.roles import Specialist


class SpecialistPanelConfig(ModeConfig):
    specialists: Annotated[
        tuple[Specialist, ...],
        Count(2, 6, "Specialist Panel mode requires at least 2 specialists", "Maximum 6 specialists allowed"),
        Field(
            title="Specialists",
            description="Each reviews the proposal in its own role. A model may take several roles.",
        ),
    ]
    synthesizer_model: Annotated[
        str,
        ModelName("Synthesizer model is required"),
        Field(
            title="Synthesizer",
            description="Combines the reports into one assessment. May also be a specialist.",
        ),
    ]
    cross_review: Annotated[
        bool,
        Field(title="Cross-review", description="Let the specialists react to each other's findings."),
    ] = True
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 600_000)] = 120_000

    @model_validator(mode="after")
    def _each_seat_is_taken_once(self) -> Self:
        role_ids: set[str] = set()
        for seat, specialist in enumerate(self.specialists, 1):
            if not specialist.model.strip():
                raise problem(f"Specialist {seat} has no model")
            role = specialist.role(seat).id
            if role in role_ids:
                raise problem(f"Each specialist needs a different role: {role} occurs twice")
            role_ids.add(role)
        return self


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    roles = ("security_expert", "scalability_architect", "cost_analyst")
    models = panel.pick(len(roles))
    return {
        "specialists": [{"roleId": role, "model": model} for role, model in zip(roles, models, strict=True)],
        "synthesizerModel": panel.special(),
    }
