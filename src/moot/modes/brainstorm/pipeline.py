"""The pipeline of brainstorm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.deliberation.parsing import Shown
from moot.deliberation.text import word_count
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import LEAST_SECONDS, Run, answered, seats
from moot.kernel.values import FailedModel, Failure
from moot.modes.brainstorm.clustering import ClustersData, curated
from moot.modes.brainstorm.clusters import Cluster, most_clusters
from moot.modes.brainstorm.config import BrainstormConfig
from moot.modes.brainstorm.events import (
    AllIdeationComplete,
    AllScoringComplete,
    ChosenCluster,
    ClusteringComplete,
    ClusteringStart,
    IdeasData,
    IdeationComplete,
    IdeationStart,
    RankingData,
    RefinementBegun,
    RefinementComplete,
    RefinementStart,
    ScorerComplete,
    ScoringStart,
)
from moot.modes.brainstorm.ideas import Ideation, UniqueIdea, merged, unique_ideas
from moot.modes.brainstorm.ideation import thought_up
from moot.modes.brainstorm.prompts import score_prompt
from moot.modes.brainstorm.refinement import Refinement, digest, refine_prompt, written_up
from moot.modes.brainstorm.scores import Ranking, ScorerReport, only, ranked, read_cluster_scores

REFINE_SECONDS = 60.0
SCORE_SECONDS = 30.0
CLUSTER_SECONDS = 30.0
"""What later stages keep of the pipeline's time."""


async def brainstorm(run: Run[BrainstormConfig]) -> None:
    ideas = await ideate(run)
    clusters = await cluster(run, ideas)
    ranking = await score(run, clusters, ideas)
    await refine(run, clusters, ideas, ranking)


async def ideate(run: Run[BrainstormConfig]) -> list[UniqueIdea]:
    await run.emit(IdeationStart())
    outcomes = await run.together(think_up(run, seat, m) for seat, m in seats(run.config.models).items())
    ideations = answered(outcomes)
    if len(ideations) < 2:
        raise RunFailed(f"Brainstorm needs ideas from at least 2 models; got {len(ideations)}.")
    lost = len(ideations) < len(outcomes)
    await tell_of_the_time(run, "ideation", lost, CLUSTER_SECONDS + SCORE_SECONDS + REFINE_SECONDS)
    ideas = await run.aside(unique_ideas, ideations)
    data = IdeasData(
        total_ideas=sum(one.idea_count for one in ideations),
        unique_ideas=len(ideas),
        model_count=len(run.config.models),
        effective_max_clusters=most_clusters(len(ideas), run.config.max_clusters),
        merged=merged(ideas),
        failed_models=[FailedModel.of(failure) for failure in outcomes if isinstance(failure, Failure)],
    )
    await run.emit(AllIdeationComplete(data=data))
    return ideas


async def think_up(run: Run[BrainstormConfig], seat: int, model: str) -> Ideation:
    """One model's ideas, told as soon as they are there. Raises NoAnswer if there are none."""
    thought = await thought_up(run, seat, model, CLUSTER_SECONDS + SCORE_SECONDS + REFINE_SECONDS)
    await run.emit(IdeationComplete(data=thought.ideation), key=str(seat))
    if thought.failure is not None:
        raise NoAnswer(thought.failure)
    return thought.ideation


async def cluster(run: Run[BrainstormConfig], ideas: Sequence[UniqueIdea]) -> list[Cluster]:
    await run.emit(ClusteringStart())
    most = most_clusters(len(ideas), run.config.max_clusters)
    sorted_out = await curated(run, ideas, most, SCORE_SECONDS + REFINE_SECONDS)
    lost = sorted_out.fallback == "agglomerative"
    await tell_of_the_time(run, "clustering", lost, SCORE_SECONDS + REFINE_SECONDS)
    data = ClustersData.of(sorted_out, ideas)
    await run.emit(ClusteringComplete(data=data))
    return data.clusters


