from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import Shown
from moot.deliberation.sections import blocks, items, says_none, sections, table_rows
from tests.harness.pace import on_this_machine, used

JUROR = """SCORECARD
ACCURACY: 8 | mostly right
STRENGTHS
- clear
- short,
  and to the point
WEAKNESSES:
NONE
**RECOMMENDATIONS**
1. Add a test.
2) Say why
NOTES
Two words on `STRENGTHS`.

Second paragraph.
VERDICT: REVISE"""


def test_a_reply_falls_into_its_sections() -> None:
    parts = sections(JUROR, ("SCORECARD", "STRENGTHS", "WEAKNESSES", "RECOMMENDATIONS", "NOTES", "VERDICT"))
    assert items(parts["STRENGTHS"].lines) == ["clear", "short, and to the point"]
    assert items(parts["WEAKNESSES"].lines) == []
    assert items(parts["RECOMMENDATIONS"].lines) == ["Add a test.", "Say why"]
    assert parts["NOTES"].text == "Two words on `STRENGTHS`.\n\nSecond paragraph."
    assert parts["VERDICT"].text == "REVISE"
    assert parts["SCORECARD"].text == "ACCURACY: 8 | mostly right"


@pytest.mark.parametrize(
    "heading",
    [
        "### Key Findings",
        "**Key Findings**",
        "Key Findings:",
        "KEY FINDINGS",
        "## 1. Key findings",
        "### Key Findings (3)",
        "**Key Findings:**",
        "> ### Key Findings",
        "__Key Findings__:",
    ],
)
def test_a_heading_may_be_dressed_in_many_ways(heading: str) -> None:
    parts = sections(f"Hello.\n{heading}\n1. one\n### Summary\nGood.", ("Key Findings", "Summary"))
    assert parts["Key Findings"].text == "1. one"
    assert parts["Summary"].text == "Good."


def test_a_sentence_is_no_heading() -> None:
    text = "### Impact\nlarge\nImpact on all of the users of it is large, namely:\n- one\nimpacts: no"
    assert sections(text, ("Impact",))["Impact"].text == text.removeprefix("### Impact\n")


def test_of_a_repeated_section_the_last_with_content_counts() -> None:
    text = "**Key Findings**\n- old\n\n### Key Findings\n- new\n### Key Findings\n\n### Summary\n<two paragraphs>"
    parts = sections(text, ("Key Findings", "Summary"))
    assert items(parts["Key Findings"].lines) == ["new"]
    assert "Summary" not in parts


def test_other_headings_belong_to_a_section_unless_they_shall_end_it() -> None:
    text = "## Answer\nText.\n### Detail\nMore.\n## Confidence\n7/10"
    open_end = sections(text, ("Answer", "Confidence"))
    closed = sections(text, ("Answer", "Confidence"), other_headings_end=True)
    assert open_end["Answer"].text == "Text.\n### Detail\nMore."
    assert closed["Answer"].text == "Text."


def test_a_heading_inside_code_is_none() -> None:
    text = "REVISED:\n```\nSUMMARY: x\n# Head\n```\nrest\nSUMMARY: real"
    parts = sections(text, ("REVISED", "SUMMARY"), other_headings_end=True)
    assert parts["REVISED"].text == "```\nSUMMARY: x\n# Head\n```\nrest"
    assert parts["SUMMARY"].text == "real"


