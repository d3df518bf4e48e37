"""What may be read of a reply that was cut off; and runs in which one was, over real HTTP."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import moot.modes
from moot.deliberation.cut_replies import certain, legible
from moot.kernel.values import Answer
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held, failed

LONG = "The gold standard was left in 1931 and this sentence is as long as one that no layout would ask for"
CLASSIFIED = "TYPE: NUMERIC\nSCALE: RATIO\nBOUNDS: NONE\nUNIT: keys\nOPTIONS:\nREASONING: It is a count."
SCORES = "SCORECARD\nACCURACY: 2 | No.\nCOMPLETENESS: 4 | No.\nCLARITY: 6 | Yes.\nRELEVANCE: 5 | Partly.\n"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("VOTE: Response B\nESTIMATE: 42 mil", "VOTE: Response B\n"),
        ("ESTIMATE: 4", ""),
        ("DECISION: REVIS", ""),
        ("ESTIMATE: 42\n", "ESTIMATE: 42\n"),
        ("VOTE: Response B [k7", "VOTE: Response B"),
        ("R1-F1: FIXED | The ba", "R1-F1: FIXED"),
        ("| Security | 1", ""),
        ("1. Response B\n2. Resp", "1. Response B\n"),
        (f"It is so. {LONG}, or so they sa", "It is so."),
        (f"{LONG}, or so they sa", f"{LONG},"),
        (f"{LONG} or so they sa", f"{LONG} or so they"),
        (f"ESTIMATE: {LONG}, or so they sa", ""),
        ("これは長い文です。" * 14 + "これは途", "これは長い文です。" * 14),
        ("Here is my answer:\n\nThe sym", ""),
        ("IDEA 1: Games\n\n**Description:**\nThey play", "IDEA 1: Games\n\n"),
        ("SCORES:\n1. Respo", ""),
        ("", ""),
    ],
)
def test_of_a_reply_that_was_cut_off_what_is_certain_is_read(text: str, rest: str) -> None:
    assert certain(text) == rest
    cut = Answer(seat=1, model="a/ann", response=text, response_time_ms=1, finish_reason="length")
    assert legible(cut) == rest
    assert legible(cut.model_copy(update={"finish_reason": "stop"})) == text
    assert legible(cut.model_copy(update={"read_to_its_end": True})) == text


def test_no_parser_of_a_mode_is_given_a_reply_that_may_be_cut_off() -> None:
    reader = r"(?:read_\w+|clean_section|cast_vote|revision_in|assemble|lines)"
    given = re.compile(rf"\b{reader}(?:\(|, )(?:\w+, )?\w+\.response\b")
    modules = Path(moot.modes.__file__).parent.rglob("*.py")
    found = [(module.name, line[0]) for module in modules for line in given.finditer(module.read_text())]
    assert not found


CUT = Reply(text="A piano has many keys.\nESTIMATE: 8", finish_reason="length")
SURE = "ESTIMATE: 88\nCONFIDENCE: HIGH\nREASONING: I counted them."


async def delphi(repaired: str | Reply) -> Held:
    """A first reply of Ann's that is cut off in the middle of its number, and what she says when asked again."""

    def ann(received: Received) -> str | Reply:
        return repaired if "could not" in received.prompt else CUT

    def eve(received: Received) -> str:
        return CLASSIFIED if "TYPE:" in received.prompt else "All agree."

    panel: dict[str, Any] = {"a/ann": ann, "b/bob": SURE, "c/cyd": SURE, "d/dee": SURE}
    async with Chamber({**panel, "e/eve": eve}) as chamber:
        question = "How many keys does a piano have?"
        return await chamber.deliberate(
            "delphi", question, panelistModels=list(panel), facilitatorModel="e/eve", maxRounds=2
        )


def estimates(held: Held) -> list[float]:
    first = next(frame["data"] for frame in held.frames if frame["type"] == "round_complete")
    return [one["estimate"] for one in sorted(first["estimates"], key=lambda one: one["participantIndex"])]


async def test_a_number_that_was_cut_off_is_asked_for_once_more() -> None:
    held = await delphi("ESTIMATE: 87\nCONFIDENCE: LOW\nREASONING: I counted again.")
    assert estimates(held) == [87.0, 88.0, 88.0, 88.0]
    assert [call.step for call in held.calls if call.model == "a/ann"][:2] == ["round_1", "round_1/repair"]


