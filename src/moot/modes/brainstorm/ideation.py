"""One contributor at work: it is given an angle of its own and thinks up to ten ideas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from moot.deliberation.parsing import Shown
from moot.kernel.errors import NoAnswer
from moot.kernel.fences import Foreign
from moot.kernel.values import Failure
from moot.modes.brainstorm.ideas import Idea, Ideation, named, read_ideas

if TYPE_CHECKING:
    from moot.kernel.run import Run

FEW_IDEAS = 3
LENSES = (
    "turn the usual assumption upside down",
    "borrow from an unrelated field",
    "almost no money or staff",
    "ten times more ambitious",
    "start from the person who suffers most",
    "remove steps instead of adding them",
)


class Thought(NamedTuple):
    """What a contributor gave, and why it gave nothing if it did not."""

    ideation: Ideation
    failure: Failure | None


async def thought_up(run: Run[Any], seat: int, model: str, reserve: float) -> Thought:
    step, lens = f"ideation_{seat - 1}", LENSES[(seat - 1) % len(LENSES)]
    least = str(run.config.min_ideas_per_model)
    prompt = run.fill(PROMPT, question=Foreign(run.question), minIdeas=least, lens=lens)
    try:
        reply = await run.ask(step, model, prompt, seat=seat, temperature=1.0, reserve=reserve)
    except NoAnswer as silent:
        took = silent.failure.response_time_ms
        return Thought(_ideation(seat, model, lens, [], 0, None, took), silent.failure)
    told = read_ideas(reply.response, Shown([run.question]))
    ideas = named(told, seat - 1)
    cut = len(told) - len(ideas)
    given = _ideation(seat, model, lens, ideas, cut, reply.response, reply.response_time_ms)
    if not ideas:
        failure = run.unreadable(reply, step, f"{model} gave no idea that could be read.")
        await run.give_up(failure)
        return Thought(given, failure)
    if len(ideas) < FEW_IDEAS:
        message = f"{model} gave only {'one idea' if len(ideas) == 1 else 'two ideas'}."
        await run.warn(message, "few_ideas", step, seat=seat)
    if cut:
        message = f"{model} gave {len(told)} ideas: the first {len(ideas)} were kept."
        await run.degrade(message, "ideas_limit", step, seat=seat)
    return Thought(given, None)


def _ideation(
    seat: int, model: str, lens: str, ideas: list[Idea], cut: int, text: str | None, took: int
) -> Ideation:
    return Ideation(
        index=seat - 1,
        seat=seat,
        model=model,
        ideas=ideas,
        idea_count=len(ideas),
        failed=not ideas,
        lens=lens,
        truncated_ideas=cut or None,
        raw_text=text,
        response_time_ms=took,
    )


PROMPT = """\
Think up ideas for this challenge. You are one of several contributors; breadth is what you are here for.

CHALLENGE
{question}

Give {minIdeas} to 10 ideas. At least a third of them should come from this angle: {lens}. The rest are \
free.
- Every idea must work by a different mechanism from your others; two versions of one thought count as one.
- Mix the safe, the bold and the odd. Do not rank, score, criticise or excuse any of them.
- Be concrete: what is done, by whom, and why it would work.

Layout, nothing before or after, labels in plain text:

IDEA 1: <title of at most 8 words>
<2-3 sentences>

IDEA 2: <title>
<2-3 sentences>"""
