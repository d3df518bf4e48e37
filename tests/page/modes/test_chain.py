"""Chain: the versions of a text, compared and taken up again."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run, section
from tests.page.scripted_runs import DRAFT


def test_any_two_versions_of_a_chain_are_compared_word_by_word(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["chain"].url)
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
    context: BrowserContext, finished: dict[str, FinishedRun]
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    hands = section(open_run(page, finished["chain"].url), "Step by step")
    expect(hands.locator(".margin-note")).to_have_text("I took out the haste.")
    expect(hands.locator("li").last.locator(".badge")).to_have_text("the answer")
    first = hands.get_by_role("group", name="Use version 1")
    first.get_by_role("button", name="Copy").click()
    expect(first.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == DRAFT
    first.get_by_role("button", name="Follow up on it").click()
    expect(page.get_by_label("Your question")).to_have_value(DRAFT)
    expect(page.locator("input[name=mode][value=chain]")).to_be_checked()
