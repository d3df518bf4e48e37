"""What every answer says to the browser, whatever it answers."""

from __future__ import annotations

from moot.settings import Settings

ANSWER_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        b"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")
NO_STORE = (b"cache-control", b"no-store")


def answer_headers(settings: Settings) -> tuple[tuple[bytes, bytes], ...]:
    is_public = (settings.public_url or "").startswith("https:")
    return (*ANSWER_HEADERS, STRICT_TRANSPORT) if is_public else ANSWER_HEADERS
