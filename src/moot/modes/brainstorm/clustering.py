"""The curator at work: ideas become themes, by the curator, another model, or how alike the ideas are.

curator ─(nothing came, or no theme)─▶ the next model of the list, once ─▶ average linkage
    └─▶ more than 30 % of the ideas stand in no theme: asked once to place those
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from moot.deliberation.parsing import Shown
from moot.kernel.errors import NoAnswer
from moot.kernel.fences import Foreign, Part
from moot.kernel.values import Answer, Wire
from moot.modes.brainstorm.clusters import (
    Cluster,
    Theme,
    clustered,
    numbered,
    read_clusters,
    unplaced,
    with_placed,
    within_limit,
)
from moot.modes.brainstorm.ideas import MergedIdea, UniqueIdea, merged

if TYPE_CHECKING:
    from moot.kernel.run import Run

Fallback = Literal["substitute_model", "agglomerative"]
TEMPERATURE = 0.2
MOST_UNPLACED = 0.3


class Curated(NamedTuple):
    """The themes and how they came about; `reply` is None if no model made them."""

    themes: list[Theme]
    reply: Answer | None
    fallback: Fallback | None


class ClustersData(Wire):
    model: str | None
    clusters: list[Cluster]
    total_clusters: int
    unclustered_count: int
    unclustered_ids: list[str]
    unique_ideas: int
    merged: list[MergedIdea]
    fallback: Fallback | None
    raw_text: str | None
    response_time_ms: int | None

    @classmethod
    def of(cls, made: Curated, ideas: Sequence[UniqueIdea]) -> ClustersData:
        clusters = numbered(made.themes, ideas)
        left = [ideas[place].idea.id for place in unplaced(made.themes, len(ideas))]
        return cls(
            model=made.reply.model if made.reply else None,
            clusters=clusters,
            total_clusters=len(clusters),
            unclustered_count=len(left),
            unclustered_ids=left,
            unique_ideas=len(ideas),
            merged=merged(ideas),
            fallback=made.fallback,
            raw_text=made.reply.response if made.reply else None,
            response_time_ms=made.reply.response_time_ms if made.reply else None,
        )


async def curated(run: Run[Any], ideas: Sequence[UniqueIdea], most: int, reserve: float) -> Curated:
    curator = run.config.curator_model
    substitute = next_model(run.config.models, curator)
    prompt = cluster_prompt(run, ideas, most)
    made = await _themes(run, "clustering", curator, prompt, ideas, reserve)
    fallback: Fallback | None = None
    if made is None and substitute is not None:
        made = await _themes(run, "clustering/again", substitute, prompt, ideas, reserve)
        fallback = "substitute_model"
    if made is None:
        await run.degrade(
            "No model sorted the ideas: they were grouped by how alike they are.",
            "agglomerative",
            "clustering",
        )
        return Curated(await run.aside(clustered, ideas, most), None, "agglomerative")
    if fallback is not None:
        await run.degrade(f"{substitute} sorted the ideas in place of {curator}.", "substitute", "clustering")
    reply, themes = await _placed(run, made, ideas, reserve)
    fewer = await run.aside(within_limit, themes, ideas, most)
    if len(fewer) < len(themes):
        message = f"{reply.model} made {len(themes)} themes: the smallest were merged, {most} are allowed."
        await run.degrade(message, "clusters_limit", "clustering")
    return Curated(fewer, reply, fallback)


class Made(NamedTuple):
    reply: Answer
    themes: list[Theme]


async def _themes(
    run: Run[Any], step: str, model: str, prompt: str, ideas: Sequence[UniqueIdea], reserve: float
) -> Made | None:
    """The curator is given up aloud; of a substitute that fails too, the fallback tells."""
    is_curator = step == "clustering"
    try:
        reply = await run.ask(
            step, model, prompt, temperature=TEMPERATURE, reserve=reserve, report_failure=is_curator
        )
    except NoAnswer:
        return None
    themes = read_clusters(reply.response, ideas, shown_to_curator(run, ideas))
    if not themes and is_curator:
        reason = f"{model} made no theme that could be read."
        await run.give_up(run.unreadable(reply, step, reason))
    return Made(reply, themes) if themes else None


async def _placed(run: Run[Any], made: Made, ideas: Sequence[UniqueIdea], reserve: float) -> Made:
    """If too many ideas stand in no theme, the same model is asked to place them."""
    left = unplaced(made.themes, len(ideas))
    if len(left) <= MOST_UNPLACED * len(ideas):
        return made
    prompt = place_prompt(run, made.themes, ideas, left)
    again = await _reply(run, made.reply.model, prompt, reserve)
    if again is not None:
        themes = with_placed(again.response, made.themes, ideas, shown_to_curator(run, ideas))
        took = made.reply.response_time_ms + again.response_time_ms
        text = f"{made.reply.response}\n\n---\n\n{again.response}"
        made = Made(made.reply.model_copy(update={"response_time_ms": took, "response": text}), themes)
    left = unplaced(made.themes, len(ideas))
    if len(left) > MOST_UNPLACED * len(ideas):
        message = f"{len(left)} of {len(ideas)} ideas stand in no theme."
        await run.warn(message, "unclustered", "clustering")
    return made


async def _reply(run: Run[Any], model: str, prompt: str, reserve: float) -> Answer | None:
    try:
        return await run.ask(
            "clustering/repair", model, prompt, temperature=TEMPERATURE, reserve=reserve, report_failure=False
        )
    except NoAnswer:
        return None


def next_model(models: Sequence[str], model: str) -> str | None:
    """The first other model of the list that comes after this one, from the start again at its end."""
    start = models.index(model) + 1 if model in models else 0
    return next((other for other in [*models[start:], *models[:start]] if other != model), None)


def shown_to_curator(run: Run[Any], ideas: Sequence[UniqueIdea]) -> Shown:
    return Shown([run.question, *(f"{idea.idea.title}\n{idea.idea.description}" for idea in ideas)])


def coded(ideas: Sequence[UniqueIdea], places: Sequence[int]) -> Foreign:
    """`I7 | title | description`, one per line."""
    rows = []
    for place in places:
        idea = ideas[place].idea
        cells = (" ".join(text.split()).replace("|", "/") for text in (idea.title, idea.description))
        rows.append(" | ".join([f"I{place + 1}", *cells]))
    return Foreign("\n".join(rows))


def cluster_prompt(run: Run[Any], ideas: Sequence[UniqueIdea], most: int) -> str:
    return run.fill(
        CLUSTER_PROMPT,
        n=str(len(ideas)),
        question=Foreign(run.question),
        ideas=coded(ideas, range(len(ideas))),
        minK=str(min(3, most)),
        maxK=str(most),
    )


def place_prompt(
    run: Run[Any], themes: Sequence[Theme], ideas: Sequence[UniqueIdea], left: Sequence[int]
) -> str:
    shown: list[Part] = []
    for number, theme in enumerate(themes, 1):
        shown += [f"CLUSTER {number}\n", Foreign(f"{theme.name}\n{theme.theme}".strip()), "\n"]
    return run.fill(
        PLACE_PROMPT,
        n=str(len(left)),
        question=Foreign(run.question),
        themes=shown,
        ideas=coded(ideas, left),
    )


CLUSTER_PROMPT = """\
Sort these {n} ideas into themes. A theme is a direction someone could pursue as a whole: its ideas share a \
mechanism, not just a topic word.

CHALLENGE
{question}
IDEAS
{ideas}

- Make {minK} to {maxK} themes. Put every idea into exactly one theme, at least two ideas per theme where \
possible.
- Use the codes (I1, I2 …) exactly as given. An idea that fits nowhere is listed under UNCLUSTERED.
- Promise is your first guess at how far the direction could go: HIGH, MEDIUM or LOW. Do not give all themes \
the same.

Layout, labels at line start, no bold, no tables:

CLUSTER 1: <name>
Theme: <one or two sentences>
Promise: <HIGH, MEDIUM or LOW>
Ideas: <codes separated by commas>

UNCLUSTERED: <codes or none>"""

PLACE_PROMPT = """\
Most ideas for a challenge have been sorted into themes; these {n} have not. Put each of them into the theme \
whose mechanism it shares. Make no new theme; an idea that fits nowhere is listed under UNCLUSTERED.

CHALLENGE
{question}
{themes}IDEAS
{ideas}

Use the codes exactly as given. Layout, labels at line start, only the themes that gain an idea:

CLUSTER <number>: <name>
Ideas: <codes separated by commas>

UNCLUSTERED: <codes or none>"""
