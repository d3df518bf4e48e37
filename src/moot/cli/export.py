"""moot export: a conversation as a document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from moot.cli.finding import find_conversation
from moot.cli.safe_text import safe_text
from moot.cli.session import USER, load_settings, perform, reading
from moot.errors import Rejected


def export(
    conversation: Annotated[str, typer.Argument(metavar="CONVERSATION", help="Its id, or how it begins.")],
    format: Annotated[
        Literal["markdown", "json"], typer.Option("--format", "-f", help="To read, or to keep.")
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write it; default: stdout."),
    ] = None,
) -> None:
    """Write a conversation as Markdown or JSON, with all that the models wrote."""

    async def work() -> int:
        from moot.export import document, markdown
        from moot.views import read_transcript

        async with reading(load_settings()) as engine:
            id = await find_conversation(engine, conversation)
            transcript = await read_transcript(engine, id, USER, calls=True)
        # A file of Markdown is read in terminals too.
        as_bytes = document(transcript) if format == "json" else safe_text(markdown(transcript)).encode()
        _write(as_bytes, output)
        return 0

    perform(work())


def _write(content: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise Rejected(f"{output} cannot be written: {error.strerror}") from None
