"""What a deliberation takes at most, before it is asked for."""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter, Request

from moot.http.bodies import body_schema
from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.kernel.call_estimate import RunEstimate
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.kernel.values import Wire
from moot.transport.catalogue import Catalogue, ModelInfo

router = APIRouter(tags=["estimates"], responses=REFUSALS)


class RunEstimates(Wire):
    """By mode, with this server's defaults; without those that have none."""

    estimates: dict[str, RunEstimate]


@router.post("/api/estimate", openapi_extra=body_schema(AskRequest))
async def estimate(request: Request, engine: OneEngine, user: User) -> RunEstimate:
    """Check a request and estimate the most it can take in calls, tokens and dollars, without starting it.
    The body is that of `POST /api/council/stream`; the question may be missing."""
    ask = AskRequest.read(await request.body())
    return await engine.estimate(ask, await _models(request, engine, user), user=user)


@router.get("/api/estimates")
async def list_estimates(request: Request, engine: OneEngine, user: User) -> RunEstimates:
    """Estimate for every mode the most that a short question can take, with your defaults."""
    models = await _models(request, engine, user)
    estimates: dict[str, RunEstimate] = {}
    for mode in engine.modes:
        with suppress(Rejected):  # no panel, or too small a one: then its models must be named
            estimates[mode] = await engine.estimate(AskRequest.of({"mode": mode}), models, user=user)
    return RunEstimates(estimates=estimates)


async def _models(request: Request, engine: Engine, user: str) -> tuple[ModelInfo, ...]:
    catalogue: Catalogue = request.app.state.catalogue
    return (await catalogue.models(await engine.keys.of(user))).models
