"""What a person may do, and what is left of it."""

from __future__ import annotations

from fastapi import APIRouter, Request

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.limits.allotment import Allotment, LimitChange, change_limits, read_allotment

router = APIRouter(tags=["limits"], responses=REFUSALS)


@router.get("/api/limits")
async def read_limits(engine: OneEngine, user: User) -> Allotment:
    """Say how often you may ask, how many runs you may have at once and what you may spend, and what is used
    of each. A question that would break a limit is answered with 429, `Retry-After` and the limit's name."""
    return await read_allotment(engine, user)


@router.get("/api/admin/people/{person_id}/limits")
async def read_limits_of_person(person_id: str, engine: OneEngine) -> Allotment:
    """Read somebody's limits, and what they have used of each."""
    return await read_allotment(engine, person_id)


@router.patch("/api/admin/people/{person_id}/limits", openapi_extra=body_schema(LimitChange))
async def change_limits_of_person(person_id: str, request: Request, engine: OneEngine) -> Allotment:
    """Set what somebody may do: what is missing stays, null is no limit."""
    return await change_limits(engine, person_id, await read_body(request, LimitChange))
