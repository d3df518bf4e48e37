"""What a server writes into its log: who, which request, which run, how long; never what."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from moot.kernel import log as moot_log
from moot.testing import ModelServer
from tests.http.door import Door, parse, script
from tests.http.visitors import browser, visitors

CANARY = "canary7531"
NAME, PASSWORD, NEW_PASSWORD = f"{CANARY} name", f"{CANARY} password", f"{CANARY} other password"
KEY = f"sk-{CANARY}-key"
MODELS = ["lab/one", "lab/two", "lab/three"]
COUNCIL = {"councilModels": MODELS, "chairmanModel": MODELS[0]}


class Server:
    """A real `moot serve`, its log, and what it printed."""

    def __init__(self, url: str, link: str, log: Path) -> None:
        self.url = url
        self.link = link.rpartition("/")[2]
        self.log = log

    @property
    def text(self) -> str:
        return self.log.read_text("utf-8")


@asynccontextmanager
async def served(folder: Path, models: ModelServer, **settings: str) -> AsyncIterator[Server]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MOOT_")},
        **models.environment,
        "OPENROUTER_API_KEY": KEY,
        "DATABASE_URL": f"sqlite:///{folder / 'moot.db'}",
        "MOOT_ACCOUNTS": "on",
        "MOOT_EMBEDDER": "off",
        "MOOT_DEFAULT_MODELS": ",".join(MODELS),
        **settings,
    }
    log = folder / "log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "from moot.cli import main; main()", "serve", "--port", "0"),
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            cwd=folder,
        )
        assert process.stdout is not None
        try:
            url = (await process.stdout.readline()).decode().split()[-1]
            link = (await process.stdout.readline()).decode().split()[-1]
            yield Server(url, link, log)
        finally:
            process.terminate()
            await process.wait()


async def _live(server: Server) -> list[str]:
    """Do a little of everything with a canary in all of it; the secrets that came of it."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(
        server.url, cookie_jar=jar, headers={"Origin": server.url, "User-Agent": f"{CANARY} agent"}
    ) as ann:

        async def send(method: str, path: str, **options: Any) -> Any:
            async with ann.request(method, path, **options) as response:
                text = await response.text()
                return json.loads(text) if text.startswith(("{", "[")) else text

        await send("POST", f"/api/links/{server.link}", json={"name": NAME, "password": PASSWORD})
        body = {"question": f"{CANARY} question?", "mode": "council", "modeConfig": COUNCIL}
        frames = parse(await send("POST", "/api/council/stream", json=body))
        run_id = json.loads(frames[0].data)["runId"]
        assert frames[-1].event == "complete"
        share = (await send("POST", f"/api/runs/{run_id}/shares", json={}))["path"].rpartition("/")[2]
        await send("GET", f"/api/shared/{share}")
        await send("GET", f"/api/shared/{share}/events")
        token = (await send("POST", "/api/account/tokens", json={"name": f"{CANARY} token"}))["token"]
        invitation = (await send("POST", "/api/admin/invitations", json={"note": CANARY}))["path"]
        await send("GET", f"/api/links/{invitation.rpartition('/')[2]}")
        await send("GET", "/api/conversations", params={"search": f"{CANARY} search"})
        await send("GET", f"/api/runs/{CANARY}", params={"key": CANARY})
        await send("GET", f"/{CANARY}")
        await send("POST", f"/{CANARY}", data=f"{CANARY} body")
        await send("POST", "/api/council/stream", json={"question": CANARY, "mode": CANARY, "modeConfig": {}})
        await send("POST", "/api/session", json={"name": NAME, "password": f"{CANARY} wrong one"})
        await send("POST", "/api/account/password", json={"password": PASSWORD, "newPassword": NEW_PASSWORD})
        bearer = {"Authorization": f"Bearer {token}", "Idempotency-Key": CANARY}
        await send("POST", "/mcp", json=_mcp("ask", {"question": f"{CANARY} question"}), headers=bearer)
        chat = {"model": "moot/vote", "messages": [{"role": "user", "content": CANARY}]}
        await send("POST", "/v1/chat/completions", json=chat, headers=bearer)
        await send("GET", "/api/runs", headers={"Authorization": f"Bearer {CANARY}"})
        cookies = [one.value for one in jar]
    return [*cookies, token, share, invitation.rpartition("/")[2], server.link]


def _mcp(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}


