"""Guard: who may come in, and what every answer says to the browser.

The server listens on this machine only and asks for no login. A web page elsewhere must not use that:

- it must not reach the server under a name of its own (DNS rebinding): `Host` must name this machine
- it must not send what changes something: `Origin` and `Sec-Fetch-Site` tell it apart
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.http.problems import TooLarge, problem
from moot.settings import BadSetting

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ANSWER_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        b"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
NO_STORE = (b"cache-control", b"no-store")


def require_loopback(host: str) -> None:
    """Raise BadSetting unless only this machine can reach what listens on `host`."""
    if not is_loopback(host):
        raise BadSetting(
            f"moot has no login yet and would let everyone who can reach {host!r} spend your money: "
            "listen on 127.0.0.1, and come from elsewhere through an SSH tunnel."
        )


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """A pure ASGI middleware: it never touches the bodies of answers, so that streams flow."""

    def __init__(self, app: ASGIApp, *, host: str, max_body_bytes: int) -> None:
        self._app = app
        self._host = host.lower()
        self._most = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _with_answer_headers(message["headers"])}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            status, sentence = refusal
            await problem(status, [("", sentence)])(scope, receive, answer)
            return
        await self._app(scope, self._limit(receive), answer)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 403, f"This server does not go by the name {', '.join(hosts)!r}"
        if scope["method"] not in SAFE_METHODS and _is_foreign(headers, hosts[0]):
            return 403, "A page of another site may not do this"
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            return 400, "The address holds a null character"
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._most:
            return TooLarge.status, self._too_large
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return "@" not in host and (name == self._host or is_loopback(name))

    @property
    def _too_large(self) -> str:
        return f"The body has more than {self._most} bytes"

    def _limit(self, receive: Receive) -> Receive:
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most:
                raise TooLarge(self._too_large)
            return message

        return limited


def _is_foreign(headers: Headers, host: str) -> bool:
    """Whether a page of another origin sent this; programs send neither header. Another port of this
    machine is another origin too."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.lower().partition("://")[2] != host.lower()


def _with_answer_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    has_cache_control = any(name == b"cache-control" for name, _ in headers)
    return [*headers, *ANSWER_HEADERS, *(() if has_cache_control else (NO_STORE,))]
