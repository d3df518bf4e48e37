"""Insight in a real browser: the API's figures in words and pictures, narrowed down, and none at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.harness.waiting import PATIENCE
from tests.page.conftest import server, simulated_server
from tests.page.reader import faults_of, photograph

MODES = ("vote", "fact_check", "vote", "council")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on which a few questions were asked."""
    with server(simulated_server(tmp_path_factory.mktemp("insight") / "moot.db")) as (url, _):
        for mode in MODES:
            body = json.dumps({"question": "Is tea better than coffee?", "mode": mode}).encode()
            request = Request(f"{url}/api/council/stream", body, {"Content-Type": "application/json"})
            with urlopen(request, timeout=PATIENCE) as response:
                assert b"event: complete" in response.read()
        yield url


def insight_of(address: str, query: str = "") -> Any:
    with urlopen(f"{address}/api/insight?{query}", timeout=PATIENCE) as response:
        return json.load(response)


def text(place: Locator) -> str:
    return " ".join(place.inner_text().split())


def rate_words(rate: Any) -> str:
    count = f"{rate['count']} of {rate['cases']}"
    return count if rate["rate"] is None else f"{int(rate['rate'] * 100 + 0.5)}% {count}"


def test_the_page_says_what_the_api_says(page: Page, house: str) -> None:
    faults = faults_of(page)
    page.goto(f"{house}/#/insight")
    expect(page.locator(".insight .lead")).to_be_visible()
    insight = insight_of(house)
    models = insight["byModel"]
    assert text(page.locator(".lead")) == (
        f"In the last 30 days, {len(MODES)} runs took {insight['totals']['calls']} calls to "
        f"{len(models)} models, which cost nothing."
    )
    expect(page.locator(".aside")).to_have_text("All models were simulated: no language model answered.")
    assert any(model["agreement"]["rate"] is not None for model in models)
    for model in models:
        row = page.locator(f"[data-model='{model['model']}']")
        assert f"{model['calls']} calls in {model['deliberations']} run" in text(row)
        cells = [text(cell) for cell in row.locator(".cell-body").all()]
        assert cells[:2] == ["$0", "none"]
        for cell, rate in zip(cells[2:4], (model["wins"], model["agreement"]), strict=True):
            assert cell.replace(", even odds", "").startswith(rate_words(rate) if rate["cases"] else "–")
    for mode in insight["byMode"]:
        stages = page.locator(f"[data-mode={mode['mode']}] [data-stage]")
        names = [stage.get_attribute("data-stage") for stage in stages.all()]
        assert names == [stage["stage"] for stage in mode["stages"]]
    page.get_by_text("As a table").click()
    [day] = [day for day in insight["byDay"] if day["calls"]]
    cells = page.locator(".chapter table tbody tr").locator("td").all_inner_texts()
    assert cells[1:4] == [str(day["deliberations"]["total"]), str(day["calls"]), str(day["failed"])]
    page.get_by_text("What counts as winning and agreeing").click()
    expect(page.locator(".definitions")).to_contain_text("It voted for the winner.")
    expect(
        page.get_by_role("img", name=re.compile("^All models: .* tokens|^All models: [0-9]"))
    ).to_be_visible()
    photograph(page, "insight")
    assert faults == []


def test_a_period_and_a_mode_stand_in_the_address_and_come_back_with_it(page: Page, house: str) -> None:
    page.goto(f"{house}/#/")
    page.get_by_role("link", name="Insight").click()
    page.get_by_role("button", name="7 days").click()
    expect(page.locator(".lead")).to_contain_text("In the last week, 4 runs")
    page.get_by_label("Counted mode", exact=True).select_option("vote")
    expect(page.locator(".lead")).to_contain_text(
        f"2 runs took {insight_of(house, 'mode=vote')['totals']['calls']} calls"
    )
    assert page.url.endswith("#/insight?days=7&mode=vote")
    page.reload()
    expect(page.get_by_label("Counted mode", exact=True)).to_have_value("vote")
    expect(page.locator("[data-mode]")).to_have_count(1)
    page.get_by_label("Counted models").select_option("model sim/bo")
    expect(page.locator("[data-model]")).to_have_count(1)
    page.get_by_label("Counted models").select_option("false")
    expect(page.locator(".lead")).to_contain_text("No matching runs")
    page.go_back()
    expect(page.locator("[data-model]")).to_have_count(1)
    page.get_by_role("button", name="Calls").click()
    expect(page.get_by_role("img", name=re.compile(r"^All models: \d+, most of it"))).to_be_visible()


def test_where_nothing_was_asked_the_page_says_what_will_be_here(page: Page, tmp_path: Path) -> None:
    with server(simulated_server(tmp_path / "moot.db")) as (address, _):
        page.goto(f"{address}/#/insight")
        expect(page.locator(".lead")).to_have_text("No questions in the last 30 days.")
        expect(page.locator(".nothing li")).to_have_count(3)
        photograph(page, "insight-nothing")
        page.get_by_role("link", name="Ask a question").click()
        expect(page.get_by_label("Your question")).to_be_visible()
        page.goto(f"{address}/#/insight?days=999")
        expect(page.get_by_role("alert")).to_contain_text("days must be at most 366")
