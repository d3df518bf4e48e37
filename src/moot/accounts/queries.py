"""What is kept of people, their sessions, devices and tokens, and of links that work once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, delete, func, select, update

from moot.store.tables import (
    api_tokens,
    known_devices,
    one_time_links,
    people,
    runs,
    sessions,
)
from moot.store.upsert import insert_new

LinkKind = Literal["setup", "invitation", "reset"]


@dataclass(frozen=True, slots=True)
class StoredPerson:
    id: str
    name: str
    name_key: str
    password_hash: str | None
    administrator: bool
    issuer: str | None
    subject: str | None
    created_at: int
    disabled_at: int | None


@dataclass(frozen=True, slots=True)
class StoredToken:
    id: str
    person_id: str
    name: str
    scopes: list[str]
    created_at: int
    expires_at: int | None
    used_at: int | None


@dataclass(frozen=True, slots=True)
class StoredLink:
    id: str
    kind: LinkKind
    administrator: bool
    note: str
    person_id: str | None
    created_at: int
    expires_at: int


_PERSON = [people.c[name] for name in StoredPerson.__slots__]
_TOKEN = [api_tokens.c[name] for name in StoredToken.__slots__]
_LINK = [one_time_links.c[name] for name in StoredLink.__slots__]


def people_list(connection: Connection) -> list[StoredPerson]:
    """Everyone by name."""
    return [StoredPerson(*row) for row in connection.execute(select(*_PERSON).order_by(people.c.name_key))]


def person(connection: Connection, **columns: str) -> StoredPerson | None:
    """The one person of whom this is true."""
    found = connection.execute(select(*_PERSON).filter_by(**columns)).first()
    return None if found is None else StoredPerson(*found)


def add_person(connection: Connection, one: StoredPerson) -> bool:
    """Whether the name was free."""
    return insert_new(connection, people, {name: getattr(one, name) for name in StoredPerson.__slots__})


def change_person(connection: Connection, id: str, values: Mapping[str, Any]) -> bool:
    return connection.execute(update(people).where(people.c.id == id).values(**values)).rowcount > 0


def count_administrators(connection: Connection) -> int:
    """Those who could sign in."""
    able = (
        select(func.count()).select_from(people).where(people.c.administrator, people.c.disabled_at.is_(None))
    )
    return int(connection.execute(able).scalar_one())


def lock_people(connection: Connection) -> None:
    """Who takes rights away looks at the others first: two at once would leave nobody."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(people.c.id).order_by(people.c.id).with_for_update())


def add_session(connection: Connection, digest: str, person_id: str, now: int, expires_at: int) -> None:
    connection.execute(delete(sessions).where(sessions.c.expires_at <= now))
    values = {"digest": digest, "person_id": person_id, "created_at": now, "expires_at": expires_at}
    connection.execute(sessions.insert(), values)


def person_of_session(connection: Connection, digest: str, now: int) -> StoredPerson | None:
    mine = select(*_PERSON).join(sessions, sessions.c.person_id == people.c.id)
    able = mine.where(
        sessions.c.digest == digest, sessions.c.expires_at > now, people.c.disabled_at.is_(None)
    )
    found = connection.execute(able).first()
    return None if found is None else StoredPerson(*found)


def session_began(connection: Connection, digest: str) -> int:
    """When; 0 if there is no such session."""
    began = select(sessions.c.created_at).where(sessions.c.digest == digest)
    return int(connection.scalar(began) or 0)


def end_session(connection: Connection, digest: str) -> None:
    connection.execute(delete(sessions).where(sessions.c.digest == digest))


def end_sessions(connection: Connection, person_id: str) -> None:
    connection.execute(delete(sessions).where(sessions.c.person_id == person_id))


def add_device(connection: Connection, digest: str, person_id: str, now: int) -> None:
    values = {"digest": digest, "person_id": person_id, "created_at": now}
    insert_new(connection, known_devices, values)


def forget_devices(connection: Connection, person_id: str) -> None:
    connection.execute(delete(known_devices).where(known_devices.c.person_id == person_id))


