"""A conversation as a document of its own: Markdown to read, JSON to keep.

    # Tabs or spaces

    ## Question

    > Tabs or spaces?

    ## Answer

    **Degraded.** Something was missing; what follows is not a full answer.

    - openai/o3: OpenRouter has no credit left.

    > Spaces.

Pure functions of a transcript (`views.read_transcript` with `calls=True`). Notices stand above the
answer they are about, and outside every quotation, where no model can write one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import orjson

from moot.deliberation.markdown import blockquote, plain
from moot.history.views import CallView, Deliberation, MessageView, RunView, Transcript, Turn
from moot.kernel.clock import iso
from moot.kernel.followers import Frame
from moot.kernel.values import Call
from moot.modes import MODES

LONGEST_NAME = 60
_NOTICES = {
    "running": "**Still running.** There is more to come.",
    "degraded": "**Degraded.** Something was missing; what follows is not a full answer.",
    "cancelled": "**Stopped.** The run was stopped before it finished.",
}
_SIMULATED = "**Simulated.** These models are offline simulations: no language model wrote this."
_NOT_EXPORTED = {"answer", "result", "warnings", "simulated"}
"""What a message says already."""


def markdown(transcript: Transcript) -> str:
    """The whole conversation: every question, every answer, and what each model wrote on the way."""
    conversation = transcript.conversation
    blocks = [
        f"# {plain(conversation.title)}",
        f"{plain(_mode_name(conversation.mode))}, {iso(conversation.created_at)}",
    ]
    for turn in transcript.turns:
        blocks += _turn(turn)
    return "\n\n".join(blocks) + "\n"


def document(transcript: Transcript) -> bytes:
    """The same as JSON, with every call and every event: all that is needed to build it again."""
    conversation = transcript.conversation
    content = {
        "format": "moot.conversation.1",
        "id": conversation.id,
        "title": conversation.title,
        "mode": conversation.mode,
        "createdAt": iso(conversation.created_at),
        "updatedAt": iso(conversation.updated_at),
        "messages": [_message(turn) for turn in transcript.turns],
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def attachment(title: str, suffix: str) -> str:
    """The header that names a download: no part of a title can leave its folder or the header."""
    letters = "".join(sign if sign.isalnum() else " " for sign in title.lower())
    name = "-".join(["moot", *letters.split()])[:LONGEST_NAME].rstrip("-")
    return f"attachment; filename=\"moot.{suffix}\"; filename*=UTF-8''{quote(name, safe='')}.{suffix}"


def _mode_name(mode_id: str) -> str:
    return MODES[mode_id].about.name if mode_id in MODES else mode_id


def _turn(turn: Turn) -> Iterator[str]:
    message, deliberation = turn.message, turn.deliberation
    if message.role == "user":
        yield from ("## Question", blockquote(message.content))
        return
    yield "## Answer"
    if deliberation is not None and deliberation.simulated:
        yield _SIMULATED
    if message.status == "failed":
        yield f"**Failed.** {plain(message.error or 'There is no answer.')}"
    elif message.status in _NOTICES:
        yield _NOTICES[message.status]
    if deliberation is not None and deliberation.notices:
        yield "\n".join(f"- {plain(notice)}" for notice in deliberation.notices)
    if message.content:
        yield blockquote(message.content)
    if deliberation is not None and deliberation.calls:
        yield "### How this answer was reached"
        for call in sorted(deliberation.calls, key=lambda call: (call.started_ms, call.seat or 0)):
            yield from _call(call, deliberation)


def _call(call: Call, deliberation: Deliberation) -> Iterator[str]:
    if call.step == "title":
        return
    view = CallView.of(call, deliberation)
    who = [f"seat {view.seat}"] if view.seat is not None else []
    if view.model is not None:
        who.append(plain(view.model))
    yield f"#### {plain(view.step.replace('_', ' ').capitalize())}: {', '.join(who)}"
    yield f"{view.response_time_ms / 1000:.1f} s{_spending(view)}"
    yield blockquote(call.text) if call.text is not None else f"**No answer.** {plain(call.reason or '')}"


def _spending(view: CallView) -> str:
    usage = view.usage
    parts = [
        f", {count:,} {name}"
        for count, name in ((usage.prompt_tokens, "tokens read"), (usage.completion_tokens, "tokens written"))
        if count is not None
    ]
    return "".join(parts) + ("" if view.cost is None else f", {view.cost:.6f} dollars")


def _message(turn: Turn) -> dict[str, Any]:
    view = MessageView.of(turn).model_dump(mode="json", exclude={"events"})
    deliberation = turn.deliberation
    if deliberation is None:
        return view
    run = RunView.of_deliberation(deliberation).model_dump(mode="json", exclude=_NOT_EXPORTED)
    run["calls"] = [
        {**view, "text": call.text, "reasoning": call.reasoning}
        for view, call in zip(run["calls"], deliberation.calls, strict=True)
    ]
    run["events"] = [
        {"id": number, **orjson.loads(Frame.of(number, event).json())}
        for number, event in deliberation.stored_events
    ]
    return {**view, "run": run}
