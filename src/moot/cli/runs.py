"""moot runs, search and cancel: what was asked, and how to end what still goes on."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from moot.cli import plain
from moot.cli.ask import RunId
from moot.cli.finding import SHORT_ID, find_run
from moot.cli.session import FAILED, USER, load_settings, perform, reading, working

StatusName = Literal["running", "complete", "degraded", "failed", "cancelled"]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
CANCEL_SECONDS = 15.0
"""How long another process may take to notice; it looks every second."""


def runs(
    status: Annotated[StatusName | None, typer.Option("--status", help="Only runs in this state.")] = None,
    limit: Limit = 20,
    json: JsonOption = False,
) -> None:
    """List runs, the newest first."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.history.views import RunSummary
        from moot.store import runs as stored

        async with reading(load_settings()) as engine:
            page = await engine.store.read(lambda db: stored.runs_list(db, USER, limit=limit, status=status))
        if json:
            print_json(RunSummary.of(record) for record in page.items)
            return 0
        columns = ("run", "started", "mode", "status", "question")
        rows = [
            (
                _short(one.id),
                _when(one.started_at),
                one.mode,
                one.status,
                one.question,
            )
            for one in page.items
        ]
        print_table(columns, rows, "There are no runs.")
        return 0

    perform(work())


def search(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="All must occur; none: the newest.")
    ] = None,
    limit: Limit = 20,
    json: JsonOption = False,
) -> None:
    """Find conversations by what was asked and answered in them."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.history.views import ConversationSummary
        from moot.store import conversations

        wanted = " ".join(words or ())
        async with reading(load_settings()) as engine:
            page = await engine.store.read(
                lambda db: conversations.conversations(db, USER, limit=limit, search=wanted)
            )
        if json:
            print_json(ConversationSummary.of(one) for one in page.items)
            return 0
        rows = [(_short(one.id), _when(one.updated_at), one.mode, one.title) for one in page.items]
        print_table(("conversation", "last", "mode", "title"), rows, "No conversation was found.")
        return 0

    perform(work())


def cancel(run: RunId) -> None:
    """Stop a run for good, wherever it is worked on. What was answered is kept for a retry."""

    async def work() -> int:
        async with working(load_settings()) as engine:
            run_id = await find_run(engine, run)
            await engine.cancel(run_id, user=USER)
            try:
                async with asyncio.timeout(CANCEL_SECONDS):
                    record = await engine.finished(run_id)
            except TimeoutError:
                plain.warn(
                    f"Run {_short(run_id)} was asked to stop, but the process that works on it is silent."
                )
                return FAILED
        plain.say(f"Run {_short(run_id)} is {record.status}.")
        return 0

    perform(work())


def _short(id: str) -> str:
    return id[:SHORT_ID]


def _when(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone().strftime("%b %d %H:%M")
