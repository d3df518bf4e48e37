"""A server with quick simulated models: python -m tests.page.server_process DATABASE PORT SPEED

It prints its address.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import uvloop

from moot.http.serve import serve
from moot.settings import Settings
from moot.simulator.transport import Simulator


def announce(address: str) -> None:
    print(address, flush=True)


if __name__ == "__main__":
    database, port, speed = sys.argv[1:]
    # Without weights: to embed all templates takes longer than all that these tests look at.
    settings = Settings(
        database_url=database,
        port=int(port),
        embedder_folder=Path(database.removeprefix("sqlite:///")).parent / "no-weights",
        log_level="warning",
    )
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(settings, announce, transport=Simulator(speed=float(speed))))
