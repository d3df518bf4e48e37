"""The sixteen modes as people see them: the figures of the registry, built or not."""

from __future__ import annotations

from typing import Literal

from moot.wire import Wire

Family = Literal[
    "evaluation", "adversarial", "sequential", "role_based", "algorithmic", "creative", "verification"
]


class ModeEntry(Wire):
    """A mode's line in the registry; model counts include special roles such as a chairman."""

    id: str
    name: str
    family: Family
    description: str
    min_models: int
    max_models: int
    requires_special_role: bool
    supports_multi_turn: bool
    estimated_duration_ms: int


def _entry(
    id: str,
    name: str,
    family: Family,
    models: tuple[int, int],
    seconds: int,
    description: str,
    *,
    special_role: bool = False,
    multi_turn: bool = False,
) -> ModeEntry:
    return ModeEntry(
        id=id,
        name=name,
        family=family,
        description=description,
        min_models=models[0],
        max_models=models[1],
        requires_special_role=special_role,
        supports_multi_turn=multi_turn,
        estimated_duration_ms=seconds * 1000,
    )


REGISTRY = {
    entry.id: entry
    for entry in (
        _entry(
            "council",
            "Council",
            "evaluation",
            (3, 7),
            120,
            "Models answer, rank each other anonymously, then a chairman synthesizes.",
            special_role=True,
            multi_turn=True,
        ),
        _entry(
            "vote",
            "Vote",
            "evaluation",
            (3, 7),
            90,
            "Models answer, vote for the best, tiebreaker by chairman.",
            special_role=True,
            multi_turn=True,
        ),
        _entry(
            "jury",
            "Jury",
            "evaluation",
            (4, 7),
            90,
            "Models evaluate an existing answer on 5 dimensions, foreman delivers verdict.",
            special_role=True,
        ),
        _entry(
            "debate",
            "Debate",
            "evaluation",
            (3, 6),
            180,
            "Models answer, see others' responses, revise, then vote on revised answers.",
        ),
        _entry(
            "delphi",
            "Delphi",
            "evaluation",
            (4, 8),
            300,
            "Iterative anonymous rounds with statistical feedback until convergence.",
            special_role=True,
        ),
        _entry(
            "red_team",
            "Red Team",
            "adversarial",
            (2, 3),
            180,
            "Adversarial loop: generate, attack, defend, judge.",
        ),
        _entry(
            "chain",
            "Chain",
            "sequential",
            (2, 6),
            240,
            "Sequential improvement: draft, improve, refine, polish.",
        ),
        _entry(
            "specialist_panel",
            "Specialist Panel",
            "role_based",
            (3, 7),
            150,
            "Role-assigned expert analysis, cross-review, and synthesis.",
            special_role=True,
        ),
        _entry(
            "blueprint",
            "Blueprint",
            "role_based",
            (2, 8),
            300,
            "Outline, parallel section expansion, and assembly into a unified document.",
        ),
        _entry(
            "peer_review",
            "Peer Review",
            "role_based",
            (3, 7),
            150,
            "Independent reviews with scoring rubric, consolidated into a unified report.",
            special_role=True,
        ),
        _entry(
            "tournament",
            "Tournament",
            "algorithmic",
            (5, 9),
            180,
            "Bracket-style elimination: pairwise judging until a winner emerges.",
            special_role=True,
        ),
        _entry(
            "confidence_weighted",
            "Confidence-Weighted",
            "algorithmic",
            (2, 6),
            90,
            "Models answer with self-assessed confidence, weighted synthesis.",
            multi_turn=True,
        ),
        _entry(
            "decompose",
            "Decompose",
            "algorithmic",
            (2, 6),
            180,
            "Planner breaks question into sub-tasks, models solve parts, assembler reunifies.",
        ),
        _entry(
            "brainstorm",
            "Brainstorm",
            "creative",
            (3, 6),
            180,
            "Generate ideas freely, cluster, score, refine top cluster.",
        ),
        _entry(
            "fact_check",
            "Fact-Check",
            "verification",
            (3, 6),
            180,
            "Generate content, extract claims, independently verify, produce evidence report.",
        ),
        _entry(
            "dialectic",
            "Dialectic",
            "adversarial",
            (2, 4),
            300,
            "A proposer answers, a skeptic attacks, round after round, then a synthesizer settles it.",
            special_role=True,
        ),
    )
}
