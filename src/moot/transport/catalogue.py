"""Which models can be asked, with context and price, and the panel a question gets that names none.

catalogue = Catalogue(settings)
(await catalogue.models()).models[0]
ModelInfo(id="openai/o3", provider="openrouter", context_length=200000, prompt_price=2.0, …)
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from moot.kernel.clock import monotonic
from moot.kernel.errors import TransportError
from moot.kernel.values import SEED_PANEL, SIMULATED_PREFIX, SIMULATOR, Maybe, Wire, is_model_id
from moot.settings import Settings
from moot.settings.providers import ANTHROPIC, OLLAMA, OPENAI, OPENROUTER, Provider
from moot.transport import ollama, prices
from moot.transport.by_prefix import provider_of
from moot.transport.strength import strongest_first

OPENAI_PANEL = ("openai/o3", "openai/gpt-5", "openai/gpt-4.1", "openai/o4-mini")
ANTHROPIC_PANEL = (
    "anthropic/claude-opus-4-6",
    "anthropic/claude-sonnet-4-6",
    "anthropic/claude-haiku-4-5",
    "anthropic/claude-opus-4-5",
)
SIMULATED_PANEL = tuple(f"{SIMULATED_PREFIX}{name}" for name in ("ada", "bo", "cleo", "dov", "eli", "fay"))

LIST_SECONDS = 10.0
PROBE_SECONDS = 0.3
CONTEXT_SECONDS = 3.0
"""A call does not wait longer to hear how long its prompt may be."""
FAILURE_CACHE_SECONDS = 15.0
MOST_KEPT = 1000
MOST_MODELS = 5000
"""Of one provider: nobody has more, and each is looked up in a list of prices."""
_NO_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|davinci|babbage|moderation|image|sora|realtime|audio|transcribe|rerank", re.I
)


class ModelInfo(Wire):
    """A model that can be asked. Prices are dollars per million tokens; null where they are not known.
    `requestPrice` is what each call costs beyond them. `contextLength` is how many tokens a prompt and its
    reply may have together where the model is served; `parameterCount` is said by local servers."""

    id: str
    provider: str
    name: str | None = None
    context_length: int | None = None
    prompt_price: float | None = None
    completion_price: float | None = None
    request_price: Maybe[float] = None
    parameter_count: Maybe[int] = None


class Unavailable(Wire):
    """A provider whose models could not be listed."""

    provider: str
    reason: str


class ModelList(Wire):
    models: tuple[ModelInfo, ...]
    unavailable: tuple[Unavailable, ...] = ()

    @cached_property
    def context_lengths(self) -> Mapping[str, int | None]:
        return {model.id: model.context_length for model in self.models}


class Catalogue:
    """The models of every configured provider, kept for some minutes. A provider that fails is named
    with its reason; the others are listed all the same. Where it says `known`, those are the providers of
    a person; without it, of the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # By the whole provider, key and all: what one person is shown is nobody else's.
        self._kept: dict[Provider, tuple[float, ModelList]] = {}
        self._contexts: dict[tuple[Provider, str], tuple[float, int | None]] = {}
        self._fetching: defaultdict[Provider, asyncio.Lock] = defaultdict(asyncio.Lock)

    def providers(self, known: Mapping[str, Provider] | None = None) -> list[Provider]:
        """Those that are asked for models, in the order in which panels are drawn from them."""
        known = known or self._settings.known_providers()
        # With OpenRouter, the ids of these two lead there.
        hidden = {OPENAI, ANTHROPIC} if known[OPENROUTER].configured else set()
        own = (name for name in known if name not in (OPENROUTER, ANTHROPIC, OPENAI, OLLAMA))
        order = (OPENROUTER, ANTHROPIC, OPENAI, *own, OLLAMA)
        return [known[name] for name in order if known[name].configured and name not in hidden]

    async def models(self, known: Mapping[str, Provider] | None = None, *, probe: bool = False) -> ModelList:
        """All models that can be asked, the simulated ones last. `probe`: look for an Ollama that nobody
        has spoken of."""
        known = known or self._settings.known_providers()
        providers = self.providers(known)
        if probe and all(provider.name != OLLAMA for provider in providers):
            providers.append(known[OLLAMA])
        lists = await asyncio.gather(*(self._list(provider) for provider in providers))
        simulated = (ModelInfo(id=model, provider=SIMULATOR) for model in SIMULATED_PANEL)
        return ModelList(
            models=(*(model for each in lists for model in each.models), *simulated),
            unavailable=tuple(reason for each in lists for reason in each.unavailable),
        )

    async def context_of(self, model: str, known: Mapping[str, Provider] | None = None) -> int | None:
        """How many tokens a prompt to this model and its reply may have together; None where nobody says."""
        try:
            provider = provider_of(model, known or self._settings.known_providers())
            if provider.name != OLLAMA and (kept := self._list_kept(provider)) is not None:
                return kept.context_lengths.get(model)
            async with asyncio.timeout(CONTEXT_SECONDS):
                if provider.name == OLLAMA:
                    return await self._context_in_ollama(provider, model)
                return (await self._list(provider)).context_lengths.get(model)
        except (TransportError, TimeoutError):
            return None

    async def _context_in_ollama(self, provider: Provider, model: str) -> int | None:
        """Ollama cuts what is too long without a word, and says how long that is model by model."""
        until, context = self._contexts.get((provider, model), (0.0, None))
        if monotonic() >= until:
            context = await ollama.context_length(provider, model)
            if len(self._contexts) >= MOST_KEPT:
                self._contexts.clear()
            self._contexts[provider, model] = (monotonic() + self._settings.models_cache_seconds, context)
        return context

    async def models_at(self, provider: Provider) -> ModelList:
        """Those of one provider."""
        return await self._list(provider)

    async def problem_with(self, provider: Provider) -> str | None:
        """Why a provider cannot be asked, or None if it answers and takes its key."""
        # OpenRouter lists its models for everybody; only /key, which a gateway in its place may not have,
        # looks at the key.
        for path in ("/key", None) if provider.name == OPENROUTER else (None,):
            try:
                await _fetch(provider, path)
                return None
            except TransportError as error:
                problem = error
            if problem.kind != "not_found":
                break
        return problem.reason

    async def _list(self, provider: Provider) -> ModelList:
        async with self._fetching[provider]:  # a page asks three times at once
            if (kept := self._list_kept(provider)) is not None:
                return kept
            fresh = await _listed(provider)
            keep = FAILURE_CACHE_SECONDS if fresh.unavailable else self._settings.models_cache_seconds
            if len(self._kept) >= MOST_KEPT:
                self._forget()
            self._kept[provider] = (monotonic() + keep, fresh)
            return fresh

    def _list_kept(self, provider: Provider) -> ModelList | None:
        until, kept = self._kept.get(provider, (0.0, None))
        return kept if monotonic() < until else None

    def _forget(self) -> None:
        self._kept.clear()
        for provider in [one for one, lock in self._fetching.items() if not lock.locked()]:
            del self._fetching[provider]


