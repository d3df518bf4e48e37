"""The command line: one function per command, each in the module of its theme.

$ moot
$ moot ask "Tabs or spaces?" --mode vote
$ moot ask "Tabs or spaces?" --quiet > answer.md
$ moot runs --status running

Nothing heavy is imported before a command needs it: `moot --help` costs a few hundredths of a second.
"""

from __future__ import annotations

import gc
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from moot.cli import (
    accounts,
    ask,
    batch,
    check,
    doctor,
    embedder,
    export,
    fleet,
    insight,
    keys,
    limits,
    mcp,
    migrate,
    modes,
    presets,
    runs,
    serve,
    settings,
    show,
    start,
    templates,
    tokens,
    traces,
    trust,
    webhooks,
    worker,
)

__all__ = ["app", "main"]

app = typer.Typer(
    name="moot",
    add_completion=False,
    # Plain help costs a third of the start-up; and a traceback with its variables could show a key.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

for command in (
    ask.ask,
    check.check,
    batch.batch,
    ask.resume,
    ask.retry,
    runs.cancel,
    runs.runs,
    show.show,
    runs.search,
    export.export,
    insight.insight,
    modes.modes,
    modes.models,
    serve.serve,
    mcp.mcp,
    worker.worker,
    fleet.fleet,
    migrate.migrate,
    doctor.doctor,
    settings.config,
    trust.trust,
):
    app.command()(command)

app.add_typer(keys.app, name="keys")
app.add_typer(limits.app, name="limits")
app.add_typer(accounts.app, name="accounts")
app.add_typer(tokens.app, name="tokens")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(presets.app, name="presets")
app.add_typer(traces.app, name="traces")
app.add_typer(templates.app, name="templates")
app.add_typer(embedder.app, name="embedder")


def _print_version(is_set: bool) -> None:
    if is_set:
        from importlib.metadata import version

        typer.echo(f"moot {version('moot')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    open_page: Annotated[
        bool,
        typer.Option(
            "--open/--no-open", help="Without a command: open the page in the browser, where there is one."
        ),
    ] = True,
) -> None:
    """Many language models deliberate, one answer comes out, and everyone can see why.

    Without a command, moot starts the server on this machine and opens its page.
    """
    if context.invoked_subcommand is None:
        start.start(open_page)


def main() -> None:
    """The console script `moot`."""
    # What is loaded stays: to look through it for garbage over and over takes a tenth of the time of a start.
    gc.set_threshold(20_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a sign shows another; it is no reason to fail.
            stream.reconfigure(errors="replace")
    app()
