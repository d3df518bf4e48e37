"""Specialist panel: who stands behind what, and each expert with its card."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section
from tests.page.scripted_runs import LONG


def test_the_panel_s_matrix_shows_who_stands_behind_what_and_why(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    picture = open_run(page, finished["specialist_panel"].url)
    expect(page.locator(".answer .prose")).to_have_text("It works, but not for long.")
    matrix = section(picture, "Who backs what").locator(".matrix")
    cells = {
        row.locator(".finding-id").inner_text(): row.locator("td").all_inner_texts()
        for row in matrix.locator("tbody tr").all()
    }
    assert cells == {
        "S1.1": ["its own", "✓ supports", "✓+ extends"],
        "S1.2": ["its own", "· silent", "· silent"],
        "S2.1": ["✓ supports", "its own", "· silent"],
        "S3.1": ["· silent", "✗ challenges", "its own"],
    }
    contested = matrix.locator("tbody tr").last
    expect(contested.locator(".standing")).to_have_text("contested")
    contested.locator("summary").press("Enter")
    expect(contested).to_contain_text("not this year")


def test_each_expert_has_a_card_and_a_missing_role_an_empty_chair(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    experts = section(open_run(page, finished["specialist_panel"].url), "Each expert")
    security = experts.locator(".expert").first
    expect(security.locator(".bars li", has_text="Data Protection")).to_contain_text("4.0 → 2.0")
    expect(security.locator(".bars li", has_text="Attack Surface")).to_contain_text("–")
    expect(security.locator(".top-three li")).to_have_count(3)
    expect(experts.locator(".empty-chair")).to_contain_text("UX Designer")
    expect(experts.locator(".empty-chair")).to_contain_text("No report: it was rejected")
    radar = experts.locator(".radar").get_by_role("img").get_attribute("aria-label")
    assert (
        radar
        == "Average rating of each seat, of 5: Security Expert 2.3, Scalability Architect 3.4, Cost Analyst 2.6"
    )
    expect(experts.locator(".expert", has_text=LONG)).to_be_visible()
