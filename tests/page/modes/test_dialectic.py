"""Dialectic: the rounds between two lanes, every issue, and a rating."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run


def test_rounds_stand_between_two_lanes_and_every_issue_is_followed_to_its_end(
    page: Page, dialectics: dict[str, FinishedRun]
) -> None:
    run = dialectics["cats"]
    open_run(page, run.url)
    ended = run.data("synthesis_start")[0]
    expect(page.locator(".timeline > li")).to_have_count(ended["totalRounds"])
    assert page.locator(".bead").all_text_contents() == [
        f"Round {round}" for round in range(1, ended["totalRounds"] + 1)
    ]
    rows = page.locator(".ledger tbody tr")
    expect(rows).to_have_count(len(ended["ledger"]))
    words = {"resolved": "✓ resolved", "partial": "± partly", "unresolved": "✗ open", "raised": "● raised"}
    for place, issue in enumerate(ended["ledger"]):
        expect(rows.nth(place)).to_contain_text(issue["title"])
        expect(rows.nth(place).locator("td").last).to_have_text(words[issue["status"]])
    open_issues = [sum(one["openIssues"].values()) for one in run.data("round_complete")]
    drawn = page.locator(".burn-down svg").get_attribute("aria-label") or ""
    counted = re.findall(r"(\d+) critical, (\d+) major, (\d+) minor open", drawn)
    assert [sum(map(int, one)) for one in counted] == open_issues
    if ended["totalRounds"] > 1:
        page.get_by_text("Changes since then").first.click()
        expect(page.locator(".diff").first).to_be_visible()


def test_a_rating_with_its_note_is_kept_changed_and_taken_back(
    page: Page, dialectics: dict[str, FinishedRun]
) -> None:
    open_run(page, dialectics["cats"].url)
    scale = page.get_by_role("group", name="How good is this answer?")
    scale.get_by_label("9", exact=True).check()
    page.get_by_label("Note").fill("It weighs the garden.")
    page.get_by_role("button", name="Rate", exact=True).click()
    rated = page.locator(".rated")
    expect(rated).to_contain_text("9 of 10")
    page.reload()
    expect(rated).to_contain_text("9 of 10")
    expect(rated).to_contain_text("It weighs the garden.")
    expect(page.get_by_text("good enough for training")).to_be_visible()
    scale.get_by_label("3", exact=True).check()
    page.get_by_role("button", name="Change").click()
    expect(rated).to_contain_text("3 of 10")
    expect(page.get_by_text("its quality is below 8")).to_be_visible()
    page.get_by_role("button", name="Remove rating").click()
    expect(rated).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Rate", exact=True)).to_be_disabled()
    expect(rated).to_have_count(0)
