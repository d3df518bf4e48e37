"""The sixteen modes as people see them: the figures of the registry, built or not."""

from __future__ import annotations

from typing import Literal

from moot.kernel.values import Wire

Family = Literal[
    "evaluation", "adversarial", "sequential", "role_based", "algorithmic", "creative", "verification"
]


class ModeEntry(Wire):
    """A mode's line in the registry; model counts include special roles such as a chairman. `description`
    says how it goes, `good_for` when to choose it."""

    id: str
    name: str
    family: Family
    description: str
    good_for: str
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
    good_for: str,
    *,
    special_role: bool = False,
    multi_turn: bool = False,
) -> ModeEntry:
    return ModeEntry(
        id=id,
        name=name,
        family=family,
        description=description,
        good_for=good_for,
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
            "Open questions, where you want the best of several views in one answer.",
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
            "One strong answer, chosen by all and left as it was written.",
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
            "A verdict on a finished text: approve, revise or reject.",
            special_role=True,
        ),
        _entry(
            "debate",
            "Debate",
            "evaluation",
            (3, 6),
            180,
            "Models answer, see others' responses, revise, then vote on revised answers.",
            "Contested questions, where seeing other answers improves one's own.",
        ),
        _entry(
            "delphi",
            "Delphi",
            "evaluation",
            (4, 8),
            300,
            "Iterative anonymous rounds with statistical feedback until convergence.",
            "An estimate or a choice that a panel without names converges on.",
            special_role=True,
        ),
        _entry(
            "red_team",
            "Red Team",
            "adversarial",
            (2, 3),
            180,
            "Adversarial loop: generate, attack, defend, judge.",
            "Hardening a plan, a text or code against attack.",
        ),
        _entry(
            "chain",
            "Chain",
            "sequential",
            (2, 6),
            240,
            "Sequential improvement: draft, improve, refine, polish.",
            "A text that gets better in steps, each with a task of its own.",
        ),
        _entry(
            "specialist_panel",
            "Specialist Panel",
            "role_based",
            (3, 7),
            150,
            "Role-assigned expert analysis, cross-review, and synthesis.",
            "A proposal that several professions should look at.",
            special_role=True,
        ),
        _entry(
            "blueprint",
            "Blueprint",
            "role_based",
            (2, 8),
            300,
            "Outline, parallel section expansion, and assembly into a unified document.",
            "A long document from source material.",
        ),
        _entry(
            "peer_review",
            "Peer Review",
            "role_based",
            (3, 7),
            150,
            "Independent reviews with scoring rubric, consolidated into a unified report.",
            "A work held against a rubric, with findings and what to do.",
            special_role=True,
        ),
        _entry(
            "tournament",
            "Tournament",
            "algorithmic",
            (5, 9),
            180,
            "Bracket-style elimination: pairwise judging until a winner emerges.",
            "The single best of many answers, found in duels.",
            special_role=True,
        ),
        _entry(
            "confidence_weighted",
            "Confidence-Weighted",
            "algorithmic",
            (2, 6),
            90,
            "Models answer with self-assessed confidence, weighted synthesis.",
            "Questions of fact, where it should count how sure each model is.",
            multi_turn=True,
        ),
        _entry(
            "decompose",
            "Decompose",
            "algorithmic",
            (2, 6),
            180,
            "Planner breaks question into sub-tasks, models solve parts, assembler reunifies.",
            "A large request that falls into parts.",
        ),
        _entry(
            "brainstorm",
            "Brainstorm",
            "creative",
            (3, 6),
            180,
            "Generate ideas freely, cluster, score, refine top cluster.",
            "Many ideas, sorted, and the best of them written up.",
        ),
        _entry(
            "fact_check",
            "Fact-Check",
            "verification",
            (3, 6),
            180,
            "Generate content, extract claims, independently verify, produce evidence report.",
            "A text whose claims are to be checked one by one.",
        ),
        _entry(
            "dialectic",
            "Dialectic",
            "adversarial",
            (2, 4),
            300,
            "A proposer answers, a skeptic attacks, round after round, then a synthesizer settles it.",
            "A hard problem, argued out until the objections are met.",
            special_role=True,
        ),
    )
}
