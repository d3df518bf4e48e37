"""Whether the process lives, and whether it can work."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from moot.http.dependencies import OneEngine
from moot.http.problems import Problem, problem
from moot.kernel.values import Wire
from moot.store.tables import runs

ANSWER_SECONDS = 2.0

router = APIRouter(tags=["health"])


class Health(Wire):
    status: str


@router.get("/healthz")
async def healthz() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/readyz", response_model=Health, responses={503: {"model": Problem}})
async def readyz(engine: OneEngine) -> Health | Response:
    """The database answers too, and takes what runs want to keep."""
    trouble = engine.store.availability.trouble
    if trouble is not None:
        return problem(503, [("", trouble)])
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await engine.store.read(_look)
    except (OSError, SQLAlchemyError, TimeoutError):
        return problem(503, [("", "The database does not answer.")])
    return Health(status="ready")


def _look(db: Connection) -> None:
    db.execute(select(runs.c.id).limit(1))
