"""What a webhook is told: a run's end in one small object."""

from __future__ import annotations

from typing import Any

import orjson

from moot.history.views import read_deliberation
from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.status import WITH_ANSWER
from moot.store import RunRecord

LONGEST_ANSWER = 64_000
"""Characters. Receivers limit what they take; the whole of it is at the API."""


async def run_ended(engine: Engine, record: RunRecord, *, with_answer: bool) -> bytes:
    """The body. `with_answer`: what came of it too, not only that something did."""
    data: dict[str, Any] = {
        "runId": record.id,
        "conversationId": record.conversation_id,
        "mode": record.mode,
        "status": record.status,
        "startedAt": iso(record.started_at),
        "finishedAt": None if record.finished_at is None else iso(record.finished_at),
        "url": _link(engine, record.id),
    }
    if with_answer:
        deliberation = await read_deliberation(engine, record, calls=False)
        answer = deliberation.answer if record.status in WITH_ANSWER else None
        data["answer"] = None if answer is None else answer[:LONGEST_ANSWER]
        data["answerCut"] = answer is not None and len(answer) > LONGEST_ANSWER
        data["error"] = record.error
    return _body(f"run.{record.status}", data)


def test_message() -> bytes:
    return _body("webhook.test", {})


def _body(kind: str, data: dict[str, Any]) -> bytes:
    return orjson.dumps({"type": kind, "timestamp": iso(now_ms()), "data": data})


def _link(engine: Engine, run_id: str) -> str:
    """Where the whole of it is read."""
    return f"{(engine.settings.public_url or '').rstrip('/')}/api/runs/{run_id}"
