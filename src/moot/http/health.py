"""Whether the process lives, and whether it can work."""

from __future__ import annotations

from fastapi import APIRouter, Response

from moot.http.dependencies import OneEngine
from moot.http.problems import Problem, problem
from moot.kernel.values import Wire

ANSWER_SECONDS = 2.0

router = APIRouter(tags=["health"])


class Health(Wire):
    status: str


@router.get("/healthz")
async def healthz() -> Health:
    """Say that the process is alive."""
    return Health(status="ok")


@router.get("/readyz", response_model=Health, responses={503: {"model": Problem}})
async def readyz(engine: OneEngine) -> Health | Response:
    """Say whether the process is ready: whether the database can be read and written."""
    reason = await engine.problem(ANSWER_SECONDS)
    return Health(status="ready") if reason is None else problem(503, [("", reason)])
