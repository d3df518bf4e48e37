"""moot doctor: does everything that a question needs stand ready, and if not, what to do.

ok       integrity     /home/ann/.local/share/moot/moot.db was read in full and is intact.
ok       database      /home/ann/.local/share/moot/moot.db can be opened and written.
warning  providers     No provider is configured, so answers are simulated. Set OPENROUTER_API_KEY, or …
problem  OpenRouter    It refused the key in OPENROUTER_API_KEY …
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from moot.cli import plain
from moot.cli.session import FAILED, load_configuration, perform
from moot.history.safe_text import one_line
from moot.kernel.errors import MootError
from moot.kernel.keyring import is_open_to_others
from moot.kernel.user import LOCAL_USER
from moot.wiring import check_database, check_integrity, database_errors, open_reader

if TYPE_CHECKING:
    from moot.settings import Configuration, Settings
    from moot.settings.providers import Provider
    from moot.transport.catalogue import Catalogue

CHECK_SECONDS = 60.0
CLOCK_MS = 1000
"""How long the database is read for damage."""

Grade = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    grade: Grade
    about: str
    words: str


def doctor() -> None:
    """Check settings, keys, models and the database.

    Each line says what to do; keys are never shown. Exit code 1 if there is a problem.
    """

    async def work() -> int:
        from moot.settings import BadSetting

        try:
            configuration = load_configuration()
        except BadSetting as error:
            _tell(Finding("problem", "settings", str(error)))
            return FAILED
        problems = 0
        for finding in _settings(configuration):
            _tell(finding)
        async for finding in examine(configuration.settings):
            _tell(finding)
            problems += finding.grade == "problem"
        return FAILED if problems else 0

    perform(work())


def _tell(finding: Finding) -> None:
    line = f"{finding.grade:<8} {finding.about:<12} {one_line(finding.words, 1000)}"
    plain.write(plain.wrapped(line, sys.stdout, indent=" " * 22))


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    from moot.transport.catalogue import Catalogue

    catalogue = Catalogue(settings)
    integrity = await asyncio.to_thread(_integrity, settings)
    if integrity is not None:
        yield integrity
    yield await _database(settings)
    async for finding in _fleet(settings):
        yield finding
    known, keys = await _saved_keys(settings)
    for finding in keys:
        yield finding
    async for finding in _providers(known, catalogue):
        yield finding
    async for finding in _defaults(settings, known, catalogue):
        yield finding
    yield await _embedder(settings)
    yield await _simulator()


def _settings(configuration: Configuration) -> Iterator[Finding]:
    places: dict[str, list[str]] = {}
    for name, place in configuration.origins.items():
        places.setdefault(place, []).append(name)
    read = [f"From {place}: {', '.join(names)}." for place, names in places.items()]
    yield Finding(
        "ok", "settings", f"{' '.join(read) or 'All settings are defaults.'} `moot config` lists them."
    )
    if configuration.notice:
        yield Finding("warning", "settings", configuration.notice)
    for name, meant in configuration.strays.items():
        yield Finding("warning", "settings", f"{name} is not a setting. Did you mean {meant}?")


async def _database(settings: Settings) -> Finding:
    place = settings.database_address
    try:
        report = await check_database(settings)
    except MootError as error:
        return Finding(
            "problem",
            "database",
            f"{place} cannot be used: {str(error).rstrip('.')}. DATABASE_URL says where it is.",
        )
    searches = " pgvector searches its vectors." if report.searches_vectors else ""
    return Finding("ok", "database", f"{place} can be opened and written.{searches}")


async def _fleet(settings: Settings) -> AsyncIterator[Finding]:
    """Who shares the database, where it can be shared, and what keeps them from working together."""
    from moot.fleet.overview import read_fleet

    if settings.database_url.startswith("sqlite:"):
        return
    try:
        async with open_reader(settings) as engine:
            seen = await read_fleet(engine)
    except MootError:
        return  # which is said of the database
    except database_errors():
        return
    alive = [one for one in seen.processes if one.alive]
    workers = [one for one in alive if one.kind != "door"]
    doors = [one for one in alive if one.kind != "worker"]
    text = f"{len(doors)} servers and {len(workers)} workers are running"
    yield Finding("ok", "fleet", f"{text}; {seen.waiting + seen.batch_waiting} runs are waiting.")
    if (seen.waiting or seen.batch_waiting) and not workers:
        yield Finding(
            "problem", "fleet", "Runs are waiting, but nothing is working on them: start `moot worker`."
        )
    if len(alive) > 1 and settings.fleet_secret is None:
        advice = "set the same MOOT_FLEET_SECRET everywhere."
        yield Finding("warning", "fleet", f"The live text of runs in other processes is not shown: {advice}")
    if abs(seen.clock_ms) > CLOCK_MS:
        off = f"{abs(seen.clock_ms) / 1000:.1f} s {'ahead of' if seen.clock_ms > 0 else 'behind'}"
        yield Finding("problem", "fleet", f"This machine's clock is {off} the database's: correct it.")


def _integrity(settings: Settings) -> Finding | None:
    """Whether SQLite's file is whole, read from beginning to end; None if there is none of ours."""
    found = check_integrity(settings, CHECK_SECONDS)
    if found is None:
        return None
    if found.damage is not None:
        return Finding("problem", "integrity", found.damage)
    if not found.finished:
        shell = f"sqlite3 {shlex.quote(found.path)} 'PRAGMA integrity_check'"
        advice = f"It is too large to check in {CHECK_SECONDS:g} s. To check all of it, run {shell}"
        return Finding("warning", "integrity", advice)
    return Finding("ok", "integrity", f"{found.path} was read in full and is intact.")


