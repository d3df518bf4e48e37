"""A group of entries added up: few large statements in place of many small ones.

    append call, append event + 3 rows, append call   ─▶   calls: 2 lines, events: 1, deliberation_stages: 3

Why: on SQLite every statement lets go of Python's interpreter lock and waits to get it back, which
beside a busy event loop takes far longer than the statement; on PostgreSQL every statement is a
round trip.

A group is all or nothing. If one entry of it cannot be written, the group is halved, again and
again, until that entry is alone and fails alone (`LeaseLost`, `Conflict`, …).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from moot.kernel.errors import Conflict, KeyReused, LeaseLost, NotFound
from moot.kernel.status import RETRYABLE
from moot.store import Append, BeginOutcome, Ending, NewRun, journal
from moot.store.journal import Line

LARGEST_GROUP = 1024
LATE_LEASE_MS = 5_000
"""The lease of a run whose entry waited longer than it was to last: until the next heartbeat."""


class Entangled(Exception):
    """Two entries of a group depend on one another: they must be written one after the other."""


@dataclass(slots=True)
class Known:
    """What is remembered of a run while its lease is ours: under one epoch nobody else adds to it."""

    epoch: int
    conversation_id: str
    user_message_id: str
    message_id: str
    made_conversation: bool
    last_number: int
    keys: set[str]


def known(found: Sequence[Any], keys: set[str]) -> Known:
    """A run that was looked up: epoch, conversation, its two messages, whether it made the conversation."""
    epoch, conversation_id, user_message_id, message_id, made = found
    return Known(epoch, conversation_id, user_message_id, message_id, bool(made), len(keys), keys)


class StoredKey(NamedTuple):
    """An idempotency key that is already there."""

    digest: str
    run_id: str
    created_at: int


@dataclass(slots=True)
class AppendGroup:
    """What a group of appends comes to."""

    fences: dict[str, Line] = field(default_factory=dict)
    inserts: dict[str, list[Line]] = field(default_factory=dict)
    ends: dict[str, list[Line]] = field(default_factory=dict)
    erased: list[Known] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)


class Refusals:
    """The runs one of whose entries cannot be written, for its own sake. What was queued behind it is refused
    too: an event must not be told whose call was not stored. All such a run can do is to fail."""

    def __init__(self) -> None:
        self._refused: set[tuple[str, int]] = set()

    def add(self, items: Iterable[Any]) -> None:
        self._refused.update((item.run_id, item.epoch) for item in items if isinstance(item, Append))

    def check(self, entries: Iterable[Append]) -> None:
        for entry in entries if self._refused else ():
            gives_up = entry.ending is not None and entry.ending.status == "failed"
            if (entry.run_id, entry.epoch) in self._refused and not gives_up:
                raise lease_lost(entry.run_id, entry.epoch)


def unknown_runs(entries: Iterable[Append], known: Mapping[str, Known]) -> set[str]:
    """The runs that must be looked up first."""
    return {
        entry.run_id
        for entry in entries
        if entry.run_id not in known or known[entry.run_id].epoch != entry.epoch
    }


def add_up(entries: Iterable[Append], known: dict[str, Known], now: int) -> AppendGroup:
    """Add the entries up; `known` is moved on as if they were already written."""
    group = AppendGroup()
    for entry in entries:
        run = known.get(entry.run_id)
        if run is None or run.epoch != entry.epoch:
            raise lease_lost(entry.run_id, entry.epoch)
        in_time = entry.lease_until if entry.lease_until > now else now + LATE_LEASE_MS
        lease_until = 0 if entry.ending else in_time
        is_over = entry.ending is not None
        group.fences[entry.run_id] = (entry.run_id, entry.epoch, entry.active_ms, lease_until, is_over)
        if entry.hold is not None:
            held = entry.hold
            _add(group.inserts, "holds", (entry.run_id, held.step, held.seat or 0, held.digest, held.dollars))
        if entry.call is not None:
            _add(group.inserts, "calls", journal.call_line(entry.run_id, entry.call))
        if entry.decision is not None:
            step, value = entry.decision
            _add(group.inserts, "decisions", (entry.run_id, step, value.decode()))
        group.numbers.append(_tell(group, entry, run, now))
        if entry.ending is not None:
            _end(group, entry.run_id, entry.ending, known.pop(entry.run_id), now)
    return group


def _tell(group: AppendGroup, entry: Append, run: Known, now: int) -> int | None:
    if entry.event is None:
        if entry.rows:
            raise ValueError(f"Rows of run {entry.run_id!r} came without the event that tells of them.")
        return None
    if entry.event.key in run.keys:
        return None
    run.keys.add(entry.event.key)
    run.last_number += 1
    _add(group.inserts, "events", journal.event_line(entry.run_id, run.last_number, entry.event))
    for index, row in enumerate(entry.rows):
        row_id = journal.row_id(entry.run_id, run.last_number, index)
        _add(group.inserts, *journal.stage_line(row, row_id, run.message_id, now))
    return run.last_number


def _end(group: AppendGroup, run_id: str, ending: Ending, run: Known, now: int) -> None:
    _add(group.ends, "end_runs", (run_id, ending.status, ending.error, now))
    _add(group.ends, "end_spending", (run_id, ending.spent, now))
    if ending.erase:
        group.erased.append(run)
        return
    _add(group.ends, "end_messages", (run.message_id, ending.content, ending.status, ending.error))
    instead_of = ending.instead_of if ending.title is not None else None
    _add(group.ends, "end_conversations", (run.conversation_id, ending.title, instead_of, now))


def _add(lines: dict[str, list[Line]], name: str, line: Line) -> None:
    lines.setdefault(name, []).append(line)


def settle_keys(
    openings: Sequence[NewRun], kept: Mapping[tuple[str, str], StoredKey]
) -> tuple[list[BeginOutcome], list[NewRun]]:
    """What comes of each opening, and those that are to be written; `kept` by person and key."""
    begun, fresh = [], []
    for opening in openings:
        found = kept.get((opening.user_id, opening.idempotency_key or ""))
        if found is None or found.created_at <= opening.started_at - journal.KEY_LIFETIME_MS:
            begun.append(BeginOutcome(opening.run_id, is_new=True))
            fresh.append(opening)
        elif found.digest != opening.request_digest:
            raise key_reused(opening)
        else:
            begun.append(BeginOutcome(found.run_id, is_new=found.run_id == opening.run_id))
    return begun, fresh


def keep_apart(openings: Sequence[NewRun]) -> None:
    """Refuse to begin two runs at once that share a conversation, an idempotency key or a person's limits."""
    keyed = [o for o in openings if o.idempotency_key is not None]
    limited = [o for o in openings if o.limits is not None]
    if len({o.user_id for o in limited}) < len(limited):
        raise Entangled("Two runs of one person whose limits count them.")
    if len({o.conversation_id for o in openings}) < len(openings):
        raise Entangled("Two runs of one conversation.")
    if len({(o.user_id, o.idempotency_key) for o in keyed}) < len(keyed):
        raise Entangled("Two runs under one idempotency key.")


