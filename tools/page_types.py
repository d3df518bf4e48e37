"""Writes web/src/api/wire.ts: every event and every answer of the API as a TypeScript type.

python tools/page_types.py            write it
python tools/page_types.py --check    say whether it is up to date; exit code 1 if it is not
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from moot.http import PARTS
from moot.kernel.schemas import event_schemas
from moot.modes import MODES

FILE = Path(__file__).parent.parent / "web" / "src" / "api" / "wire.ts"
HEAD = """// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

"""
PAGES = (
    "ModeList",
    "Models",
    "ConversationPage",
    "ConversationView",
    "ConversationSummary",
    "RunView",
    "Insight",
    "PresetList",
    "RunEstimate",
    "RunEstimates",
    "TemplateList",
    "TracePage",
    "TraceStats",
    "Problem",
)


def written() -> str:
    events = event_schemas(MODES)
    parts = [HEAD]
    for name, schema in sorted({**events["$defs"], **_answers(events["$defs"])}.items()):
        parts.append(f"export type {_name(name)} = {_type(schema, 0)}\n\n")
    parts.append("export interface ModeEvents {\n")
    for mode, own in events["modes"].items():
        parts.append(f"  {mode}: {_events(own, '  ')}\n")
    parts.append("}\n\n")
    for group in ("shared", "live"):
        parts.append(f"export interface {group.title()}Events {_events(events[group], '')}\n\n")
    parts.append("export type ModeId = keyof ModeEvents\n")
    return "".join(parts)


def _answers(taken: dict[str, Any]) -> dict[str, Any]:
    """What the routes answer, with all that it is made of."""
    app = FastAPI()
    for part in PARTS:
        app.include_router(part.router)
    schemas: dict[str, Any] = app.openapi()["components"]["schemas"]
    found: dict[str, Any] = {}
    wanted = list(PAGES)
    while wanted:
        name = wanted.pop()
        if name in found or name in taken:
            continue
        found[name] = schemas[name]
        wanted += _references(schemas[name])
    return found


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for entry in schema for name in _references(entry)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"].rpartition("/")[2]] if "$ref" in schema else []
    return own + [name for entry in schema.values() for name in _references(entry)]


def _events(events: dict[str, Any], indent: str) -> str:
    lines = [f"{indent}  {type}: {_type(schema, len(indent) // 2 + 1)}\n" for type, schema in events.items()]
    return "{\n" + "".join(lines) + indent + "}"


def _name(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("__")).replace(
        "_", ""
    )


def _type(schema: Any, depth: int) -> str:
    """A schema as a type; what TypeScript cannot say (ranges, patterns) is left out."""
    if schema is True or schema == {}:
        return "unknown"
    if "$ref" in schema:
        return _name(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for joined in ("anyOf", "oneOf"):
        if joined in schema:
            return " | ".join(dict.fromkeys(_type(option, depth) for option in schema[joined]))
    if "allOf" in schema:
        return _type(schema["allOf"][0], depth)
    return _plain(schema, depth)


def _plain(schema: dict[str, Any], depth: int) -> str:
    match schema.get("type"):
        case "array":
            inner = _type(schema.get("items", True), depth)
            return f"({inner})[]" if " " in inner and not inner.startswith("{") else f"{inner}[]"
        case "object" if "properties" in schema:
            return _object(schema, depth)
        case "object":
            return f"Record<string, {_type(schema.get('additionalProperties', True), depth)}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as plain:
            return str(plain)
    return "unknown"


def _object(schema: dict[str, Any], depth: int) -> str:
    required = schema.get("required", ())
    indent = "  " * (depth + 1)
    lines = [
        f"{indent}{name}{'' if name in required else '?'}: {_type(field, depth + 1)}\n"
        for name, field in schema["properties"].items()
    ]
    return "{\n" + "".join(lines) + "  " * depth + "}"


def main() -> int:
    text = written()
    if "--check" in sys.argv:
        if FILE.is_file() and FILE.read_text("utf-8") == text:
            return 0
        print(f"{FILE} is out of date: write it anew with `make docs`.")
        return 1
    FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
