"""The tasks extension, used by the official client over both transports: a run's id is a task's id."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from mcp import Client, StdioServerParameters
from moot.mcp.server import TASKS
from moot.testing import ModelServer, Reply, Script
from tests.cli.command import MOOT
from tests.harness.waiting import PATIENCE, until
from tests.http.openai.clients import PANEL, asking, voters
from tests.mcp.test_mcp import _environment

ASK = {"question": "Tabs or spaces?", "mode": "vote", "models": PANEL}
MODERN = "2026-07-28"


class Handle(Result):
    """What the extension answers with in place of a tool's result."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    result_type: Literal["task"]
    task_id: str
    status: str
    poll_interval_ms: int
    ttl_ms: int | None


class TaskState(Result):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="allow")

    task_id: str
    status: str
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    result: dict[str, Any] | None = None


class TaskParams(RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    task_id: str


class TaskRequest(Request[TaskParams, str]):
    name_param = "taskId"


async def send(session: Any, method: str, task_id: str, result: Any = TaskState) -> Any:
    return await session.send_request(TaskRequest(method=method, params=TaskParams(task_id=task_id)), result)


class Tasks(ClientExtension):
    """A client that follows a task to its end. `handles` are those it was given."""

    identifier = TASKS

    def __init__(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        self.handles: list[Handle] = []
        self.seen: list[TaskState] = []
        self._meanwhile = meanwhile

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Handle, resolve=self._resolve)]

    async def _resolve(self, handle: Handle, context: ClaimContext) -> CallToolResult:
        self.handles.append(handle)
        self.seen.append(await send(context.session, "tasks/get", handle.task_id))
        self._meanwhile()
        while self.seen[-1].status == "working":
            await asyncio.sleep(0.05)
            self.seen.append(await send(context.session, "tasks/get", handle.task_id))
        return CallToolResult.model_validate(self.seen[-1].result)


@asynccontextmanager
async def over_http(models: Any, extension: ClientExtension) -> AsyncIterator[tuple[Client, Any]]:
    async with (
        asking(models) as asked,
        Client(f"{asked.door.url}/mcp", mode=MODERN, extensions=[extension]) as client,
    ):
        yield client, asked


async def test_who_knows_tasks_gets_a_handle_at_once_and_the_result_by_it() -> None:
    async with asking(voters()) as asked:
        asked.upstream.script.hold_after = 0
        tasks = Tasks(asked.upstream.release)
        async with Client(f"{asked.door.url}/mcp", extensions=[tasks]) as client:
            result = await client.call_tool("deliberate", ASK)
            discovered: Any = client.server_capabilities
    run = result.structured_content
    assert (run["status"], run["answer"]) == ("complete", "ann says tabs")
    assert [block.text for block in result.content] == ["ann says tabs"]  # type: ignore[union-attr]
    assert discovered.extensions[TASKS] == {}
    [handle] = tasks.handles
    assert (handle.task_id, handle.status, handle.ttl_ms) == (run["run_id"], "working", None)
    assert tasks.seen[0].status_message == "Answers …"
    assert tasks.seen[-1].status == "completed"
    assert tasks.seen[-1].created_at <= tasks.seen[-1].last_updated_at


async def test_a_client_that_gives_up_finds_its_result_later_by_the_tasks_id() -> None:
    async with asking(voters()) as asked:
        asked.upstream.script.hold_after = 0
        tasks = Tasks()
        async with Client(f"{asked.door.url}/mcp", mode=MODERN, extensions=[tasks]) as client:
            call = asyncio.create_task(client.call_tool("deliberate", ASK))
            await until(lambda: bool(tasks.handles))
            call.cancel()
            await asyncio.wait([call])
        asked.upstream.release()
        async with Client(f"{asked.door.url}/mcp", mode=MODERN, extensions=[Tasks()]) as client:
            found = await send(client.session, "tasks/get", tasks.handles[0].task_id)
            while found.status == "working":
                found = await send(client.session, "tasks/get", tasks.handles[0].task_id)
        assert found.result["structuredContent"]["answer"] == "ann says tabs"
        assert len(asked.upstream.requests) == 7


async def test_over_stdio_another_process_finishes_what_the_first_began(tmp_path: Path) -> None:
    async with ModelServer(Script(models=voters(), hold_after=0)) as upstream:
        environment = {**_environment(tmp_path), **upstream.environment}
        server = StdioServerParameters(command=MOOT, args=["mcp"], env=environment)
        async with Client(server, mode=MODERN, extensions=[Tasks()]) as client:
            handle: Any = await client.session.call_tool("deliberate", ASK, allow_claimed=True)
            assert (handle.status, handle.result_type) == ("working", "task")
            await until(lambda: len(upstream.requests) > 0)
        upstream.release()
        async with Client(server, mode=MODERN, extensions=[Tasks()]) as client:
            found = await send(client.session, "tasks/get", handle.task_id)
            while found.status == "working":
                await asyncio.sleep(0.05)
                found = await send(client.session, "tasks/get", handle.task_id)
    assert found.result["structuredContent"]["answer"] == "ann says tabs"


async def test_a_task_can_be_cancelled_and_a_failed_run_is_a_task_that_completed_with_an_error() -> None:
    failing = voters(**{model: Reply(status=402, message="no credit") for model in PANEL})
    async with over_http(failing, Tasks()) as (client, asked):
        failed = await client.call_tool("deliberate", ASK)
        assert failed.is_error
        assert "no credit" in failed.structured_content["error"]
        asked.upstream.script.hold_after = 0
        handle: Any = await client.session.call_tool("deliberate", ASK, allow_claimed=True)
        await send(client.session, "tasks/update", handle.task_id, Result)
        await send(client.session, "tasks/cancel", handle.task_id, Result)
        assert (await send(client.session, "tasks/get", handle.task_id)).status == "cancelled"
        await send(client.session, "tasks/cancel", handle.task_id, Result)
        await send(client.session, "tasks/cancel", "nobody", Result)
        with pytest.raises(MCPError, match="There is no run nobody"):
            await send(client.session, "tasks/get", "nobody")


async def test_who_does_not_know_tasks_or_says_how_long_to_wait_gets_the_result_itself() -> None:
    async with over_http(voters(), Tasks()) as (client, asked):
        waited: Any = await client.session.call_tool(
            "deliberate", {**ASK, "wait_seconds": PATIENCE}, allow_claimed=True
        )
        assert waited.structured_content["answer"] == "ann says tabs"
        refused = await client.call_tool("deliberate", {"question": "x", "model": "y"})
        assert (refused.is_error, refused.content[0].text) == (True, "Unknown argument: model")  # type: ignore[union-attr]
        async with Client(f"{asked.door.url}/mcp", mode=MODERN) as plain:
            assert (await plain.call_tool("deliberate", ASK)).structured_content["status"] == "complete"
        async with Client(f"{asked.door.url}/mcp", mode="legacy", extensions=[Tasks()]) as old:
            assert (await old.call_tool("deliberate", ASK)).structured_content["status"] == "complete"
            with pytest.raises(MCPError, match="Method not found"):
                await send(old.session, "tasks/get", "any")
