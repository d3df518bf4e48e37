"""Requests that do not arrive: nobody keeps a connection open with half of one."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from moot.http import protocol
from tests.harness.waiting import PATIENCE
from tests.http.door import QUESTION, Door, script

BODY = json.dumps({"question": QUESTION, "mode": "vote"})
HEAD = "POST /api/council/stream HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(protocol, "BODY_SECONDS", 0.5)


async def connect(door: Door, text: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = door.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(text.format(host=host, length=len(BODY)).encode())
    return reader, writer


async def said(reader: asyncio.StreamReader) -> str:
    """All that comes until the server closes the connection."""
    async with asyncio.timeout(PATIENCE):
        return (await reader.read()).decode()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "half",
    ["GET", "GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: ", HEAD, HEAD + "\r\n", HEAD + "\r\n{{"],
    ids=["a method", "a header", "no end of the head", "no body", "half a body"],
)
async def test_half_a_request_is_answered_and_closed(half: str) -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, half)
        answer = await said(reader)
        writer.close()
        head, _, body = answer.partition("\r\n\r\n")
        assert head.startswith("HTTP/1.1 408 ")
        assert json.loads(body)["error"] == "The request did not arrive in time"
        assert not door.engine.running


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("idle", ["", "\r\n\r\n"], ids=["nothing", "line ends"])
async def test_a_connection_on_which_no_request_begins_is_closed(idle: str) -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, idle)
        assert await said(reader) == ""
        writer.close()


@pytest.mark.usefixtures("impatient")
async def test_bytes_that_trickle_in_do_not_buy_time() -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, "GET / HTTP/1.1\r\nX-Slow: ")
        reading = asyncio.create_task(said(reader))
        while not reading.done():
            writer.write(b"x")
            await asyncio.sleep(0.01)
        assert (await reading).startswith("HTTP/1.1 408 ")
        writer.close()


@pytest.mark.usefixtures("impatient")
async def test_whoever_still_sends_when_they_are_refused_can_read_why() -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, "GET / HTTP/1.1\r\nX-Slow: ")
        async with asyncio.timeout(PATIENCE):
            assert await reader.readexactly(13) == b"HTTP/1.1 408 "
        for _ in range(20):
            writer.write(b"x")
            await asyncio.sleep(0)
        assert "did not arrive in time" in await said(reader)
        writer.close()


@pytest.mark.usefixtures("impatient")
async def test_hundreds_of_half_sent_requests_do_not_stay_open() -> None:
    async with Door(script()) as door:
        opened = [await connect(door, HEAD) for _ in range(300)]
        await asyncio.gather(*(said(reader) for reader, _ in opened))  # each to its end
        for _, writer in opened:
            writer.close()
        assert (await door.get("/healthz"))["status"] == "ok"


@pytest.mark.usefixtures("impatient")
async def test_an_answer_may_take_longer_than_a_request_and_another_request_may_follow() -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, HEAD + "\r\n" + BODY.replace("{", "{{").replace("}", "}}"))
        async with asyncio.timeout(PATIENCE):
            assert b"event: complete" in await reader.readuntil(b"\r\n0\r\n\r\n")
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        writer.close()


@pytest.mark.usefixtures("impatient")
async def test_half_a_request_behind_another_does_not_cut_the_answer_off() -> None:
    released = asyncio.Event()

    class Held:
        def __init__(self) -> None:
            self._inner = script()

        async def stream(self, request):  # type: ignore[no-untyped-def]
            await released.wait()
            async for chunk in self._inner.stream(request):
                yield chunk

    async with Door(Held()) as door:
        whole = HEAD + "\r\n" + BODY.replace("{", "{{").replace("}", "}}")
        reader, writer = await connect(door, whole + "GET / HT")
        async with asyncio.timeout(PATIENCE):
            await reader.readuntil(b"event: stage1_start")
            await asyncio.sleep(1.2)  # more than twice as long as half a request may wait by itself
            released.set()
            rest = (await reader.read()).decode()
        assert "event: complete" in rest
        assert rest.partition("\r\n0\r\n\r\n")[2].startswith("HTTP/1.1 408 ")
        writer.close()


CHUNKED = HEAD.replace("Content-Length: {length}", "Transfer-Encoding: chunked") + "\r\n"


@pytest.mark.parametrize(
    ("begin", "piece", "answer"),
    [
        ("GET /", b"x" * 1000, "HTTP/1.1 431 "),
        ("GET / HTTP/1.1\r\nX-Long: ", b"x" * 1000, "HTTP/1.1 431 "),
        ("GET / HTTP/1.1\r\n", b"X-Many: 1\r\n" * 100, "HTTP/1.1 431 "),
        (CHUNKED + "0\r\nX-Last: ", b"x" * 1000, ""),
    ],
    ids=["a path", "a header", "headers", "a trailer, when the answer may have begun"],
)
async def test_a_head_without_end_is_refused_and_not_kept(begin: str, piece: bytes, answer: str) -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, begin)
        reading = asyncio.create_task(said(reader))
        sent = 0
        with contextlib.suppress(ConnectionError):
            while not reading.done() and sent < 10_000_000:
                writer.write(piece)
                await writer.drain()
                sent += len(piece)
                await asyncio.sleep(0)
        assert sent < 10_000_000
        writer.close()
        with contextlib.suppress(ConnectionError):  # what was sent after the refusal resets the connection
            assert (await reading).startswith(answer)
        assert (await door.get("/healthz"))["status"] == "ok"


async def test_a_body_in_pieces_of_one_byte_is_read() -> None:
    async with Door(script()) as door:
        reader, writer = await connect(door, CHUNKED)
        padded = BODY + " " * 30_000
        writer.write(b"".join(b"1\r\n%c\r\n" % byte for byte in padded.encode()) + b"0\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            assert b"event: complete" in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()
