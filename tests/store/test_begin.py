from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from moot.kernel.errors import Conflict, KeyReused, NotFound
from moot.kernel.values import CouncilRow
from moot.store import Append, BeginOutcome, Ending, Store, conversations, runs
from moot.store.journal import KEY_LIFETIME_MS
from tests.store.builders import (
    NEVER,
    a_call,
    a_failure,
    a_follow_up,
    a_retry,
    a_row,
    an_append,
    an_event,
    an_opening,
)
from tests.store.oracle import inherited

COMPLETE = Ending("complete", content="Yes.")


async def finished(store: Store, run_id: str, ending: Ending = COMPLETE) -> None:
    await store.begin(an_opening(run_id))
    await store.append(an_append(run_id, event=an_event("end"), ending=ending))


async def test_a_run_begins_with_its_conversation_its_messages_and_its_first_event(store: Store) -> None:
    opening = an_opening("r", config=b'{"a":"\xc3\x9f"}', history=b'[["q","a"]]')
    assert await store.begin(opening) == BeginOutcome("r", is_new=True)
    record = await store.read(lambda db: runs.run(db, "r"))
    assert record is not None
    assert (record.config, record.history, record.seed) == (opening.config, opening.history, "seed")
    assert (record.status, record.epoch, record.owner, record.lease_until) == ("running", 1, "me", NEVER)
    assert (record.active_ms, record.cancel_requested, record.new_conversation) == (0, False, True)
    assert (record.started_at, record.finished_at, record.retry_of) == (1_000_000, None, None)
    found = await store.read(lambda db: conversations.conversation(db, "ann", record.conversation_id))
    assert found == conversations.Conversation(
        "conversation of r", "ann", "Title of r", "vote", 1_000_000, 1_000_000
    )
    question, answer = await store.read(lambda db: conversations.messages(db, record.conversation_id))
    assert (question.id, question.content) == ("question of r", "What about r?")
    assert (answer.id, answer.content, answer.status) == ("answer of r", "", "running")
    assert await store.read(lambda db: runs.events_after(db, "r", 0)) == [(1, opening.opening)]


async def test_a_thousand_runs_begin_at_once(store: Store) -> None:
    begun = await asyncio.gather(*(store.begin(an_opening(f"r{n}")) for n in range(1000)))
    assert begun == [BeginOutcome(f"r{n}", is_new=True) for n in range(1000)]
    numbers = await asyncio.gather(
        *(store.append(an_append(f"r{n}", event=an_event("x"))) for n in range(1000))
    )
    assert set(numbers) == {2}


async def test_a_conversation_has_one_run_at_a_time(store: Store) -> None:
    await store.begin(an_opening("r"))
    with pytest.raises(Conflict, match="'conversation of r' is still in progress"):
        await store.begin(a_follow_up("s", "r"))
    await store.append(an_append("r", ending=COMPLETE))
    assert await store.begin(a_follow_up("s", "r", started_at=2_000_000)) == BeginOutcome("s", is_new=True)
    found = await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r"))
    assert found is not None
    assert (found.title, found.updated_at) == ("Title of r", 2_000_000)


async def test_of_two_follow_ups_at_once_one_is_refused_and_others_are_not_touched(store: Store) -> None:
    await finished(store, "r")
    openings = [an_opening("x"), a_follow_up("s", "r"), a_follow_up("t", "r"), an_opening("y")]
    first, second, third, fourth = await asyncio.gather(
        *(store.begin(opening) for opening in openings), return_exceptions=True
    )
    assert (first, second, fourth) == (
        BeginOutcome("x", True),
        BeginOutcome("s", True),
        BeginOutcome("y", True),
    )
    assert isinstance(third, Conflict)
    assert await store.read(lambda db: runs.run(db, "t")) is None


@pytest.mark.parametrize("user_id", ["ann", "bob"])
async def test_a_follow_up_needs_a_conversation_of_the_same_person(store: Store, user_id: str) -> None:
    await finished(store, "r")
    first = "r" if user_id == "bob" else "nothing"
    with pytest.raises(NotFound, match="There is no conversation"):
        await store.begin(a_follow_up("s", first, user_id=user_id))
    assert await store.read(lambda db: runs.run(db, "s")) is None


