"""What a brainstorm tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import FailedModel, Maybe, Row, Wire
from moot.modes.brainstorm.clustering import ClustersData, Fallback
from moot.modes.brainstorm.clusters import Cluster
from moot.modes.brainstorm.config import BrainstormConfig
from moot.modes.brainstorm.ideas import Idea, Ideation, MergedIdea
from moot.modes.brainstorm.refinement import Refinement, RefinementResult
from moot.modes.brainstorm.scores import RankedCluster, RankingMethod, ScorerReport, favourites

GROUPED = "Grouped by average linkage over the words of the ideas."


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
