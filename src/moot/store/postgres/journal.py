"""PostgreSQL's hot path: what `begin` and `append` write, a whole group in one statement.

    WITH fence AS (UPDATE leases … RETURNING 1),
         calls_put AS (INSERT INTO calls SELECT … FROM unnest($7, $8, …) WHERE every lease is ours),
         …
    SELECT every lease is ours

One statement is one round trip and one transaction. Where it is not enough (erasing, follow-ups,
retries, idempotency keys) a transaction stands around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import orjson

from moot.kernel.clock import now_ms
from moot.kernel.limits import LimitUsage
from moot.store import Append, BeginOutcome, NewRun, groups, queue, spending
from moot.store.groups import AppendGroup, Entangled, Known, StoredKey
from moot.store.journal import (
    COLUMNS,
    JSON_COLUMNS,
    ON_CONFLICT,
    STAGE_TABLES,
    UPDATES,
    Line,
    inherited_columns,
)
from moot.store.tables import metadata

_KNOWN = """
    SELECT id, epoch, conversation_id, user_message_id, message_id, new_conversation,
           (SELECT array_agg(key) FROM events WHERE events.run_id = id)
    FROM runs JOIN leases ON leases.run_id = id WHERE id = ANY($1) AND status = 'running'
"""
_KEYS = """
    SELECT user_id, key, digest, run_id, created_at FROM idempotency_keys
    WHERE (user_id, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))
