"""moot limits: what you may do and spend, and what is left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import load_settings, perform
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.limits.allotment import Allotment, LimitChange, LimitView

NAMES = {
    "requestsPerMinute": "questions per minute",
    "requestsPerHour": "questions per hour",
    "requestsPerDay": "questions per day",
    "runsAtOnce": "runs at once",
    "dollarsPerDay": "dollars per day",
    "dollarsPerMonth": "dollars per month",
}
PersonOption = Annotated[
    str,
    typer.Option("--person", help="Whose limits; on your own machine, yours by default.", show_default="you"),
]
CountOption = Annotated[str | None, typer.Option(metavar="NUMBER|none")]

app = typer.Typer(
    help="Show or set limits on questions and spending.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def limits(context: typer.Context, person: PersonOption = LOCAL_USER, json: JsonOption = False) -> None:
    """Show each limit and how much of it is used."""
    if context.invoked_subcommand is None:
        perform(_show(person, json))


@app.command("set")
def set_limits(
    person: Annotated[str, typer.Argument(metavar="PERSON", help="`local` is you on this machine.")],
    preset: Annotated[
        str | None,
        typer.Option("--preset", help="Start from `strict`, or from `default`, the server's limits."),
    ] = None,
    requests_per_minute: CountOption = None,
    requests_per_hour: CountOption = None,
    requests_per_day: CountOption = None,
    runs_at_once: CountOption = None,
    dollars_per_day: CountOption = None,
    dollars_per_month: CountOption = None,
    json: JsonOption = False,
) -> None:
    """Set a person's limits; `none` removes one. Limits you leave out stay."""
    given = {
        "requestsPerMinute": requests_per_minute,
        "requestsPerHour": requests_per_hour,
        "requestsPerDay": requests_per_day,
        "runsAtOnce": runs_at_once,
        "dollarsPerDay": dollars_per_day,
        "dollarsPerMonth": dollars_per_month,
    }
    perform(_set(person, preset, {name: value for name, value in given.items() if value is not None}, json))


async def _show(person: str, json: bool) -> int:
    from moot.limits.allotment import read_allotment

    async with open_reader(load_settings()) as engine:
        _print(await read_allotment(engine, person), json)
    return 0


async def _set(person: str, preset: str | None, given: dict[str, str], json: bool) -> int:
    from moot.limits.allotment import change_limits

    change = _change(preset, given)
    async with open_reader(load_settings()) as engine:
        _print(await change_limits(engine, person, change), json)
    return 0


def _change(preset: str | None, given: dict[str, str]) -> LimitChange:
    from moot.kernel.errors import Rejected
    from moot.kernel.request import parse
    from moot.limits.allotment import LimitChange

    values: dict[str, float | int | str | None] = {} if preset is None else {"preset": preset}
    for name, text in given.items():
        try:
            number = None if text == "none" else float(text)
        except ValueError:
            raise Rejected(f"{text!r} is neither a number nor `none`") from None
        whole = number is not None and number.is_integer() and not name.startswith("dollars")
        values[name] = int(number) if whole and number is not None else number
    return parse(LimitChange, values)


def _print(allotment: Allotment, json: bool) -> None:
    from moot.cli.listing import print_table

    if json:
        plain.write_json(allotment.model_dump_json().encode())
        return
    rows = [(NAMES[one.name], *_figures(one)) for one in allotment.limits]
    print_table(("limit", "at most", "used", "left"), rows, "")


def _figures(one: LimitView) -> tuple[str, str, str]:
    def shown(number: float | None) -> str:
        if number is None:
            return "–"
        return f"${number:.2f}" if one.name.startswith("dollars") else f"{number:g}"

    return shown(one.limit), shown(one.used), shown(one.left)
