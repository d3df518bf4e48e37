"""Values to rows and back, the same for both databases.

Call(step="vote", seat=None, …)  ⇄  ("run-1", "vote", 0, "9f…", "openai/o3", …)   a row of `calls`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from moot.kernel.values import Call, CouncilRow, Row, TableRow, Usage, json_bytes
from moot.store import RUN_VERSION, NewDelivery, NewRun, StoredEvent

Line = tuple[Any, ...]

KEY_LIFETIME_MS = 24 * 60 * 60 * 1000
"""How long an idempotency key is kept; an older one is free."""

STAGE_TABLES = (
    "deliberation_stages",
    "stage1_responses",
    "stage2_rankings",
    "stage2_label_map",
    "stage3_synthesis",
    "reasoning_traces",
    "trace_scores",
)

COLUMNS: Mapping[str, tuple[str, ...]] = {
    table: tuple(columns.split())
    for table, columns in {
        "conversations": "id user_id title mode created_at updated_at",
        "messages": "id conversation_id role content status created_at",
        "runs": "id user_id conversation_id user_message_id message_id mode question config history seed "
        "status retry_of new_conversation directions traceparent started_at",
        "leases": "run_id owner lease_until epoch active_ms cancel_requested version",
        "waiting_runs": "run_id user_id mode version priority turn queued_at",
        "idempotency_keys": "user_id key digest run_id created_at",
        "spending": "run_id user_id started_at reserved prices",
        "webhook_deliveries": "id webhook_id run_id user_id for_everyone url host events created_at status "
        "attempts due_at lease_until",
        "holds": "run_id step seat digest dollars",
        "calls": "run_id step seat digest model started_ms ended_ms first_token_ms attempts text reasoning "
        "kind reason prompt_tokens completion_tokens reasoning_tokens cost finish_reason",
        "decisions": "run_id step value",
        "events": "run_id number key type at body",
        "deliberation_stages": "id message_id stage_type stage_order seat model role content parsed_data "
        "response_time_ms created_at",
        "stage1_responses": "id message_id seat model response response_time_ms",
        "stage2_rankings": "id message_id seat model ranking_text parsed_ranking",
        "stage2_label_map": "id message_id label seat model",
        "stage3_synthesis": "id message_id seat model response response_time_ms",
        "reasoning_traces": "id message_id trace_id templates_used total_rounds early_stopped stop_reason "
        "same_model had_error models timing tokens cost_usd prompt_version schema_version",
        "trace_scores": "id message_id trace_id judge auto_score criteria justification would_benefit "
        "score_error",
    }.items()
}
"""What the hot path inserts, table by table, in an order that satisfies every foreign key."""

ON_CONFLICT: Mapping[str, str] = {
    # A retry finds its messages, or puts back what an error erased.
    "messages": "ON CONFLICT (id) DO UPDATE "
    "SET content = excluded.content, status = excluded.status, error = NULL",
    "idempotency_keys": "ON CONFLICT (user_id, key) DO UPDATE "
    "SET digest = excluded.digest, run_id = excluded.run_id, created_at = excluded.created_at "
    f"WHERE idempotency_keys.created_at <= excluded.created_at - {KEY_LIFETIME_MS}",
    # An id is given once; should it come again, what was spent under it stays.
    "spending": "ON CONFLICT DO NOTHING",
    # A webhook that was removed a moment ago is not told.
    "webhook_deliveries": "ON CONFLICT DO NOTHING",
    # What is released is added as less than nothing.
    "holds": "ON CONFLICT (run_id, step, seat, digest) DO UPDATE "
    "SET dollars = holds.dollars + excluded.dollars",
    "calls": "ON CONFLICT DO NOTHING",
    "decisions": "ON CONFLICT DO NOTHING",
}


class Update(NamedTuple):
    """A change of many rows at once: `v` stands for the lines it is given, `columns` name their values."""

    table: str
    columns: tuple[str, ...]
    changes: str
    condition: str

    def over(self, source: str) -> str:
        return f"UPDATE {self.table} SET {self.changes} FROM {source} WHERE {self.condition}"


UPDATES: Mapping[str, Update] = {
    "fence": Update(
        "leases",
        ("run_id", "epoch", "active_ms", "lease_until", "is_over"),
        "active_ms = v.active_ms, lease_until = v.lease_until, "
        "owner = CASE WHEN v.is_over THEN NULL ELSE leases.owner END",
        "leases.run_id = v.run_id AND leases.epoch = v.epoch",
    ),
    "end_runs": Update(
        "runs",
        ("id", "status", "error", "finished_at"),
        "status = v.status, error = v.error, finished_at = v.finished_at",
        "runs.id = v.id",
    ),
    "end_spending": Update(
        "spending",
        ("run_id", "spent", "ended_at"),
        "spent = v.spent, ended_at = v.ended_at",
        "spending.run_id = v.run_id",
    ),
    "end_messages": Update(
        "messages",
        ("id", "content", "status", "error"),
        "content = v.content, status = v.status, error = v.error",
        "messages.id = v.id",
    ),
    "end_conversations": Update(
        "conversations",
        ("id", "title", "instead_of", "updated_at"),
        "title = CASE WHEN conversations.title = v.instead_of THEN v.title ELSE conversations.title END, "
        "updated_at = v.updated_at",
        "conversations.id = v.id",
    ),
    "touch": Update(
        "conversations",
        ("id", "user_id", "updated_at"),
        "updated_at = v.updated_at",
        "conversations.id = v.id AND conversations.user_id = v.user_id",
    ),
}

JSON_COLUMNS = frozenset(
    {"parsed_data", "parsed_ranking", "templates_used", "models", "timing", "tokens", "criteria"}
)


def call_line(run_id: str, call: Call) -> Line:
    return (
        run_id,
        call.step,
        call.seat or 0,
        call.digest,
        call.model,
        call.started_ms,
        call.ended_ms,
        call.first_token_ms,
        call.attempts,
        call.text,
        call.reasoning,
        call.kind,
        call.reason,
        call.usage.prompt_tokens,
        call.usage.completion_tokens,
        call.usage.reasoning_tokens,
        call.cost,
        call.finish_reason,
    )


def call_of(line: Sequence[Any]) -> Call:
    """The inverse of `call_line`."""
    _, step, seat, digest, model, started, ended, first_token, attempts, *rest = line
    text, reasoning, kind, reason, prompt, completion, reasoned, cost, finish_reason = rest
    return Call(
        step=step,
        seat=seat or None,
        digest=digest,
        model=model,
        started_ms=started,
        ended_ms=ended,
        first_token_ms=first_token,
        attempts=attempts,
        text=text,
        reasoning=reasoning,
        kind=kind,
        reason=reason,
        usage=Usage(prompt_tokens=prompt, completion_tokens=completion, reasoning_tokens=reasoned),
        cost=cost,
        finish_reason=finish_reason,
    )


def inherited_columns() -> str:
    """The columns of a call that a retry inherits: it ended before the new run began."""
    changed = {
        "started_ms": "started_ms - ended_ms - 1",
        "ended_ms": "-1",
        "first_token_ms": "first_token_ms - ended_ms - 1",
    }
    return ", ".join(changed.get(name, name) for name in COLUMNS["calls"][1:])


def event_line(run_id: str, number: int, event: StoredEvent) -> Line:
    return (run_id, number, event.key, event.type, event.at, event.body.decode())


def encoded(row: Row | CouncilRow | TableRow) -> Row | CouncilRow | TableRow:
    """The row with its JSON made. What is no JSON raises TypeError here, in the hands of whoever tells the
    event, and not in the queue, where a run that cannot be written is taken up again."""
    if isinstance(row, Row):
        return replace(row, parsed_data=_fragment(row.parsed_data))
    values = {name: _fragment(value) if name in JSON_COLUMNS else value for name, value in row.values.items()}
    return replace(row, values=values)


def _fragment(value: Any) -> Any:
    return None if value is None else orjson.Fragment(json_bytes(value))


def stage_line(row: Row | CouncilRow | TableRow, row_id: str, message_id: str, now: int) -> tuple[str, Line]:
    """A row as its table and its line in it."""
    if isinstance(row, Row):
        return "deliberation_stages", (
            row_id,
            message_id,
            row.stage_type,
            row.stage_order,
            row.seat,
            row.model,
            row.role,
            row.content,
            _json(row.parsed_data),
            row.response_time_ms,
            now,
        )
    columns = COLUMNS[row.table][2:]
    unknown = row.values.keys() - set(columns)
    if unknown:
        raise ValueError(f"{row.table} has no column {min(unknown)!r}; it has {', '.join(columns)}.")
    values = (
        _json(row.values.get(column)) if column in JSON_COLUMNS else row.values.get(column)
        for column in columns
    )
    return row.table, (row_id, message_id, *values)


def opening_lines(opening: NewRun, made_conversation: bool) -> dict[str, Line]:
    """The line that each table gets when a run begins; `messages` has two, see `question_line`."""
    lines: dict[str, Line] = {
        "messages": (
            opening.message_id,
            opening.conversation_id,
            "assistant",
            "",
            "running",
            opening.started_at,
        ),
        "runs": (
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
            made_conversation,
            None if opening.directions is None else opening.directions.decode(),
            opening.traceparent,
            opening.started_at,
        ),
        "leases": (opening.run_id, opening.owner, opening.lease_until, 1, 0, False, RUN_VERSION),
        "spending": spending_line(opening),
        "events": event_line(opening.run_id, 1, opening.opening),
    }
    if opening.owner is None:
        lines["waiting_runs"] = (
            opening.run_id,
            opening.user_id,
            opening.mode,
            RUN_VERSION,
            opening.priority,
            0,
            opening.started_at,
        )
    if opening.idempotency_key is not None:
        lines["idempotency_keys"] = (
            opening.user_id,
            opening.idempotency_key,
            opening.request_digest,
            opening.run_id,
            opening.started_at,
        )
    return lines


def spending_line(opening: NewRun) -> Line:
    kept = opening.reservation
    reserved, prices = (kept.dollars, kept.prices.decode()) if kept else (None, None)
    return (opening.run_id, opening.user_id, opening.started_at, reserved, prices)


def delivery_line(opening: NewRun, delivery: NewDelivery) -> Line:
    return (
        delivery.id,
        delivery.webhook_id,
        opening.run_id,
        opening.user_id,
        delivery.for_everyone,
        delivery.url,
        delivery.host,
        ",".join(delivery.events),
        opening.started_at,
        "waiting",
        0,
        0,
        0,
    )


def question_line(opening: NewRun) -> Line:
    at = opening.started_at
    return (opening.user_message_id, opening.conversation_id, "user", opening.question, "complete", at)


def conversation_line(opening: NewRun) -> Line:
    at = opening.started_at
    return (opening.conversation_id, opening.user_id, opening.title, opening.mode, at, at)


def row_id(run_id: str, number: int, index: int) -> str:
    """The id of an event's index-th row: the same however often it is written, and in order."""
    return f"{run_id}.{number:05}.{index:05}"


def _json(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value).decode()
