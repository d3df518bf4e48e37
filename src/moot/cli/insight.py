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
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How many, today the last.")] = 30,
    mode: Annotated[str | None, typer.Option("--mode", help="Only deliberations in this mode.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Only this model's calls, and deliberations with it.")
    ] = None,
    simulated: Annotated[
        bool | None,
        typer.Option("--simulated/--real", help="Only calls to simulated models, or only to real ones."),
    ] = None,
    timezone: Annotated[
        str, typer.Option("--timezone", help="Where a day begins, as in Europe/Berlin.")
    ] = "UTC",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, as the API gives it.")] = False,
) -> None:
    """Say what was spent by day, model and mode, how models fare, and where the time goes."""

    async def work() -> int:
        from moot.insights.figures import Period, read_insight

        period = Period(days=days, timezone=timezone, mode=mode, model=model, simulated=simulated)
        async with open_reader(load_settings()) as engine:
            found = await read_insight(engine, LOCAL_USER, period)
        if json:
            plain.say_json(found.model_dump_json().encode())
        else:
            _print(found)
        return 0

    perform(work())


def _print(found: Insight) -> None:
    from moot.cli.listing import print_table

    spent, held = found.totals, found.totals.deliberations
    dates = f"{found.first_day} to {found.last_day} ({found.timezone})"
    if held.total == 0:
        plain.say(f"{dates}: nothing was asked.")
        return
    states = [f"{count} {state}" for state, count in held if state != "total" and count]
    plain.say(
        f"{dates}: {held.total} deliberations ({', '.join(states)}), "
        f"{spent.calls} calls, {_tokens(spent)} tokens, {_dollars(spent)}.\n"
    )
    print_table(
        ("model", "cost", "calls", "failed", "won", "agreed", "first word", "response", "tokens"),
        map(_model, found.by_model),
        "No model was asked.",
    )
    plain.say("")
    modes = [line for one in found.by_mode for line in _mode(one)]
    print_table(("mode and stage", "cost", "deliberations", "calls", "took", "tokens"), modes, "")
    plain.say("")
    days = [
        (one.day, _dollars(one), str(one.deliberations.total), str(one.calls), _tokens(one))
        for one in found.by_day
        if one.deliberations.total
    ]
    print_table(("day", "cost", "deliberations", "calls", "tokens"), days, "")
    plain.say(
        "\nTimes are the median and the 90th percentile; "
        f"a share is given from {found.fewest_cases} cases on."
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
    held = str(one.deliberations.total)
    whole = (one.mode, _dollars(one), held, str(one.calls), _took(one.took), _tokens(one))
    return [whole, *((f"· {stage.stage}", "", "", "", _took(stage), "") for stage in one.stages)]


def _rate(rate: Rate) -> str:
    if not rate.cases:
        return "–"
    counted = f"{rate.count} of {rate.cases}"
    return counted if rate.rate is None else f"{counted}, {rate.rate:.0%}"


def _took(times: Times) -> str:
    if times.median_ms is None or times.p90_ms is None:
        return "–"
    return f"{times.median_ms / 1000:.1f} s, {times.p90_ms / 1000:.1f} s"


def _tokens(spent: Spending) -> str:
    known = [count for count in (spent.prompt_tokens, spent.completion_tokens) if count is not None]
    return f"{sum(known):,}" if known else "–"


def _dollars(spent: Spending) -> str:
    if spent.cost is None:
        return "no price known" if spent.calls else "–"
    cost = f"${spent.cost:,.4f}" if spent.cost else "$0"
    return f"{cost}, {spent.unpriced} unpriced" if spent.unpriced else cost
