"""The page, where it was built."""

from __future__ import annotations

from pathlib import Path

from tests.http.door import Door, script


async def test_without_a_page_the_root_says_where_the_api_is(tmp_path: Path) -> None:
    async with Door(script(), static=tmp_path) as door, door.session.get("/") as response:
        assert response.status == 200
        assert "/api/openapi.json" in await response.text()


async def test_a_built_page_is_served_and_only_its_hashed_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>moot</title>")
    (tmp_path / "favicon.svg").write_text("<svg/>")
    (tmp_path / "assets" / "main-1a2b.js").write_text("1")
    async with Door(script(), static=tmp_path) as door:
        kept = {}
        for path in ("/", "/favicon.svg", "/assets/main-1a2b.js"):
            async with door.session.get(path) as response:
                assert response.status == 200
                kept[path] = response.headers["Cache-Control"]
        missing = [
            (await door.call("GET", path))[0]
            for path in ("/assets/x.js", "/assets/%2e%2e/index.html", "/x", "/index.htm")
        ]
        posted = (await door.call("POST", "/api/nowhere"))[0]
    assert kept == {
        "/": "no-cache",
        "/favicon.svg": "no-cache",
        "/assets/main-1a2b.js": "public, max-age=31536000, immutable",
    }
    assert missing == [404] * 4
    assert posted == 404
