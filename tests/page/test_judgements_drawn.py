"""Jury, specialist panel and red team: what a reader sees of how a work was judged."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import Finished
from tests.page.reader import opened, part
from tests.page.scripted_runs import LONG


def test_the_verdict_stands_above_the_report_with_the_jurors_on_its_sides(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["jury"].place)
    bench = page.locator(".answer .bench")
    expect(bench.locator(".ruling")).to_have_text("REVISE by the rule for ties; the foreman would approve")
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
    page: Page, finished: dict[str, Finished]
) -> None:
    picture = opened(page, finished["jury"].place)
    scores = part(picture, "The jury's scores")
    accuracy, *_, relevance, _ = scores.locator(".spreads li").all()
    said = accuracy.get_by_role("img").get_attribute("aria-label")
    assert said == "5 to 9, mean 7.0: ann 9, bob 5, cyd 6, dan 8"
    expect(accuracy).to_contain_text("Disagreement")
    expect(relevance).to_contain_text("Strong agreement")
    assert "cyd" not in (relevance.get_by_role("img").get_attribute("aria-label") or "")
    expect(scores.locator(".radar .juror .web")).to_have_count(4)
    expect(scores.locator(".radar .juror .broken")).to_have_count(1)
    expect(scores.locator(".radar .mean .broken")).to_have_count(0)

    cards = part(picture, "Each juror").locator(".juror-card")
    expect(cards.nth(1)).to_contain_text("1.5 harsher than the panel")
    expect(cards.nth(2)).to_contain_text("Its vote and the mean of its scores disagree")
    expect(cards.nth(4)).to_contain_text("No assessment: it was refused: the account has no credit left.")


def test_the_panel_s_matrix_shows_who_stands_behind_what_and_why(
    page: Page, finished: dict[str, Finished]
) -> None:
    picture = opened(page, finished["specialist_panel"].place)
    expect(page.locator(".answer .prose")).to_have_text("It works, but not for long.")
    matrix = part(picture, "Who stands behind what").locator(".matrix")
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
    page: Page, finished: dict[str, Finished]
) -> None:
    experts = part(opened(page, finished["specialist_panel"].place), "Each expert")
    security = experts.locator(".expert").first
    expect(security.locator(".bars li", has_text="Data Protection")).to_contain_text("4.0 → 2.0")
    expect(security.locator(".bars li", has_text="Attack Surface")).to_contain_text("–")
    expect(security.locator(".top-three li")).to_have_count(3)
    expect(experts.locator(".empty-chair")).to_contain_text("UX Designer")
    expect(experts.locator(".empty-chair")).to_contain_text("No report: it was refused")
    radar = experts.locator(".radar").get_by_role("img").get_attribute("aria-label")
    assert (
        radar
        == "Average rating of each seat, of 5: Security Expert 2.3, Scalability Architect 3.4, Cost Analyst 2.6"
    )
    expect(experts.locator(".expert", has_text=LONG)).to_be_visible()


def test_the_flow_leads_every_issue_from_its_severity_to_its_ruling(
    page: Page, finished: dict[str, Finished]
) -> None:
    found = part(opened(page, finished["red_team"].place), "What was found, and what became of it")
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


def test_attack_ruling_and_defence_stand_side_by_side(page: Page, finished: dict[str, Finished]) -> None:
    picture = opened(page, finished["red_team"].place)
    first = part(picture, "Round 1")
    weak, logs, date = first.locator(".duel").all()
    expect(weak.locator(".attack")).to_contain_text("CRITICAL Weak key")
    expect(weak.locator(".seal")).to_contain_text("FIXED")
    expect(weak.locator(".seal")).to_contain_text("argon2 now")
    expect(weak.locator(".defence .badge")).to_have_text("ACCEPT")
    expect(logs.locator("blockquote.unverified")).to_contain_text("(not found in the work)")
    expect(weak.locator("blockquote.unverified")).to_have_count(0)
    expect(date.locator("blockquote")).to_have_count(0)
    first.locator("summary", has_text="word by word").click()
    expect(first.locator(".diff ins").first).to_have_text("argon2")
    again = part(picture, "Round 2").locator(".duel").first
    expect(again).to_contain_text("raised before as R1-F2")
    judge = part(picture, "The judge's last hand")
    judge.locator("summary").click()
    assert (judge.locator(".diff del").inner_text(), judge.locator(".diff ins").inner_text()) == (
        "Nobody",
        "Ann",
    )
