"""A model that hangs for as long as it may leaves the later stages the time they need."""

from __future__ import annotations

from typing import Any

import pytest

from moot.kernel import run
from moot.modes.tournament import pipeline as tournament
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held

PANEL = ["a/ann", "b/bob", "c/cyd"]
FIELD = [*PANEL, "d/dee"]
ANSWERS = ["tabs", "spaces", "both", "neither"]
HANGS = Reply(hang=True)


def sure(answer: str) -> str:
    return f"RESPONSE:\n{answer}\n\nCONFIDENCE: 0.80\nCONFIDENCE_REASONING: I looked."


@pytest.fixture(autouse=True)
def few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may be sent with half a second left, so that a pipeline of seconds stands for one of minutes."""
    monkeypatch.setattr(run, "LEAST_SECONDS", 0.5)


async def hold(lines: dict[str, Any], seconds: float, mode: str, **config: Any) -> Held:
    async with Chamber(lines, pipeline_seconds=seconds) as chamber:
        held = await chamber.deliberate(mode, **config)
    assert held.record.status == "degraded", held.frames[-1]
    return held


async def test_two_good_answers_and_a_third_that_hangs_come_to_a_vote() -> None:
    ballot = Reply(vote_for="tabs")
    lines = {"a/ann": ["tabs", ballot], "b/bob": ["spaces", ballot], "c/cyd": HANGS}
    held = await hold(lines, 6, "vote", councilModels=PANEL, chairmanModel="d/dee")
    assert held.data("winner_declared")["winnerResponse"] == "tabs"
    assert held.data("winner_declared")["totalVotes"] == 2


async def test_a_voter_that_hangs_leaves_the_chairman_time_to_break_the_tie() -> None:
    lines = {
        "a/ann": ["tabs", Reply(vote_for="tabs")],
        "b/bob": ["spaces", Reply(vote_for="spaces")],
        "c/cyd": ["both", HANGS],
        "d/dee": Reply(vote_for="spaces"),
    }
    held = await hold(lines, 4, "vote", councilModels=PANEL, chairmanModel="d/dee")
    assert held.data("winner_declared")["winnerResponse"] == "spaces"


@pytest.mark.parametrize("hangs_at", [0, 1], ids=["its answer", "its revision"])
async def test_a_debater_that_hangs_leaves_the_others_time_to_vote(hangs_at: int) -> None:
    stands, ballot = "DECISION: STAND", Reply(vote_for="tabs")
    lines: dict[str, Any] = {
        "a/ann": ["tabs", stands, ballot],
        "b/bob": ["spaces", stands, ballot],
        "c/cyd": [*["both"][:hangs_at], HANGS],
    }
    held = await hold(lines, 6, "debate", models=PANEL)
    assert held.data("winner_declared")["winnerResponse"] == "tabs"
    assert held.data("winner_declared")["totalVotes"] == 2


async def test_a_respondent_that_hangs_leaves_time_for_the_synthesis() -> None:
    lines = {"a/ann": sure("tabs"), "b/bob": sure("spaces"), "c/cyd": HANGS, "d/dee": "SYNTHESIS:\nTabs."}
    held = await hold(lines, 12, "confidence_weighted", models=PANEL, synthesisModel="d/dee")
    assert held.answer == "Tabs."


async def test_a_judge_that_hangs_on_one_match_leaves_time_for_the_final(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tournament, "LEAST_SECONDS", 0.5)
    monkeypatch.setattr(tournament, "ROUND_SECONDS", 2.0)
    hung: list[str] = []

    def judge(received: Received) -> str | Reply:
        """Silent, in both orders, on the match that comes first."""
        answers = sorted(word for word in ANSWERS if f"\n{word}\n" in received.prompt)
        hung.extend([] if hung else answers)
        return HANGS if hung == answers else "SCORE A: 8\nSCORE B: 7\nWINNER: Response A"

    lines = {**dict(zip(FIELD, ANSWERS, strict=True)), "j/jo": judge}
    held = await hold(lines, 6, "tournament", contestantModels=FIELD, judgeModel="j/jo")
    assert held.types.count("round_complete") == 2
    assert [row.stage_type for row in held.rows if row.stage_type.startswith("round_2")] == [
        "round_2_match_0"
    ]
