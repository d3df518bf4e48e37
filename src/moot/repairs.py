"""The repair call: a reply that no program could read may be sent once more, in its layout.

A program must read your reply and could not: it holds no score and no verdict. Send the same judgement
again, unchanged, in the layout below …
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moot.errors import NoAnswer
from moot.fences import Foreign

if TYPE_CHECKING:
    from moot.run import Run
    from moot.wire import Answer

REPAIR_PROMPT = """\
A program must read your reply and could not: {problem}. Send the same {matter} again, unchanged, in the \
layout
below and with nothing around it.
{layout}
YOUR REPLY WAS
{reply}"""


async def ask_again_in_layout(
    run: Run[Any],
    reply: Answer,
    *,
    step: str,
    problem: str,
    layout: str,
    matter: str = "judgement",
    keep: float = 0.0,
) -> Answer | None:
    """What the same model sends when asked to keep to the layout, with the time both calls took; None if
    nothing comes. The seat is not given up by that: its first reply stands."""
    prompt = run.fill(
        REPAIR_PROMPT, problem=problem, matter=matter, layout=layout, reply=Foreign(reply.response)
    )
    try:
        again = await run.ask(f"{step}/repair", reply.model, prompt, seat=reply.seat, keep=keep, tell=False)
    except NoAnswer:
        return None
    return again.model_copy(update={"response_time_ms": reply.response_time_ms + again.response_time_ms})
