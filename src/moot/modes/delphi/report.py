"""How a panel's rounds read: a figure, a line, a table, the sentence that says what came out.

| Round | Median | Middle half  | … |
|-------|--------|--------------|---|
| 1     | 42     | 37.5 to 55.5 | … |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from moot.kernel.narration import count as counted
from moot.modes.delphi.answers import OTHER
from moot.modes.delphi.convergence import NumericStats, PanelAnswer, Stats, percent

StopReason = Literal["converged", "stable", "max_rounds", "attrition", "deadline"]


def option_counts(answers: Sequence[PanelAnswer], options: Sequence[str]) -> list[str]:
    """How many hold each option, as a panel is told: answers beside them are counted, not quoted."""
    total = len(answers)
    lines = []
    for option in options:
        count = sum(one.answer == option for one in answers)
        lines.append(f"{option} {count} of {total} ({percent(count, total)} %)")
    rest = sum(one.answer not in options for one in answers)
    return [*lines, f"{OTHER} {rest} of {total} ({percent(rest, total)} %)"] if rest else lines


def figure(number: float | None) -> str:
    """A number as people read it: 42.5, 1200000, 0.00015, 4.2e+18."""
    if number is None:
        return "not defined"
    if number and not 1e-4 <= abs(number) < 1e15:
        return f"{number:.6g}"
    return f"{number:.4g}" if abs(number) < 1 else f"{number:.4f}".rstrip("0").rstrip(".")


def own_figure(number: float) -> str:
    """A participant's own number in all its digits: who repeats it has not changed it."""
    return f"{number:.15g}"


def summary_line(number: int, stats: Stats) -> str:
    if isinstance(stats, NumericStats):
        return (
            f"Round {number}: median {figure(stats.median)}, middle half {figure(stats.q1)} to "
            f"{figure(stats.q3)}, relative spread {figure(stats.cv)}"
        )
    tied = ", tied" if stats.mode_tied else ""
    return f"Round {number}: {stats.mode}, {stats.agreement_percentage} % agree{tied}"


def trajectory(rounds: Mapping[int, Stats], *, original: bool = False) -> str:
    """The statistics of all rounds, by number, as a table. `original`: as it was first released."""
    if any(isinstance(stats, NumericStats) for stats in rounds.values()):
        head = ["Round", "Median", "Middle half", "Lowest", "Highest", "Mean", "Standard deviation"]
        head += ["Relative spread", "Confidence low/medium/high", "Changed", "Far outside"]
    else:
        head = ["Round", "Answers", "Agreement", "Entropy", "Confidence low/medium/high", "Changed"]
    lines = (_cells(number, stats, original) for number, stats in rounds.items())
    table = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table)


def _cells(number: int, stats: Stats, original: bool) -> list[str]:
    counts = stats.confidence_counts
    confidence = f"{counts.low}/{counts.medium}/{counts.high}"
    if isinstance(stats, NumericStats):
        middle = f"{figure(stats.q1)} to {figure(stats.q3)}"
        figures = (stats.min, stats.max, stats.mean, stats.std_dev, stats.cv)
        ends = [confidence, str(stats.changed_count), str(len(stats.outliers))]
        return [str(number), figure(stats.median), middle, *map(figure, figures), *ends]
    answers = ", ".join(f"{share.answer.replace('|', '/')} {share.count}" for share in stats.distribution)
    agreement = f"{stats.agreement_percentage}{_percent(original)}"
    return [str(number), answers, agreement, figure(stats.entropy), confidence, str(stats.changed_count)]


def _percent(original: bool) -> str:
    return " %" if original else "%"


def result_line(
    stats: Stats, unit: str | None, rounds: int, converged: bool, *, original: bool = False
) -> str:
    """What came out, in one sentence. `original`: as it was first released."""
    after = f"{rounds} round(s)" if original else counted(rounds, "round")
    if isinstance(stats, NumericStats):
        value = f"{figure(stats.median)}{f' {unit}' if unit else ''}"
        middle = f"the middle half lies between {figure(stats.q1)} and {figure(stats.q3)}"
        if converged:
            return f"The panel agreed in round {rounds}: {value}; {middle}."
        return f"The panel did not agree: the median after {after} is {value}; {middle}."
    camps = ", ".join(f"{share.answer} ({share.count})" for share in stats.distribution)
    if converged:
        share = f"{stats.agreement_percentage}{_percent(original)} of the panel"
        return f"The panel agreed in round {rounds}: {stats.mode} ({share})."
    return f"The panel did not agree after {after}: {camps}."


STOP_REASONS: Mapping[StopReason, str] = {
    "converged": "the panel agreed",
    "stable": "nobody changed an answer any more",
    "max_rounds": "the last round was held",
    "attrition": "too few participants still answered; the round before that counts",
    "deadline": "the time was used up",
}

SERVER_REPORT = """\
## Delphi Consensus Report

{line}

{table}

The exercise ended because {reason}."""
