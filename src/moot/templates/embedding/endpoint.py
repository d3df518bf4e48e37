"""Any OpenAI-compatible /embeddings: Ollama's nomic-embed-text, OpenAI's, one of your own.

POST {base_url}/embeddings   {"model": "nomic-embed-text", "input": ["Tabs or spaces?", …]}
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import orjson

from moot.kernel.errors import TransportError
from moot.settings import Settings
from moot.settings.providers import Provider
from moot.templates.embedding import NoEmbedding
from moot.transport.by_prefix import provider_of

if TYPE_CHECKING:
    from moot.templates.embedding import Vectors

SECONDS = 60.0
BATCH = 64


class Endpoint:
    floor = None

    def __init__(self, name: str, settings: Settings, providers: Mapping[str, Provider]) -> None:
        """`name` is `<provider>/<model>`. Raises NoEmbedding if there is no such provider."""
        try:
            provider = provider_of(name, providers)
        except TransportError as error:
            raise NoEmbedding(
                f"{error.reason} The setting embedder is builtin, off or <provider>/<model>."
            ) from None
        if provider.kind != "openai":
            raise NoEmbedding(f"{provider.title} cannot embed texts: choose another embedder.")
        self.id = self.name = name
        self._provider = provider
        self._connect_seconds = settings.connect_seconds

    async def embed(self, texts: list[str]) -> Vectors:
        import numpy as np

        numbers: list[Any] = []
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            vectors = await self._post(batch)
            if len(vectors) != len(batch):
                raise NoEmbedding(f"{self.name} sent {len(vectors)} vectors for {len(batch)} texts.")
            numbers += vectors
        try:
            rows = np.array(numbers, np.float64).reshape(len(texts), -1)
        except (ValueError, TypeError, OverflowError):
            raise NoEmbedding(f"{self.name} sent something other than a vector.") from None
        with np.errstate(over="ignore"):
            lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        if not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise NoEmbedding(f"{self.name} sent an unusable vector.")
        unit: Vectors = (rows / lengths).astype(np.float32)
        return unit

    async def _post(self, texts: list[str]) -> list[Any]:
        from moot.transport.client import MOST_BYTES, refusal_in, request_to
        from moot.transport.connections import Connections
        from moot.transport.dialects import dialect_of
        from moot.transport.failures import as_error

        provider: Provider = self._provider
        body = orjson.dumps({"model": provider.own_name(self.name), "input": texts})
        url, headers = f"{provider.base_url}/embeddings", dialect_of(provider).headers
        connections = Connections(self._connect_seconds, public_only=provider.public_only)
        try:
            async with asyncio.timeout(SECONDS):
                request = request_to(provider, self.name, "POST", url, headers)
                reply = await connections.send(provider, self.name, request, body)
                with closing(reply):
                    if reply.status != 200:
                        raise as_error(await refusal_in(reply), provider, self.name)
                    document = orjson.loads(await reply.read_all(MOST_BYTES))
                entries = sorted(document["data"], key=lambda entry: entry.get("index", 0))
                return [entry["embedding"] for entry in entries]
        except TimeoutError:
            raise NoEmbedding(f"{self.name} did not answer within {SECONDS:g} s.") from None
        except TransportError as error:
            raise NoEmbedding(error.reason) from None
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
            raise NoEmbedding(f"{self.name} sent something other than vectors.") from None
        finally:
            await connections.aclose()