async def test_a_number_that_is_cut_off_twice_is_none() -> None:
    held = await delphi(CUT)
    assert estimates(held) == [88.0, 88.0, 88.0]
    assert held.record.status == "degraded"


async def test_a_run_from_before_reads_a_cut_off_reply_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.kernel.run.RULES", 3)
    held = await delphi(SURE)
    assert estimates(held) == [8.0, 88.0, 88.0, 88.0]
    assert "round_1/repair" not in [call.step for call in held.calls]


async def test_a_juror_cut_off_before_its_verdict_is_asked_for_it_and_no_score_stands_in() -> None:
    def ann(received: Received) -> Reply:
        return Reply(text=f"{SCORES}VERDICT: REJ", finish_reason="length")

    models: dict[str, Any] = {
        "a/ann": ann,
        "b/bob": f"{SCORES}VERDICT: REVISE",
        "c/cyd": f"{SCORES}VERDICT: REVISE",
    }
    async with Chamber({**models, "d/dee": "SUMMARY: It is thin.\nVERDICT: REVISE"}) as chamber:
        held = await chamber.deliberate(
            "jury", "Sydney is the capital.", jurorModels=list(models), foremanModel="d/dee"
        )
    verdicts = {
        frame["data"]["seat"]: frame["data"]["verdict"]
        for frame in held.frames
        if frame["type"] == "juror_complete"
    }
    assert verdicts == {1: None, 2: "REVISE", 3: "REVISE"}
    again = [request.prompt for request in held.requests_of("a/ann")][1]
    assert "could not: it was cut off before its verdict." in again
    warnings = held.data("verdict_complete")["warnings"]
    assert "a/ann was cut off before its verdict: it casts no vote." in warnings


async def test_a_vote_is_not_the_last_answer_that_was_spoken_of_when_the_limit_came() -> None:
    rambling = "Response A is short.\n\nResponse B is long.\n\nResponse A has a source.\nIt goes on to sa"

    def ballot(received: Received) -> str | Reply:
        return Reply(text=rambling, finish_reason="length") if "VOTE:" in received.prompt else "Tabs."

    panel = ["a/ann", "b/bob", "c/cyd"]
    async with Chamber(dict.fromkeys(panel, ballot)) as chamber:
        held = await chamber.deliberate("vote", "Tabs?", councilModels=panel, chairmanModel="a/ann")
    assert failed(held) == "All votes failed to parse."


async def test_a_revision_cut_off_before_its_decision_leaves_the_first_answer() -> None:
    def ann(received: Received) -> str | Reply:
        if "DECISION" in received.prompt:
            return Reply(text="I have read what the others wrote.\nDECISION: REVI", finish_reason="length")
        return Reply(vote_for="Tabs") if "VOTE:" in received.prompt else "Tabs, of course."

    panel = ["a/ann", "b/bob", "c/cyd"]
    async with Chamber(dict.fromkeys(panel, ann)) as chamber:
        held = await chamber.deliberate("debate", "Tabs?", models=panel)
    revisions = held.data("revision_complete")["revisions"]
    assert [one["revisedResponse"] for one in revisions] == ["Tabs, of course."] * 3
    assert [one["parseSuccess"] for one in revisions] == [False] * 3


@pytest.mark.parametrize("cut", ["## Answer\n", "## Scaffold\ngeneral - nothing el"])
async def test_headings_without_an_answer_are_no_synthesis(cut: str) -> None:
    def model(received: Received) -> str | Reply:
        if "Synthesizer" in str(received.body["messages"]):
            return Reply(text=cut, finish_reason="length")
        if "Skeptic in a" in str(received.body["messages"]):
            return "## Sound\n- All.\n\n## Score\nScore: 9/10\n\nReady for Synthesis ✅"
        return "## Answer\nUse tabs.\n\n## Confidence\n9/10"

    async with Chamber({"a/ann": model, "b/bob": model}) as chamber:
        roles = {"proposerModel": "a/ann", "skepticModel": "b/bob", "synthesizerModel": "a/ann"}
        held = await chamber.deliberate("dialectic", "Tabs?", **roles, autoScore="off")
    assert (held.answer, held.record.status) == ("Use tabs.", "degraded")
    assert held.data("synthesis_complete")["fallback"]
