"""A provider's other pages, such as its list of models: fetched now and then, whole."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from moot.kernel.errors import TransportError
from moot.settings.providers import Provider
from moot.transport.client import refusal_in
from moot.transport.connections import Connections
from moot.transport.dialects import dialect_of
from moot.transport.failures import as_error, unreachable, unreadable

_THE_LIST = "its list of models"


async def page(provider: Provider, path: str, seconds: float, body: Any = None) -> Any:
    """A page as JSON, asked for with a `body` if there is one. Raises TransportError."""
    connections = Connections(seconds)
    url = f"{provider.base_url}{path}"
    method, data = ("GET", None) if body is None else ("POST", orjson.dumps(body))
    try:
        async with (
            asyncio.timeout(seconds),
            connections.send(
                provider, _THE_LIST, method, url, dialect_of(provider).headers, data
            ) as response,
        ):
            if response.status == 404:
                raise TransportError("not_found", f"{provider.title} has nothing at {url} (404).")
            if response.status != 200:
                refusal = await refusal_in(response)
                raise as_error(refusal, provider, _THE_LIST)
            return orjson.loads(await response.read())
    except TimeoutError:
        raise unreachable(provider, _THE_LIST, f"no answer within {seconds:g} s") from None
    except orjson.JSONDecodeError:
        raise unreadable(provider, _THE_LIST, "no JSON") from None
    finally:
        await connections.aclose()
