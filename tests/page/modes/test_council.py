"""Council: where every evaluator put each answer."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section, unfold
from tests.page.scripted_runs import HEBREW, LONG


def test_the_council_s_ranking_shows_every_evaluator_s_place(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    picture = open_run(page, finished["council"].url)
    ranked = section(picture, "How they ranked each other")
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

    answers = section(picture, "What each answered")
    expect(answers.locator(".absent")).to_contain_text("dan seat 4")
    unfold(page)
    hebrew = answers.locator(".prose", has_text=HEBREW)
    assert hebrew.evaluate("text => getComputedStyle(text).direction") == "rtl"
