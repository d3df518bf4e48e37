"""Deleting a person: out at once, then all that is theirs, and nothing that says who they were.

Share links and tokens die with them, and what runs is stopped. What they spent stays in the server's figures,
as nobody's. Should this process end in between, another one goes on.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete

from moot.accounts import queries
from moot.accounts.passwords import is_password
from moot.accounts.people import count_password_attempt
from moot.accounts.random_tokens import digest
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, Forbidden, NotFound
from moot.kernel.housekeeping import delete_all_of
from moot.store import retention
from moot.store.tables import batches, people, share_links

RECENT_MS = 10 * 60_000
LAST_ADMINISTRATOR = "At least one administrator must remain: make someone else an administrator first"


async def delete_person(engine: Engine, person_id: str) -> None:
    """Somebody with all that is theirs, account or not. Raises NotFound, or Conflict if nobody would be left
    to administer."""

    def begin(db: Connection) -> None:
        queries.lock_people(db)
        account = queries.person(db, id=person_id)
        if account is None and not retention.conversations_of(db, person_id, 1):
            raise NotFound(f"There is no person {person_id}")
        retention.request_deletion(db, person_id, now_ms())
        # With the account go sessions, tokens and links to come in: from here on nobody is let in as them.
        db.execute(delete(people).where(people.c.id == person_id))
        db.execute(delete(share_links).where(share_links.c.user_id == person_id))
        db.execute(delete(batches).where(batches.c.user_id == person_id))  # which would begin more runs
        if account is not None and account.administrator and not queries.count_administrators(db):
            raise Conflict(LAST_ADMINISTRATOR)

    await engine.store.change(begin)
    await delete_all_of(engine, person_id)


async def delete_own_account(
    engine: Engine, person_id: str, password: str, *, session: str, address: str
) -> None:
    """Yourself. Who has no password, but a login elsewhere, has signed in a moment ago. Raises Forbidden."""
    await count_password_attempt(engine, person_id, address)
    person = await engine.store.read(lambda db: queries.person(db, id=person_id))
    assert person is not None
    if person.password_hash is not None:
        if not await is_password(password, person.password_hash):
            message = "That is not your password"
            raise Forbidden(message, (("password", message),))
    elif not await engine.store.read(
        lambda db: queries.session_began(db, digest(session)) > now_ms() - RECENT_MS
    ):
        raise Forbidden("Sign out and in again, then delete your account within ten minutes")
    await delete_person(engine, person_id)
