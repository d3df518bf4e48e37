"""Accounts in a real browser: the first administrator, an invitation, sign-in and sign-out, tokens, share links, the
administrator's page; each looked at by axe, on a phone too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.harness.waiting import PATIENCE
from tests.http.oidc_provider import real_provider
from tests.page.conftest import SERVE
from tests.page.reader import AXE, ask, faults_of, photograph

PASSWORD = "correct horse battery"
MODELS = ",".join(f"sim/{name}:latency=1:tps=9999" for name in ("ada", "bo", "cleo", "dot"))
HISTORY = "aside a[href^='#/c/']"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextmanager
def opened(folder: Path, **settings: str) -> Iterator[tuple[str, str]]:
    """A server on which people sign in: its address, and the link that makes the first administrator."""
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{folder / 'moot.db'}",
        "MOOT_ACCOUNTS": "on",
        "MOOT_DEFAULT_MODELS": MODELS,
        "MOOT_EMBEDDER": "off",
        "MOOT_LOG_LEVEL": "warning",
        **settings,
    }
    process = subprocess.Popen([sys.executable, *SERVE], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1], process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    with opened(tmp_path_factory.mktemp("accounts")) as found:
        yield found


@contextmanager
def visit(browser: Browser) -> Iterator[Page]:
    context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    context.set_default_timeout(PATIENCE * 1000)
    yield context.new_page()
    context.close()


def fill(page: Page, name: str, password: str = PASSWORD, label: str = "Password") -> None:
    if name:
        page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label(label, exact=True).fill(password)
    page.keyboard.press("Enter")


def look(page: Page, axe: Path, name: str) -> None:
    """Nothing that axe finds, light or dark, nothing wider than a phone; photographed in both widths."""
    page.evaluate(axe.read_text("utf-8"))
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(AXE, RULES) == [], f"{name}, dark"
    photograph(page, f"accounts-{name}-dark")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(AXE, RULES) == [], name
    photograph(page, f"accounts-{name}")
    before = page.viewport_size
    assert before is not None
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    photograph(page, f"accounts-{name}-phone")
    page.set_viewport_size(before)


def secret(page: Page, label: str) -> str:
    return page.locator(".secret").filter(has_text=label).locator("input").input_value()


def test_the_whole_way_from_the_first_link_to_a_disabled_account(
    browser: Browser, house: tuple[str, str], axe: Path
) -> None:
    address, first = house
    with visit(browser) as ann, visit(browser) as bob, visit(browser) as reader:
        faults = [*map(faults_of, (ann, bob, reader))]
        _set_up(ann, address, first, axe)
        token = _make_token(ann, axe)
        _share(ann, reader, axe)
        _join(ann, bob, axe)
        _ask_with(token, address)
        _administer(ann, bob, address, axe)
        # A refusal is an error to the browser's console; nothing else may be.
        told = [fault for found in faults for fault in found if "status of 40" not in fault]
        assert told == []


def _set_up(ann: Page, address: str, first: str, axe: Path) -> None:
    ann.goto(f"{address}/")
    expect(ann.get_by_role("heading", name="Sign in")).to_be_visible()
    look(ann, axe, "sign-in")
    ann.goto(first)
    expect(ann.get_by_role("heading", name="Set up this server")).to_be_visible()
    look(ann, axe, "set-up")
    fill(ann, "Ann", "short")
    expect(ann.get_by_role("alert")).to_contain_text("at least 10 characters")
    fill(ann, "Ann")
    expect(ann.get_by_label("Your question")).to_be_visible()
    expect(ann.get_by_role("link", name="Account")).to_be_visible()


def _make_token(ann: Page, axe: Path) -> str:
    ann.get_by_role("link", name="Account").click()
    ann.get_by_label("Name", exact=True).fill("A script")
    ann.get_by_role("button", name="Create token").click()
    token = secret(ann, "Your new token")
    expect(ann.get_by_role("cell", name="A script")).to_be_visible()
    look(ann, axe, "account")
    ann.reload()
    expect(ann.get_by_role("cell", name="A script")).to_be_visible()
    assert token not in ann.content()
    return token


def _share(ann: Page, reader: Page, axe: Path) -> None:
    ask(ann, ann.url.partition("#")[0].rstrip("/"), "vote", "Is marmalade better than honey?")
    expect(ann.locator(".turn[data-ended=true] .answer")).to_be_visible()
    ann.get_by_role("button", name="Share", exact=True).click()
    ann.get_by_role("button", name="Create link").click()
    link = ann.locator(".share-links .secret input").input_value()
    look(ann, axe, "share")
    reader.goto(link)
    expect(reader.get_by_role("heading", name="Is marmalade better than honey?")).to_be_visible()
    expect(reader.locator(".answer")).to_be_visible()
    expect(reader.locator(".picture")).not_to_be_empty()
    for tool in ("Regenerate", "Share", "Retry missing calls", "Stop"):
        expect(reader.get_by_role("button", name=tool, exact=True)).to_have_count(0)
    look(reader, axe, "shared")
    ann.get_by_role("button", name="Revoke").click()
    ann.get_by_role("button", name="Revoke this link").click()
    expect(ann.locator(".share-links .secret")).to_have_count(0)
    reader.reload()
    expect(reader.get_by_role("alert")).to_contain_text("it was revoked or has expired")


def _join(ann: Page, bob: Page, axe: Path) -> None:
    ann.get_by_role("link", name="Administration").click()
    ann.get_by_label("Who it is for").fill("Bob")
    ann.get_by_role("button", name="Create invitation").click()
    link = secret(ann, "Invitation link")
    bob.goto(link)
    expect(bob.get_by_role("heading", name="Join moot")).to_be_visible()
    look(bob, axe, "join")
    fill(bob, "ann")
    expect(bob.get_by_role("alert")).to_contain_text("The name 'ann' is taken")
    fill(bob, "Bob")
    expect(bob.get_by_label("Your question")).to_be_visible()
    expect(bob.get_by_text("No questions yet")).to_be_visible()
    expect(bob.locator(HISTORY)).to_have_count(0)
    expect(bob.get_by_role("link", name="Administration")).to_have_count(0)


def _ask_with(token: str, address: str) -> None:
    """A program asks; the run is Ann's."""
    body = json.dumps({"question": "Tabs or spaces?", "mode": "vote"}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    with urlopen(Request(f"{address}/api/council/stream", body, headers), timeout=PATIENCE) as response:
        assert b"event: complete" in response.read()


def _administer(ann: Page, bob: Page, address: str, axe: Path) -> None:
    ann.reload()
    people = ann.get_by_role("group", name="People")
    expect(people.get_by_role("row", name="Ann")).to_contain_text("2")
    expect(people.get_by_role("row", name="Bob")).to_contain_text("0")
    people.get_by_role("button", name="Password link for Bob").click()
    link = secret(ann, "Password link for Bob")
    look(ann, axe, "administration")
    _limit(ann, bob, axe)
    bob.goto(link)
    bob.reload()
    expect(bob.get_by_text("For the account “Bob”.")).to_be_visible()
    fill(bob, "", "another password", "New password")
    expect(bob.get_by_label("Your question")).to_be_visible()
    people.get_by_role("button", name="Disable Bob").click()
    expect(people.get_by_role("row", name="Bob")).to_contain_text("disabled")
    bob.reload()  # or whatever is done next, unless the page has noticed by itself
    expect(bob.get_by_role("heading", name="Sign in")).to_be_visible()
    fill(bob, "Bob", "another password")
    expect(bob.get_by_role("alert")).to_have_text("The name or the password is wrong")


def _limit(ann: Page, bob: Page, axe: Path) -> None:
    ann.get_by_role("button", name="Limits of Bob").click()
    expect(ann.get_by_text("These are the server’s limits, as for everyone.")).to_be_visible()
    ann.get_by_label("Dollars per day").fill("2.5")
    ann.get_by_label("Questions per hour").fill("20")
    ann.get_by_role("button", name="Save limits").click()
    expect(ann.get_by_text("Set for Bob: questions per hour, dollars per day.")).to_be_visible()
    look(ann, axe, "limits-of-bob")
    bob.reload()
    expect(bob.get_by_text("Left: 20 of 20 questions this hour · $2.50 of $2.50 today")).to_be_visible()
    ann.get_by_label("Dollars per day").fill("")
    ann.get_by_role("button", name="Save limits").click()
    expect(ann.get_by_role("row", name="Dollars per day")).to_contain_text("no limit")
    ann.get_by_role("button", name="Use the server’s limits").click()
    ann.get_by_role("button", name="Drop the limits set for Bob").click()
    expect(ann.get_by_text("These are the server’s limits, as for everyone.")).to_be_visible()
    ann.set_viewport_size({"width": 390, "height": 844})
    row = ann.get_by_role("group", name="People").get_by_role("row", name="Bob")
    expect(row).to_contain_text("0")  # a card is a row still
    for button in row.get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390, button.inner_text()
    ann.set_viewport_size({"width": 1280, "height": 800})


def test_signing_out_leaves_nothing_behind_and_signing_in_brings_it_back(
    browser: Browser, tmp_path: Path, axe: Path
) -> None:
    with opened(tmp_path, MOOT_REGISTRATION="open") as (address, first), visit(browser) as page:
        page.goto(first)
        fill(page, "Ann")
        ask(page, address, "vote", "Is marmalade better than honey?")
        expect(page.locator(".turn[data-ended=true] .answer")).to_be_visible()
        page.get_by_role("link", name="Account").click()
        page.get_by_label("Current password").fill(PASSWORD)
        page.get_by_label("New password").fill("another password")
        page.get_by_role("button", name="Change password").click()
        expect(page.get_by_role("status").filter(has_text="Your password is changed.")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert "marmalade" not in page.content()
        kept = page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
        assert "marmalade" not in kept
        page.get_by_role("button", name="Create an account").click()
        look(page, axe, "sign-up")
        fill(page, "Eve", "a long password")
        expect(page.get_by_label("Your question")).to_be_visible()
        expect(page.get_by_text("No questions yet")).to_be_visible()
        expect(page.locator(HISTORY)).to_have_count(0)
        page.get_by_role("link", name="Account").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        fill(page, "ann", "another password")
        expect(page.locator(HISTORY)).to_have_count(1)


def test_signing_in_elsewhere_taking_all_of_it_away_and_deleting_the_account(
    browser: Browser, tmp_path: Path, axe: Path
) -> None:
    with (
        real_provider() as issuer,
        opened(
            tmp_path,
            MOOT_OIDC_ISSUER=issuer,
            MOOT_OIDC_CLIENT_ID="moot",
            MOOT_OIDC_CLIENT_SECRET="a-secret",
            MOOT_OIDC_NAME="Team login",
            MOOT_OIDC_PEOPLE="email=ann@example.org",
            MOOT_RETENTION_DAYS="90",
        ) as (address, first),
        visit(browser) as root,
        visit(browser) as ann,
    ):
        root.goto(first)
        fill(root, "Root")
        expect(root.get_by_role("link", name="Account", exact=True).first).to_be_visible()

        ann.goto(address)
        expect(ann.get_by_role("button", name="Sign in with Team login")).to_be_visible()
        look(ann, axe, "sign-in-elsewhere")
        elsewhere(ann, "max-4")
        expect(ann.get_by_role("alert")).to_contain_text("have no account here")
        look(ann, axe, "stranger")
        elsewhere(ann, "ann-1")
        ask(ann, address, "vote", "Tabs or spaces?")
        expect(ann.locator(HISTORY)).to_have_count(1)
        ann.goto(f"{address}/#/account")
        expect(ann.get_by_text("Your account is connected with Team login")).to_be_visible()
        expect(ann.get_by_text("90 days after their last question")).to_be_visible()
        with ann.expect_download() as download:
            ann.get_by_role("link", name="Download my data").click()
        archive = ZipFile(download.value.path())
        assert "Tabs or spaces?" in "".join(
            archive.read(name).decode() for name in archive.namelist() if name.endswith(".md")
        )
        ann.get_by_role("button", name="Delete my account…").click()
        look(ann, axe, "delete-account")

        # Somebody with a password connects it, and is let in by the other login from then on.
        root.goto(f"{address}/#/account")
        root.get_by_role("button", name="Connect with Team login").click()
        root.get_by_role("button", name="max-4").click()
        expect(root.get_by_text("Your account is connected with Team login")).to_be_visible()
        look(root, axe, "connected")

        ann.get_by_role("button", name="Delete my account for good").click()
        expect(ann.get_by_role("button", name="Sign in with Team login")).to_be_visible()
        elsewhere(ann, "ann-1")  # a new account, in which there is nothing
        expect(ann.get_by_role("link", name="Account", exact=True).first).to_be_visible()
        expect(ann.locator(HISTORY)).to_have_count(0)

        root.goto(f"{address}/#/administration")
        row = root.get_by_role("row").filter(has_text="Ann")
        row.get_by_role("button", name="Delete", exact=True).click()
        look(root, axe, "delete-person")
        root.get_by_role("button", name="Delete Ann and all their data").click()
        expect(root.get_by_role("row").filter(has_text="Ann")).to_have_count(0)
        expect(root.get_by_role("row").filter(has_text="people who were deleted")).to_be_visible()


def elsewhere(page: Page, sub: str) -> None:
    page.get_by_role("button", name="Sign in with Team login").click()
    page.get_by_role("button", name=sub).first.click()
