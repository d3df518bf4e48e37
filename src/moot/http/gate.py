"""The gate: says who is asking, before anything else of the request is read, and whether they may.

The one place where a request gets its identity. Routes, mounted applications included, find it in the
request's state; see `dependencies.User`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from anyio import CancelScope, move_on_after
from anyio.lowlevel import checkpoint
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.accounts.api_tokens import person_of_token
from moot.accounts.identity import NOBODYS_NAMES, Identity
from moot.accounts.people import person_of_session
from moot.http.access import SAFE_METHODS, Access, access_of, require
from moot.http.cookies import SESSION, read_cookie
from moot.http.peer import Peer
from moot.http.problems import refusal, unavailable
from moot.http.protocol import break_off
from moot.kernel.clock import monotonic
from moot.kernel.engine import Engine
from moot.kernel.errors import Forbidden, NoUser, Rejected, StoreUnavailable
from moot.kernel.log import identify_person

LONGEST_NAME = 200
IDENTITY = "identity"
LOOK_AGAIN_SECONDS = 5.0
"""Whoever is sent something for so long is looked at again: they may have been disabled or signed out, their
token revoked. Streams send at least a ping every fifteen seconds."""
LOOK_SECONDS = 2.0
"""So long a stream waits for that; a database that does not answer must not silence it."""


class Gate:
    """A pure ASGI middleware, inside of the Guard."""

    def __init__(self, app: ASGIApp, *, engine: Engine) -> None:
        self._app = app
        self._engine = engine

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            access = access_of(scope["method"], scope["path"])
            if access is not Access.OPEN:
                try:
                    who = await identify(self._engine, scope)
                    require(access, who)
                except Rejected as error:
                    await refusal(error, scope["path"])(scope, receive, send)
                    return
                except StoreUnavailable as error:
                    await unavailable(error, scope["path"])(scope, receive, send)
                    return
                scope.setdefault("state", {})[IDENTITY] = who
                identify_person(who.id)
                if who.via in ("session", "token"):
                    answer = Answer(send, access, lambda: self._refusal(scope, access))
                    await answer.give(self._app, scope, receive)
                    return
        await self._app(scope, receive, send)

    async def _refusal(self, scope: Scope, access: Access) -> Rejected | None:
        """Why whoever was let in would no longer be; None as well while nobody can say."""
        try:
            with move_on_after(LOOK_SECONDS):
                require(access, await identify(self._engine, scope))
        except Rejected as error:
            return error
        except StoreUnavailable:
            pass
        return None


class Answer:
    """What is sent to somebody who was let in: it ends when they no longer would be. What runs goes on."""

    def __init__(self, send: Send, access: Access, look: Callable[[], Awaitable[Rejected | None]]) -> None:
        self._send = send
        self._access = access
        self._look = look
        self._last_look = monotonic()
        self._stay = CancelScope()
        self._refused: Rejected | None = None
        self._begun = False

    async def give(self, app: ASGIApp, scope: Scope, receive: Receive) -> None:
        with self._stay:
            await app(scope, receive, self._send_on)
        if self._refused is None:
            return
        if self._begun:
            break_off(scope)  # with an orderly end it would look whole
        else:
            await refusal(self._refused, scope["path"])(scope, receive, self._send)

    async def _send_on(self, message: Message) -> None:
        if self._is_due(message):
            self._refused = self._refused or await self._look()
            self._last_look = monotonic()
        if self._refused is not None:
            self._stay.cancel()
            await checkpoint()
            return  # who cannot be cancelled speaks to nobody
        self._begun = True
        await self._send(message)

    def _is_due(self, message: Message) -> bool:
        if self._refused is not None or monotonic() - self._last_look < LOOK_AGAIN_SECONDS:
            return False
        if message["type"] == "http.response.start":
            # Who changes a password or deletes an account is signed out by that, and is to hear of it.
            return self._access in (Access.READ, Access.ASK)
        return bool(message.get("more_body"))


async def identify(engine: Engine, scope: Scope) -> Identity:
    """Who is asking. Raises NoUser if nobody says, Forbidden for a cookie that a page of another site may
    have sent along."""
    settings = engine.settings
    if settings.identification == "local":
        return Identity.local()
    peer = Peer.of(scope, settings)
    if settings.user_header is not None:
        return Identity.from_proxy(_name_by_proxy(scope, settings.user_header, peer), settings)
    headers = Headers(scope=scope)
    authorization = headers.getlist("authorization")
    if authorization:
        return await _by_token(engine, authorization)
    session = read_cookie(scope, SESSION, secure=peer.secure)
    who = None if session is None else await person_of_session(engine, session)
    if who is None:
        raise NoUser("Sign in first, or send a token: Authorization: Bearer …")
    # The Guard has looked at what the browser says of the page; one that says nothing could be any page.
    if scope["method"] not in SAFE_METHODS and not ("origin" in headers or "sec-fetch-site" in headers):
        raise Forbidden("With a cookie, a request must say which page sent it; programs use a token")
    return who


def _name_by_proxy(scope: Scope, header: str, peer: Peer) -> str:
    names = [name.strip() for name in Headers(scope=scope).getlist(header)]
    name = names[0] if len(names) == 1 and peer.by_proxy else ""  # of two, one may be the visitor's own
    if not name or len(name) > LONGEST_NAME:
        raise NoUser(f"The header {header} must say who is asking: come through the proxy that sets it")
    if name in NOBODYS_NAMES:
        raise Forbidden(f"{name!r} is a reserved name: the proxy must send another")
    return name


async def _by_token(engine: Engine, authorization: list[str]) -> Identity:
    kind, _, token = authorization[0].partition(" ")
    who = None
    if len(authorization) == 1 and kind.lower() == "bearer":
        who = await person_of_token(engine, token.strip())
    if who is None:
        raise NoUser("The token is not valid: it is wrong, was revoked, or has expired")
    return who
