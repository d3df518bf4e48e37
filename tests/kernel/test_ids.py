"""Ids are UUIDs that sort by the moment they were made."""

from __future__ import annotations

import uuid

from moot.kernel.clock import now_ms
from moot.kernel.ids import new_id


def test_an_id_is_a_uuid_of_version_7_that_begins_with_the_moment_it_was_made() -> None:
    before = now_ms()
    made = uuid.UUID(hex=new_id())
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert before <= made.int >> 80 <= now_ms()


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id() for _ in range(10_000)}) == 10_000
