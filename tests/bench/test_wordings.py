"""The wordings of the prompt trials: each can be put, the one in use is the mode's own, a kept reply counts."""

from __future__ import annotations

import re

import pytest
from bench.real.wordings import CASES, TRIALS

from tests.real.canonicals import CANONICALS

KEPT = {
    "council ranking": "council ranking",
    "confidence-weighted synthesis": "confidence_weighted synthesis",
    "red-team attack": "red_team attack",
    "fact-check extraction": "fact_check extract",
    "peer review": "peer_review review",
}
PLAIN = {f"{one.mode} {one.kind}": one.text for one in reversed(CANONICALS)}


@pytest.mark.parametrize("trial", TRIALS)
def test_every_wording_is_another_prompt_with_the_same_material(trial: str) -> None:
    for case in range(CASES):
        prompts = [wording(case) for wording in TRIALS[trial].wordings.values()]
        assert len(set(prompts)) == len(prompts)
        assert not [prompt for prompt in prompts if re.search(r"\{[a-zA-Z]+\}", prompt)]


def test_a_reply_that_keeps_the_layout_counts_as_kept_and_an_apology_does_not() -> None:
    for trial, kind in KEPT.items():
        assert TRIALS[trial].kept(PLAIN[kind]), trial
    assert TRIALS["delphi later choice"].kept("ANSWER: A) 88\nCONFIDENCE: HIGH\nREASONING: I counted.")
    for one in TRIALS.values():
        assert not one.kept("I'm sorry, I can't help with that.")
