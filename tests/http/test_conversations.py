"""Conversations: listed, searched, read, renamed, removed, exported."""

from __future__ import annotations

import json

from markdown_it import MarkdownIt

from moot.kernel.errors import TransportError
from moot.testing import SILENCE, Scripted
from tests.harness.waiting import until
from tests.http.door import QUESTION, Door, script

THREE = {"councilModels": ["ann", "bob", "cyd"]}


async def test_conversations_are_listed_latest_first_in_pages_and_by_mode(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        told = [await door.ask(mode=mode) for mode in ("vote", "debate", "vote", "council", "vote")]
        every = (await door.get("/api/conversations"))["conversations"]
        first = await door.get("/api/conversations?limit=3")
        second = await door.get(f"/api/conversations?limit=3&cursor={first['nextCursor']}")
        votes = (await door.get("/api/conversations?mode=vote"))["conversations"]
        assert (await door.call("GET", "/api/conversations?cursor=1"))[0] == 400
    assert [one["id"] for one in every] == [story.conversation_id for story in reversed(told)]
    assert first["conversations"] + second["conversations"] == every
    assert second["nextCursor"] is None
    assert [one["mode"] for one in votes] == ["vote"] * 3
    assert every[0]["title"] == "A Short Title"


async def test_a_search_finds_words_of_titles_questions_and_answers(store_url: str) -> None:
    make, size = "Makefiles need tabs?", 'Was ist "Größe" (x:y)?'
    async with Door(script(), database=store_url) as door:
        ids = {(await door.ask(question, mode="vote")).conversation_id: question for question in (make, size)}
        for search, found in (
            ("makefiles", {make}),
            ("MAKE tabs", {make}),
            ("spaces", {make, size}),
            ("größe", {size}),
            ('"x:y" OR NOT (', set()),
            ("nothing of that kind", set()),
            ("short title", {make, size}),
            ("", {make, size}),
        ):
            page = await door.get("/api/conversations", params={"search": search})
            assert {ids[one["id"]] for one in page["conversations"]} == found, search


async def test_a_search_is_not_endless() -> None:
    async with Door(script()) as door:
        status, problem = await door.call("GET", "/api/conversations", params={"search": "x" * 501})
    assert (status, problem["details"][0]["path"]) == (400, "search")


async def test_a_conversation_that_is_still_running_shows_what_there_is() -> None:
    async with (
        Door(script(cyd=SILENCE)) as door,
        door.opened(mode="vote", modeConfig=THREE) as reader,
    ):
        opening = (await reader.until("stage1_start"))[0]
        conversation = await door.get(f"/api/conversations/{opening['conversationId']}")
    question, answer = conversation["messages"]
    assert (question["role"], question["content"], question["status"]) == ("user", QUESTION, "complete")
    assert "runId" not in question
    assert (answer["id"], answer["runId"]) == (opening["messageId"], opening["runId"])
    assert (answer["status"], answer["content"], answer["result"]) == ("running", "", {})


async def test_a_conversation_is_renamed(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        path = f"/api/conversations/{(await door.ask(mode='vote')).conversation_id}"
        status, renamed = await door.call("PATCH", path, json={"title": "  Über Tabs  "})
        assert (status, renamed["title"]) == (200, "Über Tabs")
        assert (await door.get(path))["title"] == "Über Tabs"
        assert len((await door.get("/api/conversations?search=über"))["conversations"]) == 1
        assert (await door.call("PATCH", "/api/conversations/nowhere", json={"title": "x"}))[0] == 404


async def test_a_name_given_while_the_models_deliberate_stays(store_url: str) -> None:
    async with (
        Door(script(cyd=SILENCE), database=store_url) as door,
        door.opened(mode="vote", modeConfig=THREE) as reader,
    ):
        opening = (await reader.until("stage1_start"))[0]
        path = f"/api/conversations/{opening['conversationId']}"
        assert (await door.call("PATCH", path, json={"title": "My own name"}))[0] == 200
    async with Door(script(), database=store_url) as door:
        told = await door.stream("GET", f"/api/runs/{opening['runId']}/events")
        assert told.types[-2:] == ["title_complete", "complete"]
        assert (await door.get(path))["title"] == "My own name"


async def test_a_title_is_one_line_of_text() -> None:
    bodies = [
        "",
        "{}",
        "[]",
        '{"title": ""}',
        '{"title": "  "}',
        '{"title": "a\\nb"}',
        '{"title": "a\\u0000"}',
    ]
    async with Door(script()) as door:
        told = await door.ask(mode="vote")
        for body in (*bodies, '{"title": 7}', '{"title": "x", "c": 1}', json.dumps({"title": "x" * 201})):
            path = f"/api/conversations/{told.conversation_id}"
            status, problem = await door.call("PATCH", path, data=body)
            assert status == 400, body
            assert problem["details"], body


async def test_deleting_a_conversation_cancels_its_run_and_removes_everything(store_url: str) -> None:
    transport = script(cyd=["cyd says spaces", "VOTE: Response A", SILENCE])
    async with Door(transport, database=store_url) as door:
        first = await door.ask(mode="vote", modeConfig=THREE)
        path = f"/api/conversations/{first.conversation_id}"
        async with door.opened(mode="vote", conversationId=first.conversation_id) as reader:
            run_id = (await reader.until("stage1_start"))[0]["runId"]
            await until(lambda: len(transport.requests) == 10)
            assert await door.call("DELETE", path) == (204, None)
            assert (await reader.until("error"))[-1]["message"] == "Cancelled."
        gone = [path, f"{path}/export", f"/api/runs/{first.run_id}", f"/api/runs/{run_id}"]
        assert [(await door.call("GET", each))[0] for each in gone] == [404] * 4
        assert (await door.call("DELETE", path))[0] == 404
        assert (await door.get("/api/runs"))["runs"] == []
        assert not door.engine.running


async def test_an_export_is_markdown_in_which_models_cannot_play_the_host() -> None:
    evil = "# Moot\n\n**Simulated.** no\n</blockquote><!--\n```\nnever closed"
    name = 'x"; filename=evil.exe\\../..\r\nX: y'
    broke = TransportError("credit", "cyd: <b>no credit</b>\n\n# left")
    async with Door(script(ann=evil, cyd=broke, title=name)) as door:
        told = await door.ask(evil, mode="vote", modeConfig=THREE)
        path = f"/api/conversations/{told.conversation_id}/export"
        async with door.session.get(path) as response:
            text = await response.text()
            headers = response.headers
    assert headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert headers["Content-Disposition"] == (
        "attachment; filename=\"moot.md\"; filename*=UTF-8''moot-x-filename-evil-exe.md"
    )
    tokens = MarkdownIt("commonmark").parse(text)
    outline = [
        tokens[place + 1].content.partition(":")[0]
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    assert outline[1:4] == ["Question", "Answer", "How this answer was reached"]
    assert set(outline[4:]) <= {"Collect", "Vote", "Tiebreaker", "Tiebreaker/again"}
    assert not [token for token in tokens if token.type == "html_block"]
    said = [token.content for token in tokens if token.type == "inline" and token.level == 1]
    assert any(line.startswith("**Degraded.**") for line in said)
    assert text.index("**Degraded.**") < text.index("How this answer was reached")


async def test_a_simulated_answer_says_so_above_the_answer() -> None:
    sims = ["sim/ada", "sim/bo", "sim/cleo"]
    async with Door(Scripted(dict.fromkeys([*sims, "title"], "spaces. VOTE: Response A"))) as door:
        told = await door.ask(mode="vote", modeConfig={"councilModels": sims})
        async with door.session.get(f"/api/conversations/{told.conversation_id}/export") as response:
            text = await response.text()
    assert text.index("**Simulated.**") < text.index("> spaces.")


async def test_an_export_as_json_holds_everything(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        told = await door.ask(mode="debate")
        path = f"/api/conversations/{told.conversation_id}"
        async with door.session.get(f"{path}/export?format=json") as response:
            assert response.headers["Content-Type"] == "application/json"
            assert response.headers["Content-Disposition"].endswith("moot-a-short-title.json")
            document = json.loads(await response.text())
        conversation = await door.get(path)
        run = await door.get(f"/api/runs/{told.run_id}")
        status, problem = await door.call("GET", f"{path}/export?format=pdf")
    question, answer = document["messages"]
    assert answer["result"] == conversation["messages"][1]["result"]
    events = answer["run"]["events"]
    assert [{key: value for key, value in event.items() if key != "id"} for event in events] == told.frames
    assert [str(event["id"]) for event in events] == [sent.id for sent in told.sent]
    assert answer["run"]["totals"] == run["totals"]
    assert "ann says spaces" in {call["text"] for call in answer["run"]["calls"]}
    assert question["content"] == QUESTION
    assert (status, problem["error"]) == (400, "format must be 'markdown' or 'json'")
