"""HTTP as providers speak it, well and badly: what comes is read, connections are kept or ended, nothing hangs."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvloop

from moot.kernel.errors import TransportError
from moot.settings.providers import Provider
from moot.testing import ModelServer
from moot.transport.connections import Connections, HTTPRequest
from tests.transport.test_public_addresses import LEADING_HERE

PROVIDER = Provider.openrouter("http://127.0.0.1:1/v1", None, 1)
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ZIPPED = gzip.compress(b"Tabs.", mtime=0)


class Speaker:
    """A server that answers each request with the next of these bytes; after the last it hangs up."""

    def __init__(self, *replies: bytes, piece: int = 0) -> None:
        self._replies = list(replies)
        self._piece = piece
        self.connections = 0
        self.heard: list[bytes] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self._replies:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heard.append(head)
                if b"Content-Length: " in head:
                    await reader.readexactly(int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0]))
                reply = self._replies.pop(0)
                for at in range(0, len(reply), self._piece or len(reply)):
                    writer.write(reply[at : at + (self._piece or len(reply))])
                    await writer.drain()
                    await asyncio.sleep(0)
                if b"connection: close" in reply.lower():
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def speaking(*replies: bytes, piece: int = 0, **tls: Any) -> AsyncIterator[Speaker]:
    speaker = Speaker(*replies, piece=piece)
    async with await asyncio.start_server(speaker.serve, "127.0.0.1", 0, **tls) as server:
        port = server.sockets[0].getsockname()[1]
        speaker.url = f"{'https' if tls else 'http'}://localhost:{port}/v1/chat/completions?x=1"
        yield speaker


async def fetch(connections: Connections, url: str, body: bytes | None = b"{}") -> tuple[int, bytes]:
    reply = await connections.send(PROVIDER, "openai/o3", HTTPRequest("POST", url, {}), body)
    with closing(reply):
        return reply.status, await reply.read_all(1 << 20)


@asynccontextmanager
async def a_pool(**options: Any) -> AsyncIterator[Connections]:
    connections = Connections(**options)
    try:
        yield connections
    finally:
        await connections.aclose()


@pytest.mark.parametrize("piece", [0, 1, 7])
@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTabs.",
        b"HTTP/1.1 200 OK\r\ncontent-length:5\r\nconnection: close\r\n\r\nTabs.",
        b"HTTP/1.1 200\r\nConnection: close\r\n\r\nTabs.",
        b"HTTP/1.0 200 OK\r\n\r\nTabs.",
        CHUNKED + b"2\r\nTa\r\n3;x=y\r\nbs.\r\n0\r\n\r\n",
        CHUNKED + b"5\r\nTabs.\r\n0\r\nX-Trailer: 1\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTabs.",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(ZIPPED), ZIPPED),
    ],
)
async def test_a_reply_is_read_however_its_end_is_told_and_however_it_arrives(
    reply: bytes, piece: int
) -> None:
    async with speaking(reply, piece=piece) as speaker, a_pool() as connections:
        assert await fetch(connections, speaker.url) == (200, b"Tabs.")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
            "Could not reach OpenRouter at http://127.0.0.1:1: what it sent is not",
        ),
        (
            b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000,
            "Could not reach OpenRouter at http://127.0.0.1:1: what it",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Le",
            "Could not reach OpenRouter at http://127.0.0.1:1: the connection was",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nTabs.",
            "OpenRouter broke off its reply for openai/o3: the",
        ),
        (
            CHUNKED + b"5\r\nTabs.\r\n",
            "OpenRouter broke off its reply for openai/o3: the connection was closed.",
        ),
        (
            CHUNKED + b"5\r\nTabs.\r\nzz\r\n",
            "OpenRouter broke off its reply for openai/o3: what it sent is not",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nxyz",
            "OpenRouter broke off its reply for openai/o3: what it sent is compressed",
        ),
    ],
)
async def test_what_is_no_whole_reply_is_told_as_what_it_is(reply: bytes, words: str) -> None:
    async with speaking(reply) as speaker, a_pool() as connections:
        with pytest.raises(TransportError) as caught:
            await fetch(connections, speaker.url)
    assert caught.value.reason.startswith(words)
    assert (caught.value.kind, caught.value.retry, caught.value.worked) == ("network", True, True)


@pytest.mark.parametrize(
    ("reply", "connections_made"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTabs.", 1),
        (CHUNKED + b"5\r\nTabs.\r\n0\r\n\r\n", 1),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nTabs.", 3),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nTabs.", 3),
        # A second reply that nobody asked for must be taken for no later one.
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTabs.HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nX",
            3,
        ),
    ],
)
async def test_a_connection_is_kept_only_where_the_next_reply_is_sure_to_be_the_next(
    reply: bytes, connections_made: int
) -> None:
    async with speaking(reply, reply, reply) as speaker, a_pool() as connections:
        for _ in range(3):
            assert await fetch(connections, speaker.url) == (200, b"Tabs.")
    assert speaker.connections == connections_made


async def test_a_few_bytes_that_hold_a_great_many_are_unpacked_piece_by_piece() -> None:
    packed = gzip.compress(b"x" * (64 << 20))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    async with speaking(head + packed) as speaker, a_pool() as connections:
        reply = await connections.send(PROVIDER, "o3", HTTPRequest("GET", speaker.url, {}))
        with closing(reply):
            assert 0 < len(await reply.read()) <= 1 << 20


async def test_a_reader_that_is_slow_holds_the_provider_up_and_misses_nothing() -> None:
    body = b"0123456789abcdef" * (1 << 18)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with speaking(head + body) as speaker, a_pool() as connections:
        reply = await connections.send(PROVIDER, "o3", HTTPRequest("GET", speaker.url, {}))
        with closing(reply):
            read = b""
            while data := await reply.read():
                assert len(data) <= 2 << 20
                read += data
                await asyncio.sleep(0.01)
    assert read == body


async def test_the_request_says_who_asks_whom_for_what() -> None:
    ok = b"HTTP/1.1 204 No Content\r\n\r\n"
    async with speaking(ok, ok) as speaker, a_pool() as connections:
        await fetch(connections, speaker.url.replace("localhost", "ann:p%40ss@localhost"))
        await fetch(connections, speaker.url.replace("/v1/", "/mödels/"), None)
    first, second = (head.decode().split("\r\n") for head in speaker.heard)
    assert first[0] == "POST /v1/chat/completions?x=1 HTTP/1.1"
    assert f"Host: {urlsplit(speaker.url).netloc}" in first
    assert {"Content-Length: 2", "Accept-Encoding: identity", "Authorization: Basic YW5uOnBAc3M="} <= set(
        first
    )
    assert second[0] == "POST /m%C3%B6dels/chat/completions?x=1 HTTP/1.1"


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("ftp://models.example/v1", {}),
        ("http:///v1", {}),
        ("http://models.example:99999/v1", {}),
        ("http://models.example/v1", {"Authorization": "Bearer x\r\nHost: elsewhere"}),
        ("http://models.example/v1", {"Authorization": "Bearer x\nX: y"}),
    ],
)
def test_what_would_be_another_request_is_none(url: str, headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"not the address|line break|out of range"):
        HTTPRequest("POST", url, headers)


def test_the_key_is_in_no_repr_of_a_request() -> None:
    assert "sk-secret" not in repr(HTTPRequest("GET", "http://a.example", {"Authorization": "sk-secret"}))


@pytest.mark.parametrize("address", LEADING_HERE)
async def test_no_spelling_of_this_machine_is_connected_to_where_only_the_public_is(address: str) -> None:
    async with ModelServer() as server, a_pool(public_only=True) as connections:
        url = address.format(port=urlsplit(server.url).port)
        # Either nobody takes it for an address, or what it leads to is refused: nothing connects.
        with pytest.raises((TransportError, ValueError)):
            await fetch(connections, f"{url}/models")
        assert server.connections == 0


async def test_an_inner_address_is_refused_once_and_for_all() -> None:
    async with ModelServer() as server, a_pool(public_only=True) as connections:
        with pytest.raises(TransportError) as caught:
            await fetch(connections, f"{server.url}/models")
    assert "its address is not public" in caught.value.reason
    assert (caught.value.retry, caught.value.worked) == (False, False)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tls") / "both.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
            ),
            *("-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(place), "-out", f"{place}.crt"),
        ],
        check=True,
        capture_output=True,
    )
    place.write_bytes(place.read_bytes() + Path(f"{place}.crt").read_bytes())
    return place


def _server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


async def _fetch_twice_securely(certificate: Path) -> int:
    """How many connections it took."""
    ok = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTabs."
    async with speaking(ok, ok, ssl=_server_side(certificate)) as speaker, a_pool() as connections:
        for _ in range(2):
            assert await fetch(connections, speaker.url) == (200, b"Tabs.")
    return speaker.connections


def test_a_secure_connection_is_kept_too_on_either_loop(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moot.transport import connections

    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
    connections.tls_context.cache_clear()
    try:
        assert asyncio.run(_fetch_twice_securely(certificate)) == 1
        assert uvloop.run(_fetch_twice_securely(certificate)) == 1
    finally:
        connections.tls_context.cache_clear()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_certificate_nobody_vouches_for_is_refused_and_not_tried_again(certificate: Path, run: Any) -> None:
    async def refused() -> TransportError:
        async with speaking(b"", ssl=_server_side(certificate)) as speaker, a_pool() as connections:
            with pytest.raises(TransportError) as caught:
                await fetch(connections, speaker.url)
        return caught.value

    error = run(refused())
    assert "its certificate is not valid (self-signed certificate)" in error.reason
    assert (error.retry, error.worked) == (False, False)