async def default_panel(
    settings: Settings,
    catalogue: Catalogue,
    known: Mapping[str, Provider] | None = None,
    *,
    probe: bool = False,
) -> tuple[str, ...]:
    """The models from which panels are drawn, best first.

    Simulated ones only if nothing is configured; empty if what is configured cannot be reached (then
    `catalogue.models()` says why). `probe`: a local Ollama counts too, though nobody has spoken of it.
    """
    if settings.default_models:
        return settings.default_models
    providers = catalogue.providers(known)
    if any(provider.name == OPENROUTER for provider in providers):
        return SEED_PANEL
    usual = {ANTHROPIC: ANTHROPIC_PANEL, OPENAI: OPENAI_PANEL}
    panel = [model for provider in providers for model in usual.get(provider.name, ())]
    if probe or len(providers) > len(usual.keys() & {provider.name for provider in providers}):
        listed = (await catalogue.models(known, probe=probe)).models
        others = (model for model in listed if model.provider not in (*usual, SIMULATOR))
        panel += [model.id for model in strongest_first(others)]
    return tuple(panel) if panel or providers else SIMULATED_PANEL


def by_strength(panel: Sequence[str]) -> tuple[str, ...]:
    """The models of a panel that somebody has put together, the strongest first, as far as their ids tell:
    what a provider would say of them must not decide who judges, for it may not answer the next time."""
    return tuple(model.id for model in strongest_first(ModelInfo(id=one, provider="") for one in panel))


