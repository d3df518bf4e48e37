"""Rankings: read a list from best to worst, average the places.

FINAL RANKING:
1. Response C
2. Response A
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from moot.deliberation.choices import chosen_label, labels_in
from moot.deliberation.parsing import NOTHING_SHOWN, QUOTATION_MARKS, Line, Shown, lines, lines_with
from moot.deliberation.rounding import half_up
from moot.kernel.values import Wire

_TITLE = re.compile(
    r"(?<!\w)FINAL[ \t]+RANKING(?:[ \t]*[:=]|[ \t]+[-–—](?=\s|$)|[ \t]*$)", re.IGNORECASE | re.MULTILINE
)
_LETTERS = re.compile(r"[A-Z](?:\s*[>,;]\s*[A-Z])+")


class RankingEntry(Wire):
    label: str
    position: int


def parse_ranking(text: str, dealt: Collection[str], shown: Shown = NOTHING_SHOWN) -> list[RankingEntry]:
    """The places a model gave, from four sources, the first that names a dealt label:

    the numbered list after the last `FINAL RANKING:`; the labels in that section; the labels in
    the whole text; nothing. Repeated labels count once, at their first place; unknown ones are
    dropped; places are numbered anew.
    """
    prepared = lines(text)
    stated = list(_stated(prepared, dealt))
    chosen = _last_own(stated, {order for text in shown.texts for order in _orders(text, dealt)})
    if chosen:
        return _places(chosen.order)
    plain = [line.plain for line in prepared]
    own = [line for line in plain if not shown.has_line(line)]
    return _places(_known(labels_in(own), dealt) or _known(labels_in(plain), dealt))


@dataclass(frozen=True, slots=True)
class _Stated:
    """A `FINAL RANKING:`, the order that follows it, and all labels named before the next.

    `mentioned` is a title in quotation marks, or in the middle of a line with no list after it; `bare`
    one that begins its line, in no list, block quote or code.
    """

    order: tuple[str, ...]
    named: tuple[str, ...]
    mentioned: bool
    bare: bool


def _orders(text: str, dealt: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Every order that a shown text gives, and its beginnings: a quotation may break off."""
    if "ranking" in text.casefold():
        for one in _stated(lines(text), dealt):
            for order in (one.order, one.named):
                yield from (order[:length] for length in range(1, len(order) + 1))


def _last_own(stated: Sequence[_Stated], quoted: Collection[tuple[str, ...]]) -> _Stated | None:
    """The last order that is the model's own; a quoted one counts only if there is no other."""
    unquoted = [one for one in stated if one.order not in quoted]
    own = [one for one in unquoted if not one.mentioned] or [one for one in stated if one.bare]
    candidates = own or unquoted or list(stated)
    return candidates[-1] if candidates else None


def _stated(prepared: Sequence[Line], dealt: Collection[str]) -> Iterator[_Stated]:
    titles = lines_with(_TITLE, prepared)
    for index, end in pairwise([*titles, len(prepared)]):
        line = prepared[index]
        title = _TITLE.search(line.plain)
        before, rest = (title.start(), line.plain[title.end() :].strip()) if title else (0, "")
        section = prepared[index + 1 : end]
        listed = _on_one_line(rest, dealt) or _numbered(rest, section, dealt)
        named = _known(labels_in([rest, *(one.plain for one in section)]), dealt)
        quoted = before > 0 and line.plain[before - 1] in QUOTATION_MARKS
        if listed or named:
            yield _Stated(
                order=tuple(listed or named),
                named=tuple(named),
                mentioned=quoted or (before > 0 and not listed),
                bare=before == 0 and line.stands_alone,
            )


def _on_one_line(rest: str, dealt: Collection[str]) -> list[str]:
    """`1. Response C 2. Response A`, `Response C > Response A` or `C > A` beside the title."""
    if _LETTERS.fullmatch(rest.strip(" .")):
        return _known([f"Response {letter}" for letter in re.findall("[A-Z]", rest)], dealt)
    labels = _known(labels_in([rest]), dealt)
    return labels if len(labels) > 1 else []


def _numbered(rest: str, section: Sequence[Line], dealt: Collection[str]) -> list[str]:
    """The labels that a numbered list's items begin with.

    Blank, indented and bulleted lines belong to the item above; other prose, or a smaller number,
    ends the list.
    """
    order: list[str] = []
    last = 0
    for line in (Line(rest, rest), *section):
        number = line.number
        if number is None:
            if order and line.plain and not line.raw.startswith((" ", "\t", "-", "*", "+", "•")):
                break
            continue
        if number < last or len(order) == len(dealt):
            break
        last = number
        item = line.plain
        label = chosen_label(item, dealt) or next(iter(labels_in([item])), "")
        if label in dealt and label not in order:
            order.append(label)
    return order


def _known(labels: Sequence[str], dealt: Collection[str]) -> list[str]:
    return list(dict.fromkeys(label for label in labels if label in dealt))


def _places(labels: Sequence[str]) -> list[RankingEntry]:
    return [RankingEntry(label=label, position=place) for place, label in enumerate(labels, 1)]


@dataclass(frozen=True)
class AverageRank:
    label: str
    average: float
    count: int


def average_ranks(
    rankings: Sequence[Sequence[RankingEntry]], dealt: Mapping[str, object]
) -> list[AverageRank]:
    """Mean place per label, two decimals, best first; equal means keep label order.

    A label nobody placed is left out.
    """
    places: dict[str, list[int]] = {label: [] for label in sorted(dealt)}
    for ranking in rankings:
        for entry in ranking:
            places[entry.label].append(entry.position)
    means = {label: Fraction(sum(given), len(given)) for label, given in places.items() if given}
    return [
        AverageRank(label=label, average=half_up(mean, 2), count=len(places[label]))
        for label, mean in sorted(means.items(), key=lambda item: item[1])
    ]
