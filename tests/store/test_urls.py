from __future__ import annotations

from pathlib import Path

import pytest

from moot.kernel.errors import MootError
from moot.store.postgres import PostgresStore
from moot.store.sqlite import SQLiteStore
from moot.store.urls import store_for


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (":memory:", ":memory:"),
        ("sqlite://", ":memory:"),
        ("sqlite:///:memory:", ":memory:"),
        ("sqlite:///moot.db", "moot.db"),
        ("sqlite:////var/lib/moot.db", "/var/lib/moot.db"),
        ("sqlite:///odd name?#%.db", "odd name?#%.db"),
    ],
)
async def test_an_address_of_a_file(url: str, path: str) -> None:
    store = store_for(url)
    assert isinstance(store, SQLiteStore)
    assert store.path == path


@pytest.mark.parametrize("url", ["postgresql://ann@host/moot", "postgres://host/moot?sslmode=require"])
async def test_an_address_of_a_server(url: str) -> None:
    assert isinstance(store_for(url), PostgresStore)


@pytest.mark.parametrize(
    "url", ["", "moot.db", "sqlite:///", "sqlite:/moot.db", "mysql://ann:secret@host/moot", "PostgreSQL"]
)
def test_another_address_is_refused_without_repeating_its_password(url: str) -> None:
    with pytest.raises(MootError, match="write sqlite:///path/to/file") as refused:
        store_for(url)
    assert "secret" not in str(refused.value)


async def test_a_server_that_is_not_there_is_named_as_the_problem() -> None:
    store = store_for("postgresql://ann:secret@127.0.0.1:1/moot")
    with pytest.raises(MootError, match="Cannot open the PostgreSQL database") as refused:
        await store.open()
    assert "secret" not in str(refused.value)


async def test_a_file_that_cannot_be_is_named_as_the_problem(tmp_path: Path) -> None:
    for path in (tmp_path, "/dev/null/moot.db"):
        with pytest.raises(MootError, match="Cannot open the database"):
            await store_for(f"sqlite:///{path}").open()
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"this is no database " * 1000)
    with pytest.raises(MootError, match="not a moot database"):
        await store_for(f"sqlite:///{garbage}").open()


@pytest.mark.parametrize("url", [":memory:", "postgresql://localhost/moot"])
async def test_a_store_that_is_not_open_says_so(url: str) -> None:
    store = store_for(url)
    with pytest.raises(RuntimeError, match="is not open"):
        await store.read(lambda db: None)
    await store.close()
