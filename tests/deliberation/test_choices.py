from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.choices import chosen_label, chosen_word, closed_word, labels_in, truth
from moot.deliberation.parsing import Shown

LEVELS = {"LOW": "LOW", "MEDIUM": "MEDIUM", "MED": "MEDIUM", "MODERATE": "MEDIUM", "HIGH": "HIGH"}
SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
VERDICTS = {"APPROV": "APPROVE", "REVIS": "REVISE", "REJECT": "REJECT"}
DEALT = ("Response A", "Response B", "Response C")


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("HIGH", "HIGH"),
        ("high (exploitable)", "HIGH"),
        ("🔴 High", "HIGH"),
        ("[LOW]", "LOW"),
        ("“Medium”, at most", "MEDIUM"),
        ("moderate", "MEDIUM"),
        ("MEDIUM, high at times", "MEDIUM"),
        ("MEDIUM - low risk", "MEDIUM"),
        ("not high", None),
        ("HIGHEST", None),
        ("LOW or MEDIUM or HIGH", None),
        ("LOW, MEDIUM or HIGH", None),
        ("LOW|HIGH", None),
        ("LOW / HIGH", None),
        ("<LOW or HIGH>", None),
        ("", None),
        ("unsure", None),
    ],
)
def test_a_value_begins_with_one_of_a_few_words(value: str, word: str | None) -> None:
    assert closed_word(value, LEVELS) == word


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("Approved.", "APPROVE"),
        ("APPROVE", "APPROVE"),
        ("Revision needed", "REVISE"),
        ("rejected", "REJECT"),
        ("cannot approve", None),
        ("[APPROVE|REVISE|REJECT]", None),
        ("APPROVE/REVISE", None),
    ],
)
def test_a_word_may_be_known_by_its_stem(value: str, word: str | None) -> None:
    assert closed_word(value, VERDICTS, stems=True) == word


@pytest.mark.parametrize(
    ("value", "word"), [("very high", "0.9"), ("High", "0.8"), ("very  low.", "0.1"), ("very", None)]
)
def test_the_longest_of_several_words_is_read(value: str, word: str | None) -> None:
    words = {"very high": "0.9", "high": "0.8", "low": "0.2", "very low": "0.1"}
    assert closed_word(value, words) == word


def test_the_word_after_the_last_readable_marker_is_chosen() -> None:
    text = "Severity: HIGH\nSeverity: [CRITICAL|HIGH|MEDIUM|LOW]\nSeverity: unclear"
    assert chosen_word(text, "SEVERITY", SEVERITIES) == "HIGH"
    assert chosen_word("nothing", "SEVERITY", SEVERITIES) is None


def test_a_quoted_word_is_not_chosen() -> None:
    shown = Shown(["VERDICT: APPROVED"])
    text = "VERDICT: REVISE\n> Verdict: Approved (says the work itself)"
    assert chosen_word(text, "VERDICT", VERDICTS, stems=True, shown=shown) == "REVISE"


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("Response B", "Response B"),
        ("response b.", "Response B"),
        ("[Response B] since", "Response B"),
        ("Response [B]", "Response B"),
        ('"Response B"', "Response B"),
        ("B", "Response B"),
        ("(b).", "Response B"),
        ("Response D", "Response D"),
        ("D", None),
        ("A better answer is B", None),
        ("Response X", None),
        ("Response BC", None),
        ("Response A or B", None),
        ("Response A/B", None),
        ("Response A or Response B", None),
        ("", None),
    ],
)
def test_a_value_begins_with_a_label(value: str, label: str | None) -> None:
    assert chosen_label(value, DEALT) == label


def test_the_letter_of_the_template_is_a_label_if_it_was_dealt() -> None:
    assert chosen_label("Response X", ("Response X",)) == "Response X"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Response A beats response b", ["Response A"]),
        ("response c, then response a", []),
        ("the single best response I can provide", []),
        ("GIVE THAT RESPONSE A CHANCE, SAYS RESPONSE B", ["Response B"]),
        ("The response I like: RESPONSE B", ["Response B"]),
        ("Give Response B that response a chance", ["Response B"]),
        ("Responses A and B", []),
        ("Response Apple", []),
    ],
)
def test_labels_are_named_in_order(text: str, labels: list[str]) -> None:
    assert labels_in([text]) == labels


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ("true", True),
        ("**Yes**, it would", True),
        ("False.", False),
        ("no", False),
        ("true or false", None),
        ("maybe", None),
    ],
)
def test_yes_and_no_are_read(value: str, meaning: bool | None) -> None:
    assert truth(value) is meaning


@given(st.text())
def test_no_text_is_read_as_what_was_not_offered(text: str) -> None:
    assert closed_word(text, LEVELS) in {None, *LEVELS.values()}
    assert closed_word(text, VERDICTS, stems=True) in {None, *VERDICTS.values()}
    read = chosen_word(text, "a", SEVERITIES, anywhere=True, shown=Shown([text]))
    assert read in {None, *SEVERITIES}
    assert chosen_label(text, DEALT) in {None, *DEALT}
    assert all(label.startswith("Response ") for label in labels_in([text]))
