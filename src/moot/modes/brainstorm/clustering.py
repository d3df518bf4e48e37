"""The curator at work: ideas become themes, by the curator, another model, or how alike the ideas are.

curator ─(nothing came, or no theme)─▶ the next model of the list, once ─▶ average linkage
    └─▶ more than 30% of the ideas stand in no theme: asked once to place those
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.kernel.errors import NoAnswer
from moot.kernel.run import Run
from moot.kernel.values import Answer
from moot.modes.brainstorm.clusters import (
    Clustering,
    Theme,
    group_by_similarity,
    merge_smallest,
    place_ideas,
    read_clusters,
    unplaced_ideas,
)
from moot.modes.brainstorm.config import BrainstormConfig
from moot.modes.brainstorm.ideas import UniqueIdea
from moot.modes.brainstorm.prompts import cluster_prompt, place_prompt

TEMPERATURE = 0.2
MOST_UNPLACED = 0.3
"""The share of the ideas that may stand in no theme."""


class ThemedReply(NamedTuple):
    """A model's reply and the themes it holds."""

    reply: Answer
    themes: list[Theme]


async def cluster_ideas(
    run: Run[BrainstormConfig], ideas: Sequence[UniqueIdea], most: int, reserve: float
) -> Clustering:
    curator = run.config.curator_model
    substitute = next_model(run.config.models, curator)
    prompt = cluster_prompt(run, ideas, most)
    sorting = await _ask_curator(run, prompt, ideas, reserve)
    is_substitute = sorting is None and substitute is not None
    if sorting is None and substitute is not None:
        sorting = await _ask_substitute(run, substitute, prompt, ideas, reserve)
    if sorting is None:
        message = run.wording(
            "No model sorted the ideas, so they were grouped by similar wording.",
            original="No model sorted the ideas: they were grouped by how alike they are.",
        )
        await run.degrade(message, "agglomerative", "clustering")
        return Clustering(await run.aside(group_by_similarity, ideas, most), None, "agglomerative")
    if is_substitute:
        await run.degrade(f"{substitute} sorted the ideas in place of {curator}.", "substitute", "clustering")
    reply, themes = await _place_leftovers(run, sorting, ideas, reserve)
    fewer = await run.aside(merge_smallest, themes, ideas, most)
    if len(fewer) < len(themes):
        made = f"{reply.model} made {len(themes)} themes"
        message = run.wording(
            f"{made}; the smallest were merged, because only {most} are allowed.",
            original=f"{made}: the smallest were merged, {most} are allowed.",
        )
        await run.degrade(message, "clusters_limit", "clustering")
    return Clustering(fewer, reply, "substitute_model" if is_substitute else None)


async def _ask_curator(
    run: Run[BrainstormConfig], prompt: str, ideas: Sequence[UniqueIdea], reserve: float
) -> ThemedReply | None:
    curator = run.config.curator_model
    try:
        reply = await run.ask("clustering", curator, prompt, temperature=TEMPERATURE, reserve=reserve)
    except NoAnswer:
        return None
    themes = read_clusters(legible(reply), ideas, _shown_to_curator(run, ideas))
    if not themes:
        reason = run.wording(
            f"{curator}'s themes could not be read.",
            original=f"{curator} made no theme that could be read.",
        )
        await run.give_up(run.unreadable(reply, "clustering", reason))
        return None
    return ThemedReply(reply, themes)


async def _ask_substitute(
    run: Run[BrainstormConfig], model: str, prompt: str, ideas: Sequence[UniqueIdea], reserve: float
) -> ThemedReply | None:
    """Its failure is not reported: the fallback that follows says all there is to say."""
    reply = await _ask_quietly(run, "clustering/again", model, prompt, reserve)
    themes = read_clusters(legible(reply), ideas, _shown_to_curator(run, ideas)) if reply else []
    return ThemedReply(reply, themes) if reply and themes else None


async def _place_leftovers(
    run: Run[BrainstormConfig], sorting: ThemedReply, ideas: Sequence[UniqueIdea], reserve: float
) -> ThemedReply:
    """If too many ideas stand in no theme, the same model is asked to place them."""
    leftovers = unplaced_ideas(sorting.themes, len(ideas))
    if len(leftovers) <= MOST_UNPLACED * len(ideas):
        return sorting
    prompt = place_prompt(run, sorting.themes, ideas, leftovers)
    again = await _ask_quietly(run, "clustering/repair", sorting.reply.model, prompt, reserve)
    if again is not None:
        both = {
            "response": f"{sorting.reply.response}\n\n---\n\n{again.response}",
            "response_time_ms": sorting.reply.response_time_ms + again.response_time_ms,
        }
        themes = place_ideas(legible(again), sorting.themes, ideas, _shown_to_curator(run, ideas))
        sorting = ThemedReply(sorting.reply.model_copy(update=both), themes)
    leftovers = unplaced_ideas(sorting.themes, len(ideas))
    if len(leftovers) > MOST_UNPLACED * len(ideas):
        count = f"{len(leftovers)} of {len(ideas)} ideas"
        message = run.wording(f"{count} belong to no theme.", original=f"{count} stand in no theme.")
        await run.warn(message, "unclustered", "clustering")
    return sorting


async def _ask_quietly(
    run: Run[BrainstormConfig], step: str, model: str, prompt: str, reserve: float
) -> Answer | None:
    try:
        return await run.ask(
            step, model, prompt, temperature=TEMPERATURE, reserve=reserve, report_failure=False
        )
    except NoAnswer:
        return None


def next_model(models: Sequence[str], model: str) -> str | None:
    """The first other model of the list that comes after this one, from the start again at its end."""
    start = models.index(model) + 1 if model in models else 0
    return next((other for other in [*models[start:], *models[:start]] if other != model), None)


def _shown_to_curator(run: Run[BrainstormConfig], ideas: Sequence[UniqueIdea]) -> Shown:
    return Shown([run.question, *(f"{idea.idea.title}\n{idea.idea.description}" for idea in ideas)])
