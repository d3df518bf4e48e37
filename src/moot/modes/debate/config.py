"""A debate's options: who debates, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel, TimeoutMs


class DebateConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(3, 6, "Debate mode requires at least 3 models", "Maximum 6 models allowed"),
        Field(title="Debaters", description="All of them answer, revise and vote."),
    ]
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 10_000, 600_000)] = 120_000


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"models": panel.pick(3)}
