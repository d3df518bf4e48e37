"""The story of a dialectic: its events, what they carry, the rows they leave and the result they fold to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import orjson

from moot.kernel.events import Error, Event, Opening, TitleComplete, every, last
from moot.kernel.values import Degraded, Row, TableRow, Wire
from moot.modes.dialectic.critiques import Critique
from moot.modes.dialectic.grades import Grade
from moot.modes.dialectic.objections import Ledger, Objection, OpenIssues
from moot.modes.dialectic.proposals import Proposal, Synthesis
from moot.modes.dialectic.trace import (
    PROMPT_VERSION,
    SCHEMA_VERSION,
    DialecticResult,
    FoundTemplate,
    RoundResult,
    StopReason,
    TraceModels,
    TraceTiming,
    TraceTokens,
    exclusions,
)


class RagSearch(Wire):
    top_k: int
    min_similarity: float
    embedding_model: str


class RagQuery(RagSearch):
    query: str


class RagData(RagSearch):
    """`fallback`: the general scaffold stands in; `degraded`: because the search itself failed."""

    templates: tuple[FoundTemplate, ...]
    fallback: bool
    degraded: bool
    rag_ms: int


class RoundStartData(Wire):
    round: int
    max_rounds: int


class Spent(Wire):
    """Null where nobody was asked, or the provider did not count."""

    response_time_ms: int | None
    tokens_in: int | None
    tokens_out: int | None


class ProposerData(Proposal, Spent):
    """`content` is the whole reply, `answer` its Answer section."""

    round: int
    model: str
    content: str
    truncated: bool


class SkepticData(Critique, Spent):
    round: int
    model: str
    content: str
    truncated: bool


class RoundData(Wire):
    round: int
    decision: Literal["continue", "stop"]
    reason: StopReason | None
    score: float | None
    open_issues: OpenIssues


class EarlyStopData(Wire):
    round: int
    reason: StopReason


class Metadata(Wire):
    model: str
    role: str


class Termination(Wire):
    """How the rounds ended, told with the start of the synthesis."""

    metadata: Metadata
    total_rounds: int
    early_stopped: bool
    reason: StopReason
    ledger: tuple[Objection, ...]


class SynthesisData(Synthesis, Spent, Degraded):
    """`fallback`: nobody wrote a synthesis, the proposer's last answer stands."""

    model: str
    content: str
    fallback: bool


class TraceData(Degraded):
    trace_id: str
    total_rounds: int
    early_stopped: bool
    stop_reason: StopReason
    templates_used: tuple[str, ...]
    models: TraceModels
    timing: TraceTiming
    tokens: TraceTokens
    cost_usd: float | None
    same_model: bool


class ScoreData(Grade, Degraded):
    """`reasons`: why the trace is not eligible for export."""

    judge_model: str
    eligible: bool
    reasons: tuple[str, ...]
    response_time_ms: int | None
    raw_text: str
    trace_id: str | None


class DialecticStart(Opening):
    type = "dialectic_start"


class RagStart(Event):
    type = "rag_start"
    data: RagQuery


class RagComplete(Event):
    type = "rag_complete"
    data: RagData


class RoundStart(Event):
    type = "round_start"
    data: RoundStartData


class ProposerComplete(Event):
    type = "proposer_complete"
    data: ProposerData


class SkepticComplete(Event):
    type = "skeptic_complete"
    data: SkepticData


class RoundComplete(Event):
    type = "round_complete"
    data: RoundData


class EarlyStop(Event):
    """Fewer rounds were held than there might have been."""

    type = "early_stop"
    data: EarlyStopData


class SynthesisStart(Event):
    type = "synthesis_start"
    data: Termination


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: SynthesisData


class TraceSaved(Event):
    type = "trace_saved"
    data: TraceData


class ScoreComplete(Event):
    type = "score_complete"
    data: ScoreData


def rows(event: Event) -> Iterator[Row | TableRow]:
    match event:
        case RagComplete(data=found):
            kept = found.model_dump(mode="json")
            yield Row(
                "rag",
                0,
                orjson.dumps(kept["templates"]).decode(),
                model=kept.pop("embeddingModel"),
                role="retriever",
                parsed_data=kept,
                response_time_ms=found.rag_ms,
            )
        case ProposerComplete(data=data):
            yield _spoken(f"proposal_round_{data.round}", 2 * data.round - 1, "proposer", data)
        case SkepticComplete(data=data):
            yield _spoken(f"critique_round_{data.round}", 2 * data.round, "skeptic", data)
        case SynthesisStart(data=termination):
            kept = termination.model_dump(mode="json", exclude={"metadata"})
            yield Row("termination", 97, orjson.dumps(kept).decode(), parsed_data=kept)
        case SynthesisComplete(data=data):
            yield _spoken("synthesis", 99, "synthesizer", data)
        case TraceSaved(data=trace):
            yield TableRow("reasoning_traces", _trace_values(trace))
        case ScoreComplete(data=score):
            yield from _score_rows(score)


