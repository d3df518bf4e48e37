"""Writes the API as TypeScript types: web/src/api/wire.ts, and web/src/modes/<mode>/wire.ts for each mode.

python tools/page_types.py            write them
python tools/page_types.py --check    say whether they are up to date; exit code 1 if they are not

A mode's file holds its events and the types that only they are made of; what two modes share, what all modes
send and what the routes answer stands in the API's file. So a new mode changes no file of another.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from moot.http import PARTS
from moot.kernel.schemas import event_schemas
from moot.modes import MODES

SOURCE = Path(__file__).parent.parent / "web" / "src"
HEAD = "// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.\n\n"
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
    "KeyList",
    "KeyTest",
    "Allotment",
    "SessionView",
    "LinkView",
    "OidcLink",
    "OidcWay",
    "TokenList",
    "TokenWithSecret",
    "ShareList",
    "SharedRun",
    "PersonList",
    "InvitationList",
    "InvitationWithLink",
    "ResetLink",
    "RunningList",
    "WebhookList",
    "WebhookWithSecret",
    "WebhookSecret",
    "DeliveryList",
    "Trial",
    "Problem",
)
"""What the routes answer, as far as the page asks for it."""

Schema = Mapping[str, Any]
Names = Mapping[str, str]


def type_files() -> dict[Path, str]:
    """Every file of types with what belongs in it."""
    events = event_schemas(MODES)
    answers = _answer_schemas()
    schemas = {**answers, **events["$defs"]}
    reach = {mode: _reach(own.values(), schemas) for mode, own in events["modes"].items()}
    uses = Counter(name for names in reach.values() for name in names)
    shared = {
        *_reach((schemas[name] for name in PAGES), schemas),
        *PAGES,
        *_reach((*events["shared"].values(), *events["live"].values()), schemas),
        *(name for name, count in uses.items() if count > 1),
    }
    common = _type_names(shared)
    files = {SOURCE / "api" / "wire.ts": _api_file(common, schemas, events)}
    for mode, own in events["modes"].items():
        names = {**common, **_type_names(reach[mode] - shared, taken=common.values())}
        text = _mode_file(names, {name: schemas[name] for name in reach[mode] - shared}, own)
        files[SOURCE / "modes" / mode / "wire.ts"] = text
    return files


def _answer_schemas() -> dict[str, Any]:
    app = FastAPI()
    for part in PARTS:
        app.include_router(part.router)
    schemas: dict[str, Any] = app.openapi()["components"]["schemas"]
    return schemas


def _reach(roots: Iterable[Any], schemas: Schema) -> set[str]:
    """The names of all that these are made of."""
    reach: set[str] = set()
    wanted = [name for root in roots for name in _references(root)]
    while wanted:
        name = wanted.pop()
        if name not in reach:
            reach.add(name)
            wanted += _references(schemas[name])
    return reach


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for entry in schema:
            yield from _references(entry)
    elif isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for entry in schema.values():
            yield from _references(entry)


def _type_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """What each is called in its file: the name of its class, or with its module where that is ambiguous."""
    short = {name: _camel(name.rpartition("__")[2]) for name in names}
    seen = Counter([*short.values(), *taken])
    return {name: one if seen[one] == 1 else _camel(name) for name, one in short.items()}


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))


def _api_file(names: Names, schemas: Schema, events: Schema) -> str:
    groups = (
        f"export interface {group.title()}Events {_events(events[group], names)}\n"
        for group in ("shared", "live")
    )
    return HEAD + "\n".join((*_declarations(names, {name: schemas[name] for name in names}), *groups))


def _mode_file(names: Names, own: Schema, events: Schema) -> str:
    shared = {name for root in (events, own) for name in _references_in(root)} - own.keys()
    imported = sorted(names[name] for name in shared)
    imports = (f"import type {{ {', '.join(imported)} }} from '../../api/wire'\n",) if imported else ()
    interface = f"export interface Events {_events(events, names)}\n"
    return HEAD + "\n".join((*imports, *_declarations(names, own), interface))


def _references_in(schemas: Schema) -> Iterator[str]:
    for schema in schemas.values():
        yield from _references(schema)


def _declarations(names: Names, schemas: Schema) -> Iterator[str]:
    """Types rather than interfaces: only the entries of a type's object have the type of its fields."""
    for name in sorted(schemas, key=names.__getitem__):
        yield f"export type {names[name]} = {_type(schemas[name], 0, names)}\n"


def _events(events: Schema, names: Names) -> str:
    lines = [f"  {type}: {_type(schema, 1, names)}\n" for type, schema in events.items()]
    return "{\n" + "".join(lines) + "}"


def _type(schema: Any, depth: int, names: Names) -> str:
    """A schema as a type; what TypeScript cannot say (ranges, patterns) is left out."""
    if schema is True or schema == {}:
        return "unknown"
    if "$ref" in schema:
        return names[schema["$ref"].rpartition("/")[2]]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(_type(option, depth, names) for option in schema[union]))
    if "allOf" in schema:
        return _type(schema["allOf"][0], depth, names)
    return _plain(schema, depth, names)


def _plain(schema: Schema, depth: int, names: Names) -> str:
    match schema.get("type"):
        case "array":
            inner = _type(schema.get("items", True), depth, names)
            return f"({inner})[]" if " " in inner and not inner.startswith("{") else f"{inner}[]"
        case "object" if "properties" in schema:
            return _object(schema, depth, names)
        case "object":
            return f"Record<string, {_type(schema.get('additionalProperties', True), depth, names)}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as plain:
            return str(plain)
    return "unknown"


def _object(schema: Schema, depth: int, names: Names) -> str:
    required = schema.get("required", ())
    indent = "  " * (depth + 1)
    lines = [
        f"{indent}{name}{'' if name in required else '?'}: {_type(field, depth + 1, names)}\n"
        for name, field in schema["properties"].items()
    ]
    return "{\n" + "".join(lines) + "  " * depth + "}"


def main() -> int:
    stale = {
        path: text
        for path, text in type_files().items()
        if not path.is_file() or path.read_text("utf-8") != text
    }
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path} is out of date: write it anew with `make docs`.")
        return 1 if stale else 0
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
