"""An anonymous panel over several rounds: what each participant holds, and when the rounds end.

round 1   30  40  44  90        an answer that is missing later on: the last one is carried forward;
round 2   38  41  44  52        one that is missing at first: the participant leaves
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from moot.kernel.values import Answer, Failure, FailureKind, Maybe, Wire
from moot.modes.delphi.answers import Confidence, Figure, answer_key
from moot.modes.delphi.classification import Classification, Codebook
from moot.modes.delphi.convergence import (
    NumericStats,
    QualitativeStats,
    Stats,
    fresh_count,
    has_converged,
    is_change,
    numeric_stats,
    qualitative_stats,
)

StopReason = Literal["converged", "stable", "max_rounds", "attrition", "deadline"]
FEWEST = 3
"""Participants without whom there is no panel."""


class Estimate(Wire):
    """What a participant holds after a round. Which model it is, only the stored row knows."""

    participant_index: int
    model: str | None = Field(default=None, exclude=True)
    estimate: Maybe[float] = None
    answer: Maybe[str] = None
    confidence: Confidence
    confidence_parsed: bool
    changed: bool
    carried_forward: bool
    previous_estimate: Maybe[float] = None
    previous_answer: Maybe[str] = None
    reasoning: str | None
    range_given: Maybe[bool] = None
    parse_failed: Maybe[bool] = None
    error: Maybe[str] = None
    raw_text: str
    response_time_ms: int | None


class Departed(Wire):
    """A participant without a readable answer in round 1: it leaves the exercise."""

    participant_index: int
    model: None = None
    kind: FailureKind
    reason: str
    parse_failed: Maybe[bool] = None
    raw_text: str
    stored_model: str | None = Field(default=None, exclude=True)


class RoundData(Wire):
    """`stats` null: too few answered for any."""

    round: int
    estimates: list[Estimate]
    failed: list[Departed]
    codebook: Maybe[Codebook] = None
    stats: NumericStats | QualitativeStats | None
    converged: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A reply as it was read: `figure` or `answer` is set."""

    figure: Figure | None
    answer: str | None
    confidence: Confidence | None
    reasoning: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of asking one participant; `said` is None if there is nothing to read."""

    seat: int
    model: str
    said: Said | None
    reply: Answer | None
    failure: Failure | None = None

    @property
    def unnamed_reason(self) -> str:
        """Why the answer is missing, without the model's name."""
        reason = self.failure.reason if self.failure else ""
        return reason.replace(self.model, f"Participant {self.seat}")

    @property
    def raw_text(self) -> str:
        return self.reply.response if self.reply else ""

    @property
    def parse_failed(self) -> bool | None:
        return True if self.reply and self.said is None else None


@dataclass
class Exercise:
    """The exercise so far. `options` come from a codebook where there were none; `others` are the
    answers beside them, each in the words of who gave it first. `anchor` is the year it was held."""

    participants: Mapping[int, str]
    asked: Classification
    options: list[str]
    anchor: int
    most_rounds: int
    numeric_below: float
    percent_from: float
    rounds: list[RoundData] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)

    @property
    def numeric(self) -> bool:
        return self.asked.type == "numeric"

    @property
    def open(self) -> bool:
        """Whether the panel must find its own words."""
        return not self.numeric and not self.options

    def last_of(self, seat: int) -> Estimate | None:
        held = self.rounds[-1].estimates if self.rounds else []
        return next((one for one in held if one.participant_index == seat), None)

    def next_round(self, turns: Sequence[Turn], codebook: Codebook | None = None) -> RoundData:
        """What the next round comes to, given the turns of all who were asked."""
        number = len(self.rounds) + 1
        named = {one.participant_index: one.option for one in codebook.assignment} if codebook else {}
        held = [
            estimate for turn in turns if (estimate := self._held(turn, named.get(turn.seat))) is not None
        ]
        stats = self._stats(held) if len(held) >= FEWEST else None
        counts = stats is not None and not (number > 1 and 2 * fresh_count(held) < len(held))
        return RoundData(
            round=number,
            estimates=held,
            failed=[_departed(turn) for turn in turns if turn.said is None] if number == 1 else [],
            codebook=codebook,
            stats=stats,
            converged=counts and stats is not None and self._agrees(stats),
        )

    def reason_to_stop(self) -> StopReason | None:
        last, number = self.rounds[-1], len(self.rounds)
        if number > 1 and 2 * fresh_count(last.estimates) < len(last.estimates):
            return "attrition"
        if last.converged:
            return "converged"
        if number > 1 and not any(one.changed for one in last.estimates):
            return "stable"
        return "max_rounds" if number >= self.most_rounds else None

    def counted(self, stop: StopReason) -> RoundData:
        """The round whose figures are the result: one that lost too many does not count."""
        return self.rounds[-2] if stop == "attrition" else self.rounds[-1]

    def _agrees(self, stats: Stats) -> bool:
        return has_converged(stats, numeric_below=self.numeric_below, percent_from=self.percent_from)

    def _stats(self, held: Sequence[Estimate]) -> Stats:
        before = self.rounds[-1].stats if self.rounds else None
        if self.numeric:
            shown = before.median if isinstance(before, NumericStats) else None
            return numeric_stats(held, self.asked.scale or "RATIO", self.asked.bounds, self.anchor, shown)
        mode = before.mode if isinstance(before, QualitativeStats) else None
        return qualitative_stats(held, self.options, mode)

    def _held(self, turn: Turn, coded: str | None) -> Estimate | None:
        """What the participant holds now: its new answer, or the last one if there is none."""
        before = self.last_of(turn.seat)
        if turn.said is None or turn.reply is None:
            return _carried(before, turn) if before else None
        said = turn.said
        answer = self._canonical(coded or said.answer) if said.answer is not None else None
        number = said.figure.value if said.figure else None
        return Estimate(
            participant_index=turn.seat,
            model=turn.model,
            estimate=number,
            answer=answer,
            confidence=said.confidence or "MEDIUM",
            confidence_parsed=said.confidence is not None,
            changed=before is not None and _differs(before, number, answer),
            carried_forward=False,
            previous_estimate=before.estimate if before else None,
            previous_answer=before.answer if before else None,
            reasoning=said.reasoning,
            range_given=True if said.figure and said.figure.is_range else None,
            raw_text=turn.reply.response,
            response_time_ms=turn.reply.response_time_ms,
        )

    def _canonical(self, answer: str) -> str:
        """The same words for the same answer, whoever gives it."""
        return answer if answer in self.options else self.others.setdefault(answer_key(answer), answer)


def _differs(before: Estimate, number: float | None, answer: str | None) -> bool:
    if number is not None and before.estimate is not None:
        return is_change(before.estimate, number)
    return before.answer != answer


def _carried(before: Estimate, turn: Turn) -> Estimate:
    return before.model_copy(
        update={
            "changed": False,
            "carried_forward": True,
            "previous_estimate": before.estimate,
            "previous_answer": before.answer,
            "reasoning": None,
            "range_given": None,
            "parse_failed": turn.parse_failed,
            "error": turn.unnamed_reason,
            "raw_text": turn.raw_text,
            "response_time_ms": None,
        }
    )


def _departed(turn: Turn) -> Departed:
    return Departed(
        participant_index=turn.seat,
        kind=turn.failure.kind if turn.failure else "other",
        reason=turn.unnamed_reason,
        parse_failed=turn.parse_failed,
        raw_text=turn.raw_text,
        stored_model=turn.model,
    )
