"""What dialectics leave behind: timeline and ledger, a rating, the shelf of traces, templates of one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import DIALECTICS, FinishedRun
from tests.page.reader import AXE, faults_of, photograph


def test_traces_are_found_filtered_opened_and_taken_away(
    page: Page, address: str, dialectics: dict[str, FinishedRun]
) -> None:
    faults = faults_of(page)
    page.goto(f"{address}/#/")
    page.get_by_role("link", name="Traces and templates").click()
    traces = page.get_by_role("list", name="Traces").locator("> li")
    expect(traces.filter(has_text=DIALECTICS["cats"])).to_have_count(1)
    page.get_by_role("search").get_by_label("Search").fill("repository or several")
    expect(traces).to_have_count(1)
    row = traces.first
    row.locator("summary").first.click()
    row.get_by_label("10", exact=True).check()
    row.get_by_role("button", name="Rate", exact=True).click()
    expect(row.locator("summary").first).to_contain_text("10 of 10, by you")
    page.get_by_role("combobox", name="Quality").select_option("9")
    expect(traces).to_have_count(1)
    photograph(page, "traces")
    page.get_by_label("Export as").select_option("raw")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    with ZipFile(download.value.path()) as archive:
        lines = [line for name in ("train.jsonl", "validation.jsonl") for line in archive.open(name)]
    assert [json.loads(line)["query"] for line in lines] == [DIALECTICS["repositories"]]
    page.get_by_label("From", exact=True).fill("2999-01-01")
    expect(page.get_by_text("No matches.")).to_be_visible()
    page.get_by_label("From", exact=True).fill("")
    row.locator("summary").first.click()
    row.get_by_role("button", name="Open the run").click()
    expect(page.locator(".question")).to_have_text(DIALECTICS["repositories"])
    assert faults == []


def test_a_template_of_one_s_own_is_written_mended_and_deleted(page: Page, address: str) -> None:
    page.goto(f"{address}/#/traces")
    page.get_by_role("button", name="New template").click()
    page.get_by_label("Name", exact=True).fill("Ask the neighbours")
    page.get_by_label("When to use it").fill("Questions that concern those who live next door.")
    page.get_by_label("Steps").fill("List who is concerned\nAsk them")
    page.get_by_label("Example questions").fill("May I cut the hedge?\nWhen may I play the drums?")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("A template needs at least 3 steps")
    page.get_by_label("Steps").fill("List who is concerned\nAsk them\nWeigh what they say")
    page.get_by_role("button", name="Save").click()
    own = page.get_by_role("list", name="Your own templates").locator("> li")
    expect(own).to_have_text(re.compile("Ask the neighbours"))
    page.reload()
    own.locator("summary").click()
    own.get_by_role("button", name="Edit").click()
    page.get_by_label("Name", exact=True).fill("Ask next door")
    page.get_by_role("button", name="Save").click()
    expect(own).to_have_text(re.compile("Ask next door"))
    own.locator("summary").click()
    own.get_by_role("button", name="Delete").click()
    own.get_by_role("button", name=re.compile("permanently")).click()
    expect(own).to_have_count(0)
    page.reload()
    expect(page.get_by_text("You have no templates of your own yet")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_shelf_and_it_fits_a_phone(
    page: Page, address: str, axe: Path, dialectics: dict[str, FinishedRun], scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{address}/#/traces")
    page.get_by_role("button", name="New template").click()
    page.locator(".traces summary").first.click()
    expect(page.locator(".traces .rating")).to_be_visible()
    photograph(page, f"traces-phone-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.evaluate(axe.read_text("utf-8"))
    assert page.evaluate(AXE, ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]) == []
