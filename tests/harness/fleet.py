"""A fleet of real processes on one PostgreSQL: doors that answer people, workers that deliberate.

async with Fleet(url, models.environment) as fleet:
    door, worker = await fleet.door(), await fleet.worker()
    story = await fleet.ask(door, {"question": …})
    await worker.kill()
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import aiohttp

from tests.harness.waiting import PATIENCE

MOOT = str(Path(sys.executable).with_name("moot"))
FOREIGN_MACHINE = ("unshare", "--fork", "--pid", "--kill-child")
"""What makes a process look as if it ran on another machine: its death cannot be seen."""


class Read(NamedTuple):
    """A stream that was read: its frames as (id, type, data), and whether it came to the run's end."""

    run_id: str
    frames: list[tuple[int | None, str, str]]

    @property
    def numbers(self) -> list[int]:
        return [number for number, _, _ in self.frames if number is not None]

    @property
    def types(self) -> list[str]:
        return [kind for _, kind, _ in self.frames]

    @property
    def is_over(self) -> bool:
        return self.types[-1:] in (["complete"], ["error"])


class Machine:
    """One process of the fleet."""

    def __init__(self, process: Process, says: str) -> None:
        self.process = process
        self.says = says

    @property
    def lives(self) -> bool:
        return self.process.returncode is None

    async def line(self) -> str:
        """What it says next."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            return (await self.process.stdout.readline()).decode().strip()

    def send(self, number: int) -> None:
        """To the process itself, not to what it is wrapped in."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(int(children[0]) if children else self.process.pid, number)

    async def kill(self) -> None:
        with suppress(ProcessLookupError, FileNotFoundError):
            self.send(signal.SIGKILL)
        await self.process.wait()

    async def stop(self) -> int:
        """Tell it to stop; its exit code."""
        self.send(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()


class Door(Machine):
    @property
    def url(self) -> str:
        return self.says.split()[-1]

    async def read(self, response: aiohttp.ClientResponse, *, until: str | None = None) -> Read:
        """Read a stream to its end, or to the first frame of that type."""
        assert response.status == 200, await response.text()
        run_id, frames, block = "", [], list[str]()
        async for line in response.content:
            if line.strip():
                block.append(line.decode().rstrip("\n"))
                continue
            fields = dict(part.split(": ", 1) for part in block if not part.startswith(":"))
            block = []
            if not fields:
                continue
            number = int(fields["id"]) if "id" in fields else None
            frames.append((number, fields["event"], fields["data"]))
            if '"runId":"' in fields["data"] and not run_id:
                run_id = fields["data"].partition('"runId":"')[2].partition('"')[0]
            if fields["event"] == until:
                break
        return Read(run_id, frames)


M = TypeVar("M", bound=Machine)


class NotStarted(Exception):
    """A process ended before it was ready."""


class Fleet:
    def __init__(self, database: str, environment: Mapping[str, str], **settings: str) -> None:
        self.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        self._environment = {
            **os.environ,
            "DATABASE_URL": database,
            "MOOT_PORT": "0",
            "MOOT_LOG_LEVEL": "warning",
            **environment,
            **{f"MOOT_{name.upper()}": value for name, value in settings.items()},
        }
        self.machines: list[Machine] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()
        for machine in self.machines:
            if machine.lives:
                with suppress(ProcessLookupError, FileNotFoundError):
                    machine.send(signal.SIGCONT)
                await machine.kill()

    async def door(self, *words: str, deliberates: bool = False, **settings: str) -> Door:
        role = "--deliberate" if deliberates else "--no-deliberate"
        return await self._start(Door, ["serve", role, *words], settings)

    async def worker(self, *words: str, elsewhere: bool = False, **settings: str) -> Machine:
        """`elsewhere`: as if on another machine, so that its death shows by its silence alone."""
        wrapper = FOREIGN_MACHINE if elsewhere else ()
        return await self._start(Machine, ["worker", *words], settings, wrapper)

    async def _start(
        self, kind: type[M], words: Sequence[str], settings: Mapping[str, str], wrapper: Sequence[str] = ()
    ) -> M:
        own = {f"MOOT_{name.upper()}": value for name, value in settings.items()}
        process = await asyncio.create_subprocess_exec(
            *(*wrapper, MOOT, *words), env={**self._environment, **own}, stdout=PIPE
        )
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode().strip()
        if not line:
            raise NotStarted(f"moot {' '.join(words)} did not start; its own message is above.")
        machine = kind(process, line)
        self.machines.append(machine)
        return machine

    async def ask(self, door: Door, body: Mapping[str, Any], *, until: str | None = None) -> Read:
        """Ask, and read to the end, or to the first frame of that type."""
        async with self.session.post(f"{door.url}/api/council/stream", json=body) as response:
            return await door.read(response, until=until)

    async def follow(
        self, door: Door, run_id: str, *, after: int = 0, tokens: bool = False, until: str | None = None
    ) -> Read:
        """What a reader gets who comes back with `Last-Event-ID`."""
        address = f"{door.url}/api/runs/{run_id}/events?streamTokens={str(tokens).lower()}"
        headers = {"Last-Event-ID": str(after)} if after else {}
        async with self.session.get(address, headers=headers) as response:
            return Read(run_id, []) if response.status == 204 else await door.read(response, until=until)

    async def run(self, door: Door, run_id: str) -> dict[str, Any]:
        async with self.session.get(f"{door.url}/api/runs/{run_id}") as response:
            found: dict[str, Any] = await response.json()
            return found
