"""In the tests of the store, whatever blocks the event loop is an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx


@pytest.fixture(autouse=True)
def _nothing_blocks(request: pytest.FixtureRequest) -> Iterator[None]:
    if "store" in request.fixturenames:
        request.getfixturevalue("store")  # may migrate, on a loop and in a thread of its own
    with blockbuster_ctx("moot") as blockbuster:
        _let_asyncpg_look_for_passwords(blockbuster)
        yield


def _let_asyncpg_look_for_passwords(blockbuster: BlockBuster) -> None:
    for function in blockbuster.functions.values():
        function.can_block_in("asyncpg/connect_utils.py", "_parse_connect_dsn_and_args")
