"""The hot statements of SQLite: what `begin` and `append` write, one entry at a time.

Plain sqlite3 with constant text, so that the connection keeps every statement prepared. Nothing
here begins or ends a transaction: `sqlite.py` does, once for all that is waiting.
"""

from __future__ import annotations

from sqlite3 import Connection

from moot.store import Append, Begun, Ending, Opening, Told, journal
from moot.store.journal import CALL_COLUMNS, KEY_LIFETIME_MS, RETRYABLE, STAGE_COLUMNS


def _insert(table: str, columns: tuple[str, ...], on_conflict: str = "") -> str:
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) {on_conflict}"
    )


_FENCE = "UPDATE leases SET active_ms = ?, lease_until = ? WHERE run_id = ? AND epoch = ?"
_CALL = _insert("calls", CALL_COLUMNS, "ON CONFLICT DO NOTHING")
_COPY_ANSWERS = (
    f"INSERT INTO calls ({', '.join(CALL_COLUMNS)}) "
    f"SELECT ?, {', '.join(CALL_COLUMNS[1:])} FROM calls WHERE run_id = ? AND text IS NOT NULL"
)
_DECISION = _insert("decisions", ("run_id", "step", "value"), "ON CONFLICT DO NOTHING")
_EVENT = """
    INSERT INTO events (run_id, number, key, type, at, body)
    SELECT ?1, 1 + coalesce(max(number), 0), ?2, ?3, ?4, ?5 FROM events WHERE run_id = ?1
    ON CONFLICT (run_id, key) DO NOTHING RETURNING number
"""
_STAGES = {
    table: _insert(table, ("id", "message_id", *columns), "ON CONFLICT (id) DO NOTHING")
    for table, columns in STAGE_COLUMNS.items()
}
_WHERE_IT_SHOWS = (
    "SELECT conversation_id, user_message_id, message_id, new_conversation FROM runs WHERE id = ?"
)
_END_RUN = "UPDATE runs SET status = ?, error = ?, finished_at = ? WHERE id = ?"
_END_LEASE = "UPDATE leases SET owner = NULL, lease_until = 0 WHERE run_id = ?"
_END_MESSAGE = "UPDATE messages SET content = ?, status = ?, error = ? WHERE id = ?"
_END_CONVERSATION = "UPDATE conversations SET title = coalesce(?, title), updated_at = ? WHERE id = ?"
_ERASE_MESSAGES = "DELETE FROM messages WHERE id IN (?, ?)"
_ERASE_CONVERSATION = (
    "DELETE FROM conversations WHERE id = ?1 "
    "AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = ?1)"
)

_KEY = "SELECT digest, run_id FROM idempotency_keys WHERE user_id = ? AND key = ? AND created_at > ?"
_KEEP_KEY = _insert(
    "idempotency_keys",
    ("user_id", "key", "digest", "run_id", "created_at"),
    "ON CONFLICT (user_id, key) DO UPDATE "
    "SET digest = excluded.digest, run_id = excluded.run_id, created_at = excluded.created_at",
)
_RUNNING = "SELECT 1 FROM runs WHERE conversation_id = ? AND status = 'running'"
_STATUS = "SELECT status FROM runs WHERE id = ? AND user_id = ?"
_CONVERSATION = (
    "INSERT INTO conversations (id, user_id, title, mode, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)"
)
_TOUCH = "UPDATE conversations SET updated_at = ? WHERE id = ? AND user_id = ?"
_MESSAGE = (
    "INSERT INTO messages (id, conversation_id, role, content, status, created_at) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (id) DO UPDATE SET content = excluded.content, status = excluded.status, error = NULL"
)
_RUN = _insert(
    "runs",
    (
        "id",
        "user_id",
        "conversation_id",
        "user_message_id",
        "message_id",
        "mode",
        "question",
        "config",
        "history",
        "seed",
        "status",
        "retry_of",
        "new_conversation",
        "started_at",
    ),
)
_LEASE = _insert("leases", ("run_id", "owner", "lease_until", "epoch", "active_ms", "cancel_requested"))


def append(db: Connection, entry: Append, now: int) -> int | None:
    fence = (entry.active_ms, entry.lease_until, entry.run_id, entry.epoch)
    if db.execute(_FENCE, fence).rowcount == 0:
        raise journal.lease_lost(entry.run_id, entry.epoch)
    if entry.call is not None:
        db.execute(_CALL, journal.call_row(entry.run_id, entry.call))
    if entry.decision is not None:
        step, value = entry.decision
        db.execute(_DECISION, (entry.run_id, step, value.decode()))
    number = None if entry.told is None else _tell(db, entry.run_id, entry.told)
    if number is not None and entry.rows:
        _keep_rows(db, entry, number, now)
    if entry.ending is not None:
        _end(db, entry.run_id, entry.ending, now)
    return number


