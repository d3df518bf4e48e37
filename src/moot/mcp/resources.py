"""Resources: every mode with its config's schema, every run with its story and its answer."""

from __future__ import annotations

import orjson
from mcp_types import ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from moot.history.notices import SIMULATED, notices
from moot.history.runs import list_runs
from moot.history.safe_text import one_line
from moot.history.story_text import story_text
from moot.history.views import read_deliberation
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound
from moot.kernel.followers import Frame
from moot.kernel.request import find_mode
from moot.kernel.schemas import config_schema

MODES, RUNS = "moot://modes/", "moot://runs/"
RUNS_LISTED = 20
LONGEST_TITLE = 80
TEMPLATES = [
    ResourceTemplate(
        name="mode",
        uri_template=f"{MODES}{{mode}}",
        description="A mode, with the schema of its config.",
        mime_type="application/json",
    ),
    ResourceTemplate(
        name="run",
        uri_template=f"{RUNS}{{run_id}}",
        description="A run: how the answer was reached, and what it is.",
        mime_type="text/markdown",
    ),
]


async def resources(engine: Engine, user: str) -> list[Resource]:
    """All modes, then the newest runs."""
    runs = (await list_runs(engine, user, limit=RUNS_LISTED)).items
    return [
        *(
            Resource(
                name=mode.id,
                title=mode.entry.name,
                uri=f"{MODES}{mode.id}",
                description=mode.entry.description,
                mime_type="application/json",
            )
            for mode in engine.modes.values()
        ),
        *(
            Resource(
                name=run.id,
                title=one_line(run.question, LONGEST_TITLE),
                uri=f"{RUNS}{run.id}",
                description=f"{run.mode}, {run.status}",
                mime_type="text/markdown",
            )
            for run in runs
        ),
    ]


async def read_resource(engine: Engine, user: str, uri: str) -> ReadResourceResult:
    """Raises NotFound."""
    if uri.startswith(MODES):
        text, kind = await _mode(engine, user, uri.removeprefix(MODES)), "application/json"
    elif uri.startswith(RUNS):
        text, kind = await _run(engine, user, uri.removeprefix(RUNS)), "text/markdown"
    else:
        raise NotFound(f"There is no resource {uri[:200]}")
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=kind, text=text)])


async def _mode(engine: Engine, user: str, mode_id: str) -> str:
    mode = find_mode(mode_id, engine.modes)
    schema = config_schema(mode, await engine.panel_of(user), engine.settings.timeout_ms)
    entry = {**mode.entry.model_dump(), "configSchema": schema}
    return orjson.dumps(entry, option=orjson.OPT_INDENT_2).decode()


async def _run(engine: Engine, user: str, run_id: str) -> str:
    deliberation = await read_deliberation(engine, await engine.run(run_id, user))
    frames = [Frame.of(number, event) for number, event in deliberation.stored_events]
    marks = [*([SIMULATED] if deliberation.simulated else []), *notices(deliberation)]
    parts = [
        f"# {one_line(deliberation.record.question, LONGEST_TITLE)}",
        deliberation.record.question,
        "\n".join(f"> {mark}" for mark in marks),
        "## Answer" if deliberation.answer else "",
        deliberation.answer or "",
        "## How this answer was reached",
        story_text(deliberation.mode, frames, deliberation.answer),
    ]
    return "\n\n".join(part for part in parts if part)
