"""The models one can ask, with context and prices, and those that are asked when a request names none."""

from __future__ import annotations

from fastapi import APIRouter, Request

from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.transport.catalogue import Catalogue, ModelList

router = APIRouter(tags=["models"], responses=REFUSALS)


class Models(ModelList):
    """`panel`: the models from which defaults are drawn, best first."""

    panel: list[str]


@router.get("/api/models")
async def list_models(request: Request, engine: OneEngine, user: User) -> Models:
    """List the available models, with context length and dollars per million tokens; null if a provider
    does not say. The others are under `unavailable`, each with the reason."""
    catalogue: Catalogue = request.app.state.catalogue
    listing = await catalogue.models(await engine.keys.of(user), probe=True)
    panel = await engine.panel_of(user)
    return Models(models=listing.models, unavailable=listing.unavailable, panel=list(panel.models))
