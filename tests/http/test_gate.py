"""Whoever may no longer come in gets nothing more, whatever was on its way to them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import pytest
from aiohttp import ClientPayloadError, ClientResponse

from moot.batches.driver import driving
from moot.testing import SILENCE
from tests.harness.postgres_server import Server
from tests.harness.waiting import PATIENCE, until
from tests.http.door import Door, script
from tests.http.visitors import PASSWORD, Visitor, browser, visitors

VOTE = {"councilModels": ["ann", "bob", "cyd"]}
DIALECTIC = {"useTemplates": False, "proposerModel": "ann", "skepticModel": "bob", "synthesizerModel": "cyd"}
QUESTION = {"question": "Tabs?", "mode": "vote", "modeConfig": VOTE}
CHAT = {
    "model": "moot/vote",
    "messages": [{"role": "user", "content": "Tabs?"}],
    "moot": {"config": VOTE},
}
RESPONSE = {"model": "moot/vote", "input": "Tabs?", "moot": {"config": VOTE}}
TOOL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "deliberate",
        "arguments": {"question": "Tabs?", "mode": "vote", "config": VOTE},
        "_meta": {"progressToken": 1},
    },
}
STREAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "a question": ("/api/council/stream", QUESTION),
    "its tokens": ("/api/council/stream", {**QUESTION, "streamTokens": True}),
    "a dialectic for its first client": (
        "/api/council/stream?format=debate_event",
        {"question": "Tabs?", "mode": "dialectic", "modeConfig": DIALECTIC},
    ),
    "a chat completion": ("/v1/chat/completions", {**CHAT, "stream": True}),
    "a response": ("/v1/responses", {**RESPONSE, "stream": True}),
    "a tool of MCP": ("/mcp", TOOL),
}
WHOLE = {
    "a chat completion": ("/v1/chat/completions", CHAT),
    "a response": ("/v1/responses", RESPONSE),
}


@asynccontextmanager
async def house(**settings: Any) -> AsyncIterator[tuple[Door, Visitor]]:
    transport = script(**{"ann": SILENCE, **settings.pop("models", {})})
    async with (
        Door(transport, accounts="on", embedder="off", **settings) as door,
        visitors(door, "bob") as (bob,),
    ):
        yield door, bob


async def token_of(who: Visitor) -> tuple[dict[str, str], str]:
    """What a program sends, and the token's id."""
    made = await who.send("POST", "/api/account/tokens", name="program")
    accept = "application/json, text/event-stream"
    return {"Authorization": f"Bearer {made['token']}", "Accept": accept}, made["id"]


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.http.gate.LOOK_AGAIN_SECONDS", 0.0)
    for place in ("http.stream", "http.openai.chat", "http.openai.responses", "mcp.progress"):
        monkeypatch.setattr(f"moot.{place}.PING_SECONDS", 0.05)


async def bytes_of(answer: ClientResponse) -> bytes:
    """All that comes until the answer breaks off."""
    found = b""
    try:
        async with asyncio.timeout(PATIENCE):
            async for piece in answer.content.iter_any():
                found += piece
    except ClientPayloadError:
        return found
    raise AssertionError("it came to an orderly end")


