"""What people are told of a run: every mode narrates its stages, under the names the page has for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from moot.kernel.mode import Mode
from moot.kernel.narration import Narration, Passage
from moot.modes import MODES
from tests.laws.test_every_mode import deliberated

PAGE = Path(__file__).parents[2] / "web" / "src" / "modes"
NAMED = re.compile(r"(\w+): '([^']+)'")
FIELDS = re.compile(r"[a-z]+[A-Z]\w*|\b(?:True|False|None)\b|\w+=")
"""What slips in when a record is printed instead of told."""


def narration(mode: Mode[Any]) -> Narration:
    assert mode.narration is not None, f"{mode.id} has no narration"
    return mode.narration


@pytest.mark.parametrize("mode", MODES.values(), ids=lambda mode: mode.id)
def test_every_stage_has_a_name(mode: Mode[Any]) -> None:
    unnamed = [type for type in mode.stage_starts if narration(mode).stage(type) is None]
    assert unnamed == []


@pytest.mark.parametrize("mode", MODES.values(), ids=lambda mode: mode.id)
def test_stages_are_called_as_on_the_page(mode: Mode[Any]) -> None:
    names = re.search(r"names: \{(.*?)\}", (PAGE / mode.id / "index.ts").read_text(), re.DOTALL)
    assert names is not None
    on_the_page = dict(NAMED.findall(names[1]))
    told = narration(mode).stages
    assert {stage: on_the_page[stage] for stage in told if stage in on_the_page} == {
        stage: name for stage, name in told.items() if stage in on_the_page
    }


@pytest.mark.parametrize("mode", MODES.values(), ids=lambda mode: mode.id)
async def test_a_whole_run_is_told_in_sentences(mode: Mode[Any]) -> None:
    story = (await deliberated(mode.id)).story
    passages = [
        passage
        for number, event in enumerate(story, 1)
        if (passage := narration(mode).tell(event, story[:number])) is not None
    ]
    assert len(passages) >= 2
    assert all(passage.heading for passage in passages)
    for sentence in sentences(passages):
        assert not FIELDS.search(sentence), sentence
        assert " %" not in sentence, sentence
        assert sentence == " ".join(sentence.split())


def sentences(passages: list[Passage]) -> list[str]:
    return [sentence for passage in passages for sentence in passage.sentences]