"""
_RUNNING = "SELECT conversation_id FROM runs WHERE conversation_id = ANY($1) AND status = 'running' LIMIT 1"
_STATUS = "SELECT status FROM runs WHERE id = $1 AND user_id = $2"
_RETRIED = "SELECT id FROM runs WHERE message_id = $1 AND retry_of = $2 LIMIT 1"
_ERASE_MESSAGES = "DELETE FROM messages WHERE id IN ($1, $2)"
_ERASE_CONVERSATION = (
    "DELETE FROM conversations WHERE id = $1 "
    "AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = $1)"
)
_COPY_ANSWERS = (
    f"INSERT INTO calls ({', '.join(COLUMNS['calls'])}) "
    f"SELECT $1, {inherited_columns()} FROM calls WHERE run_id = $2 AND text IS NOT NULL"
)
_IS_TOLD = (
    "SELECT 1 FROM events "
    "WHERE run_id = $1 AND number = $2 AND key = $3 AND type = $4 AND at = $5 AND body = $6"
)
_HAS_ENDED = "SELECT 1 FROM runs WHERE id = $1 AND status = $2"
_LOCK_PERSON = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
_HAS_BEGUN = "SELECT 1 FROM runs WHERE id = $1"


@dataclass(frozen=True, slots=True)
class InDoubt:
    """What was sent last. Should the connection break, one fact tells whether all of it was written."""

    fact: str
    arguments: Line
    results: list[Any]


class PostgresJournal:
    """Writes groups, and remembers the runs it writes for."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self.refusals = groups.Refusals()
        self.in_doubt: InDoubt | None = None

    def forget(self) -> None:
        """What was remembered may not have been written."""
        self.known.clear()

    async def what_was_written(self, connection: asyncpg.Connection) -> list[Any] | None:
        """The results of what was sent before the connection broke, if it was written."""
        sent = self.in_doubt
        if sent is None or not await connection.fetchval(sent.fact, *sent.arguments):
            return None
        return sent.results

    async def append(self, connection: asyncpg.Connection, entries: Sequence[Append]) -> list[int | None]:
        self.refusals.check(entries)
        await self._look_up(connection, groups.unknown_runs(entries, self.known))
        group = groups.add_up(entries, self.known, now_ms())
        self.in_doubt = _in_doubt(group)
        if group.erased:
            async with connection.transaction():
                await self._append(connection, entries, group)
                for run in group.erased:
                    await self._erase(connection, run)
        else:
            await self._append(connection, entries, group)
        return group.numbers

    async def begin(self, connection: asyncpg.Connection, openings: Sequence[NewRun]) -> list[BeginOutcome]:
        groups.keep_apart(openings)
        keyed = [opening for opening in openings if opening.idempotency_key is not None]
        try:
            if not keyed and all(map(_is_plain, openings)):
                begun, fresh = groups.settle_keys(openings, {})
                await self._begin(connection, fresh, {opening.conversation_id for opening in fresh}, begun)
                return begun
            async with connection.transaction():
                return await self._begin_carefully(connection, openings, keyed)
        except asyncpg.UniqueViolationError as error:
            if error.constraint_name == "idx_runs_running":
                raise groups.busy(openings[0].conversation_id) from error
            raise

    async def _look_up(self, connection: asyncpg.Connection, run_ids: set[str]) -> None:
        if not run_ids:
            return
        for run_id in run_ids:
            self.known.pop(run_id, None)
        for run_id, *found, keys in await connection.fetch(_KNOWN, list(run_ids)):
            self.known[run_id] = groups.known(found, set(keys or ()))

    async def _append(
        self, connection: asyncpg.Connection, entries: Sequence[Append], group: AppendGroup
    ) -> None:
        # Sorted, so that the same tables make the same statement, which is then already prepared.
        inserts, ends = sorted(group.inserts.items()), sorted(group.ends.items())
        statement = _appending(tuple(table for table, _ in inserts), tuple(name for name, _ in ends))
        arguments = _arguments("leases", UPDATES["fence"].columns, list(group.fences.values()))
        arguments.append(len(group.fences))
        for table, lines in inserts:
            arguments += _arguments(table, COLUMNS[table], lines)
        for name, lines in ends:
            arguments += _arguments(UPDATES[name].table, UPDATES[name].columns, lines)
        if not await connection.fetchval(statement, *arguments):
            raise groups.lease_lost(entries[0].run_id, entries[0].epoch)

    async def _erase(self, connection: asyncpg.Connection, run: Known) -> None:
        await connection.execute(_ERASE_MESSAGES, run.user_message_id, run.message_id)
        if run.made_conversation:
            await connection.execute(_ERASE_CONVERSATION, run.conversation_id)

    async def _begin_carefully(
        self, connection: asyncpg.Connection, openings: Sequence[NewRun], keyed: Sequence[NewRun]
    ) -> list[BeginOutcome]:
        kept = await connection.fetch(_KEYS, [o.user_id for o in keyed], [o.idempotency_key for o in keyed])
        begun, fresh = groups.settle_keys(
            openings, {(user, key): StoredKey(*found) for user, key, *found in kept}
        )
        await self._check_limits(connection, fresh)
        made = await self._find_conversations(connection, fresh)
        await self._begin(connection, fresh, made, begun)
        for opening in fresh:
            if opening.retry_of is not None:
                await connection.execute(_COPY_ANSWERS, opening.run_id, opening.retry_of)
        return begun

    async def _check_limits(self, connection: asyncpg.Connection, openings: Sequence[NewRun]) -> None:
        """Whoever else begins a run of the same person, in whichever process, waits until this is written."""
        limited = sorted((o for o in openings if o.limits is not None), key=lambda o: o.user_id)
        for opening in limited:
            await connection.execute(_LOCK_PERSON, opening.user_id)
            arguments = spending.usage_arguments(opening.user_id, opening.started_at)
            usage = LimitUsage(*await connection.fetchrow(spending.USAGE, *arguments))
            breach = spending.breach_by(opening, usage)
            if breach is not None:
                nth = spending.nth_request(opening, breach)
                before = (
                    None if nth is None else await connection.fetchval(spending.REQUEST, opening.user_id, nth)
                )
                raise spending.refused(opening, breach, usage, before)

    async def _begin(
        self,
        connection: asyncpg.Connection,
        openings: Sequence[NewRun],
        made: set[str],
        begun: list[BeginOutcome],
    ) -> None:
        if not openings:
            return
        self.in_doubt = InDoubt(_HAS_BEGUN, (openings[0].run_id,), begun)
        inserts = groups.open_up(openings, made, self.known)
        arguments: list[Any] = []
        for table, lines in inserts.items():
            arguments += _arguments(table, COLUMNS[table], lines)
        keys = await connection.fetchval(_beginning(tuple(inserts)), *arguments)
        if keys != len(inserts.get("idempotency_keys", ())):
            raise Entangled("Another process has just used the same idempotency key.")

    async def _find_conversations(
        self, connection: asyncpg.Connection, openings: Sequence[NewRun]
    ) -> set[str]:
        """The conversations that are still to be made; those that should be there must be, and be free."""
        made, there, retried = set(), [], []
        for opening in openings:
            touch = (opening.conversation_id, opening.user_id, opening.started_at)
            if opening.retry_of is not None:
                retried.append(opening.conversation_id)
                await self._clear_for_retry(connection, opening, opening.retry_of)
                if not await self._touch(connection, [touch]):
                    made.add(opening.conversation_id)
            elif opening.new_conversation:
                made.add(opening.conversation_id)
            else:
                there.append(touch)
        if await self._touch(connection, there) != len(there):
            raise groups.no_conversation(there[0][0])
        # Only now: touching waited for whoever begins a run of the same conversation.
        busy = await connection.fetchval(
            _RUNNING, [*retried, *(conversation for conversation, _, _ in there)]
        )
        if busy is not None:
            raise groups.busy(busy)
        return made

    async def _touch(self, connection: asyncpg.Connection, lines: Sequence[Line]) -> int:
        if not lines:
            return 0
        update = UPDATES["touch"]
        arguments = _arguments(update.table, update.columns, lines)
        statement = update.over(_source(update.table, update.columns, 1))
        return len(await connection.fetch(f"{statement} RETURNING 1", *arguments))

    async def _clear_for_retry(self, connection: asyncpg.Connection, opening: NewRun, old_run: str) -> None:
        """Check that the old run may be retried, and remove its message's rows."""
        status = await connection.fetchval(_STATUS, old_run, opening.user_id)
        if status is None:
            raise groups.no_run(old_run)
        groups.check_retryable(status)
        if newer := await connection.fetchval(_RETRIED, opening.message_id, old_run):
            raise groups.retried_already(old_run, newer)
        for table in STAGE_TABLES:
            await connection.execute(f"DELETE FROM {table} WHERE message_id = $1", opening.message_id)


