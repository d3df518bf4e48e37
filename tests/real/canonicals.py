"""One reply of every kind of call that keeps to its layout, from `canonical.txt`, and what is read of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from moot.kernel.template_signs import said_in
from moot.transport.think_tags import Thoughts
from tests.real.readings import READERS, Reading


class Canonical(NamedTuple):
    """A reply that keeps to its layout, and what its parser must know besides."""

    mode: str
    kind: str
    context: Mapping[str, Any]
    text: str

    def read(self, text: str) -> Reading:
        thoughts = Thoughts()
        arrived = thoughts.part(text).answer + thoughts.rest().answer
        return READERS[self.mode, self.kind](said_in(arrived).answer, self.context)


def canonicals() -> Iterator[Canonical]:
    for part in ("\n" + Path(__file__).with_name("canonical.txt").read_text()).split("\n@@ ")[1:]:
        head, _, text = part.partition("\n")
        context: Mapping[str, Any] = {}
        if text.startswith("@~ "):
            line, _, text = text.partition("\n")
            context = json.loads(line[3:])
        mode, kind = head.split()
        yield Canonical(mode, kind, context, text.rstrip("\n"))


CANONICALS = list(canonicals())


def bare(value: Any) -> Any:
    """A value as it is compared: texts without emphasis, hard breaks and a full stop at the end."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if not isinstance(value, str):
        return value
    return re.sub(r"\s+", " ", re.sub(r"[*_`\\]|(?<=\n)-+(?=\n)", "", value)).strip(' ."“”')
