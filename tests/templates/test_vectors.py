"""Vectors in the database: whoever searches them, SQLite and numpy or pgvector, the same is found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Connection, text

from moot.kernel.retriever import FoundScaffold, Scaffold
from moot.settings import Settings
from moot.store import Store
from moot.store.postgres import PostgresStore
from moot.templates.index import TemplateIndex, nearest
from moot.templates.queries import IndexedVector, candidates, digests, has_pgvector, store_index
from moot.testing import ModelServer
from tests.harness.postgres_server import Server

EMBEDDER = "lab/embed"
WITHOUT = "no PostgreSQL with pgvector here: unset MOOT_TEST_POSTGRES, and the one from the wheel is used"


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(postgres_url)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def bare(postgres_server: Server) -> AsyncIterator[PostgresStore]:
    """A database in which we may make tables, but install nothing."""
    url = await postgres_server.empty_database()
    await postgres_server.execute(
        "DROP ROLE IF EXISTS moot_plain",
        "CREATE ROLE moot_plain",
        "GRANT ALL ON SCHEMA public TO moot_plain",
        url=url,
    )
    store = PostgresStore(f"{url}{'&' if '?' in url else '?'}role=moot_plain")
    await store.open()
    yield store
    await store.close()
    await postgres_server.drop(url)
    await postgres_server.execute("DROP ROLE moot_plain")


def scaffold(id: str) -> Scaffold:
    return Scaffold(id=id, name=id, when_to_use="-", steps=("a", "b", "c"))


def vectors(source: np.random.Generator, count: int, size: int) -> list[bytes]:
    """Of length 1; some are there twice, some differ by less than a float can add up."""
    rows = source.normal(size=(count, size))
    for place in range(1, count):
        if source.random() < 0.3:
            rows[place] = rows[place - 1] + source.choice([0.0, 1e-7, 1e-6]) * source.normal(size=size)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [row.astype("<f4").tobytes() for row in rows]


async def near(
    store: Store, index: dict[str, bytes], question: np.ndarray[Any, Any], most: int
) -> dict[str, bytes]:
    return await store.read(lambda db: candidates(db, EMBEDDER, list(index), question.tolist(), most))


def ranked(index: dict[str, bytes], question: np.ndarray[Any, Any], most: int) -> list[FoundScaffold]:
    return nearest(question, [(scaffold(id), vector) for id, vector in index.items()], 0.3, most)


@pytest.mark.parametrize("size", [3, 384, 3072])
async def test_pgvector_and_numpy_find_the_same(postgres: PostgresStore, size: int) -> None:
    assert await postgres.read(has_pgvector), WITHOUT
    source = np.random.default_rng(size)
    for count in (1, 2, 5, 40, 300):
        ids = [f"t{number}" for number in source.permutation(count)]
        index = dict(zip(ids, vectors(source, count, size), strict=True))
        kept = {id: IndexedVector("d", vector) for id, vector in index.items()}
        await postgres.change(partial(store_index, embedder=EMBEDDER, vectors=kept, floor=0.3))
        # A question that a template answers word for word, and one that is near to none.
        word_for_word = np.frombuffer(index[ids[0]], "<f4")
        [other] = vectors(source, 1, size)
        for question in (word_for_word, np.frombuffer(other, "<f4")):
            for most in (1, 3, 10):
                found = await near(postgres, index, question, most)
                assert ranked(found, question, most) == ranked(index, question, most)
                if count == 300 and size > 3:
                    assert len(found) < 30, "the database leaves most of them where they are"


async def test_vectors_of_another_embedder_or_of_others_templates_are_not_compared(store: Store) -> None:
    near, far = np.array([1, 0], "<f4").tobytes(), np.array([0, 1, 0], "<f4").tobytes()
    await store.change(
        lambda db: store_index(
            db, EMBEDDER, {"a": IndexedVector("1", near), "b": IndexedVector("2", near)}, 0.3
        )
    )
    await store.change(lambda db: store_index(db, "other", {"a": IndexedVector("3", far)}, 0.3))
    found = await store.read(lambda db: candidates(db, EMBEDDER, ["a", "c"], [1.0, 0.0], 3))
    assert found == {"a": near}
    assert await store.read(lambda db: digests(db, EMBEDDER, ["a", "b"], 2)) == {"a": "1", "b": "2"}
    assert await store.read(lambda db: digests(db, EMBEDDER, ["a", "b"], 3)) == {}, "of another length"


def an_index(server: ModelServer, store: Store) -> TemplateIndex:
    return TemplateIndex(Settings(embedder=EMBEDDER, providers={"lab": {"base_url": server.url}}), store)


QUESTIONS = ("Should we rent or buy?", "Prove that no prime is the largest", "Why is the queue slow?")


async def test_a_database_that_may_install_nothing_finds_the_same(
    postgres: PostgresStore, bare: PostgresStore
) -> None:
    assert (await postgres.read(has_pgvector), await bare.read(has_pgvector)) == (True, False), WITHOUT
    async with ModelServer() as server:
        one, other = an_index(server, postgres), an_index(server, bare)
        for question in QUESTIONS:
            ranked = await one.rank(question, "ann", 5)
            assert ranked == await other.rank(question, "ann", 5)
            assert len(ranked) == 5


async def test_pgvector_that_comes_later_is_filled_and_that_goes_is_not_missed(
    postgres: PostgresStore,
) -> None:
    def without(db: Connection) -> None:
        db.execute(text("DROP EXTENSION vector CASCADE"))

    def later(db: Connection) -> None:
        db.execute(text("CREATE EXTENSION vector"))
        db.execute(text("ALTER TABLE template_vectors ADD COLUMN embedding vector"))

    def empty(db: Connection) -> Any:
        return db.scalar(text("SELECT count(*) FROM template_vectors WHERE embedding IS NULL"))

    async with ModelServer() as server:
        index = an_index(server, postgres)
        first = await index.rank(QUESTIONS[0], "ann", 3)
        await postgres.change(without)
        assert await index.rank(QUESTIONS[0], "ann", 3) == first
        await postgres.change(later)
        assert await postgres.read(empty) == 42
        assert await index.rank(QUESTIONS[0], "ann", 3) == first
        assert await postgres.read(empty) == 0
