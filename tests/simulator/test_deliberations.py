"""Whole deliberations among simulated models: what `make run` shows when there is no key."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from moot.kernel.engine import Engine
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.settings import Settings
from moot.simulator.transport import Simulator
from moot.store.urls import store_for
from tests.simulator.asking import PANEL, QUESTION


async def deliberate(mode: str, **config: Any) -> list[dict[str, Any]]:
    """The frames of a run without what differs from run to run."""
    ask = AskRequest.of({"question": QUESTION, "mode": mode, "modeConfig": config})
    async with Engine(
        store_for("sqlite://"), Simulator(speed=0), Panel(PANEL), Settings(), modes=MODES, strict=True
    ) as engine:
        record = await engine.start(ask)
        return [orjson.loads(frame.json()) async for batch in engine.follow(record.id) for frame in batch]


@pytest.mark.parametrize(
    ("mode", "config"),
    [
        ("council", {"councilModels": list(PANEL), "chairmanModel": "sim/eli"}),
        ("vote", {"councilModels": list(PANEL), "chairmanModel": "sim/eli"}),
        ("debate", {"models": list(PANEL)}),
        ("dialectic", {"useTemplates": False}),
    ],
)
async def test_six_simulated_models_come_to_a_result_that_is_not_degraded(
    mode: str, config: dict[str, Any]
) -> None:
    frames = await deliberate(mode, **config)
    types = [frame["type"] for frame in frames]
    assert types[-2:] == ["title_complete", "complete"]
    assert not {"model_failed", "warning", "error"} & set(types)


async def test_failing_and_unreadable_models_degrade_a_debate_without_ending_it() -> None:
    shaky = [f"{model}:fail=0.2:unreadable=0.3" for model in PANEL[:5]]
    frames = await deliberate("debate", models=["sim/ada", *shaky])
    types = [frame["type"] for frame in frames]
    assert types[-1] == "complete"
    assert {"model_failed", "warning"} & set(types)
    winner = next(frame["data"] for frame in frames if frame["type"] == "winner_declared")
    assert winner["degraded"] is True
