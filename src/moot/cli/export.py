"""moot export: a conversation as a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from moot.cli.session import load_settings, perform
from moot.history.safe_text import safe_json, safe_text
from moot.kernel.errors import Rejected
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader


def export(
    conversation: Annotated[
        str,
        typer.Argument(metavar="CONVERSATION", help="A conversation's or run's id, or the beginning of one."),
    ],
    format: Annotated[
        Literal["markdown", "json"], typer.Option("--format", "-f", help="Markdown to read, JSON to process.")
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write; default: stdout."),
    ] = None,
) -> None:
    """Export a conversation as Markdown or JSON.

    Everything the models wrote is in it.
    """

    async def work() -> int:
        from moot.history.conversations import find_conversation
        from moot.history.export import document, markdown
        from moot.history.views import read_transcript

        async with open_reader(load_settings()) as engine:
            match = await find_conversation(engine, LOCAL_USER, conversation)
            transcript = await read_transcript(engine, match.id, LOCAL_USER, calls=True)
        # A file, too, is read in terminals.
        safe = (
            safe_json(document(transcript).decode()) if format == "json" else safe_text(markdown(transcript))
        )
        _write(safe, output)
        return 0

    perform(work())


def _write(content: str, output: Path | None) -> None:
    if output is None:
        print(content, end="")
        return
    try:
        output.write_text(content, encoding="utf-8")
    except OSError as error:
        raise Rejected(f"{output} cannot be written: {error.strerror}") from None
