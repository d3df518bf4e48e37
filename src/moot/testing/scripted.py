"""A transport that reads from a script, so that a test needs no model and no network.

    transport = Scripted(
        {"openai/o3": ["spaces", vote_for("tabs")]},     # ids that are no Python names go into a dict
        ann=["tabs", vote_for("tabs")],
        bob=[TransportError("rate_limited", "…"), SILENCE],
        eve=lambda request: f"You said {request.messages[-1].content!r}.",   # answers every call
    )
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

from moot.errors import TransportError
from moot.transport import Chunk
from moot.wire import Request, Usage


class Silence:
    """The model that never answers."""

    def __repr__(self) -> str:
        return "SILENCE"


SILENCE: Final = Silence()
Answering = Callable[[Request], str]
Line = str | TransportError | Silence | Answering
Lines = Line | Sequence[Line]


class Scripted:
    """Answers each model from its own lines, in order; `requests` keeps every request it was given.

    A text is streamed in pieces, a TransportError is raised, SILENCE never ends, a function is given
    the request and returns the text. A list is used up line by line; a line that is not in a list
    answers every call.
    """

    def __init__(self, lines: Mapping[str, Lines] | None = None, /, **more: Lines) -> None:
        self._lines = {
            model: list(script) if _is_list(script) else script
            for model, script in {**(lines or {}), **more}.items()
        }
        self.requests: list[Request] = []

    def asked(self, model: str) -> list[str]:
        """The last message of every request this model was given."""
        return [request.messages[-1].content for request in self.requests if request.model == model]

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        line = self._next_line(request.model)
        yield Chunk()  # the call is sent, says the first chunk
        if isinstance(line, Silence):
            await asyncio.Event().wait()
            return
        if isinstance(line, TransportError):
            raise line
        text = line if isinstance(line, str) else line(request)
        for piece in pieces(text):
            await asyncio.sleep(0)
            yield Chunk(text=piece)
        prompt = sum(len(message.content.split()) for message in request.messages)
        usage = Usage(prompt_tokens=prompt, completion_tokens=len(text.split()))
        yield Chunk(usage=usage, finish_reason="stop")

    def _next_line(self, model: str) -> Line:
        script = self._lines.get(model)
        if isinstance(script, list):
            script = script.pop(0) if script else None
        if script is None:
            known = ", ".join(repr(name) for name in self._lines)
            raise AssertionError(f"The script has no line left for {model!r}; it is for {known}.")
        assert not _is_list(script)
        return script


def _is_list(script: Lines) -> bool:
    ...


def pieces(text: str) -> list[str]:
    """A text as a model streams it: word by word, each with the blanks that follow."""
    return re.findall(r"\s*\S+\s*|\s+", text)
