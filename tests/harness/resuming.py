"""Stop a run after so many calls, as a killed process would, and resume it in another.

    for stop in range(calls + 1):
        await stopped_and_resumed(tmp_path, "jury", voice, stop, calls=5, jurorModels=[…])

`voice` answers any prompt of the mode, the same way each time; `listed` is what the server says of its models.
The engine is strict: an event told again with other content fails the run.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moot.kernel.request import AskRequest
from moot.store import runs
from moot.testing import Received, Reply
from tests.harness.chamber import QUESTION, TITLE_MODEL, Chamber, Held
from tests.harness.waiting import PATIENCE, until

Voice = Callable[[Received], str | Reply]


async def stopped_and_resumed(
    folder: Path,
    mode: str,
    voice: Voice,
    stop: int,
    *,
    calls: int,
    question: str = QUESTION,
    listed: Any = (),
    **config: Any,
) -> Held:
    """The run as it ended; it told the same story as one that was never stopped, and paid no call twice."""
    database = f"sqlite:///{folder / 'moot.db'}"
    answered: Counter[str] = Counter()

    def until_stop(received: Received) -> str | Reply:
        if received.model == TITLE_MODEL:
            return "A Short Title"
        if answered.total() >= stop:
            return Reply(hang=True)
        answered[received.digest] += 1
        return voice(received)

    def titled(received: Received) -> str | Reply:
        return "A Short Title" if received.model == TITLE_MODEL else voice(received)

    async with Chamber(database=database) as room:
        room.server.script.models, room.server.script.default = {}, until_stop
        room.server.script.listed = list(listed)
        record = await room.engine.start(
            AskRequest.of({"question": question, "mode": mode, "modeConfig": config})
        )
        await until_stored(room, record.id, stop)
    async with Chamber(database=database) as room:
        room.server.script.models, room.server.script.default = {}, titled
        room.server.script.listed = list(listed)
        held = await room.held(record)
        asked_again = Counter(r.digest for r in room.server.requests if r.model != TITLE_MODEL)
        whole = await room.deliberate(mode, question, **config)
    assert Counter(held.types) == Counter(whole.types)
    assert held.stages == whole.stages
    assert held.record.status == whole.record.status
    assert not answered.keys() & asked_again.keys(), "a finished call was paid twice"
    assert answered.total() + asked_again.total() == calls
    return held


async def until_stored(room: Chamber, run_id: str, calls: int) -> None:
    async def are_stored() -> bool:
        stored = await room.store.read(lambda db: runs.calls_of(db, run_id))
        return len([call for call in stored if call.model != TITLE_MODEL]) >= calls

    await until(are_stored)


async def until_told(room: Chamber, run_id: str, type: str) -> None:
    """Wait for the first event of this type."""
    async with asyncio.timeout(PATIENCE):
        async for batch in room.engine.follow(run_id):
            if any(frame.type == type for frame in batch):
                return
    raise AssertionError(f"{type} was not told")


def spend_time(folder: Path, seconds: float) -> None:
    """Let the stopped runs in this folder have worked so long already."""
    with sqlite3.connect(folder / "moot.db") as db:
        db.execute("update leases set active_ms = ?", (int(seconds * 1000),))