async def _saved_keys(settings: Settings) -> tuple[Mapping[str, Provider], list[Finding]]:
    """Whom you can ask, with what you have saved, and whether what everybody has saved can be read."""
    from moot.keys.saved_keys import unreadable_keys

    try:
        async with open_reader(settings) as engine:
            known = await engine.keys.of(LOCAL_USER)
            lost = await unreadable_keys(engine)
    except MootError:
        return settings.known_providers(), []  # which is said of the database
    except database_errors():
        return settings.known_providers(), []
    findings = []
    if lost:
        advice = "Set the MOOT_SECRET_KEY they were saved with, or save them again."
        words = f"Saved keys ({', '.join(lost)}) were encrypted with another secret key. {advice}"
        findings.append(Finding("problem", "keys", words))
    if is_open_to_others(settings.secret_key_file):
        command = f"chmod 600 {shlex.quote(str(settings.secret_key_file))}"
        findings.append(Finding("warning", "keys", f"Others can read the secret key: {command}"))
    return known, findings


async def _providers(known: Mapping[str, Provider], catalogue: Catalogue) -> AsyncIterator[Finding]:
    asked = catalogue.providers(known)
    for provider in asked:
        yield await _provider(provider, catalogue)
    for provider in known.values():
        if provider.configured and provider not in asked:
            yield Finding(
                "ok",
                provider.title,
                f"{_key(provider)} It is not used: its models are reached through OpenRouter.",
            )
    local = known["ollama"]
    found = local not in asked and await catalogue.problem_with(local) is None
    if found:
        yield Finding("ok", local.title, f"Found at {local.address}.")
    if not asked and not found:
        advice = "Save a key with `moot keys set openrouter`, set OPENROUTER_API_KEY, or start Ollama."
        yield Finding(
            "warning", "providers", f"No provider is configured, so answers are simulated. {advice}"
        )


async def _provider(provider: Provider, catalogue: Catalogue) -> Finding:
    if provider.problem is not None:
        return Finding("problem", provider.title, provider.problem)
    if provider.missing is not None:
        return Finding("problem", provider.title, f"It needs a key: set {provider.missing}.")
    trouble = await catalogue.problem_with(provider)
    if trouble is not None:
        return Finding("problem", provider.title, trouble)
    return Finding("ok", provider.title, f"{_key(provider)} It answers at {provider.address}.")


def _key(provider: Provider) -> str:
    if provider.key is None:
        return "No key is set, and none is needed."
    return f"The key in {provider.key_name} is set." if provider.key_name else "Its key is set."


async def _defaults(
    settings: Settings, known: Mapping[str, Provider], catalogue: Catalogue
) -> AsyncIterator[Finding]:
    from moot.modes import MODES
    from moot.transport.catalogue import default_panel

    if settings.default_mode in MODES:
        yield Finding("ok", "mode", f"{settings.default_mode} is the default.")
    else:
        advice = "set MOOT_DEFAULT_MODE to one that `moot modes` lists."
        yield Finding("problem", "mode", f"There is no mode {settings.default_mode!r}: {advice}")
    panel = await default_panel(settings, catalogue, known, probe=True)
    named = [*panel, *([settings.title_model] if settings.title_model else [])]
    if not panel:
        yield Finding("problem", "models", "No model can be reached: see the providers above.")
        return
    dead, unknown = await _dead(named, known, catalogue)
    for model in dead:
        advice = "Name another in MOOT_DEFAULT_MODELS or your own moot.toml; `moot models` lists them."
        yield Finding("problem", "models", f"{model} is a default, but no provider offers it. {advice}")
    if unknown:
        yield Finding("warning", "models", f"These defaults could not be checked: {', '.join(unknown)}.")
    if not dead and not unknown:
        yield Finding("ok", "models", f"All defaults exist: {', '.join(named)}.")


async def _dead(
    named: list[str], known: Mapping[str, Provider], catalogue: Catalogue
) -> tuple[list[str], list[str]]:
    """The models that their provider does not list, and those whose provider could not be asked."""
    from moot.kernel.values import is_simulated
    from moot.transport.by_prefix import provider_of

    listed = await catalogue.models(known, probe=True)
    silent = {missing.provider for missing in listed.unavailable}
    ids = {model.id for model in listed.models}
    dead: list[str] = []
    unknown: list[str] = []
    for model in named:
        # `:online` and the like are ways to ask a model, not models of their own.
        if is_simulated(model) or model in ids or model.partition(":")[0] in ids:
            continue
        try:
            provider = provider_of(model, known)
        except MootError as error:
            # A provider that is there and cannot be asked has a finding of its own.
            accused = any(one.problem is not None and one.problem in str(error) for one in known.values())
            (unknown if accused else dead).append(model)
        else:
            (unknown if provider.name in silent else dead).append(model)
    return dead, unknown


async def _embedder(settings: Settings) -> Finding:
    from moot.templates.embedding import OFF, NoEmbedding, embedder_for

    general = "Dialectic uses the general template."
    if settings.embedder == OFF:
        return Finding("ok", "embedder", f"It is off. {general}")
    try:
        embedder = embedder_for(settings)
        await embedder.embed(["Tabs or spaces?"])
    except NoEmbedding as error:
        return Finding("warning", "embedder", f"{error} {general}")
    return Finding("ok", "embedder", f"{embedder.name} finds reasoning templates for dialectic.")


async def _simulator() -> Finding:
    from moot.kernel.values import Message, Request
    from moot.simulator.transport import Simulator

    request = Request.of("sim/ada", [Message(role="user", content="Tabs or spaces?")])
    said = "".join([chunk.text async for chunk in Simulator(speed=0).stream(request)])
    if said.strip():
        return Finding("ok", "simulator", "sim/ada answers, offline.")
    return Finding("problem", "simulator", "sim/ada does not answer: the installation is damaged.")
