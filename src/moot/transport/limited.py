"""The one place that limits: so many calls at once per provider, shared fairly among its models.

The first chunk of every stream is empty and says that the call holds its slot: from here on it is
sent, and the caller's clock may start. See `slots.py` for who comes next, `silence.py` for the model that
does not answer any more. Where a provider says how long it wants to be left alone, nobody asks it meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from moot.kernel.clock import monotonic
from moot.kernel.errors import TransportError
from moot.kernel.values import Request
from moot.transport import Chunk, Transport
from moot.transport.closing import close
from moot.transport.patience import is_time_up
from moot.transport.silence import Silence
from moot.transport.slots import Slots

LONGEST_PAUSE = 60.0
"""A provider that asks for more has failed: those who ask it are told so, rather than kept waiting."""


class LimitedTransport:
    def __init__(
        self,
        inner: Transport,
        at_once: int,
        provider: str = "",
        *,
        own_slots: Callable[[str], Slots | None] = lambda _: None,
    ) -> None:
        """`own_slots`: those of a model that has a limit of its own."""
        self._own_slots = own_slots
        self._inner = inner
        self._provider = provider
        self._silence = Silence()
        self.slots = Slots(at_once, self._silence.is_suspect)

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        model = request.model
        self._check(model)
        await self._take(model)
        probe = False
        chunks: AsyncIterator[Chunk] | None = None
        try:
            self._check(model)  # much may have happened in the queue
            probe = self._silence.probe(model)
            yield Chunk(provider=self._provider)
            began = latest = monotonic()
            chunks = self._inner.stream(request)
            async for chunk in chunks:
                if chunk.text or chunk.reasoning:
                    latest = monotonic()
                    if self._silence.heard(model):
                        self.slots.serve()  # it may have more slots again
                yield chunk
        except asyncio.CancelledError:
            if chunks is not None and is_time_up() and monotonic() - latest >= latest - began:
                self._note_silence(model, probe)
            raise
        except TransportError as error:
            if chunks is not None:
                self._note_failure(error, model, probe)
            raise
        finally:
            if chunks is not None:
                await close(chunks)
            if probe:
                self._silence.probed(model)
            self._give_back(model)

    def _note_failure(self, error: TransportError, model: str, probe: bool) -> None:
        if error.kind == "timeout":
            self._note_silence(model, probe)
        if error.kind == "rate_limited" and 0 < (error.retry_after or 0) <= LONGEST_PAUSE:
            self.slots.slow_down(model, error.retry_after or 0)

    def _note_silence(self, model: str, probe: bool) -> None:
        self._silence.kept_silent(model, probe)
        if self._silence.refusal(model) is not None:
            self.slots.refuse(model, lambda: self._refusal(model))

    async def _take(self, model: str) -> None:
        """A place among the model's own, if those are limited, then one of the provider's: whoever waits for
        the first holds none that others could use."""
        own = self._own_slots(model)
        if own is not None:
            await own.take(model)
        taken = False
        try:
            await self.slots.take(model)
            taken = True
        finally:
            if not taken and own is not None:
                own.give_back(model)

    def _give_back(self, model: str) -> None:
        self.slots.give_back(model)
        own = self._own_slots(model)
        if own is not None:
            own.give_back(model)

    def _check(self, model: str) -> None:
        if self._silence.refusal(model) is not None:
            raise self._refusal(model)

    def _refusal(self, model: str) -> TransportError:
        who = f"{model} at {self._provider}" if self._provider else model
        return TransportError("timeout", f"{who} {self._silence.refusal(model)}")
