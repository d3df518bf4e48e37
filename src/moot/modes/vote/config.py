"""A vote's options: who answers and votes, who breaks a tie, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from moot.kernel.mode import Count, ModeConfig, ModelId, Panel


class VoteConfig(ModeConfig):
    council_models: Annotated[
        tuple[ModelId, ...],
        Count(3, 7, "Vote mode requires at least 3 models", "Maximum 7 models allowed"),
        Field(title="Voters", description="The models that answer and vote. A model may hold several seats."),
    ]
    chairman_model: Annotated[
        ModelId, Field(title="Chairman", description="Breaks a tie. By default, the model in seat 1.")
    ]


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"councilModels": panel.pick(3), "chairmanModel": panel.special()}
