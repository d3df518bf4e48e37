"""A worker: deliberates on what servers were asked, until it is told to stop.

    run(Settings.load(), announce=print)

Told to stop, it takes no further run, lets the calls under way come to their end, and leaves its runs to
the next worker: no call is made twice. A second signal ends it at once; others take its runs up all the same.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from moot.batches.driver import driving
from moot.http.serve import in_fleet, require_postgres, run_long
from moot.settings import Settings
from moot.transport import Transport
from moot.wiring import open_engine


def run(settings: Settings, announce: Callable[[str], None]) -> None:
    """Work until the process is told to stop. `announce` is given a sentence once it does."""
    run_long(work(settings, announce))


async def work(
    settings: Settings, announce: Callable[[str], None], *, transport: Transport | None = None
) -> None:
    """See `run`. `transport` replaces the way to the models, as in `open_engine`."""
    require_postgres(settings, "A worker")
    if settings.private_endpoints == "auto":  # whose endpoints it will meet, its own settings cannot say
        settings = settings.model_copy(update={"private_endpoints": "refuse"})
    stop = _signals()
    async with (
        open_engine(settings, transport=transport, adopts=True) as engine,
        in_fleet(engine, "worker"),
        driving(engine),
    ):
        announce(f"moot works on up to {settings.runs_at_once} runs at once")
        await stop.get()
        announce("moot stops once the calls in progress have ended")
        draining = asyncio.create_task(engine.drain(settings.drain_seconds))
        hurry = asyncio.create_task(stop.get())
        await asyncio.wait([draining, hurry], return_when=asyncio.FIRST_COMPLETED)
        for task in (draining, hurry):
            task.cancel()


def _signals() -> asyncio.Queue[int]:
    """The signals to stop, as they come."""
    came: asyncio.Queue[int] = asyncio.Queue()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, came.put_nowait, number)
    return came
