from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, event

from moot.kernel.errors import LeaseLost
from moot.kernel.values import CouncilRow
from moot.store import Ending, Journal, Store, conversations, runs
from tests.store.builders import a_call, a_failure, a_row, an_append, an_event, an_opening, taken_over


async def test_events_of_many_runs_appended_at_once_are_numbered_without_a_gap(store: Store) -> None:
    names = [f"r{n}" for n in range(20)]
    await asyncio.gather(*(store.begin(an_opening(name)) for name in names))
    written = {
        name: [store.append(an_append(name, event=an_event(f"step/{n}"))) for n in range(10)]
        for name in names
    }
    for name in names:
        assert await asyncio.gather(*written[name]) == list(range(2, 12))
        told = await store.read(partial(runs.events_after, run_id=name, number=0))
        assert [number for number, _ in told] == list(range(1, 12))
        assert [event.key for _, event in told[1:]] == [f"step/{n}" for n in range(10)]


async def test_an_event_is_read_back_as_it_was_told(store: Store) -> None:
    await store.begin(an_opening("r"))
    told = an_event("stage1_complete", '{"data":"ß 🔥 \\u0000 \\n"}'.encode(), at=4210)
    await store.append(an_append("r", event=told))
    assert await store.read(lambda db: runs.events_after(db, "r", 1)) == [(2, told)]


async def test_said_twice_the_first_is_kept_with_its_rows(store: Store) -> None:
    await store.begin(an_opening("r"))
    first = store.append(an_append("r", event=an_event("collect"), rows=[a_row("first")]))
    second = store.append(
        an_append("r", event=an_event("collect", b'{"data":2}'), rows=[a_row("second")], call=a_call("x"))
    )
    third = store.append(an_append("r", event=an_event("later")))
    assert [await first, await second, await third] == [2, None, 3]
    again = await store.append(an_append("r", event=an_event("collect", b'{"data":2}')))
    assert again is None
    journal = await store.read(lambda db: runs.recall(db, "r"))
    assert [event.body for _, event in journal.events[1:]] == [b'{"data":1}', b'{"data":1}']
    assert [call.step for call in journal.calls.values()] == ["x"]
    rows = await store.read(lambda db: conversations.stage_rows(db, "answer of r"))
    assert rows == [a_row("first")]


async def test_a_writer_that_lost_its_lease_is_refused_alone(store: Store) -> None:
    for name in ("ours", "lost", "also ours"):
        await store.begin(an_opening(name))
    await store.change(lambda db: runs.claim(db, "lost", "other", 0, 10**13, lambda owner: True))
    written = [
        store.append(an_append(name, event=an_event("step"), call=a_call("step")))
        for name in ("ours", "lost", "also ours")
    ]
    outcomes = await asyncio.gather(*written, return_exceptions=True)
    assert outcomes[0] == outcomes[2] == 2
    assert isinstance(outcomes[1], LeaseLost)
    journal = await store.read(lambda db: runs.recall(db, "lost"))
    assert len(journal.events) == 1
    assert not journal.calls
    assert await store.append(an_append("lost", epoch=2, event=an_event("step"))) == 2


async def test_a_run_that_is_not_there_cannot_be_appended_to(store: Store) -> None:
    with pytest.raises(LeaseLost, match="'nobody' is no longer ours"):
        await store.append(an_append("nobody", event=an_event("step")))


@pytest.mark.parametrize("status", ["complete", "degraded", "failed", "cancelled"])
async def test_a_run_that_has_ended_takes_nothing_more(store: Store, status: Any) -> None:
    await store.begin(an_opening("r"))
    await store.append(an_append("r", ending=Ending(status, content="answer")))
    erase = Ending("cancelled", erase=True)
    late = [an_append("r", event=an_event("late")), an_append("r", ending=erase), an_append("r")]
    for refused in await asyncio.gather(*map(store.append, late), return_exceptions=True):
        assert isinstance(refused, LeaseLost)
    [record] = await store.read(lambda db: [runs.run(db, "r")])
    assert record is not None
    assert record.status == status


async def test_what_comes_in_one_group_behind_the_end_is_refused(store: Store) -> None:
    await store.begin(an_opening("r"))
    both = [
        an_append("r", event=an_event("x"), ending=Ending("complete")),
        an_append("r", event=an_event("y")),
    ]
    told, refused = await asyncio.gather(*map(store.append, both), return_exceptions=True)
    assert told == 2
    assert isinstance(refused, LeaseLost)


async def test_calls_and_decisions_are_recalled_as_they_were(store: Store) -> None:
    await store.begin(an_opening("r"))
    answered, single, failed = a_call("vote", 2), a_call("title"), a_failure("vote", 3)
    for call in (answered, single, failed):
        assert await store.append(an_append("r", call=call)) is None
    await store.append(an_append("r", decision=("another round?", b'{"go":true}')))
    journal = await store.read(lambda db: runs.recall(db, "r"))
    assert journal.calls == {(call.step, call.seat, call.digest): call for call in (answered, single, failed)}
    assert journal.decisions == {"another round?": b'{"go":true}'}


