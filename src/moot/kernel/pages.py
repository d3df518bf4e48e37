"""What is stored of a run, read in pages: a long story is in memory only as far as somebody reads it.

    events 1 … 7, about 256 kB  ─▶  8 … 12  ─▶  …

Those who read the same page of an ended run at the same time share it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from weakref import WeakValueDictionary

from moot.store import RunRecord, Store, StoredEvent, runs

PAGE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, weakref_slot=True)
class EventPage:
    """`more`: the next page is stored already."""

    record: RunRecord | None
    events: list[tuple[int, StoredEvent]]
    more: bool

    @property
    def is_running(self) -> bool:
        return self.record is not None and self.record.status == "running"


class EventPages:
    """The pages that are being read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shared: WeakValueDictionary[tuple[str, int], EventPage] = WeakValueDictionary()
        self._fetching: dict[tuple[str, int], asyncio.Task[EventPage]] = {}

    async def after(self, run_id: str, number: int) -> EventPage:
        """The page that follows the event with this number."""
        place = (run_id, number)
        page = self._shared.get(place)
        if page is not None:
            return page
        if place not in self._fetching:
            fetching = self._fetching[place] = asyncio.create_task(self._fetch(run_id, number))
            fetching.add_done_callback(lambda _: self._fetching.pop(place))
        return await asyncio.shield(self._fetching[place])

    async def _fetch(self, run_id: str, number: int) -> EventPage:
        # The run first: one that has ended before its events are read has no more than these.
        record, (events, more) = await self._store.read(
            lambda db: (runs.run(db, run_id), runs.events_page(db, run_id, number, PAGE_BYTES))
        )
        page = EventPage(record, events, more)
        if not page.is_running:
            self._shared[run_id, number] = page
        return page
