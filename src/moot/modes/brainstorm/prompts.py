"""What a brainstorm asks of its models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.deliberation.rounding import half_up
from moot.kernel.fences import Foreign, Part
from moot.kernel.run import Run
from moot.kernel.values import Rewording
from moot.modes.brainstorm.clusters import Cluster, Theme
from moot.modes.brainstorm.config import BrainstormConfig
from moot.modes.brainstorm.ideas import UniqueIdea
from moot.modes.brainstorm.layouts import IDEAS_LAYOUT, ORIGINAL_SCORE_LAYOUT, SCORE_LAYOUT
from moot.modes.brainstorm.scores import RankedCluster

LENSES = (
    "turn the usual assumption upside down",
    "borrow from an unrelated field",
    "almost no money or staff",
    "ten times more ambitious",
    "start from the person who suffers most",
    "remove steps instead of adding them",
)
"""The angle each contributor is given, in turn, so that they do not all think alike."""


def ideas_prompt(run: Run[BrainstormConfig], lens: str) -> str:
    return run.fill(
        IDEAS_PROMPT,
        question=Foreign(run.question),
        minIdeas=str(run.config.min_ideas_per_model),
        lens=lens,
        layout=IDEAS_LAYOUT,
    )


def cluster_prompt(run: Run[BrainstormConfig], ideas: Sequence[UniqueIdea], most: int) -> str:
    return run.fill(
        CLUSTER_PROMPT,
        n=str(len(ideas)),
        question=Foreign(run.question),
        ideas=idea_table(ideas, range(len(ideas))),
        minK=str(min(3, most)),
        maxK=str(most),
    )


def place_prompt(
    run: Run[BrainstormConfig], themes: Sequence[Theme], ideas: Sequence[UniqueIdea], places: Sequence[int]
) -> str:
    """To a curator who left the ideas at these places out."""
    texts: list[Part] = []
    for number, theme in enumerate(themes, 1):
        texts += [f"CLUSTER {number}\n", Foreign(f"{theme.name}\n{theme.theme}".strip()), "\n"]
    return run.fill(
        PLACE_PROMPT,
        n=str(len(places)),
        question=Foreign(run.question),
        themes=texts,
        ideas=idea_table(ideas, places),
    )


def idea_table(ideas: Sequence[UniqueIdea], places: Sequence[int]) -> Foreign:
    """`I7 | title | description`, one per line."""
    rows = []
    for place in places:
        idea = ideas[place].idea
        cells = (" ".join(text.split()).replace("|", "/") for text in (idea.title, idea.description))
        rows.append(" | ".join([f"I{place + 1}", *cells]))
    return Foreign("\n".join(rows))


def score_prompt(
    run: Run[BrainstormConfig], index: int, clusters: Sequence[Cluster], texts: Mapping[str, str]
) -> Rewording:
    """Every scorer begins at another cluster, so that none gains by its place."""
    start = index % len(clusters)
    parts: list[Part] = []
    for place in [*range(start, len(clusters)), *range(start)]:
        parts += [f"CLUSTER number={place + 1}\n", Foreign(texts[clusters[place].id]), "\n"]
    current, original = (
        run.fill(
            SCORE_PROMPT,
            question=Foreign(run.question),
            clusters=parts,
            clusterCount=str(len(clusters)),
            layout=layout,
        )
        for layout in (SCORE_LAYOUT, ORIGINAL_SCORE_LAYOUT)
    )
    return Rewording(current, original=original)


def refine_prompt(
    run: Run[BrainstormConfig], directions: Sequence[RankedCluster], texts: Mapping[str, str]
) -> str:
    parts: list[Part] = []
    for place, direction in enumerate(directions):
        tag = "TIED_DIRECTION" if place else "DIRECTION"
        parts += [f"{tag} {score_line(direction)}\n", Foreign(texts[direction.id]), "\n"]
    return run.fill(
        REFINE_PROMPT,
        question=Foreign(run.question),
        directions=parts,
        level=LEVEL if len(directions) > 1 else "",
    )


def score_line(cluster: RankedCluster) -> str:
    novelty, feasibility, impact = (
        cluster.average_novelty,
        cluster.average_feasibility,
        cluster.average_impact,
    )
    if novelty is None or feasibility is None or impact is None:
        return "scored=no"
    return f"novelty={half_up(novelty, 1)} feasibility={half_up(feasibility, 1)} impact={half_up(impact, 1)}"


def cluster_texts(clusters: Sequence[Cluster], ideas: Sequence[UniqueIdea]) -> dict[str, str]:
    """Each cluster, by its id, as models see it: name, theme, and its ideas one per line."""
    by_id = {idea.idea.id: idea.idea for idea in ideas}
    return {
        cluster.id: "\n".join(
            [cluster.name, cluster.theme, *(f"- {by_id[id].line}" for id in cluster.idea_ids)]
        )
        for cluster in clusters
    }


IDEAS_PROMPT = """\
Think up ideas for this challenge. You are one of several contributors; breadth is what you are here for.

CHALLENGE
{question}

Give {minIdeas} to 10 ideas. At least a third of them should come from this angle: {lens}. The rest are \
free.
- Every idea must work by a different mechanism from your others; two versions of one thought count as one.
- Mix the safe, the bold and the odd. Do not rank, score, criticise or excuse any of them.
- Be concrete: what is done, by whom, and why it would work.

Layout, nothing before or after, labels in plain text:

{layout}"""


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


SCORE_PROMPT = """\
Judge these directions for the challenge below. They come from many contributors; you need not be kind.

CHALLENGE
{question}
{clusters}
Three whole numbers from 1 to 5 for each. Use the full range; most sets deserve at least one 2 and one 4.
Novelty: 1 = everybody does it, 3 = a fresh mix, 5 = I have not seen it.  Feasibility: 1 = cannot be done now, 3 = hard but known how, 5 = could start tomorrow.
Impact: 1 = nobody would notice, 3 = clear gain for some, 5 = changes the situation.

One line per cluster, all {clusterCount} of them, each followed by its reason:

{layout}"""


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
