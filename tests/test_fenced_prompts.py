"""Every prompt of every mode, as a model server receives it: what others wrote stands behind the fence."""

from __future__ import annotations

import re

import pytest

from moot.modes import MODES
from moot.testing import Received
from tests.chamber import Chamber
from tests.simulating import CAST, simulated_reply
from tests.test_databases import QUESTION
from tests.test_kill_modes import CONFIG

FENCED = re.compile(r"^<<<([0-9a-f]{8})$.*?^\1>>>$", re.MULTILINE | re.DOTALL)
LONGEST_VALUE = 200
"""A value in one line, read from a reply, may stand in a prompt up to this length: an option, a title."""
LENGTH = 10
"""Words of a phrase by which a text is known."""


def phrases(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return {tuple(words[at : at + LENGTH]) for at in range(len(words) - LENGTH + 1)}


def unmistakable(text: str) -> set[tuple[str, ...]]:
    """Phrases that no prompt of ours holds by chance, but those of a line that may be a parsed value."""
    found = phrases(text)
    for line in text.split("\n"):
        if len(line) <= LONGEST_VALUE:
            found -= phrases(line)
    return found


@pytest.mark.parametrize("traits", ["", ":unreadable=0.6"])
@pytest.mark.parametrize("mode", MODES)
async def test_no_prompt_shows_what_others_wrote_outside_its_fence(mode: str, traits: str) -> None:
    foreign = phrases(QUESTION)

    def voice(received: Received) -> str:
        said = simulated_reply(received)
        # What a reply has from the prompt itself is ours: the headings of its layout.
        foreign.update(unmistakable(said) - phrases(FENCED.sub("", received.prompt)))
        return said

    panel = tuple(f"p/{name}{traits}" for name in CAST)
    async with Chamber(panel=panel, title_model=None) as room:
        room.server.script.models, room.server.script.default = {}, voice
        held = await room.deliberate(mode, QUESTION, **CONFIG.get(mode, {}))
    asked = [r for r in held.requests if r.model.startswith("p/")]
    assert len(asked) > 3
    if not traits:
        assert held.record.status == "complete"
    fences = 0
    for request in asked:
        for message in request.body["messages"]:
            # A question that is the prompt stands as it was asked; a model may be shown its own words.
            if message["content"] == QUESTION or message["role"] == "assistant":
                continue
            fences += bool(FENCED.search(message["content"]))
            shown = foreign & phrases(FENCED.sub("\n", message["content"]))
            assert not shown, f"{shown} in:\n{message['content']}"
    assert fences > 2
