"""Retriever: finds reasoning templates for a question, on behalf of a pipeline; what it finds may differ the
next time, so that a pipeline asks it inside `Run.once`."""

from __future__ import annotations

from hashlib import sha256
from typing import Protocol

import orjson

from moot.kernel.values import Wire


class Scaffold(Wire):
    """A template as it is used; `own`: a person added it, and it is theirs alone."""

    id: str
    name: str
    when_to_use: str
    steps: tuple[str, ...]
    checks: tuple[str, ...] = ()
    example_questions: tuple[str, ...] = ()
    domain: str = "general"
    own: bool = False

    def index_texts(self) -> list[str]:
        """What it is found by: the mean of the vectors of these."""
        return [f"{self.name}: {self.when_to_use}", *self.example_questions]

    def index_digest(self) -> str:
        return sha256(orjson.dumps(self.index_texts())).hexdigest()[:32]


class FoundScaffold(Scaffold):
    """A template that was found for a question, best first."""

    similarity: float
    rank: int


class Retrieved(Wire):
    """What came of a search; `problem` says why there was none."""

    scaffolds: tuple[FoundScaffold, ...] = ()
    took_ms: int = 0
    problem: str | None = None


class Retriever(Protocol):
    """`name` is that of its embedder."""

    @property
    def name(self) -> str: ...

    async def find(self, question: str, user: str, *, most: int, minimum: float) -> Retrieved:
        """Never raises for what an embedder or an index may do: that is a `problem` of the result."""
        ...
