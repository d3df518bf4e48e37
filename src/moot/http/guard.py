"""Guard: what no web page elsewhere may do, and what every answer says to the browser.

- It must not reach a server without a login under a name of its own (DNS rebinding): `Host` must name this
  machine. Where people sign in, a page under another name has no cookie of theirs; `public_url` narrows it.
- It must not send what changes something: `Origin` and `Sec-Fetch-Site` tell it apart.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.http.access import SAFE_METHODS
from moot.http.answer_headers import NO_STORE, answer_headers
from moot.http.problems import TooLarge, problem
from moot.settings import Settings
from moot.settings.addresses import is_loopback

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""No path of ours has one. What matches paths reads a line end at their end in more than one way, and the
gate must read them as the router does."""


class Guard:
    """A pure ASGI middleware: it never touches the bodies of answers, so that streams flow."""

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self._app = app
        self._public = urlsplit(settings.public_url or "").netloc.lower()
        self._names = {settings.host.lower(), urlsplit(f"//{self._public}").hostname or ""} - {""}
        self._any_name = settings.identification == "accounts" and not self._public
        self._headers = answer_headers(settings)
        self._most = settings.max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": self._with_answer_headers(message["headers"])}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            status, sentence = refusal
            await problem(status, [("", sentence)], path=scope["path"])(scope, receive, answer)
            return
        await self._app(scope, self._limit(receive), answer)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 403, f"This server does not go by the name {', '.join(hosts)!r}"
        if scope["method"] not in SAFE_METHODS and _is_foreign(headers, {hosts[0].lower(), self._public}):
            return 403, "A page from another site may not do this"
        if _CONTROL.search(scope["path"]) or b"%00" in scope["query_string"]:
            return 400, "The address contains a control character"
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._most:
            return TooLarge.status, self._too_large
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if "@" in host or not name:
            return False
        return self._any_name or name in self._names or is_loopback(name)

    def _with_answer_headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        has_cache_control = any(name == b"cache-control" for name, _ in headers)
        return [*headers, *self._headers, *(() if has_cache_control else (NO_STORE,))]

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


def _is_foreign(headers: Headers, ours: set[str]) -> bool:
    """Whether a page of another origin sent this; programs send neither header. Another port of this
    machine is another origin too."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.lower().partition("://")[2] not in ours - {""}
