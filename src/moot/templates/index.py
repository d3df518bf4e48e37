"""Retrieval: the reasoning templates that fit a question, by the nearness of their vectors. Exact search.

    found = await TemplateIndex(settings, store).find(question, "local", most=3, minimum=0.65)
    found.scaffolds[0].similarity        # 0.72, best first

Vectors live in the database, one a template and embedder, and are made anew when the embedder or the
template's texts change. pgvector narrows the search down where it is there; who is how near is always
told by the same arithmetic here, so that every database gives the same. Nothing here ends a run: what
goes wrong is a `problem` of the result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from moot.kernel.clock import monotonic
from moot.kernel.key_book import KeyBook
from moot.kernel.retriever import FoundScaffold, Retrieved, Scaffold
from moot.modes.dialectic.scaffolds import library, probes, shipped_vectors, similarity
from moot.settings import Settings
from moot.store import Store
from moot.store.provider_keys import SERVER
from moot.templates.embedding import BUILTIN, Embedder, NoEmbedding, beginning, embedder_for, embedder_name
from moot.templates.queries import IndexedVector, candidates, digests, floor_of, own_templates, store_index

if TYPE_CHECKING:
    from moot.templates.embedding import Vectors

LEAST_FLOOR = 0.30


class TemplateIndex:
    """The library and a person's own templates, searched together."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.name = embedder_name(settings.embedder)
        self._settings = settings
        self._store = store
        # What finds templates is for everyone: no person's own key is used for it.
        self._keys = KeyBook(store, settings)
        self._local: Embedder | None = None
        # Two runs that find no vectors must not both make them.
        self._indexing = asyncio.Lock()

    async def find(self, question: str, user: str, *, most: int, minimum: float) -> Retrieved:
        start = monotonic()
        try:
            nearby = await self.rank(question, user, most)
        except NoEmbedding as error:
            return Retrieved(problem=str(error), took_ms=_elapsed_ms(start))
        except (SQLAlchemyError, OSError) as error:
            return Retrieved(problem=f"The index could not be read: {error}", took_ms=_elapsed_ms(start))
        near_enough = tuple(one for one in nearby if one.similarity >= minimum)
        return Retrieved(scaffolds=near_enough, took_ms=_elapsed_ms(start))

    async def rank(self, question: str, user: str, most: int) -> list[FoundScaffold]:
        """The nearest templates, whatever their similarity. Raises NoEmbedding."""
        embedder = await self._open_embedder()
        own = await self._store.read(lambda db: own_templates(db, user))
        scaffolds = {scaffold.id: scaffold for scaffold in (*library().scaffolds, *own)}
        [vector] = await embedder.embed([beginning(question)])
        floor = await self._index(embedder, list(scaffolds.values()), len(vector))
        return await search(self._store, embedder.id, scaffolds, vector, floor, most)

    async def _open_embedder(self) -> Embedder:
        if self._settings.embedder != BUILTIN:
            return embedder_for(self._settings, await self._keys.of(SERVER))
        if self._local is None:
            self._local = embedder_for(self._settings)
        return self._local

    async def _index(self, embedder: Embedder, scaffolds: Sequence[Scaffold], length: int) -> float:
        """The embedder's floor; what is missing or outdated of the vectors is made and kept."""
        ids = [scaffold.id for scaffold in scaffolds]
        async with self._indexing:
            stored_floor, stored = await self._store.read(
                lambda db: (floor_of(db, embedder.id), digests(db, embedder.id, ids, length))
            )
            if stored_floor is None:
                stored = {}  # the floor is found with all of them
            stale = [one for one in scaffolds if stored.get(one.id) != one.index_digest()]
            vectors = await vectors_for(embedder, stale)
            floor = stored_floor if embedder.floor is None else embedder.floor
            if floor is None or (embedder.floor is None and not stored):
                floor = await probe_floor(embedder, [one.vector for one in vectors.values()])
            if vectors or floor != stored_floor:
                await self._store_index(embedder.id, vectors, floor)
        return floor

    async def _store_index(self, embedder: str, vectors: dict[str, IndexedVector], floor: float) -> None:
        try:
            await self._store.change(lambda db: store_index(db, embedder, vectors, floor))
        except IntegrityError:
            return  # another process has just kept the same


async def vectors_for(embedder: Embedder, scaffolds: Sequence[Scaffold]) -> dict[str, IndexedVector]:
    """One vector a template. The built-in embedder's of the library came with moot."""
    shipped = shipped_vectors(embedder.id)
    rest = [one for one in scaffolds if one.index_digest() not in shipped]
    fresh = dict(zip((one.id for one in rest), await embed_scaffolds(embedder, rest), strict=True))
    return {
        one.id: IndexedVector(digest, fresh.get(one.id) or shipped[digest])
        for one in scaffolds
        for digest in [one.index_digest()]
    }


async def embed_scaffolds(embedder: Embedder, scaffolds: Sequence[Scaffold]) -> list[bytes]:
    """For each template the mean, at length 1, of the vectors of its texts."""
    import numpy as np

    if not scaffolds:
        return []
    groups = [scaffold.index_texts() for scaffold in scaffolds]
    rows = await embedder.embed([text for group in groups for text in group])
    vectors, place = [], 0
    for group in groups:
        mean = rows[place : place + len(group)].mean(axis=0)
        place += len(group)
        vectors.append((mean / max(float(np.linalg.norm(mean)), 1e-12)).astype("<f4").tobytes())
    return vectors


async def search(
    store: Store,
    embedder: str,
    scaffolds: Mapping[str, Scaffold],
    question: Vectors,
    floor: float,
    most: int,
) -> list[FoundScaffold]:
    """The templates nearest to a question's vector, by their vectors in the database."""
    numbers = question.tolist()
    near = await store.read(lambda db: candidates(db, embedder, list(scaffolds), numbers, most))
    return nearest(question, [(scaffolds[id], vector) for id, vector in near.items()], floor, most)


def nearest(
    question: Vectors, vectors: Sequence[tuple[Scaffold, bytes]], floor: float, most: int
) -> list[FoundScaffold]:
    """The templates by their similarity to the question's vector, ties by id. In double precision and each
    by itself, so that it comes out the same whatever else was compared."""
    import numpy as np

    if not vectors:
        return []
    matrix = np.frombuffer(b"".join(vector for _, vector in vectors), "<f4").reshape(len(vectors), -1)
    cosines = (matrix * question.astype(np.float64)).sum(axis=1)
    last = np.partition(cosines, -most)[-most] if most < len(vectors) else -2.0
    order = sorted(
        np.flatnonzero(cosines >= last).tolist(), key=lambda place: (-cosines[place], vectors[place][0].id)
    )
    return [
        FoundScaffold(
            **vectors[place][0].model_dump(by_alias=False),
            similarity=similarity(float(cosines[place]), floor),
            rank=rank,
        )
        for rank, place in enumerate(order[:most], 1)
    ]


async def probe_floor(embedder: Embedder, vectors: Sequence[bytes]) -> float:
    """The cosine that all but one in twenty texts which are about nothing stay below."""
    import numpy as np

    index = np.stack([np.frombuffer(vector, "<f4") for vector in vectors])
    best = (await embedder.embed(list(probes())) @ index.T).max(axis=1)
    return max(LEAST_FLOOR, min(0.99, float(np.percentile(best, 95))))


def _elapsed_ms(start: float) -> int:
    return int((monotonic() - start) * 1000)