async def score(
    run: Run[BrainstormConfig], clusters: Sequence[Cluster], ideas: Sequence[UniqueIdea]
) -> Ranking | None:
    """The clusters by what all models make of them; a cluster alone is not scored."""
    if len(clusters) < 2:
        return None
    await run.emit(ScoringStart())
    texts = cluster_texts(clusters, ideas)
    outcomes = await run.together(
        judge(run, seat, model, clusters, texts) for seat, model in seats(run.config.models).items()
    )
    scorers = answered(outcomes)
    await tell_of_the_time(run, "scoring", len(scorers) < len(outcomes), REFINE_SECONDS)
    ranking = ranked(clusters, scorers, source_counts(clusters, ideas))
    if ranking.method == "promise":
        message = "Too few models scored the themes: they are ranked by the curator's first guess."
        await run.degrade(message, "promise", "scoring")
    data = RankingData(
        ranked_clusters=ranking.clusters,
        scorer_count=sum(scorer.valid for scorer in scorers),
        ranking_method=ranking.method,
    )
    await run.emit(AllScoringComplete(data=data))
    return ranking


async def judge(
    run: Run[BrainstormConfig], seat: int, model: str, clusters: Sequence[Cluster], texts: Mapping[str, str]
) -> ScorerReport:
    step, count = f"scoring_{seat - 1}", len(clusters)
    prompt = score_prompt(run, seat - 1, clusters, texts)
    reply = await run.ask(step, model, prompt, seat=seat, temperature=0.2, reserve=REFINE_SECONDS)
    scores = read_cluster_scores(reply.response, count, Shown([run.question, *texts.values()]))
    report = ScorerReport(
        index=seat - 1,
        seat=seat,
        model=model,
        scores=scores,
        valid=2 * len(scores) > count,
        raw_text=reply.response,
        response_time_ms=reply.response_time_ms,
    )
    message = f"{model} scored {len(scores)} of {count} themes"
    if not report.valid:
        await run.degrade(f"{message}: its scores do not count.", "invalid_scorer", step, seat=seat)
    elif len(scores) < count:
        await run.warn(f"{message}.", "gaps", step, seat=seat)
    await run.emit(ScorerComplete(data=report), key=str(seat))
    return report


def cluster_texts(clusters: Sequence[Cluster], ideas: Sequence[UniqueIdea]) -> dict[str, str]:
    """Each cluster as models see it: name, theme, and its ideas one per line."""
    by_id = {idea.idea.id: idea.idea for idea in ideas}
    return {
        one.id: "\n".join([one.name, one.theme, *(f"- {by_id[id].line}" for id in one.idea_ids)])
        for one in clusters
    }


def source_counts(clusters: Sequence[Cluster], ideas: Sequence[UniqueIdea]) -> dict[str, int]:
    """How many models had a hand in each cluster."""
    had = {idea.idea.id: idea.seats for idea in ideas}
    return {one.id: len({seat for id in one.idea_ids for seat in had[id]}) for one in clusters}


async def refine(
    run: Run[BrainstormConfig],
    clusters: Sequence[Cluster],
    ideas: Sequence[UniqueIdea],
    ranking: Ranking | None,
) -> None:
    order = ranking.clusters if ranking else [only(clusters[0])]
    tied = ranking.tied if ranking else []
    winner = next(one for one in clusters if one.id == order[0].id)
    chosen = ChosenCluster(
        id=winner.id, name=winner.name, theme=winner.theme, average_score=order[0].average_score
    )
    ties = {"tied_count": len(tied), "tied_cluster_ids": [one.id for one in tied]}
    await run.emit(RefinementStart(data=RefinementBegun(cluster=chosen, **ties)))
    texts = cluster_texts(clusters, ideas)
    refined = await written_up(run, refine_prompt(run, tied or order[:1], texts))
    await tell_of_the_time(run, "refinement", refined.reply is None)
    proposal = refined.reply.response.strip() if refined.reply else digest(texts[winner.id], order[0])
    data = Refinement(
        model=refined.reply.model if refined.reply else None,
        proposal=proposal,
        winning_cluster_id=winner.id,
        winning_cluster_name=winner.name,
        winning_score=order[0].adjusted_score,
        **ties,
        ranked_clusters=order,
        ranking_method=ranking.method if ranking else None,
        word_count=word_count(proposal),
        total_ideas=sum(len(idea.merged_ids) for idea in ideas),
        total_clusters=len(clusters),
        fallback=refined.fallback,
        response_time_ms=refined.reply.response_time_ms if refined.reply else None,
        **run.state,
    )
    await run.emit(RefinementComplete(data=data))


async def tell_of_the_time(run: Run[BrainstormConfig], step: str, lost: bool, reserve: float = 0.0) -> None:
    """If something of a stage was lost and its time is used up, that is why."""
    if lost and not await run.time_for(step, reserve + LEAST_SECONDS):
        message = "The pipeline's time ran out: the result rests on what was finished."
        await run.degrade(message, "pipeline_timeout", step)