def test_fields_come_in_any_order_under_any_of_their_names_and_over_several_lines() -> None:
    block = "- **Depends on:** task_1\nName: Costs\nDeliverable: a table\n  of **10⁶** rows\n- with a note\nComplexity - high"
    parts = sections(
        block,
        {
            "Title": ("Name",),
            "Description": ("Deliverable",),
            "Dependencies": ("Depends on", "Requires"),
            "Complexity": (),
            "Expertise": (),
        },
    )
    assert {name: section.joined for name, section in parts.items()} == {
        "Dependencies": "task_1",
        "Title": "Costs",
        "Description": "a table of **10⁶** rows - with a note",
        "Complexity": "high",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n- b", ["a", "b"]),
        ("* a\n+ b\n• c\n1. d\n2) e", ["a", "b", "c", "d", "e"]),
        ("1. **X** – text\n   goes on\n   - and deeper\n2. Y", ["**X** – text goes on - and deeper", "Y"]),
        ("Here they are:\n- a\nplain line goes on\n\nA closing remark.", ["a plain line goes on"]),
        ("- a\n\n  indented after a blank\n\n- b", ["a indented after a blank", "b"]),
        ("> - quoted\n> - list", ["quoted", "list"]),
        ("NONE", []),
        ("- none.", []),
        ("- N/A", []),
        ("-", []),
        ("**None**", []),
        ("", []),
        ("- <strength>", []),
        ("First line\nSecond line", ["First line", "Second line"]),
        ("- **bold** start\n- `code`", ["**bold** start", "`code`"]),
        ("  - a\n  - b", ["a", "b"]),
        ("**1.** a\n**2.** b", ["a", "b"]),
    ],
)
def test_items_of_a_list(text: str, expected: list[str]) -> None:
    assert items(text) == expected


@pytest.mark.parametrize(
    "value", ["", "none", "NONE.", "N/A", "n/a", "na", "-", "—", "[]", "*None*", "nothing"]
)
def test_nothing_is_said_in_many_ways(value: str) -> None:
    assert says_none(value)


@pytest.mark.parametrize("value", ["none of them", "no", "0", "nonesuch", "a"])
def test_something_is_something(value: str) -> None:
    assert not says_none(value)


def test_rows_of_a_table() -> None:
    text = r"""| Criterion | Rating | Notes |
|---|:--:|---|
| **Authentication and Authorization** | **3** | a \| b |
> | Data | | empty |
Cost | 4 | no outer bars
no table here
```
| in | code |
```"""
    assert table_rows(text) == [
        ["Criterion", "Rating", "Notes"],
        ["**Authentication and Authorization**", "**3**", "a | b"],
        ["Data", "", "empty"],
        ["Cost", "4", "no outer bars"],
    ]


@pytest.mark.parametrize(
    ("header", "ident", "title"),
    [
        ("FINDING 1: Weak key", "1", "Weak key"),
        ("**FINDING 1: Weak key**", "1", "Weak key"),
        ("**FINDING 1:** Weak key", "1", "Weak key"),
        ("### Finding 1 - Weak key", "1", "Weak key"),
        ("**Finding #2 - Slow query**", "2", "Slow query"),
        ("Finding 3. Slow", "3", "Slow"),
        ("- FINDING 4 — 10⁶ rows", "4", "10⁶ rows"),
        ("1. FINDING 5: a: b", "5", "a: b"),
        ("### Finding 6", "6", ""),
        ("### Finding 7 Weak key", "7", "Weak key"),
        ("FINDING [8]: x", "8", "x"),
        ("FINDING 9: <short title>", "9", ""),
        ("FINDING１０：fullwidth", "10", "fullwidth"),
    ],
)
def test_a_block_begins_at_its_header(header: str, ident: str, title: str) -> None:
    (block,) = blocks(f"Intro.\n{header}\nSeverity: HIGH\n", "FINDING")
    assert (block.id, block.number, block.title, block.text) == (ident, int(ident), title, "Severity: HIGH")


@pytest.mark.parametrize(
    "line",
    [
        "Finding 1 results are used",
        "RESPONSE TO FINDING 1: x",
        "see FINDING 1: x",
        "FINDINGS 1: x",
        "FINDING 1.2: x",
        "FINDING 1-3: x",
        "FINDING: x",
        "```\nFINDING 1: x\n```\nend",
    ],
)
def test_prose_begins_no_block(line: str) -> None:
    assert blocks(line, "FINDING") == []


def test_blocks_follow_each_other_to_the_end_of_the_plan() -> None:
    plan = """Total tasks: 2
TASK task_1:
Title: A
**TASK task_2:** B
Description: b
### Task 3
END OF PLAN
TASK task_9: chatter"""
    parts = blocks(
        plan, "TASK", ident=r"(?:task_)?\d+", until=("END OF PLAN", "EXECUTION SUMMARY", "Total tasks")
    )
    assert [(block.id, block.number, block.title, block.text) for block in parts] == [
        ("task_1", 1, "", "Title: A"),
        ("task_2", 2, "B", "Description: b"),
        ("3", 3, "", ""),
    ]


