"""Runs in which much went wrong, with long names and right-to-left words: their pictures stay whole and usable."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext

from tests.page.conftest import FinishedRun
from tests.page.reader import AXE, faults_of, open_run, photograph, unfold
from tests.page.test_modes import EVERY_RULE

NOT_FOR_READERS = "document.querySelector('main').innerHTML.match(/NaN|undefined|Infinity|\\[object/g)"


def test_no_picture_of_a_broken_run_has_a_hole_offends_axe_or_outgrows_a_phone(
    context: BrowserContext, finished: dict[str, FinishedRun], axe: Path
) -> None:
    page = context.new_page()
    faults = faults_of(page)
    page.goto(next(iter(finished.values())).url)
    page.evaluate(axe.read_text("utf-8"))
    found = {}
    for name, run in finished.items():
        page.set_viewport_size({"width": 1280, "height": 800})
        open_run(page, run.url)
        unfold(page)
        photograph(page, f"scripted-{name}")
        found[name] = [*page.evaluate(AXE, EVERY_RULE), *(page.evaluate(NOT_FOR_READERS) or ())]
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_timeout(60)
        photograph(page, f"phone-scripted-{name}")
        if (width := page.evaluate("document.documentElement.scrollWidth")) > 360:
            found[name].append(f"{width} pixels wide")
    assert {name: all for name, all in found.items() if all} == {}
    assert faults == []
