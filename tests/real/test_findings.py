"""What real models were first seen to do, worst first, each from the reply in which it was seen.

The corpus holds them too; here stands what must never come of each of them again, in the run as well where more
than a parser had a part in it.
"""

from __future__ import annotations

from typing import Any

import pytest

from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held
from tests.real.corpus import Specimen, specimens
from tests.real.readings import READERS, Reading

BY_ID = {one.id: one for one in specimens()}
PANEL = ["a/ann", "b/bob", "c/cyd"]


def real(id: str) -> Specimen:
    return BY_ID[id]


def read(id: str) -> Reading:
    one = real(id)
    return READERS[one.mode, one.kind](one.arrived, one.context)


def again(id: str) -> Reply:
    """The reply as it came, however often it is asked for."""
    return Reply(text=real(id).text, finish_reason=real(id).finish)


@pytest.mark.parametrize("id", ["47", "110", "115"])
async def test_a_placeholder_is_never_delivered_as_the_answer(id: str) -> None:
    assert (read(f"confidence_weighted/synthesis/{id}") or {})["synthesis"] is None

    def model(received: Received) -> str | Reply:
        if "SYNTHESIS" in received.prompt:
            return again(f"confidence_weighted/synthesis/{id}")
        return "RESPONSE:\nIt is Au.\n\nCONFIDENCE: 0.9\nCONFIDENCE_REASONING: I know it."

    async with Chamber(dict.fromkeys(PANEL, model)) as chamber:
        held = await chamber.deliberate(
            "confidence_weighted", "What is the symbol of gold?", models=PANEL, synthesisModel="a/ann"
        )
    assert held.record.status == "degraded"
    assert (held.answer or "").strip() == "It is Au."


def test_filled_findings_count_whatever_their_title_is_and_what_says_that_nothing_is_wrong_is_none() -> None:
    found, nothing = read("peer_review/review/125"), read("peer_review/review/124")
    assert (found or {})["findings"] == ["MAJOR Readability", "CRITICAL Security"]
    assert (nothing or {})["findings"] == []


async def debate(revised: Reply) -> Held:
    def debater(received: Received) -> str | Reply:
        if "REVISED RESPONSE" in received.prompt:
            return revised
        return Reply(vote_for="My first answer.") if "VOTE:" in received.prompt else "My first answer."

    async with Chamber(dict.fromkeys(PANEL, debater)) as chamber:
        return await chamber.deliberate("debate", "Python or C?", models=PANEL)


@pytest.mark.parametrize("id", ["7", "8", "14", "15", "16", "32", "33"])
async def test_a_decision_without_a_text_is_asked_for_once_more_and_is_no_revision(id: str) -> None:
    assert read(f"debate/revision/{id}") is None
    held = await debate(again(f"debate/revision/{id}"))
    steps = [call.step for call in held.calls]
    assert (steps.count("revision"), steps.count("revision/repair")) == (3, 3)
    revisions = held.data("revision_complete")["revisions"]
    assert {(one["parseSuccess"], one["revisedResponse"]) for one in revisions} == {
        (False, "My first answer.")
    }
    assert (held.answer, held.record.status) == ("My first answer.", "degraded")


async def test_a_loop_never_wins_over_a_good_first_answer() -> None:
    held = await debate(again("debate/revision/34"))
    assert (held.answer, held.record.status) == ("My first answer.", "degraded")


async def test_labels_in_order_of_mention_are_asked_about_and_no_ranking_where_the_reply_was_cut_off() -> (
    None
):
    def member(received: Received) -> str | Reply:
        if "FINAL RANKING" in received.prompt:
            return again("council/ranking/2")
        return "Tabs, all agree."

    async with Chamber(dict.fromkeys(PANEL, member)) as chamber:
        held = await chamber.deliberate("council", "Tabs?", councilModels=PANEL, chairmanModel="a/ann")
    assert [one["parsedRanking"] for one in held.data("stage2_complete")] == [[], [], []]
    assert [call.step for call in held.calls].count("stage2/repair") == 3
    assert held.record.status == "degraded"