def _is_plain(opening: NewRun) -> bool:
    """Whether one statement is enough to begin this run: there is nothing to look at first."""
    return opening.new_conversation and opening.retry_of is None and opening.limits is None


@cache
def _appending(inserts: tuple[str, ...], ends: tuple[str, ...]) -> str:
    """The leases are locked in the order of their ids, as a heartbeat locks them: no deadlock."""
    fence = UPDATES["fence"]
    ours = f"(SELECT count(*) FROM fence) = ${len(fence.columns) + 1}::bigint"
    place = len(fence.columns) + 2
    parts = [
        f"given AS (SELECT * FROM {_source(fence.table, fence.columns, 1)})",
        "held AS (SELECT leases.run_id FROM leases JOIN given USING (run_id, epoch) "
        "ORDER BY leases.run_id FOR UPDATE OF leases)",
        f"fence AS ({fence.over('given AS v')} AND leases.run_id IN (SELECT run_id FROM held) RETURNING 1)",
    ]
    for table in inserts:
        parts.append(f"{table}_put AS ({_insertion(table, place, f'WHERE {ours}')})")
        place += len(COLUMNS[table])
    for name in ends:
        update = UPDATES[name]
        parts.append(f"{name} AS ({update.over(_source(update.table, update.columns, place))} AND {ours})")
        place += len(update.columns)
    return f"WITH {', '.join(parts)} SELECT {ours}"


@cache
def _beginning(inserts: tuple[str, ...]) -> str:
    parts, place = [], 1
    for table in inserts:
        parts.append(f"{table}_put AS ({_insertion(table, place)} RETURNING 1)")
        place += len(COLUMNS[table])
    keys = "(SELECT count(*) FROM idempotency_keys_put)" if "idempotency_keys" in inserts else "0"
    woken = f" FROM ({queue.WAKE}) AS woken" if "waiting_runs" in inserts else ""
    return f"WITH {', '.join(parts)} SELECT {keys}{woken}"


def _insertion(table: str, place: int, condition: str = "") -> str:
    columns = COLUMNS[table]
    values = ", ".join(_value(table, name) for name in columns)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} "
        f"FROM {_source(table, columns, place)} {condition} {ON_CONFLICT.get(table, '')}"
    )


def _value(table: str, name: str) -> str:
    if (table, name) == ("waiting_runs", "turn"):
        return queue.TURN
    return f"v.{name}::jsonb" if name in JSON_COLUMNS else f"v.{name}"


def _source(table: str, columns: Sequence[str], place: int) -> str:
    """Lines as a table `v`, from one array a column, the first of them parameter number `place`."""
    arrays = (f"${at}::{_type_of(table, name)}[]" for at, name in enumerate(columns, place))
    return f"unnest({', '.join(arrays)}) AS v({', '.join(columns)})"


@cache
def _type_of(table: str, name: str) -> str:
    if name == "is_over":
        return "boolean"
    if name in JSON_COLUMNS or name == "instead_of":
        return "text"
    known_as = str(metadata.tables[table].c[name].type).lower()
    return "double precision" if known_as == "double" else known_as


def _arguments(table: str, columns: Sequence[str], lines: Iterable[Line]) -> list[Any]:
    """One array a column."""
    arrays: list[Any] = []
    for name, values in zip(columns, zip(*lines, strict=True), strict=True):
        is_text = _type_of(table, name) == "text"
        arrays.append([_without_nul(name, value) for value in values] if is_text else values)
    return arrays


def _without_nul(name: str, value: str | None) -> str | None:
    """PostgreSQL's text cannot hold the character 0; a model's reply can."""
    if value is None:
        return None
    if name in JSON_COLUMNS:
        return orjson.dumps(_deeply(orjson.loads(value))).decode() if "\\u0000" in value else value
    return value.replace("\x00", "\ufffd") if "\x00" in value else value


def _deeply(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\x00", "\ufffd")
        case list():
            return [_deeply(item) for item in value]
        case Mapping():
            return {_deeply(key): _deeply(item) for key, item in value.items()}
        case _:
            return value


def _in_doubt(group: AppendGroup) -> InDoubt | None:
    """Without an event or an end there is nothing that must not be written twice."""
    if events := group.inserts.get("events"):
        return InDoubt(_IS_TOLD, events[0], group.numbers)
    if ends := group.ends.get("end_runs"):
        return InDoubt(_HAS_ENDED, ends[0][:2], group.numbers)
    return None
