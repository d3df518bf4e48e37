"""People at the door, each with a browser of their own.

    async with Door(script(), accounts="on") as door, visitors(door, "ann", "bob") as (ann, bob):
        await ann.call("GET", "/api/session")

The first comes by the link that the server prints, and administers it; the others are invited.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
from yarl import URL

from moot.accounts.links import first_link, invite
from tests.http.door import Door, Story, parse

PASSWORD = "correct horse battery"


class Visitor:
    def __init__(self, door: Door, session: aiohttp.ClientSession) -> None:
        self.door = door
        self.session = session
        self.id = ""

    def cookie(self, name: str = "moot_session") -> str | None:
        return next((one.value for one in self.session.cookie_jar if one.key == name), None)

    async def call(self, method: str, path: str | URL, **options: Any) -> tuple[int, Any]:
        """The status, and the body: read as JSON, else as text."""
        async with self.session.request(method, path, **options) as response:
            text = (await response.read()).decode("utf-8", "replace")
            try:
                return response.status, json.loads(text) if text else None
            except ValueError:
                return response.status, text

    async def send(self, method: str, path: str, **body: Any) -> Any:
        """What comes back, which must be good."""
        status, answer = await self.call(method, path, json=body)
        assert status < 300, answer
        return answer

    async def ask(self, question: str = "Tabs or spaces?", **body: Any) -> Story:
        async with self.session.post("/api/council/stream", json={"question": question, **body}) as response:
            text = await response.text()
            assert response.status == 200, text
            return Story(parse(text), text, response.headers)

    async def sign_in(self, name: str, password: str = PASSWORD, **options: Any) -> tuple[int, Any]:
        return await self.call("POST", "/api/session", json={"name": name, "password": password}, **options)

    async def use(self, token: str, name: str | None, **more: Any) -> tuple[int, Any]:
        body = {"password": PASSWORD, **({} if name is None else {"name": name}), **more}
        status, answer = await self.call("POST", f"/api/links/{token}", json=body)
        if status == 201:
            self.id = answer["person"]["id"]
        return status, answer


@asynccontextmanager
async def browser(door: Door, **headers: str) -> AsyncIterator[Visitor]:
    """Somebody who has not signed in."""
    jar = aiohttp.CookieJar(unsafe=True)  # which takes cookies of a host without a name
    async with aiohttp.ClientSession(
        door.url, cookie_jar=jar, headers={"Origin": door.url, **headers}
    ) as session:
        yield Visitor(door, session)


@asynccontextmanager
async def visitors(door: Door, *names: str) -> AsyncIterator[tuple[Visitor, ...]]:
    async with AsyncExitStack() as stack:
        people = []
        for name in names:
            one = await stack.enter_async_context(browser(door))
            link = await first_link(door.engine) or await invite(door.engine)
            status, answer = await one.use(link.token, name)
            assert status == 201, answer
            people.append(one)
        yield tuple(people)
