"""How an answer is delivered: as a stream or whole, for as long as its reader stays.

Whoever leaves cancels the run, as chat programs mean by their stop button, unless it runs in the background.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import orjson
from anyio import CancelScope, create_task_group
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from moot.http.problems import openai_error
from moot.http.stream import BodyStream, Streams
from moot.kernel.engine import Engine
from moot.kernel.errors import MootError, StoreUnavailable

NO_RETRY = {"x-should-retry": "false"}
"""The official clients try again by themselves unless told not to: a second run would be paid for."""


class Watch:
    """A run and its reader."""

    def __init__(self, engine: Engine, run_id: str, user: str, *, background: bool) -> None:
        self._engine = engine
        self._run_id = run_id
        self._user = user
        self._background = background

    async def reader_left(self) -> None:
        if self._background:
            return
        with CancelScope(shield=True), suppress(MootError, StoreUnavailable):  # it may have ended meanwhile
            await self._engine.cancel(self._run_id, user=self._user)


class RunStream(BodyStream):
    """Bodies as they come. `last_words` are sent if this process stops in the middle."""

    def __init__(
        self, bodies: AsyncGenerator[bytes, None], streams: Streams, watch: Watch, last_words: bytes
    ) -> None:
        super().__init__(bodies, streams)
        self._watch = watch
        self.last_words = last_words

    async def reader_left(self) -> None:
        await self._watch.reader_left()


class WholeAnswer(Response):
    """One document, made while the reader waits."""

    def __init__(self, make: Callable[[], Awaitable[Response]], streams: Streams, watch: Watch) -> None:
        super().__init__()
        self._make = make
        self._streams = streams
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: Response | None = None
        left = False

        async def listen(waiting: CancelScope) -> None:
            nonlocal left
            while (await receive())["type"] != "http.disconnect":
                pass
            left = True
            waiting.cancel()

        with self._streams.place():
            async with create_task_group() as group:
                group.start_soon(listen, group.cancel_scope)
                answer = await self._make()
                group.cancel_scope.cancel()
        if left and answer is None:
            await self._watch.reader_left()
            return
        await (answer or stopped())(scope, receive, send)


STOPPED = "The server stopped before the answer was ready; the run continues when it is back."


def stopped() -> Response:
    return document(503, {"error": openai_error(503, STOPPED, code="server_stopped")}, NO_RETRY)


def document(status: int, value: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")