@pytest.mark.parametrize("kind", STREAMS)
async def test_every_stream_breaks_off_and_its_run_goes_on(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, body = STREAMS[kind]
    async with house() as (door, bob):
        headers, id = await token_of(bob)
        async with door.session.post("/mcp", json=TOOL | {"method": "tools/list"}, headers=headers) as warm:
            await warm.read()  # the door of MCP keeps a task of its own from now on
        before = len(asyncio.all_tasks())
        async with door.session.post(path, json=body, headers=headers) as answer:
            assert answer.status == 200
            await answer.content.readany()
            await until(lambda: len(door.engine.running) == 1)
            at_work = len(asyncio.all_tasks())
            await bob.send("DELETE", f"/api/account/tokens/{id}")
            said = await bytes_of(answer)
        assert b"[DONE]" not in said
        assert b"event: complete" not in said
        [run_id] = door.engine.running
        await until(lambda: len(asyncio.all_tasks()) < at_work)  # the stream's own tasks have ended
        await bob.send("POST", f"/api/runs/{run_id}/cancel")
        await until(lambda: len(asyncio.all_tasks()) <= before)
        assert len(door.streams) <= 1  # that of MCP's task
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_whole_answer_that_comes_too_late_is_a_refusal(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, body = WHOLE[kind]
    async with house() as (door, bob):
        headers, id = await token_of(bob)
        asking = asyncio.create_task(door.call("POST", path, json=body, headers=headers))
        await until(lambda: len(door.engine.running) == 1)
        [run_id] = door.engine.running
        await bob.send("DELETE", f"/api/account/tokens/{id}")
        await bob.send("POST", f"/api/runs/{run_id}/cancel")
        status, answer = await asking
    assert (status, answer["error"]["code"]) == (401, "invalid_api_key")
    assert answer["error"]["message"] == "The token is not valid: it is wrong, was revoked, or has expired"
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []


async def test_who_signs_themselves_out_hears_that_it_is_done() -> None:
    async with house() as (door, root), browser(door) as ann:
        link = await root.send("POST", "/api/admin/invitations", note="", days=1)
        assert (await ann.use(link["path"].rpartition("/")[2], "ann"))[0] == 201
        change = {"password": PASSWORD, "newPassword": "another password"}
        assert (await ann.call("POST", "/api/account/password", json=change))[0] == 204
        assert (await ann.call("GET", "/api/runs"))[0] == 200
        gone = {"password": "another password"}
        assert (await ann.call("POST", "/api/account/deletion", json=gone))[0] == 204
        assert (await ann.call("GET", "/api/runs"))[0] == 401


async def test_lines_break_off_as_well_or_they_would_look_whole() -> None:
    async with (
        house(models={"ann": ["spaces", "VOTE: Response A", SILENCE]}) as (door, bob),
        driving(door.engine),
    ):
        headers, id = await token_of(bob)
        asked = {"questions": ["One?", "Two?", "Three?"], "mode": "vote", "modeConfig": VOTE, "atOnce": 1}
        batch = await bob.send("POST", "/api/batches", **asked)
        path = f"/api/batches/{batch['id']}/outcomes?follow=true"
        async with door.session.get(path, headers=headers) as answer:
            assert b'"spaces"' in await answer.content.readline()
            await until(lambda: len(door.engine.running) == 1)
            await bob.send("DELETE", f"/api/account/tokens/{id}")
            await bob.send("POST", f"/api/batches/{batch['id']}/cancel")
            assert await bytes_of(answer) == b""


@asynccontextmanager
async def locked_out(postgres_server: Server, url: str) -> AsyncIterator[None]:
    """Inside, the database takes no connection, and has closed those it had."""
    name = urlsplit(url).path[1:]
    admin = await asyncpg.connect(postgres_server.url)
    await admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    await admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
    try:
        yield
    finally:
        await admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        await admin.close()


async def pings(answer: ClientResponse, count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while count:
            line = await answer.content.readline()
            assert line, "the stream ended"
            count -= line == b": ping\n"


async def test_while_nobody_can_say_who_may_read_a_stream_goes_on(
    postgres_server: Server, postgres_url: str
) -> None:
    async with (
        house(database=postgres_url) as (door, bob),
        bob.session.post("/api/council/stream", json=QUESTION) as answer,
    ):
        await until(lambda: len(door.engine.running) == 1)
        async with locked_out(postgres_server, postgres_url):
            await pings(answer, 10)
        await pings(answer, 10)
        [run_id] = door.engine.running
        await bob.send("POST", f"/api/runs/{run_id}/cancel")
        assert b"event: error" in await answer.read()


async def test_a_database_that_hangs_does_not_silence_a_stream(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    monkeypatch.setattr("moot.http.gate.LOOK_SECONDS", 0.2)
    async with (
        house(database=postgres_url) as (door, bob),
        bob.session.post("/api/council/stream", json=QUESTION) as answer,
    ):
        await until(lambda: len(door.engine.running) == 1)
        [run_id] = door.engine.running
        other = await asyncpg.connect(postgres_url)
        async with other.transaction():
            await other.execute("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE")
            await pings(answer, 5)
        await other.close()
        await pings(answer, 5)
        await bob.send("POST", f"/api/runs/{run_id}/cancel")
        assert b"event: error" in await answer.read()
