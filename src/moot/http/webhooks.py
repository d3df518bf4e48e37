"""Webhooks: tell another program when your runs end."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, Limit, OneEngine, User
from moot.kernel.values import Wire
from moot.webhooks import webhooks
from moot.webhooks.webhooks import Delivery, NewWebhook, Trial, Webhook, WebhookWithSecret

router = APIRouter(tags=["webhooks"], responses=REFUSALS)


class WebhookList(Wire):
    webhooks: list[Webhook]


class DeliveryList(Wire):
    deliveries: list[Delivery]


class WebhookSecret(Wire):
    secret: str


@router.get("/api/webhooks")
async def list_webhooks(engine: OneEngine, user: User) -> WebhookList:
    """List your webhooks, without their secrets."""
    return WebhookList(webhooks=await webhooks.list_webhooks(engine, user))


@router.post("/api/webhooks", status_code=201, openapi_extra=body_schema(NewWebhook))
async def add_webhook(request: Request, engine: OneEngine, user: User) -> WebhookWithSecret:
    """Add a webhook: an address to notify when your runs end. The secret that signs it is shown once."""
    return await webhooks.add_webhook(engine, user, await read_body(request, NewWebhook))


@router.get("/api/webhooks/deliveries")
async def list_deliveries(engine: OneEngine, user: User, limit: Limit = 50) -> DeliveryList:
    """List deliveries, sent and waiting, newest first."""
    return DeliveryList(deliveries=await webhooks.list_deliveries(engine, user, limit))


@router.delete("/api/webhooks/{webhook_id}", status_code=204)
async def remove_webhook(webhook_id: str, engine: OneEngine, user: User) -> Response:
    """Remove a webhook and its waiting deliveries."""
    await webhooks.remove_webhook(engine, user, webhook_id)
    return Response(status_code=204)


@router.post("/api/webhooks/{webhook_id}/test")
async def try_webhook(webhook_id: str, engine: OneEngine, user: User) -> Trial:
    """Send a test message (`webhook.test`), and say whether it arrived."""
    return await webhooks.try_webhook(engine, user, webhook_id)


@router.post("/api/account/webhook-secret")
async def read_webhook_secret(engine: OneEngine, user: User) -> WebhookSecret:
    """Read the secret that signs messages to addresses in the `webhook` field of your requests."""
    return WebhookSecret(secret=webhooks.secret_for_requests(engine, user))
