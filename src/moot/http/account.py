"""Your account: password, tokens, all that is yours as a file, and its end."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field, SecretStr, StringConstraints
from starlette.responses import StreamingResponse

from moot.accounts import api_tokens, people
from moot.accounts.deletion import delete_own_account
from moot.accounts.identity import SCOPES, Scope
from moot.accounts.queries import StoredToken
from moot.archive import write_archive
from moot.http.bodies import body_schema, read_body
from moot.http.cookies import SESSION, forget, read_cookie, remember
from moot.http.dependencies import REFUSALS, Caller, OneEngine, ThePeer
from moot.http.download import file_pieces
from moot.kernel.clock import iso
from moot.kernel.errors import Conflict, Forbidden
from moot.kernel.values import Wire

router = APIRouter(tags=["account"], responses=REFUSALS)


class PasswordChange(Wire):
    password: SecretStr = Field(max_length=1000)
    new_password: SecretStr = Field(max_length=1000)


class AccountDeletion(Wire):
    """`password`: yours, as a sign that you mean it; empty if you sign in elsewhere and have none."""

    password: SecretStr = Field(max_length=1000)


class NewToken(Wire):
    """`days`: how long it is valid; null: until it is revoked."""

    name: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$"),
    ]
    scopes: list[Scope] = Field(default_factory=lambda: list(SCOPES[:2]), min_length=1, max_length=3)
    days: int | None = Field(90, ge=1, le=3650)


class Token(Wire):
    """A token without its secret. `usedAt` is exact to the hour."""

    id: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    used_at: str | None

    @classmethod
    def of(cls, one: StoredToken) -> Token:
        return cls(
            id=one.id,
            name=one.name,
            scopes=one.scopes,
            created_at=iso(one.created_at),
            expires_at=None if one.expires_at is None else iso(one.expires_at),
            used_at=None if one.used_at is None else iso(one.used_at),
        )


class TokenWithSecret(Token):
    """`token` is shown this once."""

    token: str


class TokenList(Wire):
    tokens: list[Token]


@router.post("/api/account/password", status_code=204, openapi_extra=body_schema(PasswordChange))
async def change_password(request: Request, engine: OneEngine, who: Caller, peer: ThePeer) -> Response:
    """Choose another password. You stay signed in here, and nowhere else."""
    _require_account(who.via)
    given = await read_body(request, PasswordChange)
    current, new = given.password.get_secret_value(), given.new_password.get_secret_value()
    person = await people.change_password(engine, who.id, current, new, address=peer.address)
    entry = await people.let_in(engine, person)
    response = Response(status_code=204)
    remember(response, entry, session_days=engine.settings.session_days, secure=peer.secure)
    return response


@router.get("/api/account/tokens")
async def list_tokens(engine: OneEngine, who: Caller) -> TokenList:
    """List your tokens, newest first, without their secrets."""
    return TokenList(tokens=[Token.of(one) for one in await api_tokens.list_tokens(engine, who.id)])


@router.post("/api/account/tokens", status_code=201, openapi_extra=body_schema(NewToken))
async def create_token(request: Request, engine: OneEngine, who: Caller) -> TokenWithSecret:
    """Create a token for a program: `Authorization: Bearer …`. It is shown once."""
    _require_account(who.via)
    given = await read_body(request, NewToken)
    if "admin" in given.scopes and not who.administrator:
        message = "Only an administrator's token may have the scope 'admin'"
        raise Forbidden(message, (("scopes", message),))
    made = await api_tokens.create_token(engine, who.id, given.name, set(given.scopes), given.days)
    return TokenWithSecret(**Token.of(made.stored).model_dump(by_alias=False), token=made.token)


@router.delete("/api/account/tokens/{token_id}", status_code=204)
async def revoke_token(token_id: str, engine: OneEngine, who: Caller) -> Response:
    """Revoke a token. It stops working at once."""
    await api_tokens.revoke_token(engine, who.id, token_id)
    return Response(status_code=204)


@router.get("/api/account/export", response_class=StreamingResponse)
async def export_account(engine: OneEngine, who: Caller) -> StreamingResponse:
    """Export everything kept about you as a zip: conversations to read, and every row for programs."""
    with ExitStack() as stack:
        archive = Path(stack.enter_context(TemporaryDirectory())) / "moot.zip"
        await write_archive(engine, who.id, archive)
        cleanup = stack.pop_all()
    headers = {"content-disposition": 'attachment; filename="moot-my-data.zip"'}
    return StreamingResponse(file_pieces(archive, cleanup), headers=headers, media_type="application/zip")


@router.post("/api/account/deletion", status_code=204, openapi_extra=body_schema(AccountDeletion))
async def delete_account(request: Request, engine: OneEngine, who: Caller, peer: ThePeer) -> Response:
    """Delete your account and all your data, for good. Runs are stopped; tokens and share links stop
    working."""
    _require_account(who.via)
    given = await read_body(request, AccountDeletion)
    session = read_cookie(request.scope, SESSION, secure=peer.secure) or ""
    await delete_own_account(
        engine, who.id, given.password.get_secret_value(), session=session, address=peer.address
    )
    response = Response(status_code=204)
    forget(response, secure=peer.secure)
    return response


def _require_account(via: str) -> None:
    """Raises Rejected for somebody whom no account of ours lets in."""
    if via != "session":
        raise Conflict("There is no account here: this server does not let people sign in")
