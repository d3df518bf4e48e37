from __future__ import annotations

from functools import partial

import pytest

from moot.kernel.errors import LeaseLost
from moot.store import Ending, RunRecord, Store, runs
from tests.store.builders import NEVER, an_append, an_event, an_opening

NOW = 5_000_000


def alive(owner: str) -> bool:
    return False


def dead(owner: str) -> bool:
    return owner == "me"


async def record(store: Store, run_id: str) -> RunRecord:
    found = await store.read(lambda db: runs.run(db, run_id))
    assert found is not None
    return found


async def test_a_run_is_claimed_once_when_its_lease_has_expired(store: Store) -> None:
    await store.begin(an_opening("r", lease_until=NOW))
    early = await store.change(lambda db: runs.claim(db, "r", "other", NOW - 1, NEVER, alive))
    assert early is None
    taken = await store.change(lambda db: runs.claim(db, "r", "other", NOW, NEVER, alive))
    assert taken is not None
    assert (taken.owner, taken.epoch, taken.lease_until) == ("other", 2, NEVER)
    assert taken == await record(store, "r")
    assert await store.change(lambda db: runs.claim(db, "r", "third", NOW, NEVER, alive)) is None


async def test_a_run_of_a_dead_process_is_claimed_at_once(store: Store) -> None:
    await store.begin(an_opening("r"))
    assert await store.change(lambda db: runs.claim(db, "r", "other", NOW, NEVER, alive)) is None
    assert await store.change(lambda db: runs.claim(db, "r", "other", NOW, NEVER, dead)) is not None
    with pytest.raises(LeaseLost):
        await store.append(an_append("r", event=an_event("late")))


async def test_a_run_that_has_ended_or_never_was_is_not_claimed(store: Store) -> None:
    await store.begin(an_opening("r", lease_until=0))
    await store.append(an_append("r", ending=Ending("complete")))
    for name in ("r", "nothing"):
        claim = partial(runs.claim, run_id=name, owner="x", now=NOW, lease_until=NEVER, is_dead=dead)
        assert await store.change(claim) is None


async def test_orphans_are_running_runs_that_nobody_works_on(store: Store) -> None:
    await store.begin(an_opening("worked on", owner="other"))
    await store.begin(an_opening("expired", owner="other", lease_until=NOW, started_at=3))
    await store.begin(an_opening("its owner died", started_at=2))
    await store.begin(an_opening("ended", lease_until=0))
    await store.append(an_append("ended", ending=Ending("complete")))
    orphans = await store.read(lambda db: runs.orphans(db, NOW, dead))
    assert orphans == [("its owner died", "me", NEVER), ("expired", "other", NOW)]


async def test_leases_let_go_of_are_orphans_at_once(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.begin(an_opening("s", owner="other"))
    await store.change(lambda db: runs.release(db, "me"))
    orphans = await store.read(lambda db: runs.orphans(db, NOW, alive))
    assert [orphan.run_id for orphan in orphans] == ["r"]


async def test_a_heartbeat_renews_what_is_ours_and_hears_of_cancelling(store: Store) -> None:
    for name in ("r", "s", "t"):
        await store.begin(an_opening(name, lease_until=NOW))
    await store.change(lambda db: runs.claim(db, "s", "other", NOW, NOW + 7, alive))
    assert await store.change(lambda db: runs.request_cancel(db, "t"))
    beats = [("r", 1, 111), ("s", 1, 222), ("t", 1, 333), ("nothing", 1, 0)]
    pulse = await store.change(lambda db: runs.heartbeat(db, beats, NEVER))
    assert pulse.ours == {"r", "t"}
    assert pulse.cancelled == {"t"}
    assert [(r.lease_until, r.active_ms) for r in [await record(store, n) for n in "rst"]] == [
        (NEVER, 111),
        (NOW + 7, 0),
        (NEVER, 333),
    ]


async def test_a_heartbeat_of_nothing_finds_nothing(store: Store) -> None:
    pulse = await store.change(lambda db: runs.heartbeat(db, [], NEVER))
    assert pulse == (frozenset(), frozenset())


async def test_a_thousand_hearts_beat_at_once(store: Store) -> None:
    beats = [(f"r{n}", 1, n) for n in range(1000)]
    for n in (3, 999):
        await store.begin(an_opening(f"r{n}"))
    pulse = await store.change(lambda db: runs.heartbeat(db, beats, NEVER))
    assert pulse.ours == {"r3", "r999"}


async def test_only_a_running_run_of_ones_own_can_be_asked_to_stop(store: Store) -> None:
    await store.begin(an_opening("r"))
    assert not await store.change(lambda db: runs.request_cancel(db, "r", user_id="bob"))
    assert not (await record(store, "r")).cancel_requested
    assert await store.change(lambda db: runs.request_cancel(db, "r", user_id="ann"))
    assert (await record(store, "r")).cancel_requested
    await store.append(an_append("r", ending=Ending("cancelled")))
    assert not await store.change(lambda db: runs.request_cancel(db, "r"))
