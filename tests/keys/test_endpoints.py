"""Endpoints that people name: only public addresses, no redirects, and not too much of anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from moot.testing import ModelServer, Reply
from moot.transport import catalogue, pages
from tests.http.visitors import visitors
from tests.keys.servers import LINES, VOTE, Served, keys_at

KEY = "sk-anns-0123456789abcd"


@asynccontextmanager
async def answering(answer: bytes, more: bytes = b"", times: int = 0) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that says the same to everybody; and what it was asked."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head.decode())
        try:
            writer.write(answer)
            for _ in range(times):
                writer.write(more)
                await writer.drain()
            if not answer:
                await reader.read()  # until the other side gives up
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", asked


async def test_where_people_sign_in_no_private_address_is_connected_to(store_url: str) -> None:
    async with (
        ModelServer(models=LINES) as models,
        Served(store_url, accounts="on", private_endpoints="auto") as door,
        visitors(door, "ann") as (ann,),
    ):
        port = urlsplit(models.url).port
        for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost."):
            base_url = f"http://{host}:{port}/v1"
            await ann.send("PUT", "/api/account/keys/lab", key=KEY, baseUrl=base_url)
            tested = await ann.send("POST", "/api/account/keys/lab/test")
            said = ("not public", "looked up", "not valid")
            assert any(words in tested["problem"] for words in said), tested
            await ann.send("PUT", "/api/admin/keys/other", key=KEY, baseUrl=base_url)
            tested = await ann.send("POST", "/api/admin/keys/other/test")
            assert tested["problem"] is not None
        story = await ann.ask(mode="vote", modeConfig=VOTE)
        assert story.types[-1] == "error"
        assert "not public" in story.text or "looked up" in story.text
        assert models.connections == 0


async def test_on_your_own_machine_your_own_network_is_yours() -> None:
    async with (
        ModelServer(models=LINES) as models,
        Served("sqlite:///:memory:", private_endpoints="auto") as door,
    ):
        await door.call("PUT", "/api/account/keys/lab", json={"key": KEY, "baseUrl": models.url})
        assert (await door.call("POST", "/api/account/keys/lab/test"))[1]["problem"] is None
    async with (
        ModelServer(models=LINES) as models,
        Served("sqlite:///:memory:", private_endpoints="refuse") as door,
    ):
        await door.call("PUT", "/api/account/keys/lab", json={"key": KEY, "baseUrl": models.url})
        refused = (await door.call("POST", "/api/account/keys/lab/test"))[1]["problem"]
        assert "not public" in refused
        assert "MOOT_PRIVATE_ENDPOINTS" in refused


async def test_no_redirect_is_followed_with_a_key() -> None:
    async with ModelServer(models=LINES) as thief:
        head = f"HTTP/1.1 307 Go\r\nLocation: {thief.url}/models\r\nContent-Length: 0\r\n\r\n".encode()
        async with answering(head) as (url, asked), Served("sqlite:///:memory:") as door:
            await door.call("PUT", "/api/account/keys/lab", json={"key": KEY, "baseUrl": url})
            tested = (await door.call("POST", "/api/account/keys/lab/test"))[1]["problem"]
            assert "Redirects are not followed" in tested
            assert (await door.ask(mode="vote", modeConfig=VOTE)).types[-1] == "error"
            assert asked
        assert (thief.connections, keys_at(thief)) == (0, set())


async def test_a_list_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_BYTES", 200_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    async with answering(head, b" " * 50_000, 1000) as (url, _), Served("sqlite:///:memory:") as door:
        await door.call("PUT", "/api/account/keys/lab", json={"key": KEY, "baseUrl": url})
        assert "no JSON" in (await door.call("POST", "/api/account/keys/lab/test"))[1]["problem"]


async def test_an_endpoint_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "LIST_SECONDS", 0.2)
    async with answering(b"") as (url, _), Served("sqlite:///:memory:") as door:
        await door.call("PUT", "/api/account/keys/lab", json={"key": KEY, "baseUrl": url})
        assert "no answer within" in (await door.call("POST", "/api/account/keys/lab/test"))[1]["problem"]


async def test_anthropics_dialect_can_be_an_endpoint_of_ones_own() -> None:
    async with ModelServer(models=LINES) as models, Served("sqlite:///:memory:") as door:
        lab = {"key": KEY, "baseUrl": models.url, "kind": "anthropic"}
        await door.call("PUT", "/api/account/keys/lab", json=lab)
        assert (await door.ask(mode="vote", modeConfig=VOTE)).types[-1] == "complete"
        assert {received.path for received in models.requests} == {"/v1/messages"}
        assert {received.headers["x-api-key"] for received in models.requests} == {KEY}


async def test_ollama_is_saved_as_its_own_clients_name_it() -> None:
    async with (
        ModelServer(models={"llama": Reply(text="Tabs.")}) as models,
        Served("sqlite:///:memory:") as door,
    ):
        host = models.url.removeprefix("http://").removesuffix("/v1")
        status, saved = await door.call("PUT", "/api/account/keys/ollama", json={"baseUrl": host})
        assert (status, saved["baseUrl"], saved["hasKey"]) == (200, f"http://{host}", False)
        tested = (await door.call("POST", "/api/account/keys/ollama/test"))[1]
        assert tested == {"problem": None, "models": 1}
