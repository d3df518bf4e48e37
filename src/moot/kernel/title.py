"""The conversation's title: asked for beside the first stage, told at the end."""

from __future__ import annotations

import asyncio
from typing import Any

from moot.kernel.errors import NoAnswer
from moot.kernel.fences import Foreign
from moot.kernel.mode import Mode
from moot.kernel.run import Run

SECONDS = 30.0
TURNS = 3
"""How often the event loop goes round before a title is asked for: the first stage goes first."""
LONGEST = 50
LONGEST_TEXT = 2000

PROMPT = """\
Generate a brief title (3-5 words) for a conversation that starts with this question:

{question}

Reply with ONLY the title. No quotes, no punctuation, no explanation."""


async def make_title(run: Run[Any], model: str, text: str) -> str:
    """The model's title, or the question's first line if none came; a failed title is no failure."""
    for _ in range(TURNS):
        await asyncio.sleep(0)
    prompt = run.fill(PROMPT, question=Foreign(text[:LONGEST_TEXT]))
    try:
        reply = await run.ask(
            "title", model, prompt, timeout_seconds=SECONDS, report_failure=False, require_complete=False
        )
    except NoAnswer:
        return trimmed(text)
    return trimmed(reply.response) or trimmed(text)


def first_title(mode: Mode[Any], config: Any, question: str) -> str:
    """What a conversation is called until its title is told."""
    return trimmed(mode.title_text(config, question))


def trimmed(text: str) -> str:
    """One line of at most 50 characters, without quotes around it and a full stop behind it."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    bare = first.strip("\"'“”„‘’«»`* ").removesuffix(".").strip("\"'“”„‘’«»`* ")
    return bare if len(bare) <= LONGEST else f"{bare[: LONGEST - 3]}..."
