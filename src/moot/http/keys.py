"""The providers you have added, with their keys; and, for administrators, those of the whole server."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, Caller, OneEngine
from moot.kernel.values import Wire
from moot.keys import saved_keys
from moot.keys.saved_keys import EVERYONE, KeyChange, KeyTest, KeyView

router = APIRouter(tags=["keys"], responses=REFUSALS)


class KeyList(Wire):
    keys: list[KeyView]


@router.get("/api/account/keys")
async def list_keys(engine: OneEngine, who: Caller) -> KeyList:
    """List the providers, with what is set for each, and where. Of your own keys, only the end is shown."""
    return KeyList(keys=await saved_keys.list_keys(engine, who.id, administrator=who.administrator))


@router.put("/api/account/keys/{provider}", openapi_extra=body_schema(KeyChange))
async def save_key(provider: str, request: Request, engine: OneEngine, who: Caller) -> KeyView:
    """Save a provider's key, or an endpoint of your own under a name. It is used for your runs, at once."""
    return await saved_keys.save_key(engine, who.id, provider, await read_body(request, KeyChange))


@router.delete("/api/account/keys/{provider}", status_code=204)
async def remove_key(provider: str, engine: OneEngine, who: Caller) -> Response:
    """Remove what you saved for a provider."""
    await saved_keys.remove_key(engine, who.id, provider)
    return Response(status_code=204)


@router.post("/api/account/keys/{provider}/test")
async def try_key(provider: str, engine: OneEngine, who: Caller) -> KeyTest:
    """Ask the provider for its models with what you saved: does it answer, and take the key?"""
    return await saved_keys.try_key(engine, who.id, provider)


@router.get("/api/admin/keys")
async def list_server_keys(engine: OneEngine) -> KeyList:
    """List the providers that everyone on this server can use."""
    return KeyList(keys=await saved_keys.list_keys(engine, EVERYONE, administrator=True))


@router.put("/api/admin/keys/{provider}", openapi_extra=body_schema(KeyChange))
async def save_server_key(provider: str, request: Request, engine: OneEngine) -> KeyView:
    """Save a key or an endpoint for everyone on this server who has none of their own."""
    return await saved_keys.save_key(engine, EVERYONE, provider, await read_body(request, KeyChange))


@router.delete("/api/admin/keys/{provider}", status_code=204)
async def remove_server_key(provider: str, engine: OneEngine) -> Response:
    """Remove what is saved for everyone."""
    await saved_keys.remove_key(engine, EVERYONE, provider)
    return Response(status_code=204)


@router.post("/api/admin/keys/{provider}/test")
async def try_server_key(provider: str, engine: OneEngine) -> KeyTest:
    """Ask the provider for its models with what is saved for everyone."""
    return await saved_keys.try_key(engine, EVERYONE, provider)
