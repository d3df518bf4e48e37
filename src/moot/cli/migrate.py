"""moot migrate: bring the database to the schema of this version, before its processes start."""

from __future__ import annotations

from typing import Annotated

import typer

from moot.cli import plain
from moot.cli.session import FAILED, load_settings, perform


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 1 if there is something to do.")
    ] = False,
) -> None:
    """Bring the database up to date.

    Every process does this when it starts, one at a time, so you need it only to choose the moment: run it
    with the new version while the old one still works.
    """

    async def work() -> int:
        from moot.wiring import migrate

        report = await migrate(load_settings(), check=check)
        before, head = report.before or "nothing", report.head
        if report.migrated:
            plain.write(f"The database was migrated from {before} to {head}.")
        elif report.before is not None and report.before >= head:
            newer = f"newer than this version of moot, which knows {head}" if before > head else "up to date"
            plain.write(f"The database is at {before}: {newer}.")
        elif check:
            plain.write(f"The database is at {before}, and this version needs {head}. Run `moot migrate`.")
            return FAILED
        else:
            plain.write(f"Another process migrated the database from {before} to {head}.")
        return 0

    perform(work())
