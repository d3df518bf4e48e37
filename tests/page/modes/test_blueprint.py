"""Blueprint: a document of many hands, and the plan behind it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.conftest import FinishedRun, finish_runs
from tests.page.reader import open_run
from tests.page.scripted_runs import ScriptedRun

QUESTION = "Is tea better than coffee?"


@pytest.fixture(scope="module")
def runs(address: str) -> dict[str, FinishedRun]:
    wanted = {
        "blueprint": ScriptedRun("blueprint", QUESTION, {"authorModels": ["sim/ada", "sim/cleo"]}),
        "gaps": ScriptedRun(
            "blueprint", QUESTION, {"authorModels": ["sim/ada", "sim/bo:fail=1", "sim/dov:fail=1"]}
        ),
    }
    return finish_runs(address, wanted)


def in_view(place: Locator) -> None:
    expect(place).to_be_in_viewport()


def test_contents_lead_through_the_document_and_its_authors_can_be_seen(
    page: Page, runs: dict[str, FinishedRun]
) -> None:
    run = runs["blueprint"]
    open_run(page, run.url)
    planned = run.data("outline_complete")[0]["sections"]
    contents = page.locator(".contents li button")
    names = [f"{one['number']}. {one['title']}" for one in planned]
    shown = contents.all_text_contents()
    assert [name for name in shown if name[0].isdigit()] == names
    contents.filter(has_text=names[-1]).click()
    heading = page.locator(".chapter h3", has_text=names[-1])
    in_view(heading)
    expect(heading).to_be_focused()
    in_view(page.locator(".contents"))  # it floats
    expect(page.locator(".author")).to_have_count(0)
    page.get_by_role("button", name="Show authors").click()
    writers = {one["sectionNumber"]: one for one in run.data("section_complete")}
    expect(page.locator(".author")).to_have_count(len(writers))
    for one in planned:
        chapter = page.locator(
            ".chapter", has=page.locator("h3", has_text=f"{one['number']}. {one['title']}")
        )
        expect(chapter).to_have_class(re.compile(rf"\bseat-{writers[one['number']]['seat']}\b"))
    with page.expect_download() as download:
        page.locator(".contents").get_by_role("button", name="Download").click()
    assert download.value.path().read_text("utf-8") == run.data("assembly_complete")[0]["document"]


def test_the_plan_keeps_the_place_of_a_section_that_nobody_wrote(
    page: Page, runs: dict[str, FinishedRun]
) -> None:
    run = runs["gaps"]
    open_run(page, run.url)
    heard = run.data("all_sections_complete")[0]
    assert heard["failedSections"]
    expect(page.locator(".tree li")).to_have_count(run.data("outline_complete")[0]["totalSections"])
    expect(page.locator(".tree li.filled")).to_have_count(heard["totalSucceeded"])
    expect(page.locator(".tree li.missing")).to_have_count(heard["totalFailed"])
    expect(page.locator(".tree li.missing").first).to_contain_text("not written")
    expect(page.locator(".chapter.missing .todo").first).to_contain_text("was not written")
