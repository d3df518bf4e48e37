"""What a person may do, and what is left of it."""

from __future__ import annotations

from fastapi import APIRouter

from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.limits.allotment import Allotment, read_allotment

router = APIRouter(tags=["limits"], responses=REFUSALS)


@router.get("/api/limits")
async def read_limits(engine: OneEngine, user: User) -> Allotment:
    """Say how often you may ask, how many runs you may have at once and what you may spend, and what is used
    of each. A question that would break a limit is answered with 429, `Retry-After` and the limit's name."""
    return await read_allotment(engine, user)
