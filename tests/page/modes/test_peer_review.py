"""Peer review: scores, findings in the work, and what to do about them."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run
from tests.page.scripted_works import WORK


def test_a_quotation_is_shown_in_the_work_and_an_invented_one_is_called_so(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["peer_review"].url)
    expect(page.locator(".quote.unfound")).to_have_count(1)
    expect(page.locator(".quote.unfound")).to_contain_text("an alarm rings at all times quote not found")
    page.get_by_role("button", name=re.compile("primary host. If it$")).click()
    # The other quotation lies within this one: they share a piece, and each is named where it ends.
    expect(page.locator("mark.current")).to_have_text(
        ["The cache is one process", "on the primary host. If it"]
    )
    expect(page.locator("mark.current").first).to_be_in_viewport()
    assert page.locator(".spot-name").all_text_contents() == ["R2-F1", "R1-F1"]
    page.locator(".spot-name").first.click()
    expect(page.locator("mark.current")).to_have_text("The cache is one process")
    expect(page.locator(".issue.current")).to_contain_text("A single process")
    assert (page.locator(".annotated").text_content() or "").replace("R2-F1", "").replace("R1-F1", "") == WORK


def test_scores_stand_by_reviewer_disputes_are_framed_and_an_empty_chair_stays_in_sight(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["peer_review"].url)
    rows = page.locator(".heats tbody tr")
    assert rows.nth(1).locator(".heat").all_text_contents() == ["2", "5"]
    expect(rows.nth(1)).to_have_class("disputed")
    expect(page.locator("tr.disputed")).to_have_count(1)
    expect(page.locator(".absent")).to_contain_text(re.compile("account is out of credit"))
    expect(page.locator(".measures")).to_contain_text("1 of 2 issues")
    shared = page.locator(".issue", has_text="A single process")
    expect(shared.locator(".issue-by .sign")).to_have_count(2)
    expect(shared).to_contain_text("found by 2")


def test_actions_are_ticked_off_and_stay_so(page: Page, finished: dict[str, FinishedRun]) -> None:
    open_run(page, finished["peer_review"].url)
    boxes = page.locator(".actions input")
    expect(boxes).to_have_count(2)
    expect(page.locator(".actions li", has_text="No alarm")).to_contain_text("verify first")
    boxes.first.check()
    page.reload()
    expect(boxes.first).to_be_checked()
    expect(page.get_by_text("1 of 2 actions done")).to_be_visible()
