"""Sections: cleaned, cut into passages, measured."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moot.deliberation.text import word_count
from moot.modes.blueprint.outline import Length
from moot.modes.blueprint.section import (
    LengthStatus,
    canonical,
    clean_section,
    condense,
    covered_topics,
    length_status,
    number_paragraphs,
    paragraphs,
    passages,
    remove_paragraphs,
)


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count))


@pytest.mark.parametrize(
    ("reply", "body", "trimmed"),
    [
        ("## Section 3: Data\nText.", "Text.", 0),
        ("```markdown\n## Section 3: Data\nText.\n```", "Text.", 0),
        ("Sure, here it is!\n\n## Section 3: Data\nText.", "Text.", 4),
        ("**Section 3: Data**\n\nText.", "Text.", 0),
        ("Section 3: Data\nText.", "Text.", 0),
        ("# Data\nText.", "Text.", 0),
        ("Text alone.", "Text alone.", 0),
        (f"{words(61)}\n## Section 3: Data\nText.", f"{words(61)}\nText.", 0),
        (f"{words(60)}\n## Section 3: Data\nText.", "Text.", 60),
        ("## Section 3: Data\n## Why\nText.\n### How\nMore.", "### Why\n\nText.\n\n#### How\n\nMore.", 0),
        ("## Section 3: Data\n#### Why\nText.", "### Why\n\nText.", 0),
        (f"## Section 3: Data\n{words(50)}\n## Section 4: x\nNot mine.", words(50), 6),
        (f"## Section 3: Data\n{words(50)}\n**Section 4: x**\nNot mine.", words(50), 5),
        (
            f"## Section 3: Data\n{words(49)}\n## Section 4: x\nNot mine.",
            f"{words(49)}\n\n### Section 4: x\n\nNot mine.",
            0,
        ),
        (
            f"## Section 3: Data\n{words(50)}\n\n```\n## Section 4: x\n```\n\nMine.",
            f"{words(50)}\n\n```\n## Section 4: x\n```\n\nMine.",
            0,
        ),
        (
            f"{words(50)}\n### Section 3.2: still mine\nx",
            f"{words(50)}\n\n### Section 3.2: still mine\n\nx",
            0,
        ),
        ("## Section 3: Data\nText.\n```\nopen", "Text.\n\n```\nopen\n```", 0),
        ("## Section 3: Data\n", "", 0),
    ],
)
def test_a_section_is_cleaned(reply: str, body: str, trimmed: int) -> None:
    section = clean_section(reply, 3, "Data")
    assert (section.body, section.trimmed_words) == (body, trimmed)


BODY = """### Why

First paragraph
goes on.

| a | b |
|---|---|

- a list
- of two

```
code

with a blank line
```

