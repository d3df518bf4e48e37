"""Asynchronous work for a reader of either kind. It goes on while its reader does something else, and is
cancelled when the reader leaves.

    for item in in_thread(work): …
    async for item in in_task(work): …
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

Work = Callable[[Callable[[Any], None]], Coroutine[Any, Any, None]]
"""It hands what it has to the function it is given."""


class _End:
    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def in_thread(work: Work) -> Generator[Any, None, None]:
    """In a loop and a thread of its own: moot keeps its hold on a run by a heartbeat, which a reader that
    stops to think must not stop."""
    items: SimpleQueue[Any] = SimpleQueue()
    loop = asyncio.new_event_loop()
    task = loop.create_task(_to_the_end(work, items.put))

    def run() -> None:
        try:
            loop.run_until_complete(task)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    thread = Thread(target=run, name="moot", daemon=True)
    thread.start()
    try:
        while not isinstance(item := items.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        with suppress(RuntimeError):  # it may have closed the loop this very moment
            loop.call_soon_threadsafe(task.cancel)
        thread.join()


async def in_task(work: Work) -> AsyncGenerator[Any, None]:
    items: asyncio.Queue[Any] = asyncio.Queue()
    task = asyncio.create_task(_to_the_end(work, items.put_nowait))
    try:
        while not isinstance(item := await items.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _to_the_end(work: Work, put: Callable[[Any], None]) -> None:
    """Whatever ends it is the last item."""
    error: BaseException | None = None
    try:
        await work(put)
    except BaseException as raised:  # it is raised again where it is read
        error = raised
    put(_End(error))
