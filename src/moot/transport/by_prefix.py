"""Model id → who is asked.

sim/ada              the simulator
ollama/llama3.3      Ollama
lab/qwen3            the endpoint `lab` of the config file
openai/o3            OpenRouter if it is configured, else OpenAI itself
google/gemini-2.5…   OpenRouter
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Protocol

from moot.kernel.errors import TransportError
from moot.kernel.values import SIMULATOR, Request, Wire
from moot.settings.providers import ANTHROPIC, OPENAI, OPENROUTER, Provider
from moot.transport import Chunk, Transport
from moot.transport.closing import closing
from moot.transport.quotas import Quotas

MOST_MADE = 500
"""How many transports are kept: where people have keys of their own, each has its own."""
Providers = Mapping[str, Provider]


class Network(Protocol):
    """Makes transports; see `build.py`."""

    quotas: Quotas

    def transport_to(self, provider: Provider) -> Transport: ...

    async def aclose(self) -> None: ...


class ByPrefix:
    """The whole way to every model, over the providers of the settings or over those of a person. The
    transport to a provider is made when the first call needs it."""

    def __init__(self, providers: Providers, network: Network, simulator: Transport | None = None) -> None:
        self._providers = providers
        self._network = network
        self._simulator = simulator
        self._made: dict[Provider, Transport] = {}

    @property
    def quotas(self) -> Quotas:
        return self._network.quotas

    def stream(self, request: Request) -> AsyncIterator[Chunk]:
        return self.stream_over(self._providers, request)

    def stream_over(self, providers: Providers, request: Request) -> AsyncIterator[Chunk]:
        try:
            return self._transport_to(request.model, providers).stream(request)
        except TransportError as error:
            return _failing(error)

    def with_providers(
        self,
        read: Callable[[], Awaitable[Providers]],
        kept: Callable[[], Providers | None] = lambda: None,
    ) -> Transport:
        """The same over the providers that `read` gives, which is asked before every call, unless they are
        `kept` from a moment ago."""
        return _WithProviders(self, read, kept)

    async def aclose(self) -> None:
        await self._network.aclose()

    def _transport_to(self, model: str, providers: Providers) -> Transport:
        if self._simulator is not None and model.startswith(f"{SIMULATOR}/"):
            return self._simulator
        provider = provider_of(model, providers)
        transport = self._made.pop(provider, None) or self._make(provider)
        self._made[provider] = transport  # at the end: the first ones were not used for longest
        return transport

    def _make(self, provider: Provider) -> Transport:
        for old in [one for one in self._made if one.quota == provider.quota]:
            del self._made[old]  # it has another key or address now; calls under way come to their end
        if len(self._made) >= MOST_MADE:
            for idle in [one for one in self._made if self.quotas.remove(one.quota)]:
                del self._made[idle]
        return self._network.transport_to(provider)


class _WithProviders:
    def __init__(
        self,
        whole: ByPrefix,
        read: Callable[[], Awaitable[Providers]],
        kept: Callable[[], Providers | None],
    ) -> None:
        self._whole = whole
        self._read = read
        self._kept = kept

    def stream(self, request: Request) -> AsyncIterator[Chunk]:
        kept = self._kept()
        return self._stream(request) if kept is None else self._whole.stream_over(kept, request)

    async def _stream(self, request: Request) -> AsyncIterator[Chunk]:
        providers = await self._read()
        async with closing(self._whole.stream_over(providers, request)) as chunks:
            async for chunk in chunks:
                yield chunk


def provider_of(model: str, providers: Mapping[str, Provider]) -> Provider:
    """The provider to ask for a model. Raises TransportError if it is not configured."""
    author, _, name = model.partition("/")
    if author == SIMULATOR:
        raise TransportError("not_found", f"{model!r} cannot be asked: there is no simulator here.")
    if not author or not name:
        raise TransportError(
            "not_found",
            f"{model!r} is not a model that can be asked: an id looks like openai/o3 or ollama/llama3.3.",
        )
    provider = _route(author, providers)
    if provider.problem is not None:
        raise TransportError("auth", f"{model} cannot be asked: {provider.problem}")
    if provider.missing is not None:
        raise TransportError("auth", _advice(model, author, provider))
    return provider


def provider_name(model: str, providers: Mapping[str, Provider]) -> str:
    """Who is asked for a model, as figures about calls name it."""
    if model.startswith(f"{SIMULATOR}/"):
        return SIMULATOR
    try:
        return provider_of(model, providers).name
    except TransportError:
        return "none"


def _route(author: str, providers: Mapping[str, Provider]) -> Provider:
    openrouter = providers[OPENROUTER]
    direct = providers.get(author, openrouter)
    if author in (OPENAI, ANTHROPIC):
        return openrouter if openrouter.configured or not direct.configured else direct
    return direct


def _advice(model: str, author: str, provider: Provider) -> str:
    also = f" or {author.upper()}_API_KEY" if author in (OPENAI, ANTHROPIC) else ""
    article = "an" if provider.title[:1].upper() in "AEIOU" else "a"
    return f"{model} needs {article} {provider.title} key: set {provider.missing}{also}."


class MissingKey(Wire):
    """Models that cannot be asked yet: their provider has no key. `variable` is where it belongs."""

    provider: str
    variable: str
    models: list[str]


def missing_keys(models: Iterable[str], providers: Mapping[str, Provider]) -> list[MissingKey]:
    """The keys that these models need and nobody has set, by provider."""
    found: dict[str, MissingKey] = {}
    for model in dict.fromkeys(models):
        author, _, name = model.partition("/")
        if not name or author == SIMULATOR:
            continue
        provider = _route(author, providers)
        if provider.missing is not None:
            key = MissingKey(provider=provider.title, variable=provider.missing, models=[])
            found.setdefault(provider.name, key).models.append(model)
    return list(found.values())


async def _failing(error: TransportError) -> AsyncIterator[Chunk]:
    """A stream whose first step fails, as a stream of any other transport would."""
    raise error
    yield Chunk()
