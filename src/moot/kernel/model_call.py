"""One call while it is made: the reply gathered, its tokens shown, the end a `Call`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from moot.kernel.errors import TransportError
from moot.kernel.events import CallReference
from moot.kernel.fences import without_fences, without_nonces
from moot.kernel.followers import Followers, LiveCall
from moot.kernel.template_signs import said_in
from moot.kernel.unusable_text import why_unusable, without_instructions_at_end
from moot.kernel.values import Call, FailureKind, Request, Usage, short_name
from moot.transport import Transport
from moot.transport.patience import Patience


class ModelCall:
    """`worked`: its provider may have worked on it, though no reply came of it."""

    def __init__(
        self,
        live: Followers,
        now: Callable[[], int],
        step: str,
        seat: int | None,
        request: Request,
        digest: str,
        hidden: bool,
        hold: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        """`hold` is awaited before the call is sent, with 1, and before an attempt that follows one which may
        be billed, with its number. It raises TransportError if that must not be sent."""
        self._live = live
        self._now = now
        self._request = request
        self._key = (step, seat, digest)
        self._hold = hold
        self._started = now()
        self._sent = False
        self.worked = False
        self._patience: Patience | None = None
        self._provider = ""
        self._first_token: int | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._attempts = 1
        self._usage: Usage | None = None
        self._cost: float | None = None
        self._finish_reason: str | None = None
        model = None if hidden else request.model
        self._shown = LiveCall(CallReference(step=step, seat=seat, model=model, call=short_name(digest)))

    async def listen(
        self, transport: Transport, limit: float, wait: float, salvage: int | None = None
    ) -> Call:
        """The clock of `limit` starts when the transport says, by its first chunk, that the call is sent;
        with the wait for a free place before it, a call never takes longer than `wait`. `salvage`: so many
        characters that came before the time was up are a reply, whose finish reason is `timeout`."""
        model = self._request.model
        try:
            with Patience(asyncio.get_running_loop(), wait, first=limit) as self._patience:
                await self._gather(transport, limit)
        except TimeoutError:
            if not self._sent:
                return self.failed("timeout", f"{model} was not asked: no free slot within {wait:g} s.")
            if salvage is not None and len("".join(self._text).strip()) >= salvage:
                self._finish_reason = "timeout"
                return self._arrived()
            asked = f"{model} at {self._provider}" if self._provider else model
            self.worked = True
            return self.failed("timeout", f"{asked} did not answer within {limit:g} s.")
        except TransportError as error:
            self.worked = error.worked or bool(self._text or self._reasoning)
            return self.failed(error.kind, error.reason)
        finally:
            # It knows the task that waits, which knows the error it was cancelled with, which knows us.
            self._patience = None
            self._live.call_ended(self._shown)
        self.worked = True
        if not "".join(self._text).strip():
            spent = " after spending its token limit on reasoning" if self._finish_reason == "length" else ""
            return self.failed("empty", f"{model} sent an empty reply{spent}.")
        return self._arrived()

    async def _gather(self, transport: Transport, limit: float) -> None:
        async for chunk in transport.stream(self._request):
            if not self._sent:
                self._sent = True
                self._provider = chunk.provider
                self._started = self._now()
                assert self._patience is not None
                self._patience.hurry(limit)
                self._live.call_started(self._shown, self._started)
                if self._hold is not None:
                    await self._hold(1)
            if chunk.attempt > self._attempts:
                self._attempts = self._shown.attempt = chunk.attempt
                billed = chunk.billed or self._text or self._reasoning
                self._text.clear()
                self._reasoning.clear()
                self._live.call_started(self._shown, self._now())
                if self._hold is not None and billed:
                    await self._hold(chunk.attempt)
            if chunk.text:
                now = self._now()
                if self._first_token is None:
                    self._first_token = now
                self._text.append(chunk.text)
                self._live.token(self._shown, now, chunk.text)
            if chunk.reasoning:
                self._reasoning.append(chunk.reasoning)
            self._usage = chunk.usage or self._usage
            self._cost = self._cost if chunk.cost is None else chunk.cost
            self._finish_reason = chunk.finish_reason or self._finish_reason

    def _arrived(self) -> Call:
        """The one place where replies come in: without the prompt's fences and the signs of the model's own
        template; a text that is none is a failure."""
        messages = self._request.messages
        said = said_in("".join(self._text))
        self._reasoning += [said.thoughts] if said.thoughts else []
        text = without_fences(said.answer, messages)
        wrong = why_unusable(text, messages, self._finish_reason)
        if wrong is not None:
            return self.failed("unreadable", f"{self._request.model} sent no usable text: {wrong}.")
        return self._call(text=without_instructions_at_end(without_nonces(text, messages), messages))

    def failed(self, kind: FailureKind, reason: str) -> Call:
        return self._call(kind=kind, reason=reason)

    def _call(
        self, text: str | None = None, kind: FailureKind | None = None, reason: str | None = None
    ) -> Call:
        step, seat, digest = self._key
        return Call(
            step=step,
            seat=seat,
            digest=digest,
            model=self._request.model,
            started_ms=self._started,
            ended_ms=self._now(),
            first_token_ms=self._first_token,
            attempts=self._attempts,
            text=_storable(text),
            reasoning=_storable("".join(self._reasoning) or None),
            kind=kind,
            reason=_storable(reason),
            usage=self._usage or Usage(),
            cost=self._cost,
            finish_reason=_storable(self._finish_reason),
        )


def _storable(text: str | None) -> str | None:
    """NUL is the one character that PostgreSQL cannot keep; both databases tell the same story."""
    return None if text is None else text.replace("\x00", "\ufffd")
