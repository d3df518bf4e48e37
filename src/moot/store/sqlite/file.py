"""The file of a SQLite database before it is opened: whose it is, and who else has it open.

Files are looked into through SQLite alone. To open one by other means and close it again would let go of all
locks that this process holds on it (that is how POSIX locks work); another process would then take itself
for the last user, and remove the log of what was written.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from threading import Event

from moot.kernel.clock import monotonic
from moot.kernel.errors import MootError

try:
    import fcntl
except ImportError:  # on Windows, where nobody is known to be alone
    fcntl = None  # type: ignore[assignment]

APPLICATION_ID = int.from_bytes(b"moot")
OLDEST_TABLES = frozenset(
    {"alembic_version", "conversations", "messages", "runs", "calls", "decisions", "events"}
)
"""By these a database is known that was made before there was a mark."""
SMALLEST_DATABASE = 512
PAUSE_SECONDS = 0.02


def require_ours(path: str) -> None:
    """Raise MootError unless this is a database of moot's, an empty one, or nothing yet. Writes nothing."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise MootError(f"Cannot open the database {path!r}: it is not a file.")
    if found.st_size == 0:
        return
    if found.st_size < SMALLEST_DATABASE or not _is_ours(path):
        raise MootError(
            f"Cannot open the database {path!r}: it is not a moot database, or no longer one. "
            "It was left as it is; name another file in DATABASE_URL."
        )


def _is_ours(path: str) -> bool:
    try:
        # Without a log the file is all there is. To say so keeps SQLite from putting other files beside it.
        with closing(look_into(path, unchanging=not has_log(path))) as db:
            mark = db.execute("PRAGMA application_id").fetchone()[0]
            names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_NOTADB:
            return False
        raise
    if not names:
        return mark in (0, APPLICATION_ID)
    return mark == APPLICATION_ID or (mark == 0 and names >= OLDEST_TABLES)


def look_into(path: str, *, unchanging: bool = False, patience: float = 30.0) -> sqlite3.Connection:
    """A connection that cannot write. `unchanging`: nobody else writes either, so that no lock is taken."""
    address = f"{Path(path).absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}"
    return sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)


def has_log(path: str) -> bool:
    """Whether there is a log beside the file: somebody has it open, or died with it open. Whoever closes the
    file last removes it."""
    with suppress(FileNotFoundError):
        return os.stat(f"{path}-wal").st_size > 0
    return False


class Presence:
    """That somebody has the database open, told by a shared lock on a file beside it.

    presence = Presence(path, 30)   `presence.alone`: nobody else has it open, and nobody can open it until
    presence.share()                then
    presence.leave()
    """

    def __init__(self, path: str, patience: float) -> None:
        self.alone = False
        self._file: int | None = None
        if fcntl is None:
            return
        self._file = os.open(f"{path}-lock", os.O_RDWR | os.O_CREAT, 0o600)
        give_up_at = monotonic() + patience
        while not self._lock(fcntl.LOCK_EX):
            if self._lock(fcntl.LOCK_SH) or monotonic() > give_up_at:
                return
            # Somebody is alone with it just now, and looks whether it is whole.
            Event().wait(PAUSE_SECONDS)
        self.alone = True

    def share(self) -> None:
        if self.alone and self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def leave(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _lock(self, kind: int) -> bool:
        assert self._file is not None
        with suppress(BlockingIOError):
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
            return True
        return False
