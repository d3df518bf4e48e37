"""All that is a person's, as one zip to take away.

    README.txt                what is where
    person.json               who, when, and how many rows of what
    conversations/<id>.md     to read
    conversations/<id>.json   the same with every call and event, as `moot export` writes it
    tables/<table>.jsonl      every row of theirs, one JSON object a line, as docs/database.md describes them

Nothing in it lets anybody in: no password, session, token or link. The tables are those that hold something
of people, so a new one is there by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import orjson
from sqlalchemy import Connection, Table, select, tuple_

from moot.accounts import queries
from moot.history.export import document, markdown
from moot.history.views import read_transcript
from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound
from moot.store import retention
from moot.store.personal import belongs_to, personal_tables, shown_columns

FORMAT = "moot.person.1"
PAGE = 200
README = """\
Everything this moot server keeps about you.

person.json               who you are here, when this was written, and how many rows of each kind
conversations/<id>.md     every conversation, to read
conversations/<id>.json   the same with every call and event, for programs
tables/<table>.jsonl      every row of the database that is yours, one JSON object per line

Times are milliseconds since 1970, UTC. Passwords, sessions, tokens and links are left out,
so nobody who finds this file can sign in with it.
"""


async def write_archive(engine: Engine, user_id: str, path: Path) -> None:
    """Write it to `path`. One row after the other: it may be larger than memory."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        _add(archive, "README.txt", README.encode())
        async for id in _conversation_ids(engine, user_id):
            try:
                transcript = await read_transcript(engine, id, user_id, calls=True)
            except NotFound:  # deleted a moment ago
                continue
            await asyncio.to_thread(_add, archive, f"conversations/{id}.md", markdown(transcript).encode())
            await asyncio.to_thread(_add, archive, f"conversations/{id}.json", document(transcript))
        counts = {
            str(table.name): await _add_table(engine, archive, table, user_id) for table in personal_tables()
        }
        _add(archive, "person.json", await _person(engine, user_id, counts))


async def _person(engine: Engine, user_id: str, counts: dict[str, int]) -> bytes:
    account = await engine.store.read(lambda db: queries.person(db, id=user_id))
    fields = {
        "format": FORMAT,
        "exportedAt": iso(now_ms()),
        "id": user_id,
        "name": user_id if account is None else account.name,
        "createdAt": None if account is None else iso(account.created_at),
        "rows": counts,
    }
    return orjson.dumps(fields, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


async def _conversation_ids(engine: Engine, user_id: str) -> AsyncIterator[str]:
    after = ""
    while page := await engine.store.read(_page_of_ids(user_id, after)):
        for id in page:
            yield id
        after = page[-1]


def _page_of_ids(user_id: str, after: str) -> Any:
    return lambda db: retention.conversations_of(db, user_id, PAGE, after=after)


async def _add_table(engine: Engine, archive: ZipFile, table: Table, user_id: str) -> int:
    """How many rows there were."""
    count, after = 0, None
    with archive.open(_entry(f"tables/{table.name}.jsonl"), "w", force_zip64=True) as file:
        while True:
            rows, after = await engine.store.read(_page_of_rows(table, user_id, after))
            lines = [orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows]
            await asyncio.to_thread(file.write, b"".join(lines))
            count += len(rows)
            if after is None:
                return count


def _page_of_rows(table: Table, user_id: str, after: tuple[Any, ...] | None) -> Any:
    """A query for the rows that follow, and where the next ones begin; None if there are no more."""
    key = list(table.primary_key.columns)

    def read(db: Connection) -> tuple[list[dict[str, Any]], tuple[Any, ...] | None]:
        columns = shown_columns(table)
        query = select(*columns, *key).where(belongs_to(table, user_id)).order_by(*key).limit(PAGE)
        if after is not None:
            query = query.where(tuple_(*key) > after)
        found = [tuple(row) for row in db.execute(query)]
        rows = [dict(zip((str(c.name) for c in columns), row, strict=False)) for row in found]
        return rows, tuple(found[-1][len(columns) :]) if len(found) == PAGE else None

    return read


def _add(archive: ZipFile, name: str, content: bytes) -> None:
    archive.writestr(_entry(name), content, ZIP_DEFLATED)


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry
