from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.history.event_table import Facts, Table, facts_of, heading, row_in_words, words

LONG = "word " * 40


def event(data: Any, **more: Any) -> dict[str, Any]:
    return {"type": "some_complete", "at": 1500, "data": data, **more}


def as_words(facts: Facts) -> str:
    parts = [*map(table_text, facts.tables), *(f"{name} {value}" for name, value in facts.scalars)]
    if not parts:
        parts = [f"{text.name} {len(text.text.split()):,} words" for text in facts.texts]
    return ": ".join(part for part in (facts.who, "; ".join(parts)) if part)


def table_text(table: Table) -> str:
    rows = [row_in_words(table, row) for row in table.rows]
    return "; ".join(rows) if table.columns else f"{table.name} {', '.join(rows)}"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            [{"seat": 1, "model": "a/x", "response": LONG, "responseTimeMs": 2340}],
            "1. a/x: 40 words, 2.3 s",
        ),
        (
            {"votes": [{"seat": 2, "model": "b/y", "votedFor": None, "responseTimeMs": 400}], "isTie": False},
            "2. b/y: 0.4 s; is tie no",
        ),
        (
            {
                "tallies": {"Response A": 2, "Response B": 1},
                "labelToModel": {"Response A": "a/x", "Response B": "b/y"},
            },
            "tallies Response A 2 (a/x), Response B 1 (b/y); label to model Response A a/x, Response B b/y",
        ),
        (
            {"seat": 3, "model": "c/z", "average": 4.6, "scores": {"clarityOfText": 4}},
            "3. c/z: scores clarity of text 4; average 4.6",
        ),
        ({"seat": 3, "model": None, "round": 2}, "Seat 3: round 2"),
        (
            {"ranking": [{"label": "Response B", "position": 1}, {"label": "Response A", "position": 2}]},
            "label Response B, position 1; label Response A, position 2",
        ),
        (
            {"tiedLabels": ["Response A", "Response C"], "labelToSeat": {"Response A": 1}},
            "tied labels Response A, Response C",
        ),
        ({"proposal": LONG}, "proposal 40 words"),
        ([{"ok": True}, {"ok": True}], ""),
        ([], ""),
        ({}, ""),
        ("a scalar", "a scalar"),
    ],
)
def test_what_an_event_says_is_read_off_its_field_names(data: Any, said: str) -> None:
    assert as_words(facts_of(event(data))).strip() == said


def test_metadata_is_read_like_data() -> None:
    facts = facts_of(
        event([], metadata={"aggregateRankings": [{"seat": 1, "model": "a/x", "averageRank": 1.5}]})
    )
    assert as_words(facts) == "1. a/x: average rank 1.5"


def test_long_texts_are_kept_with_who_wrote_them() -> None:
    [text] = facts_of(event({"model": "a/x", "proposal": LONG})).texts
    assert (text.who, text.name, text.text) == ("a/x", "proposal", LONG)


def test_names_of_the_wire_become_words() -> None:
    assert words("averageRank") == "average rank"
    assert heading("all_jurors_complete") == "All jurors"
    assert heading("stage1_start") == "Stage 1"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_any_payload_is_read(data: Any) -> None:
    assert "\n" not in as_words(facts_of(event(data)))
