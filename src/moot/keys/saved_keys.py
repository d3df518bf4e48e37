"""Providers with their keys, as people see and change them: the key itself is never shown again.

    await save_key(engine, "ann", "openrouter", KeyChange(key=SecretStr("sk-or-…")))
    (await list_keys(engine, "ann"))[0]
    KeyView(name="openrouter", source="person", hint="x4f2", in_use=True, problem=None, …)

`user` is a person's id, or EVERYONE for what counts for the whole server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Literal

from pydantic import Field, SecretStr

from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, MootError, NotFound, Rejected
from moot.kernel.values import Maybe, Wire
from moot.settings.providers import (
    ANTHROPIC,
    OLLAMA,
    OPENAI,
    OPENROUTER,
    Provider,
    ollama_address,
    web_address,
)
from moot.settings.table import RESERVED
from moot.store import provider_keys
from moot.store.provider_keys import SERVER, SavedProvider
from moot.transport.catalogue import Catalogue

BUILT_IN = (OPENROUTER, OPENAI, ANTHROPIC, OLLAMA)
LONGEST_KEY, LONGEST_ADDRESS = 4000, 500
MOST_SAVED = 50
EVERYONE = SERVER
HINT = 4
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
Source = Literal["environment", "file", "person", "server"]


class KeyChange(Wire):
    """`key`: none, or null: none is sent, or the one that is saved stays if the address does. `baseUrl`: null
    is the provider's usual address. `kind` is the dialect of an endpoint of one's own."""

    key: SecretStr | None = Field(None, max_length=LONGEST_KEY)
    base_url: str | None = Field(None, max_length=LONGEST_ADDRESS)
    kind: Literal["openai", "anthropic"] = "openai"


class KeyView(Wire):
    """A provider, and where what is known of it comes from; `source` is null where nothing is. `hint`: how
    its key ends, for those whose key it is. `inUse`: this is what calls are made with; if not, `note` says
    why. `problem`: why the key cannot be read."""

    name: str
    title: str
    kind: Literal["openai", "anthropic"]
    source: Source | None
    base_url: str | None
    has_key: bool
    hint: str | None
    in_use: bool
    note: str | None
    problem: str | None
    updated_at: str | None


class KeyTest(Wire):
    """The result of testing a key. `problem` is null if the provider answers and takes it; `models`: how many
    it lists."""

    problem: str | None
    models: Maybe[int] = None


async def list_keys(engine: Engine, user: str, *, administrator: bool = False) -> list[KeyView]:
    """The well-known providers first, then endpoints by name. Somebody who is no administrator sees of the
    server's what can be asked, not how."""
    found = await engine.store.read(lambda db: provider_keys.read(db, user, or_of=SERVER))
    saved = {(one.user_id, one.name): one for one in found.saved}
    used = await engine.keys.refresh(user)
    views = []
    for name in (*BUILT_IN, *sorted({*used, *(one.name for one in found.saved)} - set(BUILT_IN))):
        standing = engine.keys.standing.get(name)
        if (user, name) in saved:
            views.append(await _saved_view(engine, saved[user, name], used))
        elif (standing is not None and standing.configured) or (SERVER, name) not in saved:
            views.append(_standing_view(engine, used[name], used, shown=administrator))
        else:
            views.append(await _saved_view(engine, saved[SERVER, name], used, shown=administrator))
    return views


async def save_key(engine: Engine, user: str, name: str, change: KeyChange) -> KeyView:
    """Counts from the next call on, everywhere. Raises Rejected, or Conflict if it cannot be encrypted."""
    _check_name(name)
    base_url = _address(name, change.base_url)
    saved = (await engine.store.read(lambda db: provider_keys.read(db, user))).saved
    old = next((one for one in saved if one.name == name), None)
    if old is None and len(saved) >= MOST_SAVED:
        raise Rejected(f"At most {MOST_SAVED} providers can be saved")
    usual = engine.keys.standing[name].kind if name in BUILT_IN else change.kind
    fresh = SavedProvider(user, name, usual, base_url, None, None, now_ms())
    key = _key(change.key)
    if key is not None:
        try:
            secret = (await engine.keys.ring(create=True)).encrypt(key, fresh.context)
        except MootError as error:
            raise Conflict(str(error)) from None
        fresh = fresh._replace(secret=secret, hint=_hint(key))
    elif old is not None and old.secret is not None:
        if old.context != fresh.context:
            raise _refuse("key", "Enter the key again: it was saved for the old address")
        fresh = fresh._replace(secret=old.secret, hint=old.hint)
    elif base_url is None:
        raise _refuse("key", "A key is needed")
    await engine.store.change(lambda db: provider_keys.save(db, fresh))
    engine.keys.forget(user)
    return await read_key(engine, user, name)


async def remove_key(engine: Engine, user: str, name: str) -> None:
    """Raises NotFound."""
    if not await engine.store.change(lambda db: provider_keys.remove(db, user, name)):
        raise _missing(name)
    engine.keys.forget(user)


async def read_key(engine: Engine, user: str, name: str) -> KeyView:
    """What they saved. Raises NotFound."""
    return await _saved_view(engine, await _saved(engine, user, name), await engine.keys.refresh(user))


