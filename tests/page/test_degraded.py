"""Pictures while something goes wrong: every state on the way is whole, and the store draws the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.page.reader import faults_of, photograph, settled_html, wait_for_the_end

NONSENSE = r"""addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
  const picture = document.querySelector('.turn')?.innerHTML ?? ''
  const found = /.{0,60}(?:\bNaN\b|\bundefined\b|\bInfinity\b|\[object|>null<).{0,60}/.exec(picture)
  if (found) console.error(`nonsense: ${found[0]}`)
}).observe(document, { childList: true, subtree: true, attributes: true, characterData: true }))"""

LONG = "sim/a-model-whose-maker-could-not-stop-naming-it-preview-2026-11-16"
SHAKY: dict[str, dict[str, Any]] = {
    "blueprint": {"authorModels": ["sim/ada", "sim/bo:fail=1", "sim/cleo:fail=1", LONG]},
    "peer_review": {"reviewerModels": ["sim/ada", "sim/bo:unreadable=1", "sim/cleo:fail=1", LONG]},
    "tournament": {
        "contestantModels": ["sim/ada", "sim/bo:fail=1", "sim/cleo:fail=1", "sim/dov:fail=1", LONG],
        "judgeModel": "sim/eli:unreadable=0.5",
    },
    "confidence_weighted": {"models": ["sim/ada:fail=1", "sim/bo:unreadable=1", "sim/cleo:fail=1"]},
    "decompose": {"workerModels": ["sim/bo:fail=1", "sim/cleo:fail=1", LONG], "maxTasks": 8},
    "brainstorm": {
        "models": ["sim/ada", "sim/bo:fail=1", "sim/cleo:unreadable=1", "sim/dov", "sim/eli", LONG],
        "curatorModel": "sim/fay:fail=1",
    },
    "fact_check": {"checkerModels": ["sim/bo", "sim/cleo:fail=1", "sim/dov:unreadable=1"]},
    "dialectic": {"skepticModel": "sim/bo:fail=1", "judgeModel": "sim/cleo:unreadable=1"},
}
QUESTION = "האם תה עדיף על קפה? Is tea better than coffee, and was it so in 1962?"
"""Partly from right to left."""


def ask_with_failures(page: Page, address: str, mode: str) -> None:
    """Watch a run from its first event on."""
    page.goto(f"{address}/#/")
    opening = page.evaluate(
        """async (body) => {
          const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
          const response = await fetch('/api/council/stream', init)
          const first = new TextDecoder().decode((await response.body.getReader().read()).value)
          return JSON.parse(/^data: (.*)$/m.exec(first)[1])
        }""",
        json.dumps({"question": QUESTION, "mode": mode, "modeConfig": SHAKY[mode]}),
    )
    page.goto(f"{address}/#/c/{opening['conversationId']}?run={opening['runId']}")


@pytest.mark.parametrize("modes", [list(SHAKY)[:4], list(SHAKY)[4:]], ids=" ".join)
def test_a_run_in_which_much_fails_is_drawn_whole_all_the_way_and_again_from_the_store(
    context: BrowserContext, address: str, modes: list[str]
) -> None:
    pages, faults = {}, {}
    for mode in modes:
        pages[mode] = page = context.new_page()
        page.add_init_script(NONSENSE)
        faults[mode] = faults_of(page)
        ask_with_failures(page, address, mode)
    for mode, page in pages.items():
        wait_for_the_end(page)
        expect(page.locator(".turn")).to_contain_text("This answer is incomplete")
        live = settled_html(page)
        photograph(page, f"{mode}-degraded")
        page.reload()
        wait_for_the_end(page)
        assert settled_html(page) == live, mode
        page.locator("details").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, mode
        photograph(page, f"{mode}-degraded-phone")
        assert faults[mode] == []
        page.close()