def open_up(openings: Iterable[NewRun], made: set[str], known: dict[str, Known]) -> dict[str, list[Line]]:
    """The lines of runs that begin, and are known from now on; `made` are the conversations to insert."""
    lines: dict[str, list[Line]] = {table: [] for table in journal.COLUMNS}
    for opening in openings:
        is_made = opening.conversation_id in made
        if is_made:
            lines["conversations"].append(journal.conversation_line(opening))
        lines["messages"].append(journal.question_line(opening))
        made_conversation = is_made or opening.new_conversation
        for table, line in journal.opening_lines(opening, made_conversation).items():
            lines[table].append(line)
        lines["webhook_deliveries"] += [journal.delivery_line(opening, one) for one in opening.deliveries]
        known[opening.run_id] = Known(
            epoch=1,
            conversation_id=opening.conversation_id,
            user_message_id=opening.user_message_id,
            message_id=opening.message_id,
            made_conversation=made_conversation,
            last_number=1,
            keys={opening.opening.key},
        )
    return {table: added for table, added in lines.items() if added}


def lease_lost(run_id: str, epoch: int) -> LeaseLost:
    return LeaseLost(
        f"Run {run_id!r} is no longer ours at epoch {epoch}: it has ended, another process took it over, "
        "or its conversation was deleted. Stop working on it."
    )


def busy(conversation_id: str) -> Conflict:
    return Conflict(
        f"A run of conversation {conversation_id!r} is still in progress: "
        "wait until it has finished, or cancel it."
    )


def retried_already(run_id: str, newer: str) -> Conflict:
    return Conflict(f"The run {run_id} was retried already: retry {newer}, the newer one, instead.")


def check_retryable(status: str) -> None:
    """Raises Conflict unless a run in this state can be retried."""
    if status not in RETRYABLE:
        *others, last = RETRYABLE
        allowed = f"{', '.join(others)} or {last}"
        raise Conflict(f"The run is {status}: only a {allowed} run can be retried")


def key_reused(opening: NewRun) -> KeyReused:
    return KeyReused(
        f"Idempotency-Key {opening.idempotency_key!r} was used with another request: "
        "send the same request again, or choose a new key."
    )


def no_conversation(conversation_id: str) -> NotFound:
    return NotFound(f"There is no conversation {conversation_id!r}.")


def no_run(run_id: str) -> NotFound:
    return NotFound(f"There is no run {run_id!r}.")
