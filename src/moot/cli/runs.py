"""moot runs, search and cancel."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated

import typer

from moot.cli import plain
from moot.cli.ask import RunId
from moot.cli.session import FAILED, load_settings, perform
from moot.cli.short_id import short_id
from moot.kernel.status import Status
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_engine, open_reader

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of entries.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
CANCEL_SECONDS = 15.0
"""How long another process may take to notice; it looks every second."""


def runs(
    status: Annotated[Status | None, typer.Option("--status", help="Only runs with this status.")] = None,
    limit: Limit = 20,
    json: JsonOption = False,
) -> None:
    """List runs, newest first."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.history.runs import list_runs
        from moot.history.views import RunSummary

        async with open_reader(load_settings()) as engine:
            page = await list_runs(engine, LOCAL_USER, limit=limit, status=status)
        if json:
            print_json(RunSummary.of(record) for record in page.items)
            return 0
        columns = ("run", "started", "mode", "status", "question")
        rows = [
            (
                short_id(one.id),
                _when(one.started_at),
                one.mode,
                one.status,
                one.question,
            )
            for one in page.items
        ]
        print_table(columns, rows, "No runs yet. Start one with `moot ask`.")
        return 0

    perform(work())


def search(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORDS", help="Words to look for; without any, the newest are listed."),
    ] = None,
    limit: Limit = 20,
    json: JsonOption = False,
) -> None:
    """Search questions and answers."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.history.conversations import list_conversations
        from moot.history.views import ConversationSummary

        async with open_reader(load_settings()) as engine:
            page = await list_conversations(engine, LOCAL_USER, limit=limit, search=" ".join(words or ()))
        if json:
            print_json(ConversationSummary.of(one) for one in page.items)
            return 0
        found = [one.conversation for one in page.items]
        rows = [(short_id(one.id), _when(one.updated_at), one.mode, one.title) for one in found]
        print_table(("conversation", "last", "mode", "title"), rows, "No conversations found.")
        return 0

    perform(work())


def cancel(run: RunId) -> None:
    """Stop a run. Finished calls are kept for a retry."""

    async def work() -> int:
        from moot.history.runs import find_run

        async with open_engine(load_settings()) as engine:
            run_id = (await find_run(engine, LOCAL_USER, run)).id
            await engine.cancel(run_id, user=LOCAL_USER)
            try:
                async with asyncio.timeout(CANCEL_SECONDS):
                    record = await engine.finished(run_id)
            except TimeoutError:
                plain.warn(f"Run {short_id(run_id)} was asked to stop, but its process does not respond.")
                return FAILED
        plain.write(f"Run {short_id(run_id)} is {record.status}.")
        return 0

    perform(work())


def _when(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone().strftime("%b %d %H:%M")
