"""The stages of a brainstorm: ideate, cluster, score, refine. How themes come about is in `clustering.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_again_in_layout, ask_or_substitute, ask_to_mend
from moot.deliberation.text import word_count
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import LEAST_SECONDS, Run, answered, seats
from moot.kernel.values import Answer, FailedModel, Failure, Prompt
from moot.modes.brainstorm.clustering import cluster_ideas, next_model
from moot.modes.brainstorm.clusters import Cluster, most_clusters
from moot.modes.brainstorm.config import BrainstormConfig
from moot.modes.brainstorm.events import (
    AllIdeationComplete,
    AllScoringComplete,
    ChosenCluster,
    ClusteringComplete,
    ClusteringStart,
    ClustersData,
    IdeasData,
    IdeationComplete,
    IdeationStart,
    RankingData,
    Refinement,
    RefinementComplete,
    RefinementFallback,
    RefinementStart,
    RefinementStartData,
    ScorerComplete,
    ScoringStart,
)
from moot.modes.brainstorm.ideas import (
    Ideation,
    UniqueIdea,
    merged_ideas,
    read_ideas,
    unique_ideas,
)
from moot.modes.brainstorm.layouts import IDEAS_LAYOUT, SCORE_LAYOUT
from moot.modes.brainstorm.prompts import (
    LENSES,
    cluster_texts,
    ideas_prompt,
    refine_prompt,
    score_prompt,
)
from moot.modes.brainstorm.scores import (
    ClusterScore,
    RankedCluster,
    Ranking,
    ScorerReport,
    rank_clusters,
    read_cluster_scores,
    without_rival,
)

REFINE_SECONDS = 60.0
SCORE_SECONDS = 30.0
CLUSTER_SECONDS = 30.0
"""What later stages keep of the pipeline's time."""
FEW_IDEAS = 3


async def brainstorm(run: Run[BrainstormConfig]) -> None:
    ideas = await ideate(run)
    clusters = await cluster(run, ideas)
    ranking = await score(run, clusters, ideas)
    await refine(run, clusters, ideas, ranking)


async def ideate(run: Run[BrainstormConfig]) -> list[UniqueIdea]:
    await run.emit(IdeationStart())
    outcomes = await run.together(
        contribute(run, seat, model) for seat, model in seats(run.config.models).items()
    )
    ideations = answered(outcomes)
    if len(ideations) < 2:
        raise RunFailed(f"Brainstorm needs ideas from at least 2 models; got {len(ideations)}.")
    incomplete = len(ideations) < len(outcomes)
    await report_timeout(run, "ideation", incomplete, CLUSTER_SECONDS + SCORE_SECONDS + REFINE_SECONDS)
    ideas = await run.aside(unique_ideas, ideations)
    data = IdeasData(
        total_ideas=sum(ideation.idea_count for ideation in ideations),
        unique_ideas=len(ideas),
        model_count=len(run.config.models),
        effective_max_clusters=most_clusters(len(ideas), run.config.max_clusters),
        merged=merged_ideas(ideas),
        failed_models=[FailedModel.of(failure) for failure in outcomes if isinstance(failure, Failure)],
    )
    await run.emit(AllIdeationComplete(data=data))
    return ideas


async def contribute(run: Run[BrainstormConfig], seat: int, model: str) -> Ideation:
    """One model's ideas, told as soon as they are there. Raises NoAnswer if there are none."""
    step, lens = f"ideation_{seat - 1}", LENSES[(seat - 1) % len(LENSES)]
    reserve = CLUSTER_SECONDS + SCORE_SECONDS + REFINE_SECONDS
    try:
        reply = await run.ask(
            step, model, ideas_prompt(run, lens), seat=seat, temperature=1.0, reserve=reserve
        )
    except NoAnswer as silent:
        empty = Ideation.empty(seat, model, lens, silent.failure.response_time_ms)
        await run.emit(IdeationComplete(data=empty), key=str(seat))
        raise
    entries = read_ideas(legible(reply), Shown([run.question]))
    if not entries:
        again = await ask_again_in_layout(
            run,
            reply,
            step=step,
            problem="it holds no idea in the layout",
            layout=IDEAS_LAYOUT,
            matter="ideas",
            reserve=reserve,
            since=2,
        )
        entries = read_ideas(legible(again), Shown([run.question])) if again else []
        reply = again if again and entries else reply
    ideation = Ideation.of(seat, lens, reply, entries)
    count = ideation.idea_count
    if not count:
        reason = run.wording(
            f"{model}'s ideas could not be read.", original=f"{model} gave no idea that could be read."
        )
        failure = run.unreadable(reply, step, reason)
        await run.give_up(failure)
        await run.emit(IdeationComplete(data=ideation), key=str(seat))
        raise NoAnswer(failure)
    if count < FEW_IDEAS:
        message = f"{model} gave only {'one idea' if count == 1 else 'two ideas'}."
        await run.warn(message, "few_ideas", step, seat=seat)
    if ideation.truncated_ideas:
        message = f"{model} gave {len(entries)} ideas: the first {count} were kept."
        await run.degrade(message, "ideas_limit", step, seat=seat)
    await run.emit(IdeationComplete(data=ideation), key=str(seat))
    return ideation


