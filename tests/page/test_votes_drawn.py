"""Council, vote and debate: what a reader sees of who preferred what, and who was moved by whom."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import Finished
from tests.page.reader import opened, part, photograph, unfold
from tests.page.scripted_runs import HEBREW, LONG


def test_votes_stand_where_they_fell_and_names_are_told_on_demand(
    page: Page, finished: dict[str, Finished]
) -> None:
    vote = part(opened(page, finished["vote"].place), "The vote")
    rows = vote.locator(".ballot li")
    expect(rows).to_have_count(5)
    assert not any("ann" in label for label in vote.locator(".ballot-label").all_inner_texts())

    page.get_by_role("button", name="Show who wrote what").press("Enter")
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
    page: Page, finished: dict[str, Finished]
) -> None:
    picture = opened(page, finished["vote"].place)
    vote = part(picture, "The vote")
    vote.locator("summary", has_text="cyd").press("Enter")
    expect(vote).to_contain_text("Nobody deserves it.")
    expect(vote.locator(".absent")).to_contain_text("no vote: was refused: the account has no credit left")
    tiebreak = part(picture, "The tiebreak")
    expect(tiebreak.locator(".callout")).to_contain_text("eve chairman")
    expect(tiebreak.locator(".callout")).to_contain_text("chose Response")
    expect(page.locator(".answer .byline")).to_contain_text("Winner: ann")


def test_where_no_vote_counts_the_page_says_so(page: Page, finished: dict[str, Finished]) -> None:
    vote = part(opened(page, finished["no votes"].place), "The vote on what they then said")
    expect(vote).to_contain_text("No vote could be counted.")
    expect(vote.locator(".ballot-figure")).to_have_text(["0 votes", "0 votes", "0 votes", "3 votes"])
    expect(vote.locator(".badge")).to_have_count(0)


def test_a_debate_shows_who_changed_what_and_moved_by_whom(page: Page, finished: dict[str, Finished]) -> None:
    changed = part(opened(page, finished["debate"].place), "Who changed their mind")
    summary = "1 revised · 1 merged · 1 stood · 1 without a decision"
    expect(changed.locator(".stack figcaption")).to_have_text(summary)
    expect(changed.locator(".card .badge")).to_have_text(["REVISED", "STOOD", "MERGED", "NO DECISION"])
    expect(changed.locator(".word-change")).to_have_text(
        ["+4 words", "same length", "+5 words", "same length"]
    )

    ann = changed.locator(".card").first
    ann.locator("summary", has_text="What changed").click()
    assert ann.locator(".diff del").first.inner_text() == "Green"
    assert ann.locator(".diff ins").first.inner_text() == "Black"

    influence = changed.get_by_role("img", name="Influence:")
    moved = influence.get_attribute("aria-label") or ""
    assert moved.count("moved ann in seat 1") == 3, "all but her own"
    expect(influence.locator(".flow-line")).to_have_count(3)

    silent = changed.locator(".card").last
    expect(silent).to_contain_text(LONG)
    expect(silent).to_contain_text("It was refused: the account has no credit left; its first answer stands.")
    expect(page.locator(".answer .byline")).to_contain_text("Winner: ann")
    expect(page.locator(".answer .byline .badge-revised")).to_have_text("REVISED")


def test_the_council_s_ranking_shows_every_evaluator_s_place(
    page: Page, finished: dict[str, Finished]
) -> None:
    picture = opened(page, finished["council"].place)
    ranked = part(picture, "How they ranked each other")
    expect(ranked.locator("tbody .model")).to_have_text([LONG, "bob", "ann"])
    expect(ranked.locator("tbody td:last-child")).to_contain_text(["1.50", "2.00", "2.50"])
    said = [drawing.get_attribute("aria-label") for drawing in ranked.get_by_role("img").all()]
    assert said == [
        "ann place 1, bob place 2",
        "ann place 3, bob place 1 (its own)",
        "ann place 2 (its own), bob place 3",
    ]
    signs = ranked.locator("tbody tr").first.locator(".sign-shape")
    at = [box["x"] for box in (sign.bounding_box() for sign in signs.all()) if box]
    assert at == sorted(at), "ann's place is before bob's"
    expect(ranked).to_contain_text("no ranking could be read")

    answers = part(picture, "What each answered")
    expect(answers.locator(".absent")).to_contain_text("dan seat 4")
    unfold(page)
    hebrew = answers.locator(".prose", has_text=HEBREW)
    assert hebrew.evaluate("text => getComputedStyle(text).direction") == "rtl"
