"""What a person does with the page: watch, stop, come back, ask on, find again, put in order."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from moot.testing.process import ModelServerProcess
from tests.page.conftest import SERVE, server, simulated_server
from tests.page.reader import ask, settled_html, wait_for_the_end


def test_every_seat_speaks_in_its_own_column_and_leaves_the_floor_to_the_answer(
    page: Page, tmp_path: Path
) -> None:
    with server(simulated_server(tmp_path / "moot.db", speed=4)) as (address, _):
        ask(page, address, "debate")
        columns = page.locator(".column-live")
        expect(columns).to_have_count(3)
        expect(columns.nth(0).locator(".prose")).to_contain_text("Simulated")
        expect(page.locator(".rail .now")).to_contain_text("First answers")
        wait_for_the_end(page)
        expect(columns).to_have_count(0)
        expect(page.locator(".rail")).to_contain_text(re.compile(r"10 calls · [\d,]+ tokens · \$0"))


def test_two_tabs_show_the_same(context: BrowserContext, tmp_path: Path) -> None:
    with server(simulated_server(tmp_path / "moot.db", speed=4)) as (address, _):
        one, other = context.new_page(), context.new_page()
        ask(one, address, "vote")
        other.goto(one.url)
        for page in (one, other):
            wait_for_the_end(page)
        assert settled_html(one) == settled_html(other)


def test_a_run_that_is_stopped_says_so_and_can_be_tried_again(page: Page, tmp_path: Path) -> None:
    with server(simulated_server(tmp_path / "moot.db", speed=2)) as (address, _):
        ask(page, address, "council")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("alert")).to_contain_text("Stopped")
        expect(page.get_by_role("navigation", name="History").locator("li")).to_contain_text("Stopped")
        stopped = settled_html(page)
        page.reload()
        wait_for_the_end(page)
        assert settled_html(page) == stopped
        page.get_by_role("button", name="Retry missing calls").click()
        expect(page.locator(".column-live").first).to_be_visible()
        wait_for_the_end(page)
        expect(page.locator(".answer .prose")).not_to_be_empty()


def test_who_reloads_within_a_stage_still_reads_what_is_said_in_it(page: Page, tmp_path: Path) -> None:
    silent = {model: [{"hang": True}] for model in ("google/gemini-2.5-pro", "perplexity/sonar-pro")}
    with ModelServerProcess({"models": silent, "default": "Tea calms the mind."}) as models:
        around = {**models.environment, "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}"}
        with server(SERVE, around) as (address, _):
            ask(page, address, "council")
            said = page.locator(
                ".column-live", has_text=re.compile("done in.*Tea calms the mind.", re.DOTALL)
            )
            expect(said).to_have_count(2)
            before = [column.inner_text() for column in page.locator(".column-live").all()]
            page.reload()
            expect(said).to_have_count(2)
            after = [column.inner_text() for column in page.locator(".column-live").all()]
            assert [without_times(one) for one in after] == [without_times(one) for one in before]
            page.get_by_role("button", name="Stop").click()
            wait_for_the_end(page)


def test_more_deliberations_are_watched_in_turn_than_a_browser_has_connections(
    page: Page, tmp_path: Path
) -> None:
    with ModelServerProcess({"default": "Tea.", "hold_after": 0}) as models:
        around = {**models.environment, "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}"}
        with server(SERVE, around) as (address, _):
            ask(page, address, "council", "The first question")
            first = page.url
            for place in range(8):
                ask(page, address, "council", f"Question {place}")
            models.release()
            models.script({"default": "Tea.\n\nFINAL RANKING:\n1. Response A\n2. Response B"})
            page.goto(first)
            wait_for_the_end(page)
            expect(page.locator(".turn .question")).to_have_text("The first question")


def without_times(text: str) -> str:
    return re.sub(r"[\d.]+ s\b", "", text)


@pytest.mark.parametrize(
    ("mode", "sign"),
    [
        ("vote", ".column-live .prose"),
        ("debate", ".rail :text('Votes')"),
        ("tournament", ".picture .part"),
        ("decompose", ".picture .part"),
        ("dialectic", ".picture .part"),
    ],
)
def test_a_server_that_dies_and_comes_back_loses_the_reader_nothing(
    page: Page, tmp_path: Path, mode: str, sign: str
) -> None:
    database = tmp_path / "moot.db"
    with server(simulated_server(database, speed=4)) as (address, process):
        ask(page, address, mode)
        expect(page.locator(sign).first).to_be_visible()
        os.kill(process, signal.SIGKILL)
        expect(page.locator(".connection")).to_contain_text("The server isn’t responding")
    with server(simulated_server(database, urlsplit(address).port or 0)):
        wait_for_the_end(page)
        expect(page.locator(".answer .prose")).not_to_be_empty()
        live = settled_html(page)
        page.reload()
        wait_for_the_end(page)
        assert settled_html(page) == live


def test_one_asks_on_where_the_mode_allows_it(page: Page, address: str) -> None:
    ask(page, address, "vote")
    wait_for_the_end(page)
    page.get_by_label("Follow-up question").fill("And for short nights?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    wait_for_the_end(page)
    expect(page.locator(".turn .question").last).to_have_text("And for short nights?")
    expect(page.locator(".turn[data-ended=true] .answer")).to_have_count(2)


def test_history_is_searched_renamed_and_a_deletion_undone(page: Page, tmp_path: Path) -> None:
    with server(simulated_server(tmp_path / "moot.db")) as (address, _):
        page.goto(f"{address}/#/")
        expect(page.locator(".history .empty")).to_contain_text("No questions yet")
        ask(page, address, "vote", "Cats or dogs?")
        wait_for_the_end(page)
        page.locator(".history li").hover()
        page.get_by_role("button", name=re.compile("^Rename")).click()
        page.get_by_label("New title").fill("Animals of the house")
        page.keyboard.press("Enter")
        entry = page.get_by_role("link", name="Animals of the house")
        expect(entry).to_be_visible()
        page.locator("main").focus()
        page.keyboard.press("/")
        page.keyboard.type("unheard-of")
        expect(page.locator(".history .empty")).to_contain_text("No matches")
        page.locator("#search").fill("animals")
        expect(entry).to_be_visible()
        page.get_by_label("Mode", exact=True).select_option("debate")
        expect(entry).to_have_count(0)
        page.get_by_label("Mode", exact=True).select_option("")
        entry.hover()
        page.get_by_role("button", name=re.compile("^Delete")).click()
        expect(entry).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(entry).to_be_visible()


def test_a_conversation_is_taken_away_as_one_file_that_needs_no_server(
    page: Page, context: BrowserContext, address: str, tmp_path: Path
) -> None:
    ask(page, address, "debate")
    wait_for_the_end(page)
    settled_html(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Web page").click()
    file = tmp_path / "kept.html"
    download.value.save_as(file)
    context.set_offline(True)
    kept = context.new_page()
    asked: list[str] = []
    kept.on("request", lambda request: asked.append(request.url))
    kept.goto(f"file://{file}")
    expect(kept.locator(".answer .prose")).not_to_be_empty()
    expect(kept.locator(".heading .note")).to_have_text("Debate")
    for stage in kept.locator("details.stage:not([open]) > summary").all():
        stage.click()
    kept.locator(".picture details.fold > summary").last.click()
    expect(kept.locator(".picture details .prose").last).to_be_visible()
    assert asked == [f"file://{file}"]


def test_shift_enter_starts_a_line_and_an_empty_question_is_not_sent(page: Page, address: str) -> None:
    page.goto(f"{address}/#/")
    box = page.get_by_label("Your question")
    box.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Type a question first.")
    page.keyboard.type("One")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Two")
    expect(box).to_have_value("One\nTwo")


def test_the_form_sends_what_was_changed_and_the_server_s_words_come_back(page: Page, address: str) -> None:
    page.goto(f"{address}/#/")
    page.locator("input[name=mode][value=debate]").check()
    page.get_by_role("button", name="Add a seat").click()
    page.keyboard.type("sim/ada")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Debaters 4", exact=True)).to_have_value("sim/ada")
    page.get_by_text("Rules").click()
    page.get_by_label("Timeout").fill("5")
    page.get_by_label("Your question").fill("Is tea better than coffee?")
    page.get_by_label("Your question").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("timeoutMs must be between")
    page.get_by_label("Timeout").fill("60000")
    page.get_by_role("button", name="Ask in Debate").click()
    wait_for_the_end(page)
    expect(page.locator(".picture .card")).to_have_count(4)
