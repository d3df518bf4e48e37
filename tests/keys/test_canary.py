"""A key that is saved appears nowhere in clear: not in the database, the logs, what is streamed, exported, counted or
said when things go wrong."""

from __future__ import annotations

import logging
import re
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, TextClause, text

from moot.cli.doctor import examine
from moot.store import tables
from moot.testing import ModelServer, Reply
from tests.http.visitors import visitors
from tests.keys.servers import LINES, SECRET_KEY, VOTE, Served
from tests.keys.test_endpoints import answering

CANARY = "sk-canary-7f3a90c1d2e4b5a6-tail"
PLAIN_CANARY = "canary0word0without0a0prefix0tail"
"""Nothing in it looks like a key, so only whoever knows it can take it out."""


@pytest.mark.parametrize("canary", [CANARY, PLAIN_CANARY])
async def test_a_saved_key_appears_nowhere_in_clear(
    canary: str, store_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    echo = f"Incorrect API key provided: {canary}. Authorization: Bearer {canary}"
    failing = {
        "echoing": Reply(status=401, message=echo),
        "in-200": Reply(error_in_200=True, message=echo),
        "moved": Reply(status=307, location=f"http://127.0.0.1:1/?key={canary}"),
        "hanging": Reply(hang=True),
        "broken": Reply(text="half", drop_after=1),
        "malformed": Reply(malformed=True),
    }
    async with (
        ModelServer(models={**LINES, **failing}) as models,
        answering(b"HTTP/1.1 401 No\r\nContent-Length: 60\r\n\r\n" + canary.encode().ljust(60)) as (
            echoing,
            _,
        ),
        Served(store_url, accounts="on", log_level="debug", timeout_ms=1000) as door,
        visitors(door, "ann", "bob") as (ann, bob),
    ):

        async def look(method: str, path: str, **options: object) -> object:
            status, answer = await ann.call(method, path, **options)
            seen.append(f"{method} {path}: {status} {answer}")
            return answer

        for place in ("/api/account/keys/lab", "/api/admin/keys/all"):
            await look("PUT", place, json={"key": canary, "baseUrl": models.url})
            await look("POST", f"{place}/test")
        await look("PUT", "/api/account/keys/echo", json={"key": canary, "baseUrl": echoing})
        await look("POST", "/api/account/keys/echo/test")
        await look("PUT", "/api/account/keys/lab", json={"key": f" {canary} x", "baseUrl": models.url})
        good = await ann.ask("Tabs?", mode="vote", modeConfig=VOTE, streamTokens=True)
        assert good.types[-1] == "complete"
        stories = [good]
        for name in failing:
            config = {"councilModels": [f"lab/{name}", "lab/bob", "echo/x"], "chairmanModel": "all/ann"}
            told = await ann.ask("Spaces?", mode="vote", modeConfig=config)
            stories.append(told)
        for story in stories:
            seen.append(story.text)
            for part in ("", "/events", "/verdict"):
                await look("GET", f"/api/runs/{story.run_id}{part}")
            for format in ("json", "markdown"):
                await look("GET", f"/api/conversations/{story.conversation_id}/export?format={format}")
        paths = ("/api/account/keys", "/api/admin/keys", "/api/models", "/metrics", "/api/admin/people")
        for path in (*paths, "/api/admin/runs", "/api/insight", "/api/openapi.json", "/readyz"):
            await look("GET", path)
        await look("POST", "/api/estimate", json={"mode": "vote", "modeConfig": VOTE})
        seen += [repr(await bob.call("GET", path)) for path in ("/api/account/keys", "/api/models")]
        seen += [repr(finding) async for finding in examine(door._settings)]
        seen.append(repr(door._settings))
        for table in tables.metadata.sorted_tables:
            query = text(f'SELECT * FROM "{table.name}"')
            seen += await door.engine.store.read(partial(_rows, query=query))
    seen += [record.getMessage() + repr(record.args) + (record.exc_text or "") for record in caplog.records]
    files = _files_in(tmp_path)
    whole = "\n".join(seen)
    assert any("refused the key" in one for one in seen)  # it did look at failures
    assert canary not in whole
    assert canary.encode() not in files
    assert not re.search(re.escape(canary[4:20]), whole)
    assert SECRET_KEY not in whole
    assert SECRET_KEY.encode() not in files


def _rows(connection: Connection, query: TextClause) -> list[str]:
    return [repr(row) for row in connection.execute(query)]


def _files_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
