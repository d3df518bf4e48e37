"""The corpus: replies of real models, and variants of our own, each with its truth.

    @@ 129 vote qwen length             its name, the kind of call, who wrote it, how it ended
    @~ {"dealt": 3}                     what the parser must know besides, if anything
    @= {"vote": "B"}                    what an honest reader reads; null: nothing can be read
    To determine the single best …      the reply, word for word

The truth names what matters; what it does not name is not compared. A list of truths: an honest reader may read
either. `qwen` is Qwen2.5-Coder-1.5B, `smol` SmolLM2-135M, both through prompts of the first release, or, where a
name such as `s2-5` tells the run and the call, through later ones; `ours` was written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moot.kernel.fences import without_fences, without_nonces
from moot.kernel.template_signs import said_in
from moot.kernel.values import Message
from moot.transport.think_tags import Thoughts

FOLDER = Path(__file__).with_name("corpus")

_NONCE = re.compile(r"(?<=<<<)[0-9a-f]{8}\b|\b[0-9a-f]{8}(?=>>>)")

Truth = Mapping[str, Any] | None


@dataclass(frozen=True)
class Specimen:
    """One reply. `truths`: what may be read in it; `context`: what its parser must know."""

    mode: str
    name: str
    kind: str
    author: str
    finish: str
    context: Mapping[str, Any]
    truths: tuple[Truth, ...]
    text: str

    @property
    def id(self) -> str:
        return f"{self.mode}/{self.kind}/{self.name}"

    @property
    def arrived(self) -> str:
        """The reply as it reaches a parser: without thoughts before it, signs of a template, and the fences of
        its prompt."""
        thoughts = Thoughts()
        said = said_in(thoughts.part(self.text).answer + thoughts.rest().answer).answer
        shown = "".join(f"\n<<<{nonce}\n…\n{nonce}>>>" for nonce in {*_NONCE.findall(self.text)})
        prompt = [Message(role="user", content=f"{self.text}{shown}")]
        return without_nonces(without_fences(said, prompt), prompt)

    @property
    def readable(self) -> bool:
        return all(truth is not None for truth in self.truths)


def specimens() -> list[Specimen]:
    return [one for file in sorted(FOLDER.glob("*.txt")) for one in _read(file)]


def _read(file: Path) -> Iterator[Specimen]:
    for part in ("\n" + file.read_text()).split("\n@@ ")[1:]:
        head, _, rest = part.partition("\n")
        name, kind, author, finish = head.split()
        context: Mapping[str, Any] = {}
        if rest.startswith("@~ "):
            line, _, rest = rest.partition("\n")
            context = json.loads(line[3:])
        context = {**context, "finish": finish}
        line, _, text = rest.partition("\n")
        truth = json.loads(line.removeprefix("@= "))
        truths = tuple(truth) if isinstance(truth, list) else (truth,)
        yield Specimen(file.stem, name, kind, author, finish, context, truths, text.removesuffix("\n"))
