"""Which database an address means.

sqlite:///moot.db              a file, relative to the current folder
sqlite:////var/lib/moot.db     a file, absolute
sqlite:// or :memory:          in memory, gone with the process
postgresql://user@host/name    a PostgreSQL server
"""

from __future__ import annotations

from moot.kernel.errors import MootError
from moot.store import Store

_SQLITE = "sqlite://"
_POSTGRES = ("postgresql://", "postgres://")


def store_for(url: str) -> Store:
    path = sqlite_path(url)
    if path is not None:
        from moot.store.sqlite import SQLiteStore

        return SQLiteStore(path)
    if url.startswith(_POSTGRES):
        from moot.store.postgres import PostgresStore

        return PostgresStore(url)
    scheme = url.partition("://")[0] if "://" in url else "a bare path"  # the rest may hold a password
    raise MootError(
        f"Cannot tell which database is meant by {scheme!r}: "
        "write sqlite:///path/to/file, :memory: or postgresql://user@host/name."
    )


def sqlite_path(url: str) -> str | None:
    """The file that an address means, or `:memory:`; None if it means another database, or none."""
    if url in (":memory:", _SQLITE, f"{_SQLITE}/:memory:"):
        return ":memory:"
    return url[len(_SQLITE) + 1 :] or None if url.startswith(f"{_SQLITE}/") else None
