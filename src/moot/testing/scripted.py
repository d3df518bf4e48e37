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
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final

from moot.kernel.errors import TransportError
from moot.kernel.values import Request, Usage
from moot.testing.letters import letter_of
from moot.transport import Chunk


class Silence:
    """The model that never answers."""

    def __repr__(self) -> str:
        return "SILENCE"


SILENCE: Final = Silence()
Line = str | TransportError | Silence | Callable[[Request], str]
Lines = Line | list[Line] | tuple[Line, ...]


class Scripted:
    """Answers each model from its own lines, in order; `requests` keeps every request it was given.

    A text is streamed in pieces, a TransportError is raised, SILENCE never ends, a function is given
    the request and returns the text. A list is used up line by line; a line that stands alone, not in
    a list, answers every call.
    """

    def __init__(self, lines: Mapping[str, Lines] | None = None, /, **more: Lines) -> None:
        self._every: dict[str, Line] = {}
        self._left: dict[str, list[Line]] = {}
        self.requests: list[Request] = []
        for model, script in {**(lines or {}), **more}.items():
            if isinstance(script, list | tuple):
                self._left[model] = list(script)
            else:
                self._every[model] = script

    def asked(self, model: str) -> list[str]:
        """The last message of every request this model was given."""
        return [request.messages[-1].content for request in self.requests if request.model == model]

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        line = self._line_for(request.model)
        yield Chunk()  # an empty first chunk says that the call is sent
        if isinstance(line, Silence):
            await asyncio.Event().wait()
        elif isinstance(line, TransportError):
            # A new one: by its traceback, an exception keeps all who were told of it in memory.
            raise TransportError(line.kind, line.reason, retry=line.retry, retry_after=line.retry_after)
        else:
            text = line if isinstance(line, str) else line(request)
            for piece in pieces(text):
                await asyncio.sleep(0)
                yield Chunk(text=piece)
            yield Chunk(usage=_words(request, text), finish_reason="stop")

    def _line_for(self, model: str) -> Line:
        if self._left.get(model):
            return self._left[model].pop(0)
        if model in self._every:
            return self._every[model]
        known = ", ".join(sorted({*self._left, *self._every}))
        raise AssertionError(f"The script has no line left for {model!r}; it has lines for {known}.")


def vote_for(answer: str) -> Callable[[Request], str]:
    """A ballot for whichever letter this answer was dealt."""

    def ballot(request: Request) -> str:
        return f"It answers best.\n\nVOTE: {letter_of(answer, _prompt(request))}"

    return ballot


def rank(*answers: str) -> Callable[[Request], str]:
    """A ranking of these answers, best first, under the letters they were dealt."""

    def ranking(request: Request) -> str:
        letters = (letter_of(answer, _prompt(request)) for answer in answers)
        places = "\n".join(f"{place}. {letter}" for place, letter in enumerate(letters, 1))
        return f"Each has its merits.\n\nFINAL RANKING:\n{places}"

    return ranking


def pieces(text: str) -> list[str]:
    """A text as a model streams it: word by word, each with the blanks around it."""
    return re.findall(r"\s*\S+\s*|\s+", text)


def _prompt(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def _words(request: Request, text: str) -> Usage:
    return Usage(prompt_tokens=len(_prompt(request).split()), completion_tokens=len(text.split()))
