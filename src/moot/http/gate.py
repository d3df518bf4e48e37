"""The gate: says who is asking, before anything else of the request is read, and whether they may.

The one place where a request gets its identity. Routes, mounted applications included, find it in the
request's state; see `dependencies.User`.
"""

from __future__ import annotations

from anyio import CancelScope
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
from moot.kernel.clock import monotonic
from moot.kernel.engine import Engine
from moot.kernel.errors import Forbidden, NoUser, Rejected, StoreUnavailable
from moot.kernel.log import identify_person

LONGEST_NAME = 200
IDENTITY = "identity"
LOOK_AGAIN_SECONDS = 5.0
"""Whoever is sent something for so long is looked at again: they may have been disabled or signed out, their
token revoked. Streams send at least a ping every fifteen seconds."""
_END = {"type": "http.response.body", "body": b"", "more_body": False}


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
                    await self._answer_while_let_in(scope, receive, send, access)
                    return
        await self._app(scope, receive, send)

    async def _answer_while_let_in(self, scope: Scope, receive: Receive, send: Send, access: Access) -> None:
        """A long answer ends when whom it is for may no longer have it; what runs goes on."""
        last_look = monotonic()
        with CancelScope() as stay:

            async def send_on(message: Message) -> None:
                nonlocal last_look
                if message.get("more_body") and monotonic() - last_look >= LOOK_AGAIN_SECONDS:
                    last_look = monotonic()
                    if not await self._still_may(scope, access):
                        stay.cancel()
                        await checkpoint()
                await send(message)

            await self._app(scope, receive, send_on)
        if stay.cancelled_caught:
            await send(_END)

    async def _still_may(self, scope: Scope, access: Access) -> bool:
        try:
            require(access, await identify(self._engine, scope))
        except Rejected:
            return False
        except StoreUnavailable:
            return True  # nobody can say at the moment
        return True


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
        raise Forbidden(f"Nobody can be called {name!r} here: the proxy must send another name")
    return name


async def _by_token(engine: Engine, authorization: list[str]) -> Identity:
    kind, _, token = authorization[0].partition(" ")
    who = None
    if len(authorization) == 1 and kind.lower() == "bearer":
        who = await person_of_token(engine, token.strip())
    if who is None:
        raise NoUser("The token is not valid: it is wrong, was revoked, or has expired")
    return who
