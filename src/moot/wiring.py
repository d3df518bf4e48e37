"""Wiring: store, transport, panel, retriever and modes put together, for all doors.

    async with open_engine() as engine: …           # answers questions
    async with open_reader(settings) as engine: …   # reads what is stored

Nothing is imported before it is put together: to import this module costs a command next to nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from moot.kernel.errors import MootError

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.kernel.mode import Panel
    from moot.settings import Settings
    from moot.settings.providers import Provider
    from moot.transport import Transport
    from moot.transport.catalogue import Catalogue


@asynccontextmanager
async def open_engine(
    settings: Settings | None = None,
    *,
    transport: Transport | None = None,
    panel: Sequence[str] = (),
    adopts: bool = False,
    deliberates: bool = True,
) -> AsyncIterator[Engine]:
    """An engine on the database and the providers that the settings name.

    `transport` replaces the way to the models (see `moot.testing`), `panel` the models that
    defaults are drawn from. `adopts`: also take up runs that died with their process, as a server does.
    Unless it `deliberates`, runs that begin here wait for a process that does.
    """
    from moot.kernel.engine import Engine
    from moot.kernel.mode import Panel
    from moot.modes import MODES
    from moot.settings import Settings
    from moot.simulator.transport import Simulator
    from moot.store.urls import store_for
    from moot.templates.index import TemplateIndex
    from moot.transport.build import transport_for
    from moot.transport.catalogue import SIMULATED_PANEL, Catalogue, by_strength

    settings = settings or Settings.load()
    network = None if transport is not None else transport_for(settings, Simulator())
    catalogue = Catalogue(settings)
    draw = partial(default_panel_of, settings, catalogue)
    if panel or network is None:
        models = Panel(tuple(panel or SIMULATED_PANEL), by_strength(panel))
    else:
        models = await draw()
    way = transport or network
    assert way is not None
    store = store_for(settings.database_url)
    try:
        engine = Engine(
            store,
            way,
            models,
            settings,
            modes=MODES,
            retriever=TemplateIndex(settings, store),
            catalogue=catalogue,
            draw_panel=None if panel or network is None else draw,
            adopts=adopts,
            deliberates=deliberates,
        )
        async with _at_work(engine, delivers=adopts):
            yield engine
    finally:
        if network is not None:
            await network.aclose()


@asynccontextmanager
async def _at_work(engine: Engine, *, delivers: bool) -> AsyncIterator[None]:
    """Inside, the engine is open, with what goes on beside it: traces that are sent, webhooks that are
    delivered."""
    settings = engine.settings
    async with AsyncExitStack() as beside:
        if settings.telemetry:
            from moot.telemetry.export import open_tracer

            engine.tracer = await beside.enter_async_context(open_tracer(settings))
        await beside.enter_async_context(engine)
        if delivers and settings.webhook_secret is not None:
            from moot.webhooks.delivery import delivering

            await beside.enter_async_context(delivering(engine))
        yield


async def default_panel_of(
    settings: Settings, catalogue: Catalogue, providers: Mapping[str, Provider] | None = None
) -> Panel:
    """The panel of a question that names no models, for somebody who has these providers; a local Ollama
    counts, though nobody has spoken of it."""
    from moot.kernel.mode import Panel
    from moot.transport.catalogue import by_strength, default_panel

    models = await default_panel(settings, catalogue, providers, probe=True)
    problems = (one.problem for one in (providers or {}).values() if one.problem)
    return Panel(models, by_strength(settings.default_models), "" if models else next(problems, ""))


@asynccontextmanager
async def open_reader(settings: Settings) -> AsyncIterator[Engine]:
    """An engine to read with: it takes up no run, and asks no provider what it offers."""
    from moot.kernel.engine import Engine
    from moot.kernel.mode import Panel
    from moot.modes import MODES
    from moot.simulator.transport import Simulator
    from moot.store.urls import store_for

    store = store_for(settings.database_url)
    engine = Engine(store, Simulator(), Panel(()), settings, modes=MODES)
    await store.open()
    try:
        yield engine
    finally:
        await store.close()


async def known_providers(settings: Settings) -> Mapping[str, Provider]:
    """Whom the person at this machine can ask, with the keys they have saved; where the database cannot be
    had, whom the settings name."""
    from moot.kernel.user import LOCAL_USER
    from moot.store import DATABASE_ERRORS

    try:
        async with open_reader(settings) as engine:
            return await engine.keys.of(LOCAL_USER)
    except MootError:
        return settings.known_providers()
    except DATABASE_ERRORS:
        return settings.known_providers()


class MigrationReport(NamedTuple):
    """The revision that the database's schema had, that of this version, and whether it was changed."""

    before: str | None
    head: str
    migrated: bool


async def migrate(settings: Settings, *, check: bool) -> MigrationReport:
    """Bring the database to the schema of this version, unless it is only looked at. Raises MootError."""
    from moot.store import migrations
    from moot.store.urls import store_for

    store = store_for(settings.database_url)
    before = await store.revision()
    if check:
        return MigrationReport(before, migrations.HEAD, False)
    await store.open()
    await store.close()
    return MigrationReport(before, migrations.HEAD, store.migrated)


class DatabaseReport(NamedTuple):
    """A database that can be used. `searches_vectors`: it has pgvector."""

    searches_vectors: bool


async def check_database(settings: Settings) -> DatabaseReport:
    """Open the database and write to it. Raises MootError, with the database's own words, if it cannot."""
    from moot.store import DATABASE_ERRORS, runs
    from moot.store.urls import store_for
    from moot.templates.queries import has_pgvector

    store = store_for(settings.database_url)
    try:
        await store.open()
        try:
            await store.change(runs.check_writable)
            return DatabaseReport(searches_vectors=await store.read(has_pgvector))
        finally:
            await store.close()
    except DATABASE_ERRORS as error:
        raise MootError(str(error)) from error


class IntegrityReport(NamedTuple):
    """What came of reading a SQLite file through. `damage`: what is wrong and what to do about it.
    `finished`: there was time to read all of it."""

    path: str
    damage: str | None
    finished: bool


def check_integrity(settings: Settings, seconds: float) -> IntegrityReport | None:
    """Whether SQLite's file is whole, read from beginning to end; None if there is none of ours."""
    import sqlite3
    from pathlib import Path

    from moot.store.sqlite.check import check, damaged
    from moot.store.sqlite.file import require_ours
    from moot.store.urls import sqlite_path

    path = sqlite_path(settings.database_url)
    if path is None or not Path(path).is_file() or Path(path).stat().st_size == 0:
        return None
    try:
        require_ours(path)
        found = check(path, thorough=True, seconds=seconds)
    except sqlite3.Error as error:
        return IntegrityReport(path, str(damaged(path, str(error))), finished=True)
    except MootError:
        return None  # why it cannot be opened is said of the database
    damage = str(damaged(path, found.findings[0])) if found.findings else None
    return IntegrityReport(path, damage, found.finished)


def database_errors() -> tuple[type[Exception], ...]:
    """What a database that cannot be used raises."""
    from moot.store import DATABASE_ERRORS

    return DATABASE_ERRORS
