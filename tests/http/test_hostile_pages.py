"""What a page of another site, or a frame around ours, can do with somebody who is signed in: at every route.

The routes are those of `test_tenancy.py`, which the application has.
"""

from __future__ import annotations

import logging

import pytest

from moot.http.access import SAFE_METHODS
from tests.http.door import Door, script
from tests.http.test_tenancy import ROUTES, Household, Kind, furnish
from tests.http.visitors import browser, visitors

FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},  # another port of this machine is another site
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def check(headers: object, where: str) -> None:
    found = {name: headers.get(name) for name in HEADERS}  # type: ignore[attr-defined]
    assert found == HEADERS, where
    policy = headers["Content-Security-Policy"]  # type: ignore[index]
    assert "default-src 'none'" in policy, where
    assert "frame-ancestors 'none'" in policy, where
    assert "base-uri 'none'" in policy, where
    assert "unsafe" not in policy, where
    assert "Access-Control-Allow-Origin" not in headers, where  # type: ignore[operator]


async def answers(house: Household, headers: dict[str, str], *, but: Kind | None = None) -> dict[str, int]:
    """What Ann's browser gets at every route that changes something."""
    found = {}
    for route, line in ROUTES.items():
        method, _, path = route.partition(" ")
        if method in SAFE_METHODS or line.kind is but:
            continue
        body = {} if line.body is None else {"json": line.body}
        found[route] = (await house.ann.call(method, path.format(**house.ids), headers=headers, **body))[0]
    return found


async def test_no_other_site_changes_anything_with_somebodys_cookie() -> None:
    async with (
        Door(script(), accounts="on", embedder="off", webhook_secret="0123456789abcdef") as door,
        visitors(door, "ann", "bob") as (ann, bob),
        browser(door) as stranger,
    ):
        house = await furnish(ann, bob, stranger)
        for foreign in FOREIGN:
            origin = {} if "Origin" in foreign else {"Origin": door.url}
            found = await answers(house, {**origin, **foreign})
            assert {route for route, status in found.items() if status != 403} == set(), foreign
        ann.session.headers.pop("Origin")  # a browser that says nothing could be on any page
        found = await answers(house, {}, but=Kind.OPEN)
        assert {route for route, status in found.items() if status != 403} == set()


async def test_every_route_tells_the_browser_what_it_may_do_with_the_answer() -> None:
    async with (
        Door(script(), accounts="on", embedder="off", webhook_secret="0123456789abcdef") as door,
        visitors(door, "ann", "bob") as (ann, bob),
        browser(door) as stranger,
    ):
        house = await furnish(ann, bob, stranger)
        for who in (stranger, ann):
            for route in ROUTES:
                method, _, path = route.partition(" ")
                if who is ann and method != "GET":
                    continue
                async with who.session.request(method, path.format(**house.ids)) as response:
                    check(response.headers, route)
        for path in ("/nowhere", "/api/nowhere", "/api/runs?limit=0", "/assets/nowhere.js"):
            async with ann.session.get(path) as response:
                check(response.headers, path)


async def test_with_tls_every_answer_says_to_stay_with_it_and_cookies_are_bound_to_the_host() -> None:
    public = "https://moot.example"
    async with Door(script(), public_url=public, embedder="off") as door, browser(door, Origin=public) as ann:
        for path in ("/", "/api/session", "/api/runs", "/nowhere", "/healthz"):
            async with ann.session.get(path) as response:
                assert response.headers["Strict-Transport-Security"] == "max-age=31536000", path
        async with ann.session.delete("/api/session") as response:
            [cookie] = response.headers.getall("Set-Cookie")
        assert cookie.startswith("__Host-moot_session=")
        assert all(flag in cookie for flag in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))
        assert "Domain" not in cookie


async def test_an_error_nobody_foresaw_is_told_with_the_same_headers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Door(script()) as door:
        await door.engine.store.close()
        with caplog.at_level(logging.CRITICAL):
            async with door.session.get("/api/runs") as response:
                assert response.status == 500
                check(response.headers, "500")
        await door.engine.store.open()


async def test_no_answer_leads_to_another_site() -> None:
    """Whatever is in the address: `//evil.example` would be a place, and so would a host with a path."""
    async with (
        Door(script(), accounts="on", embedder="off", webhook_secret="0123456789abcdef") as door,
        visitors(door, "ann") as (ann,),
    ):
        for path in (
            "//evil.example",
            "/\\evil.example",
            "/%2f%2fevil.example",
            "/api//evil.example/",
            "/?next=//evil",
        ):
            async with ann.session.get(door.url + path, allow_redirects=False) as response:
                assert "Location" not in response.headers, path
        for route in ROUTES:
            method, _, path = route.partition(" ")
            if method == "GET" and "{" not in path:
                async with ann.session.get(
                    f"{path}/?next=https://evil.example", allow_redirects=False
                ) as response:
                    assert "evil" not in response.headers.get("Location", ""), route
