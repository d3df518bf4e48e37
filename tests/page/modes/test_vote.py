"""Vote: where the votes fell, and why."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, photograph, section


def test_votes_stand_where_they_fell_under_the_names_of_who_wrote_what(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    vote = section(open_run(page, finished["vote"].url), "The vote")
    rows = vote.locator(".ballot li")
    expect(rows).to_have_count(5)
    mine = rows.filter(has=page.locator(".ballot-label", has_text="ann"))
    expect(mine.locator(".cast")).to_have_text(["bob"])
    expect(mine).to_contain_text("1 vote")
    expect(mine).to_contain_text("winner")
    tied = rows.filter(has=page.locator(".ballot-label", has_text="bob"))
    expect(tied.locator(".cast")).to_have_text(["ann"])
    expect(tied).to_contain_text("tied")
    expect(rows.filter(has_text="Could not be read").locator(".cast")).to_have_text(["cyd"])
    photograph(page, "vote-named")

    page.get_by_role("button", name="Hide who wrote what").press("Enter")
    assert not any("ann" in label for label in vote.locator(".ballot-label").all_inner_texts())


def test_a_vote_unfolds_to_its_reasons_and_an_empty_chair_says_why(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    picture = open_run(page, finished["vote"].url)
    vote = section(picture, "The vote")
    vote.locator("summary", has_text="cyd").press("Enter")
    expect(vote).to_contain_text("Nobody deserves it.")
    expect(vote.locator(".absent")).to_contain_text("no vote: was rejected: the account is out of credit")
    tiebreak = section(picture, "The tiebreak")
    expect(tiebreak.locator(".callout")).to_contain_text("eve chairman")
    expect(tiebreak.locator(".callout")).to_contain_text(re.compile(r"chose\s*\w+ Response [A-D] from \w+"))
    expect(page.locator(".answer .byline")).to_contain_text("Tie, broken by the chairman: ann")


def test_votes_for_equal_answers_are_counted_together_and_it_is_said(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    vote = section(open_run(page, finished["pooled"].url), "The vote")
    expect(page.locator(".answer .byline")).to_contain_text(
        "with 3 of 3 votes, for 2 answers that say the same"
    )
    expect(vote.locator(".ballot li", has_text="winner")).to_contain_text("2 votes")
    expect(vote.locator(".ballot li", has_text="says the same")).to_contain_text("1 vote")
    photograph(page, "vote-pooled")
