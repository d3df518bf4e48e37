"""Sign in at a second provider of OpenID Connect by other people: npm's oidc-provider, fetched for it.

    make oidc

The tests have oidc-provider-mock; this one is certified, keeps sessions, and asks for consent on pages of
its own.
"""

from __future__ import annotations

import asyncio
import html
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp
from tests.http.door import Door, script
from tests.http.oidc_provider import free_port
from tests.http.visitors import Visitor, browser, visitors

PROVIDER = Path(__file__).with_name("oidc_provider.mjs")
FOLDER = Path("build/oidc")
PACKAGE = "oidc-provider@9"
PAGES = 10
"""More than the provider has on the way."""


def fetch() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not (FOLDER / "node_modules/oidc-provider").is_dir():
        command = ["npm", "install", "--prefix", str(FOLDER), "--silent", "--no-audit", "--no-fund", PACKAGE]
        subprocess.run(command, check=True)
    shutil.copy(PROVIDER, FOLDER)


@contextmanager
def provider(port: int, callback: str) -> Iterator[None]:
    command = ["node", str(FOLDER / PROVIDER.name), str(port), callback]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        while (line := process.stdout.readline()).strip() != "ready":
            assert line, "the provider does not start"
        yield
    finally:
        process.terminate()
        process.wait()


async def way_back(url: str, callback: str, name: str, *, agree: bool = True) -> str:
    """Fill in the provider's pages as a person would, until it sends the browser back; that address."""
    form: dict[str, str] | None = None
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        for _ in range(PAGES):
            method = "GET" if form is None else "POST"
            async with session.request(method, url, data=form, allow_redirects=False) as response:
                page, place = await response.text(), response.headers.get("location")
            form = None
            if place is not None:
                url = urljoin(url, place)
                if url.startswith(callback):
                    return url
                continue
            action = re.search(r'<form[^>]* action="([^"]+)"', page)
            abort = re.search(r'href="([^"]+/abort)"', page)
            assert action is not None, page
            fields = re.findall(r'name="(\w+)" value="([^"]*)"', page)
            form = {field: html.unescape(value) for field, value in fields}
            if form.get("prompt") == "login":
                form |= {"login": name, "password": "anything"}
            elif not agree:
                assert abort is not None, page
                action, form = abort, None
            url = urljoin(url, html.unescape(action[1]))
    raise AssertionError("the provider never came to an end")


async def sign_in(who: Visitor, callback: str, name: str, *, agree: bool = True) -> tuple[str, str | None]:
    """Where the browser ends up, and as whom."""
    start = str((await who.send("POST", "/api/oidc/start"))["url"])
    back = urlsplit(await way_back(start, callback, name, agree=agree))
    async with who.session.get(f"{back.path}?{back.query}", allow_redirects=False) as response:
        place = response.headers["location"]
    person = (await who.send("GET", "/api/session"))["person"]
    return place, None if person is None else person["name"]


async def main() -> None:
    fetch()
    port = free_port()
    async with (
        Door(
            script(),
            oidc_issuer=f"http://127.0.0.1:{port}",
            oidc_client_id="moot",
            oidc_client_secret="a-secret",
            oidc_people=("email=ann@example.org",),
            embedder="off",
            accounts="on",
        ) as door,
        visitors(door, "root"),
        browser(door) as ann,
        browser(door) as again,
        browser(door) as bob,
        browser(door) as cyd,
    ):
        callback = f"{door.url}/api/oidc/callback"
        with provider(port, callback):
            assert await sign_in(ann, callback, "ann-1") == ("/", "Ann")
            assert await sign_in(again, callback, "ann-1") == ("/", "Ann")
            one, two = [(await who.send("GET", "/api/session"))["person"]["id"] for who in (ann, again)]
            assert one == two
            for who, name, agree in ((bob, "bob-2", True), (cyd, "ann-1", False)):
                place, found = await sign_in(who, callback, name, agree=agree)
                assert place.startswith("/#/sign-in/"), place
                assert found is None
                print(f"{name}, who {'is not invited' if agree else 'refuses there'}, is sent to {place}")
    print(f"{PACKAGE}: Ann is let in, and known again.")


if __name__ == "__main__":
    asyncio.run(main())
