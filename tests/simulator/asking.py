"""Requests to simulated models, with the real prompts of the modes."""

from __future__ import annotations

from collections.abc import Mapping

from moot.kernel.fences import Foreign, fill
from moot.kernel.labels import shown
from moot.kernel.title import PROMPT as TITLE_PROMPT
from moot.kernel.values import Message, Request
from moot.modes.council import prompts as council_prompts
from moot.modes.debate import prompts as debate_prompts
from moot.modes.vote import prompts as vote_prompts
from moot.simulator.replies import reply

QUESTION = "Should a small team start with a monolith or microservices?"
SEED = "seed"
PANEL = ("sim/ada", "sim/bo", "sim/cleo", "sim/dov", "sim/eli", "sim/fay")


def request(model: str, *turns: str, system: str = "", max_tokens: int | None = None) -> Request:
    """Turns alternate: user, assistant, user …"""
    messages = [
        Message(role="assistant" if place % 2 else "user", content=turn) for place, turn in enumerate(turns)
    ]
    opening = [Message(role="system", content=system)] if system else []
    return Request.of(model, (*opening, *messages), max_tokens=max_tokens)


def ask(model: str, *turns: str, system: str = "") -> str:
    return reply(request(model, *turns, system=system)).text


def answers(question: str = QUESTION, panel: tuple[str, ...] = PANEL) -> dict[str, str]:
    """Label → answer, one for each member of the panel."""
    return {f"Response {chr(65 + seat)}": ask(model, question) for seat, model in enumerate(panel)}


def vote_prompt(responses: Mapping[str, str], question: str = QUESTION) -> str:
    entries = shown(list(responses.items()))
    return fill(vote_prompts.VOTE_PROMPT, SEED, question=Foreign(question), responses=entries)


def debate_vote_prompt(responses: Mapping[str, str], question: str = QUESTION) -> str:
    entries = shown(list(responses.items()))
    return fill(debate_prompts.VOTE_PROMPT, SEED, question=Foreign(question), responses=entries)


def tiebreak_prompt(responses: Mapping[str, str], question: str = QUESTION) -> str:
    entries = shown([(f"{label} (2 votes)", text) for label, text in responses.items()])
    return fill(vote_prompts.TIEBREAKER_PROMPT, SEED, question=Foreign(question), responses=entries)


def ranking_prompt(responses: Mapping[str, str], question: str = QUESTION) -> str:
    entries = shown(list(responses.items()))
    return fill(council_prompts.RANKING_PROMPT, SEED, question=Foreign(question), responses=entries)


def synthesis_prompt(
    responses: Mapping[str, str], rankings: Mapping[str, str], question: str = QUESTION
) -> str:
    return fill(
        council_prompts.SYNTHESIS_PROMPT,
        SEED,
        question=Foreign(question),
        responses=shown([(f"sim/some ({label})", text) for label, text in responses.items()]),
        rankings=shown([(f"Evaluator: {model}", text) for model, text in rankings.items()]),
    )


def revision_prompt(own: str, others: Mapping[str, str], question: str = QUESTION) -> str:
    return fill(
        debate_prompts.REVISION_PROMPT,
        SEED,
        question=Foreign(question),
        own=Foreign(own),
        others=shown(list(others.items())),
    )


def title_prompt(question: str = QUESTION) -> str:
    return fill(TITLE_PROMPT, SEED, question=Foreign(question))
