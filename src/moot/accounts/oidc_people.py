"""Whom a login elsewhere lets in: those who are connected to an account, and those the settings name.

    MOOT_OIDC_PEOPLE=groups=research,email=ann@example.org      a claim and its value, or * for everyone
    MOOT_OIDC_ADMINISTRATORS=groups=moot-admins

A person is known by issuer and subject alone. No name and no e-mail address connects anybody to an account
that is there already: whoever wants that signs in to the account first.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from moot.accounts import queries
from moot.accounts.names import LONGEST_NAME, clean_name, name_key
from moot.accounts.oidc import Claims, SignInFailed
from moot.accounts.people import new_person, require_administrator
from moot.accounts.queries import StoredPerson
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected

EVERYONE = "*"
MOST_NAMESAKES = 1000


def fits(claims: Claims, rules: Sequence[str]) -> bool:
    """Whether one of these rules is true of them. An e-mail address counts if the provider has checked it."""
    for rule in rules:
        claim, _, wanted = rule.partition("=")
        if rule == EVERYONE:
            return True
        if claim == "email" and claims.get("email_verified") is not True:
            continue
        value = claims.get(claim)
        values = value if isinstance(value, list) else [value]
        if wanted and wanted in [one for one in values if isinstance(one, str)]:
            return True
    return False


async def enter(engine: Engine, issuer: str, claims: Claims) -> StoredPerson:
    """The person, whose account is made if it is their first time and they may come. Raises SignInFailed."""
    settings = engine.settings
    subject, leads = str(claims["sub"]), fits(claims, settings.oidc_administrators)

    def find_or_add(db: Connection) -> StoredPerson:
        queries.lock_people(db)
        found = queries.person(db, issuer=issuer, subject=subject)
        if found is None:
            if not leads and not fits(claims, settings.oidc_people):
                raise SignInFailed("stranger")
            found = _add(db, claims, issuer, subject, leads)
        if found.disabled_at is not None:
            raise SignInFailed("disabled")
        return _with_rights(db, found, leads) if settings.oidc_administrators else found

    return await engine.store.change(find_or_add)


async def link(engine: Engine, person_id: str, issuer: str, claims: Claims) -> None:
    """From now on this login lets this person in. Raises SignInFailed if it is somebody else's."""
    subject = str(claims["sub"])

    def connect(db: Connection) -> None:
        queries.lock_people(db)
        other = queries.person(db, issuer=issuer, subject=subject)
        if other is not None and other.id != person_id:
            raise SignInFailed("taken")
        queries.change_person(db, person_id, {"issuer": issuer, "subject": subject})

    await engine.store.change(connect)


async def unlink(engine: Engine, person_id: str) -> bool:
    """Whether it could be: who has no password would never come in again."""

    def disconnect(db: Connection) -> bool:
        person = queries.person(db, id=person_id)
        if person is None or person.password_hash is None:
            return False
        return queries.change_person(db, person_id, {"issuer": None, "subject": None})

    return await engine.store.change(disconnect)


async def is_linked(engine: Engine, person_id: str) -> bool:
    person = await engine.store.read(lambda db: queries.person(db, id=person_id))
    return person is not None and person.subject is not None


def _add(db: Connection, claims: Claims, issuer: str, subject: str, leads: bool) -> StoredPerson:
    if not leads:
        try:
            require_administrator(db)
        except Rejected:
            raise SignInFailed("no_administrator") from None
    name = _shown_name(claims, subject)
    for number in range(1, MOST_NAMESAKES):
        suffix = "" if number == 1 else f" {number}"
        chosen = name[: LONGEST_NAME - len(suffix)] + suffix
        if queries.person(db, name_key=name_key(chosen)) is None:
            person = new_person(chosen, None, administrator=leads, issuer=issuer, subject=subject)
            queries.add_person(db, person)
            return person
    raise SignInFailed("provider", "nobody can be given yet another number")


def _shown_name(claims: Claims, subject: str) -> str:
    for claim in ("preferred_username", "name", "nickname", "email"):
        value = claims.get(claim)
        if isinstance(value, str):
            try:
                return clean_name(value[:LONGEST_NAME])
            except Rejected:
                continue
    return f"person {subject[:40]}" if subject.isprintable() else "person"


def _with_rights(db: Connection, person: StoredPerson, leads: bool) -> StoredPerson:
    """Where the provider says who administers, it says so each time; but somebody always does."""
    if person.administrator == leads:
        return person
    if not leads and queries.count_administrators(db) <= 1:
        return person
    queries.change_person(db, person.id, {"administrator": leads})
    changed = queries.person(db, id=person.id)
    assert changed is not None
    return changed
