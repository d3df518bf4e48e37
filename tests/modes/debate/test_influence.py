"""Which answers a reason names; the page reads the same way (`web/tests/modes/debate/letters.test.ts`)."""

from __future__ import annotations

import pytest

from moot.modes.debate.influence import labels_named


@pytest.mark.parametrize(
    ("reasoning", "letters"),
    [
        ("Response B is right.", "B"),
        ("Responses A, C and D all say so.", "ACD"),
        ("Response A and Response C differ; response A wins.", "AC"),
        ("I keep my response as it is.", ""),
        ("My response Is fine.", ""),
        ("Response B's point stands.", "B"),
        ("", ""),
        (None, ""),
    ],
)
def test_the_answers_that_a_reason_names(reasoning: str | None, letters: str) -> None:
    assert labels_named(reasoning) == [f"Response {letter}" for letter in letters]