def _tell(db: Connection, run_id: str, told: Told) -> int | None:
    values = (run_id, told.key, told.type, told.at, told.body.decode())
    found: tuple[int] | None = db.execute(_EVENT, values).fetchone()
    return None if found is None else found[0]


def _keep_rows(db: Connection, entry: Append, number: int, now: int) -> None:
    message_id = db.execute(_WHERE_IT_SHOWS, (entry.run_id,)).fetchone()[2]
    for index, row in enumerate(entry.rows):
        row_id = journal.row_id(entry.run_id, number, index)
        table, values = journal.stage_row(row, row_id, message_id, now)
        db.execute(_STAGES[table], values)


def _end(db: Connection, run_id: str, ending: Ending, now: int) -> None:
    conversation_id, user_message_id, message_id, made_it = db.execute(_WHERE_IT_SHOWS, (run_id,)).fetchone()
    db.execute(_END_RUN, (ending.status, ending.error, now, run_id))
    db.execute(_END_LEASE, (run_id,))
    if not ending.erase:
        db.execute(_END_MESSAGE, (ending.content, ending.status, ending.error, message_id))
        db.execute(_END_CONVERSATION, (ending.title, now, conversation_id))
        return
    db.execute(_ERASE_MESSAGES, (user_message_id, message_id))
    if made_it:
        db.execute(_ERASE_CONVERSATION, (conversation_id,))


def begin(db: Connection, opening: Opening) -> Begun:
    known = _run_of_key(db, opening)
    if known is not None:
        return Begun(known, is_new=False)
    if db.execute(_RUNNING, (opening.conversation_id,)).fetchone():
        raise journal.busy(opening)
    made_it = _open_conversation(db, opening)
    _open_messages(db, opening)
    _open_run(db, opening, made_it)
    return Begun(opening.run_id, is_new=True)


def _run_of_key(db: Connection, opening: Opening) -> str | None:
    if opening.idempotency_key is None:
        return None
    since = opening.started_at - KEY_LIFETIME_MS
    found: tuple[str, str] | None
    found = db.execute(_KEY, (opening.user_id, opening.idempotency_key, since)).fetchone()
    if found is None:
        return None
    digest, run_id = found
    if digest != opening.request_digest:
        raise journal.key_reused(opening)
    return run_id


def _open_conversation(db: Connection, opening: Opening) -> bool:
    """Find the conversation or make it; whether this run made it. A retry makes what was erased."""
    if opening.retry_of is not None:
        old = db.execute(_STATUS, (opening.retry_of, opening.user_id)).fetchone()
        if old is None:
            raise journal.no_run(opening.retry_of)
        if old[0] not in RETRYABLE:
            raise journal.not_retryable(opening.retry_of, old[0])
    at = opening.started_at
    if db.execute(_TOUCH, (at, opening.conversation_id, opening.user_id)).rowcount:
        return opening.new_conversation
    if opening.retry_of is None and not opening.new_conversation:
        raise journal.no_conversation(opening.conversation_id)
    conversation = (opening.conversation_id, opening.user_id, opening.title, opening.mode, at, at)
    db.execute(_CONVERSATION, conversation)
    return True


def _open_messages(db: Connection, opening: Opening) -> None:
    conversation_id, at = opening.conversation_id, opening.started_at
    if opening.retry_of is not None:
        for table in STAGE_COLUMNS:
            db.execute(f"DELETE FROM {table} WHERE message_id = ?", (opening.message_id,))
    question = (opening.user_message_id, conversation_id, "user", opening.question, "complete", at)
    answer = (opening.message_id, conversation_id, "assistant", "", "running", at)
    db.execute(_MESSAGE, question)
    db.execute(_MESSAGE, answer)


def _open_run(db: Connection, opening: Opening, made_it: bool) -> None:
    db.execute(
        _RUN,
        (
            opening.run_id,
            opening.user_id,
            opening.conversation_id,
            opening.user_message_id,
            opening.message_id,
            opening.mode,
            opening.question,
            opening.config.decode(),
            opening.history.decode(),
            opening.seed,
            "running",
            opening.retry_of,
            made_it,
            opening.started_at,
        ),
    )
    db.execute(_LEASE, (opening.run_id, opening.owner, opening.lease_until, 1, 0, False))
    if opening.retry_of is not None:
        db.execute(_COPY_ANSWERS, (opening.run_id, opening.retry_of))
    _tell(db, opening.run_id, opening.told)
    if opening.idempotency_key is not None:
        key = (opening.user_id, opening.idempotency_key, opening.request_digest)
        db.execute(_KEEP_KEY, (*key, opening.run_id, opening.started_at))
