"""Signatures: the nonce that a judge repeats on its ballot, by which its own line is told from a quotation.

    Write the code [k7f3] at the end of the VOTE line, so that nobody takes it for a quotation:
    VOTE: Response X [k7f3]

It comes from the run's seed, is another one for every stage and every judge, and stands in no text that the
judge is shown: whoever wrote those cannot have known it. `parsing.lines` finds it in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from moot.deliberation.parsing import fold

_ASKS = re.compile(r"Write the code \[(\w+)\] at the end of the ([A-Z ]+) line")
_LETTERS = "bcdfghjkmnpqrstvwxz"
_DIGITS = "23456789"
_TRIES = 8
"""So many are drawn of one length before a longer one is: a text might hold all the short ones."""


def signing(marker: str, value: str, nonce: str) -> str:
    """The sentence that asks for the nonce."""
    line = f"{marker}: {value}".rstrip()
    return (
        f"Write the code [{nonce}] at the end of the {marker} line, so that nobody takes it for a "
        f"quotation:\n{line} [{nonce}]"
    )


class Signature(NamedTuple):
    nonce: str
    marker: str


def signature_in(prompt: str) -> Signature | None:
    """Which nonce a prompt asks for, and on which line: for models that are not real."""
    asked = _ASKS.search(prompt)
    return Signature(asked[1], asked[2]) if asked else None


def ballot_nonce(seed: str, step: str, judge: int | str | None, texts: Sequence[str]) -> str:
    """Letters and digits in turn, no word of any language; drawn again if it occurs in one of the texts."""
    shown = [fold(text).casefold() for text in texts]
    draw = 0
    while True:
        digest = sha256(f"{seed}/ballot/{step}/{judge}/{draw}".encode()).digest()
        signs = digest[: 2 * (2 + draw // _TRIES)]
        pairs = zip(signs[0::2], signs[1::2], strict=True)
        nonce = "".join(_LETTERS[one % len(_LETTERS)] + _DIGITS[other % len(_DIGITS)] for one, other in pairs)
        if not any(nonce in text for text in shown):
            return nonce
        draw += 1
