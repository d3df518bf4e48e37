"""The first clients' envelope, made of frames one by one."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from moot.http.dialectic_envelope import DebateEvents
from moot.kernel.followers import Frame

MODELS: dict[Any, str] = {"proposer": "ann", "skeptic": "bob", "synthesizer": "cyd"}


def frame(type: str, number: int | None = None, **data: Any) -> Frame:
    return Frame(number, type, 0, orjson.dumps({"type": type, "at": 0, "data": data}))


def sent_for(*frames: Frame) -> list[dict[str, Any]]:
    events = DebateEvents(MODELS)
    blocks = [block for one in frames for block in events.take(one).split(b"\n\n")[:-1]]
    return [orjson.loads(block.partition(b"data: ")[2]) for block in blocks]


def told(*frames: Frame) -> list[tuple[str, int, str, int]]:
    """Event, round, content and tokens so far of all that is sent."""
    return [
        (data["event"], data["round"], data["content"], data["metadata"]["tokens_so_far"])
        for data in sent_for(*frames)
    ]


def test_what_came_of_an_attempt_that_broke_off_is_not_counted() -> None:
    sent = told(
        frame("round_start", 2, round=1, maxRounds=5),
        frame("call_start", step="proposal_round_1", attempt=1),
        frame("token", step="proposal_round_1", text="abcdefgh"),
        frame("call_start", step="proposal_round_1", attempt=2),
        frame("token", step="proposal_round_1", text="xy"),
        frame("proposer_complete", 3, round=1, content="xyz"),
    )
    assert sent == [
        ("round_start", 1, "", 0),
        ("proposer_chunk", 1, "abcdefgh", 2),
        ("proposer_chunk", 1, "xy", 1),
        ("proposer_chunk", 1, "z", 1),
    ]


def test_tokens_that_come_before_their_stage_wait_for_it_and_others_are_dropped() -> None:
    sent = told(
        frame("token", step="title", text="A Title"),
        frame("token", step="synthesis", text="Tabs, "),
        frame("token", step="synthesis", text="then"),
        frame("synthesis_start", 9, totalRounds=3),
        frame("token", step="synthesis", text=" spaces."),
        frame("synthesis_complete", 10, content="Tabs, then spaces.", answer="Tabs."),
        frame("trace_saved", 11),
        frame("complete", 12),
    )
    assert sent == [
        ("synthesis_start", 3, "", 0),
        ("synthesis_chunk", 3, "Tabs, ", 2),
        ("synthesis_chunk", 3, "then", 3),
        ("synthesis_chunk", 3, " spaces.", 5),
        ("complete", 3, "Tabs.", 2),
    ]


def failed(number: int, message: str) -> Frame:
    return Frame(number, "error", 0, orjson.dumps({"type": "error", "at": 0, "message": message}))


def test_a_run_that_fails_ends_with_an_error_that_says_why() -> None:
    sent = sent_for(
        frame("round_start", 2, round=1, maxRounds=5),
        frame("model_failed", 3, step="proposal_round_1", seat=None, model="ann"),
        failed(4, "The proposer gave no first answer. ann is down."),
    )
    assert [one["event"] for one in sent] == ["round_start", "error"]
    assert sent[-1] == {
        "type": "debate_event",
        "event": "error",
        "round": 1,
        "content": "",
        "metadata": {
            "model": "ann",
            "role": "proposer",
            "tokens_so_far": 0,
            "error": "The proposer gave no first answer. ann is down.",
        },
    }


def test_an_error_names_the_role_whose_turn_it_was() -> None:
    rounds = [
        frame("round_start", 2, round=1, maxRounds=5),
        frame("proposer_complete", 3, round=1, model="ann", content="Tabs."),
    ]
    synthesis = frame("synthesis_start", 4, totalRounds=1)
    roles = [
        sent_for(*frames, failed(9, "Cancelled."))[-1]["metadata"]["role"]
        for frames in ([], rounds[:1], rounds, [*rounds, synthesis])
    ]
    assert roles == ["proposer", "proposer", "skeptic", "synthesizer"]


@pytest.mark.parametrize("written", ["", "I would s"], ids=["silent", "broke off"])
def test_what_stands_in_for_the_synthesis_bears_the_name_of_the_model_that_wrote_it(written: str) -> None:
    state = {"degraded": True, "warnings": ["cyd: it is down.", "The proposer's last answer stands."]}
    sent = sent_for(
        frame("synthesis_start", 6, totalRounds=1),
        frame("call_start", step="synthesis", model="cyd", attempt=1),
        *([frame("token", step="synthesis", model="cyd", text=written)] if written else []),
        frame("synthesis_complete", 8, model="cyd", content="Tabs.", answer="Tabs.", fallback=True, **state),
        frame("complete", 9),
    )
    *_, chunk, complete = sent
    assert (chunk["event"], chunk["content"]) == ("synthesis_chunk", "Tabs.")
    assert chunk["metadata"] == {"model": "ann", "role": "synthesizer", "tokens_so_far": 2}
    assert complete["content"] == "Tabs."
    assert complete["metadata"] == {"model": "ann", "role": "synthesizer", "tokens_so_far": 2, **state}


def test_a_whole_result_says_nothing_of_degradation() -> None:
    advice = {"degraded": False, "warnings": ["No reasoning template was looked up."]}
    sent = sent_for(
        frame(
            "synthesis_complete", 8, model="cyd", content="Tabs.", answer="Tabs.", fallback=False, **advice
        ),
        frame("complete", 9),
    )
    assert sent[-1]["metadata"] == {"model": "cyd", "role": "synthesizer", "tokens_so_far": 2}


def test_what_the_judge_adds_to_the_warnings_stands_in_the_last_event() -> None:
    first, both = ["bob failed."], ["bob failed.", "The answer was not graded."]
    sent = sent_for(
        frame("synthesis_complete", 8, content="Tabs.", answer="Tabs.", degraded=True, warnings=first),
        frame("score_complete", 10, degraded=True, warnings=both),
        frame("complete", 11),
    )
    assert sent[-1]["metadata"]["warnings"] == both


def test_a_chunk_names_the_model_that_its_call_was_made_to() -> None:
    sent = sent_for(
        frame("round_start", 2, round=1, maxRounds=5),
        frame("token", step="proposal_round_1", model="dan", text="Ta"),
        frame("proposer_complete", 3, round=1, model="dan", content="Tabs."),
    )
    assert [one["metadata"]["model"] for one in sent[1:]] == ["dan", "dan"]
