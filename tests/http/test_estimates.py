"""What a request takes at most, through the HTTP door."""

from __future__ import annotations

from typing import Any

import pytest

from moot.modes import MODES
from moot.testing import ModelServer
from tests.http.door import Door, script

PRICED = [
    {
        "id": f"x/{name}",
        "pricing": {"prompt": "0.000001", "completion": "0.000002", "request": "0.001"},
        "context_length": 8000,
    }
    for name in ("ann", "bob", "cyd")
]
DEBATE = {"mode": "debate", "modeConfig": {"models": ["x/ann", "x/bob", "x/cyd"]}}


async def test_a_request_is_estimated_at_the_prices_of_its_models_and_nothing_is_started() -> None:
    async with (
        ModelServer(listed=PRICED) as server,
        Door(script(), openrouter_base_url=server.url, title_model="x/ann") as door,
    ):
        status, said = await door.call("POST", "/api/estimate", json={**DEBATE, "question": "Tabs?"})
        assert status == 200, said
        listed = {one["id"]: one for one in (await door.get("/api/models"))["models"]}
        assert await door.get("/api/runs") == {"runs": [], "nextCursor": None}
    assert listed["x/ann"]["requestPrice"] == 0.001
    assert said["calls"] == sum(step["calls"] for step in said["steps"]) == 13
    tokens = said["promptTokens"] * 1e-6 + said["completionTokens"] * 2e-6
    assert said["cost"] == pytest.approx(tokens + 13 * 0.001)
    assert (said["unpriced"], said["reason"], said["simulated"]) == ([], None, False)
    assert (said["durationMs"], said["longestMs"]) == (180_000, 600_000)


async def test_no_prompt_is_estimated_beyond_its_models_context_and_who_may_see_less_is_named() -> None:
    listed = [{**PRICED[0], "context_length": 4000}, {**PRICED[1], "context_length": 400_000}, PRICED[2]]
    async with (
        ModelServer(listed=listed) as server,
        Door(script(), openrouter_base_url=server.url, title_model="x/bob") as door,
    ):
        _, said = await door.call("POST", "/api/estimate", json={**DEBATE, "question": "Tabs?"})
    assert said["shortContexts"] == ["x/ann", "x/cyd"]
    steps = {(step["step"], *step["models"]): step for step in said["steps"]}
    votes = [steps["debate_vote", f"x/{name}"] for name in ("ann", "bob", "cyd")]
    longest = [step["promptTokens"] // step["calls"] for step in votes]
    assert (longest[0], longest[2]) == (4000, 8000)
    assert longest[1] > 8000


async def test_a_longer_question_takes_more() -> None:
    async with Door(script()) as door:
        body: dict[str, Any] = {"mode": "debate"}
        _, short = await door.call("POST", "/api/estimate", json=body)
        _, long = await door.call("POST", "/api/estimate", json={**body, "question": "why " * 300})
    assert long["promptTokens"] - short["promptTokens"] == 13 * 400
    assert short["reason"] == "No price is known for ann, bob, cyd, title."


async def test_a_bad_request_is_refused_as_it_would_be_when_asked() -> None:
    async with Door(script()) as door:
        bad = {"mode": "vote", "modeConfig": {"councilModels": ["ann"]}}
        asked = await door.call("POST", "/api/council/stream", json={**bad, "question": "Tabs?"})
        assert await door.call("POST", "/api/estimate", json=bad) == asked
        assert asked[0] == 400
        status, refused = await door.call(
            "POST", "/api/estimate", json={"mode": "vote", "question": "x" * 40_000}
        )
        assert (status, refused["details"][0]["path"]) == (400, "question")


async def test_every_mode_has_an_estimate_with_the_defaults() -> None:
    async with Door(script()) as door:
        listed = (await door.get("/api/estimates"))["estimates"]
        assert list(listed) == list(MODES)
        for mode, said in listed.items():
            assert (await door.call("POST", "/api/estimate", json={"mode": mode}))[1] == said
