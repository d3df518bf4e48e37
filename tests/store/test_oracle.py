"""Whatever is asked of it, in whatever groups, a store does what a few dictionaries would do."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from hypothesis import example, given
from hypothesis import strategies as st

from moot.kernel.errors import MootError
from moot.store import Append, Ending, NewRun, Store, conversations, runs
from tests.harness.chance import examples
from tests.store.builders import a_call, a_failure, a_row, an_append, an_event, an_opening
from tests.store.oracle import Oracle, found

T = TypeVar("T")
EXAMPLES = itertools.count()
ENDINGS = [
    Ending("complete", content="answer", title="new title"),
    Ending("degraded", content="half an answer"),
    Ending("failed", error="No."),
    Ending("cancelled", error="Cancelled.", erase=True),
]


@dataclass(frozen=True)
class Begin:
    """`of` is the run to follow up or to retry, counted among those there were."""

    kind: str
    of: int
    key: str | None
    digest: str


@dataclass(frozen=True)
class Entry:
    run: int
    is_late: bool
    parts: dict[str, Any] = field(hash=False)


@dataclass(frozen=True)
class Other:
    kind: str
    run: int


index = st.integers(0, 7)
begins = st.builds(
    Begin,
    st.sampled_from(["new", "new", "follow up", "retry"]),
    index,
    st.sampled_from([None, None, None, "k1", "k2"]),
    st.sampled_from(["d", "d", "other"]),
)
tellings = st.builds(
    lambda key, body, rows: {"event": an_event(key, body), "rows": rows},
    st.sampled_from(["a", "b/1", "b/2", "c"]),
    st.sampled_from([b'{"data":1}', b'{"data":2}']),
    st.lists(st.builds(a_row, st.sampled_from(["x", "y"]), seat=st.sampled_from([None, 1, 2])), max_size=3),
)
calls = st.builds(
    lambda make, step, seat: {"call": make(step, seat)},
    st.sampled_from([a_call, a_failure]),
    st.sampled_from(["collect", "vote"]),
    st.sampled_from([None, 1, 2]),
)
decisions = st.builds(lambda step, value: {"decision": (step, value)}, st.sampled_from("pq"), st.just(b"1"))
endings = st.builds(lambda ending: {"ending": ending}, st.sampled_from(ENDINGS))
none: st.SearchStrategy[dict[str, Any]] = st.just({})
entries = st.builds(
    lambda run, is_late, *parts: Entry(run, is_late, {k: v for part in parts for k, v in part.items()}),
    index,
    st.sampled_from([False] * 9 + [True]),
    none | calls,
    none | decisions,
    none | tellings,
    st.one_of(none, none, none, endings),
)
rounds = st.lists(
    st.one_of(
        st.lists(begins, min_size=1, max_size=4),
        st.lists(entries, min_size=1, max_size=8),
        st.builds(Other, st.sampled_from(["claim", "delete"]), index).map(lambda one: [one]),
    ),
    min_size=2,
    max_size=10,
)


HALF = Ending("degraded", content="half an answer")
ERASED_WHEN_RETRIED: list[list[Begin] | list[Entry] | list[Other]] = [
    [Entry(0, is_late=False, parts={"ending": HALF})],
    [Begin("retry", 0, None, "d")],
    [
        Entry(0, is_late=False, parts={"ending": Ending("cancelled", error="Cancelled.", erase=True)}),
        Entry(1, is_late=False, parts={"event": an_event("a"), "rows": [a_row("x")]}),
    ],
]
"""A run that has ended would take away the messages of the one that retries it."""


@examples(60)
@example(ERASED_WHEN_RETRIED)
@given(rounds=rounds)
async def test_a_store_does_what_its_oracle_does(
    store: Store, rounds: list[list[Begin] | list[Entry] | list[Other]]
) -> None:
    story = Story(store, f"user{next(EXAMPLES)}")
    await story.round([Begin("new", 0, None, "")])
    for one in rounds:
        await story.round(one)
    assert await store.read(partial(found, user_id=story.user)) == story.oracle.told()


class Story:
    def __init__(self, store: Store, user: str) -> None:
        self.store = store
        self.user = user
        self.oracle = Oracle()
        self.openings: list[NewRun] = []

    async def round(self, one: Sequence[Begin | Entry | Other]) -> None:
        """All of a round is asked for at once; the oracle is asked one by one."""
        asked: list[tuple[Callable[[], Awaitable[Any]], Callable[[], Any]]] = []
        for item in one:
            match item:
                case Begin():
                    opening = self.opening(item)
                    asked.append((partial(self.store.begin, opening), partial(self.oracle.begin, opening)))
                case Entry():
                    entry = self.entry(item)
                    asked.append((partial(self.store.append, entry), partial(self.oracle.append, entry)))
                case Other():
                    asked.append(self.other(item))
        happened = await asyncio.gather(*(do() for do, _ in asked), return_exceptions=True)
        for (_, expect), outcome in zip(asked, happened, strict=True):
            assert_same(outcome, expect)

    def opening(self, begin: Begin) -> NewRun:
        name = f"{self.user}-r{len(self.openings)}"
        opening = an_opening(
            name,
            user_id=self.user,
            idempotency_key=begin.key,
            request_digest=begin.digest,
        )
        if begin.kind != "new":
            old = self.openings[begin.of % len(self.openings)]
            opening = replace(opening, conversation_id=old.conversation_id, new_conversation=False)
            if begin.kind == "retry":
                opening = replace(
                    opening,
                    retry_of=old.run_id,
                    user_message_id=old.user_message_id,
                    message_id=old.message_id,
                    question=old.question,
                    title=old.title,
                )
        self.openings.append(opening)
        return opening

    def entry(self, entry: Entry) -> Append:
        run_id = self.openings[entry.run % len(self.openings)].run_id
        run = self.oracle.runs.get(run_id)
        epoch = (run.epoch if run is not None else 1) - entry.is_late
        parts = dict(entry.parts)
        if "ending" in parts:
            opening = next(one for one in self.openings if one.run_id == run_id)
            parts["ending"] = replace(parts["ending"], instead_of=opening.title)
        return an_append(run_id, epoch=epoch, **parts)

    def other(self, other: Other) -> tuple[Callable[[], Awaitable[Any]], Callable[[], Any]]:
        opening = self.openings[other.run % len(self.openings)]
        if other.kind == "claim":
            claim = partial(
                runs.claim,
                run_id=opening.run_id,
                owner="other",
                now=0,
                lease_until=10**13,
                is_dead=lambda owner: True,
            )
            return (
                partial(self.store.change, lambda db: claim(db) is not None),
                partial(self.oracle.claim, opening.run_id),
            )
        delete = partial(conversations.delete_conversation, user_id=self.user, id=opening.conversation_id)

        async def do() -> None:
            await self.store.change(delete)

        return do, partial(self.oracle.delete, opening.conversation_id)


def assert_same(outcome: Any, expect: Callable[[], Any]) -> None:
    failure: Exception | None = None
    try:
        expected = expect()
    except (MootError, LookupError) as error:
        failure = error
    if failure is None:
        assert outcome == expected
    elif isinstance(failure, MootError):
        assert type(outcome) is type(failure)
    else:
        assert isinstance(outcome, Exception)
