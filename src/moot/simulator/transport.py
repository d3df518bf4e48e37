"""Simulator: offline models behind the Transport port, for demos, tests and experiments.

    sim/ada                        a member of the cast: ada, bo, cleo, dov, eli, fay (see cast.py)
    sim/anything                   a character drawn from the name
    sim/bo:accuracy=0.4:fail=0.1   with traits of one's own (see traits.py)

They read which prompt they were given and answer in its form (skills/), argue, agree, are swayed and
err as their traits say, and what they write says that it is simulated. The same request always gets the
same reply, failures included: a run that is resumed or repeated sees the same story. They write English.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from math import ceil
from typing import TYPE_CHECKING

from moot.kernel.errors import TransportError
from moot.kernel.values import FailureKind, Request, Usage
from moot.transport import Chunk

if TYPE_CHECKING:
    from moot.simulator.replies import Reply

_WORD = re.compile(r"\s*\S+\s*")
_SECONDS_PER_CHUNK = 0.05
_WORDS_AT_ONCE = 40
_TOKENS_PER_WORD = 4 / 3
_CAUSES: dict[FailureKind, str] = {
    "rate_limited": "too many requests",
    "network": "the connection broke off",
    "empty": "the reply was empty",
    "refused": "the model refused to answer",
    "auth": "the key was not accepted",
    "credit": "the account is empty",
    "not_found": "there is no such model",
}


class Simulator:
    """A transport to simulated models.

    `speed` 1 keeps to their latency and tokens per second, 10 is ten times as fast, 0 does not wait.
    A call costs nothing, so its cost is 0 dollars; tokens are estimated from words.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._seconds_scale = 1 / speed if speed > 0 else 0.0

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        said = _said(request)
        yield Chunk(provider="the simulator")  # the call is sent, says the first chunk
        await asyncio.sleep(said.delay * self._seconds_scale)
        if said.failure is not None and said.failure != "network":
            raise _failure(request.model, said.failure)
        text, finish_reason = _cut(said.text, request.max_tokens)
        words_a_second = said.tokens_per_second / _TOKENS_PER_WORD
        is_paced = bool(words_a_second and self._seconds_scale)
        # Several words at a time, so that thousands of calls at once cost little.
        count = max(round(words_a_second * _SECONDS_PER_CHUNK), 1) if is_paced else _WORDS_AT_ONCE
        for chunk in _chunks(said, text, count):
            yield chunk
            if is_paced:
                await asyncio.sleep(count / words_a_second * self._seconds_scale)
        if said.failure is not None:
            raise _failure(request.model, said.failure)
        yield Chunk(usage=_usage(request, text, said.thinking), cost=0.0, finish_reason=finish_reason)


def _said(request: Request) -> Reply:
    from moot.simulator.replies import reply  # it brings the skills of all modes: only once one is asked

    try:
        return reply(request)
    except ValueError as error:
        raise TransportError("not_found", f"{request.model} (simulator): {error}") from None


def _chunks(said: Reply, text: str, count: int) -> Iterator[Chunk]:
    for piece in _pieces(said.thinking, count):
        yield Chunk(reasoning=piece)
    for piece in _pieces(text[: len(text) // 2] if said.failure else text, count):
        yield Chunk(text=piece)


def _failure(model: str, kind: FailureKind) -> TransportError:
    # No retry: the same request would draw the same lot.
    return TransportError(
        kind, f"{model} (simulator): {_CAUSES.get(kind, 'something went wrong')} (simulated)."
    )


def _pieces(text: str, count: int) -> Iterator[str]:
    words = _WORD.findall(text)
    for start in range(0, len(words), count):
        yield "".join(words[start : start + count])


def _cut(text: str, max_tokens: int | None) -> tuple[str, str]:
    words = _WORD.findall(text)
    if max_tokens is None or _tokens(text) <= max_tokens:
        return text, "stop"
    return "".join(words[: int(max_tokens / _TOKENS_PER_WORD)]), "length"


def _tokens(text: str) -> int:
    return ceil(len(text.split()) * _TOKENS_PER_WORD)


def _usage(request: Request, text: str, thinking: str) -> Usage:
    return Usage(
        prompt_tokens=sum(_tokens(message.content) for message in request.messages),
        completion_tokens=_tokens(text) + _tokens(thinking),
        reasoning_tokens=_tokens(thinking),
    )
