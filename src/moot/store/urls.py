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
    if url in (":memory:", _SQLITE, f"{_SQLITE}/:memory:"):
        return _sqlite(":memory:")
    if url.startswith(f"{_SQLITE}/") and len(url) > len(_SQLITE) + 1:
        return _sqlite(url[len(_SQLITE) + 1 :])
    if url.startswith(_POSTGRES):
        from moot.store.postgres import PostgresStore

        return PostgresStore(url)
    scheme = url.partition("://")[0] if "://" in url else "a bare path"  # the rest may hold a password
    raise MootError(
        f"Cannot tell which database is meant by {scheme!r}: "
        "write sqlite:///path/to/file, :memory: or postgresql://user@host/name."
    )


def _sqlite(path: str) -> Store:
    from moot.store.sqlite import SQLiteStore

    return SQLiteStore(path)