def _spoken(stage: str, order: int, role: str, data: ProposerData | SkepticData | SynthesisData) -> Row:
    hidden = {"model", "content", "response_time_ms", "degraded", "warnings"}
    return Row(
        stage,
        order,
        data.content,
        model=data.model,
        role=role,
        parsed_data=data.model_dump(mode="json", exclude=hidden),
        response_time_ms=data.response_time_ms,
    )


def _trace_values(trace: TraceData) -> dict[str, Any]:
    return {
        "trace_id": trace.trace_id,
        "templates_used": list(trace.templates_used),
        "total_rounds": trace.total_rounds,
        "early_stopped": trace.early_stopped,
        "stop_reason": trace.stop_reason,
        "same_model": trace.same_model,
        "had_error": trace.degraded,
        "models": trace.models.model_dump(by_alias=False),
        "timing": trace.timing.model_dump(by_alias=False, mode="json"),
        "tokens": trace.tokens.model_dump(by_alias=False),
        "cost_usd": trace.cost_usd,
        "prompt_version": PROMPT_VERSION,
        "schema_version": SCHEMA_VERSION,
    }


def _score_rows(score: ScoreData) -> Iterator[Row | TableRow]:
    kept = score.model_dump(mode="json", include=set(Grade.model_fields))
    yield Row(
        "auto_score",
        98,
        score.raw_text,
        model=score.judge_model,
        role="judge",
        parsed_data=kept,
        response_time_ms=score.response_time_ms,
    )
    if score.trace_id is not None:
        yield TableRow("trace_scores", score_values(score.trace_id, score.judge_model, score))


def score_values(trace_id: str, judge: str, grade: Grade) -> dict[str, Any]:
    """A grade as a row of `trace_scores`."""
    return {
        "trace_id": trace_id,
        "judge": judge,
        "auto_score": grade.auto_score,
        "criteria": grade.criteria.model_dump(by_alias=False),
        "justification": grade.justification,
        "would_benefit": grade.would_benefit_from_finetune,
        "score_error": grade.score_error,
    }


def result(events: Sequence[Event]) -> DialecticResult:
    asked, found = last(events, RagStart), last(events, RagComplete)
    started, trace = last(events, SynthesisStart), last(events, TraceSaved)
    written, score = last(events, SynthesisComplete), last(events, ScoreComplete)
    rounds = rounds_of(events)
    final = written.data.answer if written else None
    auto_score = score.data.auto_score if score else None
    had_error = written is None or written.data.degraded or last(events, Error) is not None
    reasons = exclusions(quality=auto_score, rounds=len(rounds), answer=final or "", had_error=had_error)
    ending = next((event.data for event in (score, trace, written) if event), None)
    title = last(events, TitleComplete)
    return DialecticResult(
        trace_id=trace.data.trace_id if trace else None,
        query=asked.data.query if asked else "",
        templates=found.data.templates if found else (),
        fallback=bool(found and found.data.fallback),
        rounds=rounds,
        ledger=started.data.ledger if started else _ledger(events),
        final_answer=final,
        raw_text=written.data.content if written else None,
        confidence=written.data.confidence if written else None,
        changes=written.data.changes if written else (),
        caveats=written.data.caveats if written else (),
        total_rounds=len(rounds),
        early_stopped=any(one and one.data.early_stopped for one in (started, trace)),
        stop_reason=_stop_reason(events),
        quality_score=auto_score,
        user_rating=None,
        auto_score=auto_score,
        score_error=score.data.score_error if score else None,
        criteria=score.data.criteria if score else None,
        justification=score.data.justification if score else None,
        would_benefit_from_finetune=score.data.would_benefit_from_finetune if score else None,
        eligible=not reasons,
        reasons=reasons,
        models=trace.data.models if trace else None,
        timing=trace.data.timing if trace else None,
        tokens=trace.data.tokens if trace else None,
        cost_usd=trace.data.cost_usd if trace else None,
        degraded=bool(ending and ending.degraded),
        warnings=ending.warnings if ending else (),
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    written = last(events, SynthesisComplete)
    return written.data.answer if written else None


def rounds_of(events: Sequence[Event]) -> tuple[RoundResult, ...]:
    critiques = {event.data.round: event.data for event in every(events, SkepticComplete)}
    found = []
    for event in every(events, ProposerComplete):
        proposal, critique = event.data, critiques.get(event.data.round)
        found.append(
            RoundResult(
                round=proposal.round,
                proposal=proposal.content,
                critique=critique.content if critique else None,
                answer=proposal.answer,
                issues=critique.issues if critique else (),
                statuses=critique.statuses if critique else (),
                score=critique.score if critique else None,
                proposer_ms=proposal.response_time_ms or 0,
                skeptic_ms=critique.response_time_ms if critique else None,
            )
        )
    return tuple(found)


def _ledger(events: Sequence[Event]) -> tuple[Objection, ...]:
    return tuple(Ledger.of(event.data for event in every(events, SkepticComplete)).listed())


def _stop_reason(events: Sequence[Event]) -> StopReason | None:
    """Why the rounds ended; of a run that was stopped before its answer was written, that it was."""
    started, error = last(events, SynthesisStart), last(events, Error)
    if error is not None and answer(events) is None:
        return "cancelled" if error.message == "Cancelled." else "failed"
    return started.data.reason if started else None
