"""What a chain may be told: its models and options, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, Panel, TimeoutMs, problem
from moot.modes.chain.mandates import ChainStep


class ChainConfig(ModeConfig):
    steps: Annotated[
        tuple[ChainStep, ...],
        Count(2, 6, "Chain mode requires at least 2 steps", "Maximum 6 steps allowed"),
        Field(title="Steps", description="Who works on the text, in order, each under one mandate."),
    ]
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 180_000)] = 120_000

    @model_validator(mode="after")
    def _draft_comes_first(self) -> ChainConfig:
        if any(step.mandate == "draft" for step in self.steps[1:]):
            raise problem("Mandate draft is only valid for the first step")
        return self


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    mandates = ("draft", "structure_depth", "accuracy_completeness", "polish_format")
    models = [*panel.pick(3), panel.pick(1, skip=4 if len(panel.models) > 4 else 3)[0]]
    return {"steps": [{"model": m, "mandate": mandate} for m, mandate in zip(models, mandates, strict=True)]}
