"""moot webhooks: tell another program when runs end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import load_settings, perform
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

app = typer.Typer(
    help="Notify other programs when runs end: add, list, test and remove webhooks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
PersonOption = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME", help="Whose webhook; default: yours, on this machine."),
]
EveryoneOption = Annotated[
    bool, typer.Option("--everyone", help="For everyone's runs on this server, without the answers.")
]
IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Its id, or the beginning of one; see `moot webhooks list`.")
]


@app.command()
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where to send it.")],
    event: Annotated[
        list[str] | None,
        typer.Option("--event", help="complete, degraded, failed or cancelled; repeatable. Default: all."),
    ] = None,
    person: PersonOption = None,
    everyone: EveryoneOption = False,
) -> None:
    """Add a webhook and print the secret that signs it. It is not shown again."""

    async def work(engine: Engine, user: str | None) -> int:
        from moot.kernel.request import parse
        from moot.webhooks.webhooks import NewWebhook, add_webhook

        body = {"url": url, **({"events": event} if event else {})}
        made = await add_webhook(engine, user, parse(NewWebhook, body))
        plain.warn(f"Webhook {made.id[:8]} added. Its secret:")
        plain.write(made.secret)
        return 0

    _for(person, everyone, work)


@app.command("list")
def list_webhooks(
    person: PersonOption = None, everyone: EveryoneOption = False, json: JsonOption = False
) -> None:
    """List webhooks, without their secrets."""

    async def work(engine: Engine, user: str | None) -> int:
        from moot.cli.listing import print_json, print_table
        from moot.webhooks import webhooks

        found = await webhooks.list_webhooks(engine, user)
        if json:
            print_json(found)
        else:
            rows = [(one.id[:8], ", ".join(one.events), one.url) for one in found]
            print_table(("id", "events", "url"), rows, "No webhooks: see `moot webhooks add`.")
        return 0

    _for(person, everyone, work)


@app.command()
def remove(id: IdArgument, person: PersonOption = None, everyone: EveryoneOption = False) -> None:
    """Remove a webhook and its waiting deliveries."""

    async def work(engine: Engine, user: str | None) -> int:
        from moot.webhooks.webhooks import remove_webhook

        await remove_webhook(engine, user, await _whole_id(engine, user, id))
        return 0

    _for(person, everyone, work)


@app.command("test")
def try_webhook_out(id: IdArgument, person: PersonOption = None, everyone: EveryoneOption = False) -> None:
    """Send a test message (webhook.test). Exit code 1 if it was not accepted."""

    async def work(engine: Engine, user: str | None) -> int:
        from moot.webhooks.webhooks import try_webhook

        trial = await try_webhook(engine, user, await _whole_id(engine, user, id))
        plain.warn("Delivered." if trial.delivered else f"Not delivered. {trial.reason}")
        return 0 if trial.delivered else 1

    _for(person, everyone, work)


@app.command()
def deliveries(
    person: PersonOption = None, everyone: EveryoneOption = False, json: JsonOption = False
) -> None:
    """List deliveries: sent, waiting, and given up after too many attempts."""

    async def work(engine: Engine, user: str | None) -> int:
        from moot.cli.listing import print_json, print_table
        from moot.webhooks.webhooks import list_deliveries

        found = await list_deliveries(engine, user)
        if json:
            print_json(found)
            return 0
        rows = [
            (one.status.replace("_", " "), str(one.attempts), one.run_id[:8], one.reason or "", one.url)
            for one in found
        ]
        print_table(("status", "attempts", "run", "reason", "url"), rows, "No deliveries yet.")
        return 0

    _for(person, everyone, work)


@app.command()
def secret(person: PersonOption = None) -> None:
    """Print the secret that signs webhooks named in requests."""

    async def work(engine: Engine, user: str | None) -> int:
        from moot.webhooks.webhooks import secret_for_requests

        assert user is not None
        plain.write(secret_for_requests(engine, user))
        return 0

    _for(person, False, work)


def _for(person: str | None, everyone: bool, work: Callable[[Engine, str | None], Awaitable[int]]) -> None:
    async def run() -> int:
        from moot.accounts.people import find_person
        from moot.kernel.user import LOCAL_USER

        async with open_reader(load_settings()) as engine:
            whose = LOCAL_USER if person is None else (await find_person(engine, person)).id
            return await work(engine, None if everyone else whose)

    if person is not None and everyone:
        raise typer.BadParameter("use either --person or --everyone")
    perform(run())


async def _whole_id(engine: Engine, user: str | None, beginning: str) -> str:
    from moot.kernel.errors import NotFound
    from moot.webhooks.webhooks import list_webhooks

    fitting = [one.id for one in await list_webhooks(engine, user) if one.id.startswith(beginning)]
    if len(fitting) != 1:
        raise NotFound(f"{len(fitting) or 'No'} webhooks begin with {beginning!r}")
    return fitting[0]
