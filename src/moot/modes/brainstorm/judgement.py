"""What a brainstorm comes to: themes that several seats had ideas for, and ideas that stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, every, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.modes.brainstorm.events import ClusteringComplete, IdeationComplete


def judgement(events: Sequence[Event]) -> Judgement:
    clustering = last_data(events, ClusteringComplete)
    if clustering is None:
        return Judgement()
    ideas = {idea.id: idea for event in every(events, IdeationComplete) for idea in event.data.ideas}
    seats = {
        cluster.name: {ideas[id].source_label for id in cluster.idea_ids if id in ideas}
        for cluster in clustering.clusters
    }
    alone = [ideas[id].title for id in clustering.unclustered_ids if id in ideas]
    alone += [name for name, labels in seats.items() if len(labels) == 1]
    shared = tuple(name for name, labels in seats.items() if len(labels) > 1)
    return Judgement(findings=Findings(consensus=shared, unique_insights=tuple(alone)))
