"""Batches as people see them: made, listed, read, cancelled."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from hashlib import sha256

import orjson

from moot.batches import queries
from moot.batches.lines import BatchLine
from moot.batches.queries import BatchStatus, StoredBatch
from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, KeyReused, NotFound
from moot.kernel.values import Wire

_NAMES = uuid.UUID("6d6f6f74-0000-5000-8000-000000000001")
"""What the ids of questions that have a name are made from."""


class BatchView(Wire):
    """`status`: running, complete, stopped (`reason` says why) or cancelled. `questions` is how many there
    are; then how many of them are in each state: waiting to be asked, running, with an answer that is
    complete or degraded, failed, cancelled, refused (never asked), deleted. `spent` is in dollars and
    includes what running ones may still cost, where money is limited."""

    id: str
    name: str | None
    status: BatchStatus
    reason: str | None
    questions: int
    waiting: int
    running: int
    complete: int
    degraded: int
    failed: int
    cancelled: int
    refused: int
    deleted: int
    spent: float
    budget: float | None
    at_once: int
    created_at: str
    finished_at: str | None


async def create_batch(
    engine: Engine,
    user: str,
    lines: Sequence[BatchLine],
    *,
    name: str | None = None,
    budget: float | None = None,
    at_once: int,
    served: bool,
    key: str | None = None,
) -> StoredBatch:
    """Store a batch. The same `key` again gives the same batch. Raises KeyReused if its lines differ."""
    digests = [_digest(line) for line in lines]
    id = uuid.uuid4().hex if key is None else uuid.uuid5(_NAMES, f"{user}\n{key}").hex
    digest = sha256(orjson.dumps([digests, budget, at_once, name])).hexdigest()
    run_ids = [uuid.uuid4().hex for _ in lines]
    batch, is_new = await _insert(engine, user, lines, run_ids, id, digest, name, budget, at_once, served)
    if not is_new and batch.digest != digest:
        raise KeyReused("This Idempotency-Key was used with another batch")
    return batch


async def open_batch(
    engine: Engine, user: str, lines: Sequence[BatchLine], *, name: str, budget: float | None, at_once: int
) -> StoredBatch:
    """The batch of a program, by its name: what was asked under that name before is not asked again, however
    its file has changed since."""
    digests = [_digest(line) for line in lines]
    run_ids, seen = [], dict[str, int]()
    for digest in digests:
        seen[digest] = seen.get(digest, 0) + 1
        run_ids.append(uuid.uuid5(_NAMES, f"{user}\n{name}\n{digest}\n{seen[digest]}").hex)
    id = uuid.uuid5(_NAMES, "\n".join((user, name, *run_ids))).hex
    batch, is_new = await _insert(engine, user, lines, run_ids, id, "", name, budget, at_once, False)
    if is_new:
        return batch
    await engine.store.change(lambda db: queries.reopen(db, id, budget, at_once))
    return await find_batch(engine, user, id)


async def _insert(
    engine: Engine,
    user: str,
    lines: Sequence[BatchLine],
    run_ids: Sequence[str],
    id: str,
    digest: str,
    name: str | None,
    budget: float | None,
    at_once: int,
    served: bool,
) -> tuple[StoredBatch, bool]:
    new = StoredBatch(
        id, user, name, digest, "running", None, budget, at_once, served, None, 0, now_ms(), None
    )
    rows = [
        {"line": line.number, "custom_id": line.id, "request": line.ask.model_dump_json(), "run_id": run_id}
        for line, run_id in zip(lines, run_ids, strict=True)
    ]
    is_new = await engine.store.change(lambda db: queries.insert(db, new, rows))
    return await find_batch(engine, user, id), is_new


def _digest(line: BatchLine) -> str:
    asked = orjson.dumps([line.id, line.ask.model_dump()], option=orjson.OPT_SORT_KEYS)
    return sha256(asked).hexdigest()


async def find_batch(engine: Engine, user: str, id: str) -> StoredBatch:
    found = await engine.store.read(lambda db: queries.batch(db, id, user))
    if found is None:
        raise NotFound(f"There is no batch {id}")
    return found


async def read_batch(engine: Engine, user: str, id: str) -> BatchView:
    return await _view(engine, await find_batch(engine, user, id))


async def list_batches(
    engine: Engine, user: str, *, limit: int, cursor: str | None
) -> tuple[list[BatchView], str | None]:
    """The newest first, and where the next page begins."""
    page = await engine.store.read(lambda db: queries.batches_list(db, user, limit, cursor))
    return [await _view(engine, one) for one in page.items], page.next_cursor


async def cancel_batch(engine: Engine, user: str, id: str) -> BatchView:
    """Ask no further question, and stop those that are being answered. Raises Conflict if it is over."""
    batch = await find_batch(engine, user, id)
    if not await engine.store.change(lambda db: queries.end(db, id, "cancelled", None, now_ms())):
        raise Conflict(f"The batch is {batch.status} and cannot be cancelled")
    for question in await engine.store.read(lambda db: queries.questions(db, id)):
        if question.state == "running":
            await _stop(engine, user, question.run_id)
    return await read_batch(engine, user, id)


async def _stop(engine: Engine, user: str, run_id: str) -> None:
    try:
        await engine.cancel(run_id, user=user)
    except (Conflict, NotFound):
        return  # it has come to its end meanwhile


async def _view(engine: Engine, batch: StoredBatch) -> BatchView:
    counts, spent = await engine.store.read(
        lambda db: (queries.counts(db, batch.id), queries.spent(db, batch.id))
    )
    states = ("waiting", "running", "complete", "degraded", "failed", "cancelled", "refused", "deleted")
    return BatchView(
        id=batch.id,
        name=batch.name,
        status=batch.status,
        reason=batch.reason,
        questions=sum(counts.values()),
        **{state: counts.get(state, 0) for state in states},
        spent=spent,
        budget=batch.budget,
        at_once=batch.at_once,
        created_at=iso(batch.created_at),
        finished_at=None if batch.finished_at is None else iso(batch.finished_at),
    )
