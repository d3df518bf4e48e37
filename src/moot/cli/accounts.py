"""moot accounts: who may sign in to this server. Whoever can write its database may."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import load_settings, perform
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

app = typer.Typer(
    help="Invite, list, disable, export and delete the people who sign in to this server.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
PersonName = Annotated[str, typer.Argument(metavar="NAME", help="The name they sign in with.")]
AdminOption = Annotated[bool, typer.Option("--admin", help="Make them an administrator.")]


@app.command("list")
def list_accounts(json: JsonOption = False) -> None:
    """List people and what they spent in the last 30 days."""

    async def work(engine: Engine) -> None:
        from moot.accounts.administration import list_residents
        from moot.cli.listing import print_table

        everyone = await list_residents(engine)
        rows = [
            (one.name, _standing(one), str(one.spend.runs), f"${one.spend.dollars:.2f}") for one in everyone
        ]
        if not json:
            print_table(
                ("name", "role", "runs", "spent"),
                rows,
                "No accounts yet: `moot accounts invite` adds the first person.",
            )
            return
        for one in everyone:
            fields = {"name": one.name, "standing": _standing(one)}
            spend = {"runs": one.spend.runs, "dollars": one.spend.dollars}
            plain.write_json(orjson.dumps({**fields, **spend}))

    _perform(work)


@app.command()
def invite(
    admin: AdminOption = False,
    days: Annotated[int, typer.Option("--days", min=1, max=90, help="How long the link works.")] = 7,
    note: Annotated[str, typer.Option("--note", help="Who it is for; only administrators see it.")] = "",
) -> None:
    """Print a link that lets one person create an account."""

    async def work(engine: Engine) -> None:
        from moot.accounts import links

        made = await links.invite(engine, administrator=admin, days=days, note=note[:200])
        _print_link(engine, links.path_of(made.token))

    _perform(work)


@app.command()
def add(name: PersonName, admin: AdminOption = False) -> None:
    """Create an account. You are asked for the password, or it is read from stdin."""

    async def work(engine: Engine) -> None:
        from moot.accounts.people import add_account

        person = await add_account(engine, name, _password(), administrator=admin)
        plain.write(f"{person.name} can sign in.")

    _perform(work)


@app.command()
def reset(name: PersonName) -> None:
    """Print a link that lets someone choose a new password."""

    async def work(engine: Engine) -> None:
        from moot.accounts import links
        from moot.accounts.people import find_person

        made = await links.reset(engine, (await find_person(engine, name)).id)
        _print_link(engine, links.path_of(made.token))

    _perform(work)


@app.command()
def disable(name: PersonName) -> None:
    """Sign someone out everywhere and lock their account. Their runs stay."""
    _change(name, disabled=True)


@app.command()
def enable(name: PersonName) -> None:
    """Unlock someone's account."""
    _change(name, disabled=False)


@app.command()
def admin(
    name: PersonName, off: Annotated[bool, typer.Option("--off", help="Remove the role.")] = False
) -> None:
    """Make someone an administrator."""
    _change(name, administrator=not off)


@app.command()
def export(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Whose data; default: yours, on this machine."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The zip to write.")] = Path(
        "moot-data.zip"
    ),
) -> None:
    """Export everything kept about someone as a zip: conversations to read, and every row for programs."""

    async def work(engine: Engine) -> None:
        from moot.accounts.people import find_person
        from moot.archive import write_archive
        from moot.kernel.errors import Rejected
        from moot.kernel.user import LOCAL_USER

        whose = LOCAL_USER if name is None else (await find_person(engine, name)).id
        try:
            await write_archive(engine, whose, output)
        except OSError as error:
            raise Rejected(f"{output} cannot be written: {error.strerror}") from None
        plain.write(f"Saved to {output}.")

    _perform(work)


@app.command()
def delete(
    name: PersonName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete someone and all their data, for good."""

    async def work(engine: Engine) -> None:
        from moot.accounts.deletion import delete_person
        from moot.accounts.people import find_person

        person = await find_person(engine, name)
        if not yes:
            typer.confirm(f"Delete {person.name} with every conversation, token and share link?", abort=True)
        await delete_person(engine, person.id)
        plain.write(f"{person.name} has been deleted.")

    _perform(work)


def _change(name: str, *, administrator: bool | None = None, disabled: bool | None = None) -> None:
    async def work(engine: Engine) -> None:
        from moot.accounts.administration import change_person
        from moot.accounts.people import find_person

        person = await find_person(engine, name)
        await change_person(engine, person.id, administrator=administrator, disabled=disabled)

    _perform(work)


def _standing(one: object) -> str:
    from moot.accounts.administration import Resident

    assert isinstance(one, Resident)
    if one.account is None:
        return "no account"
    if one.account.disabled_at is not None:
        return "disabled"
    return "administrator" if one.account.administrator else "person"


def _print_link(engine: Engine, path: str) -> None:
    settings = engine.settings
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    plain.write((settings.public_url or f"http://{host}:{settings.port}") + path)


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password


def _perform(work: Callable[[Engine], Awaitable[None]]) -> None:
    async def run() -> int:
        async with open_reader(load_settings()) as engine:
            await work(engine)
        return 0

    perform(run())
