"""An anonymous panel over several rounds: what each participant holds, and when the rounds end.

round 1   30  40  44  90        an answer that is missing later on: the last one is carried forward;
round 2   38  41  44  52        one that is missing at first: the participant leaves
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from moot.deliberation.parsing import Shown, marker
from moot.kernel.values import Answer, Failure
from moot.modes.delphi.answers import (
    Confidence,
    Figure,
    answer_key,
    read_answer,
    read_confidence,
    read_estimate,
    read_reasoning,
    rotate,
    short_answer,
)
from moot.modes.delphi.classification import Classification, Codebook
from moot.modes.delphi.config import FEWEST_PANELISTS
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
from moot.modes.delphi.events import DelphiRound, Departure, Estimate
from moot.modes.delphi.report import StopReason, result_line, trajectory


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a participant says in a round: `figure` or `answer` is set."""

    figure: Figure | None
    answer: str | None
    confidence: Confidence | None
    reasoning: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of asking one participant; `opinion` is None if there is none that can be read."""

    seat: int
    model: str
    opinion: Opinion | None
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
        return True if self.reply and self.opinion is None else None


@dataclass
class Exercise:
    """The exercise so far. `options` come from a codebook where there were none; `others` are the
    answers beside them, each in the words of who gave it first. `anchor` is the year in which it is held,
    from which the spread of dates is measured."""

    participants: Mapping[int, str]
    classification: Classification
    options: list[str]
    anchor: int
    most_rounds: int
    numeric_below: float
    percent_from: float
    rounds: list[DelphiRound] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)

    @property
    def is_numeric(self) -> bool:
        return self.classification.type == "numeric"

    @property
    def is_open(self) -> bool:
        """Whether the panel must find its own words."""
        return not self.is_numeric and not self.options

    def last_of(self, seat: int) -> Estimate | None:
        estimates = self.rounds[-1].estimates if self.rounds else []
        return next((one for one in estimates if one.participant_index == seat), None)

    def next_round(self, turns: Sequence[Turn], codebook: Codebook | None = None) -> DelphiRound:
        """What the next round comes to, given the turns of all who were asked."""
        number = len(self.rounds) + 1
        options = {one.participant_index: one.option for one in codebook.assignment} if codebook else {}
        estimates = [
            estimate
            for turn in turns
            if (estimate := self._position(turn, options.get(turn.seat))) is not None
        ]
        stats = self._stats(estimates) if len(estimates) >= FEWEST_PANELISTS else None
        counts = stats is not None and not (number > 1 and 2 * fresh_count(estimates) < len(estimates))
        return DelphiRound(
            round=number,
            estimates=estimates,
            failed=[_departure(turn) for turn in turns if turn.opinion is None] if number == 1 else [],
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

    def final_round(self, stop: StopReason) -> DelphiRound:
        """The round whose figures are the result: one that lost too many does not count."""
        return self.rounds[-2] if stop == "attrition" else self.rounds[-1]

    def trajectory(self, *, original: bool = False) -> str:
        """The statistics of all rounds, as a table."""
        stats = {one.round: one.stats for one in self.rounds if one.stats is not None}
        return trajectory(stats, original=original)

    def result_line(self, stop: StopReason, *, original: bool = False) -> str:
        """What came out, in one sentence."""
        final = self.final_round(stop)
        assert final.stats is not None  # only a round with statistics is counted
        converged = stop == "converged"
        return result_line(final.stats, self.classification.unit, final.round, converged, original=original)

    def _agrees(self, stats: Stats) -> bool:
        return has_converged(stats, numeric_below=self.numeric_below, percent_from=self.percent_from)

    def _stats(self, estimates: Sequence[Estimate]) -> Stats:
        before = self.rounds[-1].stats if self.rounds else None
        if self.is_numeric:
            shown = before.median if isinstance(before, NumericStats) else None
            return numeric_stats(
                estimates,
                self.classification.scale or "RATIO",
                self.classification.bounds,
                self.anchor,
                shown,
            )
        mode = before.mode if isinstance(before, QualitativeStats) else None
        return qualitative_stats(estimates, self.options, mode)

    def _position(self, turn: Turn, option: str | None) -> Estimate | None:
        """What the participant holds now: its new answer, or the last one if there is none."""
        before = self.last_of(turn.seat)
        if turn.opinion is None or turn.reply is None:
            return _carry_forward(before, turn) if before else None
        opinion = turn.opinion
        answer = self._canonical(option or opinion.answer) if opinion.answer is not None else None
        number = opinion.figure.value if opinion.figure else None
        return Estimate(
            participant_index=turn.seat,
            model=turn.model,
            estimate=number,
            answer=answer,
            confidence=opinion.confidence or "MEDIUM",
            confidence_parsed=opinion.confidence is not None,
            changed=before is not None and _differs(before, number, answer),
            carried_forward=False,
            previous_estimate=before.estimate if before else None,
            previous_answer=before.answer if before else None,
            reasoning=opinion.reasoning,
            range_given=True if opinion.figure and opinion.figure.is_range else None,
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


def _carry_forward(before: Estimate, turn: Turn) -> Estimate:
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


def _departure(turn: Turn) -> Departure:
    return Departure(
        participant_index=turn.seat,
        kind=turn.failure.kind if turn.failure else "other",
        reason=turn.unnamed_reason,
        parse_failed=turn.parse_failed,
        raw_text=turn.raw_text,
        stored_model=turn.model,
    )


def read_opinion(reply: str, exercise: Exercise, seat: int, shown: Shown) -> Opinion | None:
    """None if there is no answer that can be read."""
    answer: str | None = None
    figure: Figure | None = None
    if exercise.is_numeric:
        figure = read_estimate(reply, exercise.classification.unit, exercise.classification.bounds, shown)
    elif exercise.is_open:
        line = marker(reply, "ANSWER", shown=shown)
        answer = short_answer(line.raw) if line else None
    else:
        answer = read_answer(reply, rotate(exercise.options, seat), shown)
    if figure is None and not answer:
        return None
    return Opinion(figure, answer, read_confidence(reply, shown), read_reasoning(reply))