def test_a_verdict_in_a_sentence_is_read_and_scores_that_speak_against_the_winner_are_told() -> None:
    assert (read("tournament/match/64") or {})["verdict"] == "B"
    contradicted = read("tournament/match/121") or {}
    assert (contradicted["verdict"], contradicted["scores"]) == ("B", None)


@pytest.mark.parametrize("id", ["60", "112"])
async def test_nothing_found_is_asked_of_a_second_model_and_makes_no_score(id: str) -> None:
    def model(received: Received) -> str | Reply:
        if "FINDING 1" in received.prompt:
            return again(f"red_team/attack/{id}")
        return "KIND: WORK\n=== MATERIAL ===\nThe backup is beside the data.\n=== END MATERIAL ==="

    roles = {"generatorModel": "a/ann", "attackerModel": "b/bob", "synthesizerModel": "c/cyd"}
    async with Chamber(dict.fromkeys(PANEL, model)) as chamber:
        held = await chamber.deliberate("red_team", "Our plan: The backup is beside the data.", **roles)
    synthesis = held.data("synthesize_complete")
    assert held.data("attack_complete")["secondOpinion"]["agrees"] is True
    assert synthesis["hardeningScore"] is None


def test_a_number_in_a_sentence_and_one_in_the_layouts_brackets_are_read() -> None:
    for id in ("52", "56"):
        assert (read(f"delphi/estimate/{id}") or {})["estimate"] == 196


def test_best_response_i_can_is_no_vote_for_a_response_i() -> None:
    assert [one.id for one in BY_ID.values() if "best response I can" in one.text]
    for one in BY_ID.values():
        if "best response I can" in one.text or "give that response a chance" in one.text:
            assert READERS[one.mode, one.kind](one.arrived, one.context) is None, one.id


def test_the_samples_of_a_layout_are_no_data() -> None:
    edits = read("blueprint/assembly/106") or {}
    assert {name: edits[name] for name in ("terms", "cuts", "conflicts", "todos")} == {
        "terms": [],
        "cuts": [],
        "conflicts": [],
        "todos": [],
    }


async def test_three_seats_that_say_canberra_are_not_beaten_by_one_that_says_sydney() -> None:
    answers = {"a/ann": "Canberra", "b/bob": "Canberra.", "c/cyd": "**Canberra**", "d/dee": "Sydney"}
    own = {"a/ann": "Canberra.", "b/bob": "**Canberra**", "c/cyd": "Sydney", "d/dee": "Canberra"}

    def seat(model: str) -> Any:
        return lambda received: Reply(vote_for=own[model]) if "VOTE:" in received.prompt else answers[model]

    async with Chamber({model: seat(model) for model in answers}) as chamber:
        held = await chamber.deliberate(
            "vote", "What is the capital of Australia?", councilModels=list(answers), chairmanModel="d/dee"
        )
    won = held.data("winner_declared")
    assert "Canberra" in won["winnerResponse"]
    assert (len(won["pooled"]), won["voteCount"], won["tiebroken"]) == (3, 3, False)


@pytest.mark.parametrize("id", [one.id for one in BY_ID.values() if "<<<" in one.text and one.name.isdigit()])
def test_no_fence_that_was_echoed_reaches_a_reader(id: str) -> None:
    one = real(id)
    marks = [line for line in one.arrived.split("\n") if line.startswith("<<<") or line.endswith(">>>")]
    assert not marks or len(set("".join(marks))) == 1  # a row of signs is no fence, and fails as a loop


async def test_a_time_limit_above_the_modes_own_is_cut_in_view() -> None:
    """Finding 12: the setting was cut without a word."""
    lines = {"a/ann": "Red.", "b/bob": "Blue.", "c/cyd": "Green."}
    async with Chamber(lines, timeout_ms=600_000) as chamber:
        held = await chamber.deliberate("red_team", question="A plan.")
    assert "A call may take 180 s here, not 600 s as in the settings." in [
        frame["data"]["message"] for frame in held.frames if frame["type"] == "warning"
    ]
