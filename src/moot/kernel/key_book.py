"""Whom each person can ask, with whose key: the settings first, then what they saved, then the server's.

    providers = await book.of("ann")        # by name, like Settings.known_providers()

What the settings say of a provider counts whole; so does what a person saved: the address of one never meets
the key of another. A key that cannot be read keeps its place, with the reason, and nobody else's is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from pydantic import SecretStr

from moot.kernel.clock import monotonic
from moot.kernel.errors import MootError
from moot.kernel.keyring import Keyring, Unreadable
from moot.kernel.user import LOCAL_USER
from moot.settings import Settings
from moot.settings.providers import ANTHROPIC, OLLAMA, OPENAI, OPENROUTER, Provider
from moot.store import DATABASE_ERRORS, Store, provider_keys
from moot.store.provider_keys import SERVER, SavedProvider, SavedProviders

KEPT_SECONDS = 2.0
"""So soon a change counts for runs that go on in other processes; for those that begin, at once."""
MOST_KEPT = 10_000


class KeyBook:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._kept: dict[str, tuple[float, Mapping[str, Provider]]] = {}
        self._reading: dict[str, asyncio.Task[Mapping[str, Provider]]] = {}
        self._ring: Keyring | None = None
        self.standing = settings.known_providers()

    def kept(self, user: str) -> Mapping[str, Provider] | None:
        """What was read a moment ago."""
        until, kept = self._kept.get(user, (0.0, None))
        return kept if monotonic() < until else None

    async def of(self, user: str) -> Mapping[str, Provider]:
        """The very `standing` where nothing is saved."""
        if (kept := self.kept(user)) is not None:
            return kept
        if user not in self._reading:  # the calls of a stage ask all at once
            reading = self._reading[user] = asyncio.create_task(self.refresh(user))
            reading.add_done_callback(lambda _: self._reading.pop(user, None))
        try:
            return await asyncio.shield(self._reading[user])
        except DATABASE_ERRORS:
            if user not in self._kept:
                raise
            return self._kept[user][1]  # a run goes on without its database

    async def refresh(self, user: str) -> Mapping[str, Provider]:
        """As it is now, whoever changed it."""
        began = monotonic()
        providers: Mapping[str, Provider] = self.standing
        if self._store.glance(provider_keys.ANY_SAVED, (user, SERVER)) != [(0,)]:
            found = await self._store.read(lambda db: provider_keys.read(db, user, or_of=SERVER))
            providers = await self._merge(found) if found.saved else self.standing
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[user] = (began + KEPT_SECONDS, providers)
        return providers

    def forget(self, user: str) -> None:
        """Something of theirs has changed; of the server's, everybody's."""
        if user == SERVER:
            self._kept.clear()
            self._reading.clear()
        self._kept.pop(user, None)
        self._reading.pop(user, None)

    async def provider(self, one: SavedProvider) -> Provider:
        """What was saved, whether it counts or not, to be tried."""
        found = await self._store.read(lambda db: provider_keys.read(db, one.user_id))
        return await self._provider(one, found.accounts)

    async def ring(self, *, create: bool = False) -> Keyring:
        """Raises NoKeyring."""
        if self._ring is None or (create and self._ring.is_empty):
            self._ring = await asyncio.to_thread(Keyring.load, self._settings, create=create)
        return self._ring

    async def _merge(self, found: SavedProviders) -> Mapping[str, Provider]:
        providers = dict(self.standing)
        for one in sorted(found.saved, key=lambda one: one.user_id):  # the server's first
            standing = self.standing.get(one.name)
            if standing is None or not standing.configured:
                providers[one.name] = await self._provider(one, found.accounts)
        return providers

    async def _provider(self, one: SavedProvider, accounts: bool) -> Provider:
        key, problem = None, None
        if one.secret is not None:
            try:
                key = SecretStr(await self._read(one, one.secret))
            except MootError as error:
                problem = _lost(one, error)
        return replace(
            self._plain(one),
            key=key,
            key_name="the server's settings" if one.user_id == SERVER else "your settings",
            needs_key=False,
            configured=True,
            owner=one.user_id or None,
            public_only=one.base_url is not None and not self._may_be_private(one.user_id, accounts),
            problem=problem,
        )

    async def _read(self, one: SavedProvider, secret: bytes) -> str:
        ring = await self.ring()
        try:
            return ring.decrypt(secret, one.context)
        except Unreadable:
            self._ring = None  # another process may have made or changed the file
            return (await self.ring()).decrypt(secret, one.context)

    def _plain(self, one: SavedProvider) -> Provider:
        settings, url = self._settings, one.base_url
        match one.name:
            case name if name == OPENROUTER:
                return Provider.openrouter(url, None, settings.concurrency)
            case name if name == OPENAI:
                return Provider.openai(url, None, settings.concurrency)
            case name if name == ANTHROPIC:
                return Provider.anthropic(url, None, settings.concurrency)
            case name if name == OLLAMA:
                return Provider.ollama(url, settings.ollama_concurrency)
        return Provider(
            name=one.name,
            title=one.name,
            base_url=url or "",
            kind=one.kind,
            concurrency=settings.concurrency,
        )

    def _may_be_private(self, user_id: str, accounts: bool) -> bool:
        """Whether an address within the server's own network may be connected to. A worker's settings do not
        say whom its servers let in, but the database does."""
        if self._settings.private_endpoints != "auto":
            return self._settings.private_endpoints == "allow"
        alone = self._settings.identification == "local" and not accounts
        return alone and user_id in (LOCAL_USER, SERVER)


def _lost(one: SavedProvider, error: MootError) -> str:
    whose = "The server's key" if one.user_id == SERVER else "Your saved key"
    advice = "Save it again, or start moot with the MOOT_SECRET_KEY it was saved with."
    return f"{whose} for {one.name} cannot be read. {error} {advice}"
