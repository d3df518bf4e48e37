"""What a brainstorm tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Degraded, FailedModel, Maybe, Row, Wire
from moot.modes.brainstorm.clusters import (
    Cluster,
    Clustering,
    ClusteringFallback,
    number_clusters,
    unplaced_ideas,
)
from moot.modes.brainstorm.config import BrainstormConfig
from moot.modes.brainstorm.ideas import Idea, Ideation, MergedIdea, UniqueIdea, merged_ideas
from moot.modes.brainstorm.scores import RankedCluster, RankingMethod, ScorerReport, favourites

RefinementFallback = Literal["substitute_model", "digest"]

GROUPED_BY_SIMILARITY = "Grouped by average linkage over the words of the ideas."


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


class ClustersData(Wire):
    model: str | None
    clusters: list[Cluster]
    total_clusters: int
    unclustered_count: int
    unclustered_ids: list[str]
    unique_ideas: int
    merged: list[MergedIdea]
    fallback: ClusteringFallback | None
    raw_text: str | None
    response_time_ms: int | None

    @classmethod
    def of(cls, clustering: Clustering, ideas: Sequence[UniqueIdea]) -> ClustersData:
        reply, clusters = clustering.reply, number_clusters(clustering.themes, ideas)
        unclustered = [ideas[place].idea.id for place in unplaced_ideas(clustering.themes, len(ideas))]
        return cls(
            model=reply.model if reply else None,
            clusters=clusters,
            total_clusters=len(clusters),
            unclustered_count=len(unclustered),
            unclustered_ids=unclustered,
            unique_ideas=len(ideas),
            merged=merged_ideas(ideas),
            fallback=clustering.fallback,
            raw_text=reply.response if reply else None,
            response_time_ms=reply.response_time_ms if reply else None,
        )


class RankingData(Wire):
    ranked_clusters: list[RankedCluster]
    scorer_count: int
    ranking_method: RankingMethod


class ChosenCluster(Wire):
    id: str
    name: str
    theme: str
    average_score: float | None


class RefinementStartData(Wire):
    cluster: ChosenCluster
    tied_count: int
    tied_cluster_ids: list[str]


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
    fallback: RefinementFallback | None
    response_time_ms: int | None


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
    data: RefinementStartData


class RefinementComplete(Event):
    type = "refinement_complete"
    data: Refinement


class ClusteringResult(Wire):
    model: str | None
    clusters: list[Cluster]
    unclustered_ideas: list[Idea]
    fallback: ClusteringFallback | None
    response_time_ms: int | None

    @classmethod
    def of(cls, clustering: ClustersData, ideations: Sequence[Ideation]) -> ClusteringResult:
        by_id = {idea.id: idea for ideation in ideations for idea in ideation.ideas}
        return cls(
            model=clustering.model,
            clusters=clustering.clusters,
            unclustered_ideas=[by_id[id] for id in clustering.unclustered_ids],
            fallback=clustering.fallback,
            response_time_ms=clustering.response_time_ms,
        )


class ScoringResult(Wire):
    scorers: list[ScorerReport]
    ranked_clusters: list[RankedCluster]
    ranking_method: RankingMethod


class RefinementResult(Wire):
    model: str | None
    winning_cluster: RankedCluster
    tied_clusters: list[RankedCluster]
    proposal: str
    fallback: RefinementFallback | None
    response_time_ms: int | None

    @classmethod
    def of(cls, refinement: Refinement) -> RefinementResult:
        tied = set(refinement.tied_cluster_ids)
        return cls(
            model=refinement.model,
            winning_cluster=refinement.ranked_clusters[0],
            tied_clusters=[cluster for cluster in refinement.ranked_clusters if cluster.id in tied],
            proposal=refinement.proposal,
            fallback=refinement.fallback,
            response_time_ms=refinement.response_time_ms,
        )


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
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case IdeationComplete(data=ideation) if not ideation.failed:
            details = ideation.model_dump(include={"ideas", "idea_count", "lens", "truncated_ideas"})
            yield seat_row("ideation", 0, "ideator", ideation, details)
        case ClusteringComplete(data=clustering):
            yield Row(
                "clustering",
                10,
                GROUPED_BY_SIMILARITY if clustering.raw_text is None else clustering.raw_text,
                model=clustering.model,
                role="curator",
                parsed_data=clustering.model_dump(exclude={"model", "raw_text", "response_time_ms"}),
                response_time_ms=clustering.response_time_ms,
            )
        case ScorerComplete(data=scorer):
            yield seat_row("scoring", 20, "scorer", scorer, scorer.model_dump(include={"scores", "valid"}))
        case RefinementComplete(data=refinement):
            yield Row(
                "refinement",
                99,
                refinement.proposal,
                model=refinement.model,
                role="refiner",
                parsed_data=refinement.model_dump(exclude={"model", "proposal", "response_time_ms"}),
                response_time_ms=refinement.response_time_ms,
            )


def seat_row(
    stage: str, first_order: int, role: str, seat: Ideation | ScorerReport, details: dict[str, Any]
) -> Row:
    return Row(
        f"{stage}_{seat.index}",
        first_order + seat.index,
        seat.raw_text or "",
        seat=seat.seat,
        model=seat.model,
        role=role,
        parsed_data=details,
        response_time_ms=seat.response_time_ms,
    )


def result(events: Sequence[Event]) -> BrainstormResult:
    ideas, clustering = last_data(events, AllIdeationComplete), last_data(events, ClusteringComplete)
    refinement = last_data(events, RefinementComplete)
    ideations = sorted((event.data for event in every(events, IdeationComplete)), key=lambda one: one.seat)
    return BrainstormResult(
        ideation=ideations,
        total_ideas=ideas.total_ideas if ideas else None,
        unique_ideas=ideas.unique_ideas if ideas else None,
        clustering=ClusteringResult.of(clustering, ideations) if clustering else None,
        scoring=scoring_result(events),
        refinement=RefinementResult.of(refinement) if refinement else None,
        degraded=refinement.degraded if refinement else None,
        warnings=refinement.warnings if refinement else None,
        title=title_in(events),
    )


def scoring_result(events: Sequence[Event]) -> ScoringResult | None:
    ranking = last_data(events, AllScoringComplete)
    if ranking is None:
        return None
    return ScoringResult(
        scorers=sorted((event.data for event in every(events, ScorerComplete)), key=lambda one: one.seat),
        ranked_clusters=ranking.ranked_clusters,
        ranking_method=ranking.ranking_method,
    )


def answer(events: Sequence[Event]) -> str | None:
    refinement = last_data(events, RefinementComplete)
    return refinement.proposal if refinement else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    scoring = scoring_result(events)
    return favourites(scoring.scorers, scoring.ranked_clusters) if scoring else ()
