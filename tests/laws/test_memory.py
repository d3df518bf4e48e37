"""After a run nothing of it stays in memory, and no garbage collector is needed for that.

`make soak` shows the same over two thousand runs of a real server.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.requests import Request

from moot.kernel.errors import TransportError
from moot.kernel.followers import Follower, Followers
from moot.kernel.model_call import ModelCall
from moot.kernel.request import AskRequest
from moot.kernel.run import Run
from moot.kernel.run_task import RunTask
from moot.modes import MODES
from moot.testing import SILENCE, Scripted
from tests.harness.chamber import Chamber
from tests.harness.waiting import until
from tests.http.door import Door, script
from tests.laws.test_every_mode import CONFIG, QUESTION, simulated

PANEL = ["ann", "bob", "cyd"]
VOTE: dict[str, Any] = {"mode": "vote", "modeConfig": {"councilModels": PANEL}, "streamTokens": True}
LONG = " ".join(f"{'tabs' * 100}{number}" for number in range(500))
"""200 kilobytes in few pieces: it is their size that counts here."""


Alive = Callable[[], list[Any]]
KINDS = (Run, RunTask, Followers, Follower, ModelCall)


@pytest.fixture
def alive() -> Iterator[Alive]:
    """What is left of this test's runs; there is no garbage collector meanwhile."""
    gc.collect()
    gc.disable()
    before = {id(one) for one in gc.get_objects() if isinstance(one, KINDS)}
    yield lambda: [one for one in gc.get_objects() if isinstance(one, KINDS) and id(one) not in before]
    gc.enable()


def long_winded(**more: Any) -> Scripted:
    def reply(request: Any) -> str:
        return "VOTE: Response A" if "VOTE:" in request.messages[-1].content else LONG

    return script(**{**dict.fromkeys(PANEL, reply), **more})


async def test_of_runs_with_large_answers_nothing_stays_in_memory(store_url: str, alive: Alive) -> None:
    transport = long_winded()
    async with Door(transport, database=store_url) as door:

        async def left() -> int:
            """Bytes that two runs leave; a query's own cycles are no part of that."""
            gc.collect()
            tracemalloc.start()
            try:
                for _ in range(2):
                    await door.ask(**VOTE)
                    transport.requests.clear()
                await until(lambda: not door.engine.running)
                await until(lambda: alive() == [])
                gc.collect()
                return tracemalloc.get_traced_memory()[0]
            finally:
                tracemalloc.stop()

        async def is_less_than_one_answer() -> bool:
            found.append(await left())
            return found[-1] < len(LONG)

        # What is made once counts once, as does a table of the whole process that happens to outgrow its place,
        # and what a thread holds that is not given its turn; what was said, or stands in a cache for a while,
        # would be found every time.
        found: list[int] = []
        await until(is_less_than_one_answer)


@pytest.mark.parametrize(
    "more",
    [
        {"bob": TransportError("other", "No."), "cyd": TransportError("other", "No.")},
        {"bob": TransportError("other", "No.")},
        {"ann": "   "},
    ],
    ids=["failed", "degraded", "empty"],
)
async def test_of_runs_that_fail_nothing_stays_in_memory(more: dict[str, Any], alive: Alive) -> None:
    async with Door(long_winded(**more)) as door:
        for _ in range(3):
            await door.ask(**VOTE)
        await until(lambda: not door.engine.running)
        await until(lambda: alive() == [])


async def test_of_runs_that_are_cancelled_or_left_nothing_stays_in_memory(alive: Alive) -> None:
    async with Door(long_winded(cyd=SILENCE)) as door:
        for _ in range(3):
            async with door.opened(**VOTE) as reader:
                run_id = (await reader.until("call_complete"))[0]["runId"]
            status, _ = await door.call("POST", f"/api/runs/{run_id}/cancel")
            assert status == 200
        await until(lambda: not door.engine.running and not len(door.streams))
        await until(lambda: alive() == [])


async def test_an_open_stream_keeps_nothing_of_its_route() -> None:
    def requests() -> list[Any]:
        return [one for one in gc.get_objects() if isinstance(one, Request)]

    async with Door(script(cyd=SILENCE)) as door:
        gc.collect()
        before = len(requests())
        async with door.opened(**VOTE) as reader:
            run_id = (await reader.until("call_complete"))[0]["runId"]
            async with door.opened(f"/api/runs/{run_id}/events") as other:
                await other.until("vote_start")
                assert len(door.streams) == 2
                gc.collect()
                assert len(requests()) == before


@pytest.mark.parametrize("mode", MODES)
async def test_no_mode_leaves_anything_in_memory(mode: str, alive: Alive) -> None:
    async with Chamber() as chamber:
        chamber.server.script.models, chamber.server.script.default = {}, simulated
        body = {"question": QUESTION, "mode": mode, "modeConfig": CONFIG.get(mode, {})}
        record = await chamber.engine.start(AskRequest.of(body))
        assert (await chamber.engine.finished(record.id)).status == "complete"
        await until(lambda: not chamber.engine.running)
        await until(lambda: alive() == [])
