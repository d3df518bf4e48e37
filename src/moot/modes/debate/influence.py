"""Who persuaded whom: whose answers a debater names where it says why it changed its own.

"Responses A and C convinced me."    {"Response A": 1, "Response C": 3}    the debaters in seats 1 and 3 did
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from moot.modes.debate.revisions import RevisionResponse

_NAMED = re.compile(r"\b[Rr]esponses? ([A-Z](?:(?:, (?:and )?| and | or | & )(?:[Rr]esponse )?[A-Z])*)(?!\w)")
_LETTER = re.compile(r"\b[A-Z]\b")


def labels_named(reasoning: str | None) -> list[str]:
    """In their order, each once."""
    letters = [letter for found in _NAMED.findall(reasoning or "") for letter in _LETTER.findall(found)]
    return [f"Response {letter}" for letter in dict.fromkeys(letters)]


def persuasions(
    revisions: Sequence[RevisionResponse], seats: Mapping[str, int | None]
) -> dict[str, list[RevisionResponse]]:
    """By label, the debaters that changed their answer and name this one as a reason; their own is none."""
    moved: dict[str, list[RevisionResponse]] = {}
    for one in revisions:
        if one.decision not in ("REVISE", "MERGE"):
            continue
        for label in labels_named(one.reasoning):
            if label in seats and seats[label] != one.seat:
                moved.setdefault(label, []).append(one)
    return moved
