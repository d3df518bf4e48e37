"""Debate: who changed what, and moved by whom."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section
from tests.page.scripted_runs import LONG


def test_where_no_vote_counts_the_page_says_so(page: Page, finished: dict[str, FinishedRun]) -> None:
    vote = section(open_run(page, finished["no votes"].url), "The vote on the revised answers")
    expect(vote).to_contain_text("No vote could be counted.")
    expect(vote.locator(".ballot-figure")).to_have_text(["0 votes", "0 votes", "0 votes", "3 votes"])
    expect(vote.locator(".badge")).to_have_count(0)


def test_a_debate_shows_who_changed_what_and_moved_by_whom(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    changed = section(open_run(page, finished["debate"].url), "Who changed their mind")
    summary = "1 revised · 1 merged · 1 stood · 1 without a decision"
    expect(changed.locator(".stack figcaption")).to_have_text(summary)
    expect(changed.locator(".card .badge")).to_have_text(["REVISED", "STOOD", "MERGED", "NO DECISION"])
    expect(changed.locator(".word-change")).to_have_text(
        ["+4 words", "same length", "+5 words", "same length"]
    )

    ann = changed.locator(".card").first
    ann.locator("summary", has_text="Changes").click()
    assert ann.locator(".diff del").first.inner_text() == "Green"
    assert ann.locator(".diff ins").first.inner_text() == "Black"

    influence = changed.get_by_role("img", name="Influence:")
    moved = influence.get_attribute("aria-label") or ""
    assert moved.count("persuaded ann in seat 1") == 3, "all but her own"
    expect(influence.locator(".flow-line")).to_have_count(3)
    expect(changed.get_by_role("list", name="Who persuaded whom").locator("li")).to_have_count(3)

    silent = changed.locator(".card").last
    expect(silent).to_contain_text(LONG)
    expect(silent).to_contain_text("It was rejected: the account is out of credit; its first answer stands.")
    expect(page.locator(".answer .byline")).to_contain_text("Winner: ann")
    expect(page.locator(".answer .byline .badge-revised")).to_have_text("REVISED")
