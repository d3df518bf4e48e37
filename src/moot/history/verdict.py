"""The verdict: what came of a run in one small schema, the same for all modes, for agents and pipelines.

{"outcome": "APPROVE", "passed": true, "agreement": 0.67, "dissent": [{"seat": 3, "position": "REVISE"}], …}
"""

from __future__ import annotations

from typing import Any

from moot.history.notices import notices
from moot.history.views import Deliberation, Totals, parsed
from moot.kernel.judgement import Dissent, Findings, Judgement
from moot.kernel.seat_results import SeatResult
from moot.kernel.status import Status
from moot.kernel.values import Maybe, Wire


class Winner(Wire):
    seat: int
    model: str


class Verdict(Wire):
    """`outcome` is what the mode came to in a word or two, `answer` in full. `passed` is null where the mode
    judges nothing or the panel could not tell. `agreement`: the share of readable votes, verdicts and
    rankings that agree with the outcome; null where there are none. `cost` leaves out calls
    nobody has a price for."""

    run_id: str
    mode: str
    status: Status
    outcome: str | None
    passed: bool | None
    winner: Winner | None
    answer: str | None
    json_answer: Maybe[Any]
    agreement: float | None
    dissent: list[Dissent]
    findings: Findings | None
    degraded: bool
    notices: list[str]
    simulated: bool
    calls: int
    cost: float | None

    @classmethod
    def of(cls, deliberation: Deliberation) -> Verdict:
        record, mode = deliberation.record, deliberation.mode
        results = list(mode.seat_results.read(deliberation.story)) if mode.seat_results else []
        judgement = mode.judgement(deliberation.story) if mode.judgement else Judgement()
        totals = Totals.of([call for call in deliberation.calls if not call.inherited])
        winner = next((Winner(seat=one.seat, model=one.model) for one in results if one.won), None)
        is_whole = record.status in ("complete", "degraded")
        return cls(
            run_id=record.id,
            mode=record.mode,
            status=record.status,
            outcome=judgement.outcome or (winner.model if winner else None),
            passed=judgement.passed if is_whole else None,
            winner=winner,
            answer=deliberation.answer,
            json_answer=parsed(deliberation.json_answer),
            agreement=_agreement(results),
            dissent=list(judgement.dissent) or _dissent(results),
            findings=judgement.findings,
            degraded=record.status == "degraded",
            notices=notices(deliberation),
            simulated=deliberation.simulated,
            calls=totals.calls,
            cost=totals.cost,
        )


def _agreement(results: list[SeatResult]) -> float | None:
    cases = sum(one.cases for one in results)
    return round(sum(one.agreed for one in results) / cases, 4) if cases else None


def _dissent(results: list[SeatResult]) -> list[Dissent]:
    """Seats of which the mode tells no more than that they did not agree."""
    return [
        Dissent(seat=one.seat, model=one.model, position=None, reason=None)
        for one in results
        if one.cases and one.agreed * 2 < one.cases
    ]
