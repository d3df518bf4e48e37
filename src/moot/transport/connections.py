"""The connections to providers: one pool per process, opened when first needed."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp

from moot.kernel.errors import TransportError
from moot.settings.providers import Provider
from moot.transport.failures import broken_off, unreachable


class Connections:
    """A pool shared by all providers. Keys go with each request, never with the pool."""

    def __init__(self, connect_seconds: float = 10) -> None:
        self._connect_seconds = connect_seconds
        self._session: aiohttp.ClientSession | None = None
        self._answered: set[str] = set()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            # How many calls run at once is `limited.py`'s to say, how long they take the caller's.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=30),
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=self._connect_seconds, connect=None, sock_read=None
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": "moot", "Accept-Encoding": "identity"},
            )
        return self._session

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @asynccontextmanager
    async def send(
        self,
        provider: Provider,
        model: str,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request. What goes wrong on the way, also while the reply is read, is a TransportError."""
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._open().request(
                method, url, headers=headers, data=body, allow_redirects=False
            )
            self._answered.add(provider.address)
            yield response
        except (aiohttp.ClientError, ConnectionError) as error:
            if response is not None:
                raise broken_off(provider, model, _cause(error)) from None
            raise _explained(error, provider, model, known=provider.address in self._answered) from None
        finally:
            if response is not None and not response.content.at_eof():
                response.close()


def _explained(
    error: aiohttp.ClientError | ConnectionError, provider: Provider, model: str, *, known: bool
) -> TransportError:
    """`known`: somebody has answered at this address, in this process."""
    certificate = isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError)
    # Where no connection came about, nothing was sent that could be on a bill.
    connected = not isinstance(error, aiohttp.ClientConnectorError)
    # Whoever answered before and refuses now is starting anew, and worth waiting for. Where nobody ever has,
    # the address is wrong or nothing runs there: that should be said in seconds, not when the time is up. A
    # server that is loading its model tells so by a 503.
    starting = known and _is_refusal(error)
    return unreachable(
        provider, model, _cause(error), retry=not certificate, worked=connected, starting=starting
    )


def _is_refusal(error: aiohttp.ClientError | ConnectionError) -> bool:
    return isinstance(error, aiohttp.ClientConnectorError) and isinstance(
        error.os_error, ConnectionRefusedError
    )


def _cause(error: aiohttp.ClientError | ConnectionError) -> str:
    match error:
        case aiohttp.ClientConnectorCertificateError(
            certificate_error=ssl.SSLCertVerificationError() as problem
        ):
            return f"its certificate is not valid ({problem.verify_message})"
        case aiohttp.ClientConnectorDNSError():
            return "its name could not be looked up"
        case aiohttp.ClientSSLError():
            return "no secure connection came about"
        case aiohttp.ServerTimeoutError():
            return "it did not accept the connection in time"
        case aiohttp.ClientConnectorError(os_error=ConnectionRefusedError()):
            return "connection refused"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError() | ConnectionResetError():
            return "the connection was closed"
        case aiohttp.ClientOSError() if error.strerror:
            return error.strerror.lower()
        case _:
            return f"the connection failed ({type(error).__name__})"
