"""Retrieval: the scale of similarity, the index in the database, and how well the library is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlalchemy import select, update

from moot.kernel.retriever import FoundScaffold, Scaffold
from moot.modes.dialectic.prompts import render_scaffolds
from moot.modes.dialectic.scaffolds import (
    MINIMUM,
    ScaffoldText,
    library,
    probes,
    shipped_vectors,
    similarity,
)
from moot.settings import Settings
from moot.store import Store, tables
from moot.templates.embedding.builtin import BuiltIn
from moot.templates.index import TemplateIndex, embed_scaffolds, nearest, vectors_for
from moot.templates.queries import (
    add_template,
    change_template,
    own_template,
    own_templates,
    remove_template,
)
from moot.testing import ModelServer
from tests.harness.pace import on_this_machine, used
from tests.harness.waiting import PATIENCE

OWN = {
    "name": "Zebra comparison",
    "whenToUse": "Questions about zebras and their stripes, of any kind.",
    "steps": ["Count the stripes", "Compare them", "Conclude"],
    "exampleQuestions": ["How many stripes has a zebra?", "Why do zebras have stripes?"],
}


def test_the_library_is_whole() -> None:
    scaffolds = library().scaffolds
    assert len(scaffolds) == len({one.id for one in scaffolds}) == 42
    assert library().general.id == "general-structured"
    assert len(probes()) == 15
    for one in scaffolds:
        ScaffoldText(**one.model_dump(by_alias=False, include=set(ScaffoldText.model_fields)))


@pytest.mark.parametrize(
    ("cosine", "floor", "value"),
    [
        (0.30, 0.30, 0.65),
        (1.0, 0.30, 1.0),
        (-1.0, 0.30, 0.0),
        (0.0, 0.30, 0.5),
        (0.5, 0.5, 0.65),
        (1.0, 0.6, 1.0),
    ],
)
def test_similarity_puts_the_floor_at_the_minimum(cosine: float, floor: float, value: float) -> None:
    assert similarity(cosine, floor) == pytest.approx(value)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.3, 0.9))
@example(0.3, 0.0, 0.30000000000000004)
def test_similarity_never_turns_an_order_round(one: float, other: float, floor: float) -> None:
    low, high = sorted((one, other))
    assert similarity(low, floor) <= similarity(high, floor) + 1e-12
    assert similarity(max(one, floor), floor) >= MINIMUM
    if one < floor - 1e-9:  # nearer than that it is the same number, rounded
        assert similarity(one, floor) < MINIMUM
    assert similarity(one, 0.30) == pytest.approx((1 + one) / 2)


def an_index(server: ModelServer, store: Store, embedder: str = "lab/embed") -> TemplateIndex:
    return TemplateIndex(Settings(embedder=embedder, providers={"lab": {"base_url": server.url}}), store)


async def test_vectors_are_kept_and_made_anew_only_when_a_text_changes(store: Store) -> None:
    async with ModelServer() as server:
        index = an_index(server, store)
        await index.find("Tabs or spaces?", "ann", most=3, minimum=0.1)
        kept = await store.read(lambda db: db.execute(select(tables.template_vectors)).all())
        assert len(kept) == 42
        floor = await store.read(lambda db: db.execute(select(tables.embedders.c.floor)).scalar_one())
        assert floor >= 0.30

        def spoil(db: Any) -> None:
            vectors = tables.template_vectors
            db.execute(update(vectors).where(vectors.c.template_id == "threat-model").values(digest="old"))

        await store.change(spoil)
        again = an_index(server, store)
        found = await again.find("Tabs or spaces?", "ann", most=3, minimum=0.1)
        assert found.problem is None
        digests = await store.read(
            lambda db: set(db.execute(select(tables.template_vectors.c.digest)).scalars())
        )
        assert "old" not in digests


async def test_another_embedder_or_another_length_makes_vectors_anew(store: Store) -> None:
    vectors = tables.template_vectors
    async with ModelServer() as server:
        first = await an_index(server, store).rank("Tabs or spaces?", "ann", 3)
        await store.change(lambda db: db.execute(update(vectors).values(vector=b"1234")))
        assert await an_index(server, store).rank("Tabs or spaces?", "ann", 3) == first
        assert await an_index(server, store, "lab/other").rank("Tabs or spaces?", "ann", 3) == first
    kept = await store.read(lambda db: db.execute(select(vectors.c.embedder)).scalars().all())
    assert sorted(kept) == ["lab/embed"] * 42 + ["lab/other"] * 42


async def test_a_persons_own_templates_are_found_by_nobody_else(store: Store) -> None:
    given = ScaffoldText.model_validate(OWN)
    await store.change(lambda db: add_template(db, "ann", "own-1", given, 1))
    async with ModelServer() as server:
        index = an_index(server, store)
        question = "How many stripes has a zebra?"
        hers = await index.find(question, "ann", most=3, minimum=0.65)
        his = await index.find(question, "bob", most=3, minimum=0.65)
        assert hers.scaffolds[0].id == "own-1"
        assert hers.scaffolds[0].own
        assert "own-1" not in {one.id for one in his.scaffolds}

        assert await store.read(lambda db: own_template(db, "bob", "own-1")) is None
        assert await store.read(lambda db: own_templates(db, "bob")) == []
        assert not await store.change(lambda db: change_template(db, "bob", "own-1", given, 2))
        other = ScaffoldText.model_validate(
            {
                **OWN,
                "name": "Kettles",
                "whenToUse": "Boiling water for tea and coffee.",
                "exampleQuestions": ["Tea?", "Coffee?"],
            }
        )
        assert await store.change(lambda db: change_template(db, "ann", "own-1", other, 2))
        changed = await index.find(question, "ann", most=3, minimum=0.65)
        assert "own-1" not in {one.id for one in changed.scaffolds}

        assert not await store.change(lambda db: remove_template(db, "bob", "own-1"))
        assert await store.change(lambda db: remove_template(db, "ann", "own-1"))
        kept = await store.read(
            lambda db: set(db.execute(select(tables.template_vectors.c.template_id)).scalars())
        )
        assert "own-1" not in kept


def scaffold(id: str) -> Scaffold:
    return Scaffold(id=id, name=id, when_to_use="-", steps=("a", "b", "c"))


def test_the_minimum_and_the_number_cut_what_is_found() -> None:
    question = np.array([1, 0], np.float32)
    cosines = (0.2999, 0.30, 0.9, 0.9, 0.5)
    vectors = [np.array([cosine, (1 - cosine**2) ** 0.5], "<f4").tobytes() for cosine in cosines]
    index = [(scaffold(id), vector) for id, vector in zip("edcba", vectors, strict=True)]
    found = nearest(question, index, 0.30, 5)
    assert [one.id for one in found] == ["b", "c", "a", "d", "e"], "ties by id"
    assert [one.rank for one in found] == [1, 2, 3, 4, 5]
    assert [one.id for one in found if one.similarity >= 0.65 - 1e-7] == ["b", "c", "a", "d"]
    assert [one.id for one in nearest(question, index, 0.30, 3)] == ["b", "c", "a"]
    assert nearest(question, [], 0.30, 3) == []


def test_a_thousand_vectors_are_ranked_in_under_five_milliseconds() -> None:
    vectors = np.random.default_rng(7).normal(size=(1000, 384)).astype("<f4")
    index = [(scaffold(f"t{number}"), vector.tobytes()) for number, vector in enumerate(vectors)]

    def took() -> float:
        with used() as work:
            nearest(vectors[17], index, 0.30, 3)
        return work.seconds

    assert min(took() for _ in range(20)) < on_this_machine(0.005)


async def test_the_librarys_vectors_are_what_the_built_in_embedder_makes() -> None:
    embedder = BuiltIn(Settings().embedder_folder)
    shipped = shipped_vectors(embedder.id)
    assert set(shipped) == {one.index_digest() for one in library().scaffolds}, "run `make template-vectors`"
    sample = library().scaffolds[::21]
    for one, made in zip(sample, await embed_scaffolds(embedder, sample), strict=True):
        given = np.frombuffer(shipped[one.index_digest()], "<f4")
        assert np.allclose(given, np.frombuffer(made, "<f4"), atol=1e-6), one.id
    assert shipped_vectors("lab/embed") == {}


class Counting:
    """The built-in embedder as far as the index knows; says which texts it was given."""

    id, name, floor = BuiltIn.id, BuiltIn.name, BuiltIn.floor

    def __init__(self) -> None:
        self.given: list[str] = []

    async def embed(self, texts: list[str]) -> Any:
        self.given += texts
        return np.tile(np.eye(1, 384, dtype=np.float32), (len(texts), 1))


async def test_of_the_library_only_a_template_whose_text_has_changed_is_embedded() -> None:
    embedder = Counting()
    first, second, *_ = library().scaffolds
    made = await vectors_for(embedder, library().scaffolds)
    assert (embedder.given, len(made)) == ([], 42)
    changed = second.model_copy(update={"when_to_use": "Something else altogether."})
    again = await vectors_for(embedder, [first, changed])
    assert embedder.given == changed.index_texts()
    assert again[first.id] == made[first.id]
    assert again[second.id].digest == changed.index_digest()
    assert np.frombuffer(again[second.id].vector, "<f4")[0] == 1.0


def test_scaffolds_are_shown_as_the_proposer_reads_them() -> None:
    one = FoundScaffold(
        id="x",
        name="Way",
        when_to_use="Always.",
        steps=("do", "check"),
        checks=("a", "b"),
        similarity=0.7249,
        rank=1,
    )
    assert render_scaffolds([one]) == (
        "Scaffold 1: Way (id x, similarity 0.72)\nUse when: Always.\n1. do\n2. check\nCheck: a; b"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "ab"}, "name must have 3 to 80 characters"),
        ({"whenToUse": "short"}, "whenToUse must have 20 to 500 characters"),
        ({"steps": ["one", "two"]}, "A template needs at least 3 steps"),
        ({"steps": ["x"] * 11}, "A template has at most 10 steps"),
        ({"steps": ["one", " ", "three"]}, "A template has no empty lines"),
        ({"steps": ["<<<1a2b3c4d", "two", "three"]}, "'<<<1a2b3c4d' has signs that a template may not have"),
        ({"exampleQuestions": ["one"]}, "A template needs at least 2 example questions"),
        ({"exampleQuestions": ["q"] * 9}, "A template has at most 8 example questions"),
        ({"steps": ["x" * 2000] * 5}, "A template must not exceed 8 KB"),
        ({"file": "/etc/passwd"}, "Extra inputs are not permitted"),
    ],
)
def test_a_template_beyond_its_limits_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ScaffoldText.model_validate({**OWN, **change})
    assert refused.value.errors()[0]["msg"] == message


def test_the_built_in_embedder_finds_the_template_that_fits(tmp_path: Path) -> None:
    """In a process of its own, where the arithmetic keeps to one core."""
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}",
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [str(Path(sys.executable).parent / "moot"), "templates", "check", "--json"],
        capture_output=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["questions"] == 84
    assert found["top3"] >= 0.95
    assert found["top1"] >= 0.80
    assert found["found"] >= 0.85
    assert found["offTopic"] <= 0.10
