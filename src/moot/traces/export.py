"""Export: a person's good traces as files to fine-tune a model with, and an account of what was left out.

    manifest = await export(engine, "local", ExportRequest(format="chat"), folder)
    folder/ train.jsonl  validation.jsonl  manifest.json

Two passes: first who is in, by scores and vectors alone; then trace after trace is read and written, so
that a large set never stands in memory. The same traces give the same bytes.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import Field

from moot.kernel.clock import LATEST
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound
from moot.kernel.retriever import Scaffold
from moot.kernel.values import Wire
from moot.modes.dialectic.trace import THRESHOLD, exclusions
from moot.store.provider_keys import SERVER
from moot.templates.collection import list_templates
from moot.templates.embedding import NoEmbedding, beginning, embedder_for
from moot.traces.collection import whole_trace
from moot.traces.formats import (
    SPLIT_SEED,
    VALIDATION_SHARE,
    Format,
    has_secrets,
    normal_question,
    place_in_split,
    records,
    tokens_of,
)
from moot.traces.queries import StoredTrace, TraceFilter, every_trace

if TYPE_CHECKING:
    from moot.templates.embedding import Vectors

SAME = 0.92
"""Questions whose vectors are this near are one question."""
FEW = 50
LONGEST = 4096
TRAIN, VALIDATION, MANIFEST = "train.jsonl", "validation.jsonl", "manifest.json"
HINT = {
    "method": "LoRA",
    "rank": 16,
    "alpha": 32,
    "learning_rate": 0.0002,
    "schedule": "cosine",
    "batch": 4,
    "accumulation": 4,
    "epochs": 3,
    "tokens": 4096,
    "quantisation": "4-bit",
}


class Filters(Wire):
    """Which traces are good enough."""

    min_quality: Annotated[float, Field(ge=1, le=10, description="Least rating, or score if unrated.")] = (
        THRESHOLD
    )
    max_tokens: Annotated[int, Field(ge=1, description="Longest question with its answer, in tokens.")] = (
        LONGEST
    )
    same_model: Annotated[
        bool, Field(description="Leave out traces in which one model was proposer and skeptic.")
    ] = False
    secrets: Annotated[
        Literal["mask", "drop"], Field(description="Mask addresses and keys, or leave the trace out.")
    ] = "mask"
    similar: Annotated[
        float,
        Field(gt=0, le=1, description="From this similarity on, questions are duplicates; the best is kept."),
    ] = SAME
    search: Annotated[str | None, Field(max_length=500, description="Text of the question or answer.")] = None
    since: Annotated[
        int | None, Field(ge=0, le=LATEST, description="From this moment on, ms since 1970.")
    ] = None
    until: Annotated[int | None, Field(ge=0, le=LATEST, description="Before this moment, ms since 1970.")] = (
        None
    )


class ExportRequest(Wire):
    """Which traces to export, and how."""

    format: Format = "chat"
    filters: Filters = Filters()
    with_scaffold: Annotated[
        bool, Field(description="Chat: name the scaffold's steps in the system turn.")
    ] = False
    split: Annotated[
        float, Field(ge=0, le=0.5, description="Which share of the questions is for validation.")
    ] = VALIDATION_SHARE


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the first pass keeps of a trace: of its question, what tells it from others."""

    id: str
    beginning: str
    digest: bytes
    place: float
    quality: float
    started_at: int

    @classmethod
    def of(cls, id: str, question: str, quality: float, started_at: int) -> Candidate:
        digest = sha256(normal_question(question).encode()).digest()
        return cls(id, beginning(question), digest, place_in_split(question), quality, started_at)

    @property
    def rank(self) -> tuple[float, int, str]:
        """The best score, then the newest."""
        return (-self.quality, -self.started_at, self.id)


async def export(engine: Engine, user: str, request: ExportRequest, folder: Path) -> dict[str, Any]:
    """Write the three files; the manifest is what is returned."""
    candidates, excluded, total, method = await select_candidates(engine, user, request.filters)
    validation = for_validation(candidates, request.split)
    scaffolds = {scaffold.id: scaffold for scaffold in await list_templates(engine, user)}
    counts = Counter[str]()
    with (folder / TRAIN).open("wb") as train, (folder / VALIDATION).open("wb") as held_out:
        for one in candidates:
            lines = await lines_of(engine, user, one.id, request, scaffolds)
            if not lines:
                excluded["gone" if lines is None else "no_pair"] += 1
                continue
            name = VALIDATION if one.id in validation else TRAIN
            counts[name] += len(lines)
            await asyncio.to_thread((held_out if name == VALIDATION else train).writelines, lines)
    manifest = {
        "format": request.format,
        "traces": total,
        "exported": len(candidates) - excluded["no_pair"] - excluded["gone"],
        "records": {"train": counts[TRAIN], "validation": counts[VALIDATION]},
        "excluded": dict(sorted((+excluded).items())),
        "filters": request.filters.model_dump(by_alias=False),
        "with_scaffold": request.with_scaffold,
        "deduplicated_by": method,
        "split": request.split,
        "split_seed": SPLIT_SEED,
        "sha256": await asyncio.to_thread(_digests, folder),
        "warnings": [f"Fewer than {FEW} examples."] if counts.total() < FEW else [],
        "training_hint": HINT,
    }
    document = orjson.dumps(manifest, option=orjson.OPT_INDENT_2)
    await asyncio.to_thread((folder / MANIFEST).write_bytes, document)
    return manifest


