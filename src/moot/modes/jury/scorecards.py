"""A juror's reply: five scores from 1 to 10, a vote, and lists of reasons.

    SCORECARD
    ACCURACY: 7 | the figures in part 2 are right
    …
    VERDICT: REVISE [k7f3]       the nonce that this juror alone was given

A score is read from the scorecard, else from a table, else from any line that begins with the
dimension; what is no legal score is null for that dimension alone. A verdict is only what stands
after the marker: "I cannot approve this" is no vote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from moot.deliberation.choices import UNREAD, Choice, choose, closed_word, words_in
from moot.deliberation.cut_replies import legible
from moot.deliberation.json_reply import keyed_in
from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, fold, last_own, lines, markers, plain
from moot.deliberation.rounding import half_up
from moot.deliberation.scores import legal_score
from moot.deliberation.sections import Section, items, sections, table_rows
from moot.deliberation.statistics import mean
from moot.deliberation.text import name_key
from moot.kernel.values import Answer
from moot.modes.jury.events import DIMENSIONS, VERDICTS, Dimension, JurorAssessment, Scores, Verdict

_VERDICT_NAMES = ("VERDICT", "FINAL VERDICT", "MY VERDICT", "MY FINAL VERDICT", "OVERALL VERDICT")
_STEMS = {"APPROV": "APPROVE", "REVIS": "REVISE", "REJECT": "REJECT"}
_PARTS = ("SCORECARD", "STRENGTHS", "WEAKNESSES", "RECOMMENDATIONS", "NOTES", "VERDICT")
_FEWEST_TO_DERIVE = 3


def read_assessment(reply: Answer, shown: Shown = NOTHING_SHOWN) -> JurorAssessment:
    """A juror's vote is what it states; without a statement it follows from at least three scores, but where
    the reply was cut off: there the statement was still to come."""
    text = legible(reply)
    prepared = lines(text, shown.nonce)
    parts = sections(prepared, _PARTS)
    scores = read_scores(prepared, parts.get("SCORECARD"), shown)
    choice = stated_verdict(text, shown)
    stated, derived = known_verdict(choice.meaning), derived_verdict(scores)
    verdict = stated if reply.breaks_off else stated or derived
    listed = {name: items(parts[name].lines) if name in parts else [] for name in _PARTS}
    average = average_score(scores)
    return JurorAssessment(
        seat=reply.seat or 0,
        model=reply.model,
        assessment_text=reply.response,
        scores=scores,
        average=None if average is None else half_up(average, 1),
        verdict=verdict,
        verdict_source=("stated" if stated else "derived") if verdict else None,
        cut_before_verdict=reply.breaks_off and verdict is None,
        verdict_mismatch=stated is not None and derived is not None and stated != derived,
        strengths=listed["STRENGTHS"],
        weaknesses=listed["WEAKNESSES"],
        recommendations=listed["RECOMMENDATIONS"],
        response_time_ms=reply.response_time_ms,
        parse_success=average is not None or stated is not None,
        parsed_by=choice.by if stated else None,
    )


def read_verdict(text: str, shown: Shown = NOTHING_SHOWN) -> Verdict | None:
    return known_verdict(stated_verdict(text, shown).meaning)


def stated_verdict(text: str, shown: Shown = NOTHING_SHOWN) -> Choice:
    """What stands after the marker, or in a JSON object where there is none."""
    choice = choose(
        lines(text, shown.nonce), lambda written: words_in(written, _VERDICT_NAMES, _STEMS, stems=True), shown
    )
    if choice:
        return choice
    for one in reversed(keyed_in(fold(text), ("verdict", "finalverdict"))):
        word = closed_word(str(one.value), _STEMS, stems=True)
        if word and not one.is_quoted(shown):
            return Choice(word, "json")
    return UNREAD


def known_verdict(word: str | None) -> Verdict | None:
    return next((verdict for verdict in VERDICTS if verdict == word), None)


def read_scores(prepared: Sequence[Line], card: Section | None, shown: Shown) -> Scores:
    """Under the scorecard's heading if there is one, else in a table, else anywhere."""
    rows = table_rows(prepared)
    scores: Scores = {}
    for dimension in DIMENSIONS:
        score = _marker_score(card.lines, dimension, shown) if card else None
        score = _table_score(rows, dimension) if score is None else score
        scores[dimension] = _marker_score(prepared, dimension, shown) if score is None else score
    return scores


def read_score(value: str) -> int | None:
    """The score a value begins with; it must lie in 1 to 10 before it is rounded."""
    score = legal_score(value)
    return None if score is None else int(half_up(score, 0))


def _marker_score(prepared: Sequence[Line], dimension: str, shown: Shown) -> int | None:
    legal = [one for one in markers(prepared, dimension) if legal_score(one.value) is not None]
    own = last_own(legal, shown)
    return read_score(own.value) if own else None


def _table_score(rows: Sequence[Sequence[str]], dimension: str) -> int | None:
    last = None
    for first, *cells in rows:
        if name_key(first) == dimension:
            legal = (score for cell in cells if (score := read_score(plain(cell))) is not None)
            last = next(legal, last)
    return last


def average_score(scores: Mapping[Dimension, int | None]) -> Fraction | None:
    """Of the legal scores, exact."""
    legal = [score for score in scores.values() if score is not None]
    return mean(legal) if legal else None


def derived_verdict(scores: Mapping[Dimension, int | None]) -> Verdict | None:
    """What the mean of at least three scores says, unrounded: 6.95 is no 7."""
    average = average_score(scores)
    legal = sum(score is not None for score in scores.values())
    if average is None or legal < _FEWEST_TO_DERIVE:
        return None
    return "APPROVE" if average >= 7 else "REVISE" if average >= 4 else "REJECT"
