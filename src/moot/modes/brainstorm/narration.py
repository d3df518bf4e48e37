"""A brainstorm told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage, count, listed, quote, seat_name
from moot.modes.brainstorm.events import (
    AllIdeationComplete,
    AllScoringComplete,
    ClusteringComplete,
    ClustersData,
    IdeationComplete,
    RankingData,
    Refinement,
    RefinementComplete,
    ScorerComplete,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case IdeationComplete(data=one):
            name = seat_name(one.seat, one.model)
            sentence = (
                f"{name} had no ideas." if one.failed else f"{name} had {count(one.idea_count, 'idea')}."
            )
            return Passage("Ideas", (sentence,))
        case AllIdeationComplete(data=ideas):
            return Passage("Ideas", (f"{count(ideas.total_ideas, 'idea')}, {ideas.unique_ideas} different.",))
        case ClusteringComplete(data=clusters):
            return _clusters(clusters)
        case ScorerComplete(data=scorer) if not scorer.valid:
            return Passage("Scores", (f"{seat_name(scorer.seat, scorer.model)} scored too few clusters.",))
        case AllScoringComplete(data=ranking):
            return _ranking(ranking)
        case RefinementComplete(data=refinement):
            return _proposal(refinement)
    return None


def _clusters(clusters: ClustersData) -> Passage:
    names = (f"{quote(one.name)}: {count(one.idea_count, 'idea')}" for one in clusters.clusters)
    left = (
        (f"{count(clusters.unclustered_count, 'idea')} in no cluster.",) if clusters.unclustered_count else ()
    )
    return Passage("Clusters", (f"{count(clusters.total_clusters, 'cluster')}:", *names, *left))


def _ranking(ranking: RankingData) -> Passage:
    bars = tuple(
        Bar(f"{one.rank}. {quote(one.name, 40)}", one.adjusted_score, f"{one.adjusted_score:g}")
        for one in ranking.ranked_clusters
        if one.adjusted_score is not None
    )
    return Passage("Scores", (f"{count(ranking.scorer_count, 'model')} scored the clusters.",), bars)


def _proposal(refinement: Refinement) -> Passage:
    won = f"“{quote(refinement.winning_cluster_name)}” came first"
    level = [one for one in refinement.ranked_clusters if one.id in refinement.tied_cluster_ids[1:]]
    if level:
        won += f", tied with {listed([f'“{quote(one.name)}”' for one in level])}"
    if refinement.model is None:
        return Passage("Proposal", (f"{won}. No model wrote it up, so these are its ideas.",))
    return Passage("Proposal", (f"{won}. {refinement.model} wrote it up.",))


NARRATION = Narration(
    {"ideation": "Ideas", "clustering": "Clusters", "scoring": "Scores", "refinement": "Proposal"}, tell
)
