"""Delphi: how estimates and answers moved from round to round."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section, start_run, wait_for_the_end
from tests.page.scripted_runs import SLOW_DELPHI

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


def test_the_ribbon_s_edges_are_the_quartiles_of_the_event(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    plot = section(open_run(page, finished["delphi"].url), "How the estimates moved").locator(".convergence")
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
    expect(page.locator("table").last.locator("tbody tr").last).to_contain_text("40.3 – 46")


def test_magnitudes_are_drawn_by_powers_of_ten(page: Page, finished: dict[str, FinishedRun]) -> None:
    plot = section(open_run(page, finished["delphi powers"].url), "How the estimates moved").locator(
        ".convergence"
    )
    axis = axis_of(plot)
    assert [value for value, _ in axis] == [10, 100, 1000, 10_000, 100_000]
    steps = [after - before for (_, before), (_, after) in pairwise(axis)]
    assert steps == pytest.approx([steps[0]] * 4, abs=0.2)
    expect(plot.locator("figcaption")).to_contain_text("The axis is logarithmic")
    expect(plot.locator(".sign-hollow")).to_have_count(1)
    expect(page.locator(".answer .byline")).to_contain_text("Stable disagreement")


def test_the_bars_of_a_panel_show_who_changed_to_what(page: Page, finished: dict[str, FinishedRun]) -> None:
    moves = section(open_run(page, finished["delphi shares"].url), "How the answers moved")
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
    expect(tea.locator("td").last).to_contain_text("75%")
    expect(coffee.locator("td").last).to_have_text("nobody")


def test_participants_have_no_name_until_the_report_is_there(page: Page, scripted: str) -> None:
    start_run(page, scripted, SLOW_DELPHI)
    said = page.locator(".picture .part", has_text="What they said")
    said.locator("summary", has_text="Round 1").first.click()
    expect(said.locator(".model")).to_have_text(["anonymous"] * 3)
    wait_for_the_end(page)
    assert sorted(said.locator(".model").all_inner_texts()) == ["ann", "bob", "cyd"]
