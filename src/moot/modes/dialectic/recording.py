"""The trace of a dialectic, made of what it told and whom it asked: whole at its end, or of the rounds that
were held when it was stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from moot.kernel.events import Event, last_data
from moot.kernel.run import Run
from moot.kernel.values import Call
from moot.modes.dialectic.config import DialecticConfig
from moot.modes.dialectic.events import (
    RagComplete,
    SynthesisComplete,
    TraceData,
    TraceSaved,
    rounds_of,
)
from moot.modes.dialectic.trace import StopReason, TraceModels, TraceTiming, TraceTokens

DEBATE_STEPS = ("proposal_round_", "critique_round_", "synthesis")
"""How the steps begin whose calls make up the debate; judge and title are apart."""


def closing_events(run: Run[DialecticConfig], status: str) -> Iterator[Event]:
    """A debate that is stopped leaves the rounds it has held, as a trace from which nobody may learn."""
    if run.config.store_trace and last_data(run.events, TraceSaved) is None:
        reason: StopReason = "cancelled" if status == "cancelled" else "failed"
        yield TraceSaved(data=trace_data(run, reason, degraded=True, warnings=tuple(run.warnings)))


def trace_data(run: Run[DialecticConfig], reason: StopReason, **state: Any) -> TraceData:
    """`state`: `degraded` and `warnings`."""
    config, story = run.config, run.events
    retrieval, synthesis = last_data(story, RagComplete), last_data(story, SynthesisComplete)
    rounds, calls = rounds_of(story), debate_calls(run.calls)
    return TraceData(
        trace_id=run.id,
        total_rounds=len(rounds),
        early_stopped=len(rounds) < config.max_rounds,
        stop_reason=reason,
        templates_used=tuple(one.id for one in retrieval.templates) if retrieval else (),
        models=TraceModels(
            proposer=config.proposer_model,
            skeptic=config.skeptic_model,
            synthesizer=config.synthesizer_model,
            embedding=retrieval.embedding_model if retrieval else "off",
            judge=config.judge_model,
        ),
        timing=TraceTiming(
            total_ms=max(call.ended_ms for call in calls),
            rag_ms=retrieval.rag_ms if retrieval else 0,
            rounds_ms=tuple(one.proposer_ms + (one.skeptic_ms or 0) for one in rounds),
            synthesis_ms=(synthesis.response_time_ms or 0) if synthesis else 0,
        ),
        tokens=TraceTokens(
            prompt=_sum([call.usage.prompt_tokens for call in calls]),
            completion=_sum([call.usage.completion_tokens for call in calls]),
        ),
        cost_usd=_sum([call.cost for call in calls]),
        same_model=config.proposer_model == config.skeptic_model,
        **state,
    )


def debate_calls(calls: Sequence[Call]) -> list[Call]:
    """The answers that make up the debate. What a retry inherited and did not need again is not among them:
    the newest of a step counts."""
    answered = [call for call in calls if call.step.startswith(DEBATE_STEPS) and call.text is not None]
    newest = {call.step: call for call in sorted(answered, key=lambda call: call.ended_ms)}
    return [newest[step] for step in sorted(newest)]


def _sum(values: Sequence[Any]) -> Any:
    """Null if one of them is not known."""
    return None if any(value is None for value in values) else sum(values)
