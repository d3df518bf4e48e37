"""Scores that models gave: read to the rules of the prompts, averaged, and how far they agree.

    >>> legal_score("8/10 | right throughout"), legal_score("1-10"), rating("3-4")
    (Fraction(8, 1), None, Fraction(7, 2))

Figures stay exact (`Fraction`) until they are shown; `half_up` rounds them there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from moot.deliberation.parsing import Line, Shown, lines, marker, plain
from moot.deliberation.sections import table_rows
from moot.deliberation.statistics import population_variance
from moot.deliberation.text import closest

_FIGURE = r"(?:\d{1,15}(?:[.,]\d{1,15})?|[.,]\d{1,15})"
_PERCENT = r"(?P<{}>\s*%|\s*per\s?cent\b)?"
_QUANTITY = re.compile(
    rf"[\s*_`\"'“‘(\[]*(?P<minus>[-−]\s*)?(?P<number>{_FIGURE})"
    rf"{_PERCENT.format('percent')}"
    rf"(?:\s*(?:[-–—]|\bto\b)\s*(?P<upto>{_FIGURE}){_PERCENT.format('upto_percent')})?"
    r"(?:(?:\s*/\s*|\s+out\s+of\s+)(?P<out_of>\d{1,6}))?(?![\w/])(?![.,·˙'’]\d)",
    re.IGNORECASE,
)
_ARABIC_SIGNS = str.maketrans("٫٬٪", ".,%")
_SCORE_HEADER = re.compile(r"[^|]{0,20}\b(?:score|rating)\b[^|]{0,20}$", re.IGNORECASE)
_NOTE_HEADER = re.compile(
    r"[^|]{0,20}\b(?:justification|rationale|reason(?:s|ing)?|why|notes?|comments?|remarks?|evidence|explanation)\b",
    re.IGNORECASE,
)
_FIGURE_HEADER = re.compile(r"\W*(?:weight|weighted|max|maximum|out of|points)\b", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"[^\w%]*\d[\d.,/]*[^\w%]*$|\W*$")
_WEIGHT = re.compile(r"\s*[(\[]\s*weight\b[^()\[\]]{0,20}[)\]]", re.IGNORECASE)
_AFTER_SCORE = re.compile(r"[*_`\"'”’)\]]*(?:$|[\s|;,(–—]|\.(?:\s|$))")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at the beginning of a value: `8`, `6,5`, `8/10`, `3-4`, `85 to 90 %`, `-3`.

    `upto` is the other end of a range, `out_of` the denominator, `rest` what follows.
    """

    number: Fraction
    upto: Fraction | None
    out_of: int | None
    percent: bool
    rest: str

    @property
    def middle(self) -> Fraction:
        """The number, or the middle of the range."""
        return self.number if self.upto is None else (self.number + self.upto) / 2


def quantity(value: str) -> Quantity | None:
    """The number a value begins with; emphasis, quotation marks and brackets are passed over.

    A decimal comma is a decimal point. Thousands are not grouped here.
    """
    value = value.translate(_ARABIC_SIGNS)
    found = _QUANTITY.match(value[:200])
    if found is None:
        return None
    number = _fraction(found["number"])
    return Quantity(
        number=-number if found["minus"] else number,
        upto=_fraction(found["upto"]) if found["upto"] else None,
        out_of=int(found["out_of"]) if found["out_of"] else None,
        percent=bool(found["percent"] or found["upto_percent"]),
        rest=value[found.end() :],
    )


@lru_cache(maxsize=1024)
def _fraction(figure: str) -> Fraction:
    return Fraction(f"0{figure}".replace(",", "."))


def legal_score(value: str, low: int = 1, high: int = 10) -> Fraction | None:
    """A number from low to high, `/high` or `out of high` allowed after it; unrounded.

    A range, a percentage, another denominator or a number outside makes no score.
    """
    read = quantity(value)
    if read is None or read.upto is not None or read.percent or read.out_of not in (None, high):
        return None
    if not _AFTER_SCORE.match(read.rest):
        return None
    return read.number if low <= read.number <= high else None


def rating(cell: str, low: int = 1, high: int = 5) -> Fraction | None:
    """As `legal_score`, but a range counts with its middle: `3-4` is 3.5."""
    read = quantity(cell)
    if read is None or read.percent or read.out_of not in (None, high):
        return None
    ends = (read.number, read.middle if read.upto is None else read.upto)
    return read.middle if low <= min(ends) and max(ends) <= high else None


