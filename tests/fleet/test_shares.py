"""A provider's limit holds for all workers together, whatever happens to them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from moot.fleet import shares
from moot.fleet.shares import deal
from moot.store import Store
from moot.store.postgres import PostgresStore
from moot.transport.quotas import Use
from moot.transport.slots import Slots

LIMIT = 10
LONG = 3600.0
"""No share lapses, however slow the machine is on which these tests run."""


@pytest.mark.parametrize(
    ("limit", "demands", "dealt"),
    [
        (10, {"a": 99, "b": 99, "c": 99, "d": 99}, {"a": 3, "b": 3, "c": 2, "d": 2}),
        (10, {"a": 99, "b": 99, "c": 99, "d": 0}, {"a": 4, "b": 3, "c": 3, "d": 0}),
        (10, {"a": 1, "b": 99}, {"a": 1, "b": 9}),
        (10, {"a": 0, "b": 0}, {"a": 5, "b": 5}),
        (2, {"a": 5, "b": 5, "c": 5}, {"a": 1, "b": 1, "c": 0}),
        (7, {"a": 1, "b": 2}, {"a": 3, "b": 4}),
        (5, {}, {}),
    ],
)
def test_what_is_wanted_is_dealt_first_and_the_rest_evenly(
    limit: int, demands: dict[str, int], dealt: dict[str, int]
) -> None:
    assert deal(limit, demands) == dealt


def test_the_odd_ones_go_round() -> None:
    rounds = [deal(2, {"a": 5, "b": 5, "c": 5}, turn) for turn in range(3)]
    assert [sum(one[name] for one in rounds) for name in "abc"] == [2, 2, 2]


@pytest.fixture(autouse=True)
def _no_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ROUND_MS", 10**15)  # whose turn it is for the odd ones stays as it is


@pytest.fixture
async def shared(postgres_url: str) -> AsyncIterator[Store]:
    store = PostgresStore(postgres_url)
    await store.open()
    yield store
    await store.close()


class Caller:
    """A process that calls as often as it may and wants to."""

    def __init__(self, store: Store, name: str) -> None:
        self.name = name
        self._store = store
        self.size = self.held = self.wanted = 0

    async def beat(self, dead: str = "") -> None:
        use = {"lab": Use(self.held, max(self.wanted, self.held), self.size)}
        granted = await self._store.change(
            lambda db: shares.renew(db, self.name, {"lab": LIMIT}, use, lambda owner: owner == dead, LONG)
        )
        self.size = granted["lab"]

    def call(self) -> None:
        """Begin what may begin."""
        self.held = max(self.held, min(self.wanted, self.size))


async def test_all_together_never_exceed_the_limit_and_reach_it(shared: Store, dice: random.Random) -> None:
    callers = [Caller(shared, name) for name in "abcd"]
    for _ in range(150):
        caller = dice.choice(callers)
        caller.wanted = dice.choice((0, 1, 20, 20))
        caller.held = dice.randint(0, caller.held)
        await caller.beat()
        for one in callers:
            if dice.random() < 0.7:
                one.call()
        assert sum(one.held for one in callers) <= LIMIT
    for _ in range(4):  # who has too much gives it back over two beats, and then the others take it
        for one in callers:
            one.held, one.wanted = 0, 20
            await one.beat()
    assert sum(one.size for one in callers) == LIMIT
    assert min(one.size for one in callers) >= 2


async def test_the_share_of_a_dead_process_is_the_others_a_beat_later(shared: Store) -> None:
    callers = [Caller(shared, name) for name in "abcd"]
    for _ in range(3):
        for one in callers:
            one.wanted = 20
            await one.beat()
    *living, dead = callers
    for one in living:
        await one.beat(dead=dead.name)
    for one in living:
        await one.beat()
    assert sum(one.size for one in living) == LIMIT


async def test_what_one_was_told_all_know(shared: Store) -> None:
    slow = {("lab", "lab/qwen"): 20.0}
    assert await shared.change(lambda db: shares.exchange_pauses(db, slow)) == {}
    heard = await shared.change(lambda db: shares.exchange_pauses(db, {}))
    assert 15 < heard["lab", "lab/qwen"] <= 20


async def test_slots_come_and_go_and_a_slow_model_gets_none() -> None:
    slots = Slots(0, lambda _: False)
    waiting = [asyncio.create_task(slots.take("a/a")) for _ in range(3)]
    await asyncio.sleep(0)
    assert (slots.held, slots.wanted) == (0, 3)
    slots.resize(2)
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert (slots.held, slots.wanted) == (2, 3)
    slots.resize(1)
    slots.give_back("a/a")
    await asyncio.sleep(0)
    assert (slots.held, slots.wanted) == (1, 2)
    slots.resize(5)
    await asyncio.wait(waiting)
    slots.slow_down("a/a", 0.05)
    assert "a/a" in slots.slow
    await slots.take("b/b")
    await slots.take("a/a")
    assert slots.slow == {}
    assert slots.held == 4
