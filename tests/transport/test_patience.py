"""How long a caller waits: never longer than it said, and no clock of somebody else is taken for it."""

from __future__ import annotations

import asyncio

import pytest

from moot.transport.patience import Patience, is_time_up, seconds_left
from tests.harness.waiting import until


def patience(seconds: float, first: float) -> Patience:
    return Patience(asyncio.get_running_loop(), seconds, first=first)


async def test_it_is_over_when_it_was_to_be_and_not_at_the_first_look() -> None:
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError), patience(0.08, first=0.02) as waiting:
        await asyncio.Event().wait()
    assert asyncio.get_running_loop().time() - began >= 0.07
    assert waiting.expired()


async def hurried(before: float, first: float, after: float) -> None:
    with patience(3600, first=first) as waiting:
        await asyncio.sleep(before)
        waiting.hurry(after)
        await asyncio.Event().wait()


@pytest.mark.parametrize("first", [3600, 0.01], ids=["before the first look", "after it"])
async def test_a_hurry_brings_the_end_nearer(first: float) -> None:
    with pytest.raises(TimeoutError):
        await hurried(0.03, first, 0.01)


async def test_a_hurry_brings_the_end_no_further() -> None:
    with patience(3600, first=1) as waiting:
        waiting.hurry(7200)
        assert (seconds_left() or 7200) <= 3600


async def test_what_ends_in_time_ends_as_it_would_without() -> None:
    with patience(3600, first=1) as waiting:
        await asyncio.sleep(0)
        assert not is_time_up()
    assert not waiting.expired()
    with pytest.raises(ValueError, match="its own"), patience(3600, first=1):
        raise ValueError("its own")


async def test_whoever_is_cancelled_from_outside_hears_that_and_no_timeout() -> None:
    heard: list[str] = []

    async def work() -> None:
        try:
            with patience(3600, first=1):
                heard.append("begun")
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard.append(f"cancelled, time up: {is_time_up()}")
            raise

    task = asyncio.create_task(work())
    await until(lambda: bool(heard))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == ["begun", "cancelled, time up: False"]


async def is_up_at_the_end() -> bool:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if not is_time_up():
            raise AssertionError from None
        raise
    return False


async def test_it_is_known_inside_whether_the_time_is_up() -> None:
    with pytest.raises(TimeoutError), patience(0.01, first=0.01):
        await is_up_at_the_end()
