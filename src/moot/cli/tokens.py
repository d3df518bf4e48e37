"""moot tokens: what a program signs in with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import load_settings, perform
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.accounts.queries import StoredPerson
    from moot.kernel.engine import Engine

app = typer.Typer(
    help="Create, list and revoke API tokens for programs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
PersonOption = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME", help="Whose token; optional if there is only one person."),
]


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="For example, the program that will use it.")],
    person: PersonOption = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="read, ask or admin; may be repeated.")
    ] = None,
    days: Annotated[
        int, typer.Option("--days", min=0, max=3650, help="Days until it expires; 0 means never.")
    ] = 90,
) -> None:
    """Create a token and print it. It is not shown again."""

    async def run() -> int:
        from moot.accounts.api_tokens import create_token
        from moot.accounts.identity import SCOPES
        from moot.kernel.errors import Rejected

        chosen = {known for known in SCOPES if known in (scope or ("read", "ask"))}
        strange = [one for one in scope or () if one not in SCOPES]
        if strange:
            raise Rejected(f"There is no scope {strange[0]!r}: choose among {', '.join(SCOPES)}")
        async with open_reader(load_settings()) as engine:
            whose = await _whose(engine, person)
            made = await create_token(engine, whose.id, name[:80], chosen, days or None)
            plain.write(made.token)
        return 0

    perform(run())


@app.command("list")
def list_tokens(person: PersonOption = None, json: JsonOption = False) -> None:
    """List tokens by name, without their secrets."""

    async def run() -> int:
        from moot.accounts import api_tokens
        from moot.cli.listing import print_table
        from moot.kernel.clock import iso

        async with open_reader(load_settings()) as engine:
            tokens = await api_tokens.list_tokens(engine, (await _whose(engine, person)).id)
        rows = [
            (
                one.id[:8],
                ", ".join(one.scopes),
                iso(one.expires_at)[:10] if one.expires_at else "never",
                one.name,
            )
            for one in tokens
        ]
        if json:
            for id, scopes, expires, name in rows:
                fields = {"id": id, "name": name, "scopes": scopes.split(", "), "expires": expires}
                plain.write_json(orjson.dumps(fields))
        else:
            print_table(("id", "scopes", "expires", "name"), rows, "No tokens: see `moot tokens create`.")
        return 0

    perform(run())


@app.command()
def revoke(
    id: Annotated[
        str, typer.Argument(metavar="ID", help="Its id, or the beginning of one; see `moot tokens list`.")
    ],
    person: PersonOption = None,
) -> None:
    """Revoke a token. It stops working at once."""

    async def run() -> int:
        from moot.accounts import api_tokens
        from moot.kernel.errors import NotFound

        async with open_reader(load_settings()) as engine:
            whose = await _whose(engine, person)
            tokens = await api_tokens.list_tokens(engine, whose.id)
            fitting = [one for one in tokens if one.id.startswith(id)]
            if len(fitting) != 1:
                raise NotFound(f"{len(fitting) or 'No'} tokens begin with {id!r}")
            await api_tokens.revoke_token(engine, whose.id, fitting[0].id)
        return 0

    perform(run())


async def _whose(engine: Engine, name: str | None) -> StoredPerson:
    from moot.accounts.administration import list_residents
    from moot.accounts.people import find_person
    from moot.kernel.errors import Rejected

    if name is not None:
        return await find_person(engine, name)
    accounts = [one.account for one in await list_residents(engine) if one.account is not None]
    if len(accounts) != 1:
        raise Rejected(
            "Say whose token it is with --person"
            if accounts
            else "There are no accounts yet: `moot accounts invite` adds the first person."
        )
    return accounts[0]
