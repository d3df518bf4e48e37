from __future__ import annotations

from functools import partial

import pytest

from moot.kernel.errors import LeaseLost, Rejected
from moot.kernel.status import Status
from moot.store import Ending, Journal, Store, conversations, runs
from tests.store.builders import a_call, a_follow_up, a_retry, a_row, an_append, an_event, an_opening


async def said(store: Store, run_id: str, question: str, answer: str, **changes: object) -> None:
    await store.begin(an_opening(run_id, question=question, **changes))
    await store.append(an_append(run_id, ending=Ending("complete", content=answer)))


async def found_by(store: Store, search: str, user: str = "ann") -> set[str]:
    page = await store.read(lambda db: conversations.conversations(db, user, search=search))
    return {conversation.id.removeprefix("conversation of ") for conversation in page.items}


async def test_search_finds_words_in_titles_questions_and_answers(store: Store) -> None:
    await said(store, "r", "Tabs or spaces?", "Tabs, by a naïve majority.", title="Whitespace")
    await said(store, "s", "Où est la Straße?", "Dort drüben.", title="Wege")
    for search, found in {
        "tabs": {"r"},
        "TABS Spac": {"r"},
        "major": {"r"},
        "ajority": set(),
        "white": {"r"},
        "straße": {"s"},
        "drüben": {"s"},
        "est": {"s"},
        "tabs straße": set(),
        "": {"r", "s"},
        "   ": {"r", "s"},
    }.items():
        assert await found_by(store, search) == found, search


async def test_words_must_occur_together_in_one_text(store: Store) -> None:
    await said(store, "r", "alpha", "beta")
    assert await found_by(store, "alpha beta") == set()
    assert await found_by(store, "alpha") == {"r"}


@pytest.mark.parametrize(
    "search",
    [
        '"',
        "'",
        '"tabs',
        "tabs'",
        "tabs AND",
        "NOT tabs",
        "tabs OR",
        "NEAR(tabs, 3)",
        "text:tabs",
        "tabs*",
        "^tabs",
        "(tabs",
        "tabs)",
        "{tabs} :",
        "-tabs",
        "!tabs",
        "tabs & | !",
        "tabs:*",
        "tabs <-> x",
        "\\",
        "tabs\\",
        "%",
        "_",
        "🔥",
        "\x00",
        "tabs\x00",
        ";",
        "--",
        "/* tabs",
        "$1",
        ":words",
        "?",
        "١٢٣",
        "e\u0301",
        "\u200b",
        "a" * 10_000,
        "word " * 500,
    ],
    ids=repr,
)
async def test_nothing_a_person_types_breaks_the_search(store: Store, search: str) -> None:
    await said(store, "r", "Tabs or spaces?", "Tabs.")
    assert await found_by(store, search) <= {"r"}


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("犬も歩けば棒に当たる", "棒に"),
        ("สวัสดีชาวโลก", "ชาว"),
        ("It is 🔥 hot", "🔥"),
        ("100% sure", "100%"),
        ("snake_case names", "snake_case"),
        ("mail ann@example.org today", "ann@example.org"),
        ("read https://example.org/path now", "https://example.org/path"),
        ("C++ or C#", "c++"),
        ("it's 'quoted'", "it's"),
        ("a well-known fact", "well-known"),
    ],
)
async def test_signs_and_scripts_without_spaces_are_found(store: Store, text: str, search: str) -> None:
    await said(store, "r", text, "Yes.")
    await said(store, "s", "Something else", "No.")
    assert await found_by(store, search) == {"r"}


