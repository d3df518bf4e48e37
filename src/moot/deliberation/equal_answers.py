"""Equal answers are one answer: what differs only in dress says the same.

    >>> equal_answers({"Response A": "Canberra.", "Response B": "**canberra**", "Response C": "Sydney"})
    (('Response A', 'Response B'),)

Texts are equal if their words are, in order: case, punctuation and Markdown apart. A short answer is compared
by its value: `1,000` is `1000`, "The answer is 42." is 42.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from moot.deliberation.parsing import fold

_SHORT = 80
_LEAD = re.compile(r"\W*(?:the\s+)?(?:final\s+)?answer\s*(?:is|:|=)\s*:?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[-+−]?(?:\d{1,3}(?:[,'’ ]\d{3})+|\d+)(?:\.\d+)?|[-+−]?\.\d+")
# A sign tells answers apart where it belongs to a value: `-3`, `50 %`, `x < y`; a bullet or a dash does not.
_DASH = re.compile(r"^[^\S\n]*[-+>]+\s|\s-+\s", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+|[%$€£¥°+<>=/^-]")


def equal_answers(texts: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The labels whose texts are equal, group by group; one that stands alone is in none."""
    groups: dict[str, list[str]] = {}
    for label, text in texts.items():
        groups.setdefault(answer_value(text), []).append(label)
    return tuple(tuple(labels) for labels in groups.values() if len(labels) > 1)


def answer_value(text: str) -> str:
    """What an answer says, in a form in which equal ones are the same."""
    folded = fold(text).casefold().strip()
    if len(folded) <= _SHORT:
        folded = _LEAD.sub("", folded, count=1).strip(" .!*_`\"'“”\n")
        if _NUMBER.fullmatch(folded):
            return _number(folded)
    return " ".join(_WORD.findall(_DASH.sub(" ", folded)))


def _number(text: str) -> str:
    try:
        value = Decimal(re.sub(r"[,'’ ]", "", text).replace("−", "-"))
    except InvalidOperation:
        return text
    return str(value.normalize() + 0)
