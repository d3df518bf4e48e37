"""PostgreSQL's hot path: what `begin` and `append` write, a whole group in one statement.

    WITH fence AS (UPDATE leases … RETURNING 1),
         calls AS (INSERT INTO calls SELECT … FROM unnest($6, $7, …) WHERE every lease is ours),
         …
    SELECT count(*) FROM fence

One statement is one round trip and one transaction. Where it is not enough (erasing, follow-ups,
retries, idempotency keys) there is a transaction around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import asyncpg
import orjson
from sqlalchemy.dialects import postgresql

from moot.clock import now_ms
from moot.store import Append, Begun, Opening, groups
from moot.store.groups import Entangled, Known
from moot.store.journal import COLUMNS, JSON_COLUMNS, ON_CONFLICT, STAGE_TABLES, UPDATES, Line
from moot.store.tables import metadata

Connection = asyncpg.Connection[asyncpg.Record]

_KNOWN = """
    SELECT id, epoch, conversation_id, user_message_id, message_id, new_conversation,
           (SELECT array_agg(key) FROM events WHERE events.run_id = id)
    FROM runs JOIN leases ON leases.run_id = id WHERE id = ANY($1)
"""
_KEYS = """
    SELECT user_id, key, digest, run_id, created_at FROM idempotency_keys
    WHERE (user_id, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))
"""
_RUNNING = "SELECT conversation_id FROM runs WHERE conversation_id = ANY($1) AND status = 'running' LIMIT 1"
_STATUS = "SELECT status FROM runs WHERE id = $1 AND user_id = $2"
_ERASE_MESSAGES = "DELETE FROM messages WHERE id = ANY($1)"
_ERASE_CONVERSATION = (
    "DELETE FROM conversations WHERE id = $1 "
    "AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = $1)"
)
_COPY_ANSWERS = (
    f"INSERT INTO calls ({', '.join(COLUMNS['calls'])}) "
    f"SELECT $1, {', '.join(COLUMNS['calls'][1:])} FROM calls WHERE run_id = $2 AND text IS NOT NULL"
)


@dataclass(slots=True)
class InDoubt:
    """A statement was sent. If the connection breaks, this one fact tells whether all of it was done."""

    query: str
    arguments: Line
    results: list[Any]


class PostgresJournal:
    """Writes groups, and remembers the runs it writes for."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self.in_doubt: InDoubt | None = None

    def forget(self) -> None:
        """What was remembered may not have been written."""
        self.known.clear()

    async def what_was_done(self, connection: Connection) -> list[Any] | None:
        """The results of the statement whose end was never heard of, if it was done."""
        doubt = self.in_doubt
        if doubt is None or not await connection.fetchval(doubt.query, *doubt.arguments):
            return None
        return doubt.results

    async def append(self, connection: Connection, entries: Sequence[Append]) -> list[int | None]:
        await self._look_up(connection, groups.unknown_runs(entries, self.known))
        group = groups.add_up(entries, self.known, now_ms())
        events = group.inserts.get("events")
        self.in_doubt = InDoubt(_IS_TOLD, events[0], group.numbers) if events else None
        if group.erased:
            async with connection.transaction():
                await self._append(connection, entries, group)
                for run in group.erased:
                    await self._erase(connection, run)
        else:
            await self._append(connection, entries, group)
        self.in_doubt = None
        return group.numbers

    async def begin(self, connection: Connection, openings: Sequence[Opening]) -> list[Begun]:
        groups.keep_apart(openings)
        keyed = [o for o in openings if o.idempotency_key is not None]
        plain = not keyed and all(o.new_conversation and o.retry_of is None for o in openings)
        if plain:
            begun, fresh = groups.settle_keys(openings, {})
            await self._begin(connection, fresh, {o.conversation_id for o in fresh}, begun)
        else:
            async with connection.transaction():
                begun = await self._begin_carefully(connection, openings, keyed)
        self.in_doubt = None
        return begun

    async def _begin_carefully(
        self, connection: Connection, openings: Sequence[Opening], keyed: Sequence[Opening]
    ) -> list[Begun]:
        kept = await connection.fetch(_KEYS, [o.user_id for o in keyed], [o.idempotency_key for o in keyed])
        begun, fresh = groups.settle_keys(openings, {(row[0], row[1]): tuple(row)[2:] for row in kept})
        made = await self._find_conversations(connection, fresh)
        await self._begin(connection, fresh, made, begun)
        for opening in fresh:
            if opening.retry_of is not None:
                await connection.execute(_COPY_ANSWERS, opening.run_id, opening.retry_of)
        return begun