Last."""


def test_a_body_falls_into_passages() -> None:
    assert [part.kind for part in passages(BODY)] == ["heading", "text", "table", "text", "code", "text"]
    assert paragraphs(BODY) == ["First paragraph\ngoes on.", "- a list\n- of two", "Last."]
    assert number_paragraphs(BODY, 4).count("[4.") == 3
    assert "[4.2] - a list" in number_paragraphs(BODY, 4)
    assert remove_paragraphs(BODY, [2]) == BODY.replace("- a list\n- of two\n\n", "")
    assert remove_paragraphs(BODY, []) == BODY


def test_two_blocks_of_code_are_two() -> None:
    assert [part.kind for part in passages("```\na\n```\n```\nb\n```")] == ["code", "code"]


def test_a_condensed_section_is_its_headings_and_its_beginning() -> None:
    assert condense(f"### A\n\n{words(300)}\n\n### B\n\nx") == f"### A\n### B\n{words(200)}"


@pytest.mark.parametrize(
    ("count", "length", "status"),
    [
        (99, "Short", "under"),
        (100, "Short", "ok"),
        (750, "Short", "ok"),
        (751, "Short", "over"),
        (249, "Medium", "under"),
        (1500, "Medium", "ok"),
        (3001, "Long", "over"),
    ],
)
def test_a_length_is_held_against_the_plan(count: int, length: Length, status: LengthStatus) -> None:
    assert length_status(count, length) == status


@pytest.mark.parametrize(
    ("topic", "is_covered"),
    [
        ("audit log retention", False),
        ("stop times", True),
        ("calendars and their policies", True),
        ("the data", True),
        ("storing trips", True),
        ("gateway", False),
    ],
)
def test_a_topic_is_covered_by_its_stems_within_three_sentences(topic: str, is_covered: bool) -> None:
    body = (
        "Each stop has a time. Calendars come next. A policy rules them. Data is stored.\n\n"
        "Filler one. Filler two. A trip is stored. Audit it is called. Far. Away. Off. Log."
    )
    assert covered_topics([topic], body) == ([topic] if is_covered else [])


def test_a_topic_needs_its_words_close_together() -> None:
    assert covered_topics(["audit log"], "The audit is here. One. Two. Three. The log is there.") == []
    assert covered_topics(["audit log"], "The audit is here. One. Two. The log is there.") == []
    assert covered_topics(["audit log"], "The audit is here. One. The log is there.") == ["audit log"]


@pytest.mark.parametrize(("body", "is_covered"), [("An audit of the log.", True), ("An audit.", False)])
def test_two_words_of_three_are_enough_for_a_topic(body: str, is_covered: bool) -> None:
    assert bool(covered_topics(["audit log retention"], body)) is is_covered


def test_words_without_meaning_make_no_topic_of_nothing() -> None:
    assert covered_topics(["of the"], "") == []


@given(st.text(alphabet="ab# `\n|*-Section1.", max_size=200))
def test_a_canonical_body_stays_as_it_is(text: str) -> None:
    body = canonical(text)
    assert canonical(body) == body
    assert remove_paragraphs(body, []) == body


PIECES = st.sampled_from(
    [
        "## Section 3: Data",
        "## Section 4: x",
        "**Section 4: x**",
        "### How",
        "```",
        "| a | b |",
        "",
        words(50),
        "Mine.",
        "- a",
    ]
)
TEXTS = st.text() | st.lists(PIECES).map("\n".join)


@example(">0", 1)  # a reply that is one block quote
@given(TEXTS, st.integers(1, 20))
def test_a_cleaned_section_holds_words_of_the_reply_in_order_and_counts_the_others(
    text: str, number: int
) -> None:
    section = clean_section(text, number, "Data")
    own = [word.lstrip(">") for word in section.body.split() if set(word) - set("#`>")]
    left = iter(word.lstrip(">") for word in text.split())
    assert all(word in left for word in own)
    assert 0 <= section.trimmed_words <= word_count(text)
    assert word_count(section.body) + section.trimmed_words <= word_count(text) + 1


@given(TEXTS)
def test_every_passage_is_kept_and_every_paragraph_has_its_number(text: str) -> None:
    body = canonical(text)
    numbered = paragraphs(body)
    assert number_paragraphs(body, 7).count("[7.") >= len(numbered)
    assert all(f"[7.{place}] {one}" in number_paragraphs(body, 7) for place, one in enumerate(numbered, 1))
    assert paragraphs(remove_paragraphs(body, [1])) == numbered[1:]


@given(
    st.lists(st.sampled_from(["audit log", "stop times", "data", "of the", "gateway"]), unique=True), TEXTS
)
def test_topics_covered_are_topics_of_the_plan_and_one_that_is_said_is_covered(
    topics: list[str], body: str
) -> None:
    covered = covered_topics(topics, body)
    assert covered == [topic for topic in topics if topic in covered]
    words = [topic for topic in topics if topic in covered_topics(topics, f"{body}\n\nAs to {topic}, yes.")]
    assert set(covered) <= set(words)
    assert all(topic in covered_topics([topic], f"{body}\n\nThe {topic}.") for topic in topics)
