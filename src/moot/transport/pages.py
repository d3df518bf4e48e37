"""A provider's other pages, such as its list of models: fetched now and then, whole."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Any

import orjson

from moot.kernel.errors import TransportError
from moot.settings.providers import Provider
from moot.transport.client import refusal_in, request_to
from moot.transport.connections import Connections
from moot.transport.dialects import dialect_of
from moot.transport.failures import as_error, unreachable, unreadable

_THE_LIST = "its list of models"
MOST_BYTES = 8 * 1024 * 1024


async def page(provider: Provider, path: str, seconds: float, body: Any = None) -> Any:
    """A page as JSON, asked for with a `body` if there is one. Raises TransportError."""
    connections = Connections(seconds, public_only=provider.public_only)
    url = f"{provider.base_url}{path}"
    method, data = ("GET", None) if body is None else ("POST", orjson.dumps(body))
    try:
        async with asyncio.timeout(seconds):
            request = request_to(provider, _THE_LIST, method, url, dialect_of(provider).headers)
            reply = await connections.send(provider, _THE_LIST, request, data)
            with closing(reply):
                if reply.status == 404:
                    raise TransportError("not_found", f"{provider.title} has nothing at {url} (404).")
                if reply.status != 200:
                    raise as_error(await refusal_in(reply), provider, _THE_LIST)
                return orjson.loads(await reply.read_all(MOST_BYTES))
    except TimeoutError:
        raise unreachable(provider, _THE_LIST, f"no answer within {seconds:g} s") from None
    except orjson.JSONDecodeError:
        raise unreadable(provider, _THE_LIST, "no JSON") from None
    finally:
        await connections.aclose()
