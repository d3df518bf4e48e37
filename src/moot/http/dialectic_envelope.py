"""A dialectic in the envelope of its first clients, made at the edge: the engine does not know it.

    event: debate_event
    data: {"type":"debate_event","event":"proposer_chunk","round":1,"content":"Tabs",
           "metadata":{"model":"qwen3:32b","role":"proposer","tokens_so_far":1}}

Six events, always all five keys: round_start, proposer_chunk, skeptic_chunk, synthesis_start,
synthesis_chunk, complete; a run without an answer ends with a seventh, error. A call that is already
finished is one chunk with its whole text, so that the chunks of a call always add up to what it said.

What went wrong stands in the metadata: `error` a sentence, in `complete` `degraded` and `warnings`.
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
        self._models = dict(models)
        self._after = after
        self._number = 0
        self._round = 0
        self._turn: Role = "proposer"
        self._final = ""
        self._shortcomings: dict[str, Any] = {}
        self._begun: set[str] = set()
        self._said: dict[str, str] = {}
        self._waiting: dict[str, list[Mapping[str, Any]]] = {}

    def take(self, frame: Frame) -> bytes:
        """The bytes to send for a frame; often none."""
        body = orjson.loads(frame.body)
        entries = list(self._entries(frame.type, body.get("data") or body))
        self._number = frame.number or self._number
        # Words without a number belong before the next event.
        if (frame.number or self._number + 1) <= self._after:
            return b""
        number = b"" if frame.number is None else b"id: %d\n" % frame.number
        return b"".join(number + b"event: debate_event\ndata: %b\n\n" % orjson.dumps(one) for one in entries)

    def _entries(self, type: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        match type:
            case "round_start":
                self._round, self._turn = data["round"], "proposer"
                yield self._envelope("round_start", "proposer", "")
                yield from self._begin(f"proposal_round_{self._round}")
                yield from self._begin(f"critique_round_{self._round}")
            case "proposer_complete":
                self._turn = "skeptic"
                yield from self._rest(f"proposal_round_{data['round']}", data)
            case "skeptic_complete":
                yield from self._rest(f"critique_round_{data['round']}", data)
            case "synthesis_start":
                self._round, self._turn = data["totalRounds"], "synthesizer"
                yield self._envelope("synthesis_start", "synthesizer", "")
                yield from self._begin("synthesis")
            case "synthesis_complete":
                yield from self._synthesis(data)
            case "score_complete":
                self._shortcomings = _shortcomings(data)
            case "complete":
                yield self._envelope("complete", "synthesizer", self._final, self._final, self._shortcomings)
            case "error":
                yield self._envelope("error", self._turn, "", more={"error": data["message"]})
            case "call_start" | "token":
                yield from self._live(type, _step(data["step"]), data)

    def _synthesis(self, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        self._final = data["answer"]
        self._shortcomings = _shortcomings(data)
        if data.get("fallback"):
            # The proposer's answer stands in its place, whatever the synthesizer had begun to say.
            self._models["synthesizer"] = self._models["proposer"]
            self._said.pop("synthesis", None)
            data = {**data, "model": self._models["proposer"]}
        yield from self._rest("synthesis", data)

    def _live(self, type: str, step: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if _STEP.fullmatch(step) is None:
            return
        if type == "call_start":
            # What came of an attempt before this one is void.
            self._said.pop(step, None)
            self._waiting.pop(step, None)
        elif step in self._begun:
            yield self._chunk(step, data["text"], data)
        else:
            self._waiting.setdefault(step, []).append(data)

    def _begin(self, step: str) -> Iterator[dict[str, Any]]:
        """Tokens may come before the event that begins their stage is stored; they wait for it."""
        self._begun.add(step)
        for token in self._waiting.pop(step, ()):
            yield self._chunk(step, token["text"], token)

    def _rest(self, step: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        content, said = data["content"], self._said.get(step, "")
        if content.startswith(said) and len(content) > len(said):
            yield self._chunk(step, content[len(said) :], data)

    def _chunk(self, step: str, text: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """`data` is that of the frame: it names the model that wrote the text."""
        self._said[step] = self._said.get(step, "") + text
        found = _STEP.fullmatch(step)
        assert found is not None
        role = _SPEAKERS.get(found[1] or "", "synthesizer")
        self._models[role] = data.get("model") or self._models[role]
        envelope = self._envelope(_CHUNKS[role], role, text, self._said[step])
        return {**envelope, "round": int(found[2] or self._round)}

    def _envelope(
        self, event: str, role: Role, content: str, said: str = "", more: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        tokens = -(-len(said) // 4)
        return {
            "type": "debate_event",
            "event": event,
            "round": self._round,
            "content": content,
            "metadata": {"model": self._models[role], "role": role, "tokens_so_far": tokens, **(more or {})},
        }


def _shortcomings(data: Mapping[str, Any]) -> dict[str, Any]:
    """What `complete` says of a degraded run; nothing of a whole one."""
    return {"degraded": True, "warnings": data["warnings"]} if data.get("degraded") else {}


def _step(name: str) -> str:
    return name.partition("/")[0]
