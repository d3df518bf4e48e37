"""Store: what is kept. The port; `sqlite/` and `postgres/` are its two adapters.

Two kinds of access:

- the hot path, `begin` and `append`: prepared statements, committed in groups. Every append
  carries the epoch of the run's lease; a writer that lost the lease is refused.
- all else, `read` and `change`: a function of a SQLAlchemy connection (`runs.py`, `conversations.py` and the
  `queries.py` of each feature, once for both databases), run where it cannot block the event loop.
"""

from __future__ import annotations

import sqlite3
from asyncio import Future
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from moot.kernel.events import Event
from moot.kernel.limits import Limits
from moot.kernel.status import Status
from moot.kernel.values import Call, CouncilRow, Row, TableRow
from moot.store.availability import Availability

T = TypeVar("T")
DATABASE_ERRORS: tuple[type[Exception], ...] = (OSError, sqlite3.Error, SQLAlchemyError)
"""What `read` and `change` raise when the database cannot be used."""
RUN_VERSION = 1
"""What a run that begins now asks of whoever works on it. Raise it when older code could not go on with such
a run: it will leave it to newer processes."""


class StoredEvent(NamedTuple):
    """An event as it is kept: `body` is its JSON without `type` and `at`."""

    key: str
    type: str
    at: int
    body: bytes

    @classmethod
    def of(cls, event: Event, at: int, key: str = "") -> StoredEvent:
        """`key` tells an event from others of its type, where it may recur: a round, a seat, a step."""
        name = f"{event.type}/{key}" if key else event.type
        return cls(name, event.type, at, event.model_dump_json().encode())


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a run may cost at most, in dollars, kept from its person's limit until it ends; and the prices, as
    JSON, by which that was reckoned."""

    dollars: float
    prices: bytes


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """What a webhook is to be told when the run has ended, if it ends in one of `events`. Without a
    `webhook_id` the request named the address."""

    id: str
    webhook_id: str | None
    for_everyone: bool
    url: str
    host: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewRun:
    """All that a run's first transaction inserts: what it is, and its opening event.

    `new_conversation`: insert the conversation too. `retry_of`: the conversation and both messages
    keep their ids, the old message's stage rows go, the old run's answers (not its failures, not
    its decisions) are copied; what an erasing error removed is inserted again. Without an `owner` it waits
    for one, in the order of its `priority`: see `queue.py`. `limits` are checked in the same transaction.
    """

    run_id: str
    user_id: str
    conversation_id: str
    user_message_id: str
    message_id: str
    mode: str
    question: str
    config: bytes
    history: bytes
    seed: str
    started_at: int
    owner: str | None
    lease_until: int
    opening: StoredEvent
    title: str
    new_conversation: bool
    directions: bytes | None = None
    traceparent: str | None = None
    retry_of: str | None = None
    idempotency_key: str | None = None
    request_digest: str | None = None
    priority: int = 0
    limits: Limits | None = None
    reservation: Reservation | None = None
    deliveries: tuple[NewDelivery, ...] = ()


@dataclass(frozen=True, slots=True)
class BeginOutcome:
    """`run_id` is another run's when the idempotency key already named one; then nothing was written."""

    run_id: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run's last transaction changes. `title` takes the place of the title `instead_of`, which the
    run began with, and of no other: a name that a person gave meanwhile stays. `erase`: the messages,
    their stage rows and, if this run made it, the conversation go; the run with its calls and events stays.
    `spent`: dollars, in place of what was reserved.
    """

    status: Status
    content: str = ""
    error: str | None = None
    title: str | None = None
    instead_of: str | None = None
    erase: bool = False
    spent: float = 0.0


@dataclass(frozen=True, slots=True)
class Hold:
    """A call that is about to be sent, and what it may cost at most; below zero, what is given back of it."""

    step: str
    seat: int | None
    digest: str
    dollars: float


class Append(NamedTuple):
    """One entry of a run's queue. All its parts are written in one transaction, in the order given.

    `active_ms` and `lease_until` are saved with every append, which therefore is a heartbeat too.
    """

    run_id: str
    epoch: int
    active_ms: int
    lease_until: int
    hold: Hold | None = None
    call: Call | None = None
    decision: tuple[str, bytes] | None = None
    event: StoredEvent | None = None
    rows: Sequence[Row | CouncilRow | TableRow] = ()
    ending: Ending | None = None

    @property
    def is_urgent(self) -> bool:
        """Whether somebody waits for it to be written."""
        return self.ending is not None or (self.hold is not None and self.call is None)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it is stored."""

    id: str
    user_id: str
    conversation_id: str
    user_message_id: str
    message_id: str
    mode: str
    question: str
    config: bytes
    history: bytes
    seed: str
    status: Status
    error: str | None
    retry_of: str | None
    new_conversation: bool
    directions: bytes | None
    started_at: int
    finished_at: int | None
    active_ms: int
    owner: str | None
    lease_until: int
    epoch: int
    cancel_requested: bool
    traceparent: str | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """What a run already did: found, not repeated, when its pipeline runs again. `holds`: what calls that
    were sent may have cost. `lost`: what was sent by a process that died before the reply was stored."""

    calls: Mapping[tuple[str, int | None, str], Call] = field(default_factory=dict)
    decisions: Mapping[str, bytes] = field(default_factory=dict)
    events: Sequence[tuple[int, StoredEvent]] = ()
    reservation: Reservation | None = None
    holds: Mapping[tuple[str, int | None, str], float] = field(default_factory=dict)
    lost: float = 0.0


class Store(Protocol):
    """Whatever reaches the database raises StoreUnavailable when that cannot be had, but for `append`."""

    availability: Availability
    migrated: bool
    """Whether opening it changed its schema."""

    async def revision(self) -> str | None:
        """Of the schema that is there, before it is opened; None if there is none. Raises MootError."""
        ...

    async def open(self) -> None:
        """Connect and bring the schema up to date."""

    async def close(self) -> None:
        """Finish what is queued, then disconnect."""

    async def begin(self, opening: NewRun) -> BeginOutcome:
        """Insert a run with its opening event (number 1) at epoch 1.

        Raises Conflict while another run of the conversation is going on, KeyReused if the
        idempotency key came with another request digest, NotFound if a conversation that should
        be there is gone, LimitReached if its person may not begin one now.
        """
        ...

    def append(self, entry: Append) -> Future[int | None]:
        """Queue an entry; entries of one run are committed in the order they were queued.

        The future yields, after the commit, the event's number; None if there was no event or its
        key was already taken (then neither event nor rows are written, the rest is).
        While the database cannot be written it waits and is written again until it is, or the store is
        closed. Fails with LeaseLost if the run's epoch has moved on, or if an earlier entry of the run was
        refused for its own sake: no event is stored whose call was not.
        """
        ...

    async def read(self, query: Callable[[Connection], T]) -> T: ...

    def glance(self, query: str, values: Sequence[str]) -> Sequence[Sequence[Any]] | None:
        """The rows of a query that reads a page or two, found without waiting for another thread; None where
        that cannot be done: then `read` them."""
        ...

    async def change(self, query: Callable[[Connection], T]) -> T:
        """Run `query` in a transaction that commits when it returns."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether processes of many machines may work on it, so that runs can wait for any of them."""
        ...

    async def run_waits(self, seconds: float) -> None:
        """Until a run is said to wait for somebody, or so long."""
