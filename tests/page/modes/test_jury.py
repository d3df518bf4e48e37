"""Jury: the verdict, the jurors on its sides, and their scores."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section, settled_html, start_run, wait_for_the_end
from tests.page.scripted_runs import SLOW_JURY


def test_the_verdict_stands_above_the_report_with_the_jurors_on_its_sides(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["jury"].url)
    bench = page.locator(".answer .bench")
    expect(bench.locator(".ruling")).to_have_text(
        "REVISE by the tie rule; the foreman would have said approve"
    )
    sides = {
        side.locator("dt").inner_text(): side.locator("dd").inner_text()
        for side in bench.locator(".side-of").all()
    }
    assert {name: jurors.split() for name, jurors in sides.items()} == {
        "approve 2": ["ann", "cyd"],
        "revise 2": ["bob", "dan"],
        "reject 0": [],
        "no vote 1": ["eve"],
    }
    expect(bench.locator(".chosen dt")).to_have_text("revise 2")


def test_scores_are_drawn_as_given_and_a_missing_one_as_a_gap(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    picture = open_run(page, finished["jury"].url)
    scores = section(picture, "The jury's scores")
    accuracy, *_, relevance, _ = scores.locator(".spreads li").all()
    said = accuracy.get_by_role("img").get_attribute("aria-label")
    assert said == "5 to 9, mean 7.0: ann 9, bob 5, cyd 6, dan 8"
    expect(accuracy).to_contain_text("Disagreement")
    expect(relevance).to_contain_text("Strong agreement")
    assert "cyd" not in (relevance.get_by_role("img").get_attribute("aria-label") or "")
    expect(scores.locator(".radar .juror .web")).to_have_count(4)
    expect(scores.locator(".radar .juror .broken")).to_have_count(1)
    expect(scores.locator(".radar .mean .broken")).to_have_count(0)

    cards = section(picture, "Each juror").locator(".juror-card")
    expect(cards.nth(1)).to_contain_text("1.5 stricter than the panel")
    expect(cards.nth(2)).to_contain_text("Its vote and the mean of its scores disagree")
    expect(cards.nth(4)).to_contain_text("No assessment: it was rejected: the account is out of credit.")


def test_a_juror_takes_its_place_as_soon_as_it_has_spoken(page: Page, scripted: str) -> None:
    start_run(page, scripted, SLOW_JURY)
    expect(page.locator(".picture .juror-card")).to_have_count(2)
    expect(page.locator(".picture .bench dd .sign:not(.hollow)")).to_have_count(2)
    expect(page.locator(".picture .bench .side-of", has_text="still out").locator("dd")).to_have_text(
        "seat 3"
    )
    expect(page.locator(".picture .bench .ruling")).to_have_count(0)
    expect(page.locator(".picture .radar .juror")).to_have_count(2)
    expect(page.locator(".picture .radar .mean")).to_have_count(0)
    wait_for_the_end(page)
    expect(page.locator(".answer .bench .ruling")).to_contain_text("REVISE")
    live = settled_html(page)
    page.reload()
    wait_for_the_end(page)
    assert settled_html(page) == live