async def test_the_same_key_and_request_lead_to_the_same_run(store: Store) -> None:
    opening = an_opening("r", idempotency_key="k", request_digest="d")
    assert await store.begin(opening) == BeginOutcome("r", is_new=True)
    again = an_opening("s", idempotency_key="k", request_digest="d")
    assert await store.begin(again) == BeginOutcome("r", is_new=False)
    assert await store.read(lambda db: runs.run(db, "s")) is None
    assert await store.read(lambda db: conversations.conversation(db, "ann", "conversation of s")) is None


async def test_of_many_with_one_key_at_once_one_begins(store: Store) -> None:
    begun = await asyncio.gather(
        *(store.begin(an_opening(f"r{n}", idempotency_key="k", request_digest="d")) for n in range(20))
    )
    assert begun == [BeginOutcome("r0", is_new=n == 0) for n in range(20)]


async def test_a_key_is_refused_with_another_request_but_is_free_for_another_person(store: Store) -> None:
    await store.begin(an_opening("r", idempotency_key="k", request_digest="d"))
    with pytest.raises(KeyReused, match="Idempotency-Key 'k'"):
        await store.begin(an_opening("s", idempotency_key="k", request_digest="other"))
    bobs = an_opening("t", user_id="bob", idempotency_key="k", request_digest="other")
    assert (await store.begin(bobs)).is_new


async def test_a_key_is_free_again_after_a_day(store: Store) -> None:
    first = an_opening("r", idempotency_key="k", request_digest="d")
    await store.begin(first)
    day_later = first.started_at + KEY_LIFETIME_MS
    early = an_opening("s", idempotency_key="k", request_digest="d", started_at=day_later - 1)
    assert await store.begin(early) == BeginOutcome("r", is_new=False)
    late = an_opening("t", idempotency_key="k", request_digest="other", started_at=day_later)
    assert await store.begin(late) == BeginOutcome("t", is_new=True)
    assert await store.begin(replace(late, run_id="u")) == BeginOutcome("t", is_new=False)


async def test_old_keys_are_purged(store: Store) -> None:
    first = an_opening("r", idempotency_key="k", request_digest="d")
    await store.begin(first)
    day_later = first.started_at + KEY_LIFETIME_MS
    assert await store.change(lambda db: runs.purge_idempotency(db, day_later - 1)) == 0
    assert await store.change(lambda db: runs.purge_idempotency(db, day_later)) == 1


async def test_a_retry_inherits_answers_but_neither_failures_nor_decisions_nor_rows(store: Store) -> None:
    await store.begin(an_opening("r"))
    answered = a_call("collect", 1)
    rows = [a_row("old"), CouncilRow("stage2_label_map", {"label": "Response A", "seat": 1, "model": "a/a"})]
    await store.append(an_append("r", call=answered))
    await store.append(an_append("r", call=a_failure("collect", 2)))
    await store.append(an_append("r", decision=("again?", b"true")))
    await store.append(an_append("r", event=an_event("collect"), rows=rows))
    await store.append(an_append("r", event=an_event("error"), ending=Ending("failed", error="No.")))

    retry = a_retry("s", of="r", started_at=2_000_000)
    assert await store.begin(retry) == BeginOutcome("s", is_new=True)
    journal = await store.read(lambda db: runs.recall(db, "s"))
    assert journal.calls == {("collect", 1, answered.digest): inherited(answered)}
    assert journal.decisions == {}
    assert journal.events == [(1, retry.opening)]
    assert await store.read(lambda db: conversations.stage_rows(db, "answer of r")) == []
    assert await store.read(lambda db: conversations.council_rows(db, "answer of r")) == []
    question, answer = await store.read(lambda db: conversations.messages(db, "conversation of r"))
    assert (question.id, answer.id, answer.status, answer.error) == (
        "question of r",
        "answer of r",
        "running",
        None,
    )
    record = await store.read(lambda db: runs.run(db, "s"))
    assert record is not None
    assert (record.retry_of, record.new_conversation) == ("r", False)
    old = await store.read(lambda db: runs.recall(db, "r"))
    assert (len(old.calls), len(old.events)) == (2, 3)


