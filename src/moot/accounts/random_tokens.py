"""Random tokens: nobody guesses one, and the database keeps only what tells it again."""

from __future__ import annotations

import secrets
import uuid
from hashlib import sha256

API_TOKEN_PREFIX = "moot_"
"""So that people and scanners know one when they see it."""


def new_token() -> str:
    """256 bits, in letters that fit into an address."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is stored of a token. It is as random as it is long, so one round is enough."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_id() -> str:
    return uuid.uuid4().hex
