"""People: sign up, sign in, stay signed in, choose another password.

entry = await sign_in(engine, "ann", password, address="203.0.113.7", device=None)
entry.session       what the browser keeps; the database has its digest
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from moot.accounts import queries, throttle
from moot.accounts.identity import Identity
from moot.accounts.names import clean_name, name_key
from moot.accounts.passwords import check_password, hash_password, is_outdated, is_password
from moot.accounts.queries import StoredPerson
from moot.accounts.random_tokens import digest, new_id, new_token
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, Forbidden, NotFound, NoUser, Rejected

DAY_MS = 86_400_000
WRONG = "The name or the password is wrong"


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody has come in. `session` and `device` are for their browser: who they are, and that they have
    been here before."""

    person: StoredPerson
    session: str
    device: str


def identity_of(person: StoredPerson) -> Identity:
    return Identity(person.id, person.name, person.administrator, via="session")


async def sign_in(
    engine: Engine, name: str, password: str, *, address: str, device: str | None, old: str | None = None
) -> Entry:
    """`address` and `device`: where the attempt comes from; `old`: the browser's session until now, which
    ends. Raises TooMany, or NoUser with the same words whether it is the name or the password."""
    key, now = name_key(name), now_ms()
    mark = None if device is None else digest(device)

    def count(db: Connection) -> tuple[throttle.Limits, int, StoredPerson | None]:
        known = mark if mark is not None and queries.knows_device(db, mark, key) else None
        limits = throttle.limits_for(key, address, known)
        return limits, throttle.count_attempt(db, limits, now), queries.person(db, name_key=key)

    limits, wait, person = await engine.store.change(count)
    if wait:
        raise throttle.too_many(wait)
    hashed = person.password_hash if person is not None and person.disabled_at is None else None
    if not await is_password(password, hashed) or person is None or hashed is None:
        raise NoUser(WRONG)
    if is_outdated(hashed):
        better = await hash_password(password)
        await engine.store.change(lambda db: queries.change_person(db, person.id, {"password_hash": better}))
    await engine.store.change(lambda db: throttle.forgive(db, limits))
    return await let_in(engine, person, device=device, old=old)


async def let_in(
    engine: Engine, person: StoredPerson, *, device: str | None = None, old: str | None = None
) -> Entry:
    """A new session, whatever the browser had before: nobody can have put it there."""
    session, mark, now = new_token(), device or new_token(), now_ms()
    expires_at = now + engine.settings.session_days * DAY_MS

    def begin(db: Connection) -> None:
        if old is not None:
            queries.end_session(db, digest(old))
        queries.add_session(db, digest(session), person.id, now, expires_at)
        queries.add_device(db, digest(mark), person.id, now)

    await engine.store.change(begin)
    return Entry(person, session, mark)


async def sign_out(engine: Engine, session: str) -> None:
    await engine.store.change(lambda db: queries.end_session(db, digest(session)))


async def person_of_session(engine: Engine, session: str) -> Identity | None:
    found = await engine.store.read(lambda db: queries.person_of_session(db, digest(session), now_ms()))
    return None if found is None else identity_of(found)


async def register(engine: Engine, name: str, password: str, *, address: str) -> StoredPerson:
    """Make an account for whoever comes, where that is allowed. Raises Forbidden, Rejected, Conflict."""
    if engine.settings.registration != "open":
        raise Forbidden("You need an invitation to sign up here: ask an administrator")
    shown = clean_name(name)
    check_password(password)
    await _count(engine, f"registration {address}", address)
    hashed = await hash_password(password)
    person = new_person(shown, hashed)

    def add(db: Connection) -> bool:
        require_administrator(db)
        return queries.add_person(db, person)

    if not await engine.store.change(add):
        raise name_taken(shown)
    return person


async def change_password(
    engine: Engine, person_id: str, current: str, new: str, *, address: str
) -> StoredPerson:
    """Every session of theirs ends. Raises Forbidden if `current` is not the password."""
    check_password(new, "newPassword")
    await count_password_attempt(engine, person_id, address)
    person = await engine.store.read(lambda db: queries.person(db, id=person_id))
    assert person is not None
    if person.password_hash is not None and not await is_password(current, person.password_hash):
        message = "That is not your current password"
        raise Forbidden(message, (("password", message),))
    hashed = await hash_password(new)
    await engine.store.change(lambda db: set_password(db, person_id, hashed))
    return person


async def count_password_attempt(engine: Engine, person_id: str, address: str) -> None:
    """Raises TooMany if somebody who is signed in has guessed at their own password too often."""
    await _count(engine, f"password of {person_id}", address)


async def _count(engine: Engine, what: str, address: str) -> None:
    """Raises TooMany if this was done too often from that address."""
    limits = throttle.limits_for(what, address, None)
    wait = await engine.store.change(lambda db: throttle.count_attempt(db, limits, now_ms()))
    if wait:
        raise throttle.too_many(wait)


def new_person(
    name: str,
    password_hash: str | None,
    *,
    id: str | None = None,
    administrator: bool = False,
    issuer: str | None = None,
    subject: str | None = None,
) -> StoredPerson:
    return StoredPerson(
        id=id or new_id(),
        name=name,
        name_key=name_key(name),
        password_hash=password_hash,
        administrator=administrator,
        issuer=issuer,
        subject=subject,
        created_at=now_ms(),
        disabled_at=None,
    )


def set_password(connection: Connection, person_id: str, hashed: str) -> None:
    """Whoever was signed in with the old one no longer is."""
    queries.change_person(connection, person_id, {"password_hash": hashed})
    queries.end_sessions(connection, person_id)
    queries.forget_devices(connection, person_id)
    queries.remove_links(connection, "reset", person_id)


def require_administrator(connection: Connection) -> None:
    """Raises Rejected while there is none: until then the server belongs to whoever has its first link."""
    if not queries.count_administrators(connection):
        raise Rejected("This server has no administrator yet: open the link that it printed when it started")


def name_taken(name: str) -> Conflict:
    message = f"The name {name!r} is taken"
    return Conflict(message, (("name", message),))


async def find_person(engine: Engine, name: str) -> StoredPerson:
    """By the name they sign in with. Raises NotFound."""
    found = await engine.store.read(lambda db: queries.person(db, name_key=name_key(name)))
    if found is None:
        raise NotFound(f"There is no account called {name!r}")
    return found


async def add_account(engine: Engine, name: str, password: str, *, administrator: bool) -> StoredPerson:
    """Make an account without an invitation. Raises Rejected, Conflict."""
    shown = clean_name(name)
    check_password(password)
    person = new_person(shown, await hash_password(password), administrator=administrator)
    if not await engine.store.change(lambda db: queries.add_person(db, person)):
        raise name_taken(shown)
    return person
