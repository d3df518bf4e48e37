"""A page of the docs says first whom it is for, and what they can do after reading it."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_begins_with_its_readers_and_what_they_can_do_after_reading_it(page: Path) -> None:
    heading, opening, *_ = page.read_text().split("\n\n")
    assert heading.startswith("# ")
    assert opening.startswith("For ")
    assert "after reading this page" in " ".join(opening.split()).lower()
