"""What a debate may be told: its models and options, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel


class DebateConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(3, 6, "Debate mode requires at least 3 models", "Maximum 6 models allowed"),
        Field(title="Debaters", description="Equal peers: all answer, revise and vote."),
    ]
    timeout_ms: Annotated[
        int,
        Between("timeoutMs", 10_000, 600_000),
        Field(title="Timeout", description="How long one call to a model may take, in milliseconds."),
    ] = 120_000


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"models": panel.pick(3)}
