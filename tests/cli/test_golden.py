"""What a person reads on a terminal, as files to be read: every mode's story, at 80 and at 140 columns.

Write them anew with `pytest tests/cli/test_golden.py --write-golden`, and read what has changed.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import pytest
from rich.cells import cell_len

from moot.cli.terminal import Passages, Screen
from moot.kernel.events import Event
from moot.kernel.narration import Passage
from moot.modes import MODES
from tests.harness.chamber import Chamber
from tests.laws.test_every_mode import CONFIG, QUESTION, simulated

GOLDEN = Path(__file__).parent / "golden"
TIMES = re.compile(r"\b\d+\.\d s\b")
CHANCE = "times as fast"
"""What is only said where it is so."""


@pytest.mark.usefixtures("same_day")
@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("mode", MODES)
async def test_a_story_reads_as_it_did(
    mode: str, columns: int, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "token_hex", same_seed)
    async with Chamber() as chamber:
        chamber.server.script.models, chamber.server.script.default = {}, simulated
        held = await chamber.deliberate(mode, QUESTION, **CONFIG.get(mode, {}))
    drawn = drawing(mode, held.story, columns)
    file = GOLDEN / f"{mode}.{columns}.txt"
    if request.config.getoption("--write-golden"):
        file.write_text(drawn)
    assert file.exists(), f"{mode} has no {file.name} yet: add --write-golden, and read what it writes"
    assert drawn == file.read_text()
    assert max(cell_len(line) for line in drawn.splitlines()) <= columns


def same_seed(nbytes: int | None = None) -> str:
    """At both widths the same story."""
    return "5a" * (nbytes or 32)


def drawing(mode: str, story: list[Event], columns: int) -> str:
    narration = MODES[mode].narration
    assert narration is not None
    screen, passages = Screen(), Passages()
    screen.width = columns
    told = [narration.tell(event, story[:number]) for number, event in enumerate(story, 1)]
    with screen.capture() as drawn:
        for passage in in_order(list(filter(None, told))):
            screen.print(passages.view(passage))
    lines = TIMES.sub("1.0 s", drawn.get()).splitlines()
    return "\n".join(line.rstrip() for line in lines if CHANCE not in line) + "\n"


def in_order(passages: list[Passage]) -> list[Passage]:
    """Who finishes first is chance: stage by stage, and within one by its sentences."""
    stages = list(dict.fromkeys(passage.heading for passage in passages))
    return sorted(passages, key=lambda one: (stages.index(one.heading), one.bars != (), one.sentences))
