"""Signatures, as Standard Webhooks has them: HMAC-SHA256 over id, time and body.

    webhook-id: 5f….run-1
    webhook-timestamp: 1767225600
    webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

No secret is stored: each is drawn from the server's own (`MOOT_WEBHOOK_SECRET`) and from what it is for.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from hashlib import sha256

from pydantic import SecretStr

PREFIX = "whsec_"


def webhook_secret(server_secret: SecretStr, webhook_id: str) -> str:
    """What a webhook's receiver checks signatures with."""
    return _draw(server_secret, "webhook", webhook_id)


def person_secret(server_secret: SecretStr, user_id: str) -> str:
    """The same for addresses that this person's requests name."""
    return _draw(server_secret, "person", user_id)


def signed_headers(secret: str, id: str, seconds: int, body: bytes) -> dict[str, str]:
    key = b64decode(secret.removeprefix(PREFIX))
    signature = hmac.digest(key, f"{id}.{seconds}.".encode() + body, sha256)
    return {
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{b64encode(signature).decode()}",
    }


def _draw(server_secret: SecretStr, kind: str, name: str) -> str:
    material = f"moot webhooks 1\n{kind}\n{name}".encode()
    return (
        PREFIX + b64encode(hmac.digest(server_secret.get_secret_value().encode(), material, sha256)).decode()
    )
