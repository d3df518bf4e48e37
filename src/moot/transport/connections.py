"""The connections to providers: one pool per process, kept open from call to call.

reply = await connections.send(provider, model, HTTPRequest("POST", url, headers), body)
try:
    first = await reply.read()
finally:
    reply.close()
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from aiohappyeyeballs import start_connection

from moot.kernel.clock import monotonic
from moot.settings.providers import Provider
from moot.transport.failures import broken_off, unreachable
from moot.transport.http_connection import Broken, HTTPConnection, Reply
from moot.transport.public_addresses import PrivateAddress, public_socket

IDLE_SECONDS = 30.0
"""How long a connection is kept for the next call."""
NAME_SECONDS = 300.0
"""How long it is known where a name leads."""
NEXT_ADDRESS_SECONDS = 0.25
"""A name may have several addresses; if one does not answer for so long, the next is tried beside it."""
_SAFE = "/%:@!$&'()*+,;=~"

AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]


class Place(NamedTuple):
    """Where a connection leads."""

    host: str
    port: int
    secure: bool


class HTTPRequest:
    """A request but for its body: made once, sent often. Raises ValueError if the address is none, or a
    header would end the head."""

    __slots__ = ("_head", "place")

    def __init__(self, method: str, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not the address of a server")
        secure = parts.scheme == "https"
        host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode()
        self.place = Place(host, parts.port or (443 if secure else 80), secure)
        name = f"[{host}]" if ":" in host else host
        fields = {
            "Host": name if parts.port is None else f"{name}:{parts.port}",
            "User-Agent": "moot",
            "Accept-Encoding": "identity",
            **headers,
        }
        if parts.username is not None and "Authorization" not in fields:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            fields["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        query = f"?{quote(parts.query, safe=f'{_SAFE}?')}" if parts.query else ""
        lines = [f"{method} {quote(parts.path, safe=_SAFE) or '/'}{query} HTTP/1.1"]
        lines += [f"{field}: {value}" for field, value in fields.items()]
        if any(sign in line for line in lines for sign in "\r\n\0"):
            raise ValueError("A header of the request holds a line break")
        self._head = "\r\n".join(lines).encode("latin-1")

    def __repr__(self) -> str:
        return f"HTTPRequest({self.place})"  # the head holds a key

    def with_body(self, body: bytes | None) -> bytes:
        if body is None:
            return b"%b\r\n\r\n" % self._head
        return b"%b\r\nContent-Length: %d\r\n\r\n%b" % (self._head, len(body), body)


class Connections:
    """A pool shared by providers. Keys go with each request, never with the pool. `public_only`: it
    connects to no address within the server's own network."""

    def __init__(self, connect_seconds: float = 10, *, public_only: bool = False) -> None:
        self._connect_seconds = connect_seconds
        self._socket = public_socket if public_only else None
        self._idle: dict[Place, list[HTTPConnection]] = {}
        self._names: dict[Place, tuple[float, Sequence[AddressInfo]]] = {}
        self._sweep: asyncio.TimerHandle | None = None
        self._answered: set[Place] = set()

    async def send(
        self, provider: Provider, model: str, request: HTTPRequest, body: bytes | None = None
    ) -> Reply:
        """The reply to a request, from its head on; close it. What goes wrong on the way, also while it is
        read, is a TransportError."""
        # How many calls run at once is `limited.py`'s to say, how long they take the caller's.
        connection = self._free(request.place)
        try:
            if connection is None:
                connection = await self._connect(request.place)
            connection.send(request.with_body(body))
            del body  # which may be long, and the wait too
            reply = await connection.reply(partial(broken_off, provider, model))
        except Broken as error:
            raise unreachable(provider, model, str(error), worked=True) from None
        except (OSError, TimeoutError) as error:
            # Where no connection came about, nothing was sent that could be on a bill.
            hopeless = isinstance(error, ssl.SSLError | PrivateAddress)
            # Whoever answered before and refuses now is starting anew, and worth waiting for. Where nobody
            # ever has, the address is wrong or nothing runs there: that should be said in seconds, not when
            # the time is up. A server that is loading its model tells so by a 503.
            starting = isinstance(error, ConnectionRefusedError) and request.place in self._answered
            raise unreachable(provider, model, _cause(error), retry=not hopeless, starting=starting) from None
        self._answered.add(request.place)
        return reply

    async def aclose(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for connection in [one for idle in self._idle.values() for one in idle]:
            connection.abort()
        self._idle.clear()
        self._names.clear()
        await asyncio.sleep(0)  # the connections end here

    def _free(self, place: Place) -> HTTPConnection | None:
        idle = self._idle.get(place, [])
        while idle:  # the one that was used last: the others may come to their end
            connection = idle.pop()
            if connection.is_open:
                return connection
        return None

    def _keep(self, place: Place, connection: HTTPConnection) -> None:
        connection.idle_since = monotonic()
        self._idle.setdefault(place, []).append(connection)
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_idle)

    def _end_idle(self) -> None:
        """End what nobody has used for long."""
        self._sweep = None
        latest = monotonic() - IDLE_SECONDS
        for place, idle in list(self._idle.items()):
            for connection in idle:
                if connection.idle_since <= latest:
                    connection.abort()
            self._idle[place] = kept = [one for one in idle if one.is_open]
            if not kept:
                del self._idle[place]
        if self._idle:
            self._sweep = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_idle)

    async def _connect(self, place: Place) -> HTTPConnection:
        """Raises OSError and TimeoutError."""
        loop = asyncio.get_running_loop()
        secured = await _secured() if place.secure else None
        with ExitStack() as on_failure:
            on_failure.callback(self._names.pop, place, None)  # it may have moved
            async with asyncio.timeout(self._connect_seconds):
                opened = await start_connection(
                    await self._addresses(place),
                    happy_eyeballs_delay=NEXT_ADDRESS_SECONDS,
                    interleave=1,
                    socket_factory=self._socket,
                )
                on_failure.callback(opened.close)
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                _, connection = await loop.create_connection(
                    lambda: HTTPConnection(loop, partial(self._keep, place)),
                    sock=opened,
                    ssl=secured,
                    server_hostname=place.host if secured else None,
                )
            on_failure.pop_all()
        return connection

    async def _addresses(self, place: Place) -> Sequence[AddressInfo]:
        until, known = self._names.get(place, (0.0, ()))
        if monotonic() >= until:
            loop = asyncio.get_running_loop()
            known = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
            self._names[place] = (monotonic() + NAME_SECONDS, known)
        return known


async def _secured() -> ssl.SSLContext:
    # To read the certificates takes 30 ms, which no other call should have to wait for.
    return await asyncio.to_thread(tls_context)


@cache
def tls_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _cause(error: OSError | TimeoutError) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not valid ({error.verify_message})"
        case ssl.SSLError():
            return "no secure connection could be made"
        case socket.gaierror():
            return "its name could not be looked up"
        case PrivateAddress():
            return "its address is not public, and MOOT_PRIVATE_ENDPOINTS does not allow it"
        case TimeoutError():
            return "it did not accept the connection in time"
        case ConnectionRefusedError():
            return "connection refused"
        case ConnectionError():
            return "the connection was closed"
        case OSError() if error.strerror:
            return error.strerror.lower()
        case _:
            return f"the connection failed ({type(error).__name__})"
