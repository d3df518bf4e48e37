"""Traces: what a dialectic leaves behind, whole, and whether a model could learn from it.

    {"id": "…", "timestamp": "2026-05-01T09:30:00+00:00", "query": "…", "templates_used": […],
     "rounds": [{"round": 1, "proposer": "…", "skeptic": "…"}], "final_answer": "…", "total_rounds": 3,
     "early_stopped": true, "quality_score": 9, "user_rating": 9, "auto_score": 7.9,
     "models": {…}, "timing": {…}, "ext": {…}}

The document's names are those of its first readers, in snake_case; what we add stands under `ext`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from moot.kernel.values import Maybe, Wire
from moot.modes.dialectic.critiques import CritiqueIssue, Reason, Status
from moot.modes.dialectic.grades import Criteria
from moot.modes.dialectic.objections import Objection

StopReason = (
    Reason
    | Literal["time_budget", "token_budget", "proposer_failed", "skeptic_failed", "cancelled", "failed"]
)
PROMPT_VERSION = "1"
SCHEMA_VERSION = 1
THRESHOLD = 8.0
LEAST_ROUNDS = 2
LEAST_CHARACTERS = 200


class TraceModels(Wire):
    proposer: str
    skeptic: str
    synthesizer: str
    embedding: str
    judge: str


class TraceTiming(Wire):
    total_ms: int
    rag_ms: int
    rounds_ms: tuple[int, ...]
    synthesis_ms: int


class TraceTokens(Wire):
    """As the providers counted them; null where one of them did not say."""

    prompt: int | None
    completion: int | None


class UsageTotals(NamedTuple):
    """What the calls of a run took in all; None where one of them did not say."""

    cost_usd: float | None = None
    prompt: int | None = None
    completion: int | None = None


class FoundTemplate(Wire):
    id: str
    name: str
    similarity: float
    rank: int


class RoundResult(Wire):
    """A round; the skeptic's part is null where it failed."""

    round: int
    proposal: str
    critique: str | None
    answer: str
    issues: tuple[CritiqueIssue, ...]
    statuses: tuple[Status, ...]
    score: float | None
    proposer_ms: int
    skeptic_ms: int | None


class DialecticResult(Wire):
    """All that came of a dialectic. `user_rating` is given later, to the trace."""

    trace_id: str | None
    query: str
    templates: tuple[FoundTemplate, ...]
    fallback: bool
    rounds: tuple[RoundResult, ...]
    ledger: tuple[Objection, ...]
    final_answer: str | None
    raw_text: str | None
    confidence: float | None
    changes: tuple[str, ...]
    caveats: tuple[str, ...]
    total_rounds: int
    early_stopped: bool
    stop_reason: StopReason | None
    quality_score: float | None
    user_rating: int | None
    auto_score: float | None
    score_error: str | None
    criteria: Criteria | None
    justification: str | None
    would_benefit_from_finetune: bool | None
    eligible: bool
    reasons: tuple[str, ...]
    models: TraceModels | None
    timing: TraceTiming | None
    tokens: TraceTokens | None
    cost_usd: float | None
    degraded: bool
    warnings: tuple[str, ...]
    title: Maybe[str]


def quality_score(user_rating: int | None, auto_score: float | None) -> float | None:
    """A person's word counts; without it, the judge's."""
    return auto_score if user_rating is None else float(user_rating)


def exclusions(
    *, quality: float | None, rounds: int, answer: str, had_error: bool, threshold: float = THRESHOLD
) -> tuple[str, ...]:
    """Why a trace is not fit to learn from, by name; none: it is."""
    reasons = {
        "low_quality": quality is None or quality < threshold,
        "too_few_rounds": rounds < LEAST_ROUNDS,
        "too_short": len(answer) < LEAST_CHARACTERS,
        "had_error": had_error,
    }
    return tuple(name for name, holds in reasons.items() if holds)


def document(
    result: DialecticResult,
    started_at: int,
    rating: int | None,
    note: str | None,
    score: Mapping[str, Any],
    totals: UsageTotals,
) -> dict[str, Any]:
    """The trace as a file or the API gives it. `score`: what was last graded, which may be later than the
    run itself."""
    models, timing = result.models, result.timing
    auto_score = score.get("auto_score", result.auto_score)
    return {
        "id": result.trace_id,
        "timestamp": datetime.fromtimestamp(started_at / 1000, UTC).isoformat(),
        "query": result.query,
        "templates_used": [template.id for template in result.templates],
        "rounds": [
            {"round": one.round, "proposer": one.proposal, "skeptic": one.critique} for one in result.rounds
        ],
        "final_answer": result.final_answer,
        "total_rounds": result.total_rounds,
        "early_stopped": result.early_stopped,
        "quality_score": quality_score(rating, auto_score),
        "user_rating": rating,
        "auto_score": auto_score,
        "models": models.model_dump(by_alias=False, exclude={"judge"}) if models else {},
        "timing": timing.model_dump(by_alias=False, mode="json") if timing else {},
        "ext": {
            "stop_reason": result.stop_reason,
            "judge": models.judge if models else None,
            "tokens": {"prompt": totals.prompt, "completion": totals.completion},
            "cost_usd": totals.cost_usd,
            "ledger": [entry.model_dump(by_alias=False, mode="json") for entry in result.ledger],
            "score_detail": dict(score) or None,
            "rating_note": note,
            "raw_text": result.raw_text,
            "degraded": result.degraded,
            "prompt_version": PROMPT_VERSION,
            "schema_version": SCHEMA_VERSION,
        },
    }
