"""A tournament's options: who competes, who judges, how they are drawn, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from moot.kernel.mode import Count, ModeConfig, ModelId, Panel, problem


def _seeding(value: str) -> str:
    if value not in ("shuffled", "listed"):
        raise problem("seeding must be 'shuffled' or 'listed'")
    return value


def _draw_seed(value: str | None) -> str | None:
    if value is not None and not 1 <= len(value) <= 64:
        raise problem("seed must have 1 to 64 characters")
    return value


class TournamentConfig(ModeConfig):
    contestant_models: Annotated[
        tuple[ModelId, ...],
        Count(4, 8, "Tournament mode requires at least 4 contestants", "Maximum 8 contestants allowed"),
        Field(title="Contestants", description="The models that answer. A model may enter more than once."),
    ]
    judge_model: Annotated[
        ModelId, Field(title="Judge", description="Decides every match. Must not be a contestant.")
    ]
    swap_order: Annotated[
        bool,
        Field(
            title="Judge both orders",
            description="Judges each pair in both orders, so position gives no advantage. Doubles the calls.",
        ),
    ] = True
    seeding: Annotated[
        str,
        AfterValidator(_seeding),
        Field(
            title="Seeding",
            description="`shuffled`: random. `listed`: in the order above, strongest first.",
            json_schema_extra={"enum": ["shuffled", "listed"]},
        ),
    ] = "shuffled"
    seed: Annotated[
        str | None,
        AfterValidator(_draw_seed),
        Field(
            title="Seed of the draw",
            description="The same seed gives the same bracket. By default, a new one for each run.",
            json_schema_extra={"maxLength": 64},
        ),
    ] = None

    @model_validator(mode="after")
    def _judge_is_no_contestant(self) -> TournamentConfig:
        if set(self.contestant_models) == {self.judge_model}:
            raise problem("Tournament needs a judge that is not a contestant: configure a second model")
        if self.judge_model in self.contestant_models:
            raise problem("The judge must not be one of the contestants")
        return self


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The judge is the panel's fifth model, or its strongest if it has fewer; all others compete."""
    judge = given.get("judgeModel") or panel.special(4)
    return {"contestantModels": panel.without(judge).pick(4), "judgeModel": judge}
