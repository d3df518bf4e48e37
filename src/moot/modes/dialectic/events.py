"""The story of a dialectic: its events, what they carry, the rows they leave and the result they fold to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import orjson

from moot.kernel.events import Error, Event, Opening, every, last, last_data, title_in
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


class CallUsage(Wire):
    """Null where nobody was asked, or the provider did not count."""

    response_time_ms: int | None
    tokens_in: int | None
    tokens_out: int | None


class ProposerData(Proposal, CallUsage):
    """`content` is the whole reply, `answer` its Answer section."""

    round: int
    model: str
    content: str
    truncated: bool


class SkepticData(Critique, CallUsage):
    round: int
    model: str
    content: str
    truncated: bool


class RoundDecision(Wire):
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


class DialecticSynthesis(Synthesis, CallUsage, Degraded):
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
    data: RoundDecision


class EarlyStop(Event):
    """There were fewer rounds than allowed."""

    type = "early_stop"
    data: EarlyStopData


class SynthesisStart(Event):
    type = "synthesis_start"
    data: Termination


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: DialecticSynthesis


class TraceSaved(Event):
    type = "trace_saved"
    data: TraceData


class ScoreComplete(Event):
    type = "score_complete"
    data: ScoreData


def rows(event: Event) -> Iterator[Row | TableRow]:
    """What is kept of each event in `deliberation_stages`, and of the trace in tables of its own."""
    match event:
        case RagComplete(data=retrieval):
            details = retrieval.model_dump(mode="json")
            yield Row(
                "rag",
                0,
                orjson.dumps(details["templates"]).decode(),
                model=details.pop("embeddingModel"),
                role="retriever",
                parsed_data=details,
                response_time_ms=retrieval.rag_ms,
            )
        case ProposerComplete(data=data):
            yield _speech_row(f"proposal_round_{data.round}", 2 * data.round - 1, "proposer", data)
        case SkepticComplete(data=data):
            yield _speech_row(f"critique_round_{data.round}", 2 * data.round, "skeptic", data)
        case SynthesisStart(data=termination):
            details = termination.model_dump(mode="json", exclude={"metadata"})
            yield Row("termination", 97, orjson.dumps(details).decode(), parsed_data=details)
        case SynthesisComplete(data=data):
            yield _speech_row("synthesis", 99, "synthesizer", data)
        case TraceSaved(data=trace):
            yield TableRow("reasoning_traces", _trace_values(trace))
        case ScoreComplete(data=score):
            yield from _score_rows(score)


def _speech_row(
    stage: str, order: int, role: str, data: ProposerData | SkepticData | DialecticSynthesis
) -> Row:
    apart = {"model", "content", "response_time_ms", "degraded", "warnings"}
    return Row(
        stage,
        order,
        data.content,
        model=data.model,
        role=role,
        parsed_data=data.model_dump(mode="json", exclude=apart),
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
    yield Row(
        "auto_score",
        98,
        score.raw_text,
        model=score.judge_model,
        role="judge",
        parsed_data=score.model_dump(mode="json", include=set(Grade.model_fields)),
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
    query, retrieval = last_data(events, RagStart), last_data(events, RagComplete)
    termination, trace = last_data(events, SynthesisStart), last_data(events, TraceSaved)
    synthesis, score = last_data(events, SynthesisComplete), last_data(events, ScoreComplete)
    rounds = rounds_of(events)
    final = synthesis.answer if synthesis else None
    auto_score = score.auto_score if score else None
    had_error = synthesis is None or synthesis.degraded or last(events, Error) is not None
    reasons = exclusions(quality=auto_score, rounds=len(rounds), answer=final or "", had_error=had_error)
    ending = score or trace or synthesis
    return DialecticResult(
        trace_id=trace.trace_id if trace else None,
        query=query.query if query else "",
        templates=retrieval.templates if retrieval else (),
        fallback=bool(retrieval and retrieval.fallback),
        rounds=rounds,
        ledger=termination.ledger if termination else _ledger(events),
        final_answer=final,
        raw_text=synthesis.content if synthesis else None,
        confidence=synthesis.confidence if synthesis else None,
        changes=synthesis.changes if synthesis else (),
        caveats=synthesis.caveats if synthesis else (),
        total_rounds=len(rounds),
        early_stopped=any(one and one.early_stopped for one in (termination, trace)),
        stop_reason=_stop_reason(events),
        quality_score=auto_score,
        user_rating=None,
        auto_score=auto_score,
        score_error=score.score_error if score else None,
        criteria=score.criteria if score else None,
        justification=score.justification if score else None,
        would_benefit_from_finetune=score.would_benefit_from_finetune if score else None,
        eligible=not reasons,
        reasons=reasons,
        models=trace.models if trace else None,
        timing=trace.timing if trace else None,
        tokens=trace.tokens if trace else None,
        cost_usd=trace.cost_usd if trace else None,
        degraded=bool(ending and ending.degraded),
        warnings=ending.warnings if ending else (),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last_data(events, SynthesisComplete)
    return synthesis.answer if synthesis else None


def rounds_of(events: Sequence[Event]) -> tuple[RoundResult, ...]:
    critiques = {event.data.round: event.data for event in every(events, SkepticComplete)}
    rounds = []
    for event in every(events, ProposerComplete):
        proposal, critique = event.data, critiques.get(event.data.round)
        rounds.append(
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
    return tuple(rounds)


def _ledger(events: Sequence[Event]) -> tuple[Objection, ...]:
    return Ledger.of(event.data for event in every(events, SkepticComplete)).objections


def _stop_reason(events: Sequence[Event]) -> StopReason | None:
    """Why the rounds ended; of a run that was stopped before its answer was written, that it was."""
    termination, error = last_data(events, SynthesisStart), last(events, Error)
    if error is not None and answer(events) is None:
        return "cancelled" if error.message == "Cancelled." else "failed"
    return termination.reason if termination else None
