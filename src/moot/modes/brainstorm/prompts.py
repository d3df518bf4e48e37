"""What a brainstorm asks of its models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.kernel.fences import Foreign, Part
from moot.kernel.run import Run
from moot.modes.brainstorm.clusters import Cluster
from moot.modes.brainstorm.config import BrainstormConfig


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
