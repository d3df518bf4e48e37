"""Options of a confidence-weighted deliberation: who answers, who merges, how confidences become weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel, RoleModel, problem

Weighting = Literal["softmax", "log_odds"]


class ConfidenceConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(2, 6, "Confidence-weighted mode requires at least 2 models", "Maximum 6 models allowed"),
        Field(
            title="Respondents",
            description="Each answers and says how sure it is. A model may hold several seats.",
        ),
    ]
    synthesis_model: Annotated[
        RoleModel,
        Field(
            title="Synthesizer",
            description="Combines the answers by weight. By default, the model in seat 1.",
        ),
    ]
    temperature: Annotated[
        float,
        Between("temperature", 0.1, 5.0),
        Field(title="Temperature", description="Low: the surest model decides. High: all count equally."),
    ] = 1.0
    weighting: Annotated[
        str,
        Field(
            title="Weighting",
            description="How confidence becomes weight: `softmax`, or `log_odds`, which separates them more.",
            json_schema_extra={"enum": ["softmax", "log_odds"]},
        ),
    ] = "softmax"

    @model_validator(mode="after")
    def _weighting_is_known(self) -> ConfidenceConfig:
        if self.weighting not in ("softmax", "log_odds"):
            raise problem('weighting must be "softmax" or "log_odds"')
        return self

    @property
    def rule(self) -> Weighting:
        return "log_odds" if self.weighting == "log_odds" else "softmax"


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    models = given.get("models")
    if not models:
        return {"models": panel.pick(3), "synthesisModel": panel.special()}
    return {"models": models, "synthesisModel": models[0] if isinstance(models, list) else ""}
