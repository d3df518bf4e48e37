"""The floor: an asyncio protocol and uvloop, connections kept, nothing that a product would need."""

from __future__ import annotations

import asyncio
from typing import cast

import orjson
from council import council

HEAD = (
    b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n"
)
FREE: list[Connection] = []
ADDRESS = ("", 0)


class Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = b""
        self._reply: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if found and len(body) >= int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]):
            self._received = b""
            assert self._reply is not None
            self._reply.set_result(body)

    async def ask(self, body: bytes) -> bytes:
        self._reply = asyncio.get_running_loop().create_future()
        self._transport.write(HEAD % len(body) + body)
        return await self._reply


async def setup(base: str, folder: str) -> None:
    global ADDRESS
    host, port = base.split("/")[2].split(":")
    ADDRESS = (host, int(port))


async def ask(model: str, prompt: str) -> str:
    body = orjson.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]})
    if FREE:
        connection = FREE.pop()
    else:
        _, connection = await asyncio.get_running_loop().create_connection(Connection, *ADDRESS)
    reply = await connection.ask(body)
    FREE.append(connection)
    return str(orjson.loads(reply)["choices"][0]["message"]["content"])


async def deliberate() -> str:
    return await council(ask)
