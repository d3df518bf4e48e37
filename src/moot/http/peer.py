"""The peer: where a request comes from, seen through proxies that are trusted and no others.

A header that a visitor sends says nothing: `X-Forwarded-For` and `X-Forwarded-Proto` are read only from a
connection that comes from one of `trusted_proxies`; of several addresses, the last that is not one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import Scope

from moot.settings import Settings
from moot.settings.addresses import is_within, parsed


@dataclass(frozen=True, slots=True)
class Peer:
    """`address`: of the visitor; `by_proxy`: a trusted proxy stands in between; `secure`: with TLS."""

    address: str
    by_proxy: bool
    secure: bool

    @classmethod
    def of(cls, scope: Scope, settings: Settings) -> Peer:
        client = scope.get("client")
        connected = client[0] if client else "127.0.0.1"  # a socket of this machine has no address
        https = (settings.public_url or "").startswith("https:") or scope.get("scheme") == "https"
        if not is_within(connected, settings.trusted_proxies):
            return cls(connected, by_proxy=False, secure=https)
        headers = Headers(scope=scope)
        protocol = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
        hops = [hop.strip() for line in headers.getlist("x-forwarded-for") for hop in line.split(",")]
        strangers = [
            hop for hop in hops if parsed(hop) is not None and not is_within(hop, settings.trusted_proxies)
        ]
        return cls(
            strangers[-1] if strangers else connected, by_proxy=True, secure=https or protocol == "https"
        )
