"""The schemas say of every event what is on the wire, and of every config what a form needs."""

from __future__ import annotations

from typing import Any

import pytest

from moot.kernel.events import LIVE, CallReference, Token
from moot.kernel.followers import LiveCall, call_complete
from moot.kernel.mode import Panel
from moot.kernel.schemas import config_schema, event_schemas
from moot.kernel.values import Call
from moot.modes import MODES
from tests.http.door import Door, script

PANEL = Panel(("ann", "bob", "cyd", "dee"))
SCHEMAS = event_schemas(MODES)
KINDS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def mismatch(value: Any, schema: dict[str, Any], where: str = "") -> str | None:
    """Where a value departs from a schema: the part of JSON Schema that ours use."""
    if "$ref" in schema:
        return mismatch(value, SCHEMAS["$defs"][schema["$ref"].removeprefix("#/$defs/")], where)
    if "anyOf" in schema:
        found = [mismatch(value, kind, where) for kind in schema["anyOf"]]
        return None if None in found else found[0]
    if "const" in schema:
        return None if value == schema["const"] else f"{where}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not isinstance(value, KINDS[schema["type"]]):
        return f"{where}: {value!r} is no {schema['type']}"
    if isinstance(value, dict):
        return _fields(value, schema, where)
    if isinstance(value, list):
        entries = (mismatch(entry, schema["items"], f"{where}[]") for entry in value)
        return next((found for found in entries if found), None)
    return None


def _fields(value: dict[str, Any], schema: dict[str, Any], where: str) -> str | None:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{where}: {missing} missing"
    for name, entry in value.items():
        if name not in known and more is False:
            return f"{where}.{name} is not in the schema"
        found = mismatch(entry, known.get(name, more), f"{where}.{name}")
        if found:
            return found
    return None


@pytest.mark.parametrize("mode", ["council", "vote", "debate"])
async def test_every_frame_of_a_run_fits_the_schema_of_its_mode_and_type(mode: str) -> None:
    async with Door(script(dee="")) as door:
        told = await door.ask(mode=mode, streamTokens=True)
        assert await door.get("/api/events/schema") == SCHEMAS
    known = {**SCHEMAS["shared"], **SCHEMAS["live"], **SCHEMAS["modes"][mode]}
    assert [mismatch(frame, known[frame["type"]], frame["type"]) for frame in told.frames] == [None] * len(
        told.frames
    )


def test_the_same_type_may_mean_two_things_in_two_modes() -> None:
    opening, stage = SCHEMAS["modes"]["vote"]["vote_start"], SCHEMAS["modes"]["debate"]["vote_start"]
    assert "runId" in opening["required"]
    assert "data" in stage["required"]


def test_what_may_be_absent_is_never_null() -> None:
    winner = SCHEMAS["$defs"]["VoteWinnerResult"]
    assert "tiebreakerModel" not in winner["required"]
    assert winner["properties"]["tiebreakerModel"] == {"type": "string"}


@pytest.mark.parametrize(
    "call",
    [
        CallReference(step="vote", seat=2, model="ann", call="7f3a90c1"),
        CallReference(step='round/"1"', seat=None, model=None, call=""),
    ],
)
@pytest.mark.parametrize("text", ["x", "", 'say "tabs"\n\\ \x00\x7f\u2028 \N{PILE OF POO}'])
def test_live_frames_are_byte_for_byte_what_their_classes_say(call: CallReference, text: str) -> None:
    live = LiveCall(call, attempt=2)
    completed = call_complete(Call(call.step, call.seat, "d", "ann", 1, 5, cost=0.25))
    frames = [live.start(3), live.token(4, text), completed]
    assert [frame.type for frame in frames] == [event.type for event in LIVE]
    for frame, event in zip(frames, LIVE, strict=True):
        assert event.model_validate_json(frame.body).model_dump_json().encode() == frame.body
    assert Token.model_validate_json(frames[1].body).data.text == text


@pytest.mark.parametrize("mode", MODES)
def test_every_field_of_a_config_can_be_drawn_as_a_form(mode: str) -> None:
    schema = config_schema(MODES[mode], PANEL, 60_000)
    assert schema["properties"]["timeoutMs"]["default"] == 60_000
    for name, field in schema["properties"].items():
        assert field.get("title"), name
        assert field["title"] == field["title"].strip()
        assert " " in field["title"] or not any(sign.isupper() for sign in field["title"][1:]), field["title"]
        assert field.get("description"), f"{mode}.{name} has no description"
        assert name in schema["required"] or "default" in field, f"{mode}.{name} has no default"


def test_a_config_without_a_panel_has_no_defaults_for_models() -> None:
    schema = config_schema(MODES["vote"], Panel(()), 60_000)
    assert schema["required"] == ["councilModels", "chairmanModel"]


async def test_all_modes_are_listed_in_order() -> None:
    async with Door(script()) as door:
        listed = await door.get("/api/modes")
    modes = listed["modes"]
    assert [mode["id"] for mode in modes] == list(MODES)
    assert all(mode["available"] for mode in modes)
    vote = modes[1]
    assert vote["configSchema"]["properties"]["councilModels"]["default"] == ["ann", "bob", "cyd"]
    assert vote["events"][0] == "vote_start"
    assert {"winner_declared", "model_failed", "complete", "error"} <= set(vote["events"])
    assert vote["maxQuestionChars"] == 32_000
    assert listed["defaultMode"] == "council"


async def test_the_models_come_with_the_panel() -> None:
    async with Door(script()) as door:
        listed = await door.get("/api/models")
    assert listed["panel"] == ["ann", "bob", "cyd", "dee"]
    assert {"id", "provider", "name", "contextLength", "promptPrice", "completionPrice"} == set(
        listed["models"][0]
    )
    assert "sim/ada" in {model["id"] for model in listed["models"]}


async def test_the_description_of_the_api_names_every_route_and_never_422() -> None:
    async with Door(script()) as door:
        description = await door.get("/api/openapi.json")
    operations = [
        (path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    assert {f"{method.upper()} {path}" for path, method, _ in operations} >= {
        "POST /api/council/stream",
        "GET /api/runs",
        "GET /api/runs/{run_id}",
        "GET /api/runs/{run_id}/events",
        "POST /api/runs/{run_id}/cancel",
        "POST /api/runs/{run_id}/retry",
        "GET /api/conversations",
        "GET /api/conversations/{conversation_id}",
        "PATCH /api/conversations/{conversation_id}",
        "DELETE /api/conversations/{conversation_id}",
        "GET /api/conversations/{conversation_id}/export",
        "GET /api/modes",
        "GET /api/models",
        "GET /api/events/schema",
        "GET /healthz",
        "GET /readyz",
    }
    for path, method, operation in operations:
        assert "422" not in operation["responses"], (method, path)
    assert "HTTPValidationError" not in description["components"]["schemas"]
    start = description["paths"]["/api/council/stream"]["post"]
    assert "question" in start["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert "text/event-stream" in start["responses"]["200"]["content"]
