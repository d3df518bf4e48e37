"""The refiner at work: the winning direction becomes a proposal, or a digest where nobody writes one.

refiner ─▶ the curator, or the next model of the list ─▶ a digest of the direction, by us
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from moot.deliberation.retries import ask_or_substitute
from moot.deliberation.rounding import half_up
from moot.kernel.errors import NoAnswer
from moot.kernel.fences import Foreign, Part
from moot.kernel.values import Answer, Degraded, Wire
from moot.modes.brainstorm.clustering import next_model
from moot.modes.brainstorm.scores import RankedCluster, RankingMethod

if TYPE_CHECKING:
    from moot.kernel.run import Run

RefineFallback = Literal["substitute_model", "digest"]


class Refinement(Degraded):
    model: str | None
    proposal: str
    winning_cluster_id: str
    winning_cluster_name: str
    winning_score: float | None
    tied_count: int
    tied_cluster_ids: list[str]
    ranked_clusters: list[RankedCluster]
    ranking_method: RankingMethod | None
    word_count: int
    total_ideas: int
    total_clusters: int
    fallback: RefineFallback | None
    response_time_ms: int | None


class RefinementResult(Wire):
    model: str | None
    winning_cluster: RankedCluster
    tied_clusters: list[RankedCluster]
    proposal: str
    fallback: RefineFallback | None
    response_time_ms: int | None

    @classmethod
    def of(cls, told: Refinement) -> RefinementResult:
        return cls(
            model=told.model,
            winning_cluster=told.ranked_clusters[0],
            tied_clusters=[one for one in told.ranked_clusters if one.id in told.tied_cluster_ids],
            proposal=told.proposal,
            fallback=told.fallback,
            response_time_ms=told.response_time_ms,
        )


class Refined(NamedTuple):
    reply: Answer | None
    fallback: RefineFallback | None


async def written_up(run: Run[Any], prompt: str) -> Refined:
    """By the refiner, else by the curator or the model after it, else not at all."""
    refiner, curator = run.config.refiner_model, run.config.curator_model
    substitute = curator if curator != refiner else next_model(run.config.models, refiner)
    try:
        ask = partial(run.ask, prompt=prompt, temperature=0.7, report_failure=False)
        reply = await ask_or_substitute(run, "refinement", refiner, substitute, ask, wrote="the proposal")
    except NoAnswer:
        message = "No model wrote the proposal: this is a digest of the winning direction."
        await run.degrade(message, "digest", "refinement")
        return Refined(None, "digest")
    return Refined(reply, None if reply.model == refiner else "substitute_model")


def digest(text: str, winner: RankedCluster) -> str:
    """What is known of the winning direction, where no model writes it up."""
    name, theme, *ideas = text.split("\n")
    score = "" if winner.adjusted_score is None else f"Score: {winner.adjusted_score:.2f} of 15."
    parts = [f"## Proposal: {name}", theme, score, "### Ideas in This Direction", "\n".join(ideas)]
    return "\n\n".join(part for part in parts if part)


def refine_prompt(run: Run[Any], directions: Sequence[RankedCluster], texts: Mapping[str, str]) -> str:
    shown: list[Part] = []
    for place, one in enumerate(directions):
        tag = "TIED_DIRECTION" if place else "DIRECTION"
        shown += [f"{tag} {score_line(one)}\n", Foreign(texts[one.id]), "\n"]
    return run.fill(
        REFINE_PROMPT,
        question=Foreign(run.question),
        directions=shown,
        level=LEVEL if len(directions) > 1 else "",
    )


def score_line(one: RankedCluster) -> str:
    if one.average_novelty is None or one.average_feasibility is None or one.average_impact is None:
        return "scored=no"
    novelty, feasibility, impact = (
        half_up(value, 1) for value in (one.average_novelty, one.average_feasibility, one.average_impact)
    )
    return f"novelty={novelty} feasibility={feasibility} impact={impact}"


LEVEL = """\
These directions came out level. Build on the strongest, or merge them if they strengthen each other. Say \
in one sentence which you did.
"""

REFINE_PROMPT = """\
Turn this direction into a proposal someone could act on next week.

CHALLENGE
{question}
{directions}{level}
Commit to one coherent concept; do not list the ideas back. Be specific about who, what, when and how \
success is measured. Invent no facts or figures; mark assumptions as such. Use these Markdown headings:
## Proposal: <name>
### Executive Summary
### Core Concept
### Implementation Approach
### Advantages
### Risks & Mitigations   (table: Risk | Impact | Mitigation)
### Next Steps   (3 to 5 actions)
### Alternative Ideas from This Cluster"""
