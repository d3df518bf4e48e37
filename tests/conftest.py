"""Fixtures that many tests share: a database of each kind, and an open store on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from moot.store import Store
from moot.store.urls import store_for
from tests.harness.postgres_server import Server, running_server


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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-call", action="store_true", help="kill the server after every single call")
    parser.addoption("--kill-seed", help="draw the calls after which the server is killed as that test did")
    parser.addoption("--grammar-cases", default=500, type=int, help="how many ballots of each kind are drawn")
    parser.addoption("--grammar-seed", default="moot", help="what the ballots are drawn from")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "killed_after" in metafunc.fixturenames:
        every = metafunc.config.getoption("--every-call")
        metafunc.parametrize("killed_after", range(14) if every else (0, 1, 5, 6, 9, 12))
