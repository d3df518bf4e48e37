"""The one place that retries: what a provider may get right the next time.

    attempt 1   429, Retry-After: 2     wait 2 s, or a little more
    attempt 2   the stream breaks off   wait about 1 s
    attempt 3   …                       the answer, or the failure is final

A server that is starting (503, or one that has answered before and refuses connections now) may take minutes:
it is tried again as long as the caller's time allows, and what it said is the failure if it does not come up.
An address where nobody has ever answered, or whose name is not known, has failed after the usual attempts.

Which failures are worth it is decided where they are understood (`TransportError.retry`). The time
is the caller's: a deadline cancels a wait like everything else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from random import uniform

from moot.kernel.errors import TransportError
from moot.kernel.values import Request
from moot.transport import Chunk, Transport
from moot.transport.closing import close
from moot.transport.patience import seconds_left

FIRST_WAIT = 0.5
LONGEST_START_WAIT = 10.0
"""A server that is starting is asked this often at least whether it is up."""


class RetryingTransport:
    def __init__(
        self,
        inner: Transport,
        *,
        attempts: int,
        longest_wait: float,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._inner = inner
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._sleep = sleep

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        attempt, billed = 1, False
        while True:
            chunks = self._inner.stream(request)
            try:
                async for chunk in chunks:
                    yield chunk if attempt == 1 else chunk._replace(attempt=attempt, billed=billed)
                return
            except TransportError as error:
                wait = self._wait_after(error, attempt)
                billed = error.worked
            finally:
                await close(chunks)
            await self._sleep(wait)
            attempt += 1

    def _wait_after(self, error: TransportError, attempt: int) -> float:
        """How long to wait before the next attempt; raises the error if there is to be none."""
        if not error.retry:
            raise error
        asked = error.retry_after
        if asked is not None and asked > self._longest_wait:
            raise _final(error, f"It asks to wait {asked:.0f} s, which is too long.")
        longest = min(self._longest_wait, LONGEST_START_WAIT) if error.starting else self._longest_wait
        # A little later than asked, so that those who were refused together do not return together.
        wait = asked * uniform(1, 1.1) if asked else min(longest, FIRST_WAIT * 2.0 ** (attempt - 1))
        wait = wait if asked else wait * uniform(0.5, 1)
        left = seconds_left() if error.starting and self._attempts > 1 else None
        if left is None and attempt >= self._attempts:
            raise _final(error, f"Tried {attempt} times." if attempt > 1 else "")
        if left is not None and wait >= left:
            raise _final(error, f"Tried {attempt} times, until time ran out.")
        return wait


def _final(error: TransportError, why: str) -> TransportError:
    reason = f"{error.reason} {why}" if why else error.reason
    return TransportError(error.kind, reason, retry_after=error.retry_after, worked=error.worked)
