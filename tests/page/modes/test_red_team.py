"""Red team: every finding from the attack to the ruling."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section


def test_the_flow_leads_every_issue_from_its_severity_to_its_ruling(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    found = section(open_run(page, finished["red_team"].url), "Issues and how they were resolved")
    flow = found.locator(".issue-flow").get_by_role("img")
    assert flow.get_attribute("aria-label") == (
        "4 issues. Weak key: critical, then accepted, then fixed; "
        "Unread logs: high, then rebutted, then open; "
        "No limit: medium, then unaddressed, then open; "
        "No date: low, then accepted, then dismissed."
    )
    expect(flow.locator(".stream")).to_have_count(8)
    expect(flow.locator("g text")).to_have_text(
        [
            "critical 1",
            "high 1",
            "medium 1",
            "low 1",
            "accepted 2",
            "rebutted 1",
            "unaddressed 1",
            "fixed 1",
            "dismissed 1",
            "open 2",
        ]
    )
    expect(found.locator(".stack figcaption")).to_have_text(
        ["1 critical found · 1 high found · 1 medium found · 1 low found", "1 high left · 1 medium left"]
    )
    assert finished["red_team"].data("synthesize_complete")[0]["totalFindings"] == 4


def test_attack_ruling_and_defence_stand_side_by_side(page: Page, finished: dict[str, FinishedRun]) -> None:
    picture = open_run(page, finished["red_team"].url)
    expect(page.locator(".answer .byline")).to_have_text(
        "Hardened in 2 rounds; highest open risk: high; 1 risk noted by the judge"
    )
    first = section(picture, "Round 1")
    weak, logs, date = first.locator(".duel").all()
    expect(weak.locator(".attack")).to_contain_text("CRITICAL Weak key")
    expect(weak.locator(".seal")).to_contain_text("FIXED")
    expect(weak.locator(".seal")).to_contain_text("argon2 now")
    expect(weak.locator(".defence .badge")).to_have_text("ACCEPT")
    expect(logs.locator("blockquote.unverified")).to_contain_text("(not found in the work)")
    expect(weak.locator("blockquote.unverified")).to_have_count(0)
    expect(date.locator("blockquote")).to_have_count(0)
    first.locator("summary", has_text="The defence’s changes").click()
    expect(first.locator(".diff ins").first).to_have_text("argon2")
    again = section(picture, "Round 2").locator(".duel").first
    expect(again).to_contain_text("raised before as R1-F2")
    judge = section(picture, "The judge’s final edits")
    judge.locator("summary").click()
    assert (judge.locator(".diff del").inner_text(), judge.locator(".diff ins").inner_text()) == (
        "Nobody",
        "Ann",
    )
