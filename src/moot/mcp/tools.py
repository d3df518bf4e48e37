"""The tools as they are described. Nothing of the engine is known here: a client lists them at once."""

from __future__ import annotations

from typing import Any

from mcp_types import Tool, ToolAnnotations

WAIT_SECONDS = 45.0
"""Below the minute after which many clients give up."""
LONGEST_WAIT = 3600.0

_TEXT: dict[str, Any] = {"type": "string"}
_MAYBE_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER: dict[str, Any] = {"type": ["number", "null"]}
_RUN_ID = {"run_id": {**_TEXT, "description": "The id that `deliberate` gave."}}
_WAIT = {
    "type": "number",
    "minimum": 0,
    "maximum": LONGEST_WAIT,
    "description": "How long to wait for the answer, in seconds. The run continues after that.",
}

RUN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "run_id": _TEXT,
        "conversation_id": _TEXT,
        "mode": _TEXT,
        "status": {"enum": ["running", "complete", "degraded", "failed", "cancelled"]},
        "answer": {**_MAYBE_TEXT, "description": "Null while the run is in progress, or if it has none."},
        "json_answer": {
            "description": "The answer as JSON that is valid against `schema`, if one was given."
        },
        "error": _MAYBE_TEXT,
        "warnings": {"type": "array", "items": _TEXT, "description": "What is missing, or was replaced."},
        "simulated": {"type": "boolean", "description": "No language model wrote this."},
        "calls": {"type": "integer"},
        "cost": {**_NUMBER, "description": "Dollars so far; null where no price is known."},
        "seconds": {"type": "number"},
        "next": {**_MAYBE_TEXT, "description": "What to do now, if there is something to do."},
    },
    "required": ["run_id", "conversation_id", "mode", "status", "answer", "error", "warnings", "simulated"],
}
MODES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "default_mode": _TEXT,
        "modes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": _TEXT,
                    "name": _TEXT,
                    "description": _TEXT,
                    "good_for": _TEXT,
                    "min_models": {"type": "integer"},
                    "max_models": {"type": "integer"},
                    "judges_a_text": {"type": "boolean"},
                    "follow_ups": {"type": "boolean"},
                    "usual_seconds": {"type": "number"},
                },
                "required": ["id", "name", "description", "good_for"],
            },
        },
    },
    "required": ["default_mode", "modes"],
}


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


DELIBERATE = Tool(
    name="deliberate",
    title="Deliberate",
    description="Put a question to a panel of language models that deliberate in the chosen mode, and get "
    "their answer. It asks several models, so it costs money and may take minutes. If the answer is not "
    "there in time, `status` is running: call get_run with the run_id.",
    input_schema=_object(
        {
            "question": {**_TEXT, "description": "The question, or the text to judge."},
            "mode": {**_TEXT, "description": "The mode; list_modes lists them all."},
            "preset": {**_TEXT, "description": "A saved mode and config, by name, in place of a mode."},
            "models": {
                "type": "array",
                "items": _TEXT,
                "description": "The panel; the default one if left out.",
            },
            "config": {"type": "object", "description": "More of the mode's config, in its own names."},
            "system": {**_TEXT, "description": "A system prompt for every seat."},
            "conversation_id": {**_TEXT, "description": "Follow up in this conversation."},
            "schema": {
                "type": "object",
                "description": "A JSON schema: the answer is given as JSON that is valid against it too.",
            },
            "wait_seconds": {**_WAIT, "default": WAIT_SECONDS},
        },
        ("question",),
    ),
    output_schema=RUN,
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True),
)
GET_RUN = Tool(
    name="get_run",
    title="Get a run",
    description="Read the outcome of a run: its answer, or that it is still in progress. Costs nothing.",
    input_schema=_object({**_RUN_ID, "wait_seconds": {**_WAIT, "default": 0}}, ("run_id",)),
    output_schema=RUN,
    annotations=ToolAnnotations(read_only_hint=True),
)
CANCEL_RUN = Tool(
    name="cancel_run",
    title="Cancel a run",
    description="Stop a deliberation for good. What was answered so far is kept.",
    input_schema=_object(_RUN_ID, ("run_id",)),
    output_schema=RUN,
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False),
)
LIST_MODES = Tool(
    name="list_modes",
    title="List modes",
    description="List the ways to deliberate, with what each is good for.",
    input_schema=_object({}),
    output_schema=MODES,
    annotations=ToolAnnotations(read_only_hint=True),
)
TOOLS = [DELIBERATE, GET_RUN, CANCEL_RUN, LIST_MODES]
