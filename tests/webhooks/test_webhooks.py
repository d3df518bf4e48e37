"""Webhooks: signed, at least once, whatever is killed, and never to where they must not go."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from standardwebhooks import WebhookVerificationError

from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.settings import Settings
from moot.webhooks import delivery
from moot.webhooks.webhooks import (
    Delivery,
    NewWebhook,
    add_webhook,
    list_deliveries,
    list_webhooks,
    remove_webhook,
    secret_for_requests,
    try_webhook,
)
from moot.wiring import open_engine
from tests.harness.waiting import PATIENCE, until
from tests.http.door import Door, script
from tests.http.visitors import visitors
from tests.webhooks.receiver import Received, Receiver

SECRET = SecretStr("a-secret-of-the-servers-own")
PANEL = ("ann", "bob", "cyd")
MOOT = str(Path(sys.executable).parent / "moot")


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks often and tries again soon: hours become milliseconds, the number of attempts stays."""
    monkeypatch.setattr(delivery, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(delivery, "WAITS", (0.02,) * len(delivery.WAITS))


@asynccontextmanager
async def engine_on(url: str, **settings: Any) -> AsyncIterator[Engine]:
    own = Settings(**{"database_url": url, "webhook_secret": SECRET, "title_model": "title", **settings})
    async with open_engine(own, transport=script(), panel=PANEL, adopts=True) as engine:
        yield engine


async def ask(engine: Engine, user: str = "local", **more: Any) -> str:
    body = {
        "question": "Tabs or spaces?",
        "mode": "vote",
        "modeConfig": {"councilModels": list(PANEL)},
        **more,
    }
    record = await engine.start(AskRequest.of(body), user=user)
    await engine.finished(record.id)
    return record.id


async def settled(engine: Engine, user: str | None = "local", count: int = 1) -> list[Delivery]:
    """The deliveries, once so many have come to their end."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await list_deliveries(engine, user, 200)
            if sum(one.status != "waiting" for one in found) >= count:
                return found
            await asyncio.sleep(0.02)


async def test_the_end_of_a_run_is_told_and_signed_as_standard_webhooks_asks(store_url: str) -> None:
    async with Receiver() as receiver, engine_on(store_url) as engine:
        made = await add_webhook(engine, "local", NewWebhook(url=receiver.url))
        run_id = await ask(engine)
        [done] = await settled(engine)
        [got] = receiver.received
        message = got.verified(made.secret)
        assert message["type"] == "run.complete"
        assert message["data"]["runId"] == run_id
        assert message["data"]["status"] == "complete"
        assert "says spaces" in message["data"]["answer"]
        assert "question" not in message["data"]
        assert (done.id, done.status, done.attempts) == (got.id, "delivered", 1)
        with pytest.raises(WebhookVerificationError):
            Received(got.path, got.headers, got.body + b" ").verified(made.secret)
        with pytest.raises(WebhookVerificationError):
            got.verified(secret_for_requests(engine, "local"))
        stored = await engine.store.read(lambda db: db.exec_driver_sql("SELECT * FROM webhooks").all())
        assert made.secret.removeprefix("whsec_") not in str(stored)
        assert not hasattr((await list_webhooks(engine, "local"))[0], "secret")


async def test_what_is_not_taken_is_sent_again_under_the_same_id(store_url: str) -> None:
    async with Receiver(500, 302, 404) as receiver, engine_on(store_url) as engine:
        made = await add_webhook(engine, "local", NewWebhook(url=receiver.url))
        await ask(engine)
        [done] = await settled(engine)
        assert (done.status, done.attempts) == ("delivered", 4)
        assert [got.path for got in receiver.received] == ["/hook"] * 4, "no redirect is followed"
        assert len({got.id for got in receiver.received}) == 1
        assert all(got.verified(made.secret)["type"] == "run.complete" for got in receiver.received)


async def test_after_too_many_attempts_it_is_given_up_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Receiver(*[503] * 99) as receiver, engine_on(f"sqlite:///{tmp_path}/moot.db") as engine:
        await add_webhook(engine, "local", NewWebhook(url=receiver.url))
        await ask(engine)
        [done] = await settled(engine)
        assert (done.status, done.attempts, done.reason) == ("given_up", 10, "It answered 503.")
        assert len(receiver.received) == 10
        assert f"webhook delivery {done.id} was given up after 10 attempts" in caplog.text


async def test_gone_means_gone(tmp_path: Path) -> None:
    async with Receiver(410) as receiver, engine_on(f"sqlite:///{tmp_path}/moot.db") as engine:
        await add_webhook(engine, "local", NewWebhook(url=receiver.url))
        await ask(engine)
        [done] = await settled(engine)
        assert (done.status, done.attempts) == ("given_up", 1)


async def test_a_request_may_name_an_address_of_its_own(store_url: str) -> None:
    async with Receiver() as receiver, engine_on(store_url) as engine:
        run_id = await ask(engine, webhook={"url": receiver.url})
        await ask(engine)
        [done] = await settled(engine)
        assert done.webhook_id is None
        message = receiver.received[0].verified(secret_for_requests(engine, "local"))
        assert message["data"]["runId"] == run_id


async def test_only_the_ends_that_are_wanted_are_told(tmp_path: Path) -> None:
    async with Receiver() as receiver, engine_on(f"sqlite:///{tmp_path}/moot.db") as engine:
        await add_webhook(engine, "local", NewWebhook(url=receiver.url, events=["failed", "cancelled"]))
        await ask(engine)
        broken = await ask(engine, modeConfig={"councilModels": ["nobody"] * 3})
        await settled(engine)
        [got] = receiver.received
        message = json.loads(got.body)
        assert (message["type"], message["data"]["runId"]) == ("run.failed", broken)
        assert message["data"]["answer"] is None
        assert message["data"]["error"]


async def test_everyones_webhook_hears_that_and_not_what(store_url: str) -> None:
    async with Receiver() as receiver, engine_on(store_url) as engine:
        made = await add_webhook(engine, None, NewWebhook(url=receiver.url))
        await add_webhook(engine, "bob", NewWebhook(url=receiver.url + "/of-bob"))
        await ask(engine, user="ann")
        await settled(engine, None)
        [got] = receiver.received
        data = got.verified(made.secret)["data"]
        assert "answer" not in data
        assert "error" not in data
        assert await list_deliveries(engine, "ann") == []
        assert await list_deliveries(engine, "bob") == []


async def test_a_webhook_that_is_removed_hears_nothing_more(store_url: str) -> None:
    async with Receiver(*[500] * 99) as receiver, engine_on(store_url) as engine:
        made = await add_webhook(engine, "local", NewWebhook(url=receiver.url))
        await ask(engine)
        await until(lambda: bool(receiver.received))
        await remove_webhook(engine, "local", made.id)
        assert await list_deliveries(engine, "local") == []
        await ask(engine)
        assert await list_deliveries(engine, "local") == []


async def test_nothing_goes_to_private_addresses_unless_it_is_allowed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/moot.db"
    async with Receiver() as receiver, engine_on(url, private_webhooks="refuse") as engine:
        with pytest.raises(Rejected, match="must begin with https"):
            await add_webhook(engine, "local", NewWebhook(url=receiver.url))
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"):
            made = await add_webhook(engine, "local", NewWebhook(url=f"https://{host}:{receiver.port}/hook"))
            trial = await try_webhook(engine, "local", made.id)
            odd = host.isdecimal()
            reason = "Its address cannot be used." if odd else "Its address is not public."
            assert (trial.delivered, trial.reason) == (False, reason)
        await ask(engine)
        found = await settled(engine, count=4)
        assert {(one.status, one.attempts) for one in found} == {("given_up", 1)}
        assert receiver.received == []


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "ftp://example.com", "https://", "https://ann:pw@example.com", "https://example.com/#a", "https://exa mple.com", "https://example.com:0", "https://example.com:99999", "https://" + "a" * 3000, "javascript:alert(1)", "https://example.com/\n"],
)  # fmt: skip
async def test_addresses_that_are_none_are_refused(tmp_path: Path, url: str) -> None:
    async with engine_on(f"sqlite:///{tmp_path}/moot.db") as engine:
        with pytest.raises(Rejected, match=r"^url must"):
            await add_webhook(engine, "local", NewWebhook(url=url))
        with pytest.raises(Rejected, match=r"^webhook\.url must"):
            await ask(engine, webhook={"url": url})


async def test_without_a_secret_there_are_no_webhooks(tmp_path: Path) -> None:
    async with engine_on(f"sqlite:///{tmp_path}/moot.db", webhook_secret=None) as engine:
        with pytest.raises(Rejected, match="MOOT_WEBHOOK_SECRET"):
            await add_webhook(engine, "local", NewWebhook(url="https://example.com"))
        with pytest.raises(Rejected, match="MOOT_WEBHOOK_SECRET"):
            await ask(engine, webhook={"url": "https://example.com"})


async def test_a_receiver_that_hangs_holds_up_nobody_else(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/moot.db"
    async with Receiver(hangs=True) as slow, Receiver() as quick, engine_on(url) as engine:
        for place in range(delivery.AT_ONCE_TO_A_HOST + 2):
            await add_webhook(engine, "local", NewWebhook(url=f"{slow.url}/{place}"))
        await add_webhook(engine, "local", NewWebhook(url=quick.url))
        await ask(engine)
        await until(lambda: len(quick.received) == 1)
        assert len(slow.received) <= delivery.AT_ONCE_TO_A_HOST


async def test_two_processes_send_everything_once(postgres_url: str) -> None:
    async with Receiver() as receiver, engine_on(postgres_url) as one, engine_on(postgres_url) as other:
        await add_webhook(one, "local", NewWebhook(url=receiver.url))
        runs = await asyncio.gather(*(ask(engine) for engine in (one, other) for _ in range(6)))
        await settled(one, count=len(runs))
        assert sorted(got.id.rpartition(".")[2] for got in receiver.received) == sorted(runs)


async def test_a_server_that_is_killed_while_it_sends_has_it_sent_by_the_next(tmp_path: Path) -> None:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}",
        "XDG_CONFIG_HOME": str(tmp_path),
        "MOOT_WEBHOOK_SECRET": SECRET.get_secret_value(),
        "MOOT_DEFAULT_MODELS": ",".join(["sim/ada:latency=0:tps=0"] * 3),
    }

    async def moot(*words: str) -> str:
        done = await asyncio.create_subprocess_exec(MOOT, *words, env=environment, stdout=subprocess.PIPE)
        out, _ = await done.communicate()
        assert done.returncode == 0
        return out.decode().strip()

    async with Receiver(hangs=True) as receiver:
        secret = await moot("webhooks", "add", receiver.url)
        first = await serving(environment)
        await moot(
            "ask", "Tabs or spaces?", "--mode", "vote", "-q"
        )  # a program that has left when it is sent
        await until(lambda: bool(receiver.received))
        os.kill(first.pid, signal.SIGKILL)
        await first.wait()
    with sqlite3.connect(tmp_path / "moot.db") as database:  # as if half a minute had passed
        database.execute("UPDATE webhook_deliveries SET lease_until = 0")
    async with Receiver(port=receiver.port) as again:
        second = await serving(environment)
        await until(lambda: bool(again.received))
        second.terminate()
        await second.wait()
    assert again.received[0].id == receiver.received[0].id
    assert again.received[0].verified(secret) == {
        **receiver.received[0].verified(secret),
        "timestamp": again.received[0].verified(secret)["timestamp"],
    }
    assert "delivered" in await moot("webhooks", "deliveries")


async def serving(environment: dict[str, str]) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        MOOT, "serve", "--port", "0", env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert b"http://" in await process.stdout.readline()
    return process


async def test_the_secret_is_shown_once_and_a_token_adds_no_webhook() -> None:
    async with (
        Door(script(), accounts="on", embedder="off", webhook_secret=SECRET) as door,
        visitors(door, "ann") as (ann,),
    ):
        made = await ann.send("POST", "/api/webhooks", url="https://example.com/hook", events=["failed"])
        assert made["secret"].startswith("whsec_")
        listed = await ann.call("GET", "/api/webhooks")
        assert listed[1]["webhooks"] == [{name: value for name, value in made.items() if name != "secret"}]
        token = (await ann.send("POST", "/api/account/tokens", name="program"))["token"]
        bearer = {"Authorization": f"Bearer {token}"}
        status, answer = await door.call(
            "POST", "/api/webhooks", json={"url": "https://example.com"}, headers=bearer
        )
        assert (status, answer["error"]) == (403, "A token cannot do this: sign in on the page")
        for place in range(9):
            await ann.send("POST", "/api/webhooks", url=f"https://example.com/{place}")
        status, answer = await ann.call("POST", "/api/webhooks", json={"url": "https://example.com"})
        assert (status, answer["error"]) == (409, "There are 10 webhooks already: remove one first")
