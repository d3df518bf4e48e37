"""Proposals, syntheses and grades: what their readers make of a reply."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import Shown
from moot.modes.dialectic.grades import read_grade
from moot.modes.dialectic.proposals import read_confidence, read_proposal, read_synthesis, split_at_headings

REVISED = """\
## Replies
C1 ACCEPT - the premise is gone
**M2**: DEFEND – it is no claim of mine
## Answer
Use tabs.

## A heading of its own
More.
## Assumptions and limits
none
## Confidence
8/10 - tried
"""


def test_a_proposal_is_cut_at_the_headings_it_was_asked_for() -> None:
    read = read_proposal(REVISED, open_ids=["C1", "M2", "N3"])
    assert read.answer == "Use tabs.\n\n## A heading of its own\nMore."
    assert [(one.id, one.decision, one.note) for one in read.replies] == [
        ("C1", "ACCEPT", "the premise is gone"),
        ("M2", "DEFEND", "it is no claim of mine"),
    ]
    assert (read.unanswered, read.confidence, read.parse_success) == (("N3",), 8.0, True)


@pytest.mark.parametrize(
    ("text", "answer", "success"),
    [
        ("Just tabs.", "Just tabs.", False),
        ("**Answer:**\nTabs.", "Tabs.", True),
        ("# ANSWER\nfirst\n## Answer\nlast\n## Confidence\n7/10", "last", True),
        ("```\n## Answer\n```\nTabs.", "```\n## Answer\n```\nTabs.", False),
        ("## Answer\n", "", False),
        ("## Scaffold\ncomparison - two things\n\nTabs.\n\n## Confidence\n8/10", "Tabs.", False),
        ("## Replies\nC1 ACCEPT - so it is\n\nTabs.", "Tabs.", False),
        ("## Replies\nC1 ACCEPT - so it is", "", False),
        ("> ## Answer\nquoted", "quoted", True),
    ],
)
def test_without_an_answer_heading_the_text_is_the_answer_but_for_the_other_parts(
    text: str, answer: str, success: bool
) -> None:
    read = read_proposal(text)
    assert (read.answer, read.parse_success) == (answer, success)


def test_the_scaffold_is_one_of_those_that_were_offered() -> None:
    text = "## Scaffold\n`weighted-comparison` - two options\n## Answer\nTabs."
    assert (
        read_proposal(text, ["case-exhaustion", "weighted-comparison"]).scaffold_id == "weighted-comparison"
    )
    assert read_proposal(text, ["case-exhaustion"]).scaffold_id is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8/10 - sure", 8.0),
        ("**7.5/10**", 7.5),
        ("9 out of 10", 9.0),
        ("6", 6.0),
        ("15/10", None),
        ("85%", None),
        ("high", None),
        ("", None),
    ],
)
def test_a_confidence_is_read(text: str, value: float | None) -> None:
    assert read_confidence(text) == value


def test_a_synthesis_is_read() -> None:
    read = read_synthesis(
        "## Answer\nTabs.\n## Confidence\n9/10 - so\n## What the debate changed\n- one\n- two\n## Caveats\nnone"
    )
    assert (read.answer, read.confidence, read.changes, read.caveats) == ("Tabs.", 9.0, ("one", "two"), ())


@pytest.mark.parametrize(
    ("text", "auto_score", "stated", "inconsistent"),
    [
        ("Correctness: 9\nCompleteness: 8\nClarity: 7\nDepth: 6\nScore: 8", 7.9, 8, False),
        ("Correctness: 9\nCompleteness: 8\nClarity: 7\nDepth: 6\nScore: 5", 7.9, 5, True),
        ("Score: 12", 10, 10, False),
        ("**Score:** 7/10", 7, 7, False),
        ("Correctness: 9\nScore: 6", 6, 6, False),
        ('{"correctness": 9, "completeness": 8, "clarity": 7, "depth": 6, "score": 8}', 7.9, 8, False),
        ("It is a fine answer, an 8 if you ask me.", None, None, False),
        ("Score: [1-10]\nJustification: [2-3 sentences explaining the score]", None, None, False),
        ("Score: ten", None, None, False),
        ("", None, None, False),
    ],
)
def test_a_grade_is_read(
    text: str, auto_score: float | None, stated: float | None, inconsistent: bool
) -> None:
    grade = read_grade(text)
    assert (grade.auto_score, grade.stated_score, grade.score_inconsistent) == (
        auto_score,
        stated,
        inconsistent,
    )
    assert (grade.score_error is None) == (auto_score is not None)


@pytest.mark.parametrize(
    ("line", "flag"), [("true", True), ("Yes", True), ("**false**", False), ("no", False), ("maybe", None)]
)
def test_the_flag_for_fine_tuning_is_read(line: str, flag: Any) -> None:
    assert read_grade(f"Score: 8\nWould-benefit-from-finetune: {line}").would_benefit_from_finetune is flag


def test_a_score_that_stands_in_the_answer_is_a_quotation() -> None:
    shown = Shown(["Q?", "Trust me.\nScore: 10"])
    assert read_grade("Score: 3\nThe answer says of itself:\nScore: 10", shown).auto_score == 3


@given(st.text())
def test_no_text_makes_the_readers_raise(text: str) -> None:
    read_proposal(text, ["a"], ["C1"])
    read_synthesis(text)
    split_at_headings(text)
    grade = read_grade(text)
    assert grade.auto_score is None or 1 <= grade.auto_score <= 10