@pytest.mark.parametrize("form", ["json", "text"])
async def test_no_log_holds_what_people_ask_or_what_lets_them_in_at_any_level(
    tmp_path: Path, form: str
) -> None:
    models = ModelServer(default=f"{CANARY} answer")
    async with models, served(tmp_path, models, MOOT_LOG_LEVEL="debug", MOOT_LOG_FORMAT=form) as server:
        secrets = await _live(server)
    assert len(models.requests) > 3
    assert len(secrets) > 4
    assert [one for one in (CANARY, *secrets) if one in server.text] == []
    assert "/api/links/{token}" in server.text


async def test_every_line_is_an_object_that_says_who_what_and_how_long(tmp_path: Path) -> None:
    models = ModelServer(default="Spaces.")
    async with models, served(tmp_path, models, MOOT_LOG_FORMAT="json") as server:
        await _live(server)
    lines = [json.loads(line) for line in server.text.splitlines()]
    assert {"time", "level", "logger", "event"} <= set.intersection(*(set(line) for line in lines))
    assert any(line["logger"] == "uvicorn.error" for line in lines)

    requests = [line for line in lines if line["event"] == "request"]
    asked = next(line for line in requests if line["route"] == "/api/council/stream")
    assert (asked["method"], asked["status"], asked["level"]) == ("POST", 200, "info")
    assert asked["duration_ms"] > 0
    [taken, ended, *_] = [line for line in lines if line["logger"] == "moot.runs"]
    assert (ended["event"], ended["status"], ended["mode"]) == ("run ended", "degraded", "council")
    assert taken["run_id"] == ended["run_id"]
    assert ended["duration_ms"] >= 0
    assert asked["person_id"] == ended["person_id"]  # an id, as the test of canaries shows
    assert asked["request_id"] == ended["request_id"]
    stranger = next(line for line in requests if line["status"] == 401)
    assert "person_id" not in stranger


async def test_a_request_has_an_id_that_only_a_trusted_proxy_may_choose() -> None:
    for trusted, chosen in (("127.0.0.1", True), ("10.1.2.3", False)):
        async with Door(script(), trusted_proxies=(trusted,)) as door:
            for given in ("from-the-proxy.1", "two words", "a" * 65, ""):
                async with door.session.get("/healthz", headers={"X-Request-Id": given}) as response:
                    same = response.headers["X-Request-Id"] == given
                    assert same == (chosen and given == "from-the-proxy.1")


async def test_a_person_named_by_a_proxy_is_told_by_a_digest(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        async with Door(script(), user_header="X-User") as door:
            caplog.handler.setFormatter(moot_log.JsonLines())
            await door.call("GET", "/api/runs", headers={"X-User": "ann@example.org"})
    [line] = [json.loads(line) for line in caplog.text.splitlines() if '"request"' in line]
    assert line["route"] == "/api/runs"
    assert "ann" not in line["person_id"]


def _fail(text: str) -> None:
    try:
        int(text)
    except ValueError as error:
        raise RuntimeError(f"{text} was the cause") from error


@pytest.mark.parametrize("form", [moot_log.JsonLines(), moot_log.TextLines()])
def test_an_exception_is_told_by_its_type_and_places_not_by_its_words(form: logging.Formatter) -> None:
    try:
        _fail(CANARY)
    except RuntimeError:
        info = sys.exc_info()
    told = form.format(logging.LogRecord("moot.x", logging.ERROR, "x.py", 1, "it failed", (), info))
    assert CANARY not in told
    assert "it failed" in told
    assert told.index("builtins.RuntimeError") < told.index("in _fail") < told.index("builtins.ValueError")
    full = OSError(28, "No space left on device")
    told = form.format(
        logging.LogRecord("moot.x", logging.ERROR, "x.py", 1, "it failed", (), (OSError, full, None))
    )
    assert "No space left on device" in told


def test_what_other_peoples_code_says_is_told_by_its_place_alone() -> None:
    record = logging.LogRecord("mcp.server", logging.WARNING, "/x/session.py", 7, f"bad: {CANARY}", (), None)
    record.funcName = "receive"
    assert json.loads(moot_log.JsonLines().format(record))["event"] == "session:7 in receive"


async def test_two_requests_on_one_connection_share_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        async with (
            Door(script(), accounts="on", embedder="off") as door,
            visitors(door, "ann") as (ann,),
            browser(door) as stranger,
        ):
            caplog.clear()
            caplog.handler.setFormatter(moot_log.JsonLines())
            await ann.call("GET", "/api/runs")
            ann.session.cookie_jar.clear()
            await ann.call("GET", "/api/runs")
            await stranger.call("GET", "/api/session")
    lines = [json.loads(line) for line in caplog.text.splitlines() if '"request"' in line]
    assert [line.get("person_id") for line in lines] == [ann.id, None, None]
    assert len({line["request_id"] for line in lines}) == 3