async def cluster(run: Run[BrainstormConfig], ideas: Sequence[UniqueIdea]) -> list[Cluster]:
    await run.emit(ClusteringStart())
    most = most_clusters(len(ideas), run.config.max_clusters)
    clustering = await cluster_ideas(run, ideas, most, SCORE_SECONDS + REFINE_SECONDS)
    by_similarity = clustering.fallback == "agglomerative"
    await report_timeout(run, "clustering", by_similarity, SCORE_SECONDS + REFINE_SECONDS)
    data = ClustersData.of(clustering, ideas)
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
    await report_timeout(run, "scoring", len(scorers) < len(outcomes), REFINE_SECONDS)
    ranking = rank_clusters(clusters, scorers, source_counts(clusters, ideas))
    if ranking.method == "promise":
        message = run.wording(
            "Too few models scored the themes, so they are ranked by the curator's first estimate.",
            original="Too few models scored the themes: they are ranked by the curator's first guess.",
        )
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
    shown = Shown([run.question, *texts.values()])
    scores = read_cluster_scores(legible(reply), count, shown)
    if len(scores) < count:
        reply, scores = await score_the_rest(run, reply, prompt, step, scores, count, shown)
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


async def score_the_rest(
    run: Run[BrainstormConfig],
    first: Answer,
    prompt: Prompt,
    step: str,
    scores: list[ClusterScore],
    count: int,
    shown: Shown,
) -> tuple[Answer, list[ClusterScore]]:
    """The scorer sees its own reply and which clusters are missing in it; what it scored before stands."""
    found = {one.cluster_id: one for one in scores}
    missing = [str(number) for number in range(1, count + 1) if f"cluster_{number}" not in found]
    problem = f"it holds no three numbers for cluster {', '.join(missing)}"
    again = await ask_to_mend(
        run, first, prompt, step=step, problem=problem, layout=SCORE_LAYOUT, reserve=REFINE_SECONDS, since=2
    )
    if again is None:
        return first, scores
    found = {one.cluster_id: one for one in read_cluster_scores(legible(again), count, shown)} | found
    both = f"{first.response}\n\n---\n\n{again.response}"
    return again.model_copy(update={"response": both}), sorted(found.values(), key=lambda one: one.cluster_id)


def source_counts(clusters: Sequence[Cluster], ideas: Sequence[UniqueIdea]) -> dict[str, int]:
    """How many models had a hand in each cluster."""
    seats_of = {idea.idea.id: idea.seats for idea in ideas}
    return {
        cluster.id: len({seat for id in cluster.idea_ids for seat in seats_of[id]}) for cluster in clusters
    }


async def refine(
    run: Run[BrainstormConfig],
    clusters: Sequence[Cluster],
    ideas: Sequence[UniqueIdea],
    ranking: Ranking | None,
) -> None:
    order = ranking.clusters if ranking else [without_rival(clusters[0])]
    tied = ranking.tied if ranking else []
    winner = next(cluster for cluster in clusters if cluster.id == order[0].id)
    ties = {"tied_count": len(tied), "tied_cluster_ids": [cluster.id for cluster in tied]}
    chosen = ChosenCluster(
        id=winner.id, name=winner.name, theme=winner.theme, average_score=order[0].average_score
    )
    await run.emit(RefinementStart(data=RefinementStartData(cluster=chosen, **ties)))
    texts = cluster_texts(clusters, ideas)
    reply, fallback = await write_proposal(run, refine_prompt(run, tied or order[:1], texts))
    await report_timeout(run, "refinement", reply is None)
    proposal = reply.response.strip() if reply else digest(texts[winner.id], order[0])
    data = Refinement(
        model=reply.model if reply else None,
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
        fallback=fallback,
        response_time_ms=reply.response_time_ms if reply else None,
        **run.state,
    )
    await run.emit(RefinementComplete(data=data))


async def write_proposal(
    run: Run[BrainstormConfig], prompt: str
) -> tuple[Answer | None, RefinementFallback | None]:
    """By the refiner, else by the curator or the model after it, else not at all."""
    refiner, curator = run.config.refiner_model, run.config.curator_model
    substitute = curator if curator != refiner else next_model(run.config.models, refiner)
    ask = partial(run.ask, prompt=prompt, temperature=0.7, report_failure=False)
    try:
        reply = await ask_or_substitute(run, "refinement", refiner, substitute, ask, wrote="the proposal")
    except NoAnswer:
        message = run.wording(
            "No model wrote the proposal, so this is a summary of the winning direction.",
            original="No model wrote the proposal: this is a digest of the winning direction.",
        )
        await run.degrade(message, "digest", "refinement")
        return None, "digest"
    return reply, None if reply.model == refiner else "substitute_model"


def digest(text: str, winner: RankedCluster) -> str:
    """What is known of the winning direction, where no model writes it up."""
    name, theme, *ideas = text.split("\n")
    score = "" if winner.adjusted_score is None else f"Score: {winner.adjusted_score:.2f} of 15."
    parts = [f"## Proposal: {name}", theme, score, "### Ideas in This Direction", "\n".join(ideas)]
    return "\n\n".join(part for part in parts if part)


async def report_timeout(
    run: Run[BrainstormConfig], step: str, incomplete: bool, reserve: float = 0.0
) -> None:
    """If a stage is incomplete and its time is used up, that is why."""
    if incomplete and not await run.time_for(step, reserve + LEAST_SECONDS):
        message = run.wording(
            "Time ran out, so the result is based on what was finished.",
            original="The pipeline's time ran out: the result rests on what was finished.",
        )
        await run.degrade(message, "pipeline_timeout", step)
