"""moot insight: what deliberations cost, how models fare, where the time goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.session import load_settings, perform
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.insights.figures import Insight, ModeInsight, ModelInsight, Rate, Spending, Times


def insight(
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="Number of days, ending today.")] = 30,
    mode: Annotated[str | None, typer.Option("--mode", help="Only runs in this mode.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only this model's calls and runs.")] = None,
    simulated: Annotated[
        bool | None,
        typer.Option("--simulated/--real", help="Only simulated models, or only real ones."),
    ] = None,
    timezone: Annotated[
        str, typer.Option("--timezone", help="Time zone for days, such as Europe/Berlin.")
    ] = "UTC",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, as the API returns it.")
    ] = False,
) -> None:
    """Show what runs cost, how models perform and where time goes."""

    async def work() -> int:
        from moot.insights.figures import Period, read_insight

        period = Period(days=days, timezone=timezone, mode=mode, model=model, simulated=simulated)
        async with open_reader(load_settings()) as engine:
            figures = await read_insight(engine, LOCAL_USER, period)
        if json:
            plain.write_json(figures.model_dump_json().encode())
        else:
            _print(figures)
        return 0

    perform(work())


def _print(figures: Insight) -> None:
    from moot.cli.listing import print_table
    from moot.kernel.narration import count

    spending, deliberations = figures.totals, figures.totals.deliberations
    dates = f"{figures.first_day} to {figures.last_day} ({figures.timezone})"
    if deliberations.total == 0:
        plain.write(f"{dates}: no questions.")
        return
    states = [f"{number} {state}" for state, number in deliberations if state != "total" and number]
    plain.write(
        f"{dates}: {count(deliberations.total, 'run')} ({', '.join(states)}), "
        f"{count(spending.calls, 'call')}, {_tokens(spending)} tokens, {_dollars(spending)}.\n"
    )
    print_table(
        ("model", "cost", "calls", "failed", "won", "agreed", "first word", "response", "tokens"),
        map(_model, figures.by_model),
        "No model was asked.",
    )
    plain.write("")
    modes = [line for one in figures.by_mode for line in _mode(one)]
    print_table(("mode and stage", "cost", "runs", "calls", "took", "tokens"), modes, "")
    plain.write("")
    days = [
        (one.day, _dollars(one), str(one.deliberations.total), str(one.calls), _tokens(one))
        for one in figures.by_day
        if one.deliberations.total
    ]
    print_table(("day", "cost", "runs", "calls", "tokens"), days, "")
    plain.write(
        f"\nTimes are the median and the 90th percentile; shares need at least {figures.fewest_cases} cases."
    )


def _model(one: ModelInsight) -> tuple[str, ...]:
    return (
        f"{one.model} (simulated)" if one.simulated else one.model,
        _dollars(one),
        str(one.calls),
        _rate(one.failure),
        _rate(one.wins),
        _rate(one.agreement),
        _took(one.first_token),
        _took(one.response),
        _tokens(one),
    )


def _mode(one: ModeInsight) -> list[tuple[str, ...]]:
    """A line for the mode and one for each of its stages."""
    deliberations = str(one.deliberations.total)
    mode_row = (one.mode, _dollars(one), deliberations, str(one.calls), _took(one.took), _tokens(one))
    return [
        mode_row,
        *((f"· {_stage(one, stage.stage)}", "", "", "", _took(stage), "") for stage in one.stages),
    ]


def _stage(one: ModeInsight, stage: str) -> str:
    """What the page calls it too."""
    from moot.modes import MODES

    narration = MODES[one.mode].narration if one.mode in MODES else None
    return (narration.stages.get(stage) if narration else None) or stage.replace("_", " ")


def _rate(rate: Rate) -> str:
    if not rate.cases:
        return "–"
    share = f"{rate.count} of {rate.cases}"
    return share if rate.rate is None else f"{share}, {rate.rate:.0%}"


def _took(times: Times) -> str:
    if times.median_ms is None or times.p90_ms is None:
        return "–"
    return f"{times.median_ms / 1000:.1f} s, {times.p90_ms / 1000:.1f} s"


def _tokens(spending: Spending) -> str:
    counts = [count for count in (spending.prompt_tokens, spending.completion_tokens) if count is not None]
    return f"{sum(counts):,}" if counts else "–"


def _dollars(spending: Spending) -> str:
    if spending.cost is None:
        return "no price known" if spending.calls else "–"
    cost = f"${spending.cost:,.4f}" if spending.cost else "$0"
    return f"{cost}, {spending.unpriced} unpriced" if spending.unpriced else cost
