"""Thoughts left in the text are parted from the answer, however the text is cut."""

from __future__ import annotations

import pytest

from moot.settings.providers import Provider
from moot.testing import ModelServer
from moot.transport.think_tags import Thoughts
from tests.transport.asking import a_request, client, hear

TABLE = [
    ("<think>Tabs are wider.</think>\n\nSpaces.", "Spaces.", "Tabs are wider."),
    ("\n <think>\nHm.\n</think>Spaces.", "Spaces.", "\nHm.\n"),
    ("Spaces.", "Spaces.", ""),
    ("  Spaces <think>are</think> wide.", "  Spaces <think>are</think> wide.", ""),
    ("<thinking> is a word.", "<thinking> is a word.", ""),
    ("<thi", "<thi", ""),
    ("<think>a < b </thin > c</think> yes </think> no", "yes </think> no", "a < b </thin > c"),
    ("<think>never done </th", "", "never done </th"),
    ("<think></think>\n\nSpaces.", "Spaces.", ""),
    ("  ", "  ", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("text", "answer", "reasoning"), TABLE)
def test_thoughts_are_parted_wherever_the_text_is_cut(text: str, answer: str, reasoning: str) -> None:
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            thoughts = Thoughts()
            parts = [
                piece if thoughts.over else thoughts.part(piece)
                for piece in (text[:first], text[first:second], text[second:])
            ]
            parted = [(part, "") if isinstance(part, str) else part for part in (*parts, thoughts.rest())]
            assert "".join(part[0] for part in parted) == answer
            assert "".join(part[1] for part in parted) == reasoning


@pytest.mark.parametrize(("text", "answer", "reasoning"), TABLE)
async def test_thoughts_are_parted_over_http(text: str, answer: str, reasoning: str) -> None:
    async with ModelServer(default=text) as server:
        local = Provider.ollama(server.url.removesuffix("/v1"), 2)
        async with client(server, local) as transport:
            heard = await hear(transport, a_request("ollama/deepseek-r1"))
    assert (heard.text, heard.reasoning) == (answer, reasoning)
