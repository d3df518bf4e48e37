"""In the tests of the store, whatever blocks the event loop is an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from blockbuster import blockbuster_ctx


@pytest.fixture(autouse=True)
def _nothing_blocks() -> Iterator[None]:
    with blockbuster_ctx("moot") as blockbuster:
        for function in blockbuster.functions.values():
            # On PostgreSQL, migrations run in a thread and on a loop of their own.
            function.can_block_in("store/migrations/__init__.py", "upgrade")
            # It reads a page or two that are in memory: docs/decisions/0050.
            function.can_block_in("store/sqlite/__init__.py", "glance")
            # asyncpg looks for files of passwords and certificates.
            function.can_block_in("asyncpg/connect_utils.py", "_parse_connect_dsn_and_args")
        yield
