"""Whether a SQLite database is whole: every page is where it belongs, and says what it may say.

found = check("moot.db", thorough=True, seconds=60)
found.findings          ("Tree 12 page 4711: btreeInitPage() returns error code 11",)
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import Timer

from moot.kernel.clock import monotonic
from moot.kernel.errors import MootError
from moot.store.sqlite.file import look_into

MOST_FINDINGS = 10
LONGEST_FINDING = 200


@dataclass(frozen=True, slots=True)
class Check:
    """`finished`: there was time to look at all of it."""

    findings: tuple[str, ...]
    finished: bool


def check(path: str, *, thorough: bool, seconds: float) -> Check:
    """Read through a database. `thorough`: compare indexes with tables too, which takes thrice as long."""
    give_up_at = monotonic() + seconds
    with closing(look_into(path)) as db, _interrupting(db, seconds):
        db.set_progress_handler(lambda: monotonic() >= give_up_at, 100)
        pragma = "integrity_check" if thorough else "quick_check"
        try:
            lines = [str(line) for (line,) in db.execute(f"PRAGMA {pragma}({MOST_FINDINGS})")]
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_INTERRUPT:
                return Check((), finished=False)
            lines = [str(error)]
    findings = (" ".join(line.removeprefix("*** in database main ***").split()) for line in lines)
    return Check(tuple(one for one in findings if one != "ok"), finished=True)


@contextmanager
def _interrupting(db: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """A progress handler is asked between two tables only, and one table may be nearly all there is."""
    limit = Timer(seconds, db.interrupt)
    limit.daemon = True
    limit.start()
    try:
        yield
    finally:
        limit.cancel()
        limit.join()  # not to interrupt a connection that is closed


def damaged(path: str, finding: str) -> MootError:
    """What to say of a damaged database: what was found, and how to go on."""
    return MootError(
        f"The database {path} is damaged: {finding[:LONGEST_FINDING].rstrip('.')}. Stop every moot process "
        f"and copy {path} and {path}-wal to a safe place. Then put a backup in its place; or save what can "
        f"be read, with `sqlite3 {shlex.quote(path)} .recover | sqlite3 recovered.db`, and set "
        "DATABASE_URL=sqlite:///recovered.db. docs/settings.md describes another way, if sqlite3 "
        "cannot recover it."
    )
