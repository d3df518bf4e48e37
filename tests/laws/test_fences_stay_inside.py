"""Models that repeat the marks around their material, whole, in pieces or miscopied: nobody is ever shown one of
these, neither the people who read nor the models that come after."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import orjson
import pytest

from moot.kernel.fences import NOTICE, nonces_in
from moot.kernel.values import Request
from moot.modes import MODES
from moot.simulator.transport import Simulator
from moot.transport import Chunk
from tests.harness.chamber import Chamber
from tests.kernel.test_call_estimate import PANEL
from tests.laws.test_databases import QUESTION

pytestmark = pytest.mark.usefixtures("same_seed")


def miscopied(nonce: str) -> str:
    return nonce[:5] + ("0" if nonce[5] != "0" else "1") + nonce[6:]


FORMS: dict[str, Callable[[str, str], str]] = {
    "whole": lambda nonce, text: f"<<<{nonce}\n{text}\n{nonce}>>>",
    "with a blank": lambda nonce, text: f"<<< {nonce}\n{text}\n{nonce} >>>",
    "with brackets too many": lambda nonce, text: f"<<<<< {nonce}\n{text}\n{nonce}>>>>>>",
    "with brackets too few": lambda nonce, text: f"<<{nonce}\n{text}\n{nonce}>",
    "without brackets": lambda nonce, text: f"{nonce}\n{text}\n{nonce}",
    "without a nonce": lambda nonce, text: f"<<<\n{text}\n>>>",
    "in capitals": lambda nonce, text: f"<<<{nonce.upper()}\n{text}\n{nonce.upper()}>>>",
    "in bold": lambda nonce, text: f"**<<<{nonce}**\n{text}\n**{nonce}>>>**",
    "the other way round": lambda nonce, text: f"{nonce}>>>\n{text}\n<<<{nonce}",
    "in HTML": lambda nonce, text: f"&lt;&lt;&lt;{nonce}\n{text}\n{nonce}&gt;&gt;&gt;",
    "in square brackets": lambda nonce, text: f"[{nonce}]\n{text}\n[{nonce}]",
    "half": lambda nonce, text: f"<<<{nonce[:4]}\n{text}\n{nonce[2:]}>>>",
    "miscopied": lambda nonce, text: f"<<<{miscopied(nonce)}\n{text}\n{miscopied(nonce)}>>>",
    "made up": lambda nonce, text: f"<<<{nonce[::-1]}\n{text}\n{nonce[::-1]}>>>",
    "cut off": lambda nonce, text: f"{text}\n<<<{nonce[:4]}",
    "around code": lambda nonce, text: f"<<<{nonce}\n```\n{text}\n```\n{nonce}>>>",
    "in a row": lambda nonce, text: (
        f"<<<{nonce}\n<<<{nonce}\n{text}\n{nonce}>>>\n{nonce}>>>\n<<<{nonce}\n{nonce}>>>"
    ),
    "with the notice": lambda nonce, text: f"{NOTICE.format(nonce=nonce)}\n\n{text}",
    "around the first line": lambda nonce, text: re.sub(
        r"\A(.*)", rf"<<<{nonce} \1 {nonce}>>>", text, count=1
    ),
}
IDS = re.compile(r"\b[0-9a-f]{32}\b")
"""Of runs, messages and conversations. They are drawn, and five digits of one are now and then those of a nonce."""
CHANGES = {"around code"}
"""What is in a block of code is not what it would be outside."""


@dataclass
class Echoing:
    """Simulated models that do as they should, and repeat the marks of their prompt in one form."""

    form: Callable[[str, str], str] = lambda nonce, text: text
    nonces: set[str] = field(default_factory=set)
    materials: list[str] = field(default_factory=list)

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        for nonce in nonces_in(request.messages):
            self.nonces.add(nonce)
            fenced = re.compile(rf"^<<<{nonce}\n(.*?)\n{nonce}>>>$", re.DOTALL | re.MULTILINE)
            for message in request.messages:
                self.materials += fenced.findall(message.content)
        yield Chunk()
        text = "".join([chunk.text async for chunk in Simulator(speed=0).stream(request)])
        nonces = nonces_in(request.messages)
        yield Chunk(text=self.form(nonces[0], text) if nonces else text)
        yield Chunk(finish_reason="stop")


def marks_in(text: str, nonces: set[str]) -> list[str]:
    """What of a fence stands in a text, in one of the forms."""
    said = text.casefold()
    pieces = {nonce[at : at + 5] for nonce in nonces for at in range(4)} | {nonce[::-1] for nonce in nonces}
    return [one for one in (*pieces, "<<", ">>", "&lt;", "is material to work on") if one in said]


@pytest.mark.parametrize("mode", MODES)
async def test_no_mark_reaches_a_reader_or_the_next_model(mode: str) -> None:
    echoing = Echoing()
    async with Chamber(transport=echoing, panel=PANEL, title_model="sim/ada", embedder="off") as chamber:
        plain = await chamber.deliberate(mode, QUESTION)
        faults = []
        for form in FORMS:
            echoing.form = FORMS[form]
            echoing.materials.clear()
            held = await chamber.deliberate(mode, QUESTION)
            told = IDS.sub("", orjson.dumps(held.frames).decode())
            faults += [f"{form}: tells {mark!r}" for mark in marks_in(told, echoing.nonces)]
            shown = "\n".join(echoing.materials)
            faults += [f"{form}: hands on {mark!r}" for mark in marks_in(shown, echoing.nonces)]
            same = (held.record.status, held.answer) == (plain.record.status, plain.answer)
            faults += [] if same or form in CHANGES else [f"{form}: came to something else, {held.answer!r}"]
    assert not faults, "\n".join(faults)
