"""moot worker: deliberates on what servers were asked, on this machine or another."""

from __future__ import annotations

from typing import Annotated

import typer

from moot.cli import plain
from moot.cli.session import exit_on_error, load_settings


def worker(
    runs: Annotated[
        int | None, typer.Option("--runs", min=1, help="Runs to work on at once.", show_default="500")
    ] = None,
) -> None:
    """Work on the runs that servers accept, until stopped. Needs PostgreSQL.

    Start as many as you need, on any machine that can reach the database.
    """
    with exit_on_error():
        settings = load_settings(runs_at_once=runs)

        from moot.http.worker import run

        run(settings, announce=plain.write)
