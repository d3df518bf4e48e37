"""Full-text search: the conversations that mention certain words, in their title or in one message.

    mentions("sqlite", 'tabs or "spaces')   every word must occur, at least as the beginning of a word

What a person types is never query syntax: each word is quoted, so that quotes, operators and signs
are only looked for. What no index of words can know, signs alone and the words of scripts written
without spaces, is found by reading through the texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Select, column, func, literal_column, or_, select, table

from moot.store.tables import conversations, messages

MOST_WORDS = 20
"""Further words are not looked for: the parsers behind the indexes have their limits."""

_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)


def mentions(dialect: str, search: str) -> ColumnElement[bool] | None:
    """The condition on a row of `conversations`; None if there is nothing to look for."""
    search = search.replace("\x00", " ").strip()
    words = [word for word in search.split() if any(map(str.isalnum, word))][:MOST_WORDS]
    if not search:
        return None
    if not words or _WITHOUT_SPACES.search(search):
        return _containing(search)
    return _in_fts5(words) if dialect == "sqlite" else _in_tsvector(words)


def _containing(search: str) -> ColumnElement[bool]:
    message = select(messages.c.id).where(
        messages.c.conversation_id == conversations.c.id,
        messages.c.content.icontains(search, autoescape=True),
    )
    return or_(conversations.c.title.icontains(search, autoescape=True), message.exists())


def _in_fts5(words: Sequence[str]) -> ColumnElement[bool]:
    query = " ".join('"' + word.replace('"', '""') + '"*' for word in words)

    def found(number: ColumnElement[int], index: str) -> ColumnElement[bool]:
        rows: Select[tuple[int]] = select(column("rowid")).select_from(table(index))
        return number.in_(rows.where(literal_column(index).op("MATCH")(query)))

    return _either(
        found(conversations.c.number, "search_conversations"), found(messages.c.number, "search_messages")
    )


def _in_tsvector(words: Sequence[str]) -> ColumnElement[bool]:
    quoted = (word.replace("\\", "\\\\").replace("'", "''") for word in words)
    query = func.to_tsquery(literal_column("'simple'"), " & ".join(f"'{word}':*" for word in quoted))

    def found(text: ColumnElement[str]) -> ColumnElement[bool]:
        # Word for word the expression of the index, or it is not used.
        vector = func.to_tsvector(literal_column("'simple'"), func.left(text, literal_column("100000")))
        return vector.bool_op("@@")(query)

    return _either(found(conversations.c.title), found(messages.c.content))


def _either(in_title: ColumnElement[bool], in_message: ColumnElement[bool]) -> ColumnElement[bool]:
    spoken_of = select(messages.c.conversation_id).where(in_message)
    return or_(in_title, conversations.c.id.in_(spoken_of))


INDEXES = ("search_conversations", "search_messages")
"""SQLite's."""
MERGED_PAGES = 64


def forget_words(connection: Connection, *, first: bool) -> bool:
    """SQLite's index of words keeps what was deleted until its parts are merged: merge some more of them;
    whether there is more to do. `first`: begin with all of it."""
    if connection.dialect.name != "sqlite":
        return False
    more = False
    for index in INDEXES:
        before = _changes(connection)
        pages = -MERGED_PAGES if first else MERGED_PAGES
        connection.exec_driver_sql(f"INSERT INTO {index}({index}, rank) VALUES ('merge', {pages})")
        more |= _changes(connection) - before >= 2  # else it had nothing to do, says SQLite's manual
    return more


def _changes(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT total_changes()").scalar_one())
