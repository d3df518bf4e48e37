"""What all tests share: a database of each kind, an open store on it, and chance that can be repeated."""

from __future__ import annotations

import gc
import os
import random
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import is_hypothesis_test

from moot.kernel import engine
from moot.kernel.run import Run
from moot.store import Store
from moot.store.urls import store_for
from tests.harness.chance import draw_anew
from tests.harness.postgres_server import Server, running_server

LONGEST = ("laws", "cli", "fleet", "http", "store", "mcp", "webhooks", "telemetry", "templates")
"""Folders whose tests start processes, servers and databases."""
STEADY = Path(__file__).parent / "steady"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture
async def postgres_url(postgres_server: Server) -> AsyncIterator[str]:
    url = await postgres_server.new_database()
    yield url
    await postgres_server.drop(url)


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'moot.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    opened = store_for(store_url)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """For tests that draw cases of their own."""
    return random.Random(f"{request.node.nodeid} {_drawn_seed(request.config)}")


@pytest.fixture
def same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is dealt the same seats, letters and nonces, so that its story can be a snapshot."""
    monkeypatch.setattr(engine, "secrets", SimpleNamespace(token_hex=lambda size: "5e" * size))


@pytest.fixture
def same_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run begins on the day on which what it is compared with was written: some prompts name the date, and
    a simulated model draws what it says from its prompt."""
    monkeypatch.setattr(Run, "started_on", date(2026, 11, 19))


@pytest.fixture(scope="module")
def kill_seed(pytestconfig: pytest.Config) -> int:
    """For tests that kill a server at a moment that is drawn."""
    return int(pytestconfig.getoption("--kill-seed") or _drawn_seed(pytestconfig) % 10_000)


@pytest.fixture(autouse=True)
def _same_run_seeds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are dealt their letters and nonces as they were the last time, here and in child processes."""
    if _is_fuzz(request.config):
        return
    lot = random.Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_hex", lambda nbytes=None: lot.randbytes(nbytes or 32).hex())
    monkeypatch.setenv("MOOT_TEST_SEED", request.node.nodeid)


def _drawn_seed(config: pytest.Config) -> int:
    return int(config.getoption("hypothesis_seed")) if _is_fuzz(config) else 0


def _is_fuzz(config: pytest.Config) -> bool:
    return bool(config.getoption("--fuzz"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-call", action="store_true", help="kill the server after every single call")
    parser.addoption(
        "--every-command", action="store_true", help="run all commands in every hostile repository"
    )
    parser.addoption("--kill-seed", help="draw the calls after which the server is killed as that test did")
    parser.addoption("--grammar-cases", default=500, type=int, help="how many ballots of each kind are drawn")
    parser.addoption("--grammar-seed", default="moot", help="what the ballots are drawn from")
    parser.addoption("--write-golden", action="store_true", help="write the texts of the terminal anew")
    parser.addoption(
        "--fuzz",
        action="store_true",
        help="only tests that draw their cases, with new ones, ten times as many",
    )
    parser.addoption("--fuzz-until", type=int, default=0, help="begin no test after this second since 1970")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(STEADY), os.environ.get("PYTHONPATH"))))
    if not _is_fuzz(config):
        os.environ["MOOT_TEST_SEED"] = "shared"  # by the tests of a session
    else:
        draw_anew()
        if config.getoption("hypothesis_seed") is None:
            config.option.hypothesis_seed = str(secrets.randbelow(2**32))


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.getoption("hypothesis_seed")
    return f"fuzz: --hypothesis-seed {seed}" if _is_fuzz(config) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The folders that take longest first, so that no worker is left alone with one of them at the end. Under fuzz,
    tests that draw their cases, file by file in an order that is drawn as well."""
    if not _is_fuzz(config):
        items.sort(key=_place)
        return
    drawing = [item for item in items if _draws(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in drawing])
    files = sorted({item.path for item in drawing})
    random.Random(_drawn_seed(config)).shuffle(files)
    items[:] = sorted(drawing, key=lambda item: files.index(item.path))


def pytest_collection_finish() -> None:
    """Ten thousand tests and all modules are there to stay: the garbage collector need not look at them again."""
    gc.collect()
    gc.freeze()


def _place(item: pytest.Item) -> int:
    folder = item.nodeid.split("/")[1]
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


def _draws(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return is_hypothesis_test(getattr(item, "obj", None)) or bool(fixtures & {"dice", "kill_seed"})


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Once the time is up, the rest is for another day."""
    until = item.config.getoption("--fuzz-until")
    return True if until and time.time() >= until else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "killed_after" in metafunc.fixturenames:
        every = metafunc.config.getoption("--every-call")
        metafunc.parametrize("killed_after", range(14) if every else (0, 1, 5, 6, 9, 12))
