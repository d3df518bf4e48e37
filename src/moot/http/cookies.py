"""The cookies: who somebody is, that their browser has been here before, and that it is on its way to a login
elsewhere.

None can be read by a script. With TLS they are bound to this host and never sent without it; `Lax` keeps
them from requests that other sites send, save for a link that somebody follows.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from moot.accounts.people import DAY_MS, Entry

SESSION = "moot_session"
DEVICE = "moot_device"
FLOW = "moot_oidc"
FLOW_SECONDS = 600
DEVICE_DAYS = 400
LONGEST = 250


def read_cookie(scope: Scope, name: str, *, secure: bool) -> str | None:
    value = cookie_parser(Headers(scope=scope).get("cookie", "")).get(_named(name, secure=secure))
    return value if value and len(value) <= LONGEST else None


def remember(response: Response, entry: Entry, *, session_days: int, secure: bool) -> None:
    _set(response, SESSION, entry.session, session_days, secure=secure)
    _set(response, DEVICE, entry.device, DEVICE_DAYS, secure=secure)


def forget(response: Response, *, secure: bool) -> None:
    response.delete_cookie(
        _named(SESSION, secure=secure), path="/", secure=secure, httponly=True, samesite="lax"
    )


def remember_flow(response: Response, value: str, *, secure: bool) -> None:
    """Lax, for the way back is a link that another site makes the browser follow."""
    name = _named(FLOW, secure=secure)
    response.set_cookie(name, value, FLOW_SECONDS, path="/", secure=secure, httponly=True, samesite="lax")


def forget_flow(response: Response, *, secure: bool) -> None:
    name = _named(FLOW, secure=secure)
    response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="lax")


def _set(response: Response, name: str, value: str, days: int, *, secure: bool) -> None:
    response.set_cookie(
        _named(name, secure=secure),
        value,
        max_age=days * DAY_MS // 1000,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def _named(name: str, *, secure: bool) -> str:
    return f"__Host-{name}" if secure else name
