"""Second chances: a reply that no program could read may be sent once more, in its layout; a call that
failed may be made once more, or to another model.

A program must read your reply and could not: it holds no score and no verdict. Send the same judgement
again, unchanged, in the layout below …
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from moot.kernel.errors import NoAnswer
from moot.kernel.fences import Foreign
from moot.kernel.values import Message, Rewording, messages_of

if TYPE_CHECKING:
    from moot.kernel.run import Run
    from moot.kernel.values import Answer, Prompt, PromptText


class Readable(Protocol):
    """What a parser made of a reply."""

    @property
    def readable(self) -> bool: ...


R = TypeVar("R", bound=Readable)

REPAIR_PROMPT = """\
A program must read your reply and could not: {problem}. Send the same {matter} again, unchanged, in the \
layout
below and with nothing around it.
{layout}
YOUR REPLY WAS
{reply}"""


MEND_PROMPT = """\
A program must read your reply and could not: {problem}. Reply once more: keep to what you have said, add \
what is missing, and hold to the layout.

{layout}"""


async def ask_to_mend(
    run: Run[Any],
    reply: Answer,
    prompt: Prompt,
    *,
    step: str,
    problem: str,
    layout: str,
    reserve: float = 0.0,
    since: int = 1,
) -> Answer | None:
    """What the same model sends when it sees its prompt, its own reply and what is missing there, with the
    time both calls took; None if nothing comes. For a part that cannot be had from the reply alone.
    `since`: the rules with which this repair came."""
    if not run.follows(since):
        return None
    request = run.fill(MEND_PROMPT, problem=problem, layout=layout)

    def exchange(words: PromptText) -> PromptText:
        said = Message(role="assistant", content=reply.response)
        return (*messages_of(words), said, Message(role="user", content=request))

    turns: Prompt = (
        Rewording(exchange(prompt.current), original=exchange(prompt.original))
        if isinstance(prompt, Rewording)
        else exchange(prompt)
    )
    return await _repair(run, reply, turns, step, reserve)


async def _repair(run: Run[Any], reply: Answer, prompt: Prompt, step: str, reserve: float) -> Answer | None:
    try:
        again = await run.ask(
            f"{step}/repair", reply.model, prompt, seat=reply.seat, reserve=reserve, report_failure=False
        )
    except NoAnswer:
        return None
    return again.model_copy(update={"response_time_ms": reply.response_time_ms + again.response_time_ms})


async def ask_again_in_layout(
    run: Run[Any],
    reply: Answer,
    *,
    step: str,
    problem: str,
    layout: str,
    original_layout: str = "",
    matter: str = "judgement",
    reserve: float = 0.0,
    since: int = 1,
) -> Answer | None:
    """What the same model sends when asked to keep to the layout, with the time both calls took; None if
    nothing comes. The seat is not given up by that: its first reply stands. `original_layout`: as it was
    first released, where its words have changed since (see `Rewording`). `since`: the rules with which this
    repair came."""
    if not run.follows(since):
        return None
    current, original = (
        run.fill(REPAIR_PROMPT, problem=problem, matter=matter, layout=each, reply=Foreign(reply.response))
        for each in (layout, original_layout or layout)
    )
    return await _repair(run, reply, Rewording(current, original=original), step, reserve)


async def read_or_repaired(
    run: Run[Any],
    reply: Answer,
    read: Callable[[Answer], R],
    *,
    step: str,
    problem: str | Callable[[R], str],
    layout: str,
    original_layout: str = "",
    matter: str = "judgement",
    reserve: float = 0.0,
    prompt: Callable[[], Prompt] | None = None,
    since: int = 1,
    combine: Callable[[R, R], R] | None = None,
) -> tuple[Answer, R]:
    """The reply and what can be read in it; if something required is missing, the repaired one, if nothing is
    missing there.

    `problem` names what is missing. With the `prompt` of the reply, which is put together again because few
    need it and it is long, the model sees that too (`ask_to_mend`).
    `since`: the rules with which this repair came (`kernel.run.RULES`). `combine` puts the first reading and
    the second together, where parts of the first could be read: those stand, and only what was missing is
    taken from the second.
    """
    reading = read(reply)
    if reading.readable or not run.follows(since):
        return reply, reading
    missing = problem if isinstance(problem, str) else problem(reading)
    if prompt is not None:
        again = await ask_to_mend(
            run, reply, prompt(), step=step, problem=missing, layout=layout, reserve=reserve
        )
    else:
        again = await ask_again_in_layout(
            run,
            reply,
            step=step,
            problem=missing,
            layout=layout,
            original_layout=original_layout,
            matter=matter,
            reserve=reserve,
        )
    if again is None:
        return reply, reading
    second = combine(reading, read(again)) if combine else read(again)
    return (again, second) if second.readable else (reply, reading)


async def ask_twice(
    run: Run[Any], step: str, model: str, prompt: Prompt, *, seat: int | None = None, reserve: float = 0.0
) -> Answer:
    """A call that fails is made once more; raises NoAnswer, and tells of it, if that fails too."""
    try:
        return await run.ask(step, model, prompt, seat=seat, reserve=reserve, report_failure=False)
    except NoAnswer:
        return await run.ask(f"{step}/again", model, prompt, seat=seat, reserve=reserve)


async def ask_or_substitute(
    run: Run[Any],
    step: str,
    model: str,
    substitute: str | None,
    ask: Callable[[str, str], Awaitable[Answer]],
    *,
    wrote: str,
    code: str = "substitute",
) -> Answer:
    """What a model writes, or, where it is given up, another one in its place: then the result says so.

    `ask` puts the question to a model under a step, and tells of no failure. Raises NoAnswer if there is
    no other model, or it fails too.
    """
    try:
        return await ask(step, model)
    except NoAnswer as silent:
        await run.give_up(silent.failure)
        if substitute is None or substitute == model:
            raise
    reply = await ask(f"{step}/again", substitute)
    await run.degrade(f"{substitute} wrote {wrote} in place of {model}.", code, step)
    return reply
