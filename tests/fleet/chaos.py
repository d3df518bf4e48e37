"""Chaos: a fleet loses workers, a door and its database while people ask; what must hold all the same.

    make chaos                              500 questions, a worker killed every two seconds
    python -m tests.fleet.chaos --runs 50

Plain processes stand in for machines; a worker in a process namespace of its own looks to the others as if it ran on
another machine: its death shows by its silence alone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg  # type: ignore[import-untyped]  # it carries no types
from bench.pages import rewrite

from moot.testing import ModelServer
from moot.testing.replies import Received, Reply, Rule, Script
from tests.harness.fleet import Door, Fleet, Machine, NotStarted
from tests.harness.postgres_server import Server, running_server

PANEL = ["a/ann", "b/bob", "c/cyd"]
ASKS: list[tuple[str, dict[str, Any]]] = [
    ("vote", {"councilModels": PANEL}),
    ("debate", {"models": PANEL}),
    ("council", {"councilModels": PANEL, "chairmanModel": PANEL[0]}),
]
PAGE = Path(__file__).parents[2] / "docs" / "fleet.md"
SECRET = "chaos-knows-no-secret-but-this"
LEASE_SECONDS = 5
NUMBERED = re.compile(r"#(\d+)")
JOURNAL_OF_CALLS = (
    "CREATE TABLE stored_calls (text text, at double precision)",
    "CREATE FUNCTION note_call() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO stored_calls "
    "VALUES (NEW.text, extract(epoch FROM clock_timestamp())); RETURN NULL; END $$",
    "CREATE TRIGGER note_call AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION note_call()",
)
"""When the database stored each call, noted in the same transaction."""


@dataclass(frozen=True)
class Plan:
    """What happens, in seconds after the first question; None: never."""

    runs: int = 500
    at_once: int = 40
    workers: int = 3
    kill_every: float | None = 2.0
    kills: int = 1000
    suspend_at: float | None = 6.0
    kill_door_at: float | None = 10.0
    restart_database_at: float | None = 15.0
    latency: float = 0.3
    standbys: int = 24


@dataclass
class Figures:
    """What came of it."""

    seconds: float = 0.0
    kills: int = 0
    suspensions: int = 0
    doors_killed: int = 0
    restarts: int = 0
    reconnects: int = 0
    requests: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    paid_again: int = 0
    takeovers: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        done = ", ".join(f"{count} {status}" for status, count in sorted(self.runs.items()))
        lines = [
            f"runs           {sum(self.runs.values())} in {self.seconds:.1f} s: {done}",
            f"ended          {self.kills} workers killed, one every {self.seconds / max(self.kills, 1):.1f} s; "
            f"{self.suspensions} suspended past its lease, {self.doors_killed} doors killed, "
            f"PostgreSQL restarted {self.restarts} times",
            f"takeovers      {self.takeovers} runs went to another worker",
            f"readers        {self.reconnects} came back to some door, all got the exact rest",
            f"calls          {self.requests} came to the upstream: {self.calls} are stored, "
            f"{self.requests - self.calls} died unstored with their worker; {self.paid_again} came again after "
            "their reply was stored",
        ]
        return "\n".join([*lines, *(f"FAULT          {fault}" for fault in self.faults[:20])])


def script(latency: float, arrivals: dict[int, float]) -> Script:
    """Every reply has the number of its request in it: so a stored call says which request paid for it. When
    each request came is noted in `arrivals`."""

    def saying(words: str) -> Any:
        def reply(received: Received) -> Reply:
            arrivals[received.number] = time.time()
            return Reply(text=words.format(number=f"#{received.number}"), latency=latency)

        return reply

    rules = [
        Rule(
            contains="FINAL RANKING",
            reply=saying("{number}\nFINAL RANKING:\n1. Response B\n2. Response A\n3. Response C"),
        ),
        Rule(
            contains="DECISION:",
            reply=saying("DECISION: REVISE\nREASONING: {number}\n\nREVISED RESPONSE:\nBetter."),
        ),
        Rule(contains="VOTE:", reply=saying("{number} is the best.\nVOTE: Response B")),
        Rule(contains="brief title", reply=saying("Title {number}")),
    ]
    return Script(rules=rules, default=saying("An answer {number}."))


@dataclass
class Seen:
    """What a reader has of a run."""

    run_id: str = ""
    numbers: list[int] = field(default_factory=list)


async def _events(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """Whole events only: half of one is not seen."""
    block = b""
    async for line in response.content:
        block += line
        if line == b"\n":
            yield block
            block = b""


class Chaos:
    def __init__(
        self,
        plan: Plan,
        fleet: Fleet,
        models: ModelServer,
        server: Server,
        url: str,
        arrivals: dict[int, float],
    ) -> None:
        self.plan = plan
        self.fleet = fleet
        self.models = models
        self.server = server
        self.url = url
        self.figures = Figures()
        self.doors: list[Door] = []
        self.workers: list[Machine] = []
        self.standbys: list[Machine] = []
        self.lot = random.Random(14)
        self.stories: dict[str, list[int]] = {}
        self.arrivals = arrivals
        self.over = asyncio.Event()

    async def run(self) -> Figures:
        await self.server.execute(*JOURNAL_OF_CALLS, url=self.url)
        self.doors = list(await asyncio.gather(self.fleet.door(), self.fleet.door()))
        self.workers = list(
            await asyncio.gather(*(self._worker(place) for place in range(self.plan.workers)))
        )
        for place in range(self.plan.standbys):
            self.standbys.append(await self._worker(place % self.plan.workers))
            self.standbys[-1].send(signal.SIGSTOP)  # to start one takes longer than from one kill to the next
        began = time.monotonic()
        blows = [
            self._killing(),
            self._suspending(),
            self._door_killing(),
            self._restarting(),
        ]
        harm = [asyncio.create_task(blow) for blow in blows]
        room = asyncio.Semaphore(self.plan.at_once)
        await asyncio.gather(*(self._reader(number, room) for number in range(self.plan.runs)))
        self.figures.seconds = time.monotonic() - began
        self.over.set()
        for blow in harm:
            await blow
        await self._check()
        return self.figures

    async def _worker(self, place: int) -> Machine:
        return await self.fleet.worker(elsewhere=place == 0)

    async def _pause(self, seconds: float | None) -> bool:
        """Whether it goes on after so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.over.wait()
        return not self.over.is_set()

    async def _killing(self) -> None:
        """At every beat a worker is killed when another stands in its place: there are always as many as planned.
        Where none stands by, one is started first, one at a time."""
        while self.figures.kills < self.plan.kills and await self._pause(self.plan.kill_every):
            place = self.lot.randrange(self.plan.workers)
            old, self.workers[place] = self.workers[place], await self._successor(place)
            await old.kill()
            self.figures.kills += 1

    async def _successor(self, place: int) -> Machine:
        if self.standbys:
            standby = self.standbys.pop()
            standby.send(signal.SIGCONT)
            return standby
        while True:
            try:
                return await self._worker(place)
            except NotStarted:  # the database is away: a supervisor tries again
                await asyncio.sleep(1)

    async def _suspending(self) -> None:
        if not await self._pause(self.plan.suspend_at):
            return
        sleeper = await self.fleet.worker()
        if not await self._pause(2):  # until it has something to lose
            return
        sleeper.send(signal.SIGSTOP)
        self.figures.suspensions += 1
        await self._pause(LEASE_SECONDS + 3)
        sleeper.send(signal.SIGCONT)

    async def _door_killing(self) -> None:
        if await self._pause(self.plan.kill_door_at):
            await self.doors[0].kill()
            self.figures.doors_killed += 1
            self.doors[0] = await self.fleet.door()

    async def _restarting(self) -> None:
        if await self._pause(self.plan.restart_database_at):
            await asyncio.to_thread(restart, self.server)
            self.figures.restarts += 1

    async def _reader(self, number: int, room: asyncio.Semaphore) -> None:
        """Ask through some door, lose the connection now and then, come back to some door for the rest."""
        mode, config = ASKS[number % len(ASKS)]
        body = {"question": f"Question {number}: tabs or spaces?", "mode": mode, "modeConfig": config}
        async with room:
            seen = Seen()
            end = time.monotonic() + 240
            while time.monotonic() < end:
                leaves_after = self.lot.randint(1, 12) if self.lot.random() < 0.5 else None
                try:
                    over = await self._read(body, f"key {number}", seen, leaves_after)
                except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError):
                    over = False
                    await asyncio.sleep(0.2)
                if over:
                    self.stories[seen.run_id] = seen.numbers
                    return
                self.figures.reconnects += 1
            self.figures.faults.append(f"question {number} (run {seen.run_id or 'unknown'}) did not end")

    async def _read(self, body: dict[str, Any], key: str, seen: Seen, leaves_after: int | None) -> bool:
        """Read on, perhaps only so many events; whether the run is over."""
        door = self.lot.choice(self.doors)
        session = self.fleet.session
        after = {"Last-Event-ID": str(seen.numbers[-1])} if seen.numbers else {}
        asked = (
            session.get(f"{door.url}/api/runs/{seen.run_id}/events", headers=after)
            if seen.run_id
            else session.post(f"{door.url}/api/council/stream", json=body, headers={"Idempotency-Key": key})
        )
        async with asked as response:
            if response.status == 204:
                return True
            if response.status != 200:
                raise aiohttp.ClientConnectionError(f"{response.status}")
            async for event in _events(response):
                if not seen.run_id:
                    seen.run_id = event.partition(b'"runId":"')[2].partition(b'"')[0].decode()
                number = event.partition(b"id: ")[2].partition(b"\n")[0]
                if number:
                    seen.numbers.append(int(number))
                if b'data: {"type":"complete"' in event or b'data: {"type":"error"' in event:
                    return True
                leaves_after = None if leaves_after is None else leaves_after - 1
                if leaves_after == 0:
                    return False
        return False

    async def _check(self) -> None:
        figures = self.figures
        connection = await asyncpg.connect(self.url)
        statuses = dict(await connection.fetch("SELECT id, status FROM runs"))
        numbers: dict[str, list[int]] = {}
        for run_id, number in await connection.fetch(
            "SELECT run_id, number FROM events ORDER BY run_id, number"
        ):
            numbers.setdefault(run_id, []).append(number)
        stored = [tuple(row) for row in await connection.fetch("SELECT text, at FROM stored_calls")]
        unanswered = await connection.fetchval("SELECT count(*) FROM calls WHERE text IS NULL")
        figures.takeovers = await connection.fetchval("SELECT coalesce(sum(epoch - 2), 0) FROM leases")
        await connection.close()
        figures.runs = Counter(statuses.values())
        if unanswered or None in (text for text, _ in stored):
            figures.faults.append(f"{unanswered} calls got no answer, though the upstream gives one to all")
            stored = [(text, at) for text, at in stored if text is not None]
        for run_id, seen in self.stories.items():
            if statuses.get(run_id) not in ("complete", "degraded"):
                figures.faults.append(f"run {run_id} was acknowledged and is {statuses.get(run_id)}")
            if seen != numbers.get(run_id):
                figures.faults.append(f"a reader of {run_id} got {seen}, told was {numbers.get(run_id)}")
        for run_id, told in numbers.items():
            if told != list(range(1, len(told) + 1)):
                figures.faults.append(f"the events of {run_id} have a gap: {told}")
        if len(self.stories) != len(statuses):
            figures.faults.append(f"{len(statuses)} runs came of {len(self.stories)} questions")
        self._check_calls(stored)

    def _check_calls(self, stored: list[tuple[str, float]]) -> None:
        """Every request of the upstream's own log against the journal: no reply is stored twice, and none is
        asked for again once it is stored."""
        figures, requests = self.figures, self.models.requests
        figures.requests, figures.calls = len(requests), len(stored)
        paid = [(int(NUMBERED.search(text)[1]), at) for text, at in stored]  # type: ignore[index]
        if len({number for number, _ in paid}) != len(paid):
            figures.faults.append("one reply was stored as two calls")
        stored_at: dict[str, float] = {}
        for number, at in paid:
            digest = requests[number - 1].digest
            if digest in stored_at:
                figures.faults.append(f"request {number} was stored though its reply was stored already")
            stored_at[digest] = at
        for request in requests:
            if self.arrivals[request.number] > stored_at.get(request.digest, float("inf")):
                figures.paid_again += 1
                figures.faults.append(f"request {request.number} was made though its reply was stored")


