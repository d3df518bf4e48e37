"""API tokens: what a person hands to a program. Shown once, kept as a digest, with scopes and an end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from moot.accounts import queries
from moot.accounts.identity import SCOPES, Identity, Scope
from moot.accounts.people import DAY_MS
from moot.accounts.queries import StoredPerson, StoredToken
from moot.accounts.random_tokens import API_TOKEN_PREFIX, digest, new_id, new_token
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound

USE_PRECISION_MS = 3_600_000
"""How exactly is noted when a token was last used: a read should not write each time."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made: the only time that it can be seen."""

    token: str
    stored: StoredToken


async def create_token(
    engine: Engine, person_id: str, name: str, scopes: set[Scope], days: int | None
) -> NewToken:
    token, now = API_TOKEN_PREFIX + new_token(), now_ms()
    stored = StoredToken(
        id=new_id(),
        person_id=person_id,
        name=name,
        scopes=[scope for scope in SCOPES if scope in scopes],
        created_at=now,
        expires_at=None if days is None else now + days * DAY_MS,
        used_at=None,
    )
    await engine.store.change(lambda db: queries.add_token(db, digest(token), stored))
    return NewToken(token, stored)


async def list_tokens(engine: Engine, person_id: str) -> list[StoredToken]:
    return await engine.store.read(lambda db: queries.tokens_of(db, person_id))


async def revoke_token(engine: Engine, person_id: str, id: str) -> None:
    """Raises NotFound."""
    if not await engine.store.change(lambda db: queries.remove_token(db, person_id, id)):
        raise NotFound(f"There is no token {id}")


async def person_of_token(engine: Engine, token: str) -> Identity | None:
    """Who handed it out, with what it may do; None for one that is wrong, revoked or has expired."""
    now = now_ms()
    found = await engine.store.read(lambda db: queries.token_with_person(db, digest(token), now))
    if found is None:
        return None
    stored, person = found
    if stored.used_at is None or stored.used_at <= now - USE_PRECISION_MS:
        await engine.store.change(lambda db: queries.note_use(db, stored.id, now))
    return _identity(stored, person)


def _identity(stored: StoredToken, person: StoredPerson) -> Identity:
    scopes = frozenset(cast(list[Scope], stored.scopes))
    # A token is no more than its person: who is no administrator any more has none that administer.
    return Identity(person.id, person.name, person.administrator and "admin" in scopes, "token", scopes)
