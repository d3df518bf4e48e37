"""The tasks extension: who knows it gets a handle at once, and asks for the result until it is there.

    tools/call deliberate ─▶ {"resultType": "task", "taskId": …}      the run's id, which is durable as it is
    tasks/get ─▶ working … completed, with the tool's result
    tasks/cancel ─▶ {}                                                stops the run

Nothing is stored for it. A run that fails is a task that completes with a tool error: that is how the
extension tells it from a broken request.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from moot.history.views import Deliberation, read_deliberation
from moot.kernel.clock import iso
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.status import Status
from moot.mcp.calls import deliberation_result, request_of

POLL_MS = 2000
_STATUS: Mapping[Status, str] = {
    "running": "working",
    "complete": "completed",
    "degraded": "completed",
    "failed": "completed",
    "cancelled": "cancelled",
}


async def create_task(engine: Engine, user: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A run, by its handle. Raises Rejected."""
    run = await engine.start(await request_of(engine, user, arguments), user=user)
    return {**_task(await read_deliberation(engine, run, calls=False)), "resultType": "task"}


async def read_task(engine: Engine, user: str, task_id: str) -> dict[str, Any]:
    """What has become of it. Raises NotFound."""
    run = await engine.run(task_id, user)
    if run.status == "running":
        await engine.resume(run.id, user=user)  # if nobody works on it any more, this process does
    deliberation = await read_deliberation(engine, await engine.run(task_id, user))
    task = _task(deliberation)
    if task["status"] == "completed":
        result = deliberation_result(deliberation).model_dump(by_alias=True, mode="json", exclude_none=True)
        task["result"] = {**result, "resultType": "complete"}
    return task


async def cancel_task(engine: Engine, user: str, task_id: str) -> None:
    """Whatever became of it: the extension wants no answer to that."""
    with suppress(NotFound, Conflict):
        await engine.cancel(task_id, user=user)


def _task(deliberation: Deliberation) -> dict[str, Any]:
    record = deliberation.record
    last = deliberation.stored_events[-1][1]
    task = {
        "taskId": record.id,
        "status": _STATUS[record.status],
        "createdAt": iso(record.started_at),
        "lastUpdatedAt": iso(record.finished_at or record.started_at + last.at),
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
    message = record.error if record.status != "running" else _stage(deliberation)
    return {**task, "statusMessage": message} if message else task


def _stage(deliberation: Deliberation) -> str | None:
    narration = deliberation.mode.narration
    if narration is None:
        return None
    stages = [narration.stage(event.type) for _, event in deliberation.stored_events]
    return next((f"{stage} …" for stage in reversed(stages) if stage), None)