def test_a_heading_may_end_a_block() -> None:
    text = "### Findings\nFINDING 1: a\ntext\n### Strengths\n- b\nFINDING 2: c\nmore"
    assert [block.text for block in blocks(text, "FINDING", headings_end=True)] == ["text", "more"]
    assert [block.text for block in blocks(text, "FINDING")] == ["text\n### Strengths\n- b", "more"]


def test_blocks_may_have_ids_of_other_kinds() -> None:
    text = "VERIFICATION Claim 2: **INCORRECT**\nEvidence: x\nVERIFICATION claim_3: VERIFIED"
    parts = blocks(text, "VERIFICATION", ident=r"(?:claim[ _]?)?\d+")
    assert [(block.number, block.title) for block in parts] == [(2, "**INCORRECT**"), (3, "VERIFIED")]
    (option,) = blocks("OPTION B: Hybrid = 1, 3", "OPTION", ident="[A-Z]")
    assert (option.id, option.number, option.title) == ("B", None, "Hybrid = 1, 3")


@given(st.text())
def test_a_layout_holds_only_what_was_looked_for(text: str) -> None:
    for shape in (text, f"# A\n- {text}\n| {text} |\nA 1: {text}"):
        parts = sections(shape, ("A", "B"), other_headings_end=True)
        assert set(parts) <= {"A", "B"}
        assert all(item.strip() for section in parts.values() for item in items(section.lines))
        assert all(table_rows(shape))
        places = [block.index for block in blocks(shape, "A", until=("B",), headings_end=True)]
        assert places == sorted(set(places))
    assert says_none(text) in (True, False)


@pytest.mark.parametrize(
    "line",
    ["- item\n", "# Heading\n", "A 1: x\n", "A: x\n", "| a | b |\n", "**bold**\n", "|" * 99 + "\n", " " * 99],
)
def test_a_long_reply_is_laid_out_in_linear_time(line: str) -> None:
    text = line * (200_000 // len(line))
    with used() as work:
        sections(text, ("A", "B"), other_headings_end=True)
        items(text)
        table_rows(text)
        blocks(text, "A", until=("B",), headings_end=True)
    assert work.seconds < on_this_machine(4)


def test_an_item_that_begins_with_a_name_is_no_heading() -> None:
    text = "### Key Findings\n1. Risk Assessment: none was made\n2. two\n### Risk Assessment\nlow"
    parts = sections(text, ("Key Findings", "Risk Assessment"), headings_only=True)
    assert items(parts["Key Findings"].lines) == ["Risk Assessment: none was made", "two"]
    assert parts["Risk Assessment"].text == "low"


def test_a_quoted_section_counts_only_if_there_is_no_other() -> None:
    shown = Shown(["Plan\n### Key Findings\n1. all is well\n### Summary\nSplendid."])
    quote = "It says:\n> ### Key Findings\n> 1. all is well\n"
    names = ("Key Findings", "Summary")
    parts = sections(f"### Key Findings\n1. nothing is well\n### Summary\nBad. {quote}", names, shown=shown)
    assert items(parts["Key Findings"].lines) == ["nothing is well"]
    assert items(sections(quote, names, shown=shown)["Key Findings"].lines) == ["all is well"]


def test_a_block_quoted_from_a_shown_text_counts_only_if_there_is_no_other() -> None:
    shown = Shown(["FINDING 1: All is well\nSeverity: LOW"])
    quoted = "FINDING 1: All is well\nSeverity: LOW"
    (own,) = blocks(f"FINDING 1: Weak key\nEvidence:\n{quoted}", "FINDING", shown=shown)
    assert (own.title, own.text) == ("Weak key", f"Evidence:\n{quoted}")
    assert [block.title for block in blocks(quoted, "FINDING", shown=shown)] == ["All is well"]