async def test_search_sees_only_ones_own_and_follows_every_change(store: Store) -> None:
    await said(store, "r", "apples", "pears", title="Fruit")
    await said(store, "s", "apples", "plums", user_id="bob")
    assert await found_by(store, "apples") == {"r"}
    assert await found_by(store, "plums") == set()
    assert await found_by(store, "plums", user="bob") == {"s"}
    await store.change(lambda db: conversations.rename(db, "ann", "conversation of r", "Orchard"))
    assert await found_by(store, "fruit") == set()
    assert await found_by(store, "orchard") == {"r"}
    await store.change(lambda db: conversations.delete_conversation(db, "ann", "conversation of r"))
    for search in ("orchard", "apples", "pears"):
        assert await found_by(store, search) == set()
    await store.begin(an_opening("t", question="quinces"))
    assert await found_by(store, "quinces") == {"t"}
    await store.append(an_append("t", ending=Ending("failed", erase=True)))
    assert await found_by(store, "quinces") == set()


async def test_a_text_of_megabytes_can_be_kept_and_found_by_its_beginning(store: Store) -> None:
    many_words = "needle " + " ".join(f"{n:x}word" for n in range(200_000))
    await said(store, "r", "long?", many_words)
    await said(store, "s", "one word?", "x" * 3_000_000)
    assert await found_by(store, "needle") == {"r"}
    assert await found_by(store, "long") == {"r"}


async def test_pages_follow_one_another_without_gap_or_repeat(store: Store) -> None:
    for n in range(7):
        await store.begin(an_opening(f"r{n}", started_at=100 + n // 2, mode="vote" if n % 2 else "debate"))
    seen: list[str] = []
    cursor = None
    for size in (3, 3, 1):
        page = await store.read(partial(conversations.conversations, user_id="ann", limit=3, cursor=cursor))
        assert len(page.items) == size
        seen += [conversation.id[-2:] for conversation in page.items]
        cursor = page.next_cursor
        await store.begin(an_opening(f"later {cursor}", started_at=10_000, mode="debate"))
    assert cursor is None
    assert seen == ["r6", "r5", "r4", "r3", "r2", "r1", "r0"]
    votes = await store.read(lambda db: conversations.conversations(db, "ann", mode="vote", limit=100))
    assert [conversation.id[-2:] for conversation in votes.items] == ["r5", "r3", "r1"]
    assert votes.next_cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "12", "x.r", "-1.r", "9999999999999999999999.r", "１.r"])
async def test_a_made_up_cursor_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(Rejected, match="Unknown cursor"):
        await store.read(lambda db: conversations.conversations(db, "ann", cursor=cursor))


async def test_runs_are_listed_newest_first_by_page_and_status(store: Store) -> None:
    for n in range(5):
        await store.begin(an_opening(f"r{n}", started_at=100 + n))
    await store.append(an_append("r1", ending=Ending("complete")))
    await store.begin(an_opening("bobs", user_id="bob"))
    first = await store.read(lambda db: runs.runs_list(db, "ann", limit=3))
    rest = await store.read(lambda db: runs.runs_list(db, "ann", limit=3, cursor=first.next_cursor))
    assert [run.id for run in (*first.items, *rest.items)] == ["r4", "r3", "r2", "r1", "r0"]
    assert rest.next_cursor is None
    complete = await store.read(lambda db: runs.runs_list(db, "ann", status="complete"))
    assert [run.id for run in complete.items] == ["r1"]


async def test_history_is_the_last_ten_answered_turns(store: Store) -> None:
    await said(store, "r0", "question 0", "answer 0")
    for n in range(1, 15):
        await store.begin(a_follow_up(f"r{n}", "r0", question=f"question {n}", started_at=n))
        status: Status = "failed" if n == 12 else "degraded" if n == 13 else "complete"
        await store.append(an_append(f"r{n}", ending=Ending(status, content=f"answer {n}")))
    turns = await store.read(lambda db: conversations.history(db, "conversation of r0"))
    expected = [n for n in range(15) if n != 12][-10:]
    assert turns == [(f"question {n}", f"answer {n}") for n in expected]
    short = await store.read(lambda db: conversations.history(db, "conversation of r0", turns=2))
    assert short == [("question 13", "answer 13"), ("question 14", "answer 14")]


