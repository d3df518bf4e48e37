"""Coming in by a login elsewhere: off to the provider, and back.

The way there begins with a request of our own page, so that no other site can send somebody off; the way back
is a link that the provider makes the browser follow. What ties the two together is in a cookie of this
browser alone.
"""

from __future__ import annotations

import hmac
import logging
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import RedirectResponse

from moot.accounts import oidc_people, people
from moot.accounts.oidc import Flow, OidcProvider, SignInFailed
from moot.accounts.random_tokens import digest
from moot.http.bodies import body_schema, read_body
from moot.http.cookies import FLOW, SESSION, forget_flow, read_cookie, remember, remember_flow
from moot.http.dependencies import REFUSALS, Caller, OneEngine, ThePeer
from moot.http.gate import identify
from moot.http.peer import Peer
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, Unreachable
from moot.kernel.values import Wire
from moot.settings.addresses import is_loopback

log = logging.getLogger(__name__)
router = APIRouter(tags=["session"], responses=REFUSALS)
CALLBACK = "/api/oidc/callback"
ENTRY, ACCOUNT, FAILED_ENTRY = "/", "/#/account", "/#/sign-in/"
"""Where people find themselves afterwards. Nothing of a request is in it but a word of ours."""


class OidcStart(Wire):
    """`link`: connect the account you are signed in to, so that this login lets you in from now on."""

    link: bool = False


class OidcWay(Wire):
    """`url`: where the browser goes next, at the provider's."""

    url: str


class OidcLink(Wire):
    """`linked`: the login elsewhere lets you in."""

    linked: bool


@router.post("/api/oidc/start", openapi_extra=body_schema(OidcStart))
async def start_oidc(request: Request, response: Response, engine: OneEngine, peer: ThePeer) -> OidcWay:
    """Start signing in at the OpenID Connect provider, or connecting your account with it."""
    provider = _provider(request)
    given = await read_body(request, OidcStart, empty=b"{}")
    session = ""
    if given.link:
        await identify(engine, request.scope)
        session = digest(read_cookie(request.scope, SESSION, secure=peer.secure) or "")
    flow = Flow.new(session)
    try:
        url = await provider.authorization_url(flow, _redirect_uri(request, engine))
    except SignInFailed as error:
        log.warning("signing in at the provider failed: %s", error)
        raise Unreachable(f"{provider.name} cannot be reached at the moment: try again later") from None
    remember_flow(response, str(flow), secure=peer.secure)
    return OidcWay(url=url)


@router.get(CALLBACK, status_code=303, response_class=RedirectResponse)
async def finish_oidc(
    request: Request,
    engine: OneEngine,
    peer: ThePeer,
    code: Annotated[str | None, Query(max_length=4000)] = None,
    state: Annotated[str | None, Query(max_length=1000)] = None,
    error: Annotated[str | None, Query(max_length=1000)] = None,
    iss: Annotated[str | None, Query(max_length=1000)] = None,
) -> Response:
    """Return here from the provider: you are signed in, or the page says why not."""
    provider = _provider(request)
    flow = Flow.read(read_cookie(request.scope, FLOW, secure=peer.secure))
    try:
        response = await _finish(request, engine, peer, provider, flow, (code, state, error, iss))
    except SignInFailed as failure:
        log.warning("signing in at the provider failed: %s", failure)
        place = f"{ACCOUNT}/" if flow is not None and flow.link else FAILED_ENTRY
        response = RedirectResponse(place + failure.reason, status_code=303)
    forget_flow(response, secure=peer.secure)
    return response


@router.get("/api/account/oidc")
async def read_oidc_link(engine: OneEngine, who: Caller) -> OidcLink:
    """Read whether your account is connected to a login elsewhere."""
    return OidcLink(linked=await oidc_people.is_linked(engine, who.id))


@router.delete("/api/account/oidc", status_code=204)
async def unlink_oidc(engine: OneEngine, who: Caller) -> Response:
    """Disconnect your account from the login elsewhere: from now on you need your password."""
    if not await oidc_people.unlink(engine, who.id):
        raise Conflict("You have no password here: ask an administrator for a link to choose one first")
    return Response(status_code=204)


async def _finish(
    request: Request,
    engine: Engine,
    peer: Peer,
    provider: OidcProvider,
    flow: Flow | None,
    given: tuple[str | None, str | None, str | None, str | None],
) -> Response:
    code, state, error, iss = given
    if flow is not None and error is not None:
        raise SignInFailed("refused", "the provider said no")
    if flow is None or state is None or not hmac.compare_digest(state.encode(), flow.state.encode()):
        raise SignInFailed("expired")
    if iss is not None and iss != provider.issuer:
        raise SignInFailed("provider", "another issuer sent this person back")
    if code is None:
        raise SignInFailed("provider", "it sent no code")
    claims = await provider.claims(code, flow, _redirect_uri(request, engine))
    session = read_cookie(request.scope, SESSION, secure=peer.secure)
    if flow.link:
        who = None if session is None else await people.person_of_session(engine, session)
        if who is None or not hmac.compare_digest(digest(session or ""), flow.link):
            raise SignInFailed("expired")
        await oidc_people.link(engine, who.id, provider.issuer, claims)
        return RedirectResponse(ACCOUNT, status_code=303)
    person = await oidc_people.enter(engine, provider.issuer, claims)
    entry = await people.let_in(engine, person, old=session)
    response = RedirectResponse(ENTRY, status_code=303)
    remember(response, entry, session_days=engine.settings.session_days, secure=peer.secure)
    return response


def _provider(request: Request) -> OidcProvider:
    provider: OidcProvider | None = request.app.state.oidc
    if provider is None:
        raise Conflict("This server has no other place to sign in")
    return provider


def _redirect_uri(request: Request, engine: Engine) -> str:
    """Under the address of the settings. A name that only the request gives counts on this machine alone."""
    if engine.settings.public_url is not None:
        return engine.settings.public_url + CALLBACK
    if not is_loopback(request.url.hostname or ""):
        raise Conflict("Set MOOT_PUBLIC_URL to the address of this server: the provider must know it")
    return f"http://{request.headers['host']}{CALLBACK}"