async def _listed(provider: Provider) -> ModelList:
    try:
        document = await _fetch(provider)
        return ModelList(models=tuple(await _read(document, provider)))
    except TransportError as error:
        if not provider.configured:
            return ModelList(models=())  # nobody said that it should be there
        return ModelList(models=(), unavailable=(Unavailable(provider=provider.name, reason=error.reason),))


async def _fetch(provider: Provider, path: str | None = None) -> Any:
    """The provider's list of models, or another of its pages, as JSON."""
    from moot.transport.pages import page

    if provider.problem is not None:
        raise TransportError("auth", provider.problem)
    if provider.missing is not None:
        raise TransportError("auth", f"{provider.title} needs a key: set {provider.missing}.")
    seconds = LIST_SECONDS if provider.configured else PROBE_SECONDS
    return await page(provider, path or _list_path(provider), seconds)


def _list_path(provider: Provider) -> str:
    if provider.kind == "anthropic":
        return "/models?limit=1000" if provider.base_url.endswith("/v1") else "/v1/models?limit=1000"
    return "/models"


async def _read(document: Any, provider: Provider) -> list[ModelInfo]:
    entries = document.get("data") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise TransportError("unreadable", f"{provider.title} sent no list of models.")
    found = list(_entries(entries, provider))
    if provider.name == OLLAMA and found:
        sizes = await ollama.parameter_counts(provider)
        return [model.model_copy(update={"parameter_count": sizes.get(model.id)}) for model in found]
    if provider.name == OPENROUTER or not found:
        return found
    listed = await prices.listed(provider, [model.id for model in found])
    return [_priced(model, listed.get(model.id)) for model in found]


def _priced(model: ModelInfo, price: prices.Price | None) -> ModelInfo:
    if price is None:
        return model
    known = {"prompt_price": price.prompt, "completion_price": price.completion}
    return model.model_copy(update={**known, "context_length": model.context_length or price.context_length})


def _entries(entries: Sequence[Any], provider: Provider) -> Iterator[ModelInfo]:
    prefix = "" if provider.name == OPENROUTER else f"{provider.name}/"
    for entry in entries[:MOST_MODELS]:
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            continue
        if provider.owner is not None and not is_model_id(prefix + entry["id"]):
            continue
        if provider.name != OPENROUTER and _NO_CHAT.search(entry["id"]):
            continue
        pricing = entry.get("pricing")
        price = pricing if isinstance(pricing, dict) else {}
        name = entry.get("name") or entry.get("display_name")
        meta = entry.get("meta")  # llama.cpp's
        local = meta if isinstance(meta, dict) else {}
        context = entry.get("context_length") or entry.get("max_model_len") or local.get("n_ctx")
        yield ModelInfo(
            id=prefix + entry["id"],
            provider=provider.name,
            name=name if isinstance(name, str) else None,
            context_length=_whole(context),
            parameter_count=_whole(local.get("n_params")),
            prompt_price=_per_million(price.get("prompt")),
            completion_price=_per_million(price.get("completion")),
            request_price=(_per_million(price.get("request")) or 0.0) / 1_000_000 or None,
        )


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _per_million(price: Any) -> float | None:
    """OpenRouter prices one token, as a text; -1 means that it depends."""
    try:
        dollars = float(price) * 1_000_000
    except (TypeError, ValueError):
        return None
    return round(dollars, 6) if 0 <= dollars < 1e6 else None
