"""The server: tools, resources and prompts over one engine, which is opened when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from moot.kernel.errors import MootError, StoreUnavailable
from moot.mcp.tools import TOOLS

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

TASKS = "io.modelcontextprotocol/tasks"
Context = ServerRequestContext[Any, Any]
Paging = PaginatedRequestParams | None
INSTRUCTIONS = (
    "Deliberations of several language models. Call list_modes to choose a mode, deliberate to ask, and "
    "get_run if the answer was not there in time. Each deliberation costs money: ask once, then wait for it."
)


class EngineSource:
    """The engine, opened at the first question and closed at the end."""

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[Engine]]) -> None:
        self._opening = opening
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._engine: Engine | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def __call__(self) -> Engine:
        async with self._lock:
            if self._engine is None:
                self._engine = await self._stack.enter_async_context(self._opening())
            return self._engine


class Requests:
    """What a client may ask for. Modules are imported when they are needed: tools are listed at once."""

    def __init__(self, engine: Callable[[], Awaitable[Engine]], user: Callable[[Context], str]) -> None:
        self._engine = engine
        self._user = user

    async def list_tools(self, context: Context, params: Paging) -> ListToolsResult:
        return ListToolsResult(tools=TOOLS)

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        from moot.mcp.calls import call

        try:
            engine, user = await self._engine(), self._user(context)
            return await call(engine, user, context, params.name, params.arguments or {})
        except (MootError, StoreUnavailable) as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)

    async def call_or_task(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | dict[str, Any]:
        """A deliberation, for which nobody said how long to wait, as a task if the client knows tasks."""
        arguments = params.arguments or {}
        if params.name != "deliberate" or "wait_seconds" in arguments or not _knows_tasks(context):
            return await self.call_tool(context, params)
        from moot.mcp.calls import check_arguments
        from moot.mcp.tasks import create_task

        try:
            check_arguments(params.name, arguments)
            return await create_task(await self._engine(), self._user(context), arguments)
        except (MootError, StoreUnavailable) as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)

    async def get_task(self, context: Context, params: TaskParams) -> dict[str, Any]:
        from moot.mcp.tasks import read_task

        _require_modern(context)
        try:
            return await read_task(await self._engine(), self._user(context), params.task_id)
        except (MootError, StoreUnavailable) as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    async def update_task(self, context: Context, params: TaskParams) -> dict[str, Any]:
        """A deliberation asks its client for nothing, so there is nothing to answer."""
        _require_modern(context)
        return {}

    async def cancel_task(self, context: Context, params: TaskParams) -> dict[str, Any]:
        from moot.mcp.tasks import cancel_task

        _require_modern(context)
        await cancel_task(await self._engine(), self._user(context), params.task_id)
        return {}

    async def list_resources(self, context: Context, params: Paging) -> ListResourcesResult:
        from moot.mcp.resources import resources

        return ListResourcesResult(resources=await resources(await self._engine(), self._user(context)))

    async def list_templates(self, context: Context, params: Paging) -> ListResourceTemplatesResult:
        from moot.mcp.resources import TEMPLATES

        return ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        from moot.mcp.resources import read_resource

        try:
            return await read_resource(await self._engine(), self._user(context), str(params.uri))
        except (MootError, StoreUnavailable) as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    async def list_prompts(self, context: Context, params: Paging) -> ListPromptsResult:
        from moot.mcp.prompts import prompts

        return ListPromptsResult(prompts=prompts())

    async def prompt(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        from moot.mcp.prompts import prompt

        try:
            return prompt(params.name, params.arguments or {})
        except MootError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None


class TaskParams(RequestParams):
    task_id: str


def _knows_tasks(context: Context) -> bool:
    """By what the client says with this very request: it must not be given a task otherwise."""
    known = context.session.client_capabilities
    return _is_modern(context) and known is not None and TASKS in (known.extensions or {})


def _is_modern(context: Context) -> bool:
    return context.session.protocol_version in MODERN_PROTOCOL_VERSIONS


def _require_modern(context: Context) -> None:
    """The extension is not defined in earlier versions of the protocol."""
    if not _is_modern(context):
        raise MCPError(METHOD_NOT_FOUND, "Method not found")


def build_server(engine: Callable[[], Awaitable[Engine]], user: Callable[[Context], str]) -> Server[Any]:
    """`user`: who is asking, by the request's context."""
    requests = Requests(engine, user)
    server: Server[Any] = Server(
        "moot",
        version=version("moot"),
        title="moot",
        instructions=INSTRUCTIONS,
        on_list_tools=requests.list_tools,
        on_list_resources=requests.list_resources,
        on_list_resource_templates=requests.list_templates,
        on_read_resource=requests.read,
        on_list_prompts=requests.list_prompts,
        on_get_prompt=requests.prompt,
    )
    server.add_request_handler("tools/call", CallToolRequestParams, requests.call_or_task)
    server.add_request_handler("tasks/get", TaskParams, requests.get_task)
    server.add_request_handler("tasks/update", TaskParams, requests.update_task)
    server.add_request_handler("tasks/cancel", TaskParams, requests.cancel_task)
    server.extensions[TASKS] = {}
    return server
