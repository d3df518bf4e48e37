"""moot keys: save the keys of providers, and endpoints of your own, encrypted.

$ moot keys set openrouter                                  asks for the key, without showing it
$ pass show openrouter | moot keys set openrouter           or from a pipe
$ moot keys set lab --url https://lab.example/v1            an endpoint of your own: lab/qwen3
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import FAILED, load_settings, perform
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.keys.saved_keys import KeyView

app = typer.Typer(
    help="Save provider keys, encrypted; list, test and remove them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="PROVIDER",
        help="openrouter, openai, anthropic, ollama, or a name of your own.",
    ),
]
ServerOption = Annotated[
    bool, typer.Option("--server", help="For everyone on this server, not only for you.")
]


@app.command("set")
def set_key(
    name: NameArgument,
    url: Annotated[
        str | None, typer.Option("--url", help="Its address, including the version: https://lab.example/v1.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="API that your own endpoint speaks: openai or anthropic.")
    ] = "openai",
    no_key: Annotated[bool, typer.Option("--no-key", help="The provider needs no key.")] = False,
    server: ServerOption = False,
) -> None:
    """Save a provider's key. Type it at a hidden prompt, or pipe it in."""

    async def work() -> int:
        from moot.kernel.request import parse
        from moot.keys.saved_keys import KeyChange, save_key

        settings = load_settings()
        key = None if no_key or (name == "ollama" and sys.stdin.isatty()) else _typed(name)
        change = parse(KeyChange, {"key": key or None, "baseUrl": url, "kind": kind})
        async with open_reader(settings) as engine:
            view = await save_key(engine, _whose(server), name, change)
            place = (await engine.keys.ring()).place if view.has_key else None
        kept = f", encrypted with the secret key in {place}" if place else ""
        plain.write(f"Saved {name}{kept}.")
        if view.note:
            plain.warn(view.note)
        return 0

    perform(work())


@app.command("list")
def list_keys(server: ServerOption = False, json: JsonOption = False) -> None:
    """List providers and where each is configured. Keys are not shown."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.keys.saved_keys import list_keys

        async with open_reader(load_settings()) as engine:
            views = await list_keys(engine, _whose(server), administrator=True)
        if json:
            print_json(views)
            return 0
        print_table(("provider", "set in", "key", "address", ""), map(_row, views), "")
        return 0

    perform(work())


@app.command("test")
def try_keys(
    name: Annotated[
        str | None, typer.Argument(metavar="PROVIDER", help="Which provider; default: all that are saved.")
    ] = None,
    server: ServerOption = False,
) -> None:
    """Test saved keys by asking the providers for their models."""

    async def work() -> int:
        from moot.keys.saved_keys import list_keys, try_key

        failures = 0
        async with open_reader(load_settings()) as engine:
            views = await list_keys(engine, _whose(server))
            mine = [one.name for one in views if one.source == ("server" if server else "person")]
            if not mine and name is None:
                plain.write("No key is saved yet: `moot keys set openrouter` saves one.")
            for each in [name] if name is not None else mine:
                result = await try_key(engine, _whose(server), each)
                failures += result.problem is not None
                words = result.problem or f"It works and lists {result.models} models."
                plain.write(f"{'problem' if result.problem else 'ok':<8} {each:<12} {words}")
        return FAILED if failures else 0

    perform(work())


@app.command()
def remove(name: NameArgument, server: ServerOption = False) -> None:
    """Remove a provider's saved key."""

    async def work() -> int:
        from moot.keys.saved_keys import remove_key

        async with open_reader(load_settings()) as engine:
            await remove_key(engine, _whose(server), name)
        plain.write(f"Removed {name}.")
        return 0

    perform(work())


@app.command()
def rotate() -> None:
    """Encrypt everyone's saved keys with the first key of MOOT_SECRET_KEY.

    Put a new key before the old one, restart moot everywhere, run this, then remove the old key.
    """

    async def work() -> int:
        from moot.keys.saved_keys import rotate_keys

        async with open_reader(load_settings()) as engine:
            rotated, lost = await rotate_keys(engine)
        plain.write(f"Encrypted again: {rotated}. Unreadable: {lost}.")
        return FAILED if lost else 0

    perform(work())


def _whose(server: bool) -> str:
    from moot.keys.saved_keys import EVERYONE

    return EVERYONE if server else LOCAL_USER


def _typed(name: str) -> str:
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass(f"Key for {name} (leave empty for none, or to keep the saved one): ")
    return sys.stdin.readline().strip()


def _row(one: KeyView) -> tuple[str, ...]:
    places = {
        "environment": "the environment",
        "file": "a settings file",
        "person": "moot, for you",
        "server": "moot, for everyone",
    }
    key = "–" if not one.has_key else f"…{one.hint}" if one.hint else "set"
    place = places[one.source] if one.source else "–"
    return (one.name, place, key, one.base_url or "–", one.problem or one.note or "")
