"""Who may come in: this machine under its own names, and no page of another site."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from yarl import URL

from tests.http.door import Door, script

MUTATING = [
    ("POST", "/api/council/stream"),
    ("POST", "/api/runs/x/cancel"),
    ("POST", "/api/runs/x/retry"),
    ("PATCH", "/api/conversations/x"),
    ("DELETE", "/api/conversations/x"),
]
FOREIGN: list[dict[str, str]] = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:1"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize(("method", "path"), MUTATING)
async def test_a_page_of_another_site_changes_nothing(method: str, path: str) -> None:
    async with Door(script()) as door:
        for headers in FOREIGN:
            status, problem = await door.call(method, path, headers=headers, json={"question": "x"})
            assert (status, problem["error"]) == (403, "A page from another site may not do this"), headers
        assert (await door.get("/api/runs"))["runs"] == []


async def test_our_own_page_and_programs_may_ask() -> None:
    async with Door(script()) as door:
        await door.ask(mode="vote", headers={"Origin": door.url, "Sec-Fetch-Site": "same-origin"})
        await door.ask(mode="vote", headers={"Sec-Fetch-Site": "none"})
        await door.ask(mode="vote")
        assert len((await door.get("/api/runs"))["runs"]) == 3


async def test_only_names_of_this_machine_are_answered() -> None:
    ours = ["127.0.0.1:8765", "localhost", "LOCALHOST:1", "127.9.9.9", "[::1]:80", "moot.test:80"]
    others = ["evil.example", "127.0.0.1.evil.example", "evil.example:8765", "localhost@evil.example"]
    strange = ["evil.example@localhost", "0.0.0.0", "192.168.0.1", "[::1", ""]
    header = {"X-User": "ann"}
    async with Door(script(), public_url="https://moot.test", user_header="X-User") as door:
        for host in (*ours, *others, *strange):
            answers = [
                (await door.call("GET", path, headers={"Host": host, **header}))[0]
                for path in ("/healthz", "/api/conversations", "/nowhere")
            ]
            assert answers == ([200, 200, 404] if host in ours else [403] * 3), host


async def test_two_names_are_none() -> None:
    async with Door(script()) as door:
        host, port = door.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        first = await reader.readline()
        writer.close()
    assert first.split()[1] == b"403"


async def test_every_answer_tells_the_browser_what_it_may_do() -> None:
    async with Door(script()) as door:
        for path in ("/", "/api/runs", "/nowhere", "/healthz", "/api/runs?limit=0"):
            async with door.session.get(path) as response:
                policy = response.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "frame-ancestors 'none'" in policy
                assert "unsafe" not in policy
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                assert response.headers["Referrer-Policy"] == "no-referrer"
                # The page itself may be kept if the server is asked whether it is still the newest.
                assert response.headers["Cache-Control"] in ("no-store", "no-cache" if path == "/" else "")
                assert "Access-Control-Allow-Origin" not in response.headers


PASSING = {"leases", "seat_results", "stage_times"}
"""Leases are renewed every second, whoever asks; insight keeps what it has read out of a story."""


NOTHING_THERE = {"/api/links/{token}", "/api/oidc/callback", "/api/admin/people/{person_id}/limits"}
"""It needs accounts: see `tests/http/test_accounts.py`."""


async def test_reading_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "moot.db"
    async with Door(script(), database=f"sqlite:///{file}") as door:
        told = await door.ask(mode="vote")
        argued = await door.ask(mode="dialectic", modeConfig={"useTemplates": False})
        _, share = await door.call("POST", f"/api/runs/{told.run_id}/shares")
        batch_body = {"questions": ["Tabs?"], "mode": "vote"}
        _, batch = await door.call("POST", "/api/batches", json=batch_body)
        before = await _content(door)
        status, description = await door.call("GET", "/api/openapi.json")
        assert status == 200
        for path, operations in description["paths"].items():
            if "get" not in operations:
                continue
            if path in NOTHING_THERE:
                continue
            address = path.format(
                run_id=told.run_id,
                conversation_id=told.conversation_id,
                trace_id=argued.run_id,
                batch_id=batch["id"],
                template_id="threat-model",
                token=share["path"].rpartition("/")[2],
                model="vote",
                response_id=f"resp_{told.run_id}",
            )
            async with door.session.get(address) as response:
                assert response.status == 200, address
                await response.read()
        assert await _content(door) == before


async def _content(door: Door) -> dict[str, list[str]]:
    def read(db: Any) -> dict[str, list[str]]:
        names = db.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            table: sorted(map(repr, db.exec_driver_sql(f'SELECT * FROM "{table}"')))
            for (table,) in [*names]
            if table not in PASSING
        }

    return await door.engine.store.read(read)


async def test_a_null_character_is_refused_before_it_reaches_the_database(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        for method, path in (
            ("GET", "/api/runs/%00"),
            ("GET", "/api/runs/a%00b/events"),
            ("GET", "/api/runs?cursor=1.%00"),
            ("GET", "/api/conversations?search=%00"),
            ("GET", "/api/conversations?mode=%00"),
            ("DELETE", "/api/conversations/%00"),
        ):
            async with door.session.request(method, URL(door.url + path, encoded=True)) as response:
                assert response.status == 400, path
                assert (await response.json())["error"] == "The address contains a control character"


async def test_what_nobody_foresaw_says_nothing_of_its_cause(caplog: pytest.LogCaptureFixture) -> None:
    async with Door(script()) as door:
        await door.engine.store.close()
        with caplog.at_level(logging.CRITICAL):
            status, problem = await door.call("GET", "/api/runs")
        await door.engine.store.open()
    assert (status, problem) == (
        500,
        {"error": "Internal error", "details": [{"path": "", "message": "Internal error"}]},
    )


async def test_nothing_that_people_send_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    secret = "sk-canary-7531"
    with caplog.at_level(logging.DEBUG):
        async with Door(script()) as door:
            await door.ask(secret, mode="vote", headers={"Authorization": secret})
            await door.call("GET", "/api/conversations", params={"search": secret})
            await door.call("GET", f"/api/runs/{secret}")
            await door.call("POST", f"/api/runs/{secret}/cancel", headers={"Idempotency-Key": secret})
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("asyncio")]
    assert not [line for line in ours if secret in line]
