"""A prompt for each mode, for people who choose from a menu."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from moot.kernel.errors import Rejected
from moot.kernel.request import find_mode
from moot.modes import MODES


def prompts() -> list[Prompt]:
    return [
        Prompt(
            name=mode.id,
            title=mode.entry.name,
            description=f"{mode.entry.description} {mode.entry.good_for}",
            arguments=[
                PromptArgument(
                    name="question",
                    description="The text to be judged" if mode.judges else "The question",
                    required=True,
                )
            ],
        )
        for mode in MODES.values()
    ]


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Raises Rejected."""
    mode = find_mode(name, MODES)
    question = arguments.get("question", "").strip()
    if not question:
        raise Rejected(mode.question.missing)
    text = (
        f"Call the tool deliberate with mode {mode.id!r} and the question below, word for word. If its "
        "status is running, call get_run until there is an answer. Then give me the answer, with all its "
        "warnings.\n\n"
        f"{question}"
    )
    return GetPromptResult(
        description=mode.entry.description,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )
