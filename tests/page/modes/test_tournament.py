"""Tournament: the bracket and its matches."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run


def test_a_bracket_of_five_has_four_matches_three_byes_and_one_who_never_came(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["tournament"].url)
    bracket = page.locator(".bracket")
    expect(bracket.locator("button.game")).to_have_count(4)
    expect(bracket.locator(".game.bye")).to_have_count(3)
    expect(bracket.locator(".path.won")).to_have_count(7)
    expect(bracket.locator(".game-marks", has_text="⇄ split")).to_have_count(4)
    expect(bracket.locator(".champion")).to_contain_text("ann")
    expect(page.locator(".answer .reason")).to_have_text(
        "It had a bye in round 1, beat dan in round 2 and beat bob in the final."
    )
    expect(page.locator(".picture .absent")).to_contain_text("fay")
    expect(page.locator(".gauge")).to_contain_text("the order decides the verdict")


def test_a_match_shows_both_answers_and_both_verdicts_on_demand(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["tournament"].url)
    final = page.locator("button.game").last
    final.focus()
    page.keyboard.press("Enter")
    near = page.locator(".duel-near")
    expect(near).to_contain_text("The answer of ann.")
    expect(near).to_contain_text("The answer of bob.")
    expect(near.locator(".verdicts li")).to_have_text(
        [re.compile("ann read first: ann 8.0 : 6.0"), re.compile("bob read first: bob 6.0 : 8.0")]
    )
    expect(near).to_contain_text("by seed")
    expect(final).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(near).to_have_count(0)


def test_a_bracket_is_taken_away_in_one_file_with_all_its_matches(
    page: Page, finished: dict[str, FinishedRun], tmp_path: Path
) -> None:
    open_run(page, finished["tournament"].url)
    with page.expect_download() as download:
        page.get_by_role("button", name="Web page").click()
    download.value.save_as(file := tmp_path / "kept.html")
    page.goto(f"file://{file}")
    expect(page.locator(".bracket .game")).to_have_count(7)
    expect(page.locator(".bracket .game").last).to_contain_text("ann")
    page.get_by_text("All matches, and what the judge said").click()
    expect(page.locator(".duel-near").last).to_contain_text("The first is firmer.")
