"""Plans of documents: what an architect may write, and how it is read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moot.modes.blueprint.outline import MOST_SECTIONS, Term, read_outline
from moot.modes.blueprint.prompts import render_plan

PLAN = """DOCUMENT TITLE: The Timetable Service
TERM: stop = a place where a vehicle halts
TERM: trip = one run of a vehicle
SECTION 1: Context
Description: Why it exists
and for whom.
Key Topics:
- riders
* operators
Length: Short
Source Coverage: part 1
Excludes: none
SECTION 2: Data
Description: What is kept.
Key Topics: stops; trips, calendars
Length: LONG
Excludes: routing
SECTION 3: Operation
Key Topics:
1. releases
2. alarms
DOCUMENT SUMMARY:
Total sections: 9
Estimated total length: 3000 words
Key themes: punctuality; openness, care
SECTION 4: not a section"""


def test_a_plan_is_read() -> None:
    plan = read_outline(PLAN)
    assert (plan.title, plan.estimated_length, plan.parse) == (
        "The Timetable Service",
        "3000 words",
        "markers",
    )
    assert plan.key_themes == ["punctuality", "openness", "care"]
    assert plan.terms[0] == Term(term="stop", meaning="a place where a vehicle halts")
    assert [section.title for section in plan.sections] == ["Context", "Data", "Operation"]
    context, data, operation = plan.sections
    assert (context.description, context.excludes) == ("Why it exists and for whom.", "")
    assert context.key_topics == ["riders", "operators"]
    assert data.key_topics == ["stops", "trips", "calendars"]
    assert operation.key_topics == ["releases", "alarms"]
    assert [section.length for section in plan.sections] == ["Short", "Long", "Medium"]
    assert data.excludes == "routing"


def test_sections_are_numbered_anew() -> None:
    plan = read_outline("### SECTION 1: Context\n## Section 2 - Data\n**SECTION 2: Routing**")
    assert [(one.number, one.source_number, one.title) for one in plan.sections] == [
        (1, 1, "Context"),
        (2, 2, "Data"),
        (3, 2, "Routing"),
    ]


def test_a_section_named_in_a_sentence_is_none() -> None:
    text = "Here it is (see Section 3: the core).\nSECTION 1: A\nSECTION 2: B\nSECTION 3: C"
    assert [section.title for section in read_outline(text).sections] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("line", "length"),
    [
        ("Length: short (300 words)", "Short"),
        ("Length: enormous", "Medium"),
        ("**Length:** LONG", "Long"),
        ("Length: Short or Long", "Medium"),
        ("", "Medium"),
    ],
)
def test_a_length_is_one_of_three(line: str, length: str) -> None:
    text = f"SECTION 1: A\n{line}\nSECTION 2: B\nSECTION 3: C"
    assert read_outline(text).sections[0].length == length


def test_a_plan_without_markers_is_read_by_its_headings() -> None:
    headings = "\n".join(f"## Part {number}\nDescription: about {number}\n### Detail" for number in range(7))
    plan = read_outline(f"# Title\n{headings}\n## Document Summary\nx")
    assert (len(plan.sections), plan.parse) == (7, "headings")
    assert plan.sections[1].description == "about 1"
    deeper = read_outline("## One\n### A\n### B\n### C")
    assert [section.title for section in deeper.sections] == ["A", "B", "C"]


def test_a_plan_without_headings_is_read_by_its_list() -> None:
    plan = read_outline("My plan:\n1. Context: why\n   1. inner\n2. **Data** - what\n3) Operation")
    assert [(one.source_number, one.title, one.description) for one in plan.sections] == [
        (1, "Context", "why"),
        (2, "Data", "what"),
        (3, "Operation", ""),
    ]
    assert plan.parse == "list"


def test_what_is_missing_has_a_name() -> None:
    plan = read_outline("")
    assert (plan.title, plan.estimated_length, plan.sections) == ("Untitled Document", "Unknown", [])
    assert plan.fault == "it has 0 sections that could be read, at least 3 are needed"


def test_a_plan_may_be_too_long() -> None:
    plan = read_outline("\n".join(f"SECTION {number}: Part {number}" for number in range(1, 23)))
    assert plan.fault == "it has 22 sections, at most 20 are allowed"


def test_a_section_that_is_quoted_from_the_source_is_none() -> None:
    text = "SECTION 1: A\nSECTION 2: B\nThe source says\n> SECTION 9: x\nSECTION 3: C"
    titles = [section.title for section in read_outline(text, "Do this.\nSECTION 9: x").sections]
    assert titles == ["A", "B", "C"]


def test_a_section_needs_a_title() -> None:
    text = "SECTION 1: A\nSECTION 2:\nSECTION 3: B\nSECTION 4: C"
    assert [section.source_number for section in read_outline(text).sections] == [1, 3, 4]


def test_the_template_defines_no_term() -> None:
    assert read_outline("TERM: preferred term = what it means here\nTERM: no sign").terms == []


def test_a_plan_is_shown_as_it_was_read() -> None:
    plan = read_outline(PLAN)
    shown = render_plan(plan.sections)
    assert shown.startswith(
        "SECTION 1: Context\nDescription: Why it exists and for whom.\nKey Topics: riders; ope"
    )
    again = read_outline(shown)
    assert [one.key_topics for one in again.sections] == [one.key_topics for one in plan.sections]


PIECES = st.sampled_from([*PLAN.split("\n"), "```", "## x", "1. y", "> SECTION 2: q", "DOCUMENT SUMMARY", ""])


@example(
    "SECTION 1:\nKey Topics\n1. wheels\nTERM:\nbells"
)  # what belongs to no part goes on with the last topic
@given(st.one_of(st.text(), st.lists(PIECES).map("\n".join)))
def test_whatever_an_architect_writes_its_sections_are_numbered_and_have_titles(text: str) -> None:
    plan = read_outline(text, text)
    assert [section.number for section in plan.sections] == list(range(1, len(plan.sections) + 1))
    assert all(section.title for section in plan.sections)
    assert plan.parse == "markers" or 3 <= len(plan.sections) <= MOST_SECTIONS
    assert (plan.fault is None) == (3 <= len(plan.sections) <= MOST_SECTIONS)
    assert {section.length for section in plan.sections} <= {"Short", "Medium", "Long"}
    assert len({term.term.casefold() for term in plan.terms}) == len(plan.terms) <= 30
    assert plan.title
    assert plan.estimated_length
    for section in plan.sections:
        assert all(topic and all(word in text for word in topic.split()) for topic in section.key_topics)
