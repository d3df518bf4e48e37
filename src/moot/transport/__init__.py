"""Transport: the way to a model. One method; everything else is a transport that wraps a transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol

from moot.kernel.values import Request, Usage


class Chunk(NamedTuple):
    """A piece of a reply as it arrives.

    `text` belongs to the answer, `reasoning` never does. `attempt` grows when the call is tried
    again: what came before belongs to the attempt that broke off and is void, yet may be `billed`.
    The first chunk of a stream is empty but for `provider`, the name of whoever was asked.
    `usage`, `cost` and `finish_reason` come once, with one of the last chunks; `cost` is the
    provider's own figure in dollars, else that of the price list, else None.
    """

    text: str = ""
    reasoning: str = ""
    attempt: int = 1
    usage: Usage | None = None
    cost: float | None = None
    finish_reason: str | None = None
    provider: str = ""
    billed: bool = False


class Transport(Protocol):
    def stream(self, request: Request) -> AsyncIterator[Chunk]:
        """Send the request and yield the reply as it comes.

        The first chunk is empty and says that the call is sent: from then on its time counts. Raises
        TransportError when the provider fails, before or after some chunks. The caller bounds the
        time; cancelling closes the connection at once.
        """
        ...
