"""A law over every kind of call, cut off anywhere: what is read of the beginning of a reply is nothing, or agrees
with what the whole of it says. `ESTIMATE: 4` is no estimate of 4 when the rest of the 42 did not come.

Replies that keep to their layout are cut at every place, those of the corpus at some, under `make fuzz` at all.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from tests.real.canonicals import CANONICALS, bare
from tests.real.corpus import Specimen, specimens
from tests.real.readings import READERS, Context, Reading
from tests.real.test_corpus import outcome_of

SOME = 12
"""Places at which a reply of the corpus is cut."""
STAND_INS: Mapping[tuple[str, str], str] = {
    ("blueprint", "outline"): r"Medium",
    ("decompose", "plan"): r"MEDIUM|general",
    ("fact_check", "extract"): r"OTHER",
    ("fact_check", "verify"): r"MEDIUM",
    ("peer_review", "review"): r"Unnamed \(.*\)",
    ("red_team", "attack"): r"MEDIUM|Not specified",
}
"""What stands where a field has not come; most are marked as inferred, and the run is degraded in any case."""
MISSING = "–"
TEXTS = {
    "starts",
    "ends",
    "answer",
    "summary",
    "synthesis",
    "text",
    "revised",
    "hardened",
    "reasoning",
    "note",
}
"""Of these the beginning may be read, and of the members of a list some."""
LISTED_TEXTS = {"points", "advice", "strengths", "weaknesses", "texts", "parts", "titles", "todos", "gaps"}
BEGINNINGS = TEXTS | LISTED_TEXTS | {"clusters", "groups", "ranking"}


class Whole(NamedTuple):
    """A reply, what is read of it, and how the beginning of it arrives."""

    name: str
    kind: tuple[str, str]
    context: Context
    text: str
    arrived: Callable[[str], str]

    def read(self, text: str) -> Reading:
        return READERS[self.kind](text, self.context)

    def read_cut(self, at: int) -> Reading:
        return READERS[self.kind](self.arrived(self.text[:at]), {**self.context, "finish": "length"})

    def disagreements(self, places: Collection[int]) -> Iterator[str]:
        whole = self.read(self.arrived(self.text))
        assert whole is not None, self.name
        # Of a task without a description its title is one.
        titles = [re.escape(task.partition(" ")[2]) for task in whole.get("tasks", ())]
        stand_ins = re.compile("|".join(filter(None, [STAND_INS.get(self.kind), *titles])) or "(?!)")
        for at in places:
            for name, found in (self.read_cut(at) or {}).items():
                if not agrees(name, whole[name], found, stand_ins):
                    yield f"{self.name}, cut after {self.text[:at][-40:]!r}: {name} {found!r} of {whole[name]!r}"


def agrees(name: str, whole: Any, found: Any, stand_ins: re.Pattern[str]) -> bool:
    """Whether a value is missing, the same, or, of a text or a list, a beginning."""
    if found in (None, False, "", []) or found == whole or name == "cut":
        return True
    if isinstance(found, list):
        return all(any(_agrees(name, one, item, stand_ins) for one in whole or ()) for item in found)
    if isinstance(found, int):  # how many
        return isinstance(whole, int) and not isinstance(whole, bool) and found <= whole
    return isinstance(whole, str) and isinstance(found, str) and _agrees(name, whole, found, stand_ins)


def _agrees(name: str, whole: str, found: str, stand_ins: re.Pattern[str]) -> bool:
    if name == "fields":
        parts, others = whole.split(" / "), found.split(" / ")
        return len(parts) == len(others) and all(
            one in ("None", "[]", "") or stand_ins.fullmatch(one) or _begins(part, one)
            for part, one in zip(parts, others, strict=True)
        )
    found = stand_ins.sub(MISSING, found)
    if found == MISSING or (name in BEGINNINGS and _begins(whole, found)):
        return True
    words, others = bare(whole).split(), bare(found).split()
    if others[-1:] == [MISSING]:  # a title that has not come
        words = words[: len(others)]
    return len(words) == len(others) and all(
        one in (word, MISSING) for word, one in zip(words, others, strict=True)
    )


def _begins(whole: str, found: str) -> bool:
    """Whether a text begins the other, and ends with a word of it."""
    whole, found = bare(whole).rstrip("'\"]"), bare(found).rstrip("'\"]:")
    rest = whole.removeprefix(found)
    return whole.startswith(found) and not (found[-1:].isalnum() and rest[:1].isalnum())


def canonical_wholes() -> list[Whole]:
    """Replies that keep to their layout."""
    return [
        Whole(f"{number} {one.mode} {one.kind}", (one.mode, one.kind), one.context, one.text, str)
        for number, one in enumerate(CANONICALS)
    ]


def real_wholes() -> list[Whole]:
    """What can be read of the corpus, and is; texts that stand for themselves hold no values."""
    return [
        Whole(one.id, (one.mode, one.kind), one.context, one.text, _arriving(one))
        for one in specimens()
        if one.readable
        and one.kind != "text"
        and outcome_of(one, READERS[one.mode, one.kind](one.arrived, one.context)) == "read"
    ]


def _arriving(one: Specimen) -> Callable[[str], str]:
    return lambda text: replace(one, text=text).arrived


@pytest.mark.parametrize("whole", canonical_wholes(), ids=lambda one: one.name)
def test_no_beginning_of_a_reply_says_what_the_whole_does_not(whole: Whole) -> None:
    faults = list(whole.disagreements(range(len(whole.text))))
    assert not faults, "\n".join(faults)


@pytest.mark.timeout(3600)
def test_no_beginning_of_a_real_reply_says_what_the_whole_does_not(
    dice: random.Random, request: pytest.FixtureRequest
) -> None:
    faults: list[str] = []
    for whole in real_wholes():
        places = range(len(whole.text))
        drawn = places if request.config.getoption("--fuzz") else dice.sample(places, min(SOME, len(places)))
        faults += whole.disagreements(drawn)
    assert not faults, "\n".join(faults)
