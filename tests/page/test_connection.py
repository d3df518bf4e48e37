"""A server that goes away while somebody reads: the page says so, stays, and comes back by itself."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import server, simulated_server
from tests.page.reader import ask, photograph, wait_for_the_end

SILENCE = "The server isn’t responding"


def port_of(address: str) -> int:
    return urlsplit(address).port or 0


@pytest.mark.parametrize(
    ("place", "sign"),
    [
        ("#/insight", "1 run"),
        ("#/traces", "in the library"),
        ("#/", "Tea or coffee"),
    ],
)
def test_a_place_opened_while_the_server_is_down_fills_once_it_is_back(
    page: Page, tmp_path: Path, place: str, sign: str
) -> None:
    database = tmp_path / "moot.db"
    with server(simulated_server(database)) as (address, process):
        ask(page, address, "vote", "Tea or coffee?")
        wait_for_the_end(page)
        os.kill(process, signal.SIGKILL)
        page.evaluate("(place) => { location.hash = place }", place)
        if place == "#/":
            page.locator("#search").fill("tea")  # the form itself needs no server; the history does
        expect(page.get_by_role("status").filter(has_text=SILENCE)).to_be_visible()
        expect(page.locator("main")).not_to_be_empty()
        photograph(page, f"silent{place.replace('#/', '-')}")
    with server(simulated_server(database, port_of(address))):
        expect(page.get_by_role("status").filter(has_text=SILENCE)).to_have_count(0)
        expect(page.locator("body")).to_contain_text(sign)
        expect(page.locator(".history li")).to_have_count(1)


def test_a_run_opened_while_the_server_is_down_is_drawn_once_it_is_back(page: Page, tmp_path: Path) -> None:
    database = tmp_path / "moot.db"
    with server(simulated_server(database)) as (address, process):
        ask(page, address, "debate", "Tea or coffee?")
        wait_for_the_end(page)
        run = page.url
        page.goto(f"{address}/#/")
        page.reload()  # nothing of the run, nor of its picture, is left
        expect(page.locator(".history li")).to_have_count(1)
        os.kill(process, signal.SIGKILL)
        page.evaluate("(place) => { location.hash = place }", urlsplit(run).fragment)
        expect(page.get_by_role("status").filter(has_text=SILENCE)).to_be_visible()
        expect(page.locator("main")).not_to_be_empty()
    with server(simulated_server(database, port_of(address))):
        wait_for_the_end(page)
        expect(page.locator(".answer .prose")).not_to_be_empty()


def test_a_question_asked_while_the_server_is_down_can_be_asked_again(page: Page, tmp_path: Path) -> None:
    database = tmp_path / "moot.db"
    with server(simulated_server(database)) as (address, process):
        page.goto(f"{address}/#/")
        box = page.get_by_label("Your question")
        box.fill("Tea or coffee?")
        os.kill(process, signal.SIGKILL)
        box.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(SILENCE)
    with server(simulated_server(database, port_of(address))):
        expect(page.get_by_role("status").filter(has_text=SILENCE)).to_have_count(0)
        expect(box).to_have_value("Tea or coffee?")
        box.press("Enter")
        wait_for_the_end(page)


def test_a_part_of_the_page_that_breaks_leaves_the_rest_and_offers_a_reload(page: Page, address: str) -> None:
    page.route("**/assets/insight-*.js", lambda route: route.fulfill(status=404))
    page.goto(f"{address}/#/insight")
    expect(page.get_by_role("alert")).to_contain_text("Something went wrong on this page")
    photograph(page, "broken")
    page.unroute_all()
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("heading", name="Insight")).to_be_visible()


def test_every_place_starts_at_its_top_below_a_header_that_stays(page: Page, address: str) -> None:
    ask(page, address, "debate")
    wait_for_the_end(page)
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    assert page.evaluate("window.scrollY") > 300
    expect(page.get_by_role("link", name="Insight", exact=True)).to_be_in_viewport()
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_be_in_viewport()
    assert page.evaluate("window.scrollY") == 0
    ask(page, address, "vote")
    wait_for_the_end(page)
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.locator(".history li a").nth(1).click()
    expect(page.locator(".heading .note")).to_contain_text("Debate")
    assert page.evaluate("window.scrollY") == 0
