"""Links that work once: the first administrator's, invitations, and those to choose a new password.

link = await invite(engine, days=7)
path_of(link.token)                     "/#/link/…": after the #, so that it stands in nobody's log
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from moot.accounts import queries
from moot.accounts.names import clean_name
from moot.accounts.passwords import check_password, hash_password
from moot.accounts.people import DAY_MS, name_taken, new_person, set_password
from moot.accounts.queries import LinkKind, StoredLink, StoredPerson
from moot.accounts.random_tokens import digest, new_id, new_token
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound, Rejected
from moot.kernel.user import LOCAL_USER

SETUP_DAYS = 1
RESET_DAYS = 1
INVITATION_DAYS = 7
GONE = "This link does not work: it was used, has expired, or was withdrawn"


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that was just made: the only time that its token is known."""

    token: str
    link: StoredLink


@dataclass(frozen=True, slots=True)
class OpenLink:
    """What a link is for. `name`: whose password; `local_runs`: how many runs the first administrator may
    keep that were made here before there were accounts."""

    link: StoredLink
    name: str | None
    local_runs: int


def path_of(token: str) -> str:
    return f"/#/link/{token}"


async def first_link(engine: Engine) -> NewLink | None:
    """The link that makes the first administrator; None if there is one."""
    if await engine.store.read(queries.count_administrators):
        return None
    return await _add(engine, "setup", administrator=True, days=SETUP_DAYS)


async def invite(
    engine: Engine, *, administrator: bool = False, days: int = INVITATION_DAYS, note: str = ""
) -> NewLink:
    return await _add(engine, "invitation", administrator=administrator, days=days, note=note)


async def reset(engine: Engine, person_id: str) -> NewLink:
    """A link with which this person chooses a new password. Raises NotFound."""
    person = await engine.store.read(lambda db: queries.person(db, id=person_id))
    if person is None:
        raise NotFound(f"There is no person {person_id}")
    await engine.store.change(lambda db: queries.remove_links(db, "reset", person_id))
    return await _add(engine, "reset", person_id=person_id, days=RESET_DAYS)


async def invitations(engine: Engine) -> list[StoredLink]:
    return await engine.store.read(lambda db: queries.links_of_kind(db, "invitation", now_ms()))


async def withdraw(engine: Engine, id: str) -> None:
    """Raises NotFound."""
    if not await engine.store.change(lambda db: queries.remove_link(db, "invitation", id)):
        raise NotFound(f"There is no invitation {id}")


async def read_link(engine: Engine, token: str) -> OpenLink:
    """Raises NotFound unless it still works."""

    def read(db: Connection) -> OpenLink | None:
        link = queries.link(db, digest(token), now_ms())
        if link is None or (link.kind == "setup" and queries.count_administrators(db)):
            return None
        whose = None if link.person_id is None else queries.person(db, id=link.person_id)
        return OpenLink(
            link,
            name=None if whose is None else whose.name,
            local_runs=queries.count_runs(db, LOCAL_USER) if link.kind == "setup" else 0,
        )

    found = await engine.store.read(read)
    if found is None:
        raise NotFound(GONE)
    return found


async def use_link(
    engine: Engine, token: str, *, name: str | None, password: str, keep_local: bool
) -> StoredPerson:
    """Choose a name and a password, or only a password where the account is there. The first administrator
    may be the local person, with all their runs. Raises NotFound, Rejected, Conflict."""
    kind = (await read_link(engine, token)).link.kind
    if kind != "reset" and name is None:
        raise Rejected("Choose a name", (("name", "Choose a name"),))
    shown = "" if name is None else clean_name(name)
    check_password(password)
    hashed = await hash_password(password)

    def use(db: Connection) -> StoredPerson:
        """All of it or nothing: whoever chose a name that is taken may choose another."""
        link = _take(db, digest(token), kind)
        if link is None:
            raise NotFound(GONE)
        if link.person_id is not None:
            set_password(db, link.person_id, hashed)
            whose = queries.person(db, id=link.person_id)
            assert whose is not None
            return whose
        is_local = kind == "setup" and keep_local and queries.person(db, id=LOCAL_USER) is None
        person = new_person(
            shown, hashed, id=LOCAL_USER if is_local else None, administrator=link.administrator
        )
        if not queries.add_person(db, person):
            raise name_taken(shown)
        return person

    return await engine.store.change(use)


def _take(connection: Connection, digest: str, kind: LinkKind) -> StoredLink | None:
    if kind != "setup":
        return queries.take_link(connection, digest, now_ms())
    if queries.count_administrators(connection):
        return None
    return queries.take_setup_link(connection, digest, now_ms())


async def _add(
    engine: Engine,
    kind: LinkKind,
    *,
    administrator: bool = False,
    person_id: str | None = None,
    days: int,
    note: str = "",
) -> NewLink:
    token, now = new_token(), now_ms()
    link = StoredLink(new_id(), kind, administrator, note, person_id, now, now + days * DAY_MS)
    await engine.store.change(lambda db: queries.add_link(db, digest(token), link))
    return NewLink(token, link)