async def test_what_many_runs_did_is_recalled_by_as_few_statements_as_what_one_did(store: Store) -> None:
    names = [f"r{n}" for n in range(5)]
    for name in names:
        await store.begin(an_opening(name))
        await store.append(an_append(name, call=a_call("vote", 2, text=f"of {name}")))
        await store.append(an_append(name, decision=("again?", name.encode())))
        await store.append(an_append(name, event=an_event(f"heard/{name}")))

    def recalled(db: Connection, *run_ids: str) -> tuple[dict[str, Journal], int]:
        statements: list[str] = []
        listening = (db, "before_cursor_execute", lambda *given: statements.append(given[2]))
        event.listen(*listening)
        journals = runs.recall_all(db, run_ids)
        event.remove(*listening)
        return journals, len(statements)

    many, count = await store.read(lambda db: recalled(db, *names))
    _, count_of_one = await store.read(lambda db: recalled(db, "r0"))
    assert count == count_of_one
    for name in names:
        assert [call.text for call in many[name].calls.values()] == [f"of {name}"]
        assert many[name].decisions == {"again?": name.encode()}
        assert [told.key for _, told in many[name].events[1:]] == [f"heard/{name}"]
        assert many[name] == await store.read(partial(runs.recall, run_id=name))


async def test_a_call_or_decision_made_again_keeps_what_was_first(store: Store) -> None:
    await store.begin(an_opening("r"))
    for text in ("first", "second"):
        await store.append(an_append("r", call=a_call("title", text=text)))
        await store.append(an_append("r", decision=("once", text.encode())))
    journal = await store.read(lambda db: runs.recall(db, "r"))
    assert [call.text for call in journal.calls.values()] == ["first"]
    assert journal.decisions == {"once": b"first"}


async def test_whoever_hears_of_an_event_finds_the_calls_queued_before_it(store: Store) -> None:
    await store.begin(an_opening("r"))
    for seat in range(1, 6):
        store.append(an_append("r", call=a_call("collect", seat)))
        assert await store.append(an_append("r", event=an_event(f"heard/{seat}"))) == seat + 1
        assert len(await store.read(lambda db: runs.calls_of(db, "r"))) == seat


async def test_every_append_renews_the_lease_and_saves_the_active_time(store: Store) -> None:
    await store.begin(an_opening("r", lease_until=5))
    await store.append(an_append("r"))
    record = await store.read(lambda db: runs.run(db, "r"))
    assert record is not None
    assert (record.lease_until, record.active_ms, record.owner) == (10**13, 5, "me")


async def test_an_ending_settles_run_message_and_conversation(store: Store) -> None:
    await store.begin(an_opening("r"))
    ending = Ending("degraded", content="Tabs.", title="Tabs, then", instead_of="Title of r")
    number = await store.append(an_append("r", event=an_event("complete"), rows=[a_row("x")], ending=ending))
    assert number == 2
    record = await store.read(lambda db: runs.run(db, "r"))
    assert record is not None
    assert (record.status, record.error, record.owner, record.lease_until) == ("degraded", None, None, 0)
    assert record.finished_at is not None
    found = await store.read(lambda db: conversations.conversation(db, "ann", record.conversation_id))
    assert found is not None
    assert found.title == "Tabs, then"
    assert found.updated_at == record.finished_at
    question, answer = await store.read(lambda db: conversations.messages(db, record.conversation_id))
    assert (question.role, question.content, question.status) == ("user", "What about r?", "complete")
    assert (answer.role, answer.content, answer.status) == ("assistant", "Tabs.", "degraded")


