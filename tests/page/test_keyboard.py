"""The whole way by keyboard alone: ask, look on, read, follow up, find again, delete, take it back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.page.conftest import server, simulated_server
from tests.page.reader import wait_for_the_end

SEEN = """() => {
  const here = document.activeElement
  if (here === document.body || here.matches('main, .turn')) return true
  const marked = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  }
  const { width, height } = here.getBoundingClientRect()
  return (marked(here) && width > 1 && height > 1) || marked(here.closest('label') ?? here.closest('.picker') ?? here)
}"""
HERE = "() => document.activeElement.outerHTML.slice(0, 200)"


def tab_to(page: Page, wanted: Locator, most: int = 80) -> None:
    """Press Tab until it is there; everything on the way must show where one is."""
    for _ in range(most):
        page.keyboard.press("Tab")
        assert page.evaluate(SEEN), page.evaluate(HERE)
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{most} times Tab, and still at {page.evaluate(HERE)}")


def test_a_question_is_asked_followed_up_found_deleted_and_brought_back_without_a_pointer(
    page: Page, tmp_path: Path
) -> None:
    with server(simulated_server(tmp_path / "moot.db", speed=6)) as (address, _):
        page.goto(f"{address}/#/")
        box = page.get_by_role("textbox", name="Your question")
        expect(box).to_be_focused()
        tab_to(page, page.locator("input[name=mode]:checked"))
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        expect(page.locator("input[name=mode][value=council]")).to_be_checked()
        while not box.evaluate("element => element === document.activeElement"):
            page.keyboard.press("Shift+Tab")
        page.keyboard.type("Is tea better than coffee?")
        page.keyboard.press("Enter")

        stop = page.get_by_role("button", name="Stop")
        expect(stop).to_be_visible()
        expect(page.locator("main")).to_be_focused()
        tab_to(page, stop, most=8)
        tab_to(page, page.locator(".column-body").first, most=3)
        wait_for_the_end(page)
        expect(page.locator(".answer .prose")).not_to_be_empty()

        tab_to(page, page.get_by_role("button", name="Copy the answer"), most=12)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Copied")).to_be_focused()
        other = page.get_by_role("button", name="Ask in another mode")
        tab_to(page, other, most=4)
        page.keyboard.press("Enter")
        expect(page.locator(".other-mode select")).to_be_focused()
        while not other.evaluate("element => element === document.activeElement"):
            page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".other-mode")).to_have_count(0)

        follow = page.get_by_role("textbox", name="Follow-up question")
        tab_to(page, follow)
        page.keyboard.type("And in the evening?")
        page.keyboard.press("Enter")
        expect(page.locator(".turn").nth(1)).to_be_focused()
        wait_for_the_end(page)
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
        page.keyboard.type("tea")
        entry = page.locator(".history li").first
        title = entry.locator(".title").inner_text()
        tab_to(page, entry.locator("a"), most=4)
        tab_to(page, entry.get_by_role("button", name=f"Delete {title}"), most=3)
        page.keyboard.press("Enter")

        undo = page.get_by_role("button", name="Undo")
        expect(undo).to_be_focused()
        expect(page.locator(".history li")).to_have_count(0)
        page.wait_for_timeout(6500)  # longer than a pointer would have
        page.keyboard.press("Enter")
        expect(entry.locator("a")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".turn")).to_have_count(2)
        expect(page.locator("main")).to_be_focused()

        page.keyboard.press("/")
        tab_to(page, entry.get_by_role("button", name=f"Delete {title}"), most=6)
        page.keyboard.press("Enter")
        expect(undo).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".toast")).to_have_count(0)
        expect(page.get_by_text("No matches.")).to_be_visible()
