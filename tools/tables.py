"""The generated tables of the docs; `make docs` writes them anew, tests/laws/test_docs.py checks them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from moot.kernel.events import SHARED, Event
from moot.kernel.mode import Panel
from moot.kernel.schemas import seats_and_roles
from moot.modes import MODES
from tools.stored_rows import stored_rows

PANEL = Panel(
    (
        "anthropic/claude-opus-4-6",
        "openai/o3",
        "google/gemini-2.5-pro",
        "perplexity/sonar-pro",
        "anthropic/claude-sonnet-4",
    )
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def modes() -> str:
    rows = (
        (
            f"[{e.name}](docs/modes/{e.id}.md)",
            f"`{e.id}`",
            seats_and_roles(mode),
            e.description,
        )
        for mode, e in ((mode, mode.entry) for mode in MODES.values())
    )
    return table(("mode", "id", "panel", "what happens"), rows)


def mode_page(mode_id: str) -> str:
    """Config, events and stored rows of one mode."""
    parts = {"Config": config(mode_id), "Events": events(mode_id), "Stored rows": rows(mode_id)}
    return "\n\n".join(f"## {heading}\n\n{part}" for heading, part in parts.items())


def config(mode_id: str) -> str:
    mode = MODES[mode_id]
    schema = mode.config.model_json_schema()
    defaults = mode.defaults(PANEL, {"question": "…"})
    rows = []
    for name, field in schema["properties"].items():
        default = defaults.get(name, field.get("default"))
        shown = "—" if default is None else f"`{_short(default)}`"
        rows.append((f"`{name}`", _kind(field, schema), shown, field.get("description", "")))
    return table(("field", "type", "default", "meaning"), rows)


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) and not _nested(value) else str(value)
    if _nested(value):
        text = f"{len(value)} entries"
    return text.replace("\n", " ")[:120]


def _nested(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, dict) for entry in value)


def _kind(field: dict[str, Any], schema: dict[str, Any]) -> str:
    field = next((one for one in field.get("anyOf", ()) if one.get("type") != "null"), field)
    if "$ref" in field:
        field = {**schema["$defs"][field["$ref"].rsplit("/", 1)[-1]], **field}
    kind = field.get("type", "value")
    if kind == "array":
        few, many = field.get("minItems"), field.get("maxItems")
        return f"list of {few}–{many}" if few is not None and many is not None else "list"
    if "enum" in field:
        return " · ".join(str(value) for value in field["enum"])
    if "minimum" in field and "maximum" in field:
        return f"{kind}, {field['minimum']:g}–{field['maximum']:g}"
    return str(kind)


def events(mode_id: str) -> str:
    return table(("event", "carries"), (_event(event) for event in MODES[mode_id].events))


def rows(mode_id: str) -> str:
    """What is kept in `deliberation_stages`, and in tables of the mode's own."""
    kept = stored_rows(MODES[mode_id])
    stages = [
        (f"`{stage}`", one.order, _marked(", ".join(one.roles)), one.content, _marked(one.parsed))
        for stage, one in sorted(kept.stages.items(), key=lambda stage: stage[1].orders[max(stage[1].orders)])
    ]
    own = [(f"`{name}`", one.parsed) for name, one in kept.tables.items()]
    note = "A key with `?` is not in every row; `n` is the number in the stage's name.\n\n" if stages else ""
    heads = ("stageType", "stageOrder", "role", "content", "parsedData"), ("table", "columns")
    both = (table(head, lines) for head, lines in zip(heads, (stages, own), strict=True) if lines)
    return note + "\n\n".join(both)


def _marked(text: str) -> str:
    return re.sub(r"<\w+>", r"`\g<0>`", text)


def shared_events() -> str:
    return table(("event", "carries"), (_event(event) for event in SHARED))


def _event(event: type[Event]) -> tuple[str, str]:
    schema = event.model_json_schema(mode="serialization")
    names = []
    for name, field in schema.get("properties", {}).items():
        inner = _fields(field, schema)
        names.append(f"{name} {{{', '.join(inner)}}}" if inner else name)
    return f"`{event.type}`", ", ".join(names)


def _fields(field: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    target = field.get("items", field)
    if "$ref" not in target:
        return []
    return list(schema["$defs"][target["$ref"].rsplit("/", 1)[-1]].get("properties", {}))


def reckonings() -> str:
    rows = (
        (mode.entry.name, mode.seat_results.wins or "—", mode.seat_results.agrees or "—")
        for mode in MODES.values()
        if mode.seat_results is not None
    )
    return table(("mode", "a seat wins", "a seat agrees"), rows)


def database() -> str:
    """Every table with its columns; those that hold a moment are marked."""
    from moot.store.tables import metadata

    rows = ((f"`{one.name}`", ", ".join(map(_column, one.columns))) for one in metadata.tables.values())
    return table(("table", "columns"), rows)


def _column(column: Any) -> str:
    return f"`{column.name}` *(moment)*" if column.info.get("moment") else f"`{column.name}`"


def settings() -> str:
    from moot.settings import documented

    rows = (
        (f"`{s.variable}`", f"`{s.name}`", s.default, s.standing.value, s.description) for s in documented()
    )
    return table(("environment", "moot.toml", "default", "in a project", "meaning"), rows)


def command(*words: str) -> str:
    moot = str(Path(sys.executable).with_name("moot"))
    environment = {**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(
        [moot, *words, "--help"], capture_output=True, text=True, check=True, env=environment
    )
    return f"```text\n$ moot {' '.join(words)}\n{done.stdout.strip()}\n```"


def commands() -> str:
    import typer

    from moot.cli import app

    names: list[str] = []
    for name, one in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        names += [name, *(f"{name} {inner}" for inner in getattr(one, "commands", ()))]
    return "\n\n".join([command(), *(f"## {name}\n\n{command(*name.split())}" for name in names)])


def routes() -> str:
    from fastapi import FastAPI

    from moot.http import PARTS

    app = FastAPI()
    for part in PARTS:
        app.include_router(part.router)
    rows = [
        (f"`{method.upper()} {path}`", _summary(operation))
        for path, methods in app.openapi()["paths"].items()
        for method, operation in methods.items()
    ]
    return table(("route", "what it does"), rows)


def _summary(operation: dict[str, Any]) -> str:
    described = operation.get("description", "").split("\n\n")[0].replace("\n", " ")
    return described or str(operation.get("summary", ""))
