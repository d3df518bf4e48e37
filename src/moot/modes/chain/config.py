"""A chain's options: its steps, each a model under a mandate, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelName, Panel, TimeoutMs, problem
from moot.kernel.values import Maybe, Wire
from moot.modes.chain.mandates import MANDATES


class ChainStep(Wire):
    """One pair of hands."""

    model: Annotated[str, ModelName("Model is required"), Field(description="Who works on the text.")] = ""
    mandate: Annotated[
        str, Field(json_schema_extra={"enum": list(MANDATES)}, description="The one thing this step does.")
    ] = ""
    custom_mandate: Annotated[
        Maybe[str], Field(description="Your own words for the mandate `custom`, at most 2000 characters.")
    ]

    @model_validator(mode="after")
    def _is_complete(self) -> ChainStep:
        if not self.model.strip():
            raise problem("Model is required")
        if not self.mandate.strip():
            raise problem("Mandate is required")
        if self.mandate not in MANDATES:
            raise problem(f"Unknown mandate: {self.mandate}")
        if self.mandate == "custom" and not (self.custom_mandate or "").strip():
            raise problem("customMandate is required when mandate is 'custom'")
        if len(self.custom_mandate or "") > 2000:
            raise problem("customMandate may have at most 2000 characters")
        return self

    @property
    def display(self) -> str:
        text = (self.custom_mandate or "").strip()
        return " ".join(text.split())[:40] if self.mandate == "custom" else MANDATES[self.mandate].display

    @property
    def instruction(self) -> str:
        return (
            (self.custom_mandate or "").strip()
            if self.mandate == "custom"
            else MANDATES[self.mandate].instruction
        )


class ChainConfig(ModeConfig):
    steps: Annotated[
        tuple[ChainStep, ...],
        Count(2, 6, "Chain mode requires at least 2 steps", "Maximum 6 steps allowed"),
        Field(title="Steps", description="Who works on the text, in order, and with which task."),
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
    return {
        "steps": [
            {"model": model, "mandate": mandate} for model, mandate in zip(models, mandates, strict=True)
        ]
    }
