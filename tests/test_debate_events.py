from __future__ import annotations

import orjson
import pytest

from moot.debate_events import DebateEvents
from moot.live import Frame

SAID = {"step": "proposal_round_1", "seat": 1, "model": "ann", "text": "Tabs."}
FRAMES = [
    Frame(1, "dialectic_start", 0, b"{}"),
    Frame(2, "round_start", 1, orjson.dumps({"data": {"round": 1}})),
    Frame(None, "token", 2, orjson.dumps({"data": SAID})),
    Frame(3, "proposer_complete", 3, orjson.dumps({"data": {"round": 1, "content": "Tabs."}})),
]


@pytest.mark.parametrize(("after", "chunks"), [(0, 1), (1, 1), (2, 1), (3, 0)])
def test_words_that_came_before_the_last_event_seen_are_not_sent_again(after: int, chunks: int) -> None:
    envelope = DebateEvents({"proposer": "ann", "skeptic": "bob", "synthesizer": "cyd"}, after)
    assert b"".join(envelope.take(frame) for frame in FRAMES).count(b"proposer_chunk") == chunks
