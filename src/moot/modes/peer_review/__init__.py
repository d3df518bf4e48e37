"""Peer review: several reviewers judge a work by one rubric, each alone; their findings are matched.

review_1 … review_6 (at once) ─▶ figures (ours) ─▶ consolidation (a model's words, or by likeness of words)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode, Question
from moot.modes.peer_review.config import PeerReviewConfig, defaults
from moot.modes.peer_review.events import (
    AllReviewersComplete,
    ConsolidationComplete,
    ConsolidationStart,
    PeerReviewStart,
    ReviewerComplete,
    ReviewersStart,
    answer,
    result,
    rows,
)
from moot.modes.peer_review.judgement import judgement
from moot.modes.peer_review.narration import NARRATION
from moot.modes.peer_review.pipeline import peer_review

LONGEST_WORK = 200_000


MODE = Mode(
    id="peer_review",
    about=About(
        name="Peer Review",
        family="role_based",
        description="Independent reviews with scoring rubric, consolidated into a unified report.",
        good_for="A text scored against a rubric, with findings and next steps.",
        models=(3, 7),
        seconds=150,
        requires_special_role=True,
    ),
    config=PeerReviewConfig,
    defaults=defaults,
    pipeline=peer_review,
    events=(
        PeerReviewStart,
        ReviewersStart,
        ReviewerComplete,
        AllReviewersComplete,
        ConsolidationStart,
        ConsolidationComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=ConsolidationStart,
    title_model=lambda config: config.consolidator_model,
    planned_calls=lambda config: (
        *each("review", config.reviewer_models, calls=2, reads=1),
        PlannedCalls("consolidation", (config.consolidator_model,), 3, reads=len(config.reviewer_models)),
    ),
    opening_extras=lambda config: {"review_type": config.review_type},
    question=Question(
        missing="Work to review is required",
        longest=LONGEST_WORK,
        too_long="Work must not exceed 200,000 characters",
    ),
    judges="question",
    narration=NARRATION,
    judgement=judgement,
)
