"""OpenID Connect: somebody else's login lets people in. Authorization code with PKCE, state and nonce.

    flow = Flow.new()                          what this browser must bring back
    await provider.authorization_url(flow, redirect_uri)
    …                                          the person signs in there, and comes back with a code
    claims = await provider.claims(code, flow, redirect_uri)

What the provider says counts only in an ID token that it has signed for us, now, for this browser: the
issuer, the audience, the time, the nonce and the algorithm are looked at before any claim is.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from moot.accounts.random_tokens import new_token
from moot.kernel.clock import monotonic, now_ms
from moot.settings import BadSetting, Settings

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that need the provider's private key. `none` and those by a shared secret are no proof."""
LEEWAY_SECONDS = 60
DISCOVERY_SECONDS = 3600.0
CONNECT_SECONDS = 5
ANSWER_SECONDS = 15
LARGEST_ANSWER = 1_000_000
Claims = Mapping[str, Any]


class SignInFailed(Exception):
    """Nobody is let in. `reason` is one of a few words that the page has sentences for; the message is for
    the log, and holds nothing of the person's."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Flow:
    """One way to the provider and back. `link`: somebody who is signed in connects their account; the digest
    of their session."""

    state: str
    nonce: str
    verifier: str
    link: str = ""

    @classmethod
    def new(cls, link: str = "") -> Flow:
        return cls(new_token(), new_token(), new_token(), link)

    @classmethod
    def read(cls, value: str | None) -> Flow | None:
        parts = (value or "").split(".")
        return cls(*parts) if len(parts) == 4 and all(parts[:3]) else None

    def __str__(self) -> str:
        return ".".join((self.state, self.nonce, self.verifier, self.link))

    @property
    def challenge(self) -> str:
        digest = sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class OidcProvider:
    """The provider that the settings name. It is asked about itself when the first person comes."""

    def __init__(self, settings: Settings) -> None:
        assert settings.oidc_issuer is not None
        self.issuer = settings.oidc_issuer
        self.name = settings.oidc_name or urlsplit(self.issuer).hostname or self.issuer
        self._client_id = settings.oidc_client_id or ""
        self._secret = settings.oidc_client_secret.get_secret_value() if settings.oidc_client_secret else None
        self._scopes = " ".join(settings.oidc_scopes)
        self._discovery: tuple[float, Mapping[str, Any]] | None = None
        self._keys: Mapping[str, Any] | None = None

    async def authorization_url(self, flow: Flow, redirect_uri: str) -> str:
        endpoint = _endpoint(await self._discover(), "authorization_endpoint")
        query = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": self._scopes,
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": flow.challenge,
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def claims(self, code: str, flow: Flow, redirect_uri: str) -> Claims:
        """What the provider says of the person who brought this code. Raises SignInFailed."""
        discovery = await self._discover()
        tokens = await self._redeem(discovery, code, flow, redirect_uri)
        signed = await self._verify(str(tokens.get("id_token", "")), flow.nonce, discovery)
        endpoint, access = discovery.get("userinfo_endpoint"), tokens.get("access_token")
        if not isinstance(endpoint, str) or not isinstance(access, str):
            return signed
        more = await self._fetch("GET", endpoint, headers={"authorization": f"Bearer {access}"})
        if more.get("sub") != signed["sub"]:
            raise SignInFailed("provider", "the userinfo is another person's")
        return {**more, **signed}

    async def _redeem(
        self, discovery: Mapping[str, Any], code: str, flow: Flow, redirect_uri: str
    ) -> Mapping[str, Any]:
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": flow.verifier,
        }
        headers = {"accept": "application/json"}
        methods = discovery.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        if self._secret is None:
            body["client_id"] = self._client_id
        elif "client_secret_basic" in methods:
            pair = f"{quote(self._client_id, safe='')}:{quote(self._secret, safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            body |= {"client_id": self._client_id, "client_secret": self._secret}
        return await self._fetch("POST", _endpoint(discovery, "token_endpoint"), data=body, headers=headers)

    async def _verify(self, token: str, nonce: str, discovery: Mapping[str, Any]) -> Claims:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet, KeySetSerialization

        offered = discovery.get("id_token_signing_alg_values_supported") or ["RS256"]
        algorithms = [one for one in ALGORITHMS if one in offered]
        for anew in (False, True):  # the provider may have new keys since
            keys = KeySet.import_key_set(cast(KeySetSerialization, await self._jwks(discovery, anew=anew)))
            try:
                claims = jwt.decode(token, keys, algorithms=algorithms).claims
                break
            except (JoseError, ValueError) as error:
                if anew:
                    raise SignInFailed("provider", f"the ID token: {type(error).__name__}") from None
        self._check(claims, nonce)
        return claims

    def _check(self, claims: Claims, nonce: str) -> None:
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        now, subject = now_ms() / 1000, claims.get("sub")
        faults = {
            "iss": claims.get("iss") != self.issuer,
            "aud": self._client_id not in audiences,
            "azp": (len(audiences) > 1 or "azp" in claims) and claims.get("azp") != self._client_id,
            "exp": not _is_number(claims.get("exp")) or claims["exp"] < now - LEEWAY_SECONDS,
            "iat": not _is_number(claims.get("iat")) or claims["iat"] > now + LEEWAY_SECONDS,
            "nonce": not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()),
            "sub": not isinstance(subject, str) or not 0 < len(subject) <= 255,
        }
        wrong = [name for name, is_wrong in faults.items() if is_wrong]
        if wrong:
            raise SignInFailed("provider", f"the ID token: {', '.join(wrong)}")

    async def _discover(self) -> Mapping[str, Any]:
        if self._discovery is None or self._discovery[0] < monotonic() - DISCOVERY_SECONDS:
            place = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
            found = await self._fetch("GET", place)
            if found.get("issuer") != self.issuer:
                raise SignInFailed("provider", "its discovery document names another issuer")
            self._discovery = monotonic(), found
        return self._discovery[1]

    async def _jwks(self, discovery: Mapping[str, Any], *, anew: bool) -> Mapping[str, Any]:
        if self._keys is None or anew:
            self._keys = await self._fetch("GET", _endpoint(discovery, "jwks_uri"))
        return self._keys

    async def _fetch(self, method: str, url: str, **options: Any) -> Mapping[str, Any]:
        """A JSON object; redirects are not followed: a secret goes where the provider said, nowhere else."""
        import aiohttp

        limits = aiohttp.ClientTimeout(total=ANSWER_SECONDS, connect=CONNECT_SECONDS)
        try:
            async with (
                aiohttp.ClientSession(timeout=limits) as session,
                session.request(method, url, allow_redirects=False, **options) as response,
            ):
                content = await response.content.read(LARGEST_ANSWER)
                if response.status != 200:
                    raise SignInFailed("provider", f"{urlsplit(url).path} answered {response.status}")
                found = json.loads(content)
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise SignInFailed("unreachable", f"{urlsplit(url).path}: {type(error).__name__}") from None
        if not isinstance(found, dict):
            raise SignInFailed("provider", f"{urlsplit(url).path} answered no object")
        return found


def oidc_provider(settings: Settings) -> OidcProvider | None:
    """Raises BadSetting if it cannot work as it is set up."""
    if settings.oidc_issuer is None:
        return None
    if settings.oidc_client_id is None:
        raise BadSetting(
            "MOOT_OIDC_ISSUER needs MOOT_OIDC_CLIENT_ID, the name by which it knows this server."
        )
    try:
        import joserfc  # noqa: F401
    except ImportError:
        raise BadSetting("MOOT_OIDC_ISSUER needs an extra package: pip install 'moot[oidc]'.") from None
    return OidcProvider(settings)


def _endpoint(discovery: Mapping[str, Any], name: str) -> str:
    place = discovery.get(name)
    if not isinstance(place, str) or not place.startswith(("https://", "http://")):
        raise SignInFailed("provider", f"it names no {name}")
    return place


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
