"""Reasoning templates: the library, and your own."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.kernel.retriever import Scaffold
from moot.kernel.values import Wire
from moot.modes.dialectic.scaffolds import ScaffoldText
from moot.templates import collection

router = APIRouter(tags=["templates"], responses=REFUSALS)


class TemplateList(Wire):
    templates: list[Scaffold]


@router.get("/api/templates")
async def list_templates(engine: OneEngine, user: User) -> TemplateList:
    """List the library's templates, then your own."""
    return TemplateList(templates=await collection.list_templates(engine, user))


@router.get("/api/templates/{template_id}")
async def read_template(template_id: str, engine: OneEngine, user: User) -> Scaffold:
    """Read a template."""
    return await collection.find_template(engine, user, template_id)


@router.post("/api/templates", status_code=201, openapi_extra=body_schema(ScaffoldText))
async def add_template(request: Request, engine: OneEngine, user: User) -> Scaffold:
    """Add a template of your own; only your questions are compared with it."""
    return await collection.add_template(engine, user, await read_body(request, ScaffoldText))


@router.put("/api/templates/{template_id}", openapi_extra=body_schema(ScaffoldText))
async def change_template(template_id: str, request: Request, engine: OneEngine, user: User) -> Scaffold:
    """Replace a template of your own."""
    collection.refuse_library(template_id)  # whatever the body says
    text = await read_body(request, ScaffoldText)
    return await collection.change_template(engine, user, template_id, text)


@router.delete("/api/templates/{template_id}", status_code=204)
async def remove_template(template_id: str, engine: OneEngine, user: User) -> Response:
    """Remove a template of your own."""
    await collection.remove_template(engine, user, template_id)
    return Response(status_code=204)
