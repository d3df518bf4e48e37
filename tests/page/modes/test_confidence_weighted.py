"""Confidence-weighted: how much each answer counted, and what if."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run
from tests.page.scripted_runs import LONG


def expect_shares(page: Page, *shares: str) -> None:
    expect(page.locator(".weigh-figures strong")).to_have_text([f"{share}%" for share in shares])


def test_the_preview_gives_the_figures_of_the_formula_and_says_that_it_is_one(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["confidence_weighted"].url)
    expect_shares(page, "28.45", "25.75", "20.05", "25.75")
    expect(page.get_by_text("Preview", exact=True)).to_have_count(0)
    page.get_by_label("over").select_option("log_odds")
    expect_shares(page, "59.69", "17.80", "4.71", "17.80")
    expect(page.get_by_text("Preview", exact=True)).to_be_visible()
    page.get_by_label("over").select_option("softmax")
    slider = page.get_by_label("What if confidence counted more")
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
        if page.locator("output").text_content() == "0.50":
            break
    expect_shares(page, "31.91", "26.12", "15.85", "26.12")
    page.keyboard.press("End")
    expect(page.locator("output")).to_have_text("5.00")
    page.keyboard.press("Home")
    expect(page.locator("output")).to_have_text("0.10")
    page.get_by_role("button", name="Reset").click()
    expect_shares(page, "28.45", "25.75", "20.05", "25.75")


def test_confidence_that_is_too_great_missing_or_never_came_is_told_apart(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    open_run(page, finished["confidence_weighted"].url)
    rows = page.locator(".weigh-rows li")
    expect(rows).to_have_count(5)
    expect(rows.nth(0)).to_contain_text("outlier")
    expect(rows.nth(3)).to_contain_text("not stated")
    expect(rows.nth(4)).to_contain_text("did not answer")
    expect(rows.nth(4)).to_contain_text(LONG)
    expect(page.locator(".streams path")).to_have_count(4)
    expect(page.locator(".card").first).to_contain_text("overconfident")
