"""Kill the server with SIGKILL in the middle of a deliberation in every mode: the same stories.

All modes deliberate at once, on one database, SQLite and PostgreSQL in turn. An engine in this process, never
disturbed, tells what the stories are. A server process takes the same runs up from a copy of the database made
before their first call; it is killed once every run has come to a call of its own, drawn by lot, and a second one
at any moment; a third brings the runs to their end. The lots are drawn from `--kill-seed`, which a failure names.

Simulated models answer over HTTP: they read the prompts of every mode and answer the same one alike.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import pytest
from pydantic import SecretStr

from moot.kernel.engine import Engine
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.settings import Settings
from moot.store.journal import STAGE_TABLES
from moot.store.tables import metadata
from moot.store.urls import store_for
from moot.templates.index import TemplateIndex
from moot.testing import ModelServer, Received, Reply, Script
from moot.transport.build import transport_for
from tests.harness.postgres_server import Server
from tests.harness.simulating import NAMES, simulated_reply
from tests.harness.waiting import until
from tests.laws.test_databases import QUESTION
from tests.laws.test_kill import numbers, server, story

CONFIG: Mapping[str, dict[str, Any]] = {"dialectic": {"useTemplates": False}}
APART = ("id", "created_at", "response_time_ms", "timing")
"""Columns that are not the same each time: keys, and the times of calls."""
TIMES = {"at", "timing", "actualCriticalPath", "parallelismEfficiency", "speedup"}
"""Fields that tell of times, beside those in milliseconds."""


@dataclass(frozen=True)
class Trace:
    """All that is left of a run: its events as told, and the rows of its message."""

    events: list[dict[str, Any]]
    rows: dict[str, list[str]]

    @property
    def content(self) -> Counter[str]:
        return Counter(map(as_text, self.events))

    @property
    def order(self) -> list[str]:
        """Of the events that come once; what is told as each seat finishes may come in any order."""
        types = [event["type"] for event in self.events]
        return [type for type in types if types.count(type) == 1]


def as_text(value: Any) -> str:
    return json.dumps(without_times(value), sort_keys=True)


def without_times(value: Any) -> Any:
    if isinstance(value, Mapping):
        timeless = (key for key in value if key not in TIMES and not key.endswith(("Ms", "_ms")))
        return {key: without_times(value[key]) for key in timeless}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def mode_of(model: str) -> str:
    return model.partition("/")[0]


class Voices:
    """Answer for simulated models, so many calls a mode; what comes after hangs until its caller dies."""

    def __init__(self) -> None:
        self.allowed: Mapping[str, float] = {}
        self.answered: Counter[str] = Counter()

    def __call__(self, received: Received) -> Reply:
        mode = mode_of(received.model)
        if self.answered[mode] >= self.allowed.get(mode, float("inf")):
            return Reply(hang=True)
        self.answered[mode] += 1
        return Reply(simulated_reply(received))


class Databases(Protocol):
    """Databases of one kind, each known by its address."""

    async def new(self) -> str: ...

    async def copy(self, url: str) -> str:
        """Of one that nobody is connected to."""

    async def select(self, url: str, query: str, *values: Any) -> list[Any]: ...


class SqliteDatabases:
    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder

    async def new(self) -> str:
        return f"sqlite:///{self._folder() / 'moot.db'}"

    async def copy(self, url: str) -> str:
        copy = await self.new()
        shutil.copy(_path(url), _path(copy))
        return copy

    async def select(self, url: str, query: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(_path(url))) as connection:
            return connection.execute(query, values).fetchall()


def _path(url: str) -> str:
    return url.removeprefix("sqlite:///")


class PostgresDatabases:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def new(self) -> str:
        return await self._server.new_database()

    async def copy(self, url: str) -> str:
        return await self._server.copy_of(url)

    async def select(self, url: str, query: str, *values: Any) -> list[Any]:
        connection = await asyncpg.connect(url)
        try:
            return [tuple(row) for row in await connection.fetch(query.replace("?", "$1"), *values)]
        finally:
            await connection.close()


@dataclass
class Trial:
    """The stories as they should be, and everything it takes to disturb them."""

    server: ModelServer
    voices: Voices
    databases: Databases
    folder: Path
    before: str
    """The database before the first call."""
    runs: dict[str, str]
    whole: dict[str, Trace]
    calls: dict[str, int]


async def undisturbed(models: ModelServer, voices: Voices, databases: Databases, folder: Path) -> Trial:
    """Begin a run of every mode, keep how it began, and let all deliberate in this process, whose engine is
    strict."""
    before = await databases.new()
    voices.allowed = dict.fromkeys(MODES, 0)
    async with engine(models, before) as first:
        runs = {mode: (await first.start(asked(mode))).id for mode in MODES}
    voices.allowed = {}
    database = await databases.copy(before)
    async with engine(models, database) as second:
        await asyncio.gather(*(second.finished(run) for run in runs.values()))
    stories = {
        mode: Trace(
            await stored_events(databases, database, run), await stored_rows(databases, database, run)
        )
        for mode, run in runs.items()
    }
    return Trial(models, voices, databases, folder, before, runs, stories, dict(voices.answered))


@asynccontextmanager
async def engine(models: ModelServer, url: str) -> AsyncIterator[Engine]:
    settings = Settings(openrouter_base_url=models.url, openrouter_api_key=SecretStr("sk"), attempts=1)
    transport, store = transport_for(settings), store_for(url)
    async with Engine(
        store,
        transport,
        Panel(NAMES),
        settings,
        modes=MODES,
        retriever=TemplateIndex(settings, store),
        strict=True,
    ) as opened:
        yield opened
    await transport.aclose()


def asked(mode: str) -> AskRequest:
    panel = Panel(tuple(f"{mode}/{name}" for name in NAMES))
    config = {**MODES[mode].defaults(panel, {"question": QUESTION}), **CONFIG.get(mode, {})}
    return AskRequest.of({"question": QUESTION, "mode": mode, "modeConfig": config})


async def stored_events(databases: Databases, url: str, run: str) -> list[dict[str, Any]]:
    found = await databases.select(url, "SELECT type, body FROM events WHERE run_id = ? ORDER BY number", run)
    return [{"type": type, **json.loads(body)} for type, body in found]


async def stored_rows(databases: Databases, url: str, run: str) -> dict[str, list[str]]:
    """Of every table, each row as a text; the message and the title too."""

    async def select(query: str, key: str) -> list[Any]:
        return await databases.select(url, query, key)

    [(message, conversation)] = await select("SELECT message_id, conversation_id FROM runs WHERE id = ?", run)
    found = {
        "messages": await select("SELECT content, status, error FROM messages WHERE id = ?", message),
        "conversations": await select("SELECT title, mode FROM conversations WHERE id = ?", conversation),
    }
    for table in STAGE_TABLES:
        columns = [column.name for column in metadata.tables[table].columns if column.name not in APART]
        rows = await select(f"SELECT {', '.join(columns)} FROM {table} WHERE message_id = ?", message)
        found[table] = [[unpacked(cell) for cell in row] for row in rows]
    return {table: sorted(map(as_text, rows)) for table, rows in found.items()}


def unpacked(cell: Any) -> Any:
    """A column that holds JSON as its value, for there are times in it."""
    return json.loads(cell) if isinstance(cell, str) and cell[:1] in ("{", "[") and is_json(cell) else cell


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@dataclass
class Disturbed:
    """What came of the same runs when the server was killed: where, and what was asked how often."""

    killed_after: dict[str, int]
    told: dict[str, Trace]
    ids: dict[str, list[int]]
    committed: dict[str, int]
    """Calls stored when the first server was killed."""
    finished: set[str]
    """Digests of the requests answered by then."""
    received: Counter[str]
    lives: int


async def disturbed(trial: Trial, killed_after: dict[str, int], lot: random.Random | None) -> Disturbed:
    """Kill the server when every run has come to its call, and with a lot once more at any moment."""
    database = await trial.databases.copy(trial.before)
    models, voices = trial.server, trial.voices
    models.reset()
    voices.answered.clear()
    voices.allowed = killed_after

    async def every_run_there() -> bool:
        kept = await committed(trial, database)
        return all(kept[run] >= killed_after[mode] for mode, run in trial.runs.items())

    kept = await one_life(trial, database, every_run_there)
    finished = {each.digest for each in models.requests if each.outcome == "answered"}
    voices.allowed = {}
    if lot is not None:
        left = sum(trial.calls.values()) - sum(killed_after.values())
        moment = voices.answered.total() + lot.randrange(1, left)

        async def moment_reached() -> bool:
            return voices.answered.total() >= moment

        await one_life(trial, database, moment_reached)
    told, ids = await to_the_end(trial, database)
    return Disturbed(
        killed_after=killed_after,
        told=told,
        ids=ids,
        committed={mode: kept[run] for mode, run in trial.runs.items()},
        finished=finished,
        received=Counter(each.digest for each in models.requests),
        lives=3 if lot else 2,
    )


async def committed(trial: Trial, database: str) -> Counter[str]:
    """How many calls of each run are stored."""
    counts = await trial.databases.select(database, "SELECT run_id, count(*) FROM calls GROUP BY run_id")
    return Counter(dict(counts))


def a_life(trial: Trial, database: str) -> AbstractContextManager[tuple[str, subprocess.Popen[str]]]:
    return server(trial.server, trial.folder, DATABASE_URL=database)


async def one_life(trial: Trial, database: str, is_over: Callable[[], Awaitable[bool]]) -> Counter[str]:
    """Start a server, kill it when that is so; how many calls of each run it left behind."""
    opening = a_life(trial, database)
    _, process = await asyncio.to_thread(opening.__enter__)
    try:
        await until(is_over)
    finally:
        process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(opening.__exit__, None, None, None)
    return await committed(trial, database)


async def to_the_end(trial: Trial, database: str) -> tuple[dict[str, Trace], dict[str, list[int]]]:
    opening = a_life(trial, database)
    address, _ = await asyncio.to_thread(opening.__enter__)
    told, ids = {}, {}
    try:
        for mode, run in trial.runs.items():
            events = await asyncio.to_thread(story, address, run)
            told[mode] = Trace(events, await stored_rows(trial.databases, database, run))
            ids[mode] = await asyncio.to_thread(numbers, address, run)
    finally:
        await asyncio.to_thread(opening.__exit__, None, None, None)
    return told, ids


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def trials(
    request: pytest.FixtureRequest, kill_seed: int, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Trial, list[Disturbed]]:
    """The stories as they should be, and all that was made of them."""
    databases: Databases = (
        SqliteDatabases(lambda: tmp_path_factory.mktemp("kill"))
        if request.param == "sqlite"
        else PostgresDatabases(request.getfixturevalue("postgres_server"))
    )
    every = bool(request.config.getoption("--every-call"))
    return asyncio.run(
        all_trials(random.Random(kill_seed), every, databases, tmp_path_factory.mktemp("home"))
    )


async def all_trials(
    lot: random.Random, every: bool, databases: Databases, folder: Path
) -> tuple[Trial, list[Disturbed]]:
    voices = Voices()
    async with ModelServer(Script(default=voices)) as models:
        trial = await undisturbed(models, voices, databases, folder)
        if not every:
            drawn = {mode: lot.randrange(calls) for mode, calls in trial.calls.items()}
            return trial, [await disturbed(trial, drawn, lot)]
        killed = []
        for call in range(max(trial.calls.values())):
            after = {mode: min(call, calls) for mode, calls in trial.calls.items()}
            killed.append(await disturbed(trial, after, None))
        return trial, killed


@pytest.mark.parametrize("mode", MODES)
def test_a_killed_server_changes_no_story(
    mode: str, trials: tuple[Trial, list[Disturbed]], kill_seed: int
) -> None:
    trial, all_disturbed = trials
    whole = trial.whole[mode]
    assert whole.events[-1]["type"] == "complete"
    for after in all_disturbed:
        where = (
            f"killed after {after.killed_after[mode]} of {trial.calls[mode]} calls, --kill-seed {kill_seed}"
        )
        told = after.told[mode]
        assert told.content == whole.content, where
        assert told.order == whole.order, where
        assert told.rows == whole.rows, where
        assert after.ids[mode] == list(range(1, len(told.events) + 1)), where
        assert after.committed[mode] == after.killed_after[mode], where


def test_no_call_that_was_finished_is_asked_for_again(
    trials: tuple[Trial, list[Disturbed]], kill_seed: int
) -> None:
    trial, all_disturbed = trials
    for after in all_disturbed:
        assert len(after.finished) == sum(after.killed_after.values())
        again = [digest for digest in after.finished if after.received[digest] > 1]
        assert not again, f"paid twice, --kill-seed {kill_seed}"
        assert len(after.received) == sum(trial.calls.values()), "a resumed run asked something else"
        assert max(after.received.values()) <= after.lives
