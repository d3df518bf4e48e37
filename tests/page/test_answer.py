"""What a person does with an answer: copy it, ask once more, change the question, put it to another mode."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.page.reader import ask, choose_mode, photograph, wait_for_the_end

QUESTION = "Is tea better than coffee?"


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_the_answer_and_what_each_seat_wrote_are_copied(
    context: BrowserContext, page: Page, address: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, address, "vote")
    wait_for_the_end(page)
    page.get_by_role("button", name="Copy the answer").click()
    expect(page.get_by_role("button", name="Copied").first).to_be_visible()
    first_line = clipboard(page).splitlines()[0].strip("#*> ")
    assert first_line
    expect(page.locator(".answer .prose")).to_contain_text(first_line[:30])
    page.locator(".picture .texts summary").first.click()
    page.get_by_role("button", name="Copy this text").first.click()
    expect(page.get_by_role("button", name="Copied").first).to_be_visible()
    photograph(page, "answer")


def test_a_question_is_regenerated_edited_and_put_to_another_mode(page: Page, address: str) -> None:
    ask(page, address, "vote", QUESTION)
    wait_for_the_end(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    first = page.url
    page.get_by_role("button", name="Regenerate").click()
    page.wait_for_url(lambda url: url != first)
    wait_for_the_end(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    page.get_by_role("button", name="Edit and ask again").click()
    expect(page.get_by_label("Your question")).to_have_value(QUESTION)
    expect(page.locator("input[name=mode][value=vote]")).to_be_checked()
    page.go_back()
    page.get_by_role("button", name="Ask in another mode").click()
    page.locator(".other-mode select").select_option("jury")
    expect(page.get_by_label("Include this answer")).to_be_checked()
    photograph(page, "other-mode")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("input[name=mode][value=jury]")).to_be_checked()
    expect(page.get_by_label("What should the jury watch for?")).to_have_value(QUESTION)
    expect(page.get_by_label("Text to judge")).not_to_have_value("")


def test_a_draft_survives_leaving_and_reloading_and_ends_when_it_is_asked(page: Page, address: str) -> None:
    page.goto(f"{address}/#/")
    choose_mode(page, "vote")
    page.get_by_label("Your question").fill("Half a thou")
    page.get_by_role("link", name="Insight", exact=True).click()
    expect(page.get_by_role("heading", name="Insight")).to_be_visible()
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_have_value("Half a thou")
    page.reload()
    expect(page.get_by_label("Your question")).to_have_value("Half a thou")
    expect(page.locator("input[name=mode][value=vote]")).to_be_checked()
    page.keyboard.press("Enter")
    wait_for_the_end(page)
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_have_value("")


def test_a_deletion_is_undone_at_the_window_s_bottom_on_a_phone_too(page: Page, address: str) -> None:
    ask(page, address, "vote", "Cats or dogs?")
    wait_for_the_end(page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="History").click()
    entry = page.locator(".history li.current")
    entry.hover()
    entry.get_by_role("button", name="Delete").click()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport()
    photograph(page, "undo-phone")
    undo.click()
    expect(undo).to_have_count(0)
