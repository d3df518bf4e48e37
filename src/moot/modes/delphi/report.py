"""How a panel's rounds read: a figure, a line, a table, the sentence that says what came out.

| Round | Median | Middle half  | … |
|-------|--------|--------------|---|
| 1     | 42     | 37.5 to 55.5 | … |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Degraded, Maybe, Row, Wire
from moot.modes.delphi.answers import OTHER, answer_key
from moot.modes.delphi.convergence import NumericStats, QualitativeStats, Stats, interval95, percent
from moot.modes.delphi.panel import Estimate, Exercise, RoundData, StopReason


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


IN_WORDS: Mapping[StopReason, str] = {
    "converged": "the panel agreed",
    "stable": "nobody changed an answer any more",
    "max_rounds": "the last round was held",
    "attrition": "too few participants still answered; the round before that counts",
    "deadline": "the time was used up",
}

REPORT_PROMPT = """\
You facilitated a Delphi exercise: {rounds} round(s), {n} participants, ended because {reason}.
QUESTION
{question}
The figures below are final. Quote them; never compute, and never invent what a participant may have thought.
{table}
Result: {line}
Write Markdown with exactly these headings:
## Delphi Consensus Report
### Final Consensus
### Convergence Analysis
### Confidence Trajectory
### Outlier Analysis
### Reliability Assessment
If the panel did not converge, say so in the first sentence and describe the camps instead of a consensus."""

SERVER_REPORT = """\
## Delphi Consensus Report

{line}

{table}

The exercise ended because {reason}."""


class Participant(Wire):
    participant_index: int
    model: str


class Synthesis(Degraded):
    """`facilitator_model` null: the report is the server's."""

    facilitator_model: str | None
    report: str
    result_line: str
    total_rounds: int
    converged: bool
    convergence_round: int | None
    stop_reason: StopReason
    final_value: float | str
    interval: Maybe[tuple[float, float]] = None
    ci95: Maybe[tuple[float, float]] = None
    participants: list[Participant]
    response_time_ms: int


def told(exercise: Exercise, stop: StopReason) -> dict[str, str]:
    """What the facilitator is told of the exercise."""
    counted = exercise.counted(stop)
    assert counted.stats is not None  # only a round with statistics is counted
    return {
        "rounds": str(len(exercise.rounds)),
        "n": str(len(counted.estimates)),
        "reason": IN_WORDS[stop],
        "table": trajectory(exercise.rounds),
        "line": result_line(counted.stats, exercise.asked.unit, counted.round, stop == "converged"),
    }


def synthesis(exercise: Exercise, stop: StopReason, reply: Answer | None, notice: Degraded) -> Synthesis:
    """The outcome, with the facilitator's report or our own."""
    counted, facts = exercise.counted(stop), told(exercise, stop)
    stats = counted.stats
    assert stats is not None  # only a round with statistics is counted
    numbers = stats if isinstance(stats, NumericStats) else None
    values = [one.estimate for one in counted.estimates if one.estimate is not None]
    return Synthesis(
        facilitator_model=reply.model if reply else None,
        report=reply.response if reply else SERVER_REPORT.format(**facts),
        result_line=facts["line"],
        total_rounds=len(exercise.rounds),
        converged=stop == "converged",
        convergence_round=counted.round if stop == "converged" else None,
        stop_reason=stop,
        final_value=stats.median if isinstance(stats, NumericStats) else stats.mode,
        interval=(numbers.q1, numbers.q3) if numbers else None,
        ci95=interval95(values, numbers.dispersion_kind) if numbers else None,
        participants=[
            Participant(participant_index=seat, model=model) for seat, model in exercise.participants.items()
        ],
        response_time_ms=reply.response_time_ms if reply else 0,
        degraded=notice.degraded,
        warnings=notice.warnings,
    )


def round_rows(held: RoundData) -> Iterator[Row]:
    """The stored rows of a round: who said what, the codebook, the statistics."""
    step, order = f"round_{held.round}", 2 * held.round - 1
    kind = "numeric" if any(one.estimate is not None for one in held.estimates) else "qualitative"
    for one in held.estimates:
        parsed = one.model_dump(exclude={"raw_text", "response_time_ms"})
        yield Row(
            step,
            order,
            one.raw_text,
            one.participant_index,
            one.model,
            "panelist",
            {"round": held.round, "type": kind, **parsed},
            one.response_time_ms,
        )
    for gone in held.failed:
        parsed = {"round": held.round, "type": kind, "participantIndex": gone.participant_index}
        parsed |= {"error": gone.reason} | ({"parseFailed": True} if gone.parse_failed else {})
        yield Row(step, order, gone.raw_text, gone.participant_index, gone.stored_model, "panelist", parsed)
    if held.codebook is not None:
        book = held.codebook
        parsed = book.model_dump(include={"options", "assignment"})
        yield Row("codebook", 1, book.raw_text, model=book.model, role="facilitator", parsed_data=parsed)
    if held.stats is not None:
        parsed = {"round": held.round, "type": "stats", "statistics": held.stats.model_dump()}
        parsed["converged"] = held.converged
        line = summary_line(held.round, held.stats)
        yield Row(f"{step}_stats", order + 1, line, role="stats", parsed_data=parsed)


def positions(rounds: Sequence[RoundData], made: Synthesis) -> Iterator[SeatResult]:
    """Who holds in the end what the panel holds; where as many hold something else, nobody does."""
    counted = rounds[-2 if made.stop_reason == "attrition" else -1]
    stats, models = counted.stats, {one.participant_index: one.model for one in made.participants}
    for held in counted.estimates:
        if isinstance(stats, NumericStats) and held.estimate is not None:
            agrees = stats.q1 <= held.estimate <= stats.q3
        elif isinstance(stats, QualitativeStats) and held.answer is not None and not stats.mode_tied:
            agrees = answer_key(held.answer) == answer_key(stats.mode)
        else:
            continue
        seat = held.participant_index
        yield SeatResult(seat, models[seat], agreed=int(agrees), cases=1)
