"""What a layout prints for a model to replace is never a value; what a model put in its place is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import marker
from moot.deliberation.samples import Samples

LAYOUT = """\
SYNTHESIS:
<the answer>
DECISION: [REVISE|STAND|MERGE]
ACCURACY: <score> | <one sentence that points at a passage>
CONFIDENCE: <LOW or MEDIUM or HIGH>
ESTIMATE: <a plain number, in {unit}>
FINDING 1: Short title"""
SAMPLES = Samples(LAYOUT, "Short title", "Response X")


@pytest.mark.parametrize(
    "value",
    [
        "<the answer>",
        "the answer",
        "The Answer.",
        "  **<the answer>**\n",
        "[REVISE|STAND|MERGE]",
        "<score> | <one sentence that points at a passage>",
        "<score>",
        "<LOW or MEDIUM>",
        "<a plain number, in km>",
        "<a plain number, in million US dollars>",
        "Short title",
        "“Short Title”",
        "<short title>",
        "Response X",
        "",
        "  ",
    ],
)
def test_a_reply_that_repeats_a_sample_has_not_filled_that_field(value: str) -> None:
    assert SAMPLES.filled(value) is None


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        ("<196>", "196"),
        ("<HIGH>", "HIGH"),
        ("<Canberra>", "Canberra"),
        ("<the answer is 42>", "the answer is 42"),
        ("The answer is Canberra.", "The answer is Canberra."),
        ("Short titles mislead", "Short titles mislead"),
        ("8 | a sentence", "8 | a sentence"),
        ("STAND", "STAND"),
        ("Response B", "Response B"),
        ("List<int>", "List<int>"),
        ("a plain number, in km", "a plain number, in km"),
        ("<42 km>", "42 km"),
        ("<b>bold</b> claim", "<b>bold</b> claim"),
        ("…", "…"),
    ],
)
def test_what_a_model_puts_in_place_of_a_sample_is_the_value(value: str, filled: str) -> None:
    assert SAMPLES.filled(value) == filled


@given(st.text(max_size=60))
def test_a_layout_without_samples_finds_none(value: str) -> None:
    assert not Samples("ANSWER: in your own words").is_sample(value)


@given(
    st.sampled_from(["<the answer>", "Short title", "<score>"]), st.sampled_from(["", "*", "**", "`", '"'])
)
def test_decoration_makes_no_value_of_a_sample(sample: str, mark: str) -> None:
    assert SAMPLES.is_sample(f"{mark}{sample}{mark}")
    assert SAMPLES.is_sample(f"{mark}{sample.upper()}{mark}")


def test_a_filled_field_in_brackets_is_read_without_them() -> None:
    found = marker("ESTIMATE: <196>\nCONFIDENCE: <HIGH>", "ESTIMATE")
    assert found is not None
    assert (found.value, found.raw) == ("196", "196")
