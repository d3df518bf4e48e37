"""What a person may do, and what is left of it."""

from __future__ import annotations

from fastapi import APIRouter, Request

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.limits.allotment import Allotment, LimitChange, change_limits, read_allotment

router = APIRouter(tags=["limits"], responses=REFUSALS)


@router.get("/api/limits")
async def read_limits(engine: OneEngine, user: User) -> Allotment:
    """Read your limits on questions, runs at once and spending, and how much of each is used. A question
    that would break a limit gets 429, `Retry-After` and the limit's name."""
    return await read_allotment(engine, user)


@router.get("/api/admin/people/{person_id}/limits")
async def read_limits_of_person(person_id: str, engine: OneEngine) -> Allotment:
    """Read someone's limits, and how much of each is used."""
    return await read_allotment(engine, person_id)


@router.patch("/api/admin/people/{person_id}/limits", openapi_extra=body_schema(LimitChange))
async def change_limits_of_person(person_id: str, request: Request, engine: OneEngine) -> Allotment:
    """Set someone's limits: those you leave out stay, null removes one."""
    return await change_limits(engine, person_id, await read_body(request, LimitChange))
