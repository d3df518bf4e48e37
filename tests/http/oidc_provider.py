"""Providers of OpenID Connect to sign in at: a real one in a process of its own, and a hostile one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any
from urllib.request import urlopen

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from moot.kernel.clock import now_ms
from tests.harness.waiting import PATIENCE

USERS: tuple[Mapping[str, Any], ...] = (
    {"sub": "ann-1", "preferred_username": "Ann", "email": "ann@example.org", "email_verified": True},
    {"sub": "bob-2", "preferred_username": "Bob", "email": "bob@example.org", "email_verified": False},
    {"sub": "eve-3", "preferred_username": "Ann", "email": "ann@example.org", "email_verified": False},
    {"sub": "max-4", "preferred_username": "Max", "email": "max@example.org", "email_verified": True},
)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def provider_command(port: int) -> list[str]:
    claims = [part for user in USERS for part in ("--user-claims", json.dumps(user))]
    return [
        *(sys.executable, "-W", "ignore", "-m", "oidc_provider_mock"),
        *("--port", str(port), "--require-nonce", "true", *claims),
    ]


@contextmanager
def real_provider() -> Iterator[str]:
    """oidc-provider-mock, a provider by other people, in a process of its own; its issuer."""
    port = free_port()
    process = subprocess.Popen(
        provider_command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    issuer = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1200):
            with suppress(OSError), urlopen(f"{issuer}/.well-known/openid-configuration"):
                break
            time.sleep(0.05)
        yield issuer
    finally:
        process.terminate()
        process.wait(PATIENCE)


class HostileProvider:
    """Signs whatever it is told to. `changes` are made to the claims, `sign` makes the token."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one"}, private=True)
        self.changes: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {}
        self.userinfo: dict[str, Any] | None = None
        self.how = "rs256"
        self.received: list[tuple[dict[str, str], Mapping[str, str]]] = []
        self.nonce = ""
        self.issuer = ""

    @asynccontextmanager
    async def served(self) -> AsyncIterator[HostileProvider]:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._discovery)
        app.router.add_get("/jwks", self._jwks)
        app.router.add_post("/token", self._token)
        app.router.add_get("/userinfo", self._userinfo)
        runner = web.AppRunner(app)
        await runner.setup()
        port = free_port()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        self.issuer = f"http://127.0.0.1:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _discovery(self, _: web.Request) -> web.Response:
        document = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **({"userinfo_endpoint": f"{self.issuer}/userinfo"} if self.userinfo is not None else {}),
            **self.discovery,
        }
        return web.json_response({name: value for name, value in document.items() if value is not None})

    async def _jwks(self, _: web.Request) -> web.Response:
        return web.json_response(KeySet([self.key]).as_dict(private=False))

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.received.append((form, request.headers))
        if self.how == "refuse":
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response({"access_token": "opaque", "token_type": "Bearer", "id_token": self.token()})

    async def _userinfo(self, _: web.Request) -> web.Response:
        return web.json_response(self.userinfo)

    def token(self) -> str:
        now = now_ms() // 1000
        claims = {
            "iss": self.issuer,
            "aud": "moot",
            "sub": "mallory",
            "iat": now,
            "exp": now + 300,
            "nonce": self.nonce,
            "preferred_username": "Mallory",
            **self.changes,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        match self.how:
            case "none":
                return _unsigned(claims)
            case "hs256":  # with the public key as the secret, as in the classical attack
                secret = OctKey.import_key(self.key.as_pem(private=False))
                return jwt.encode({"alg": "HS256", "kid": "one"}, claims, secret, algorithms=["HS256"])
            case "stranger":
                other = RSAKey.generate_key(2048, {"kid": "one"}, private=True)
                return jwt.encode({"alg": "RS256", "kid": "one"}, claims, other)
            case "es256":
                curve = ECKey.generate_key("P-256", {"kid": "one"}, private=True)
                return jwt.encode({"alg": "ES256", "kid": "one"}, claims, curve)
            case "garbage":
                return "not.a.token"
        return jwt.encode({"alg": "RS256", "kid": str(self.key.kid)}, claims, self.key)


def _unsigned(claims: Mapping[str, Any]) -> str:
    from base64 import urlsafe_b64encode

    parts = (json.dumps({"alg": "none"}), json.dumps(claims))
    return ".".join(urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in parts) + "."