async def test_a_retried_turn_stands_once_and_in_its_place(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.append(an_append("r", ending=Ending("failed", error="x")))
    await store.begin(a_follow_up("s", "r"))
    await store.append(an_append("s", ending=Ending("complete", content="second")))
    await store.begin(a_retry("t", of="r"))
    await store.append(an_append("t", ending=Ending("complete", content="first, after all")))
    turns = await store.read(lambda db: conversations.history(db, "conversation of r"))
    assert turns == [("What about r?", "first, after all"), ("What about s?", "second")]


async def test_the_config_of_the_newest_run_is_the_last(store: Store) -> None:
    await said(store, "r", "x", "y")
    await store.begin(a_follow_up("s", "r", config=b'{"newer":true}', started_at=2_000_000))
    assert await store.read(lambda db: runs.last_config(db, "conversation of r")) == b'{"newer":true}'
    assert await store.read(lambda db: runs.last_config(db, "nothing")) is None


async def test_messages_stand_in_the_order_they_were_written_whatever_the_clock_said(store: Store) -> None:
    await said(store, "r", "first", "1")
    await store.begin(a_follow_up("s", "r", question="second", started_at=5))
    messages = await store.read(lambda db: conversations.messages(db, "conversation of r"))
    assert [message.content for message in messages] == ["first", "1", "second", ""]


async def test_another_persons_things_are_not_there(store: Store) -> None:
    await said(store, "r", "x", "y")
    assert await store.read(lambda db: conversations.conversation(db, "bob", "conversation of r")) is None
    assert await store.read(lambda db: runs.run(db, "r", user_id="bob")) is None
    assert await store.read(lambda db: runs.runs_of_conversation(db, "bob", "conversation of r")) == []
    assert not await store.change(lambda db: conversations.rename(db, "bob", "conversation of r", "mine"))
    assert not await store.change(
        lambda db: conversations.delete_conversation(db, "bob", "conversation of r")
    )
    found = await store.read(lambda db: conversations.conversation(db, "ann", "conversation of r"))
    assert found is not None
    assert found.title == "Title of r"


async def test_deleting_a_conversation_removes_all_its_runs_did(store: Store) -> None:
    await store.begin(an_opening("r", idempotency_key="k", request_digest="d"))
    await store.append(an_append("r", call=a_call("x"), decision=("y", b"1")))
    await store.append(an_append("r", event=an_event("z"), rows=[a_row("row")]))
    assert await store.change(lambda db: conversations.delete_conversation(db, "ann", "conversation of r"))
    assert await store.read(lambda db: runs.run(db, "r")) is None
    journal = await store.read(lambda db: runs.recall(db, "r"))
    assert journal == Journal(events=[])
    assert await store.read(lambda db: conversations.messages(db, "conversation of r")) == []
    assert await store.read(lambda db: conversations.stage_rows(db, "answer of r")) == []
    with pytest.raises(LeaseLost):
        await store.append(an_append("r", event=an_event("late")))
    reborn = an_opening("r", idempotency_key="k", request_digest="other")
    assert (await store.begin(reborn)).is_new


async def test_the_runs_of_an_erased_conversation_can_be_deleted_too(store: Store) -> None:
    await store.begin(an_opening("r"))
    await store.append(an_append("r", ending=Ending("failed", erase=True)))
    assert await store.change(lambda db: conversations.delete_conversation(db, "ann", "conversation of r"))
    assert not await store.change(
        lambda db: conversations.delete_conversation(db, "ann", "conversation of r")
    )


async def test_events_are_read_in_portions(store: Store) -> None:
    await store.begin(an_opening("r"))
    for n in range(5):
        store.append(an_append("r", event=an_event(f"step/{n}")))
    await store.append(an_append("r"))
    portion = await store.read(lambda db: runs.events_after(db, "r", 2, limit=2))
    assert [number for number, _ in portion] == [3, 4]
    assert await store.read(lambda db: runs.events_after(db, "r", 6)) == []
