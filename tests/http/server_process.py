"""A server of its own, for tests that stop it: python -m tests.http.server_process DATABASE GRACE SILENT…

It prints its address. Told to stop, it gives what goes on GRACE seconds. The models named SILENT never answer.
"""

from __future__ import annotations

import asyncio
import sys

import uvloop

from moot.http import serve as serving
from moot.settings import Settings
from moot.testing import SILENCE
from tests.http.door import script


def announce(address: str) -> None:
    print(address, flush=True)


if __name__ == "__main__":
    database, grace, *silent = sys.argv[1:]
    serving.GRACE_SECONDS = int(grace)
    settings = Settings(database_url=database, port=0, title_model="title", log_level="warning")
    transport = script(**dict.fromkeys(silent, SILENCE))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving.serve(settings, announce, transport=transport))
