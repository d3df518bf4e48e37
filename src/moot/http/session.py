"""Coming in: sign in and out, sign up, and the links that work once."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from pydantic import Field, SecretStr

from moot.accounts import links, people
from moot.accounts.identity import Identity, Via
from moot.accounts.people import Entry, identity_of
from moot.accounts.queries import LinkKind, StoredPerson
from moot.http.bodies import body_schema, read_body
from moot.http.cookies import DEVICE, SESSION, forget, read_cookie, remember
from moot.http.dependencies import REFUSALS, OneEngine, ThePeer
from moot.http.gate import identify
from moot.http.peer import Peer
from moot.kernel.clock import iso
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NoUser
from moot.kernel.values import Maybe, Wire
from moot.settings import Settings

router = APIRouter(tags=["session"], responses=REFUSALS)


class Person(Wire):
    """A person as the page shows them."""

    id: str
    name: str
    administrator: bool

    @classmethod
    def of(cls, who: Identity) -> Person:
        return cls(id=who.id, name=who.name, administrator=who.administrator)


class SessionView(Wire):
    """`person`: who is asking, null if nobody has said; `via`: how the server knows. `accounts`: people sign
    in here; `registration`: how they get an account. `retentionDays`: conversations nobody has added to for
    so long are deleted; null: they are kept. `oidc`: the name of the provider at which people may sign in."""

    person: Person | None
    via: Via | None
    accounts: bool
    registration: Literal["invitation", "open"]
    retention_days: int | None
    oidc: str | None


class SignIn(Wire):
    name: str = Field(max_length=1000)
    password: SecretStr = Field(max_length=1000)


class LinkView(Wire):
    """What a link is for. `name`: whose password is to be changed. `localRuns`: how many runs were
    made on this server before it had accounts, which its first administrator may keep."""

    kind: LinkKind
    administrator: bool
    name: str | None
    local_runs: int
    expires_at: str


class LinkUse(Wire):
    """`keepLocal`: the first administrator takes over the runs made here before there were accounts."""

    name: Maybe[str] = Field(None, max_length=1000)
    password: SecretStr = Field(max_length=1000)
    keep_local: bool = True


@router.get("/api/session")
async def read_session(request: Request, engine: OneEngine) -> SessionView:
    """Read who is signed in, and how people sign in here."""
    try:
        who: Identity | None = await identify(engine, request.scope)
    except NoUser:
        who = None
    return _view(engine, who)


@router.post("/api/session", openapi_extra=body_schema(SignIn))
async def sign_in(request: Request, response: Response, engine: OneEngine, peer: ThePeer) -> SessionView:
    """Sign in with a name and a password. Each sign-in starts a new session, kept in a cookie."""
    _require_accounts(engine)
    given = await read_body(request, SignIn)
    entry = await people.sign_in(
        engine,
        given.name,
        given.password.get_secret_value(),
        address=peer.address,
        device=read_cookie(request.scope, DEVICE, secure=peer.secure),
        old=read_cookie(request.scope, SESSION, secure=peer.secure),
    )
    return _entered(engine, entry, response, peer)


@router.delete("/api/session", status_code=204)
async def sign_out(request: Request, engine: OneEngine, peer: ThePeer) -> Response:
    """Sign out: the session ends here and on the server."""
    session = read_cookie(request.scope, SESSION, secure=peer.secure)
    if session is not None:
        await people.sign_out(engine, session)
    response = Response(status_code=204)
    forget(response, secure=peer.secure)
    return response


@router.post("/api/registration", status_code=201, openapi_extra=body_schema(SignIn))
async def sign_up(request: Request, response: Response, engine: OneEngine, peer: ThePeer) -> SessionView:
    """Create an account and sign in, if the server is open to everyone."""
    _require_accounts(engine)
    given = await read_body(request, SignIn)
    person = await people.register(
        engine, given.name, given.password.get_secret_value(), address=peer.address
    )
    return _entered(engine, await _let_in(engine, person, request, peer), response, peer)


@router.get("/api/links/{token}")
async def read_link(token: str, engine: OneEngine) -> LinkView:
    """Read what a one-time link is for: to create the first administrator, to join, or to choose a new
    password."""
    found = await links.read_link(engine, token)
    return LinkView(
        kind=found.link.kind,
        administrator=found.link.administrator,
        name=found.name,
        local_runs=found.local_runs,
        expires_at=iso(found.link.expires_at),
    )


@router.post("/api/links/{token}", status_code=201, openapi_extra=body_schema(LinkUse))
async def use_link(
    token: str, request: Request, response: Response, engine: OneEngine, peer: ThePeer
) -> SessionView:
    """Use a one-time link: choose a name and a password, or a new password, and sign in."""
    _require_accounts(engine)
    given = await read_body(request, LinkUse)
    person = await links.use_link(
        engine,
        token,
        name=given.name,
        password=given.password.get_secret_value(),
        keep_local=given.keep_local,
    )
    return _entered(engine, await _let_in(engine, person, request, peer), response, peer)


async def _let_in(engine: Engine, person: StoredPerson, request: Request, peer: Peer) -> Entry:
    old = read_cookie(request.scope, SESSION, secure=peer.secure)
    return await people.let_in(engine, person, old=old)


def _entered(engine: Engine, entry: Entry, response: Response, peer: Peer) -> SessionView:
    remember(response, entry, session_days=engine.settings.session_days, secure=peer.secure)
    return _view(engine, identity_of(entry.person))


def _view(engine: Engine, who: Identity | None) -> SessionView:
    return SessionView(
        person=None if who is None else Person.of(who),
        via=None if who is None else who.via,
        accounts=engine.settings.identification == "accounts",
        registration=engine.settings.registration,
        retention_days=engine.settings.retention_days,
        oidc=_oidc_name(engine.settings),
    )


def _oidc_name(settings: Settings) -> str | None:
    if settings.oidc_issuer is None:
        return None
    return settings.oidc_name or urlsplit(settings.oidc_issuer).hostname


def _require_accounts(engine: Engine) -> None:
    if engine.settings.identification != "accounts":
        raise Conflict("This server has no accounts, so nobody signs in")
