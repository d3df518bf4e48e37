"""Decompose: the parts, what they rest on, and who worked when."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.page.conftest import FinishedRun
from tests.page.reader import open_run


def test_the_graph_shows_a_part_on_demand_and_the_strips_who_worked_when(
    page: Page, finished: dict[str, FinishedRun]
) -> None:
    run = finished["decompose"]
    open_run(page, run.url)
    boxes = page.locator(".graph button.task")
    expect(boxes).to_have_count(5)
    expect(page.locator(".graph .edge")).to_have_count(4)
    wide = [box["width"] for box in (one.bounding_box() for one in boxes.all()) if box]
    assert wide[0] == wide[4] < wide[2] == wide[3] < wide[1]  # by complexity
    boxes.nth(1).click()
    near = page.get_by_role("region", name="Part 2")
    expect(near).to_contain_text("Do The hard part")
    expect(near).to_contain_text("Here is my part.")
    strips = page.locator(".gantt li")
    expect(strips).to_have_count(2)
    attempts = sum(one["attempts"] for one in run.data("task_complete"))
    expect(page.locator(".stretch")).to_have_count(attempts)
    expect(strips.nth(0).locator(".stretch-done")).to_have_count(5)
    expect(strips.nth(1).locator(".stretch-again")).to_have_count(attempts - 5)
    expect(strips.nth(1).locator("svg[role=img]")).to_have_attribute(
        "aria-label", re.compile("failed, reassigned")
    )
