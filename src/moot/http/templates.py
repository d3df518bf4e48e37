"""Reasoning templates: the library, and your own."""

from __future__ import annotations

import uuid

from fastapi import APIRouter, Request, Response

from moot.http.dependencies import REFUSALS, OneEngine, User, body_of
from moot.kernel.clock import now_ms
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.request import read_body
from moot.kernel.values import Wire
from moot.modes.dialectic.scaffolds import Scaffold, ScaffoldText, library
from moot.templates import queries as templates

router = APIRouter(tags=["templates"], responses=REFUSALS)


class TemplateList(Wire):
    templates: list[Scaffold]


@router.get("/api/templates")
async def list_templates(engine: OneEngine, user: User) -> TemplateList:
    """The library, then your own."""
    own = await engine.store.read(lambda db: templates.own_templates(db, user))
    return TemplateList(templates=[*library().scaffolds, *own])


@router.get("/api/templates/{template_id}")
async def read_template(template_id: str, engine: OneEngine, user: User) -> Scaffold:
    """One template."""
    own = await engine.store.read(lambda db: templates.own_template(db, user, template_id))
    found = own or next((one for one in library().scaffolds if one.id == template_id), None)
    if found is None:
        raise NotFound(f"There is no template {template_id}")
    return found


@router.post("/api/templates", status_code=201, openapi_extra=body_of(ScaffoldText))
async def add_template(request: Request, engine: OneEngine, user: User) -> Scaffold:
    """Add a template of your own; nobody else's questions are compared with it."""
    given, id = await _given(request), f"own-{uuid.uuid4().hex[:12]}"
    await engine.store.change(lambda db: templates.add_template(db, user, id, given, now_ms()))
    return await read_template(id, engine, user)


@router.put("/api/templates/{template_id}", openapi_extra=body_of(ScaffoldText))
async def change_template(template_id: str, request: Request, engine: OneEngine, user: User) -> Scaffold:
    """Put another text in place of a template of your own."""
    _refuse_library(template_id)
    given = await _given(request)
    if not await engine.store.change(
        lambda db: templates.change_template(db, user, template_id, given, now_ms())
    ):
        raise NotFound(f"There is no template {template_id}")
    return await read_template(template_id, engine, user)


@router.delete("/api/templates/{template_id}", status_code=204)
async def remove_template(template_id: str, engine: OneEngine, user: User) -> Response:
    """Remove a template of your own."""
    _refuse_library(template_id)
    if not await engine.store.change(lambda db: templates.remove_template(db, user, template_id)):
        raise NotFound(f"There is no template {template_id}")
    return Response(status_code=204)


def _refuse_library(id: str) -> None:
    if any(one.id == id for one in library().scaffolds):
        raise Conflict(f"{id} belongs to the library, which cannot be changed: add a template of your own")


async def _given(request: Request) -> ScaffoldText:
    return read_body(ScaffoldText, await request.body())
