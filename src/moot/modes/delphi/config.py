"""Options of a Delphi exercise: its panel, when it agrees, how long it goes on, and what a request may leave
out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel, TimeoutMs, problem
from moot.modes.delphi.classification import QuestionType

FEWEST_PANELISTS = 3
"""Without so many there is no panel."""


class DelphiConfig(ModeConfig):
    panelist_models: Annotated[
        tuple[ModelId, ...],
        Count(
            FEWEST_PANELISTS,
            7,
            "Delphi mode requires at least 3 panelist models",
            "Maximum 7 panelist models allowed",
        ),
        Field(
            title="Panelists",
            description="They answer in every round, anonymously. A model may hold several seats.",
        ),
    ]
    facilitator_model: Annotated[
        ModelId,
        Field(
            title="Facilitator",
            description="Classifies the question and writes the report. Must not be a panelist.",
        ),
    ]
    max_rounds: Annotated[
        int, Between("maxRounds", 2, 5), Field(title="Rounds", description="The maximum number of rounds.")
    ] = 5
    numeric_convergence_threshold: Annotated[
        float,
        Between("numericConvergenceThreshold", 0.01, 1),
        Field(
            title="Agreement on a number",
            description="The panel agrees when the relative spread of its estimates falls below this.",
        ),
    ] = 0.15
    qualitative_convergence_threshold: Annotated[
        float,
        Between("qualitativeConvergenceThreshold", 50, 100),
        Field(
            title="Agreement on a choice",
            description="The panel agrees when this percentage gives the same answer.",
        ),
    ] = 75
    question_type: Annotated[
        QuestionType | None,
        Field(
            title="Kind of question", description="A number or a choice. If not set, the facilitator decides."
        ),
    ] = None
    options: Annotated[
        tuple[str, ...] | None,
        Field(
            title="Options",
            description="2 to 10 options for the panel to choose from. Makes the question a choice.",
        ),
    ] = None
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 180_000)] = 120_000

    @field_validator("question_type", mode="before")
    @classmethod
    def _is_known(cls, value: Any) -> Any:
        if isinstance(value, str) and value not in ("numeric", "qualitative"):
            raise problem("questionType must be numeric or qualitative")
        return value

    @field_validator("options")
    @classmethod
    def _are_distinct(cls, options: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if options is None:
            return None
        lines = tuple(" ".join(option.split()) for option in options)
        distinct = {line.casefold() for line in lines if line}
        if not 2 <= len(lines) <= 10 or len(distinct) != len(lines):
            raise problem("options must hold 2 to 10 distinct entries")
        return lines

    @model_validator(mode="after")
    def _facilitator_is_no_panelist(self) -> Self:
        if self.facilitator_model in self.panelist_models:
            raise problem("Facilitator model must not be one of the panelist models")
        return self

    @property
    def fixed_type(self) -> QuestionType | None:
        return self.question_type or ("qualitative" if self.options else None)


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """In a small panel the strongest model is left to be the facilitator."""
    chief = panel.special(4, given.get("facilitatorModel"))
    free = panel.without(chief).models[:4]
    panelists = given.get("panelistModels", Panel(free).pick(max(FEWEST_PANELISTS, len(free))))
    seats = [one for one in panelists if isinstance(one, str)] if isinstance(panelists, list | tuple) else []
    facilitator = panel.other_than(seats, panel.models.index(chief))
    return {"panelistModels": panelists, "facilitatorModel": facilitator}
