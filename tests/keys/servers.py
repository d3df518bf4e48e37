"""A server with the real way to models, so that what is saved in it is what calls are made with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from moot.http import create_app
from moot.settings import Settings
from moot.testing import ModelServer, Received
from moot.wiring import open_engine
from tests.http.door import Door, _served

SECRET_KEY = "a secret key of at least 32 characters"
PANEL = ("lab/ann", "lab/bob", "lab/cyd")
VOTE = {"councilModels": list(PANEL), "chairmanModel": "lab/ann"}
BALLOT = "Tabs.\n\nVOTE: Response A"
LINES: dict[str, Any] = {"ann": BALLOT, "bob": BALLOT, "cyd": BALLOT}


class Served(Door):
    """A door whose engine is the one that `moot serve` has."""

    def __init__(self, database: str, **settings: Any) -> None:
        given = {"secret_key": SECRET_KEY, "embedder": "off", "attempts": 1, "private_endpoints": "allow"}
        self._settings = Settings(database_url=database, port=0, **{**given, **settings})

    async def __aenter__(self) -> Served:
        self._opened = _opened(self)
        await self._opened.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._opened.__aexit__(None, None, None)


@asynccontextmanager
async def _opened(door: Served) -> AsyncIterator[None]:
    async with open_engine(door._settings, adopts=True) as engine:
        door.engine = engine
        door.app = create_app(engine)
        async with _served(door.app) as url, aiohttp.ClientSession(url) as session:
            door.url, door.session = url, session
            yield


def key_of(received: Received) -> str:
    headers = {name.lower(): value for name, value in received.headers.items()}
    return headers.get("authorization", "").removeprefix("Bearer ")


def keys_at(server: ModelServer) -> set[str]:
    return {key_of(received) for received in server.requests}
