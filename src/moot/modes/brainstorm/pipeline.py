"""Brainstorm: quantity first, judgement later. Ideas become themes, themes are scored, the best is written up.

ideate (all at once) ─▶ merge (ours) ─▶ cluster ─▶ score (all at once) ─▶ rank (ours) ─▶ refine
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from moot.deliberation.parsing import Shown
from moot.deliberation.text import word_count
from moot.kernel.call_estimate import Stint, each
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.fences import Foreign, Part
from moot.kernel.mode import Between, Count, Mode, ModeConfig, ModelId, Panel, Question, RoleModel
from moot.kernel.run import LEAST_SECONDS, Run, answered, seats
from moot.kernel.seat_results import Reckoning, SeatResult
from moot.kernel.values import FailedModel, Failure, Maybe, Row, Wire
from moot.modes.brainstorm.clustering import ClustersData, Fallback, curated
from moot.modes.brainstorm.clusters import Cluster, most_clusters
from moot.modes.brainstorm.ideas import Idea, Ideation, MergedIdea, UniqueIdea, merged, unique_ideas
from moot.modes.brainstorm.ideation import thought_up
from moot.modes.brainstorm.refinement import Refinement, RefinementResult, digest, refine_prompt, written_up
from moot.modes.brainstorm.scores import (
    RankedCluster,
    Ranking,
    RankingMethod,
    ScorerReport,
    favourites,
    only,
    ranked,
    read_cluster_scores,
)

REFINE_SECONDS = 60.0
SCORE_SECONDS = 30.0
CLUSTER_SECONDS = 30.0
"""What later stages keep of the pipeline's time."""
GROUPED = "Grouped by average linkage over the words of the ideas."


class BrainstormConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(3, 6, "Brainstorm mode requires at least 3 models", "Maximum 6 models allowed"),
        Field(title="Models", description="Each gives ideas and scores themes; one model may sit twice."),
    ]
    curator_model: Annotated[
        RoleModel, Field(title="Curator", description="Sorts the ideas into themes; strong at reasoning.")
    ]
    refiner_model: Annotated[
        RoleModel, Field(title="Refiner", description="Writes the proposal; strong at writing.")
    ]
    min_ideas_per_model: Annotated[
        int,
        Between("minIdeasPerModel", 3, 10),
        Field(title="Fewest ideas", description="How many ideas each model is asked for at least."),
    ] = 5
    max_clusters: Annotated[
        int,
        Between("maxClusters", 3, 8),
        Field(title="Most themes", description="Into how many themes the ideas are sorted at most."),
    ] = 6
    timeout_ms: Annotated[
        int,
        Between("timeoutMs", 30_000, 180_000),
        Field(title="Timeout", description="How long one call to a model may take, in milliseconds."),
    ] = 120_000


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    models = given.get("models", panel.pick(3))
    first = models[0] if isinstance(models, list | tuple) and models else panel.models[0]
    return {"models": models, "curatorModel": first, "refinerModel": first}


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
    reply = await run.ask(step, model, prompt, seat=seat, temperature=0.2, keep=REFINE_SECONDS)
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


async def tell_of_the_time(run: Run[BrainstormConfig], step: str, lost: bool, keep: float = 0.0) -> None:
    """If something of a stage was lost and its time is used up, that is why."""
    if lost and not await run.time_for(step, keep + LEAST_SECONDS):
        message = "The pipeline's time ran out: the result rests on what was finished."
        await run.degrade(message, "pipeline_timeout", step)


def score_prompt(
    run: Run[BrainstormConfig], index: int, clusters: Sequence[Cluster], texts: Mapping[str, str]
) -> str:
    """Every scorer begins at another cluster, so that none gains by its place."""
    start = index % len(clusters)
    shown: list[Part] = []
    for place in [*range(start, len(clusters)), *range(start)]:
        shown += [f"CLUSTER number={place + 1}\n", Foreign(texts[clusters[place].id]), "\n"]
    return run.fill(
        SCORE_PROMPT, question=Foreign(run.question), clusters=shown, clusterCount=str(len(clusters))
    )


SCORE_PROMPT = """\
Judge these directions for the challenge below. They come from many contributors; you need not be kind.

CHALLENGE
{question}
{clusters}
Three whole numbers from 1 to 5 for each. Use the full range; most sets deserve at least one 2 and one 4.
Novelty: 1 = everybody does it, 3 = a fresh mix, 5 = I have not seen it.  Feasibility: 1 = cannot be done now, 3 = hard but known how, 5 = could start tomorrow.
Impact: 1 = nobody would notice, 3 = clear gain for some, 5 = changes the situation.

One line per cluster, all {clusterCount} of them, each followed by its reason:

Cluster 1: Novelty=3 Feasibility=4 Impact=2
Reason: <one sentence>"""


class Setup(Wire):
    models: tuple[str, ...]
    curator_model: str
    refiner_model: str
    min_ideas_per_model: int
    max_clusters: int


class IdeasData(Wire):
    total_ideas: int
    unique_ideas: int
    model_count: int
    effective_max_clusters: int
    merged: list[MergedIdea]
    failed_models: list[FailedModel]


class RankingData(Wire):
    ranked_clusters: list[RankedCluster]
    scorer_count: int
    ranking_method: RankingMethod


class ChosenCluster(Wire):
    id: str
    name: str
    theme: str
    average_score: float | None


class RefinementBegun(Wire):
    cluster: ChosenCluster
    tied_count: int
    tied_cluster_ids: list[str]


class BrainstormStart(Opening):
    type = "brainstorm_start"
    config: Setup


class IdeationStart(Event):
    type = "ideation_start"


class IdeationComplete(Event):
    type = "ideation_complete"
    data: Ideation