async def test_a_retry_puts_back_what_was_erased(store: Store) -> None:
    erasing = Ending("failed", error="Too few.", erase=True)
    await finished(store, "r", erasing)
    await store.begin(a_retry("s", of="r"))
    found = await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r"))
    assert found is not None
    assert found.title == "Title of r"
    messages = await store.read(lambda db: conversations.messages(db, "conversation of r"))
    assert [message.content for message in messages] == ["What about r?", ""]
    await store.append(an_append("s", event=an_event("error"), ending=erasing))
    assert await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r")) is None


async def test_a_retry_that_is_erased_leaves_the_other_turns(store: Store) -> None:
    await finished(store, "r", Ending("failed", error="No."))
    await store.begin(a_follow_up("s", "r"))
    await store.append(an_append("s", ending=COMPLETE))
    await store.begin(a_retry("t", of="r", new_conversation=True))
    await store.append(an_append("t", ending=Ending("failed", error="No.", erase=True)))
    messages = await store.read(lambda db: conversations.messages(db, "conversation of r"))
    assert [message.content for message in messages] == ["What about s?", "Yes."]


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        (COMPLETE, Conflict),
        (Ending("failed", error="x"), None),
        (Ending("cancelled", error="x"), None),
        (Ending("degraded"), None),
    ],
    ids=lambda value: getattr(value, "status", ""),
)
async def test_only_what_did_not_end_well_is_retried(
    store: Store, ending: Ending, error: type[Exception] | None
) -> None:
    await finished(store, "r", ending)
    if error is None:
        assert (await store.begin(a_retry("s", of="r"))).is_new
        return
    with pytest.raises(error, match="The run is complete: only a failed"):
        await store.begin(a_retry("s", of="r"))


async def test_a_run_is_not_retried_while_it_or_its_retry_goes_on(store: Store) -> None:
    await store.begin(an_opening("r"))
    with pytest.raises(Conflict):
        await store.begin(a_retry("s", of="r"))
    await store.append(an_append("r", ending=Ending("failed", error="x")))
    await store.begin(a_retry("s", of="r"))
    with pytest.raises(Conflict):
        await store.begin(a_retry("t", of="r"))


async def test_what_was_retried_is_not_retried_again_but_its_retry_is(store: Store) -> None:
    await finished(store, "r", Ending("failed", error="x"))
    await store.begin(a_retry("s", of="r"))
    await store.append(an_append("s", ending=Ending("failed", error="x")))
    with pytest.raises(Conflict, match="retry s, the newer one"):
        await store.begin(a_retry("t", of="r"))
    assert (await store.begin(replace(a_retry("t", of="r"), retry_of="s"))).is_new


async def test_a_run_of_another_person_cannot_be_retried(store: Store) -> None:
    await finished(store, "r", Ending("failed", error="x"))
    with pytest.raises(NotFound, match="There is no run 'r'"):
        await store.begin(a_retry("s", of="r", user_id="bob"))


async def test_the_next_turn_begins_right_after_the_last_one_was_queued_to_end(store: Store) -> None:
    await store.begin(an_opening("r"))
    store.append(an_append("r", ending=COMPLETE))
    assert (await store.begin(a_follow_up("s", "r"))).is_new


async def test_nothing_of_a_refused_run_is_left(store: Store) -> None:
    await store.begin(an_opening("r"))
    with pytest.raises(Conflict):
        await store.begin(a_follow_up("s", "r", idempotency_key="k", request_digest="d"))
    assert len(await store.read(lambda db: conversations.messages(db, "conversation of r"))) == 2
    await store.append(Append("r", 1, 0, 0, ending=COMPLETE))
    assert (await store.begin(a_follow_up("s", "r", idempotency_key="k", request_digest="d"))).is_new
