"""Serving: from the start to an orderly end."""

from __future__ import annotations

import asyncio
import gc
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sse_starlette.sse import AppStatus

from moot.http.serve import CannotListen, address, listening, serve
from moot.settings import Settings
from tests.harness.waiting import PATIENCE
from tests.http.door import QUESTION, Reader, parse, script

OUT_OF_PATIENCE = "timeout graceful shutdown exceeded"
"""What uvicorn says if a connection would not end by itself."""
LIBRARIES = "import aiohttp, alembic.command, fastapi, sqlalchemy.ext.asyncio, uvicorn"
BODY = {"question": QUESTION, "mode": "vote", "modeConfig": {"councilModels": ["ann", "bob", "cyd"]}}


class Running:
    def __init__(self, process: asyncio.subprocess.Process, session: aiohttp.ClientSession) -> None:
        self.process = process
        self.session = session

    async def stop(self, number: int) -> str:
        """What the process says while it ends, which it must do well."""
        assert self.process.stderr is not None
        self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            assert await self.process.wait() == 0
            return (await self.process.stderr.read()).decode()


@asynccontextmanager
async def running(database: str, *silent: str, grace: int = 60) -> AsyncIterator[Running]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.http.server_process", database, str(grace), *silent),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            url = (await process.stdout.readline()).decode().strip()
        async with aiohttp.ClientSession(url) as session:
            yield Running(process, session)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_open_streams_do_not_hold_up_the_end_and_their_run_is_taken_up_again(
    number: int, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    async with running(database, "cyd") as server:
        streams = [server.session.post("/api/council/stream", json=BODY)]
        async with await streams[0] as response:
            seen = await Reader(response).until("stage1_start")
            run_id = seen[0]["runId"]
            others = [await server.session.get(f"/api/runs/{run_id}/events") for _ in range(20)]
            said = await server.stop(number)
            rest = parse((await response.read()).decode())
            for other in others:
                assert other.status == 200
                await other.read()
                other.close()
    assert OUT_OF_PATIENCE not in said
    assert rest == []

    async with running(database) as server:
        path = f"/api/runs/{run_id}/events"
        async with server.session.get(path, headers={"Last-Event-ID": str(len(seen))}) as response:
            later = parse((await response.read()).decode())
        async with server.session.get(f"/api/runs/{run_id}") as response:
            run: dict[str, Any] = await response.json()
        assert OUT_OF_PATIENCE not in await server.stop(number)
    assert [int(sent.id) for sent in later] == list(range(len(seen) + 1, run["events"] + 1))
    assert later[-1].event == "complete"
    assert run["status"] == "complete"
    asked = [(call["step"], call["seat"]) for call in run["calls"]]
    assert len(asked) == len(set(asked)) == 7


async def test_a_reader_that_never_reads_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async with running(f"sqlite:///{tmp_path / 'moot.db'}", "cyd", grace=1) as server:
        assert server.session._base_url is not None
        host, port = str(server.session._base_url.host), server.session._base_url.port
        _, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET /api/runs HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\n\r\n".encode())
        _, half = await asyncio.open_connection(host, port)
        half.write(
            f"POST /api/council/stream HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99\r\n\r\n{{".encode()
        )
        await asyncio.gather(writer.drain(), half.drain())
        async with server.session.get("/healthz"):  # answered after both have come in
            pass
        assert OUT_OF_PATIENCE in await server.stop(signal.SIGTERM)
        writer.close()
        half.close()


@pytest.fixture
def changed_process() -> Iterator[None]:
    """What a server changes in its process for good is put back: its collector of garbage, and the end of all
    event streams at a signal."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    AppStatus.should_exit = False


@pytest.mark.usefixtures("changed_process")
async def test_the_first_start_on_an_open_address_prints_a_link_that_makes_the_administrator(
    tmp_path: Path,
) -> None:
    settings = Settings(
        host="0.0.0.0", port=0, database_url=f"sqlite:///{tmp_path / 'moot.db'}", log_level="warning"
    )
    said: asyncio.Queue[str] = asyncio.Queue()

    async def started(links: int) -> list[str]:
        """What a server says before it is stopped."""
        lines: list[str] = []
        serving = asyncio.create_task(
            serve(settings, said.put_nowait, welcome=said.put_nowait, transport=script())
        )
        async with asyncio.timeout(PATIENCE):
            lines = [await said.get() for _ in range(1 + links)]
            if links:
                await accept(lines[1], name="ann", password="a long password")
            signal.raise_signal(signal.SIGINT)
            await serving
        return [*lines, *(said.get_nowait() for _ in range(said.qsize()))]

    url, link = await started(1)
    assert url.startswith("http://127.0.0.1:")
    assert link.startswith(f"{url}/#/link/")
    assert len(await started(0)) == 1  # there is an administrator now


async def accept(link: str, **fields: str) -> None:
    address, _, token = link.partition("/#/link/")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{address}/api/links/{token}", json=fields) as response,
    ):
        assert response.status == 201, await response.text()


def test_a_port_that_is_taken_is_named() -> None:
    with listening("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(
            CannotListen, match=rf"^Cannot listen on 127\.0\.0\.1:{port}: Address already in use"
        ):
            listening("127.0.0.1", port)


def test_the_address_is_one_that_a_browser_takes() -> None:
    with listening("127.0.0.1", 0) as listener:
        assert address(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    if socket.has_ipv6:
        with listening("::1", 0) as listener:
            assert address(listener) == f"http://[::1]:{listener.getsockname()[1]}"


async def test_a_server_is_up_in_three_times_the_processor_time_of_its_libraries_alone(
    tmp_path: Path,
) -> None:
    alone = await asyncio.to_thread(processor_time, LIBRARIES)
    before = children()
    async with running(f"sqlite:///{tmp_path / 'moot.db'}") as server:
        await server.stop(signal.SIGTERM)
    assert children() - before < 3 * alone


def processor_time(code: str) -> float:
    before = children()
    subprocess.run([sys.executable, "-c", code], check=True)
    return children() - before


def children() -> float:
    """Seconds of processor time of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
