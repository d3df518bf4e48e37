"""Insight over HTTP: the figures of the runs, added up."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from moot.kernel.errors import TransportError
from moot.testing import Scripted
from tests.http.door import Door, script

THREE = {"councilModels": ["ann", "bob", "cyd"]}
BROKE = TransportError("credit", "cyd could not be asked: OpenRouter has no credit left.")


async def test_insight_adds_up_what_the_runs_tell(store_url: str) -> None:
    async with Door(script(cyd=BROKE), database=store_url) as door:
        told = [await door.ask(mode="vote", modeConfig=THREE) for _ in range(2)]
        told.append(await door.ask(mode="council", councilModels=["ann", "bob", "dee"]))
        runs: list[Any] = [await door.get(f"/api/runs/{one.run_id}") for one in told]
        insight = await door.get("/api/insight?days=2&timezone=Asia/Tokyo")
        votes = await door.get("/api/insight?mode=vote")
    totals = insight["totals"]
    assert totals["deliberations"] == {
        "total": 3,
        "running": 0,
        "complete": 1,
        "degraded": 2,
        "failed": 0,
        "cancelled": 0,
    }
    for name in ("calls", "failed", "unpriced", "promptTokens", "completionTokens"):
        assert totals[name] == sum(run["totals"][name] for run in runs)
        for part in ("byDay", "byMode", "byModel"):
            assert sum(one[name] or 0 for one in insight[part]) == totals[name]
    assert totals["cost"] is None
    assert len(insight["byDay"]) == 2
    assert insight["timezone"] == "Asia/Tokyo"
    calls = Counter(call["model"] for run in runs for call in run["calls"])
    assert {one["model"]: one["calls"] for one in insight["byModel"]} == calls
    cyd = next(one for one in insight["byModel"] if one["model"] == "cyd")
    assert cyd["failures"] == {"credit": 2}
    assert cyd["failure"] == {"count": 2, "cases": 2, "rate": None}
    assert cyd["response"] == {"cases": 0, "medianMs": None, "p90Ms": None}
    assert {one["mode"]: [stage["stage"] for stage in one["stages"]] for one in insight["byMode"]} == {
        "vote": [
            "stage1",
            "vote_round",
            *(["tiebreaker"] if told[0].types.count("tiebreaker_start") else []),
        ],
        "council": ["stage1", "stage2", "stage3"],
    }
    assert [one["mode"] for one in votes["byMode"]] == ["vote"]
    assert votes["byMode"][0]["agrees"] == "It voted for the winner."
    winners = Counter(run["result"]["winner"]["winnerModel"] for run in runs[:2])
    assert {one["model"]: one["wins"]["count"] for one in votes["byModel"] if one["wins"]["count"]} == winners


async def test_each_person_sees_their_own_figures(store_url: str) -> None:
    async with Door(script(), database=store_url, user_header="X-User") as door:
        for name, times in (("ann", 2), ("bob", 1)):
            for _ in range(times):
                await door.ask(mode="vote", modeConfig=THREE, headers={"X-User": name})
        found = {
            name: (await door.call("GET", "/api/insight", headers={"X-User": name}))[1]
            for name in ("ann", "bob", "cyd")
        }
        assert (await door.call("GET", "/api/insight"))[0] == 401
    assert [found[name]["totals"]["deliberations"]["total"] for name in ("ann", "bob", "cyd")] == [2, 1, 0]
    assert found["ann"]["totals"]["calls"] == 2 * found["bob"]["totals"]["calls"]
    assert sum(model["wins"]["cases"] for model in found["bob"]["byModel"]) == 3


async def test_simulated_models_are_marked_and_can_be_left_out() -> None:
    sims = ["sim/ada", "sim/bo", "ann"]
    async with Door(Scripted(dict.fromkeys([*sims, "title"], "spaces. VOTE: Response A"))) as door:
        await door.ask(mode="vote", modeConfig={"councilModels": sims, "chairmanModel": "ann"})
        both = await door.get("/api/insight")
        real = await door.get("/api/insight?simulated=false")
        simulated = await door.get("/api/insight?simulated=true")
        one = await door.get("/api/insight?model=sim/bo")
    assert {model["model"] for model in both["byModel"] if model["simulated"]} == {"sim/ada", "sim/bo"}
    assert {model["model"] for model in real["byModel"]} == {"ann", "title"}
    assert real["totals"]["calls"] + simulated["totals"]["calls"] == both["totals"]["calls"]
    assert [model["model"] for model in one["byModel"]] == ["sim/bo"]
    assert one["totals"]["deliberations"]["total"] == 1


@pytest.mark.parametrize(
    ("query", "path", "message"),
    [
        ("timezone=Mars", "timezone", "'Mars' is not a time zone; give a name such as Europe/Berlin, or UTC"),
        ("mode=duel", "mode", "Unknown mode: duel"),
        ("days=0", "days", "days must be at least 1"),
        ("days=367", "days", "days must be at most 366"),
    ],
)
async def test_what_cannot_be_counted_is_refused_with_the_parameter_s_name(
    query: str, path: str, message: str
) -> None:
    async with Door(script()) as door:
        status, problem = await door.call("GET", f"/api/insight?{query}")
    assert status == 400
    assert problem["details"] == [{"path": path, "message": message}]


async def test_without_deliberations_all_is_empty_and_no_figure_is_invented() -> None:
    async with Door(script()) as door:
        insight = await door.get("/api/insight")
    assert len(insight["byDay"]) == 30
    assert insight["byModel"] == insight["byMode"] == []
    assert insight["totals"]["calls"] == 0
    assert insight["totals"]["cost"] is None
    assert insight["totals"]["promptTokens"] is None
