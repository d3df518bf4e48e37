"""Rankings: read a list from best to worst, average the places.

FINAL RANKING:
1. Response C
2. Response A
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from moot.numbers import half_up
from moot.parsing import NOTHING_SHOWN, Line, Shown, lines
from moot.wire import Wire

_TITLE = re.compile(r"(?<!\w)FINAL\s+RANKING\s*(?::|=|\s[-–—]|$)\s*", re.IGNORECASE)
_LABEL = re.compile(r"\bResponse\s+([A-Z])\b", re.IGNORECASE)


class RankingEntry(Wire):
    label: str
    position: int


def parse_ranking(text: str, dealt: Sequence[str], shown: Shown = NOTHING_SHOWN) -> list[RankingEntry]:
    """The places a model gave, from four sources, the first that names a dealt label:

    the numbered list after the last `FINAL RANKING:`; the labels in that section; the labels in
    the whole text; nothing. Repeated labels count once, at their first place; unknown ones are
    dropped; places are numbered anew.
    """
    prepared = lines(text)
    for section in _sections(prepared, shown):
        for source in (_numbered(section), section):
            labels = _labels(source, dealt)
            if labels:
                return _places(labels)
    return _places(_labels([line.plain for line in prepared], dealt))


def _sections(prepared: Sequence[Line], shown: Shown) -> list[list[Line]] | list[list[str]]:
    """What follows each `FINAL RANKING:`, the last first, quotations after all others."""
    own, quoted = [], []
    titles = [(index, match) for index, line in enumerate(prepared) if (match := _TITLE.search(line.plain))]
    for at, (index, match) in enumerate(titles):
        end = titles[at + 1][0] if at + 1 < len(titles) else len(prepared)
        first = prepared[index]
        rest = Line(first.raw, first.plain[match.end() :], False)
        section = [rest, *prepared[index + 1 : end]]
        block = [first.plain, *(line.plain for line in _run_of_numbers(section[1:]))]
        (quoted if shown.has_block(block) else own).append(section)
    return own[::-1] + quoted[::-1]


def _run_of_numbers(section: Sequence[Line]) -> list[Line]:
    """The numbered lines that follow at once; blank lines between them do not end the list."""
    found: list[Line] = []
    for line in section:
        if line.numbered and line.plain:
            found.append(line)
        elif line.plain and found:
            break
    return found


def _numbered(section: Sequence[Line]) -> list[str]:
    return [line.plain for line in _run_of_numbers(section)]


def _labels(texts: Sequence[Line] | Sequence[str], dealt: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for match in _LABEL.finditer(text.plain if isinstance(text, Line) else text):
            label = f"Response {match[1].upper()}"
            if label in dealt:
                found.setdefault(label)
    return list(found)


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
