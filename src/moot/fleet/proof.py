"""How processes of a fleet know each other: by a secret they share and never send.

    Authorization: Moot 1789…;9f0c…;5e88…      the moment, a nonce, and a digest of both with what is asked

A request is good for a minute. The answer proves that it comes from one who knows the secret, too.
"""

from __future__ import annotations

import hmac
import secrets

from moot.kernel.clock import now_ms

SCHEME = "Moot "
GOOD_FOR_MS = 60_000


def sign(secret: str, target: str) -> tuple[str, str]:
    """The header for a request, and what the answer to it must prove."""
    moment, nonce = str(now_ms()), secrets.token_hex(16)
    return f"{SCHEME}{moment};{nonce};{_digest(secret, 'ask', moment, nonce, target)}", nonce


def check(secret: str, header: str, target: str) -> str | None:
    """The proof to answer with; None if whoever asks does not know the secret."""
    moment, _, rest = header.removeprefix(SCHEME).partition(";")
    nonce, _, digest = rest.partition(";")
    if not header.startswith(SCHEME) or not moment.isdecimal() or len(moment) > 16:
        return None
    if not hmac.compare_digest(digest.encode(), _digest(secret, "ask", moment, nonce, target).encode()):
        return None
    return answer(secret, nonce) if abs(now_ms() - int(moment)) <= GOOD_FOR_MS else None


def answer(secret: str, nonce: str) -> str:
    return _digest(secret, "answer", nonce)


def is_answer(secret: str, nonce: str, proof: str) -> bool:
    return hmac.compare_digest(proof.encode(), answer(secret, nonce).encode())


def _digest(secret: str, *parts: str) -> str:
    return hmac.new(secret.encode(), "\n".join(parts).encode(), "sha256").hexdigest()
