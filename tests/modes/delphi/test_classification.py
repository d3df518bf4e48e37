"""What a facilitator says of a question, and how it groups open answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import NOTHING_SHOWN
from moot.modes.delphi.answers import answer_key
from moot.modes.delphi.classification import (
    ClassificationReply,
    group_by_words,
    read_classification,
    read_codebook,
    scale_of,
)


def read(reply: str) -> ClassificationReply:
    return read_classification(reply, NOTHING_SHOWN)


def test_a_numeric_question_has_a_scale_and_a_unit() -> None:
    reading = read(
        "TYPE: NUMERIC\nSCALE: BOUNDED\nBOUNDS: 0 to 100 %\nUNIT: %\nOPTIONS:\nREASONING: It is a share."
    )
    assert reading == ClassificationReply("numeric", "BOUNDED", (0.0, 100.0), "%", (), "It is a share.")
    plain = read("**TYPE:** numeric\nSCALE: RATIO\nBOUNDS: NONE\nUNIT: people\nOPTIONS:\n- NONE")
    assert plain == ClassificationReply("numeric", "RATIO", None, "people", (), None)


@pytest.mark.parametrize(
    ("options", "listed"),
    [
        ("OPTIONS:\n- Red\n- Green, dark\n- Other\n- red", ["Red", "Green, dark"]),
        ("OPTIONS: Hybrid (core mono, rest poly), Mono", ["Hybrid (core mono, rest poly)", "Mono"]),
        ("OPTIONS: Red | Green | Blue", ["Red", "Green", "Blue"]),
        ("OPTIONS: Red; Green, dark", ["Red", "Green, dark"]),
        ("OPTIONS:\nRed\nGreen", ["Red", "Green"]),
        ("OPTIONS:\n1. Red\n2. Green", ["Red", "Green"]),
        ("OPTIONS:\nA) Red\nB) Green", ["Red", "Green"]),
        ("OPTIONS:\n- <one option per line; leave empty if NUMERIC>", []),
        ("OPTIONS: NONE", []),
        ("OPTIONS:\n" + "\n".join(f"- Option {n}" for n in range(15)), [f"Option {n}" for n in range(10)]),
    ],
)
def test_options_stand_one_per_line_or_parted(options: str, listed: list[str]) -> None:
    assert list(read(f"TYPE: QUALITATIVE\n{options}\nREASONING: So.").options) == listed


def test_a_reply_without_a_type_is_not_classified() -> None:
    assert read("I would call it a choice.").type is None
    assert read("TYPE: <NUMERIC or QUALITATIVE>").type is None
    assert read("").is_incomplete(None)
    assert read("TYPE: QUALITATIVE\nOPTIONS: a, b").is_incomplete(None) is False
    assert read("TYPE: NUMERIC").is_incomplete("qualitative")


@pytest.mark.parametrize(
    ("reading", "scale", "bounds"),
    [
        (ClassificationReply(unit="year"), "DATE", None),
        (ClassificationReply(unit="%"), "BOUNDED", (0, 100)),
        (ClassificationReply(unit="USD"), "RATIO", None),
        (ClassificationReply(), "RATIO", None),
        (ClassificationReply(scale="BOUNDED", unit="points"), "RATIO", None),
        (ClassificationReply(scale="BOUNDED", unit="points", bounds=(1, 10)), "BOUNDED", (1, 10)),
        (ClassificationReply(scale="MAGNITUDE", unit="%"), "MAGNITUDE", None),
    ],
)
def test_what_is_missing_of_a_scale_follows_from_the_unit(
    reading: ClassificationReply, scale: str, bounds: tuple[float, float] | None
) -> None:
    assert scale_of(reading) == (scale, bounds)


@pytest.mark.parametrize(
    ("reply", "groups"),
    [
        ("OPTION A: Red = 1, 3\nOPTION B: Blue = 2", [("Red", [1, 3]), ("Blue", [2])]),
        ("**Option A: x = y = 1 2 3**", [("x = y", [1, 2, 3])]),
        ("OPTION A: Red = 1, 3", None),
        ("OPTION A: Red\nOPTION B: Blue = 1, 2, 3", [("Blue", [1, 2, 3])]),
        ("OPTION A: Red = 1, 2\nOPTION B: Blue = 2, 3", None),
        ("OPTION A: Red = 1, 2, 3, 4", None),
        ("nothing", None),
    ],
)
def test_a_codebook_names_every_answer_once(reply: str, groups: list[tuple[str, list[int]]] | None) -> None:
    assert read_codebook(reply, 3) == groups


def test_without_a_codebook_the_same_words_are_the_same() -> None:
    assert group_by_words(["Red!", "blue", "red"]) == [("Red!", [1, 3]), ("blue", [2])]


REPLIES = st.text() | st.lists(
    st.sampled_from(
        [
            "TYPE",
            "SCALE",
            "BOUNDS",
            "UNIT",
            "OPTIONS",
            "REASONING",
            "OPTION A",
            "OPTION B",
            ":",
            "=",
            "\n",
            "- ",
            "NUMERIC",
            "QUALITATIVE",
            "BOUNDED",
            "0 to 100",
            "9 to 1",
            "%",
            "Red",
            "red",
            "Other",
            "1, 2",
            "3",
            ";",
        ]
    )
).map(" ".join)


@given(REPLIES)
def test_whatever_a_facilitator_writes_its_scale_is_whole_and_its_options_differ(reply: str) -> None:
    reading = read(reply)
    assert len({option.casefold() for option in reading.options}) == len(reading.options) <= 10
    assert not {"", "other", "none"} & {option.casefold() for option in reading.options}
    scale, bounds = scale_of(reading)
    assert (scale == "BOUNDED") == (bounds is not None)
    assert bounds is None or bounds[0] < bounds[1]
    assert reading.unit is None or 0 < len(reading.unit) <= 60


@given(REPLIES, st.integers(1, 7))
def test_a_codebook_is_a_partition_of_the_answers(reply: str, count: int) -> None:
    groups = read_codebook(reply, count)
    if groups is not None:
        assert sorted(number for _, members in groups for number in members) == list(range(1, count + 1))
        assert all(name and members for name, members in groups)


@given(st.lists(st.sampled_from(["Red", "red!", "RED", "blue", "Blue.", "?", "!"]), min_size=1, max_size=7))
def test_answers_of_the_same_words_are_one_group(answers: list[str]) -> None:
    groups = group_by_words(answers)
    assert sorted(number for _, members in groups for number in members) == list(range(1, len(answers) + 1))
    for name, members in groups:
        assert {answer_key(answers[number - 1]) for number in members} == {answer_key(name)}
