"""Every mode in a real browser: asked, watched, finished, and the same after a reload."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from moot.modes import MODES
from tests.page.reader import (
    AXE,
    ask,
    faults_of,
    photograph,
    run_events,
    run_url,
    settled_html,
    wait_for_the_end,
)


@pytest.fixture(scope="module")
def places(address: str) -> dict[str, str]:
    """Where a finished run of each mode is to be seen."""

    def asked(mode: str) -> str:
        events = run_events(address, mode, "Is tea better than coffee?")
        assert events[-1]["type"] == "complete", events[-1]
        return run_url(address, events[0])

    with ThreadPoolExecutor(8) as askers:
        return dict(zip(MODES, askers.map(asked, MODES), strict=True))


@pytest.mark.parametrize("modes", [list(MODES)[first::4] for first in range(4)], ids=" ".join)
def test_a_mode_is_drawn_again_from_the_store_as_it_was_drawn_live(
    context: BrowserContext, address: str, modes: list[str]
) -> None:
    pages = {}
    faults = {}
    for mode in modes:
        pages[mode] = page = context.new_page()
        faults[mode] = faults_of(page)
        ask(page, address, mode)
    for mode, page in pages.items():
        wait_for_the_end(page)
        expect(page.locator(".answer .prose").first).not_to_be_empty()
        expect(page.locator(".answer .badge-simulated")).to_be_visible()
        expect(page.locator(".picture .part").first).to_be_visible()
        live = settled_html(page)
        page.reload()
        wait_for_the_end(page)
        assert settled_html(page) == live, mode
        photograph(page, mode)
        page.close()
        assert faults[mode] == []


def test_no_mode_is_wider_than_a_phone(context: BrowserContext, address: str, places: dict[str, str]) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 360, "height": 740})
    for mode, place in {"home": f"{address}/#/", "insight": f"{address}/#/insight", **places}.items():
        page.goto(place)
        page.wait_for_selector(".turn[data-ended=true] .picture, .house, .insight .chapter")
        page.locator("details").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        page.wait_for_timeout(100)
        photograph(page, f"phone-{mode}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, mode


LOOKS = """() => [...document.querySelectorAll('.who, .seated li, [role=rowheader]')].flatMap((who) => {
  const [sign, model] = [who.querySelector('.sign'), who.getAttribute('title')]
  return sign && model ? [[model, sign.dataset.shape + ' ' + getComputedStyle(sign).getPropertyValue('--seat')]] : []
})"""


def test_a_model_keeps_its_sign_and_colour_in_every_mode_and_picture(
    context: BrowserContext, address: str, places: dict[str, str]
) -> None:
    page = context.new_page()
    looks: dict[str, set[str]] = {}
    for place in (*places.values(), f"{address}/#/", f"{address}/#/insight"):
        page.goto(place)
        page.wait_for_selector(".turn[data-ended=true] .picture .part, .seated li, .insight .who")
        for model, look in page.evaluate(LOOKS):
            # Home and insight also show models of other tests; those of one cast member look alike, as they should.
            if place in places.values() or model in looks:
                looks.setdefault(model, set()).add(look)
    assert len(looks) >= 5
    assert {model: found for model, found in looks.items() if len(found) > 1} == {}
    assert len({look for found in looks.values() for look in found}) == len(looks)


EVERY_RULE = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", EVERY_RULE), ("dark", ["color-contrast"]), ("phone", EVERY_RULE)]
)
def test_axe_finds_nothing(
    context: BrowserContext, address: str, places: dict[str, str], axe: Path, scheme: str, rules: list[str]
) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    if scheme == "phone":
        page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/#/")
    page.evaluate(axe.read_text("utf-8"))
    found: dict[str, list[str]] = {}
    for mode, place in {"home": f"{address}/#/", "insight": f"{address}/#/insight", **places}.items():
        page.goto(place)
        page.wait_for_selector(".turn[data-ended=true] .picture, .house, .insight .chapter")
        photograph(page, f"{mode}-{scheme}")
        page.locator("details").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        page.wait_for_timeout(100)
        found[mode] = page.evaluate(AXE, rules)
    assert {mode: faults for mode, faults in found.items() if faults} == {}
