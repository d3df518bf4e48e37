"""Keys and limits in a real browser: saved, tested, used, lost and removed, on a server with one local person; and what
is left of a limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from moot.testing import ModelServerProcess
from tests.harness.waiting import PATIENCE
from tests.keys.servers import LINES, SECRET_KEY
from tests.page.conftest import SERVE
from tests.page.reader import faults_of
from tests.page.test_accounts import look, visit

KEY = "sk-typed-in-a-browser-wxyz"


@contextmanager
def served(folder: Path, **settings: str) -> Iterator[str]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
        "DATABASE_URL": f"sqlite:///{folder / 'moot.db'}",
        "MOOT_SECRET_KEY_FILE": str(folder / "secret.key"),
        "MOOT_EMBEDDER": "off",
        "MOOT_LOG_LEVEL": "error",
        **settings,
    }
    process = subprocess.Popen([sys.executable, *SERVE], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


def themes(page: Page, axe: Path, name: str) -> None:
    for theme in ("dark", "light"):
        page.get_by_label("Colours").select_option(theme)
        look(page, axe, f"{name}-{theme}")


def test_a_key_is_added_tested_lost_and_removed(browser: Browser, tmp_path: Path, axe: Path) -> None:
    with ModelServerProcess({"models": LINES}) as models, visit(browser) as page:
        faults = faults_of(page)
        with served(tmp_path, MOOT_SECRET_KEY=SECRET_KEY) as address:
            page.goto(f"{address}/#/keys")
            expect(page.get_by_text("Until a key is added, simulated models answer")).to_be_visible()
            themes(page, axe, "keys-empty")
            page.get_by_label("Provider").select_option("own")
            page.get_by_label("Name").fill("lab")
            page.get_by_label("Address").fill(models.url)
            page.get_by_label("Key", exact=True).fill(KEY)
            page.get_by_role("button", name="Save").click()
            expect(page.get_by_text("Works: 3 models")).to_be_visible()
            expect(page.get_by_role("cell", name="…wxyz")).to_be_visible()
            expect(page.get_by_label("Key", exact=True)).to_have_value("")
            assert KEY not in page.content()
            themes(page, axe, "keys-saved")
            page.get_by_role("link", name="Ask").first.click()
            expect(page.get_by_text("Simulated models")).to_have_count(0)  # without a restart
            expect(page.locator(".takes")).to_contain_text("ann")
        with served(tmp_path, MOOT_SECRET_KEY="a secret key that is not the one of before") as address:
            page.goto(f"{address}/#/keys")
            expect(page.get_by_role("alert").first).to_contain_text("MOOT_SECRET_KEY")
            themes(page, axe, "keys-lost")
            page.get_by_role("button", name="Remove").click()
            page.get_by_role("button", name="Remove lab").click()
            expect(page.get_by_text("Until a key is added, simulated models answer")).to_be_visible()
        assert [fault for fault in faults if "ERR_" not in fault] == []


def test_what_is_left_of_a_limit_stands_beside_the_button(
    browser: Browser, tmp_path: Path, axe: Path
) -> None:
    models = ",".join(f"sim/{name}:latency=0:tps=0" for name in ("ada", "bo", "cleo"))
    with (
        served(tmp_path, MOOT_DEFAULT_MODELS=models, MOOT_REQUESTS_PER_HOUR="1") as address,
        visit(browser) as page,
    ):
        page.goto(address)
        expect(page.get_by_text("Left: 1 of 1 questions this hour")).to_be_visible()
        page.locator("textarea").first.fill("Tabs or spaces?")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/c/**")
        page.get_by_role("link", name="Ask").first.click()
        expect(page.get_by_text("Left: 0 of 1 questions this hour")).to_be_visible()
        page.locator("textarea").first.fill("Tabs or spaces?")
        page.keyboard.press("Enter")
        refused = page.get_by_role("alert").filter(has_text="Your limit of 1 question per hour is reached.")
        expect(refused).to_contain_text("You can ask again at")
        themes(page, axe, "limit-reached")
