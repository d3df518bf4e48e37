"""moot serve: the HTTP API and the page, until it is stopped."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.session import exit_on_error, load_settings

if TYPE_CHECKING:
    from moot.settings import Settings


def serve(
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on.", show_default="127.0.0.1")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            "-p",
            min=0,
            max=65535,
            help="Port to listen on; 0 for any free one.",
            show_default="8765",
        ),
    ] = None,
    deliberate: Annotated[
        bool | None,
        typer.Option(
            "--deliberate/--no-deliberate",
            help="Work on runs too, or leave that to `moot worker`.",
            show_default="--deliberate",
        ),
    ] = None,
) -> None:
    """Start the server and the page, and print the address.

    Runs interrupted when a server stopped are continued.
    """
    with exit_on_error():
        settings = load_settings(host=host, port=port, deliberate=deliberate)

        # What is imported stays: to look through it for garbage meanwhile is a fifteenth of the start.
        gc.disable()
        from moot.http.serve import run

        run(
            settings,
            announce=lambda address: announce(address, settings),
            welcome=lambda link: plain.write(f"Create the first administrator within a day: {link}"),
        )


def announce(address: str, settings: Settings) -> None:
    """Say where the page is, and whether real models answer there."""
    plain.write(f"moot is at {address}")
    if not any(provider.configured for provider in settings.known_providers().values()):
        plain.warn("No API key is set. Until you add one (Keys, on the page), simulated models answer.")
