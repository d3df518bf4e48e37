"""How often a person may ask, and how many runs they may have at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from moot.kernel.limits import STRICT, Limits, LimitUsage, first_breach, resets_at
from moot.kernel.request import AskRequest
from moot.settings import Settings
from moot.testing import SILENCE
from tests.http.door import PANEL, Door, script

NOON = 1_700_049_600_000
"""2023-11-15 12:00 UTC."""
VOTE: dict[str, Any] = {"mode": "vote", "modeConfig": {"councilModels": list(PANEL[:3])}}


async def test_the_fourth_question_within_a_minute_waits_for_the_first_to_be_a_minute_old(
    store_url: str,
) -> None:
    async with Door(script(), database=store_url, limits="strict") as door:

        async def ask() -> tuple[int, dict[str, Any], dict[str, str]]:
            body = {"question": "Tabs or spaces?", **VOTE}
            async with door.session.post("/api/council/stream", json=body) as response:
                answer = {} if response.status == 200 else await response.json()
                await response.read()
                return response.status, answer, dict(response.headers)

        answers = await asyncio.gather(*(ask() for _ in range(10)))
        assert Counter(status for status, _, _ in answers) == {200: 3, 429: 7}
        _, problem, headers = next(one for one in answers if one[0] == 429)
        assert problem["limit"] == "requestsPerMinute"
        assert problem["error"] == "Your limit of 3 questions per minute is reached."
        assert 50 <= int(headers["Retry-After"]) <= 60
        seen = {one["name"]: one for one in (await door.get("/api/limits"))["limits"]}
        assert (seen["requestsPerMinute"]["used"], seen["requestsPerMinute"]["left"]) == (3, 0)
        assert (seen["requestsPerDay"]["limit"], seen["requestsPerDay"]["left"]) == (100, 97)
        assert (seen["dollarsPerDay"]["limit"], seen["dollarsPerDay"]["left"]) == (None, None)


async def test_the_same_request_again_under_its_key_is_no_further_question() -> None:
    async with Door(script(), requests_per_day=1) as door:
        for _ in range(3):
            story = await door.ask(**VOTE, headers={"Idempotency-Key": "once"})
            assert story.types[-1] == "complete"


async def test_of_runs_at_once_the_second_waits_for_the_first(store_url: str) -> None:
    async with Door(script(ann=[SILENCE]), database=store_url, runs_at_once_per_person=1) as door:
        ask = AskRequest.of({"question": "Tabs or spaces?", **VOTE})
        first = await door.engine.start(ask)
        status, problem = await door.call("POST", "/api/council/stream", json=ask.model_dump(mode="json"))
        assert (status, problem["limit"]) == (429, "runsAtOnce")
        assert problem["error"] == "You have 1 run in progress, and your limit is 1 at once."
        await door.engine.cancel(first.id)
        third = await door.engine.start(ask)
        assert third.id != first.id


@pytest.mark.parametrize(
    ("limits", "usage", "dollars", "breach"),
    [
        (Limits(), LimitUsage(10**6, 10**6, 10**6, 10**6, 1e6, 1e6), 1e6, None),
        (STRICT, LimitUsage(minute=2, hour=19, day=99), 0, None),
        (STRICT, LimitUsage(minute=3), 0, "requestsPerMinute"),
        (STRICT, LimitUsage(hour=20), 0, "requestsPerHour"),
        (STRICT, LimitUsage(day=100), 0, "requestsPerDay"),
        (Limits(runs_at_once=2), LimitUsage(running=2), 0, "runsAtOnce"),
        (Limits(dollars_per_day=1), LimitUsage(today=0.7), 0.3, None),
        (Limits(dollars_per_day=1), LimitUsage(today=0.7), 0.30001, "dollarsPerDay"),
        (Limits(dollars_per_month=1), LimitUsage(month=1), 0.01, "dollarsPerMonth"),
        (Limits(dollars_per_month=0), LimitUsage(), 0, None),
    ],
)
def test_the_first_limit_that_would_be_broken_is_named(
    limits: Limits, usage: LimitUsage, dollars: float, breach: str | None
) -> None:
    assert first_breach(limits, usage, dollars) == breach


def test_money_is_counted_anew_at_midnight_and_on_the_first() -> None:
    assert resets_at("dollarsPerDay", NOON) == 1_700_092_800_000
    assert resets_at("dollarsPerMonth", NOON) == 1_701_388_800_000


def test_a_setting_takes_the_place_of_what_the_preset_says() -> None:
    assert Settings().person_limits == Limits()
    assert Settings(limits="strict").person_limits == STRICT
    both = Settings(limits="strict", requests_per_minute=5).person_limits
    assert (both.requests_per_minute, both.requests_per_hour, both.requests_per_day) == (5, 20, 100)
