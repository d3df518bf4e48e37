"""What is asked about conversations, their messages and their stages. Functions of a connection.

    page = await store.read(lambda connection: conversations.conversations(connection, "ann", search="tabs"))

Where a person asks, their `user_id` is part of the condition: another's conversation is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Select, delete, select, tuple_, update

from moot.kernel.clock import now_ms
from moot.kernel.status import WITH_ANSWER, Status
from moot.kernel.values import CouncilRow, Row
from moot.store import tables
from moot.store.journal import COLUMNS
from moot.store.paging import Page, cursor_of, page_of, place_of
from moot.store.runs import delete_of_conversation
from moot.store.search import mentions
from moot.store.tables import deliberation_stages, runs

CouncilTable = Literal["stage1_responses", "stage2_rankings", "stage2_label_map", "stage3_synthesis"]
COUNCIL_TABLES: tuple[CouncilTable, ...] = (
    "stage1_responses",
    "stage2_rankings",
    "stage2_label_map",
    "stage3_synthesis",
)


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    user_id: str
    title: str
    mode: str
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class StoredMessage:
    id: str
    conversation_id: str
    role: Literal["user", "assistant"]
    content: str
    status: Status
    error: str | None
    created_at: int


def conversation(connection: Connection, user_id: str, id: str) -> Conversation | None:
    mine = _conversations(user_id).where(tables.conversations.c.id == id)
    found = connection.execute(mine).first()
    return None if found is None else Conversation(*found)


def conversations(
    connection: Connection,
    user_id: str,
    *,
    limit: int = 50,
    cursor: str | None = None,
    mode: str | None = None,
    search: str | None = None,
) -> Page[Conversation]:
    """A person's conversations, those most lately added to first."""
    c = tables.conversations.c
    query = _conversations(user_id)
    if mode is not None:
        query = query.where(c.mode == mode)
    found = mentions(connection.dialect.name, search or "")
    if found is not None:
        query = query.where(found)
    if cursor is not None:
        query = query.where(tuple_(c.updated_at, c.id) < place_of(cursor))
    query = query.order_by(c.updated_at.desc(), c.id.desc()).limit(limit + 1)
    rows = [Conversation(*row) for row in connection.execute(query)]
    return page_of(rows, limit, lambda row: cursor_of(row.updated_at, row.id))


def rename(connection: Connection, user_id: str, id: str, title: str) -> bool:
    """Whether there was such a conversation."""
    c = tables.conversations.c
    renaming = update(tables.conversations).where(c.id == id, c.user_id == user_id).values(title=title)
    return connection.execute(renaming).rowcount > 0


def delete_conversation(connection: Connection, user_id: str, id: str) -> bool:
    """Remove it with its messages, its runs and all they did; whether there was anything of it."""
    c = tables.conversations.c
    shown = connection.execute(delete(tables.conversations).where(c.id == id, c.user_id == user_id))
    done = delete_of_conversation(connection, user_id, id, now_ms())
    return shown.rowcount + done > 0


def messages(connection: Connection, conversation_id: str) -> list[StoredMessage]:
    c = tables.messages.c
    columns = (c[name] for name in StoredMessage.__slots__)
    query = select(*columns).where(c.conversation_id == conversation_id).order_by(c.number)
    return [StoredMessage(*row) for row in connection.execute(query)]


def history(connection: Connection, conversation_id: str, turns: int = 10) -> list[tuple[str, str]]:
    """The last turns that got an answer, each a question with its answer, the oldest first."""
    answer, question = tables.messages.alias("answer"), tables.messages.alias("question")
    asked = (
        select(question.c.content)
        .join(runs, runs.c.user_message_id == question.c.id)
        .where(runs.c.message_id == answer.c.id)
        .limit(1)  # a retried message has several runs, all with the same question
        .scalar_subquery()
    )
    query = (
        select(asked, answer.c.content)
        .where(answer.c.conversation_id == conversation_id, answer.c.role == "assistant")
        .where(answer.c.status.in_(WITH_ANSWER))
        .order_by(answer.c.number.desc())
        .limit(turns)
    )
    return [(put, given) for put, given in connection.execute(query)][::-1]


def stage_rows(connection: Connection, message_id: str) -> list[Row]:
    """A message's rows of `deliberation_stages`: by stage, then seat, then time."""
    c = deliberation_stages.c
    columns = (c[name] for name in Row.__slots__)
    query = (
        select(*columns)
        .where(c.message_id == message_id)
        .order_by(c.stage_order, c.seat.asc().nulls_first(), c.created_at, c.id)
    )
    return [Row(**row._asdict()) for row in connection.execute(query)]


def council_rows(connection: Connection, message_id: str) -> list[CouncilRow]:
    """A message's rows of council's four tables: table by table, then by seat."""
    return [row for name in COUNCIL_TABLES for row in _council_rows(connection, name, message_id)]


def _council_rows(connection: Connection, name: CouncilTable, message_id: str) -> list[CouncilRow]:
    c = tables.metadata.tables[name].c
    columns = (c[column] for column in COLUMNS[name][2:])
    query = select(*columns).where(c.message_id == message_id).order_by(c.seat.asc().nulls_first(), c.id)
    return [CouncilRow(name, row._asdict()) for row in connection.execute(query)]


def _conversations(user_id: str) -> Select[Any]:
    c = tables.conversations.c
    columns = (c[name] for name in Conversation.__slots__)
    return select(*columns).where(c.user_id == user_id)
