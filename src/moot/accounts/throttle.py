"""How often somebody may try to sign in: counted before the password is looked at, in the database, so that
neither many requests at once nor many servers give more attempts.

Whoever comes with the mark of a browser in which that person has signed in before is counted by that browser
alone: a stranger with a list of passwords uses up the stranger's attempts, not theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network

from sqlalchemy import Connection, case, delete, update
from sqlalchemy.dialects import postgresql, sqlite

from moot.accounts.random_tokens import digest
from moot.kernel.errors import TooMany
from moot.settings.addresses import parsed
from moot.store.tables import sign_in_attempts

WINDOW_MS = 15 * 60_000
PER_DEVICE = 10
PER_NAME_AND_ADDRESS = 5
PER_ADDRESS = 30
PER_NAME = 50

Limits = Mapping[str, int]
"""How many attempts each key has in the window."""


def limits_for(name_key: str, address: str, device: str | None) -> Limits:
    """`device`: the digest of a browser's mark, if it is one this person has signed in with."""
    if device is not None:
        return {f"device:{device}": PER_DEVICE}
    place = _neighbourhood(address)
    # As digests: people mistake the field for a name for the one for a password.
    return {
        f"both:{digest(f'{name_key} {place}')}": PER_NAME_AND_ADDRESS,
        f"address:{digest(place)}": PER_ADDRESS,
        f"name:{digest(name_key)}": PER_NAME,
    }


def count_attempt(connection: Connection, limits: Limits, now: int) -> int:
    """Note an attempt under every key; in how many milliseconds the next may be made, 0 if this one may."""
    c = sign_in_attempts.c
    connection.execute(delete(sign_in_attempts).where(c.started_at <= now - 2 * WINDOW_MS))
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert
    over = c.started_at <= now - WINDOW_MS
    wait = 0
    for key in sorted(limits):  # always in the same order: two attempts at once must not wait for each other
        adding = insert(sign_in_attempts).values(key=key, attempts=1, started_at=now)
        counting = adding.on_conflict_do_update(
            index_elements=["key"],
            set_={
                "attempts": case((over, 1), else_=c.attempts + 1),
                "started_at": case((over, now), else_=c.started_at),
            },
        )
        attempts, started_at = connection.execute(counting.returning(c.attempts, c.started_at)).one()
        if attempts > limits[key]:
            wait = max(wait, started_at + WINDOW_MS - now, 1)
    return wait


def forgive(connection: Connection, limits: Limits) -> None:
    """The attempt was a good one: it does not count, and what this person got wrong here before is forgotten.
    What others did wrong from the same address, or under the same name, is not."""
    c = sign_in_attempts.c
    for key in sorted(limits):
        if key.startswith(("device:", "both:")):
            connection.execute(delete(sign_in_attempts).where(c.key == key))
        else:
            fewer = update(sign_in_attempts).where(c.key == key, c.attempts > 0)
            connection.execute(fewer.values(attempts=c.attempts - 1))


def too_many(wait_ms: int) -> TooMany:
    minutes = max(1, -(-wait_ms // 60_000))
    unit = "minute" if minutes == 1 else "minutes"
    return TooMany(f"Too many attempts. Try again in {minutes} {unit}.", -(-wait_ms // 1000))


def _neighbourhood(address: str) -> str:
    """One customer has a whole network of IPv6 addresses."""
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, 64), strict=False))
    return str(found or address)
