"""Reasoning templates, for every door: the library, and those that people add to it for themselves.

    template = await add_template(engine, "ann", ScaffoldText(name="Weighted comparison", …))
    await find_template(engine, "ann", template.id)

The library is everyone's and cannot be changed; what belongs to somebody else is not there.
"""

from __future__ import annotations

import uuid

from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.retriever import Scaffold
from moot.modes.dialectic.scaffolds import ScaffoldText, library
from moot.templates import queries


async def list_templates(engine: Engine, user: str, *, own: bool = False) -> list[Scaffold]:
    """The library, then the person's own; with `own`, those alone."""
    mine = await engine.store.read(lambda db: queries.own_templates(db, user))
    return mine if own else [*library().scaffolds, *mine]


async def find_template(engine: Engine, user: str, id: str) -> Scaffold:
    """Raises NotFound."""
    mine = await engine.store.read(lambda db: queries.own_template(db, user, id))
    template = mine or _in_library(id)
    if template is None:
        raise no_template(id)
    return template


async def add_template(engine: Engine, user: str, text: ScaffoldText) -> Scaffold:
    """A template of the person's own; nobody else's questions are compared with it."""
    id = f"own-{uuid.uuid4().hex[:12]}"
    await engine.store.change(lambda db: queries.add_template(db, user, id, text, now_ms()))
    return await find_template(engine, user, id)


async def change_template(engine: Engine, user: str, id: str, text: ScaffoldText) -> Scaffold:
    """Put another text in place of a template of the person's own. Raises NotFound, or Conflict for the
    library's."""
    refuse_library(id)
    if not await engine.store.change(lambda db: queries.change_template(db, user, id, text, now_ms())):
        raise no_template(id)
    return await find_template(engine, user, id)


async def remove_template(engine: Engine, user: str, id: str) -> None:
    """Raises NotFound, or Conflict for the library's."""
    refuse_library(id)
    if not await engine.store.change(lambda db: queries.remove_template(db, user, id)):
        raise no_template(id)


def no_template(id: str) -> NotFound:
    return NotFound(f"There is no template {id}")


def _in_library(id: str) -> Scaffold | None:
    return next((one for one in library().scaffolds if one.id == id), None)


def refuse_library(id: str) -> None:
    """Raises Conflict if the template is the library's."""
    if _in_library(id) is not None:
        raise Conflict(f"{id} belongs to the library, which cannot be changed: add a template of your own")
