"""Public addresses: what is connected to, however it is spelled and however often its name is looked up."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from moot.testing import ModelServer
from moot.transport.public_addresses import PrivateAddress, is_public, public_connector

PUBLIC = ["1.1.1.1", "104.18.6.192", "2606:4700::6810:85e5", "::ffff:1.1.1.1", "64:ff9b::101:101"]
PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:0.0.0.0",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
]
LEADING_HERE = [
    "http://127.0.0.1:{port}/v1",
    "http://127.1:{port}/v1",
    "http://2130706433:{port}/v1",
    "http://0x7f000001:{port}/v1",
    "http://0x7f.0.0.1:{port}/v1",
    "http://0177.0.0.1:{port}/v1",
    "http://017700000001:{port}/v1",
    "http://0:{port}/v1",
    "http://0.0.0.0:{port}/v1",
    "http://[::]:{port}/v1",
    "http://[::1]:{port}/v1",
    "http://[::ffff:127.0.0.1]:{port}/v1",
    "http://[::ffff:7f00:1]:{port}/v1",
    "http://localhost:{port}/v1",
    "http://localhost.:{port}/v1",
    "http://LOCALHOST:{port}/v1",
    "http://127.0.0.1.:{port}/v1",
    "http://①②⑦.⓪.⓪.①:{port}/v1",
    "http://1.1.1.1@127.0.0.1:{port}/v1",
    "http://1.1.1.1:80@127.0.0.1:{port}/v1",
    "http://1.1.1.1%2f@127.0.0.1:{port}/v1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_what_anybody_can_reach_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_what_only_some_can_reach_is_not(address: str) -> None:
    assert not is_public(address)


@asynccontextmanager
async def a_session(resolver: AbstractResolver | None = None) -> AsyncIterator[aiohttp.ClientSession]:
    connector = public_connector(resolver=resolver, use_dns_cache=False)
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


@pytest.mark.parametrize("address", LEADING_HERE)
async def test_no_spelling_of_this_machine_is_connected_to(address: str) -> None:
    async with ModelServer() as server, a_session() as session:
        url = address.format(port=urlsplit(server.url).port)
        # Either nobody takes it for an address, or what it leads to is refused: nothing connects.
        with pytest.raises((aiohttp.ClientConnectorError, aiohttp.InvalidURL)) as caught:
            await session.get(f"{url}/models", allow_redirects=False)
        if isinstance(caught.value, aiohttp.ClientConnectorError):
            assert isinstance(caught.value.os_error, PrivateAddress | socket.gaierror)
        assert server.connections == 0


class Rebinding(AbstractResolver):
    """A name server of an attacker's own: harmless at first, then this machine."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.lookups = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.lookups += 1
        answer = self._answers.pop(0)
        kind = socket.AF_INET6 if ":" in answer else socket.AF_INET
        return [
            ResolveResult(
                hostname=host, host=answer, port=port, family=kind, proto=0, flags=socket.AI_NUMERICHOST
            )
        ]

    async def close(self) -> None:
        pass


async def test_a_name_that_changes_its_address_between_looking_and_connecting_gains_nothing() -> None:
    async with ModelServer() as server:
        port = urlsplit(server.url).port or 0
        resolver = Rebinding("1.1.1.1", "127.0.0.1", "::ffff:127.0.0.1")
        looked_at = await resolver.resolve("rebind.example", port)
        assert is_public(looked_at[0]["host"])  # what a check before the connection would have seen
        async with a_session(resolver) as session:
            for _ in range(2):
                with pytest.raises(aiohttp.ClientConnectorError) as caught:
                    await session.get(f"http://rebind.example:{port}/v1/models")
                assert isinstance(caught.value.os_error, PrivateAddress)
        assert resolver.lookups == 3
        assert server.connections == 0


async def test_the_refusal_does_not_say_where_the_name_leads() -> None:
    async with a_session(Rebinding("10.11.12.13")) as session:
        with pytest.raises(aiohttp.ClientConnectorError) as caught:
            await session.get("http://inner.example/")
        assert "10.11.12.13" not in str(caught.value)
