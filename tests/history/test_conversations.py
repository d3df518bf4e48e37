"""Runs and conversations by how their ids begin; deleting what still runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from moot.history.conversations import (
    ListedConversation,
    delete_conversation,
    find_conversation,
    list_conversations,
    rename_conversation,
)
from moot.history.runs import find_run, list_runs
from moot.history.views import read_transcript
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound, Rejected
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.settings import Settings
from moot.store import Ending
from moot.store.paging import Page
from moot.store.urls import store_for
from moot.testing import SILENCE, Scripted
from tests.store.builders import a_follow_up, an_append, an_event, an_opening

RUNS = {"aaaa1111": "cccc1111", "aaaa2222": "cccc2222", "bbbb1111": "dddd1111"}


@asynccontextmanager
async def an_archive(url: str) -> AsyncIterator[Engine]:
    """Three finished runs of ann's, each in a conversation of its own; nobody answers any more."""
    script = Scripted(x=SILENCE, y=SILENCE, z=SILENCE)
    engine = Engine(store_for(url), script, Panel(("x", "y", "z")), Settings(), modes=MODES, adopts=False)
    async with engine:
        for run, conversation in RUNS.items():
            await engine.store.begin(an_opening(run, conversation_id=conversation))
            await engine.store.append(an_append(run, ending=Ending("complete", content="Tabs.")))
        yield engine


async def test_a_run_is_found_by_how_its_id_begins(store_url: str) -> None:
    async with an_archive(store_url) as engine:
        assert (await find_run(engine, "ann", "aaaa1")).id == "aaaa1111"
        assert (await find_run(engine, "ann", "bbbb")).id == "bbbb1111"


@pytest.mark.parametrize(
    ("user", "prefix", "message"),
    [
        ("ann", "aaaa", "Several runs begin with aaaa: give more of the id"),
        ("ann", "bbb", "There is no run bbb"),
        ("ann", "%%%%", "There is no run %%%%"),
        ("bob", "bbbb1111", "There is no run bbbb1111"),
    ],
)
async def test_what_fits_none_or_several_is_refused(user: str, prefix: str, message: str) -> None:
    async with an_archive("sqlite://") as engine:
        with pytest.raises(Rejected, match=message):
            await find_run(engine, user, prefix)


async def test_a_conversation_is_found_by_its_own_id_or_that_of_a_run_in_it(store_url: str) -> None:
    async with an_archive(store_url) as engine:
        assert (await find_conversation(engine, "ann", "dddd")).id == "dddd1111"
        assert (await find_conversation(engine, "ann", "bbbb")).id == "dddd1111"
        with pytest.raises(Rejected, match="Several conversations begin with cccc"):
            await find_conversation(engine, "ann", "cccc")
        with pytest.raises(NotFound, match="There is no conversation dddd1"):
            await find_conversation(engine, "bob", "dddd1")


async def test_a_conversation_that_went_with_its_error_is_found_by_its_run_and_listed(store_url: str) -> None:
    async with an_archive(store_url) as engine:
        before = (await list_conversations(engine, "ann")).items
        await engine.store.begin(an_opening("eeee1111", question="Plums or pears?", started_at=9_000_000))
        await engine.store.append(an_append("eeee1111", ending=Ending("failed", error="x", erase=True)))
        assert (await find_run(engine, "ann", "eeee")).status == "failed"
        found = await find_conversation(engine, "ann", "eeee")
        assert (found.title, found.mode) == ("Plums or pears?", "vote")
        listed = (await list_conversations(engine, "ann")).items
        assert [(one.conversation, one.standing.status) for one in listed if one not in before] == [
            (found, "failed")
        ]
        assert await list_conversations(engine, "bob", search="plums") == Page([], None)
        pages: list[ListedConversation] = []
        cursor = None
        while cursor or not pages:
            page = await list_conversations(engine, "ann", limit=1, cursor=cursor)
            pages += page.items
            cursor = page.next_cursor
        assert pages == listed
        for search, count in (("plums", 1), ("pears plum", 1), ("figs", 0)):
            assert len((await list_conversations(engine, "ann", search=search)).items) == count
        with pytest.raises(NotFound):
            await rename_conversation(engine, "ann", found.id, "Fruit")


async def test_a_follow_up_that_went_with_its_error_stands_where_it_was_asked() -> None:
    async with an_archive("sqlite://") as engine:
        place = "conversation of ffff1111"
        opening = an_event(
            "vote_start", b'{"conversationId":"c","messageId":"m","runId":"r","mode":"vote"}', at=0
        )
        await engine.store.begin(an_opening("ffff1111", opening=opening))
        await engine.store.append(an_append("ffff1111", ending=Ending("complete", content="Yes.")))
        later = {"opening": opening, "started_at": 9_000_000_000_000}
        await engine.store.begin(a_follow_up("gggg1111", "ffff1111", question="And why?", **later))
        await engine.store.append(an_append("gggg1111", ending=Ending("cancelled", error="x", erase=True)))
        turns = (await read_transcript(engine, place, "ann")).turns
        assert [(turn.message.content, turn.message.status) for turn in turns[1:]] == [
            ("Yes.", "complete"),
            ("And why?", "complete"),
            ("", "cancelled"),
        ]


async def test_a_conversation_is_renamed_for_its_owner_alone() -> None:
    async with an_archive("sqlite://") as engine:
        assert (await rename_conversation(engine, "ann", "dddd1111", "Spaces")).conversation.title == "Spaces"
        with pytest.raises(NotFound):
            await rename_conversation(engine, "bob", "dddd1111", "Mine")
        page = await list_conversations(engine, "ann", search="Spaces")
        assert [one.conversation.title for one in page.items] == ["Spaces"]


async def test_to_delete_a_conversation_ends_what_runs_in_it() -> None:
    async with an_archive("sqlite://") as engine:
        ask = {"question": "Tabs?", "mode": "vote", "modeConfig": {"councilModels": ["x", "y", "z"]}}
        run = await engine.start(AskRequest.of(ask), user="ann")
        assert run.id in engine.running
        await delete_conversation(engine, "ann", run.conversation_id)
        assert run.id not in engine.running
        assert run.id not in {one.id for one in (await list_runs(engine, "ann")).items}
        with pytest.raises(NotFound, match=f"There is no conversation {run.conversation_id}"):
            await delete_conversation(engine, "ann", run.conversation_id)
