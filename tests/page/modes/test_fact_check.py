"""Fact check: a text whose claims were checked, one by one."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.conftest import FinishedRun, finish_runs
from tests.page.reader import open_run
from tests.page.scripted_runs import ScriptedRun

QUESTION = "Is tea better than coffee?"


CHECKED = (
    "🫖 Tea was drunk 4,700 years ago. 👩‍🔬 The first study appeared in 1962.\n\nהתה הראשון נשתה לפני 47 שנה."
)


@pytest.fixture(scope="module")
def runs(address: str) -> dict[str, FinishedRun]:
    wanted = {
        "fact_check": ScriptedRun("fact_check", QUESTION),
        "given": ScriptedRun("fact_check", QUESTION, {"contentToCheck": CHECKED}),
    }
    return finish_runs(address, wanted)


def in_view(place: Locator) -> None:
    expect(place).to_be_in_viewport()


def test_a_claim_marks_its_sentence_and_a_sentence_opens_its_claim(
    page: Page, runs: dict[str, FinishedRun]
) -> None:
    run = runs["fact_check"]
    open_run(page, run.url)
    claims = run.data("extract_complete")[0]["claims"]
    rows = page.locator(".claims > li")
    expect(rows).to_have_count(len(claims))
    rows.nth(1).locator("summary").click()
    expect(page.locator("mark.current")).to_have_text(claims[1]["quote"])
    in_view(page.locator("mark.current"))
    last = len(claims) - 1
    page.locator(".spot-name").nth(last).click()
    expect(page.locator("mark.current")).to_have_text(claims[last]["quote"])
    expect(rows.nth(last)).to_have_class("current")
    expect(rows.nth(last).locator("details")).to_have_attribute("open", "")
    in_view(rows.nth(last).locator("summary"))
    expect(rows.nth(last).locator("summary")).to_be_focused()


def test_every_checker_has_a_dot_at_every_claim_and_its_evidence_behind_it(
    page: Page, runs: dict[str, FinishedRun]
) -> None:
    run = runs["fact_check"]
    open_run(page, run.url)
    signs = {"VERIFIED": "✓", "DISPUTED": "✗", "UNVERIFIABLE": "?"}
    checkers = sorted(run.data("checker_complete"), key=lambda one: one["seat"])
    for place in range(len(run.data("extract_complete")[0]["claims"])):
        row = page.locator(".claims > li").nth(place)
        dots = row.locator(".dot [aria-hidden]:not(svg)").all_text_contents()
        assert dots == [signs[one["verifications"][place]["verdict"]] for one in checkers]
    row.locator("summary").click()
    expect(row.locator(".evidence")).to_have_count(len(checkers))
    expect(row.locator(".evidence").first).to_contain_text(checkers[0]["verifications"][place]["evidence"])


def test_the_ruler_shows_the_score_and_what_it_rests_on(page: Page, runs: dict[str, FinishedRun]) -> None:
    run = runs["fact_check"]
    open_run(page, run.url)
    report = run.data("report_complete")[0]
    gauge = page.locator(".answer .gauge")
    expect(gauge.locator(".gauge-figure")).to_have_text(f"{report['reliabilityScore']} of 100:")
    expect(gauge.locator(".gauge-name")).to_have_text(report["band"])
    decided = report["summary"]["verified"] + report["summary"]["disputed"]
    expect(gauge).to_contain_text(f"{decided} of {len(run.data('extract_complete')[0]['claims'])} claims")
    expect(page.locator(".picture")).to_contain_text("no sources were consulted")


def test_places_are_right_in_a_text_with_signs_beyond_sixteen_bits_and_from_right_to_left(
    page: Page, runs: dict[str, FinishedRun]
) -> None:
    run = runs["given"]
    open_run(page, run.url)
    placed = [one for one in run.data("extract_complete")[0]["claims"] if one["start"] is not None]
    assert len(placed) >= 2
    for claim in placed:
        page.locator(".claims > li", has_text=claim["claim"]).locator("summary").click()
        expect(page.locator("mark.current")).to_have_text(CHECKED[claim["start"] : claim["end"]])
    assert page.locator(".annotated").evaluate("text => text.dir") == "auto"