class Selection(NamedTuple):
    """Those that are in, the oldest first; why the others are not, counted; how many there were; and by
    which method like questions were found."""

    candidates: list[Candidate]
    excluded: Counter[str]
    total: int
    method: str


async def select_candidates(engine: Engine, user: str, filters: Filters) -> Selection:
    """The first pass."""
    trace_filter = TraceFilter(search=filters.search, since=filters.since, until=filters.until)

    def sift(db: Any) -> tuple[list[Candidate], Counter[str], int]:
        candidates, excluded, count = list[Candidate](), Counter[str](), 0
        for trace in every_trace(db, user, trace_filter):
            count += 1
            reasons = exclusion_reasons(trace, filters)
            excluded.update(reasons)
            if not reasons:
                candidates.append(
                    Candidate.of(trace.trace_id, trace.query, trace.quality_score or 0.0, trace.started_at)
                )
        return candidates, excluded, count

    candidates, excluded, total = await engine.store.read(sift)
    unique, method = await drop_similar(engine, distinct(candidates), filters.similar)
    if len(unique) < len(candidates):
        excluded["duplicate"] = len(candidates) - len(unique)
    return Selection(sorted(unique, key=lambda one: (one.started_at, one.id)), excluded, total, method)


async def drop_similar(
    engine: Engine, candidates: list[Candidate], similar: float
) -> tuple[list[Candidate], str]:
    """Those whose questions differ in what they mean, and the method that told them apart."""
    try:
        embedder = embedder_for(engine.settings, await engine.keys.of(SERVER))
        if len(candidates) < 2:
            return candidates, embedder.name
        vectors = await embedder.embed([one.beginning for one in candidates])
    except NoEmbedding as problem:
        return candidates, f"exact text alone: {problem}"
    return await asyncio.to_thread(dissimilar, candidates, vectors, similar), embedder.name


def exclusion_reasons(trace: StoredTrace, filters: Filters) -> list[str]:
    """Why a trace is left out, by name."""
    reasons = list(
        exclusions(
            quality=trace.quality_score,
            rounds=trace.total_rounds,
            answer=trace.final_answer,
            had_error=trace.had_error,
            threshold=filters.min_quality,
        )
    )
    if tokens_of(trace.query, trace.final_answer) > filters.max_tokens:
        reasons.append("too_long")
    if filters.same_model and trace.same_model:
        reasons.append("same_model")
    if filters.secrets == "drop" and has_secrets(f"{trace.query}\n{trace.final_answer}"):
        reasons.append("secrets")
    return reasons


def distinct(candidates: list[Candidate]) -> list[Candidate]:
    """One of each question, word for word, best first."""
    best: dict[bytes, Candidate] = {}
    for one in sorted(candidates, key=lambda one: one.rank):
        best.setdefault(one.digest, one)
    return list(best.values())


def dissimilar(candidates: list[Candidate], vectors: Vectors, similar: float) -> list[Candidate]:
    """Those that are like none that ranks before them."""
    import numpy as np

    unique: list[Candidate] = []
    rows = np.empty_like(vectors)
    for one, vector in zip(candidates, vectors, strict=True):
        if not unique or float((rows[: len(unique)] @ vector).max()) < similar:
            rows[len(unique)] = vector
            unique.append(one)
    return unique


def for_validation(candidates: list[Candidate], share: float = VALIDATION_SHARE) -> set[str]:
    """The share, by the question alone; of ten or more at least one."""
    ids = {one.id for one in candidates if one.place < share}
    if not ids and len(candidates) >= 10 and share > 0:
        ids = {min(candidates, key=lambda one: one.place).id}
    return ids


async def lines_of(
    engine: Engine, user: str, id: str, request: ExportRequest, scaffolds: dict[str, Scaffold]
) -> list[bytes] | None:
    """The records of a trace; None if it has gone since the first pass."""
    try:
        trace = await whole_trace(engine, user, id)
    except NotFound:
        return None
    used = [scaffolds[one] for one in trace.stored.templates_used if one in scaffolds]

    def serialize() -> list[bytes]:
        lines = records(request.format, trace.result, trace.document, used, request.with_scaffold)
        return [orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines]

    return await asyncio.to_thread(serialize)


def _digests(folder: Path) -> dict[str, str]:
    digests = {}
    for name in (TRAIN, VALIDATION):
        with (folder / name).open("rb") as file:
            digests[name] = file_digest(file, "sha256").hexdigest()
    return digests
