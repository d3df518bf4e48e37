"""What the tools do: each asks the engine what the page asks it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult, TextContent

from moot.history.notices import MISSING, SIMULATED
from moot.history.views import Deliberation, Totals, parsed, read_deliberation
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.panel_fields import with_models
from moot.kernel.request import AskRequest, find_mode
from moot.kernel.status import WITH_ANSWER, WITHOUT_ANSWER
from moot.mcp.progress import watch
from moot.mcp.tools import LONGEST_WAIT, TOOLS, WAIT_SECONDS
from moot.presets.presets import find_preset

Context = ServerRequestContext[Any, Any]
Arguments = Mapping[str, Any]


async def call(
    engine: Engine, user: str, context: Context, name: str, arguments: Arguments
) -> CallToolResult:
    """Raises Rejected for what cannot be done."""
    check_arguments(name, arguments)
    return await CALLS[name](engine, user, context, arguments)


def check_arguments(name: str, arguments: Arguments) -> None:
    if name not in CALLS:
        raise Rejected(f"There is no tool {name!r}; the tools are {', '.join(CALLS)}")
    known = next(tool for tool in TOOLS if tool.name == name).input_schema
    unknown = sorted(set(arguments) - set(known["properties"]))
    missing = [each for each in known["required"] if each not in arguments]
    if unknown or missing:
        raise Rejected(f"Unknown argument: {unknown[0]}" if unknown else f"{missing[0]} is required")


async def deliberate(engine: Engine, user: str, context: Context, arguments: Arguments) -> CallToolResult:
    seconds = _seconds(arguments, WAIT_SECONDS)
    run = await engine.start(await request_of(engine, user, arguments), user=user)
    await watch(engine, run.id, run.mode, context, seconds)
    return await _result(engine, user, run.id)


async def get_run(engine: Engine, user: str, context: Context, arguments: Arguments) -> CallToolResult:
    run = await engine.run(_text(arguments, "run_id"), user)
    if run.status == "running":
        await engine.resume(run.id, user=user)  # if nobody works on it any more, this process does
        await watch(engine, run.id, run.mode, context, _seconds(arguments, 0.0))
    return await _result(engine, user, run.id)


async def cancel_run(engine: Engine, user: str, context: Context, arguments: Arguments) -> CallToolResult:
    run_id = _text(arguments, "run_id")
    await engine.cancel(run_id, user=user)
    return await _result(engine, user, run_id)


async def list_modes(engine: Engine, user: str, context: Context, arguments: Arguments) -> CallToolResult:
    modes = [
        {
            "id": mode.id,
            "name": mode.entry.name,
            "description": mode.entry.description,
            "good_for": mode.entry.good_for,
            "min_models": mode.entry.min_models,
            "max_models": mode.entry.max_models,
            "judges_a_text": mode.judges is not None,
            "follow_ups": mode.entry.supports_multi_turn,
            "usual_seconds": mode.entry.estimated_duration_ms / 1000,
        }
        for mode in engine.modes.values()
    ]
    text = "\n".join(f"- {mode['id']}: {mode['description']} {mode['good_for']}" for mode in modes)
    content = {"default_mode": engine.settings.default_mode, "modes": modes}
    return CallToolResult(content=[TextContent(text=text)], structured_content=content)


CALLS: dict[str, Callable[[Engine, str, Context, Arguments], Awaitable[CallToolResult]]] = {
    "deliberate": deliberate,
    "get_run": get_run,
    "cancel_run": cancel_run,
    "list_modes": list_modes,
}


async def request_of(engine: Engine, user: str, arguments: Arguments) -> AskRequest:
    """What `deliberate` with these arguments asks. Raises Rejected."""
    mode_id, config = arguments.get("mode"), dict[str, Any]()
    if "preset" in arguments:
        preset = await find_preset(engine, user, _text(arguments, "preset"))
        if mode_id not in (None, preset.mode):
            raise Rejected(f"The preset {preset.name!r} is for the mode {preset.mode}, not {mode_id}")
        mode_id, config = preset.mode, dict(preset.config)
    mode = find_mode(mode_id or engine.settings.default_mode, engine.modes)
    given = arguments.get("config", {})
    if not isinstance(given, Mapping):
        raise Rejected("config must be an object")
    config |= given
    models = arguments.get("models")
    if models is not None:
        if not isinstance(models, list):
            raise Rejected("models must be a list of model ids")
        config |= with_models(mode.config.model_json_schema(), models)
    body = {
        "question": arguments["question"],
        "mode": mode.id,
        # A follow-up that says nothing of the config keeps that of its conversation.
        "modeConfig": config or None,
        "system": arguments.get("system"),
        "conversationId": arguments.get("conversation_id"),
        "schema": arguments.get("schema"),
    }
    return AskRequest.of({name: value for name, value in body.items() if value is not None})


async def _result(engine: Engine, user: str, run_id: str) -> CallToolResult:
    return deliberation_result(await read_deliberation(engine, await engine.run(run_id, user)))


def deliberation_result(deliberation: Deliberation) -> CallToolResult:
    """A run, as far as it is, as a tool's result."""
    record = deliberation.record
    totals = Totals.of([call for call in deliberation.calls if not call.inherited])
    follow = f"The run continues. Call get_run with run_id {record.id} for its answer."
    answer = (deliberation.answer or "") if record.status in WITH_ANSWER else None
    content = {
        "run_id": record.id,
        "conversation_id": record.conversation_id,
        "mode": record.mode,
        "status": record.status,
        "answer": answer,
        **({} if deliberation.json_answer is None else {"json_answer": parsed(deliberation.json_answer)}),
        "error": record.error,
        "warnings": deliberation.notices,
        "simulated": deliberation.simulated,
        "calls": totals.calls,
        "cost": totals.cost,
        "seconds": deliberation.stored_events[-1][1].at / 1000,
        "next": follow if record.status == "running" else None,
    }
    if answer is None:
        text = follow if record.status == "running" else record.error or f"The run {record.status}."
    elif deliberation.json_answer is not None:
        text = deliberation.json_answer  # JSON stands alone; what qualifies it is in the structured content
    else:
        marks = [SIMULATED] if deliberation.simulated else []
        marks += [MISSING, *deliberation.notices] if record.status == "degraded" else []
        text = "\n\n".join([*("\n".join(marks),) * bool(marks), answer])
    return CallToolResult(
        content=[TextContent(text=text)],
        structured_content=content,
        is_error=record.status in WITHOUT_ANSWER,
    )


def _text(arguments: Arguments, name: str) -> str:
    value = arguments[name]
    if not isinstance(value, str) or not value:
        raise Rejected(f"{name} must be text")
    return value


def _seconds(arguments: Arguments, usual: float) -> float:
    value = arguments.get("wait_seconds", usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_WAIT:
        raise Rejected(f"wait_seconds must be between 0 and {LONGEST_WAIT:g}")
    return float(value)