def restart(server: Server) -> None:
    """Restart PostgreSQL as its administrator would, in a hurry."""
    folder = Path(server.url.split("host=")[1])
    pid = int((folder / "postmaster.pid").read_text().split()[0])
    control = Path(os.readlink(f"/proc/{pid}/exe")).with_name("pg_ctl")
    words = [
        str(control),
        "-D",
        str(folder),
        "-m",
        "fast",
        "-w",
        "-l",
        str(folder / "restarted.log"),
        "restart",
    ]
    owner = folder.stat().st_uid
    subprocess.run(
        words, check=True, user=owner, cwd="/", stdout=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]}
    )


def end(server: Server) -> None:
    """After a restart nobody else knows which process to end."""
    folder = Path(server.url.split("host=")[1])
    pid = int((folder / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.05)


@asynccontextmanager
async def a_fleet(server: Server, plan: Plan) -> AsyncIterator[Chaos]:
    url = await server.new_database()
    arrivals: dict[int, float] = {}
    async with (
        ModelServer(script(plan.latency, arrivals)) as models,
        Fleet(
            url, models.environment, fleet_secret=SECRET, lease_seconds=str(LEASE_SECONDS), log_level="error"
        ) as fleet,
    ):
        yield Chaos(plan, fleet, models, server, url, arrivals)


async def chaos(server: Server, plan: Plan) -> Figures:
    if plan.standbys:  # each with connections of its own
        await server.execute("ALTER SYSTEM SET max_connections = 400")
        await asyncio.to_thread(restart, server)
    async with a_fleet(server, plan) as one:
        return await one.run()


def unleash(plan: Plan) -> Figures:
    with running_server() as server:
        try:
            return asyncio.run(chaos(server, plan))
        finally:
            end(server)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.fleet.chaos", description=__doc__)
    options.add_argument("--runs", type=int, default=500)
    options.add_argument("--at-once", type=int, default=40)
    options.add_argument("--write", action="store_true", help="put the figures into docs/fleet.md")
    given = options.parse_args()
    figures = unleash(Plan(runs=given.runs, at_once=given.at_once))
    print(figures)
    if given.write:
        rewrite(PAGE, "chaos", f"```\n{figures}\n```")
    raise SystemExit(1 if figures.faults else 0)


if __name__ == "__main__":
    main()
