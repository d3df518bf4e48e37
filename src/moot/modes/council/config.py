"""A council's options: who answers and ranks, who writes the synthesis, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from moot.kernel.mode import Count, ModeConfig, ModelId, Panel


class CouncilConfig(ModeConfig):
    council_models: Annotated[
        tuple[ModelId, ...],
        Count(2, 6, "Council mode requires at least 2 models", "Maximum 6 models allowed"),
        Field(
            title="Council", description="The models that answer and rank. A model may hold several seats."
        ),
    ]
    chairman_model: Annotated[
        ModelId,
        Field(title="Chairman", description="Writes the final answer. By default, the model in seat 1."),
    ]


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    council = given.get("councilModels")
    if not council:
        return {"councilModels": panel.pick(4), "chairmanModel": panel.special()}
    return {"councilModels": council, "chairmanModel": council[0] if isinstance(council, list) else None}
