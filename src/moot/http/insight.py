"""Insight: usage and cost by day, model and mode, how models fare, where the time goes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.insights.figures import LONGEST_DAYS, Insight, Period, read_insight

router = APIRouter(tags=["insight"], responses=REFUSALS)


@router.get("/api/insight")
async def insight(
    engine: OneEngine,
    user: User,
    days: Annotated[int, Query(ge=1, le=LONGEST_DAYS, description="Number of days, ending today.")] = 30,
    timezone: Annotated[
        str, Query(max_length=60, description="Time zone for days, such as `Europe/Berlin`.")
    ] = "UTC",
    mode: Annotated[str | None, Query(description="Only runs in this mode.")] = None,
    model: Annotated[
        str | None, Query(max_length=200, description="Only this model's calls and runs.")
    ] = None,
    simulated: Annotated[
        bool | None, Query(description="Only calls to simulated models, or only to real ones.")
    ] = None,
) -> Insight:
    """Count usage and cost by day, model and mode, how often each model wins, fails and agrees, and how long
    each stage takes."""
    period = Period(days=days, timezone=timezone, mode=mode, model=model, simulated=simulated)
    return await read_insight(engine, user, period)
