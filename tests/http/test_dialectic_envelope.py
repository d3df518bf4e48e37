"""The first clients' envelope, made of frames one by one."""

from __future__ import annotations

from typing import Any

import orjson

from moot.http.dialectic_envelope import DebateEvents
from moot.kernel.followers import Frame

MODELS: dict[Any, str] = {"proposer": "ann", "skeptic": "bob", "synthesizer": "cyd"}


def frame(type: str, number: int | None = None, **data: Any) -> Frame:
    return Frame(number, type, 0, orjson.dumps({"type": type, "at": 0, "data": data}))


def told(*frames: Frame) -> list[tuple[str, int, str, int]]:
    """Event, round, content and tokens so far of all that is sent."""
    events, sent = DebateEvents(MODELS), list[tuple[str, int, str, int]]()
    for one in frames:
        for block in events.take(one).split(b"\n\n")[:-1]:
            data = orjson.loads(block.partition(b"data: ")[2])
            sent.append((data["event"], data["round"], data["content"], data["metadata"]["tokens_so_far"]))
    return sent


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