async def test_a_title_takes_no_other_place_than_that_of_the_first_one(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.change(lambda db: conversations.rename(db, "ann", "conversation of r", "Mine"))
    ending = Ending("complete", content="Tabs.", title="Tabs, then", instead_of="Title of r")
    await store.append(an_append("r", event=an_event("complete"), ending=ending))
    found = await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r"))
    assert found is not None
    assert found.title == "Mine"


async def test_a_failed_ending_keeps_what_there_is_and_says_why(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.append(an_append("r", event=an_event("collect"), rows=[a_row("x")]))
    await store.append(
        an_append("r", event=an_event("error"), ending=Ending("failed", error="All votes failed."))
    )
    _, answer = await store.read(lambda db: conversations.messages(db, "conversation of r"))
    assert (answer.status, answer.error, answer.content) == ("failed", "All votes failed.", "")
    assert len(await store.read(lambda db: conversations.stage_rows(db, "answer of r"))) == 1
    found = await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r"))
    assert found is not None
    assert found.title == "Title of r"


async def test_an_erasing_ending_leaves_only_the_run_with_its_calls_and_events(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.append(an_append("r", call=a_call("collect", 1)))
    ending = Ending("failed", error="Too few answers.", erase=True)
    assert await store.append(an_append("r", event=an_event("error"), rows=[a_row("x")], ending=ending)) == 2
    assert await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r")) is None
    assert await store.read(lambda db: conversations.messages(db, "conversation of r")) == []
    assert await store.read(lambda db: conversations.stage_rows(db, "answer of r")) == []
    journal = await store.read(lambda db: runs.recall(db, "r"))
    assert (len(journal.calls), len(journal.events)) == (1, 2)
    record = await store.read(lambda db: runs.run(db, "r"))
    assert record is not None
    assert (record.status, record.error) == ("failed", "Too few answers.")


async def test_erasing_a_later_turn_keeps_the_conversation(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.append(an_append("r", ending=Ending("complete", content="Yes.")))
    await store.begin(
        an_opening("s", conversation_id="conversation of r", new_conversation=False, started_at=2_000_000)
    )
    await store.append(an_append("s", ending=Ending("failed", error="No.", erase=True)))
    left = await store.read(lambda db: conversations.messages(db, "conversation of r"))
    assert [message.content for message in left] == ["What about r?", "Yes."]


async def test_rows_of_council_go_to_its_own_tables(store: Store) -> None:
    await store.begin(an_opening("r"))
    ranking = [{"label": "Response A", "position": 1}]
    rows = [
        CouncilRow("stage1_responses", {"seat": 1, "model": "a/a", "response": "x", "response_time_ms": 3}),
        CouncilRow(
            "stage1_responses", {"seat": 2, "model": "a/a", "response": "y", "response_time_ms": None}
        ),
        CouncilRow(
            "stage2_rankings",
            {"seat": 1, "model": "a/a", "ranking_text": "A then B", "parsed_ranking": ranking},
        ),
        CouncilRow("stage2_label_map", {"label": "Response A", "seat": 2, "model": "a/a"}),
        CouncilRow(
            "stage3_synthesis", {"seat": None, "model": "c/c", "response": "z", "response_time_ms": 9}
        ),
    ]
    await store.append(an_append("r", event=an_event("stage3_complete"), rows=rows))
    assert await store.read(lambda db: conversations.council_rows(db, "answer of r")) == rows


async def test_rows_are_read_by_stage_then_seat_whatever_order_they_came_in(store: Store) -> None:
    await store.begin(an_opening("r"))
    rows = [
        a_row("tally", stage_order=2, seat=None, model=None, role=None, parsed_data=None),
        a_row("two", seat=2),
        a_row("one", seat=1),
        a_row("vote", stage_order=2, seat=1),
    ]
    await store.append(an_append("r", event=an_event("x"), rows=rows))
    found = await store.read(lambda db: conversations.stage_rows(db, "answer of r"))
    assert found == [rows[2], rows[1], rows[0], rows[3]]


@pytest.mark.parametrize(
    "bad",
    [
        {"event": an_event("x", b"\xff")},
        {"event": an_event("x"), "rows": [a_row("\ud800")]},
        {"event": an_event("x"), "rows": [a_row("x", parsed_data={1, 2})]},
        {"event": an_event("x"), "rows": [CouncilRow("stage1_responses", {"modle": "a/a"})]},
        {"rows": [a_row("an event is missing")]},
        {"event": an_event("x"), "rows": [CouncilRow("stage3_synthesis", {"model": None, "response": "x"})]},
    ],
    ids=["not utf-8", "lone surrogate", "not json", "unknown column", "rows without event", "null model"],
)
async def test_an_entry_that_cannot_be_written_fails_alone_and_whole(
    store: Store, bad: dict[str, Any]
) -> None:
    for name in ("a", "b"):
        await store.begin(an_opening(name))
    written = [
        store.append(an_append("a", event=an_event("one"))),
        store.append(an_append("b", call=a_call("step"), **bad)),
        store.append(an_append("a", event=an_event("two"))),
        store.append(an_append("b", event=an_event("x"))),
    ]
    first, refused, second, third = await asyncio.gather(*written, return_exceptions=True)
    assert (first, second) == (2, 3)
    assert isinstance(third, LeaseLost), "what is queued behind a failed entry of its run is refused too"
    epoch = await taken_over(store, "b")
    assert await store.append(an_append("b", epoch=epoch, event=an_event("x"))) == 2
    assert isinstance(refused, Exception)
    assert await store.read(lambda db: runs.calls_of(db, "b")) == []


async def test_a_cancelled_waiter_does_not_unwrite_its_entry(store: Store) -> None:
    await store.begin(an_opening("r"))
    store.append(an_append("r", call=a_call("vote"))).cancel()
    await store.append(an_append("r"))
    assert len(await store.read(lambda db: runs.calls_of(db, "r"))) == 1


async def test_a_change_finds_what_was_queued_before_it(store: Store) -> None:
    await store.begin(an_opening("r"))
    store.append(an_append("r", call=a_call("vote")))
    assert len(await store.change(lambda db: runs.calls_of(db, "r"))) == 1