class AllIdeationComplete(Event):
    type = "all_ideation_complete"
    data: IdeasData


class ClusteringStart(Event):
    type = "clustering_start"


class ClusteringComplete(Event):
    type = "clustering_complete"
    data: ClustersData


class ScoringStart(Event):
    type = "scoring_start"


class ScorerComplete(Event):
    type = "scorer_complete"
    data: ScorerReport


class AllScoringComplete(Event):
    type = "all_scoring_complete"
    data: RankingData


class RefinementStart(Event):
    type = "refinement_start"
    data: RefinementBegun


class RefinementComplete(Event):
    type = "refinement_complete"
    data: Refinement


class ClusteringResult(Wire):
    model: str | None
    clusters: list[Cluster]
    unclustered_ideas: list[Idea]
    fallback: Fallback | None
    response_time_ms: int | None


class ScoringResult(Wire):
    scorers: list[ScorerReport]
    ranked_clusters: list[RankedCluster]
    ranking_method: RankingMethod


class BrainstormResult(Wire):
    ideation: list[Ideation]
    total_ideas: Maybe[int]
    unique_ideas: Maybe[int]
    clustering: Maybe[ClusteringResult]
    scoring: Maybe[ScoringResult]
    refinement: Maybe[RefinementResult]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


def opening_extras(config: BrainstormConfig) -> Mapping[str, Any]:
    return {"config": Setup(**config.model_dump(by_alias=False, exclude={"timeout_ms"}))}


def rows(event: Event) -> Iterator[Row]:
    match event:
        case IdeationComplete(data=given) if not given.failed:
            parsed = given.model_dump(include={"ideas", "idea_count", "lens", "truncated_ideas"})
            yield seat_row("ideation", 0, "ideator", given, parsed)
        case ClusteringComplete(data=made):
            parsed = made.model_dump(exclude={"model", "raw_text", "response_time_ms"})
            content = GROUPED if made.raw_text is None else made.raw_text
            yield Row("clustering", 10, content, None, made.model, "curator", parsed, made.response_time_ms)
        case ScorerComplete(data=scorer):
            yield seat_row("scoring", 20, "scorer", scorer, scorer.model_dump(include={"scores", "valid"}))
        case RefinementComplete(data=told):
            parsed = told.model_dump(exclude={"model", "proposal", "response_time_ms"})
            yield Row(
                "refinement", 99, told.proposal, None, told.model, "refiner", parsed, told.response_time_ms
            )


def seat_row(stage: str, first: int, role: str, of: Ideation | ScorerReport, parsed: Any) -> Row:
    return Row(
        f"{stage}_{of.index}",
        first + of.index,
        of.raw_text or "",
        seat=of.seat,
        model=of.model,
        role=role,
        parsed_data=parsed,
        response_time_ms=of.response_time_ms,
    )


def result(events: Sequence[Event]) -> BrainstormResult:
    given, made = last(events, AllIdeationComplete), last(events, ClusteringComplete)
    told, title = last(events, RefinementComplete), last(events, TitleComplete)
    ideations = sorted((event.data for event in every(events, IdeationComplete)), key=lambda one: one.seat)
    return BrainstormResult(
        ideation=ideations,
        total_ideas=given.data.total_ideas if given else None,
        unique_ideas=given.data.unique_ideas if given else None,
        clustering=clustering_result(made.data, ideations) if made else None,
        scoring=scoring_result(events),
        refinement=RefinementResult.of(told.data) if told else None,
        degraded=told.data.degraded if told else None,
        warnings=told.data.warnings if told else None,
        title=title.data.title if title else None,
    )


def clustering_result(made: ClustersData, ideations: Sequence[Ideation]) -> ClusteringResult:
    by_id = {idea.id: idea for ideation in ideations for idea in ideation.ideas}
    return ClusteringResult(
        model=made.model,
        clusters=made.clusters,
        unclustered_ideas=[by_id[id] for id in made.unclustered_ids],
        fallback=made.fallback,
        response_time_ms=made.response_time_ms,
    )


def scoring_result(events: Sequence[Event]) -> ScoringResult | None:
    ordered = last(events, AllScoringComplete)
    if ordered is None:
        return None
    return ScoringResult(
        scorers=sorted((event.data for event in every(events, ScorerComplete)), key=lambda one: one.seat),
        ranked_clusters=ordered.data.ranked_clusters,
        ranking_method=ordered.data.ranking_method,
    )


def answer(events: Sequence[Event]) -> str | None:
    told = last(events, RefinementComplete)
    return told.data.proposal if told else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    scored = scoring_result(events)
    return favourites(scored.scorers, scored.ranked_clusters) if scored else ()


MODE = Mode(
    id="brainstorm",
    config=BrainstormConfig,
    defaults=defaults,
    pipeline=brainstorm,
    events=(
        BrainstormStart,
        IdeationStart,
        IdeationComplete,
        AllIdeationComplete,
        ClusteringStart,
        ClusteringComplete,
        ScoringStart,
        ScorerComplete,
        AllScoringComplete,
        RefinementStart,
        RefinementComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=AllIdeationComplete,
    title_model=lambda config: config.curator_model,
    workload=lambda config: (
        *each("ideation", config.models),
        Stint("clustering", (config.curator_model, *config.models), 3, reads=len(config.models) + 1),
        *each("scoring", config.models, reads=len(config.models) + 1),
        Stint("refinement", (config.refiner_model,), reads=len(config.models) + 1),
        Stint("refinement", (config.curator_model, *config.models), reads=len(config.models) + 1),
    ),
    question=Question(missing="Creative challenge is required"),
    opening_extras=opening_extras,
    reckoning=Reckoning(seat_results, agrees="It gave most points to the cluster that came first."),
)
