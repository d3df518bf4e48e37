"""Webhooks in a real browser: added, tested, told of a run, and removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from playwright.sync_api import Browser, expect
from standardwebhooks import Webhook

from tests.page.reader import ask, faults_of, wait_for_the_end
from tests.page.test_accounts import MODELS, visit
from tests.page.test_keys import served, themes

SECRET = "w" * 32


class Message(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def receiver() -> Iterator[tuple[str, list[Message]]]:
    """Takes every message but those to /gone; its address, and what came."""
    received: list[Message] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received.append(Message(self.path, headers, body))
            self.send_response(410 if self.path == "/gone" else 200)
            self.end_headers()

        def log_message(self, format: str, *words: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        server.server_close()


def test_a_webhook_is_added_tested_told_of_a_run_and_removed(
    browser: Browser, tmp_path: Path, axe: Path
) -> None:
    settings = {"MOOT_DEFAULT_MODELS": MODELS, "MOOT_WEBHOOK_SECRET": SECRET}
    with receiver() as (hook, received), served(tmp_path, **settings) as address, visit(browser) as page:
        faults = faults_of(page)
        page.goto(address)
        page.get_by_role("link", name="Webhooks").click()
        expect(page.get_by_text("None yet.")).to_be_visible()
        expect(page.get_by_text("Nothing has been sent yet.")).to_be_visible()
        themes(page, axe, "webhooks-empty")

        page.get_by_label("Address", exact=True).fill(f"{hook}/ended")
        page.get_by_label("cancelled: somebody stopped it").uncheck()
        page.get_by_role("button", name="Add webhook").click()
        secret = page.locator(".secret input").input_value()
        expect(page.get_by_role("cell", name="complete, degraded, failed")).to_be_visible()
        page.get_by_role("button", name=f"Test {hook}/ended").click()
        expect(page.get_by_role("status").filter(has_text="Delivered")).to_be_visible()
        page.get_by_label("Address", exact=True).fill(f"{hook}/gone")
        page.get_by_role("button", name="Add webhook").click()
        page.get_by_role("button", name=f"Test {hook}/gone").click()
        expect(page.get_by_role("status").filter(has_text="410")).to_be_visible()

        ask(page, address, "vote", "Is marmalade better than honey?")
        wait_for_the_end(page)
        page.get_by_role("link", name="Webhooks").click()
        messages = page.get_by_role("group", name="Latest messages")
        done = messages.get_by_role("row").filter(has_text="delivered")
        for _ in range(100):
            page.get_by_role("button", name="Refresh").click()
            page.wait_for_timeout(100)
            if done.count() and messages.get_by_role("row").filter(has_text="given up").count():
                break
        expect(done).to_contain_text(f"{hook}/ended")
        told = [one for one in received if one.path == "/ended"]
        types = [Webhook(secret).verify(one.body, one.headers)["type"] for one in told]
        assert types == ["webhook.test", "run.complete"]
        page.get_by_role("button", name="Show the secret").click()
        expect(page.locator(".secret input")).to_have_value(re.compile("whsec_.+"))
        themes(page, axe, "webhooks")

        for place in ("ended", "gone"):
            row = page.get_by_role("group", name="Your webhooks").get_by_role("row", name=f"{hook}/{place}")
            row.get_by_role("button", name="Remove", exact=True).click()
            row.get_by_role("button", name="Remove this webhook").click()
            expect(row).to_have_count(0)
        expect(page.get_by_text("None yet.")).to_be_visible()
        assert faults == []


def test_a_server_that_signs_no_webhooks_says_what_to_set(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as address, visit(browser) as page:
        page.goto(f"{address}/#/webhooks")
        page.get_by_label("Address", exact=True).fill("https://example.com/hook")
        page.get_by_role("button", name="Add webhook").click()
        expect(page.get_by_role("alert")).to_contain_text("until MOOT_WEBHOOK_SECRET is set")
