"""Texts that are read closely: one whose claims were checked, and a document of many hands."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.conftest import Finished, finish
from tests.page.reader import opened
from tests.page.scripted_runs import ScriptedRun

QUESTION = "Is tea better than coffee?"
CHECKED = (
    "🫖 Tea was drunk 4,700 years ago. 👩‍🔬 The first study appeared in 1962.\n\nהתה הראשון נשתה לפני 47 שנה."
)


@pytest.fixture(scope="module")
def runs(address: str) -> dict[str, Finished]:
    wanted = {
        "fact_check": ScriptedRun("fact_check", QUESTION),
        "given": ScriptedRun("fact_check", QUESTION, {"contentToCheck": CHECKED}),
        "blueprint": ScriptedRun("blueprint", QUESTION, {"authorModels": ["sim/ada", "sim/cleo"]}),
        "gaps": ScriptedRun(
            "blueprint", QUESTION, {"authorModels": ["sim/ada", "sim/bo:fail=1", "sim/dov:fail=1"]}
        ),
    }
    return finish(address, wanted)


def in_view(place: Locator) -> None:
    expect(place).to_be_in_viewport()


def test_a_claim_marks_its_sentence_and_a_sentence_opens_its_claim(
    page: Page, runs: dict[str, Finished]
) -> None:
    run = runs["fact_check"]
    opened(page, run.place)
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
    page: Page, runs: dict[str, Finished]
) -> None:
    run = runs["fact_check"]
    opened(page, run.place)
    signs = {"VERIFIED": "✓", "DISPUTED": "✗", "UNVERIFIABLE": "?"}
    checkers = sorted(run.data("checker_complete"), key=lambda one: one["seat"])
    for place in range(len(run.data("extract_complete")[0]["claims"])):
        row = page.locator(".claims > li").nth(place)
        dots = row.locator(".dot [aria-hidden]:not(svg)").all_text_contents()
        assert dots == [signs[one["verifications"][place]["verdict"]] for one in checkers]
    row.locator("summary").click()
    expect(row.locator(".evidence")).to_have_count(len(checkers))
    expect(row.locator(".evidence").first).to_contain_text(checkers[0]["verifications"][place]["evidence"])


def test_the_ruler_shows_the_score_and_what_it_rests_on(page: Page, runs: dict[str, Finished]) -> None:
    run = runs["fact_check"]
    opened(page, run.place)
    report = run.data("report_complete")[0]
    gauge = page.locator(".answer .gauge")
    expect(gauge.locator(".gauge-figure")).to_have_text(str(report["reliabilityScore"]))
    expect(gauge.locator(".gauge-name")).to_have_text(report["band"])
    decided = report["summary"]["verified"] + report["summary"]["disputed"]
    expect(gauge).to_contain_text(f"{decided} of {len(run.data('extract_complete')[0]['claims'])} claims")
    expect(page.locator(".picture")).to_contain_text("no sources were consulted")


def test_places_are_right_in_a_text_with_signs_beyond_sixteen_bits_and_from_right_to_left(
    page: Page, runs: dict[str, Finished]
) -> None:
    run = runs["given"]
    opened(page, run.place)
    placed = [one for one in run.data("extract_complete")[0]["claims"] if one["start"] is not None]
    assert len(placed) >= 2
    for claim in placed:
        page.locator(".claims > li", has_text=claim["claim"]).locator("summary").click()
        expect(page.locator("mark.current")).to_have_text(CHECKED[claim["start"] : claim["end"]])
    assert page.locator(".annotated").evaluate("text => text.dir") == "auto"


def test_contents_lead_through_the_document_and_its_authors_can_be_seen(
    page: Page, runs: dict[str, Finished]
) -> None:
    run = runs["blueprint"]
    opened(page, run.place)
    planned = run.data("outline_complete")[0]["sections"]
    contents = page.locator(".contents li button")
    names = [f"{one['number']}. {one['title']}" for one in planned]
    shown = contents.all_text_contents()
    assert [name for name in shown if name[0].isdigit()] == names
    contents.filter(has_text=names[-1]).click()
    heading = page.locator(".chapter h3", has_text=names[-1])
    in_view(heading)
    expect(heading).to_be_focused()
    in_view(page.locator(".contents"))  # it floats
    expect(page.locator(".author")).to_have_count(0)
    page.get_by_role("button", name="Show authors").click()
    writers = {one["sectionNumber"]: one for one in run.data("section_complete")}
    expect(page.locator(".author")).to_have_count(len(writers))
    for one in planned:
        chapter = page.locator(
            ".chapter", has=page.locator("h3", has_text=f"{one['number']}. {one['title']}")
        )
        expect(chapter).to_have_class(re.compile(rf"\bseat-{writers[one['number']]['seat']}\b"))
    with page.expect_download() as download:
        page.locator(".contents").get_by_role("button", name="Download").click()
    assert download.value.path().read_text("utf-8") == run.data("assembly_complete")[0]["document"]


def test_the_plan_keeps_the_place_of_a_section_that_nobody_wrote(
    page: Page, runs: dict[str, Finished]
) -> None:
    run = runs["gaps"]
    opened(page, run.place)
    heard = run.data("all_sections_complete")[0]
    assert heard["failedSections"]
    expect(page.locator(".tree li")).to_have_count(run.data("outline_complete")[0]["totalSections"])
    expect(page.locator(".tree li.filled")).to_have_count(heard["totalSucceeded"])
    expect(page.locator(".tree li.missing")).to_have_count(heard["totalFailed"])
    expect(page.locator(".tree li.missing").first).to_contain_text("not written")
    expect(page.locator(".chapter.missing .todo").first).to_contain_text("was not written")
