"""A panel over several rounds: what each participant holds, what it is shown, and how the rounds read.

round 1   30  40  44  90        each sees its own answer and the statistics,
round 2   38  41  44  52        never another participant's words
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import Field

from moot.classification import Classification, Codebook
from moot.convergence import NumericStats, QualitativeStats, Stats, percent
from moot.estimates import OTHER, Confidence, answer_key
from moot.wire import FailureKind, Maybe, Wire

StopReason = Literal["converged", "stable", "max_rounds", "attrition", "deadline"]


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


@dataclass
class Exercise:
    """The exercise so far. `options` grow with a codebook; `others` are answers beside them."""

    participants: Mapping[int, str]
    asked: Classification
    options: list[str]
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

    @property
    def last_stats(self) -> Stats | None:
        return self.rounds[-1].stats if self.rounds else None

    def canonical(self, answer: str) -> str:
        """The same words for the same answer, whoever gives it."""
        if answer in self.options:
            return answer
        return self.others.setdefault(answer_key(answer), answer)


def counted_options(held: Sequence[Estimate], options: Sequence[str]) -> list[str]:
    """How many hold each option, as a panel is told: answers beside them are counted, not quoted."""
    total = len(held)
    told = []
    for option in options:
        count = sum(one.answer == option for one in held)
        told.append(f"{option} {count} of {total} ({percent(count, total)} %)")
    rest = sum(one.answer not in options for one in held)
    return [*told, f"{OTHER} {rest} of {total} ({percent(rest, total)} %)"] if rest else told


def figure(number: float | None) -> str:
    """A number as people read it: 42.5, 1200000, 4.2e+18."""
    if number is None:
        return "not defined"
    if number and not 1e-4 <= abs(number) < 1e15:
        return f"{number:.6g}"
    return f"{number:.4f}".rstrip("0").rstrip(".")


def summary_line(number: int, stats: Stats) -> str:
    if isinstance(stats, NumericStats):
        return (
            f"Round {number}: median {figure(stats.median)}, middle half {figure(stats.q1)} to "
            f"{figure(stats.q3)}, relative spread {figure(stats.cv)}"
        )
    tied = ", tied" if stats.mode_tied else ""
    return f"Round {number}: {stats.mode}, {stats.agreement_percentage} % agree{tied}"


def trajectory(rounds: Sequence[RoundData]) -> str:
    """The statistics of all rounds, as a table."""
    counted = [(one.round, one.stats) for one in rounds if one.stats is not None]
    if any(isinstance(stats, NumericStats) for _, stats in counted):
        head = ["Round", "Median", "Middle half", "Lowest", "Highest", "Mean", "Standard deviation"]
        head += ["Relative spread", "Confidence low/medium/high", "Changed", "Far outside"]
    else:
        head = ["Round", "Answers", "Agreement", "Entropy", "Confidence low/medium/high", "Changed"]
    table = [head, ["---"] * len(head), *(_cells(number, stats) for number, stats in counted)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table)


def _cells(number: int, stats: Stats) -> list[str]:
    counts = stats.confidence_counts
    sure = f"{counts.low}/{counts.medium}/{counts.high}"
    if isinstance(stats, NumericStats):
        middle = f"{figure(stats.q1)} to {figure(stats.q3)}"
        figures = (stats.min, stats.max, stats.mean, stats.std_dev, stats.cv)
        ends = [sure, str(stats.changed_count), str(len(stats.outliers))]
        return [str(number), figure(stats.median), middle, *map(figure, figures), *ends]
    answers = ", ".join(f"{share.answer.replace('|', '/')} {share.count}" for share in stats.distribution)
    agreement = f"{stats.agreement_percentage} %"
    return [str(number), answers, agreement, figure(stats.entropy), sure, str(stats.changed_count)]


def result_line(stats: Stats, unit: str | None, rounds: int, converged: bool) -> str:
    """What came out, in one sentence."""
    if isinstance(stats, NumericStats):
        value = f"{figure(stats.median)}{f' {unit}' if unit else ''}"
        middle = f"the middle half lies between {figure(stats.q1)} and {figure(stats.q3)}"
        if converged:
            return f"The panel agreed in round {rounds}: {value}; {middle}."
        return f"The panel did not agree: the median after {rounds} round(s) is {value}; {middle}."
    camps = ", ".join(f"{share.answer} ({share.count})" for share in stats.distribution)
    if converged:
        agreed = f"{stats.agreement_percentage} % of the panel"
        return f"The panel agreed in round {rounds}: {stats.mode} ({agreed})."
    return f"The panel did not agree after {rounds} round(s): {camps}."


T = TypeVar("T", NumericStats, QualitativeStats)


def stats_of(stats: Stats | None, kind: type[T]) -> T | None:
    return stats if isinstance(stats, kind) else None
