"""A dialectic in the envelope of its first clients, made at the edge: the engine does not know it.

    event: debate_event
    data: {"type":"debate_event","event":"proposer_chunk","round":1,"content":"Tabs",
           "metadata":{"model":"qwen3:32b","role":"proposer","tokens_so_far":1}}

Six events, always all five keys: round_start, proposer_chunk, skeptic_chunk, synthesis_start,
synthesis_chunk, complete. A call that is already finished is one chunk with its whole text, so that the
chunks of a call always add up to what it said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import orjson

from moot.kernel.followers import Frame

Role = Literal["proposer", "skeptic", "synthesizer"]
ROLES: tuple[Role, ...] = ("proposer", "skeptic", "synthesizer")
_STEP = re.compile(r"(proposal|critique)_round_(\d+)|synthesis")
_SPEAKERS: dict[str, Role] = {"proposal": "proposer", "critique": "skeptic"}
_CHUNKS: dict[Role, str] = {
    "proposer": "proposer_chunk",
    "skeptic": "skeptic_chunk",
    "synthesizer": "synthesis_chunk",
}


class DebateEvents:
    """Turns the frames of one run, from its first on, into the envelope's; `after` is the number of the
    last event that the reader has seen, which with all before it is only remembered."""

    def __init__(self, models: Mapping[Role, str], after: int = 0) -> None:
        self._models = models
        self._after = after
        self._number = 0
        self._round = 0
        self._final = ""
        self._begun: set[str] = set()
        self._said: dict[str, str] = {}
        self._waiting: dict[str, list[str]] = {}

    def take(self, frame: Frame) -> bytes:
        """The bytes to send for a frame; often none."""
        data = orjson.loads(frame.body).get("data") or {}
        told = list(self._told(frame.type, data))
        self._number = frame.number or self._number
        # Words without a number belong before the next event.
        if (frame.number or self._number + 1) <= self._after:
            return b""
        number = b"" if frame.number is None else b"id: %d\n" % frame.number
        return b"".join(number + b"event: debate_event\ndata: %b\n\n" % orjson.dumps(one) for one in told)

    def _told(self, type: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        match type:
            case "round_start":
                self._round = data["round"]
                yield self._envelope("round_start", "proposer", "")
                yield from self._begin(f"proposal_round_{self._round}")
                yield from self._begin(f"critique_round_{self._round}")
            case "proposer_complete":
                yield from self._rest(f"proposal_round_{data['round']}", data["content"])
            case "skeptic_complete":
                yield from self._rest(f"critique_round_{data['round']}", data["content"])
            case "synthesis_start":
                self._round = data["totalRounds"]
                yield self._envelope("synthesis_start", "synthesizer", "")
                yield from self._begin("synthesis")
            case "synthesis_complete":
                self._final = data["answer"]
                yield from self._rest("synthesis", data["content"])
            case "call_start":
                # What came of an attempt before this one is void.
                self._said.pop(_step(data["step"]), None)
                self._waiting.pop(_step(data["step"]), None)
            case "token":
                yield from self._token(_step(data["step"]), data["text"])
            case "complete":
                yield self._envelope("complete", "synthesizer", self._final, self._final)

    def _begin(self, step: str) -> Iterator[dict[str, Any]]:
        """Tokens may come before the event that begins their stage is stored; they wait for it."""
        self._begun.add(step)
        for text in self._waiting.pop(step, ()):
            yield from self._chunk(step, text)

    def _token(self, step: str, text: str) -> Iterator[dict[str, Any]]:
        if _STEP.fullmatch(step) is None:
            return
        if step in self._begun:
            yield from self._chunk(step, text)
        else:
            self._waiting.setdefault(step, []).append(text)

    def _rest(self, step: str, content: str) -> Iterator[dict[str, Any]]:
        said = self._said.get(step, "")
        if content.startswith(said) and len(content) > len(said):
            yield from self._chunk(step, content[len(said) :])

    def _chunk(self, step: str, text: str) -> Iterator[dict[str, Any]]:
        self._said[step] = self._said.get(step, "") + text
        found = _STEP.fullmatch(step)
        assert found is not None
        role = _SPEAKERS.get(found[1] or "", "synthesizer")
        envelope = self._envelope(_CHUNKS[role], role, text, self._said[step])
        yield {**envelope, "round": int(found[2] or self._round)}

    def _envelope(self, event: str, role: Role, content: str, said: str = "") -> dict[str, Any]:
        return {
            "type": "debate_event",
            "event": event,
            "round": self._round,
            "content": content,
            "metadata": {"model": self._models[role], "role": role, "tokens_so_far": -(-len(said) // 4)},
        }


def _step(name: str) -> str:
    return name.partition("/")[0]
