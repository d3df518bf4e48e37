"""Closed values: one word of a few, one label of those dealt.

>>> closed_word("**High** (exploitable)", ("LOW", "MEDIUM", "HIGH"))
'HIGH'
>>> chosen_word("VERDICT: [STAND|REVISE]\\nVerdict: Revised.", "VERDICT", {"REVIS": "REVISE"}, stems=True)
'REVISE'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, is_template, last_own, markers

_LABEL = re.compile(r"\bResponse\s+([A-Z])\b", re.IGNORECASE)
_CAPITAL_LABEL = re.compile(r"\b(?:Response|RESPONSE)\s+([A-Z])\b")
_OPENING = r"[\s\[({|\"“”'‘<-]*"
_CHOSEN_LABEL = re.compile(
    rf"{_OPENING}Response\s+{_OPENING}([A-Z])\b(?!\s*(?:[/|]|or\b)\s*(?:Response\s+)?[A-Z]\b)", re.IGNORECASE
)
_LONE_LETTER = re.compile(rf"{_OPENING}([A-Z])[\s\])}}|\"“”'’>.!]*$", re.IGNORECASE)

Words = Sequence[str] | Mapping[str, str]
"""The words a value may be; a mapping gives each spelling its meaning."""


def closed_word(value: str, words: Words, *, stems: bool = False) -> str | None:
    """The one of these words that a value begins with; signs and brackets before it are passed over.

    With `stems` a longer word counts too (`APPROV` reads "Approved"). A value that offers several
    words (`LOW or HIGH`, `A|B`) is still the template.
    """
    read = _read_word(value, words, stems)
    return read.meaning if read else None


def chosen_word(
    text: str | Sequence[Line],
    name: str | tuple[str, ...],
    words: Words,
    *,
    stems: bool = False,
    shown: Shown = NOTHING_SHOWN,
    anywhere: bool = False,
) -> str | None:
    """The closed word after the last marker of this name that is no quotation."""
    readable = [
        replace(found, value=read.written, phrase=f"{found.name} {read.written}")
        for found in markers(text, name, anywhere=anywhere)
        if (read := _read_word(found.value, words, stems))
    ]
    chosen = last_own(readable, shown)
    return closed_word(chosen.value, words, stems=stems) if chosen else None


def truth(value: str) -> bool | None:
    """True, false, yes or no."""
    return {"TRUE": True, "FALSE": False}.get(closed_word(value, _TRUTHS) or "")


_TRUTHS = {"TRUE": "TRUE", "YES": "TRUE", "FALSE": "FALSE", "NO": "FALSE"}


class _Read(NamedTuple):
    meaning: str
    written: str


def _read_word(value: str, words: Words, stems: bool) -> _Read | None:
    value = value[:200]
    meanings = words if isinstance(words, Mapping) else {word: word for word in words}
    first, offer = _word_patterns(tuple(meanings), stems)
    begins = first.match(value)
    if begins is None or is_template(value) or offer.match(value, begins.end()):
        return None
    written = " ".join(begins[1].casefold().split())
    same = str.startswith if stems else str.__eq__
    spellings = sorted(meanings, key=len, reverse=True)
    spelling = next((one for one in spellings if same(written, " ".join(one.casefold().split()))), None)
    return None if spelling is None else _Read(meanings[spelling], begins[1])


@lru_cache(maxsize=256)
def _word_patterns(words: tuple[str, ...], stems: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """One that reads a word at a value's beginning, one that tells whether others are offered too."""
    spelled = "|".join(r"\s+".join(map(re.escape, word.split())) for word in sorted(words, key=len)[::-1])
    word = rf"(?:{spelled})" + (r"\w*" if stems else r"(?!\w)")
    first = re.compile(rf"[\W_]*({word})", re.IGNORECASE)
    return first, re.compile(rf"(?:\s*,\s*{word})*\W*(?:[|/]|,?\s+or\b)\W*{word}", re.IGNORECASE)


def chosen_label(value: str, dealt: Collection[str]) -> str | None:
    """The label a value begins with, or the dealt letter it consists of.

    A label that was not dealt is returned too; `Response X`, the letter of the template, is one only
    if X was dealt, and `Response A or B` is none.
    """
    value = value[:200]
    named = _CHOSEN_LABEL.match(value)
    if named:
        label = f"Response {named[1].upper()}"
        return None if label == "Response X" and label not in dealt else label
    letter = _LONE_LETTER.match(value)
    label = f"Response {letter[1].upper()}" if letter else ""
    return label if label in dealt else None


def labels_in(texts: Iterable[str]) -> list[str]:
    """Every label named in these texts, in order, each as often as it is named.

    If one is written as it was dealt, others do not count: in prose "the response I like" and "give
    that response a chance" name nobody.
    """
    texts = list(texts)
    for pattern in (_CAPITAL_LABEL, _LABEL):
        labels = [f"Response {match[1].upper()}" for text in texts for match in pattern.finditer(text)]
        if labels:
            return labels
    return []
