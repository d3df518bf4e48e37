"""SQLite's hot path: what `begin` and `append` write, a whole group at a time.

Plain sqlite3 and a small set of texts, so that the connection keeps every statement prepared: lines
go in by portions of 64, 32, … 1. Nothing here begins or ends a transaction; `sqlite_writer.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from sqlite3 import Connection

from moot.kernel.clock import now_ms
from moot.kernel.limits import LimitUsage
from moot.store import Append, BeginOutcome, NewRun, groups, spending
from moot.store.groups import Known, StoredKey
from moot.store.journal import COLUMNS, ON_CONFLICT, STAGE_TABLES, UPDATES, Line, inherited_columns

LARGEST_PORTION = 64

_KNOWN = """
    SELECT epoch, conversation_id, user_message_id, message_id, new_conversation
    FROM runs JOIN leases ON run_id = id WHERE id = ? AND status = 'running'
"""
_KEYS_TOLD = "SELECT key FROM events WHERE run_id = ?"
_ERASE_MESSAGES = "DELETE FROM messages WHERE id IN (?, ?)"
_ERASE_CONVERSATION = (
    "DELETE FROM conversations WHERE id = ?1 "
    "AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = ?1)"
)
_KEY = "SELECT digest, run_id, created_at FROM idempotency_keys WHERE user_id = ? AND key = ?"
_RUNNING = "SELECT 1 FROM runs WHERE conversation_id = ? AND status = 'running'"
_STATUS = "SELECT status FROM runs WHERE id = ? AND user_id = ?"
_RETRIED = "SELECT id FROM runs WHERE message_id = ? AND retry_of = ?"
_COPY_ANSWERS = (
    f"INSERT INTO calls ({', '.join(COLUMNS['calls'])}) "
    f"SELECT ?, {inherited_columns()} FROM calls WHERE run_id = ? AND text IS NOT NULL"
)
_USAGE = spending.USAGE.replace("$", "?")
_REQUEST = spending.REQUEST.replace("$", "?")


class SQLiteJournal:
    """Writes groups, and remembers the runs it writes for."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.known: dict[str, Known] = {}
        self.refusals = groups.Refusals()

    def forget(self) -> None:
        """What was remembered may not have been written."""
        self.known.clear()

    def append(self, entries: Sequence[Append]) -> list[int | None]:
        self.refusals.check(entries)
        for run_id in groups.unknown_runs(entries, self.known):
            self._look_up(run_id)
        group = groups.add_up(entries, self.known, now_ms())
        if self._update("fence", list(group.fences.values())) != len(group.fences):
            raise groups.lease_lost(entries[0].run_id, entries[0].epoch)
        for table, lines in group.inserts.items():
            self._insert(table, lines)
        for name, lines in group.ends.items():
            self._update(name, lines)
        for run in group.erased:
            self._erase(run)
        return group.numbers

    def begin(self, openings: Sequence[NewRun]) -> list[BeginOutcome]:
        groups.keep_apart(openings)
        kept = {
            (opening.user_id, opening.idempotency_key): StoredKey(*found)
            for opening in openings
            if opening.idempotency_key is not None
            for found in self.db.execute(_KEY, (opening.user_id, opening.idempotency_key))
        }
        begun, fresh = groups.settle_keys(openings, kept)
        for opening in fresh:
            self._check_limits(opening)
        made = self._find_conversations(fresh)
        for table, lines in groups.open_up(fresh, made, self.known).items():
            self._insert(table, lines)
        for opening in fresh:
            if opening.retry_of is not None:
                self.db.execute(_COPY_ANSWERS, (opening.run_id, opening.retry_of))
        return begun

    def _check_limits(self, opening: NewRun) -> None:
        """The transaction has the database to itself: nobody else begins anything meanwhile."""
        if opening.limits is None:
            return
        found = self.db.execute(_USAGE, spending.usage_arguments(opening.user_id, opening.started_at))
        usage = LimitUsage(*found.fetchone())
        breach = spending.breach_by(opening, usage)
        if breach is not None:
            nth = spending.nth_request(opening, breach)
            before = None if nth is None else self.db.execute(_REQUEST, (opening.user_id, nth)).fetchone()
            raise spending.refused(opening, breach, usage, before[0] if before else None)

    def _look_up(self, run_id: str) -> None:
        self.known.pop(run_id, None)
        found = self.db.execute(_KNOWN, (run_id,)).fetchone()
        if found is not None:
            keys = {key for (key,) in self.db.execute(_KEYS_TOLD, (run_id,))}
            self.known[run_id] = groups.known(found, keys)

    def _erase(self, run: Known) -> None:
        self.db.execute(_ERASE_MESSAGES, (run.user_message_id, run.message_id))
        if run.made_conversation:
            self.db.execute(_ERASE_CONVERSATION, (run.conversation_id,))

    def _find_conversations(self, openings: Sequence[NewRun]) -> set[str]:
        """The conversations that are still to be made; those that should be there must be, and be free."""
        made, there = set(), []
        for opening in openings:
            touch = (opening.conversation_id, opening.user_id, opening.started_at)
            if opening.retry_of is not None:
                self._clear_for_retry(opening, opening.retry_of)
                if not self._update("touch", [touch]):
                    made.add(opening.conversation_id)
            elif opening.new_conversation:
                made.add(opening.conversation_id)
                continue
            else:
                there.append(touch)
            if self.db.execute(_RUNNING, (opening.conversation_id,)).fetchone():
                raise groups.busy(opening.conversation_id)
        if self._update("touch", there) != len(there):
            raise groups.no_conversation(there[0][0])
        return made

    def _clear_for_retry(self, opening: NewRun, old_run: str) -> None:
        """Check that the old run may be retried, and remove its message's rows."""
        found = self.db.execute(_STATUS, (old_run, opening.user_id)).fetchone()
        if found is None:
            raise groups.no_run(old_run)
        groups.check_retryable(found[0])
        if newer := self.db.execute(_RETRIED, (opening.message_id, old_run)).fetchone():
            raise groups.retried_already(old_run, newer[0])
        for table in STAGE_TABLES:
            self.db.execute(f"DELETE FROM {table} WHERE message_id = ?", (opening.message_id,))

    def _insert(self, table: str, lines: Sequence[Line]) -> None:
        for portion in _portions(lines):
            self.db.execute(_insertion(table, len(portion)), _flat(portion))

    def _update(self, name: str, lines: Sequence[Line]) -> int:
        """How many rows it changed."""
        return sum(
            self.db.execute(_updating(name, len(portion)), _flat(portion)).rowcount
            for portion in _portions(lines)
        )


def _portions(lines: Sequence[Line]) -> Iterable[Sequence[Line]]:
    start, size = 0, LARGEST_PORTION
    while start < len(lines):
        while size > len(lines) - start:
            size //= 2
        yield lines[start : start + size]
        start += size


def _flat(lines: Sequence[Line]) -> Line:
    return tuple(chain.from_iterable(lines))


@cache
def _insertion(table: str, size: int) -> str:
    columns = COLUMNS[table]
    insertion = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {_places(columns, size)}"
    return f"{insertion} {ON_CONFLICT.get(table, '')}"


@cache
def _updating(name: str, size: int) -> str:
    columns = UPDATES[name].columns
    named = ", ".join(f"column{place} AS {column}" for place, column in enumerate(columns, 1))
    return UPDATES[name].over(f"(SELECT {named} FROM (VALUES {_places(columns, size)})) AS v")


def _places(columns: Sequence[str], size: int) -> str:
    line = f"({', '.join('?' * len(columns))})"
    return ", ".join([line] * size)
