"""What a delphi tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.delphi.classification import Classification, QuestionType
from moot.modes.delphi.convergence import NumericStats, QualitativeStats
from moot.modes.delphi.panel import Estimate, RoundData, StopReason
from moot.modes.delphi.report import Participant, Synthesis, positions, round_rows


class RoundOf(Wire):
    round: int


class Reached(RoundOf):
    stats: NumericStats | QualitativeStats | None


class Ended(Reached):
    reason: StopReason


class RoundResult(Wire):
    round_number: int
    estimates: list[Estimate]
    stats: NumericStats | QualitativeStats | None
    converged: bool


class DelphiResult(Wire):
    classification: Maybe[Classification]
    rounds: list[RoundResult]
    converged: Maybe[bool]
    convergence_round: int | None
    stop_reason: Maybe[StopReason]
    final_value: Maybe[float | str]
    interval: Maybe[tuple[float, float]]
    ci95: Maybe[tuple[float, float]]
    participants: Maybe[list[Participant]]
    report: Maybe[str]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


class DelphiStart(Opening):
    type = "delphi_start"
    question_type: QuestionType | None


class ClassifyStart(Event):
    type = "classify_start"


class ClassifyComplete(Event):
    type = "classify_complete"
    data: Classification


class RoundStart(Event):
    type = "round_start"
    data: RoundOf


class RoundComplete(Event):
    type = "round_complete"
    data: RoundData


class ConvergenceReached(Event):
    type = "convergence_reached"
    data: Reached


class MaxRoundsReached(Event):
    type = "max_rounds_reached"
    data: Ended


class SynthesisStart(Event):
    type = "synthesis_start"


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: Synthesis


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case ClassifyComplete(data=asked):
            parsed = asked.model_dump(exclude={"model", "raw_text", "response_time_ms"})
            yield Row(
                "classify",
                0,
                asked.raw_text,
                None,
                asked.model,
                "facilitator",
                parsed,
                asked.response_time_ms,
            )
        case RoundComplete(data=held):
            yield from round_rows(held)
        case SynthesisComplete(data=made):
            kept = {"total_rounds", "converged", "convergence_round", "stop_reason", "final_value"}
            parsed = made.model_dump(include={*kept, "interval", "ci95", "participants"})
            model, taken = made.facilitator_model, made.response_time_ms
            yield Row("synthesis", 99, made.report, None, model, "facilitator", parsed, taken)


def result(events: Sequence[Event]) -> DelphiResult:
    asked, made, title = (
        last(events, ClassifyComplete),
        last(events, SynthesisComplete),
        last(events, TitleComplete),
    )
    return DelphiResult(
        classification=asked.data if asked else None,
        rounds=[
            RoundResult(
                round_number=event.data.round,
                estimates=event.data.estimates,
                stats=event.data.stats,
                converged=event.data.converged,
            )
            for event in every(events, RoundComplete)
        ],
        title=title.data.title if title else None,
        **{name: getattr(made.data, name) if made else None for name in _REPORTED},
    )


_REPORTED = DelphiResult.model_fields.keys() - {"classification", "rounds", "title"}


def answer(events: Sequence[Event]) -> str | None:
    made = last(events, SynthesisComplete)
    return f"**{made.data.result_line}**\n\n{made.data.report}" if made else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    made = last(events, SynthesisComplete)
    return positions([event.data for event in every(events, RoundComplete)], made.data) if made else ()
