"""Values to rows and back, the same for both databases.

Call(step="vote", seat=None, …)  ⇄  ("run-1", "vote", 0, "9f…", "openai/o3", …)   a row of `calls`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from moot.errors import Conflict, KeyReused, LeaseLost, NotFound
from moot.store import Opening
from moot.wire import Call, CouncilRow, Row, Usage

KEY_LIFETIME_MS = 24 * 60 * 60 * 1000
"""How long an idempotency key is kept; an older one is free."""

RETRYABLE = ("failed", "cancelled", "degraded")

CALL_COLUMNS = (
    "run_id",
    "step",
    "seat",
    "digest",
    "model",
    "started_ms",
    "ended_ms",
    "first_token_ms",
    "attempts",
    "text",
    "reasoning",
    "kind",
    "reason",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cost",
    "finish_reason",
)

STAGE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "deliberation_stages": (
        "stage_type",
        "stage_order",
        "seat",
        "model",
        "role",
        "content",
        "parsed_data",
        "response_time_ms",
        "created_at",
    ),
    "stage1_responses": ("seat", "model", "response", "response_time_ms"),
    "stage2_rankings": ("seat", "model", "ranking_text", "parsed_ranking"),
    "stage2_label_map": ("label", "seat", "model"),
    "stage3_synthesis": ("seat", "model", "response", "response_time_ms"),
}
"""The stage tables, each with its columns after `id` and `message_id`."""

JSON_COLUMNS = frozenset({"parsed_data", "parsed_ranking"})


def call_row(run_id: str, call: Call) -> tuple[Any, ...]:
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


def call_of(row: Sequence[Any]) -> Call:
    """The inverse of `call_row`."""
    _, step, seat, digest, model, started, ended, first_token, attempts, *rest = row
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


def stage_row(row: Row | CouncilRow, row_id: str, message_id: str, now: int) -> tuple[str, tuple[Any, ...]]:
    """The table a row goes to, and its values in the order `id, message_id, *STAGE_COLUMNS[table]`."""
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
            json_text(row.parsed_data),
            row.response_time_ms,
            now,
        )
    columns = STAGE_COLUMNS[row.table]
    unknown = row.values.keys() - set(columns)
    if unknown:
        raise ValueError(f"{row.table} has no column {min(unknown)!r}; it has {', '.join(columns)}.")
    values = (
        json_text(row.values.get(column)) if column in JSON_COLUMNS else row.values.get(column)
        for column in columns
    )
    return row.table, (row_id, message_id, *values)


def json_text(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def row_id(run_id: str, number: int, index: int) -> str:
    """The id of an event's index-th row: the same however often it is written, and in order."""
    return f"{run_id}.{number:05}.{index:05}"


def lease_lost(run_id: str, epoch: int) -> LeaseLost:
    return LeaseLost(
        f"Run {run_id!r} is no longer ours at epoch {epoch}: another process took it over, "
        "or its conversation was deleted. Stop working on it."
    )


def busy(opening: Opening) -> Conflict:
    return Conflict(
        f"A run of conversation {opening.conversation_id!r} is still going on: "
        "wait until it has finished, or cancel it."
    )


def not_retryable(run_id: str, status: str) -> Conflict:
    return Conflict(f"Run {run_id!r} is {status}: only a failed, cancelled or degraded run can be retried.")


def key_reused(opening: Opening) -> KeyReused:
    return KeyReused(
        f"Idempotency-Key {opening.idempotency_key!r} was used with another request: "
        "send the same request again, or choose a new key."
    )


def no_conversation(conversation_id: str) -> NotFound:
    return NotFound(f"There is no conversation {conversation_id!r}.")


def no_run(run_id: str) -> NotFound:
    return NotFound(f"There is no run {run_id!r}.")
