"""What a store should do, in a few dictionaries: no groups, no threads, no SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, select

from moot.kernel.errors import Conflict, KeyReused, NotFound
from moot.kernel.values import Call, Row
from moot.store import Append, BeginOutcome, Ending, NewRun, StoredEvent, conversations, runs, tables
from moot.store.groups import lease_lost
from moot.store.journal import KEY_LIFETIME_MS


@dataclass
class OracleRun:
    opening: NewRun
    made_conversation: bool
    events: list[StoredEvent]
    status: str = "running"
    error: str | None = None
    epoch: int = 1
    refused_at: int = 0
    active_ms: int = 0
    calls: dict[tuple[str, int | None, str], Call] = field(default_factory=dict)
    decisions: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Oracle:
    titles: dict[str, str] = field(default_factory=dict)
    messages: dict[str, list[Any]] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    runs: dict[str, OracleRun] = field(default_factory=dict)
    keys: dict[str, tuple[str, str, int]] = field(default_factory=dict)

    def begin(self, opening: NewRun) -> BeginOutcome:
        digest, run_id, at = self.keys.get(opening.idempotency_key or "", ("", "", -KEY_LIFETIME_MS))
        if opening.started_at - at < KEY_LIFETIME_MS:
            if digest != opening.request_digest:
                raise KeyReused("")
            return BeginOutcome(run_id, is_new=False)
        if opening.retry_of is not None:
            old = self.runs.get(opening.retry_of)
            if old is None:
                raise NotFound("")
            if old.status not in ("failed", "cancelled", "degraded"):
                raise Conflict("")
            if any(run.opening.retry_of == opening.retry_of for run in self.runs.values()):
                raise Conflict("")
        elif not opening.new_conversation and opening.conversation_id not in self.titles:
            raise NotFound("")
        for run in self.runs.values():
            if run.opening.conversation_id == opening.conversation_id and run.status == "running":
                raise Conflict("")
        self._open(opening)
        return BeginOutcome(opening.run_id, is_new=True)

    def _open(self, opening: NewRun) -> None:
        made = opening.new_conversation or opening.conversation_id not in self.titles
        self.titles.setdefault(opening.conversation_id, opening.title)
        self.messages[opening.user_message_id] = [opening.conversation_id, opening.question, "complete", None]
        self.messages[opening.message_id] = [opening.conversation_id, "", "running", None]
        run = self.runs[opening.run_id] = OracleRun(opening, made, [opening.opening])
        if opening.retry_of is not None:
            self.rows.pop(opening.message_id, None)
            old = self.runs[opening.retry_of].calls
            run.calls = {key: inherited(call) for key, call in old.items() if call.text is not None}
        if opening.idempotency_key is not None and opening.request_digest is not None:
            kept = (opening.request_digest, opening.run_id, opening.started_at)
            self.keys[opening.idempotency_key] = kept

    def append(self, entry: Append) -> int | None:
        run = self.runs.get(entry.run_id)
        gives_up = entry.ending is not None and entry.ending.status == "failed"
        if run is None or run.status != "running" or run.epoch != entry.epoch:
            raise lease_lost(entry.run_id, entry.epoch)
        if run.refused_at == entry.epoch and not gives_up:
            raise lease_lost(entry.run_id, entry.epoch)
        is_fresh = entry.event is not None and entry.event.key not in {event.key for event in run.events}
        message_id = run.opening.message_id
        if is_fresh and entry.rows and message_id not in self.messages:
            run.refused_at = entry.epoch
            raise LookupError("There is no message for these rows.")
        run.active_ms = entry.active_ms
        if entry.call is not None:
            run.calls.setdefault((entry.call.step, entry.call.seat, entry.call.digest), entry.call)
        if entry.decision is not None:
            run.decisions.setdefault(*entry.decision)
        if is_fresh and entry.event is not None:
            run.events.append(entry.event)
            stages = [row for row in entry.rows if isinstance(row, Row)]
            self.rows.setdefault(message_id, []).extend(stages)
        if entry.ending is not None:
            self._end(run, entry.ending)
        return len(run.events) if is_fresh else None

    def _end(self, run: OracleRun, ending: Ending) -> None:
        run.status, run.error = ending.status, ending.error
        conversation_id = run.opening.conversation_id
        if not ending.erase:
            if run.opening.message_id in self.messages:
                content = [conversation_id, ending.content, ending.status, ending.error]
                self.messages[run.opening.message_id] = content
            if ending.title is not None and self.titles.get(conversation_id) == ending.instead_of:
                self.titles[conversation_id] = ending.title
            return
        self._erase([run.opening.user_message_id, run.opening.message_id])
        if run.made_conversation and all(message[0] != conversation_id for message in self.messages.values()):
            self.titles.pop(conversation_id, None)

    def _erase(self, message_ids: Sequence[str]) -> None:
        for message_id in message_ids:
            self.messages.pop(message_id, None)
            self.rows.pop(message_id, None)

    def claim(self, run_id: str) -> bool:
        run = self.runs.get(run_id)
        if run is None or run.status != "running":
            return False
        run.epoch += 1
        return True

    def delete(self, conversation_id: str) -> None:
        self._erase([id for id, message in self.messages.items() if message[0] == conversation_id])
        self.titles.pop(conversation_id, None)
        gone = {id for id, run in self.runs.items() if run.opening.conversation_id == conversation_id}
        self.runs = {id: run for id, run in self.runs.items() if id not in gone}
        self.keys = {key: kept for key, kept in self.keys.items() if kept[1] not in gone}

    def told(self) -> dict[str, Any]:
        """All of it, to be compared with `found`."""
        return {
            "titles": self.titles,
            "messages": self.messages,
            "rows": {id: in_order(rows) for id, rows in self.rows.items() if rows},
            "runs": {
                id: (run.status, run.error, run.epoch, run.active_ms, run.made_conversation)
                for id, run in self.runs.items()
            },
            "events": {id: list(enumerate(run.events, 1)) for id, run in self.runs.items()},
            "calls": {id: run.calls for id, run in self.runs.items()},
            "decisions": {id: run.decisions for id, run in self.runs.items()},
        }


def inherited(call: Call) -> Call:
    """It ended before the run began that inherits it."""
    start, first = call.started_ms - call.ended_ms - 1, call.first_token_ms
    return replace(
        call,
        started_ms=start,
        ended_ms=-1,
        first_token_ms=None if first is None else first - call.ended_ms - 1,
    )


def found(connection: Connection, user_id: str) -> dict[str, Any]:
    """All that a store holds of a person, to be compared with `Oracle.told`."""
    everything = conversations.conversations(connection, user_id, limit=1000).items
    messages = [message for one in everything for message in conversations.messages(connection, one.id)]
    ids = connection.scalars(select(tables.runs.c.id).where(tables.runs.c.user_id == user_id)).all()
    records = {id: record for id in ids if (record := runs.run(connection, id))}
    journals = {id: runs.recall(connection, id) for id in ids}
    rows = {message.id: conversations.stage_rows(connection, message.id) for message in messages}
    return {
        "titles": {one.id: one.title for one in everything},
        "messages": {m.id: [m.conversation_id, m.content, m.status, m.error] for m in messages},
        "rows": {id: in_order(stages) for id, stages in rows.items() if stages},
        "runs": {
            id: (r.status, r.error, r.epoch, r.active_ms, r.new_conversation) for id, r in records.items()
        },
        "events": {id: list(journal.events) for id, journal in journals.items()},
        "calls": {id: dict(journal.calls) for id, journal in journals.items()},
        "decisions": {id: dict(journal.decisions) for id, journal in journals.items()},
    }


def in_order(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row.stage_order, row.seat or 0, row.content))
