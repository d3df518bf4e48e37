"""Grades: what a judge says of an answer, and the score that follows from it.

>>> read_grade("Correctness: 9\\nCompleteness: 8\\nClarity: 7\\nDepth: 6\\nScore: 8").auto_score
7.9

The four criteria weigh 40, 25, 20 and 15 percent; all four given, their mean counts, else the score as it
was stated. What cannot be read is null, never a made-up number.
"""

from __future__ import annotations

import re
from fractions import Fraction

from moot.deliberation.json_reply import json_in
from moot.deliberation.parsing import NOTHING_SHOWN, Shown, lines, marker
from moot.deliberation.rounding import half_up
from moot.kernel.values import Wire

PERCENTS = {"correctness": 40, "completeness": 25, "clarity": 20, "depth": 15}
UNREADABLE = "The judge's reply holds no score that could be read."
# Not the layout itself: `[1-10]` is no number.
_NUMBER = re.compile(r"[\s*_`\"'“\[(]{0,5}(\d{1,3}(?:[.,]\d{1,4})?)(?!\d|\s*[-–]\s*\d)\s*(%|/\s*100\b)?")
_TRUE = re.compile(r"\W*(?:true|yes)\b", re.IGNORECASE)
_FALSE = re.compile(r"\W*(?:false|no)\b", re.IGNORECASE)


class Criteria(Wire):
    correctness: float | None
    completeness: float | None
    clarity: float | None
    depth: float | None


class Grade(Wire):
    """A judge's reply, read. `score_inconsistent`: the stated score is more than 1 off its own criteria."""

    auto_score: float | None
    criteria: Criteria
    stated_score: float | None
    justification: str | None
    would_benefit_from_finetune: bool | None
    score_inconsistent: bool
    score_error: str | None


def read_grade(text: str, shown: Shown = NOTHING_SHOWN) -> Grade:
    """`shown`: the question and the answer, from which the judge may quote."""
    fields = _fields(text, shown)
    criteria = {name: _grade_in(fields.get(name, "")) for name in PERCENTS}
    stated_score = _grade_in(fields.get("score", ""))
    values = [value for value in criteria.values() if value is not None]
    weighted: Fraction | int | None = None
    if len(values) == len(PERCENTS):
        shares = zip(PERCENTS.values(), values, strict=True)
        weighted = sum(Fraction(percent, 100) * Fraction(repr(value)) for percent, value in shares)
    score = stated_score if weighted is None else half_up(Fraction(weighted), 1)
    flag = fields.get("would-benefit-from-finetune", "")
    return Grade(
        auto_score=score,
        criteria=Criteria(**criteria),
        stated_score=stated_score,
        justification=fields.get("justification") or None,
        would_benefit_from_finetune=True if _TRUE.match(flag) else False if _FALSE.match(flag) else None,
        score_inconsistent=weighted is not None
        and stated_score is not None
        and abs(stated_score - weighted) > 1,
        score_error=UNREADABLE if score is None else None,
    )


def no_grade(reason: str) -> Grade:
    """What stands where nothing was graded, and why."""
    nothing = Criteria(correctness=None, completeness=None, clarity=None, depth=None)
    return Grade(
        auto_score=None,
        criteria=nothing,
        stated_score=None,
        justification=None,
        would_benefit_from_finetune=None,
        score_inconsistent=False,
        score_error=reason,
    )


def _fields(text: str, shown: Shown) -> dict[str, str]:
    """Each name with what the judge wrote after it, from marker lines or a JSON object."""
    names = (*PERCENTS, "score", "justification", "would-benefit-from-finetune")
    prepared = lines(text)
    fields: dict[str, str] = {}
    for name in names:
        line = marker(prepared, name, shown=shown)
        if line is not None:
            fields[name] = line.raw if name == "justification" else line.value
    if not fields.keys() & {*PERCENTS, "score"}:
        document = json_in(text)
        if isinstance(document, dict):
            for key, value in document.items():
                name = re.sub(r"[\s_]", "-", str(key).casefold())
                if name in names and isinstance(value, str | int | float):
                    fields[name] = str(value)
    return fields


def _grade_in(value: str) -> float | None:
    """A number from 1 to 10; one beyond is brought to the nearest, a percentage to the scale."""
    match = _NUMBER.match(value)
    if match is None:
        return None
    number = float(match[1].replace(",", "."))
    if match[2]:
        number /= 10
    return min(max(number, 1.0), 10.0)