async def try_key(engine: Engine, user: str, name: str) -> KeyTest:
    """Ask the provider for its models, with what was saved. Raises NotFound."""
    provider = await engine.keys.provider(await _saved(engine, user, name))
    catalogue = Catalogue(engine.settings)  # of its own: what it kept would be no test
    if provider.name == OPENROUTER and (problem := await catalogue.problem_with(provider)):
        return KeyTest(problem=problem)  # it lists its models for everybody
    listed = await catalogue.models_at(provider)
    if listed.unavailable:
        return KeyTest(problem=listed.unavailable[0].reason)
    return KeyTest(problem=None, models=len(listed.models))


async def rotate_keys(engine: Engine) -> tuple[int, int]:
    """Encrypt with the first key of the ring what was encrypted with another; how many, and how many could
    not be read."""
    rows = await engine.store.read(provider_keys.read_all)
    ring = await engine.keys.ring()
    rotated = lost = 0
    for one in rows:
        if one.secret is None or ring.is_current(one.secret):
            continue
        try:
            secret = ring.encrypt(ring.decrypt(one.secret, one.context), one.context)
        except MootError:
            lost += 1
            continue
        await engine.store.change(partial(provider_keys.replace_secret, one=one, secret=secret))
        rotated += 1
    return rotated, lost


async def unreadable_keys(engine: Engine) -> list[str]:
    """The providers for which somebody has saved a key that cannot be read here."""
    rows = await engine.store.read(provider_keys.read_all)
    return sorted({one.name for one in rows if (await engine.keys.provider(one)).problem is not None})


async def _saved(engine: Engine, user: str, name: str) -> SavedProvider:
    saved = (await engine.store.read(lambda db: provider_keys.read(db, user))).saved
    for one in saved:
        if one.name == name:
            return one
    raise _missing(name)


async def _saved_view(
    engine: Engine, one: SavedProvider, used: Mapping[str, Provider], *, shown: bool = True
) -> KeyView:
    provider = await engine.keys.provider(one)
    note = _note(engine, one.name, used)
    return KeyView(
        name=one.name,
        title=provider.title,
        kind=one.kind,
        source="server" if one.user_id == SERVER else "person",
        base_url=one.base_url if shown else None,
        has_key=one.secret is not None,
        hint=one.hint if shown else None,
        in_use=note is None,
        note=note,
        problem=provider.problem,
        updated_at=iso(one.updated_at),
    )


def _standing_view(
    engine: Engine, provider: Provider, used: Mapping[str, Provider], *, shown: bool
) -> KeyView:
    """What the settings say of a provider, if anything."""
    key = None if provider.key is None else provider.key.get_secret_value()
    note = _led_elsewhere(provider.name, used)
    return KeyView(
        name=provider.name,
        title=provider.title,
        kind=provider.kind,
        source=engine.settings.source_of(provider.name) if provider.configured else None,
        base_url=provider.base_url if shown and provider.configured else None,
        has_key=key is not None,
        hint=_hint(key) if shown and key is not None else None,
        in_use=provider.configured and note is None,
        note=note,
        problem=None,
        updated_at=None,
    )


def _note(engine: Engine, name: str, used: Mapping[str, Provider]) -> str | None:
    """Why what was saved is not what counts."""
    standing = engine.keys.standing.get(name)
    if standing is not None and standing.configured:
        place = "environment" if engine.settings.source_of(name) == "environment" else "settings file"
        return f"Not used: the server's {place} sets it too, and wins."
    return _led_elsewhere(name, used)


def _led_elsewhere(name: str, used: Mapping[str, Provider]) -> str | None:
    if name in (OPENAI, ANTHROPIC) and used[name].configured and used[OPENROUTER].configured:
        return f"Not used: {used[name].title} models are reached through OpenRouter."
    return None


def _check_name(name: str) -> None:
    if name in BUILT_IN:
        return
    if not _NAME.fullmatch(name):
        raise _refuse(
            "name", "A name, as in lab/qwen3, has up to 40 letters, digits, hyphens and underscores."
        )
    if name.lower() in RESERVED:
        raise _refuse("name", f"The name {name!r} is taken by moot itself: choose another")


def _address(name: str, given: str | None) -> str | None:
    if given is None or not given.strip():
        if name in BUILT_IN and name != OLLAMA:
            return None
        raise _refuse("baseUrl", "An address is needed, such as https://lab.example/v1")
    try:
        return ollama_address(given) if name == OLLAMA else web_address(given)
    except ValueError as error:
        raise _refuse("baseUrl", str(error)) from None


def _key(given: SecretStr | None) -> str | None:
    key = "" if given is None else given.get_secret_value().strip()
    if not key.isascii() or not (key.isprintable() and " " not in key):
        raise _refuse("key", "A key may only contain printable ASCII characters, without spaces")
    return key or None


def _hint(key: str) -> str | None:
    """How it ends; of a short one that would be too much."""
    return key[-HINT:] if len(key) >= 4 * HINT else None


def _refuse(field: str, message: str) -> Rejected:
    return Rejected(message, ((field, message),))


def _missing(name: str) -> NotFound:
    return NotFound(f"Nothing is saved for {name[:60]!r}")
