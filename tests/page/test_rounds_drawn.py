"""Delphi and chain: what a reader sees of how answers and texts moved from round to round."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.page.conftest import Finished
from tests.page.reader import drawn, opened, part, place_of, wait_for_the_end
from tests.page.scripted_runs import DRAFT, SLOW_DELPHI, SLOW_JURY, ScriptedRun

NUMBER = re.compile(r"-?[\d.]+")


def heights(path: Locator) -> list[float]:
    """Where an upright line begins and ends: M x y V y."""
    _, first, second = (float(one) for one in NUMBER.findall(path.get_attribute("d") or ""))
    return [first, second]


def axis_of(plot: Locator) -> list[tuple[float, float]]:
    """The values that are written at the axis, and the height of each."""
    marks = plot.locator(".mark").all()
    lines = (mark.locator("path").get_attribute("d") or "" for mark in marks)
    return [
        (float(mark.get_attribute("data-value") or ""), float(NUMBER.findall(line)[1]))
        for mark, line in zip(marks, lines, strict=True)
    ]


def test_the_ribbon_s_edges_are_the_quartiles_of_the_event(page: Page, finished: dict[str, Finished]) -> None:
    plot = part(opened(page, finished["delphi"].place), "How the estimates moved").locator(".convergence")
    (low, at_low), *_, (high, at_high) = axis_of(plot)
    stats = [round["stats"] for round in finished["delphi"].data("round_complete")]
    assert [(one["q1"], one["median"], one["q3"]) for one in stats] == [(37.5, 42, 55.5), (40.25, 42.5, 46)]
    for bar, one in zip(plot.locator(".quartiles").all(), stats, strict=True):
        values = [low + (height - at_low) / (at_high - at_low) * (high - low) for height in heights(bar)]
        assert values == pytest.approx([one["q1"], one["q3"]], abs=0.1)
    expect(plot.locator(".band")).to_have_count(1)
    expect(plot.locator(".median-figure")).to_have_text(["42", "42.5"])
    expect(plot.locator(".ring")).to_have_count(1)
    expect(plot.locator(".thin")).to_have_count(4)
    expect(page.locator(".answer .badge-good")).to_have_text("Converged in round 2")
    page.get_by_text("The figures").click()
    expect(page.locator("table").last.locator("tbody tr").last).to_contain_text("40.25 – 46")


def test_magnitudes_are_drawn_by_powers_of_ten(page: Page, finished: dict[str, Finished]) -> None:
    plot = part(opened(page, finished["delphi powers"].place), "How the estimates moved").locator(
        ".convergence"
    )
    axis = axis_of(plot)
    assert [value for value, _ in axis] == [10, 100, 1000, 10_000, 100_000]
    steps = [after - before for (_, before), (_, after) in pairwise(axis)]
    assert steps == pytest.approx([steps[0]] * 4, abs=0.2)
    expect(plot.locator("figcaption")).to_contain_text("a factor, not a difference")
    expect(plot.locator(".sign-hollow")).to_have_count(1)
    expect(page.locator(".answer .byline")).to_contain_text("Stable disagreement")


def test_the_bars_of_a_panel_show_who_changed_to_what(page: Page, finished: dict[str, Finished]) -> None:
    moves = part(opened(page, finished["delphi shares"].place), "How the answers moved")
    movers = {
        one["participantIndex"]
        for one in finished["delphi shares"].data("round_complete")[1]["estimates"]
        if one["changed"]
    }
    assert len(movers) == 1
    said = moves.locator(".moves").get_by_role("img").get_attribute("aria-label")
    assert said == f"Who moved: participant {movers.pop()} to Tea in round 2."
    expect(moves.locator(".moves .moved")).to_have_count(1)
    expect(moves.locator(".moves .stayed")).to_have_count(3)
    tea, coffee, _ = moves.locator("tbody tr").all()
    expect(tea.locator("td").last).to_contain_text("75 %")
    expect(coffee.locator("td").last).to_have_text("nobody")


def test_participants_have_no_name_until_the_report_is_there(page: Page, scripted: str) -> None:
    begun(page, scripted, SLOW_DELPHI)
    said = page.locator(".picture .part", has_text="What they said")
    said.locator("summary", has_text="Round 1").first.click()
    expect(said.locator(".model")).to_have_text(["anonymous"] * 3)
    wait_for_the_end(page)
    assert sorted(said.locator(".model").all_inner_texts()) == ["ann", "bob", "cyd"]


def test_a_juror_takes_its_place_as_soon_as_it_has_spoken(page: Page, scripted: str) -> None:
    begun(page, scripted, SLOW_JURY)
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
    live = drawn(page)
    page.reload()
    wait_for_the_end(page)
    assert drawn(page) == live


def begun(page: Page, address: str, run: ScriptedRun) -> None:
    """Ask, and look on while the run is under way."""
    page.goto(f"{address}/#/")
    asked: dict[str, Any] = {"question": run.question, "mode": run.mode, "modeConfig": run.config}
    opening = page.evaluate(
        """async (asked) => {
          const headers = { 'Content-Type': 'application/json' }
          const answer = await fetch('/api/council/stream', { method: 'POST', headers, body: JSON.stringify(asked) })
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
          let text = ''
          while (!/^data: (.+)$/m.test(text)) text += (await reader.read()).value
          return JSON.parse(/^data: (.+)$/m.exec(text)[1])
        }""",
        asked,
    )
    page.goto(place_of(address, opening))


def test_any_two_versions_of_a_chain_are_compared_word_by_word(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["chain"].place)
    relay = page.locator(".answer .relay")
    expect(relay.locator(".stations strong")).to_have_text(
        ["Draft", "Structure & Depth", "Accuracy & Completeness", "Say it as if to a child of seven"]
    )
    expect(relay.locator(".stations li").nth(1)).to_contain_text("skipped: model failed to respond")
    expect(relay.locator(".stations li").nth(1).locator(".sign.hollow")).to_have_count(1)
    assert (
        relay.locator(".lengths").get_by_role("img").get_attribute("aria-label")
        == "Length in words: 6, 6, 9, 11"
    )

    relay.get_by_role("button", name="What changed in step 3").press("Enter")
    expect(relay.locator(".diff del")).to_have_text("two")
    expect(relay.locator(".diff ins").first).to_have_text("three")
    relay.get_by_label("to version").select_option("4 Say it as if to a child of seven")
    assert "green" in relay.locator(".diff del").all_inner_texts()
    relay.get_by_label("From version").select_option("4 Say it as if to a child of seven")
    expect(relay.locator(".compare")).to_contain_text("The two versions are the same")


def test_an_earlier_version_can_be_taken_and_asked_on_from(
    context: BrowserContext, finished: dict[str, Finished]
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    hands = part(opened(page, finished["chain"].place), "Each hand")
    expect(hands.locator(".margin-note")).to_have_text("I took out the haste.")
    expect(hands.locator("li").last.locator(".badge")).to_have_text("the answer")
    first = hands.get_by_role("group", name="Use version 1")
    first.get_by_role("button", name="Copy").click()
    expect(first.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == DRAFT
    first.get_by_role("button", name="Ask on from it").click()
    expect(page.get_by_label("Your question")).to_have_value(DRAFT)
    expect(page.locator("input[name=mode][value=chain]")).to_be_checked()
