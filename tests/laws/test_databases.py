"""A whole deliberation in each mode, on SQLite and on PostgreSQL: what is read back is what was told."""

from __future__ import annotations

import orjson
import pytest

from moot.modes import MODES
from moot.simulator.transport import Simulator
from tests.harness.chamber import Chamber

PANEL = ("sim/ada", "sim/bo", "sim/cleo", "sim/dov", "sim/eli", "sim/fay")
QUESTION = """Should a small team move its web shop to microservices?

The shop was founded in 2012 and serves 40,000 customers in three countries. Its monolith has 120,000 lines, and a \
release takes two days. Five developers work on it; two of them know the payment code."""


@pytest.mark.parametrize("mode", MODES)
async def test_a_simulated_deliberation_is_whole_and_reads_back_as_it_was_told(
    mode: str, store_url: str
) -> None:
    async with Chamber(
        transport=Simulator(speed=0), database=store_url, panel=PANEL, title_model="sim/ada"
    ) as chamber:
        held = await chamber.deliberate(mode, QUESTION)
        again = [
            orjson.loads(f.json()) async for batch in chamber.engine.follow(held.record.id) for f in batch
        ]
    assert held.record.status == "complete", held.frames[-1]
    assert again == held.frames
    assert held.message is not None
    assert held.message.content == held.answer
    assert held.answer
    assert held.rows or held.council_rows