@dataclass(frozen=True, slots=True)
class Rating:
    """What a reply says about a criterion: `cell` as written, `score` null if it is no rating."""

    criterion: str
    score: Fraction | None
    cell: str
    note: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Which of a table's columns holds what; `note` is null where no heading says so, `figures` hold what
    is neither rating nor words, such as the rubric's weights."""

    score: int = 1
    note: int | None = None
    figures: frozenset[int] = frozenset()

    def headed(self, cells: Sequence[str]) -> Columns:
        """As a row of headings says, where this is one: it names the rating, or at least gives no figures."""
        scores, notes, figures = (
            [at for at, cell in enumerate(cells) if at and heading.match(cell)]
            for heading in (_SCORE_HEADER, _NOTE_HEADER, _FIGURE_HEADER)
        )
        if not scores and (not notes + figures or any(quantity(cell) for cell in cells[1:])):
            return self
        score = scores[0] if scores else self.score
        return Columns(score, notes[0] if notes else None, frozenset(figures))

    def note_in(self, cells: Sequence[str]) -> str:
        """The reason that a row gives: under its heading, else the first after the rating that is more
        than a number."""
        if self.note is not None:
            return cells[self.note] if self.note < len(cells) else ""
        rest = (cell for at, cell in enumerate(cells) if at > self.score and at not in self.figures)
        return next((cell for cell in rest if not _BARE_NUMBER.match(cell)), "")


def criterion_ratings(
    text: str | Sequence[Line], criteria: Sequence[str], low: int = 1, high: int = 5
) -> dict[str, Rating]:
    """The rating of each criterion that a table names, in the criteria's order; the last row counts.

    The rating stands in the column headed score or rating, else in the second. Without a row for any
    criterion, lines `Criterion: 4 …` are read.
    """
    prepared = lines(text) if isinstance(text, str) else text
    columns = Columns()
    found: dict[str, Rating] = {}
    for cells in table_rows(prepared):
        criterion = closest(plain(cells[0]), criteria)
        if criterion is None:
            columns = columns.headed(cells)
            continue
        cell = cells[columns.score] if columns.score < len(cells) else ""
        found[criterion] = Rating(criterion, rating(cell, low, high), cell, columns.note_in(cells))
    if not found:
        found = _rated_lines(prepared, criteria, low, high)
    return {criterion: found[criterion] for criterion in criteria if criterion in found}


def own_ratings(prepared: Sequence[Line], criteria: Sequence[str], shown: Shown) -> dict[str, Rating]:
    """A row that stands in a text shown to the rater is a quotation, and counts only if there is no other."""
    rated = criterion_ratings(prepared, criteria)
    # A rule says nothing, and so do blank lines of what was shown: it is no quotation of them.
    own = [
        line
        for line in prepared
        if "|" not in line.raw or not line.plain.strip("|-: ") or not shown.has_line(line.plain)
    ]
    return rated if len(own) == len(prepared) else {**rated, **criterion_ratings(own, criteria)}


def _rated_lines(prepared: Sequence[Line], criteria: Sequence[str], low: int, high: int) -> dict[str, Rating]:
    found = {}
    for criterion in criteria:
        stated = marker(prepared, (criterion, *_other_spellings(criterion)))
        if stated:
            read = quantity(stated.raw)
            note = _WEIGHT.sub("", read.rest, count=1).lstrip(" -–—:.,;|)*") if read else ""
            found[criterion] = Rating(criterion, rating(stated.raw, low, high), stated.raw, note)
    return found


def _other_spellings(criterion: str) -> list[str]:
    return [criterion.replace("&", "and")] if "&" in criterion else []


def spread(scores: Sequence[Fraction | int]) -> Fraction | None:
    """Highest less lowest."""
    return Fraction(max(scores)) - Fraction(min(scores)) if scores else None


def consensus_word(
    scores: Sequence[Fraction | int],
) -> Literal["Strong agreement", "Mixed", "Disagreement", "Insufficient data"]:
    """How jurors agree on a dimension, by the spread of their scores from 1 to 10."""
    if len(scores) < 2:
        return "Insufficient data"
    width = Fraction(max(scores)) - Fraction(min(scores))
    return "Strong agreement" if width <= 1 else "Mixed" if width <= 3 else "Disagreement"


def agreement(scores: Sequence[Fraction | int]) -> Literal["High", "Medium", "Low"] | None:
    """How reviewers agree on a criterion, by deviation and range of their scores from 1 to 5.

    The range speaks too, since two scores of 2 and 5 deviate by no more than 1.5. One score alone
    tells nothing.
    """
    if len(scores) < 2:
        return None
    variance = population_variance(scores)
    if variance > Fraction(9, 4) or max(scores) - min(scores) >= 3:
        return "Low"
    return "High" if variance < Fraction(1, 4) else "Medium"
