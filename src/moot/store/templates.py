"""What is kept of reasoning templates: those that people add, and the vectors that all are found by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from moot.scaffolds import Scaffold, ScaffoldText
from moot.store.tables import embedders, reasoning_templates, template_vectors


class Indexed(NamedTuple):
    """A vector as it is kept: float32 after float32, and the digest of the texts it was made from."""

    digest: str
    vector: bytes


def own_templates(connection: Connection, user_id: str) -> list[Scaffold]:
    c = reasoning_templates.c
    query = select(reasoning_templates).where(c.user_id == user_id).order_by(c.created_at, c.id)
    return [_scaffold(row._mapping) for row in connection.execute(query)]


def own_template(connection: Connection, user_id: str, id: str) -> Scaffold | None:
    c = reasoning_templates.c
    found = connection.execute(select(reasoning_templates).where(c.user_id == user_id, c.id == id)).first()
    return None if found is None else _scaffold(found._mapping)


def add_template(connection: Connection, user_id: str, id: str, given: ScaffoldText, now: int) -> None:
    values = given.model_dump(by_alias=False, mode="json")
    connection.execute(
        insert(reasoning_templates).values(id=id, user_id=user_id, created_at=now, updated_at=now, **values)
    )


def change_template(connection: Connection, user_id: str, id: str, given: ScaffoldText, now: int) -> bool:
    """Whether there was such a template."""
    c = reasoning_templates.c
    values = given.model_dump(by_alias=False, mode="json")
    changing = update(reasoning_templates).where(c.user_id == user_id, c.id == id)
    return connection.execute(changing.values(updated_at=now, **values)).rowcount > 0


def remove_template(connection: Connection, user_id: str, id: str) -> bool:
    """Whether there was such a template. Its vectors go with it."""
    c = reasoning_templates.c
    removed = connection.execute(delete(reasoning_templates).where(c.user_id == user_id, c.id == id))
    if removed.rowcount:
        connection.execute(delete(template_vectors).where(template_vectors.c.template_id == id))
    return removed.rowcount > 0


def index_of(
    connection: Connection, embedder: str, template_ids: Sequence[str]
) -> tuple[float | None, dict[str, Indexed]]:
    """An embedder's floor, if it is known, and the vectors of these templates that are there."""
    floor = connection.execute(select(embedders.c.floor).where(embedders.c.id == embedder)).scalar()
    c = template_vectors.c
    query = select(c.template_id, c.digest, c.vector).where(
        c.embedder == embedder, c.template_id.in_(template_ids)
    )
    found = {id: Indexed(digest, bytes(vector)) for id, digest, vector in connection.execute(query)}
    return floor, found


def keep_index(connection: Connection, embedder: str, vectors: Mapping[str, Indexed], floor: float) -> None:
    """Put an embedder's floor and these vectors in place of what there was."""
    connection.execute(delete(embedders).where(embedders.c.id == embedder))
    connection.execute(insert(embedders).values(id=embedder, floor=floor))
    if not vectors:
        return
    c = template_vectors.c
    connection.execute(
        delete(template_vectors).where(c.embedder == embedder, c.template_id.in_(list(vectors)))
    )
    connection.execute(
        insert(template_vectors),
        [
            {"embedder": embedder, "template_id": id, "digest": one.digest, "vector": one.vector}
            for id, one in vectors.items()
        ],
    )


def _scaffold(row: Mapping[Any, Any]) -> Scaffold:
    names = ("id", "name", "when_to_use", "steps", "checks", "example_questions")
    return Scaffold(**{name: row[name] for name in names}, own=True)
