"""Housekeeping: what is old is deleted, and who is to be deleted; a little at a time, beside the runs.

Every process that takes up runs looks after this, each minute for people, each hour for the rest. What was
begun and not finished is found in the database by the next one.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from moot.kernel.clock import now_ms
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.user import LOCAL_USER
from moot.store import retention, runs, search, spending

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.05
"""Between two transactions, for those who wait to write."""
DAY_MS = 86_400_000
LINGER_MS = 10 * 60_000
"""How long something of a deleted person is still looked for: a question may have been under way."""


async def keep_house(engine: Engine, *, thoroughly: bool) -> None:
    """One round."""
    await continue_deletions(engine)
    if thoroughly:
        await engine.store.change(lambda db: runs.purge_idempotency(db, now_ms()))
        await engine.store.change(lambda db: spending.purge(db, now_ms()))
        await delete_outdated(engine)


async def delete_outdated(engine: Engine) -> int:
    """Delete conversations that nobody has added to for `retention_days`; how many."""
    days = engine.settings.retention_days
    if days is None:
        return 0
    before, deleted = now_ms() - days * DAY_MS, 0
    while gone := await _delete_some(engine, before):
        deleted += gone
        await asyncio.sleep(PAUSE_SECONDS)
    if deleted:
        await _forget_words(engine)
        log.info("conversations deleted for their age", extra={"fields": {"conversations": deleted}})
    return deleted


async def _delete_some(engine: Engine, before: int) -> int:
    """None while another process is at it, or if somebody has just come back to them."""
    await engine.store.change(lambda db: retention.delete_outdated_batches(db, before))
    found = await engine.store.read(lambda db: retention.outdated_conversations(db, before, retention.BATCH))
    if not found:
        return 0
    return await engine.store.change(lambda db: retention.delete_outdated(db, found, before, now_ms()))


async def _forget_words(engine: Engine) -> None:
    """What was deleted can no longer be searched for; now its words go too."""
    more = await engine.store.change(lambda db: search.forget_words(db, first=True))
    while more:
        await asyncio.sleep(PAUSE_SECONDS)
        more = await engine.store.change(lambda db: search.forget_words(db, first=False))


async def continue_deletions(engine: Engine) -> None:
    """Delete what is left of everybody who is to be deleted."""
    for user_id, requested_at in await engine.store.read(retention.requested_deletions):
        over = now_ms() - requested_at > LINGER_MS
        await delete_all_of(engine, user_id, forever=over)


async def delete_all_of(engine: Engine, user_id: str, *, forever: bool = False) -> None:
    """Stop what runs for a person and delete all that is theirs. Their deletion has been requested."""
    store = engine.store
    for run_id in await store.read(lambda db: retention.running_runs_of(db, user_id)):
        with suppress(Conflict, NotFound):  # it may have ended meanwhile
            await engine.cancel(run_id, user=user_id)
    some = retention.BATCH
    while some == retention.BATCH:
        some = await store.change(lambda db: retention.delete_conversations_of(db, user_id, retention.BATCH))
        await asyncio.sleep(PAUSE_SECONDS)
    # Whoever has no account of ours, or asks from the command line, may be back at once.
    comes_back = user_id == LOCAL_USER or engine.settings.identification != "accounts"
    await store.change(lambda db: retention.finish_deletion(db, user_id, forever=forever or comes_back))
    await _forget_words(engine)
