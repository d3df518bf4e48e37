"""The prompts of the council, the same for every adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

MODELS = ["a/one", "b/two", "c/three"]
CHAIRMAN = "a/one"
TITLE_MODEL = "d/title"
QUESTION = "What are the trade-offs between microservices and monolithic architectures for a small team?"

Ask = Callable[[str, str], Awaitable[str]]


def ranking_prompt(answers: list[str]) -> str:
    shown = "\n\n".join(f"--- Response {chr(65 + place)} ---\n{text}" for place, text in enumerate(answers))
    ending = 'End with "FINAL RANKING:" and a numbered list.'
    return f"You are an expert evaluator.\n\nQuestion: {QUESTION}\n\n{shown}\n\n{ending}"


def synthesis_prompt(answers: list[str], rankings: list[str]) -> str:
    shown = "\n\n".join([*answers, *rankings])
    return (
        f"You are a chairman synthesizing the best answer.\n\nQuestion: {QUESTION}\n\n{shown}\n\nSynthesize."
    )


def title_prompt() -> str:
    return f"Generate a brief title for: {QUESTION}"


async def council(ask: Ask) -> str:
    """Three answers at once, three rankings at once, the chairman, and a title alongside."""
    title = asyncio.ensure_future(ask(TITLE_MODEL, title_prompt()))
    answers = list(await asyncio.gather(*(ask(model, QUESTION) for model in MODELS)))
    prompt = ranking_prompt(answers)
    rankings = list(await asyncio.gather(*(ask(model, prompt) for model in MODELS)))
    answer = await ask(CHAIRMAN, synthesis_prompt(answers, rankings))
    await title
    return answer
