"""What people have saved about providers: addresses, and keys that nobody can read here."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlalchemy import Connection, bindparam, delete, or_, select, update

from moot.store.tables import people, provider_keys
from moot.store.upsert import upsert

SERVER = ""
"""In place of a person's id, which is never empty: what is saved for everyone."""


class SavedProvider(NamedTuple):
    """`base_url` is None where the provider is at its usual address, `secret` where it needs no key. `hint`
    is how the key ends."""

    user_id: str
    name: str
    kind: Literal["openai", "anthropic"]
    base_url: str | None
    secret: bytes | None
    hint: str | None
    updated_at: int

    @property
    def context(self) -> tuple[str, ...]:
        """What a key belongs to: it cannot be read as another person's, nor be sent to another address."""
        return (self.user_id, self.name, self.kind, self.base_url or "")


class SavedProviders(NamedTuple):
    """`accounts`: people sign in here."""

    saved: list[SavedProvider]
    accounts: bool


_SAVED = (
    select(*(provider_keys.c[name] for name in SavedProvider._fields))
    .where(or_(provider_keys.c.user_id == bindparam("one"), provider_keys.c.user_id == bindparam("other")))
    .order_by(provider_keys.c.name)
)
"""Made once: every run that begins asks this."""


ANY_SAVED = "SELECT EXISTS (SELECT 1 FROM provider_keys WHERE user_id IN (?, ?))"
"""Whether anything was saved by either, for `Store.glance`."""


def read(connection: Connection, user_id: str, *, or_of: str | None = None) -> SavedProviders:
    """What was saved by them, or by somebody else too, by name."""
    found = connection.execute(_SAVED, {"one": user_id, "other": user_id if or_of is None else or_of})
    saved = [SavedProvider(*row) for row in found]
    accounts = bool(saved) and connection.execute(select(people.c.id).limit(1)).first() is not None
    return SavedProviders(saved, accounts)


def read_all(connection: Connection) -> list[SavedProvider]:
    query = select(*(provider_keys.c[name] for name in SavedProvider._fields))
    ordered = query.order_by(provider_keys.c.user_id, provider_keys.c.name)
    return [SavedProvider(*row) for row in connection.execute(ordered)]


def save(connection: Connection, one: SavedProvider) -> None:
    upsert(connection, provider_keys, one._asdict())


def replace_secret(connection: Connection, one: SavedProvider, secret: bytes) -> None:
    """Unless it was saved anew in the meantime."""
    connection.execute(
        update(provider_keys)
        .where(
            provider_keys.c.user_id == one.user_id,
            provider_keys.c.name == one.name,
            provider_keys.c.secret == one.secret,
        )
        .values(secret=secret)
    )


def remove(connection: Connection, user_id: str, name: str) -> bool:
    """Whether there was one."""
    gone = delete(provider_keys).where(provider_keys.c.user_id == user_id, provider_keys.c.name == name)
    return connection.execute(gone).rowcount > 0
