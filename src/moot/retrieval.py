"""Retrieval: the reasoning templates that fit a question, by the nearness of their vectors. Exact search.

    found = await TemplateIndex(settings, store).find(question, "local", most=3, minimum=0.65)
    found.scaffolds[0].similarity        # 0.72, best first

Vectors live in the database, one a template and embedder, and are made anew when the embedder or the
template's texts change. Nothing here ends a run: what goes wrong is a `problem` of the result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from moot.clock import monotonic
from moot.embedding import Embedder, NoEmbedding, embedder_for, embedder_name
from moot.scaffolds import FoundScaffold, Retrieved, Scaffold, library, probes, similarity
from moot.settings import Settings
from moot.store import Store
from moot.store.templates import Indexed, index_of, keep_index, own_templates

if TYPE_CHECKING:
    from moot.embedding import Vectors

LEAST_FLOOR = 0.30


class TemplateIndex:
    """The library and a person's own templates, searched together."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.name = embedder_name(settings.embedder)
        self._settings = settings
        self._store = store
        self._embedder: Embedder | None = None
        # Two runs that find no vectors must not both make them.
        self._indexing = asyncio.Lock()

    async def find(self, question: str, user: str, *, most: int, minimum: float) -> Retrieved:
        began = monotonic()
        try:
            ranked = await self.ranked(question, user, most)
        except NoEmbedding as error:
            return Retrieved(problem=str(error), took_ms=_since(began))
        except (SQLAlchemyError, OSError) as error:
            return Retrieved(problem=f"The index could not be read: {error}", took_ms=_since(began))
        kept = [one for one in ranked if one.similarity >= minimum]
        return Retrieved(scaffolds=tuple(kept), took_ms=_since(began))

    async def ranked(self, question: str, user: str, most: int) -> list[FoundScaffold]:
        """The nearest templates, whatever their similarity. Raises NoEmbedding."""
        embedder = self._opened()
        own = await self._store.read(lambda db: own_templates(db, user))
        scaffolds = [*library().scaffolds, *own]
        floor, vectors = await self._indexed(embedder, scaffolds)
        asked = await embedder.embed([question.strip()])
        return nearest(asked[0], vectors, scaffolds, floor, most)

    def _opened(self) -> Embedder:
        if self._embedder is None:
            self._embedder = embedder_for(self._settings)
        return self._embedder

    async def _indexed(self, embedder: Embedder, scaffolds: Sequence[Scaffold]) -> tuple[float, Vectors]:
        """The floor and a row a template; what is missing or outdated is made and kept."""
        import numpy as np

        ids = [scaffold.id for scaffold in scaffolds]
        async with self._indexing:
            floor, there = await self._store.read(lambda db: index_of(db, embedder.id, ids))
            digests = {scaffold.id: scaffold.index_digest() for scaffold in scaffolds}
            stale = [s for s in scaffolds if s.id not in there or there[s.id].digest != digests[s.id]]
            made = await self._made(embedder, stale)
            there |= made
            vectors = np.stack([np.frombuffer(there[id].vector, "<f4") for id in ids])
            known = floor
            if floor is None or (embedder.floor is not None and floor != embedder.floor):
                floor = await probed(embedder, vectors) if embedder.floor is None else embedder.floor
            if made or floor != known:
                await self._keep(embedder.id, made, floor)
        return floor, vectors

    async def _keep(self, embedder: str, made: dict[str, Indexed], floor: float) -> None:
        try:
            await self._store.change(lambda db: keep_index(db, embedder, made, floor))
        except IntegrityError:
            return  # another process has just kept the same

    async def _made(self, embedder: Embedder, scaffolds: Sequence[Scaffold]) -> dict[str, Indexed]:
        """One vector a template: the mean, at length 1, of those of its texts."""
        import numpy as np

        texts = [scaffold.index_texts() for scaffold in scaffolds]
        if not texts:
            return {}
        rows = await embedder.embed([text for group in texts for text in group])
        made, start = {}, 0
        for scaffold, group in zip(scaffolds, texts, strict=True):
            mean = rows[start : start + len(group)].mean(axis=0)
            vector = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype("<f4")
            made[scaffold.id] = Indexed(scaffold.index_digest(), vector.tobytes())
            start += len(group)
        return made


def nearest(
    question: Vectors, vectors: Vectors, scaffolds: Sequence[Scaffold], floor: float, most: int
) -> list[FoundScaffold]:
    """The templates by their similarity to the question's vector, ties by id."""
    if vectors.shape[1] != question.shape[0]:
        raise NoEmbedding("The embedder's vectors have changed their length: name it by another model id.")
    cosines = (vectors @ question).tolist()
    order = sorted(range(len(scaffolds)), key=lambda place: (-cosines[place], scaffolds[place].id))
    return [
        FoundScaffold(
            **scaffolds[place].model_dump(by_alias=False),
            similarity=similarity(cosines[place], floor),
            rank=rank,
        )
        for rank, place in enumerate(order[:most], 1)
    ]


async def probed(embedder: Embedder, vectors: Vectors) -> float:
    """The cosine that all but one in twenty texts which are about nothing stay below."""
    import numpy as np

    best = (await embedder.embed(list(probes())) @ vectors.T).max(axis=1)
    return max(LEAST_FLOOR, min(0.99, float(np.percentile(best, 95))))


def _since(began: float) -> int:
    return int((monotonic() - began) * 1000)
