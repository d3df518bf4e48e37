"""Council: every row of its edge-case table, over real HTTP to a scripted model server."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from moot.kernel.errors import Rejected
from moot.testing import Reply
from tests.harness.chamber import Chamber, Held, failed

PANEL = ["a/ann", "b/bob", "c/cyd"]
EVENTS = [
    "stage1_start",
    "stage1_complete",
    "stage2_start",
    "stage2_complete",
    "stage3_start",
    "stage3_complete",
    "complete",
]
DOWN = Reply(status=500, message="the model is down")


def ranking(*answers: str) -> Reply:
    return Reply(rank=answers)


def good(**changes: Any) -> dict[str, Any]:
    lines = {
        "ann": ["tabs", ranking("both", "tabs", "spaces")],
        "bob": ["spaces", ranking("both", "spaces", "tabs")],
        "cyd": ["both", ranking("tabs", "both", "spaces")],
        "dee": ["Use both, wisely."],
        **changes,
    }
    return {f"{name[0]}/{name}": line for name, line in lines.items()}


async def council(models: dict[str, Any]) -> Held:
    async with Chamber(models) as chamber:
        return await chamber.deliberate("council", councilModels=PANEL, chairmanModel="d/dee")


async def test_models_answer_rank_blind_and_the_chairman_synthesises() -> None:
    held = await council(good())
    assert held.types == EVENTS
    assert held.data("stage3_complete") == {
        "model": "d/dee",
        "response": "Use both, wisely.",
        "responseTimeMs": held.data("stage3_complete")["responseTimeMs"],
    }
    aggregate = held.event("stage2_complete")["metadata"]["aggregateRankings"]
    assert aggregate == [
        {"seat": 3, "model": "c/cyd", "averageRank": 1.33, "rankingsCount": 3},
        {"seat": 1, "model": "a/ann", "averageRank": 2.0, "rankingsCount": 3},
        {"seat": 2, "model": "b/bob", "averageRank": 2.67, "rankingsCount": 3},
    ]
    assert held.message is not None
    assert (held.message.content, held.message.status) == ("Use both, wisely.", "complete")


async def test_the_opening_event_is_flat_and_stage1_start() -> None:
    held = await council(good())
    opening = held.frames[0]
    assert opening["type"] == "stage1_start"
    assert set(opening) == {"type", "at", "conversationId", "messageId", "mode", "runId"}
    assert opening["messageId"] == held.record.message_id


async def test_the_rows_go_to_councils_own_four_tables() -> None:
    held = await council(good())
    assert held.rows == []
    by_table: dict[str, list[Any]] = {}
    for row in held.council_rows:
        by_table.setdefault(row.table, []).append(row.values)
    assert {table: len(rows) for table, rows in by_table.items()} == {
        "stage1_responses": 3,
        "stage2_rankings": 3,
        "stage2_label_map": 3,
        "stage3_synthesis": 1,
    }
    assert by_table["stage1_responses"][0]["response"] == "tabs"
    assert {row["label"]: row["model"] for row in by_table["stage2_label_map"]} == held.event(
        "stage2_complete"
    )["metadata"]["labelToModel"]
    assert (
        by_table["stage2_rankings"][0]["parsed_ranking"] == held.data("stage2_complete")[0]["parsedRanking"]
    )
    assert by_table["stage3_synthesis"][0]["response"] == "Use both, wisely."


async def test_all_models_fail_ends_the_run_with_every_reason_and_saves_nothing() -> None:
    held = await council({"a/ann": DOWN, "b/bob": DOWN, "c/cyd": DOWN})
    assert held.types[-1] == "error"
    assert failed(held).count("the model is down") == 3
    assert (held.council_rows, held.message) == ([], None)


async def test_one_answer_is_not_enough() -> None:
    held = await council(good(bob=DOWN, cyd=DOWN))
    assert failed(held).startswith("At least 2 of 3 models must answer; 1 did.")


async def test_two_answers_are_ranked_by_those_who_answered() -> None:
    held = await council(
        good(ann=["tabs", ranking("tabs", "spaces")], bob=["spaces", ranking("spaces", "tabs")], cyd=DOWN)
    )
    assert [ranked["seat"] for ranked in held.data("stage2_complete")] == [1, 2]
    assert held.data("stage3_complete")["degraded"] is True
    assert held.record.status == "degraded"


async def test_an_unreadable_ranking_is_left_out_of_the_average() -> None:
    held = await council(good(cyd=["both", "They are all fine."]))
    stage2 = held.event("stage2_complete")
    assert stage2["data"][2]["parsedRanking"] == []
    assert {entry["rankingsCount"] for entry in stage2["metadata"]["aggregateRankings"]} == {2}
    assert held.record.status == "degraded"


CUT_OFF = "### Response A:\n- **Accuracy**: correct.\n\n### Response B:\n- **Accuracy**: correct.\n\n### Response C:\n- **Acc"


async def test_a_reply_without_a_ranking_is_asked_for_one() -> None:
    held = await council(good(cyd=["both", CUT_OFF, ranking("both", "tabs", "spaces")]))
    third = held.data("stage2_complete")[2]
    assert third["parsedBy"] == "marker"
    assert third["rankingText"].startswith(CUT_OFF)
    assert held.record.status == "complete"
    repair = held.requests_of("c/cyd")[2].body["messages"]
    assert repair[-2] == {"role": "assistant", "content": CUT_OFF}
    assert 'no section "FINAL RANKING:"' in repair[-1]["content"]


async def test_an_order_of_mention_stands_in_only_when_nothing_else_comes_and_is_told_as_that() -> None:
    held = await council(good(cyd=["both", CUT_OFF, CUT_OFF]))
    third = held.data("stage2_complete")[2]
    assert (third["parsedBy"], len(third["parsedRanking"])) == ("mention", 3)
    [warning] = held.data("stage3_complete")["warnings"]
    assert warning.startswith("c/cyd gave no list")


@pytest.mark.parametrize("ballot", ["No idea.", DOWN], ids=["unreadable", "failed"])
async def test_without_any_ranking_the_synthesis_goes_on(ballot: str | Reply) -> None:
    held = await council(good(ann=["tabs", ballot], bob=["spaces", ballot], cyd=["both", ballot]))
    assert held.event("stage2_complete")["metadata"]["aggregateRankings"] == []
    assert held.data("stage3_complete")["response"] == "Use both, wisely."
    [prompt] = held.prompts("d/dee")
    assert "Evaluator:" not in prompt


async def test_a_chairman_who_fails_ends_the_run_and_keeps_both_stages() -> None:
    held = await council(good(dee=[Reply(status=404, message="no such model")]))
    assert held.types[-3:] == ["stage3_start", "model_failed", "error"]
    assert "no such model" in failed(held)
    assert [row.table for row in held.council_rows].count("stage1_responses") == 3
    assert [row.table for row in held.council_rows].count("stage2_rankings") == 3
    assert held.message is not None
    assert held.message.status == "failed"


async def test_a_model_that_is_too_slow_is_left_out() -> None:
    models = good(
        ann=["tabs", ranking("tabs", "spaces")],
        bob=["spaces", ranking("tabs", "spaces")],
        cyd=Reply(hang=True),
    )
    async with Chamber(models, impatient=True) as chamber:
        held = await chamber.deliberate("council", councilModels=PANEL, chairmanModel="d/dee", timeoutMs=1500)
    assert held.data("model_failed")["kind"] == "timeout"
    assert held.record.status == "degraded"


async def test_follow_ups_carry_at_most_ten_turns_to_answers_and_synthesis() -> None:
    def reply(received: Any) -> Reply:
        return ranking("tabs") if "FINAL RANKING" in received.prompt else Reply(text="tabs")

    models: dict[str, Any] = {"a/ann": reply, "b/bob": reply, "d/dee": "Synthesis."}
    async with Chamber(models) as chamber:
        held = await chamber.deliberate(
            "council", "Question 0?", councilModels=["a/ann", "b/bob"], chairmanModel="d/dee"
        )
        for turn in range(1, 12):
            held = await chamber.deliberate(
                "council", f"Question {turn}?", conversation=held.record.conversation_id
            )
        last = chamber.server.requests[-1]
    assert last.model == "d/dee"
    assert len(last.body["messages"]) == 21
    assert last.body["messages"][1] == {"role": "assistant", "content": "Synthesis."}
    assert json.loads(held.record.config)["councilModels"] == ["a/ann", "b/bob"]


async def test_the_chairman_reads_model_names_beside_the_letters() -> None:
    held = await council(good())
    [prompt] = held.prompts("d/dee")
    for label, model in held.event("stage2_complete")["metadata"]["labelToModel"].items():
        assert f"--- {model} ({label}) ---" in prompt
    assert "--- Evaluator: a/ann ---" in prompt


async def test_a_stored_result_read_back_equals_the_streamed_one() -> None:
    held = await council(good())
    assert held.result == {
        "stage1": held.data("stage1_complete"),
        "stage2": held.data("stage2_complete"),
        "stage2Metadata": held.event("stage2_complete")["metadata"],
        "stage3": held.data("stage3_complete"),
        "title": "A Short Title",
    }


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"councilModels": ["a/ann"]}, "Council mode requires at least 2 models"),
        ({"councilModels": ["a/ann"] * 7}, "Maximum 6 models allowed"),
        ({"chairmanModel": ""}, "modeConfig.chairmanModel must be a model id such as openai/o3"),
        ({"councilModels": "a/ann"}, "modeConfig.councilModels must be a list"),
    ],
)
async def test_a_bad_config_is_refused(config: dict[str, Any], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as rejection:
            await chamber.deliberate("council", **config)
    assert str(rejection.value) == message


async def test_the_chairman_defaults_to_the_first_model_given() -> None:
    async with Chamber(good(bob=["spaces", ranking("both", "spaces"), "Synthesis."])) as chamber:
        held = await chamber.deliberate("council", councilModels=["b/bob", "c/cyd"])
    assert held.data("stage3_complete")["model"] == "b/bob"


async def test_an_evaluator_is_shown_the_whole_list_that_it_is_to_fill_in() -> None:
    async with Chamber(good()) as chamber:
        held = await chamber.deliberate("council", councilModels=["a/ann", "b/bob", "c/cyd"])
    prompt = next(received.prompt for received in held.requests if "FINAL RANKING" in received.prompt)
    assert re.search(r"\nFINAL RANKING: \[\w+\]\n1\. Response <letter>\n2\. Response <letter>\n3\. ", prompt)
