"""JSON Schemas for those who build on moot: a mode's config as a form, every event as a type.

    event_schemas(MODES)["modes"]["vote"]["winner_declared"]
    {"type": "object", "properties": {"type": {"const": "winner_declared"}, "at": …, "data": {"$ref": …}}}

Event types are unique per mode only: `vote_start` opens vote and is a stage of debate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core.core_schema import DataclassField, ModelField, TypedDictField

from moot.kernel.events import LIVE, SHARED, Event
from moot.kernel.mode import Mode, Panel
from moot.kernel.request import usual_timeout

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def config_schema(mode: Mode[Any], panel: Panel, timeout_ms: int) -> JsonSchemaValue:
    """A mode's config, with the defaults that a request without it would get."""
    schema = mode.config.model_json_schema(schema_generator=_ForForms)
    drawn = mode.defaults(panel, {"question": ""}) if panel.models else {}
    defaults = {**drawn, "timeoutMs": usual_timeout(mode, timeout_ms)}
    for name, field in schema["properties"].items():
        if name in defaults:
            field["default"] = defaults[name]
    left = [name for name in schema.get("required", ()) if name not in defaults]
    return {**{key: value for key, value in schema.items() if key != "required"}, "required": left}


def seats_and_roles(mode: Mode[Any]) -> str:
    """How many models sit in a mode, and who is named apart, as the page says it: `2–6 seats + chairman`."""
    schema = mode.config.model_json_schema()
    seats, roles = "", []
    for field in schema["properties"].values():
        item = _resolve(field.get("items", {}), schema)
        if field.get("format") == "model":
            roles.append(field["title"].lower())
        elif "model" in (item.get("format"), item.get("properties", {}).get("model", {}).get("format")):
            seats = f"{field['minItems']}–{field['maxItems']} seats"
    named = f"{len(roles)} roles" if seats and len(roles) > 2 else (" and " if seats else ", ").join(roles)
    return " + ".join(filter(None, (seats, named)))


def _resolve(field: JsonSchemaValue, root: JsonSchemaValue) -> JsonSchemaValue:
    reference = field.get("$ref")
    found: JsonSchemaValue = root["$defs"][reference.rsplit("/", 1)[-1]] if reference else field
    return found


def event_schemas(modes: Mapping[str, Mode[Any]]) -> dict[str, Any]:
    """Every event as it is on the wire, in one document: by mode and type, those of all modes under
    `shared`, the live ones under `live`; payloads stand under `$defs`."""
    own = {mode.id: mode.events for mode in modes.values()}
    every = {event for events in (*own.values(), SHARED, LIVE) for event in events}
    refs, document = models_json_schema(
        [(event, "serialization") for event in sorted(every, key=lambda event: event.__qualname__)],
        schema_generator=_ForReaders,
    )
    definitions = {name: _never_null(schema) for name, schema in document["$defs"].items()}
    names = {event: refs[event, "serialization"]["$ref"].removeprefix("#/$defs/") for event in every}

    def of(events: Iterable[type[Event]]) -> dict[str, Any]:
        return {event.type: _on_the_wire(event, definitions[names[event]]) for event in events}

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "modes": {mode: of(events) for mode, events in own.items()},
        "shared": of(SHARED),
        "live": of(LIVE),
        "$defs": {name: schema for name, schema in definitions.items() if name not in names.values()},
    }


class _ForForms(GenerateJsonSchema):
    """Titles a person can read: `timeoutMs` is "Timeout ms"."""

    def get_title_from_name(self, name: str) -> str:
        return _HUMP.sub(" ", name).replace("_", " ").capitalize()


class _ForReaders(GenerateJsonSchema):
    """What is always sent is required, whatever Python's defaults are; titles would only be noise."""

    def field_is_required(self, field: ModelField | DataclassField | TypedDictField, total: bool) -> bool:
        return field.get("serialization_exclude_if") is None

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _never_null(schema: JsonSchemaValue) -> JsonSchemaValue:
    """A field that may be absent is absent rather than null."""
    required = schema.get("required", ())
    fields = {
        name: field if name in required else _without_null(field)
        for name, field in schema.get("properties", {}).items()
    }
    return {**schema, "properties": fields} if fields else schema


def _without_null(field: JsonSchemaValue) -> JsonSchemaValue:
    kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key not in ("anyOf", "default")}
    return {**rest, **kinds[0]} if len(kinds) == 1 else {**rest, "anyOf": kinds} if kinds else rest


def _on_the_wire(event: type[Event], schema: JsonSchemaValue) -> JsonSchemaValue:
    envelope = {"type": {"const": event.type}, "at": {"type": "integer", "minimum": 0}}
    return {
        **schema,
        "properties": {**envelope, **schema.get("properties", {})},
        "required": ["type", "at", *schema.get("required", ())],
    }