def knows_device(connection: Connection, digest: str, name_key: str) -> bool:
    """Whether this person has signed in there before."""
    c = known_devices.c
    known = select(c.digest).join(people, people.c.id == c.person_id)
    return (
        connection.execute(known.where(c.digest == digest, people.c.name_key == name_key)).first() is not None
    )


def add_token(connection: Connection, digest: str, one: StoredToken) -> None:
    values = {name: getattr(one, name) for name in StoredToken.__slots__}
    connection.execute(api_tokens.insert(), {**values, "digest": digest})


def tokens_of(connection: Connection, person_id: str) -> list[StoredToken]:
    """The newest first."""
    c = api_tokens.c
    query = select(*_TOKEN).where(c.person_id == person_id).order_by(c.created_at.desc(), c.id)
    return [StoredToken(*row) for row in connection.execute(query)]


def remove_token(connection: Connection, person_id: str, id: str) -> bool:
    c = api_tokens.c
    return connection.execute(delete(api_tokens).where(c.id == id, c.person_id == person_id)).rowcount > 0


def token_with_person(
    connection: Connection, digest: str, now: int
) -> tuple[StoredToken, StoredPerson] | None:
    c = api_tokens.c
    query = select(*_TOKEN, *_PERSON).join(people, people.c.id == c.person_id)
    able = query.where(c.digest == digest, people.c.disabled_at.is_(None))
    found = connection.execute(able.where(c.expires_at.is_(None) | (c.expires_at > now))).first()
    if found is None:
        return None
    return StoredToken(*found[: len(_TOKEN)]), StoredPerson(*found[len(_TOKEN) :])


def note_use(connection: Connection, id: str, now: int) -> None:
    connection.execute(update(api_tokens).where(api_tokens.c.id == id).values(used_at=now))


def add_link(connection: Connection, digest: str, one: StoredLink) -> None:
    connection.execute(delete(one_time_links).where(one_time_links.c.expires_at <= one.created_at))
    values = {name: getattr(one, name) for name in StoredLink.__slots__}
    connection.execute(one_time_links.insert(), {**values, "digest": digest})


def link(connection: Connection, digest: str, now: int) -> StoredLink | None:
    c = one_time_links.c
    found = connection.execute(select(*_LINK).where(c.digest == digest, c.expires_at > now)).first()
    return None if found is None else StoredLink(*found)


def take_link(connection: Connection, digest: str, now: int) -> StoredLink | None:
    """The link, which is gone now: of two who come at once, one gets it."""
    c = one_time_links.c
    taking = delete(one_time_links).where(c.digest == digest, c.expires_at > now).returning(*_LINK)
    found = connection.execute(taking).first()
    return None if found is None else StoredLink(*found)


def take_setup_link(connection: Connection, digest: str, now: int) -> StoredLink | None:
    """The link to make the first administrator. All of its kind are gone with it, in one statement: of two
    people with two links, one comes first."""
    c = one_time_links.c
    taking = delete(one_time_links).where(c.kind == "setup").returning(c.digest, *_LINK)
    taken = {row[0]: StoredLink(*row[1:]) for row in connection.execute(taking)}
    found = taken.get(digest)
    return found if found is not None and found.expires_at > now else None


def count_runs(connection: Connection, user_id: str) -> int:
    mine = select(func.count()).select_from(runs).where(runs.c.user_id == user_id)
    return int(connection.execute(mine).scalar_one())


def links_of_kind(connection: Connection, kind: LinkKind, now: int) -> list[StoredLink]:
    """Those that still work, the newest first."""
    c = one_time_links.c
    query = select(*_LINK).where(c.kind == kind, c.expires_at > now).order_by(c.created_at.desc(), c.id)
    return [StoredLink(*row) for row in connection.execute(query)]


def remove_link(connection: Connection, kind: LinkKind, id: str) -> bool:
    c = one_time_links.c
    return connection.execute(delete(one_time_links).where(c.id == id, c.kind == kind)).rowcount > 0


def remove_links(connection: Connection, kind: LinkKind, person_id: str | None = None) -> None:
    gone = delete(one_time_links).where(one_time_links.c.kind == kind)
    connection.execute(gone if person_id is None else gone.where(one_time_links.c.person_id == person_id))
