"""What is kept of reasoning templates: those that people add, and the vectors that all are found by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import unpack
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, delete, func, insert, select, text, update

from moot.kernel.retriever import Scaffold
from moot.modes.dialectic.scaffolds import ScaffoldText
from moot.store.tables import embedders, reasoning_templates, template_vectors


class IndexedVector(NamedTuple):
    """A vector as it is kept: float32 after float32, and the digest of the texts it was made from."""

    digest: str
    vector: bytes


def own_templates(connection: Connection, user_id: str) -> list[Scaffold]:
    c = reasoning_templates.c
    query = select(reasoning_templates).where(c.user_id == user_id).order_by(c.created_at, c.id)
    return [_scaffold(row._mapping) for row in connection.execute(query)]


def own_template(connection: Connection, user_id: str, id: str) -> Scaffold | None:
    c = reasoning_templates.c
    row = connection.execute(select(reasoning_templates).where(c.user_id == user_id, c.id == id)).first()
    return None if row is None else _scaffold(row._mapping)


def add_template(
    connection: Connection, user_id: str, id: str, scaffold_text: ScaffoldText, now: int
) -> None:
    values = scaffold_text.model_dump(by_alias=False, mode="json")
    connection.execute(
        insert(reasoning_templates).values(id=id, user_id=user_id, created_at=now, updated_at=now, **values)
    )


def change_template(
    connection: Connection, user_id: str, id: str, scaffold_text: ScaffoldText, now: int
) -> bool:
    """Whether there was such a template."""
    c = reasoning_templates.c
    values = scaffold_text.model_dump(by_alias=False, mode="json")
    changing = update(reasoning_templates).where(c.user_id == user_id, c.id == id)
    return connection.execute(changing.values(updated_at=now, **values)).rowcount > 0


def remove_template(connection: Connection, user_id: str, id: str) -> bool:
    """Whether there was such a template. Its vectors go with it."""
    c = reasoning_templates.c
    removal = connection.execute(delete(reasoning_templates).where(c.user_id == user_id, c.id == id))
    if removal.rowcount:
        connection.execute(delete(template_vectors).where(template_vectors.c.template_id == id))
    return removal.rowcount > 0


def floor_of(connection: Connection, embedder: str) -> float | None:
    """An embedder's floor, if it is known."""
    return connection.execute(select(embedders.c.floor).where(embedders.c.id == embedder)).scalar()


def digests(connection: Connection, embedder: str, ids: Sequence[str], length: int) -> dict[str, str]:
    """Of those of these templates whose vector is there, as long as it should be and ready to be searched,
    the digest of the texts it was made from."""
    c = template_vectors.c
    query = select(c.template_id, c.digest).where(
        c.embedder == embedder, c.template_id.in_(ids), func.length(c.vector) == length * 4
    )
    if has_pgvector(connection):
        query = query.where(text("embedding IS NOT NULL"))
    return dict(connection.execute(query).all())


def candidates(
    connection: Connection, embedder: str, ids: Sequence[str], question: Sequence[float], most: int
) -> dict[str, bytes]:
    """The vectors among which the `most` nearest are: with pgvector few more than these, else all."""
    is_sqlite = connection.dialect.name == "sqlite"
    parameters: dict[str, Any] = {
        "embedder": embedder,
        "ids": orjson.dumps(list(ids)).decode() if is_sqlite else list(ids),
    }
    statement = _EVERY
    if has_pgvector(connection):
        statement = _NEAREST
        parameters |= {"question": list(question), "most": most}
    among = _AMONG[connection.dialect.name]
    rows = connection.execute(text(statement.format(among=among)), parameters)
    return {id: bytes(vector) for id, vector in rows}


def store_index(
    connection: Connection, embedder: str, vectors: Mapping[str, IndexedVector], floor: float
) -> None:
    """Put an embedder's floor and these vectors in place of what there was."""
    connection.execute(delete(embedders).where(embedders.c.id == embedder))
    connection.execute(insert(embedders).values(id=embedder, floor=floor))
    if not vectors:
        return
    c = template_vectors.c
    connection.execute(
        delete(template_vectors).where(c.embedder == embedder, c.template_id.in_(list(vectors)))
    )
    rows: list[dict[str, Any]] = [
        {"embedder": embedder, "template_id": id, "digest": one.digest, "vector": one.vector}
        for id, one in vectors.items()
    ]
    connection.execute(insert(template_vectors), rows)
    if has_pgvector(connection):
        connection.execute(_EMBED, [{**row, "numbers": _numbers(row["vector"])} for row in rows])


def has_pgvector(connection: Connection) -> bool:
    """Whether the database can search vectors itself: the migration added the column if it could."""
    return connection.dialect.name == "postgresql" and bool(connection.scalar(_HAS_PGVECTOR))


_HAS_PGVECTOR = text(
    "SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('template_vectors') "
    "AND attname = 'embedding' AND NOT attisdropped)"
)
_EMBED = text(
    "UPDATE template_vectors SET embedding = CAST(CAST(:numbers AS real[]) AS vector) "
    "WHERE embedder = :embedder AND template_id = :template_id"
)
# Many ids as one parameter: written out one by one, they take longer than the search.
_AMONG = {
    "sqlite": "template_id IN (SELECT value FROM json_each(:ids))",
    "postgresql": "template_id = ANY(CAST(:ids AS text[]))",
}
_EVERY = "SELECT template_id, vector FROM template_vectors WHERE embedder = :embedder AND {among}"
# pgvector adds up in single precision. What is as near as the last one but for its rounding comes along, so
# that whoever ranks them exactly has all that could be among the first.
_NEAREST = """
    WITH near AS MATERIALIZED (
        SELECT template_id, embedding <=> CAST(CAST(:question AS real[]) AS vector) AS distance
        FROM template_vectors WHERE embedder = :embedder AND {among}
    )
    SELECT template_id, vector FROM near JOIN template_vectors USING (template_id)
    WHERE embedder = :embedder AND distance <= 1e-4 + (
        SELECT max(distance) FROM (SELECT distance FROM near ORDER BY distance LIMIT :most) AS first
    )
"""


def _numbers(vector: bytes) -> list[float]:
    return list(unpack(f"<{len(vector) // 4}f", vector))


def _scaffold(row: Mapping[Any, Any]) -> Scaffold:
    names = ("id", "name", "when_to_use", "steps", "checks", "example_questions")
    return Scaffold(**{name: row[name] for name in names}, own=True)
