"""A duel of two texts: what the judge wrote about it, and who wins by that.

REASONING: B answers the question that was asked; A names a year that is wrong.
SCORE A: 6
SCORE B: 8.5
WINNER: Response B [k7f3]        the nonce that only this judge was given, for this order

A judge is asked twice, with the texts in either order. Verdicts and scores are mapped back to the
two sides, so that whoever gains from standing first gains nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

from moot.deliberation.choices import (
    Choice,
    MarkerReading,
    ParsedBy,
    Value,
    choose,
    in_cells,
    read_label,
    respelled,
    takes_back,
)
from moot.deliberation.cut_replies import legible
from moot.deliberation.json_reply import keyed_in
from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, as_written, fold, last_own, lines, markers
from moot.deliberation.rounding import half_up
from moot.deliberation.scores import legal_score
from moot.deliberation.statistics import exact, mean
from moot.kernel.values import Answer, Wire

Order = Literal["forward", "reversed"]
Side = Literal["Response A", "Response B"]
Verdict = Literal["Response A", "Response B", "TIE"]
DecidedBy = Literal["verdicts", "score_margin", "seed", "identical"]

SIDES: tuple[Side, Side] = ("Response A", "Response B")

_NAME = re.compile(r"(?:(?:the|my|final|overall)\s+){0,3}winner", re.IGNORECASE)
_WINNER = re.compile(
    rf"{_NAME.pattern}(?:\s*[:=–—]+|\s+-+|-+(?=\s)|\s+is\b\s*[:=]?)\s*",
    re.IGNORECASE,
)
_OPENING = r"[\s\[({\"'“”„‘«<]{0,12}"
_LETTER = rf"{_OPENING}(?:Response\s+)?{_OPENING}([AB])\b"
_CLOSING = r"[\s\])}\"'”’»>]{0,12}"
_BOTH = re.compile(rf"{_LETTER}{_CLOSING}(?:[/|,&]|or\b|and\b){_LETTER}(?!\s+\w)", re.IGNORECASE)
_TIE = re.compile(
    rf"{_OPENING}(?:it(?:['’]s|\s+is)\s+)?(?:an?\s+)?(?:tied?|draw|neither|both|none|equal(?:ly|s)?)\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?:Response\s+)?([AB])\.?", re.IGNORECASE)
_BETTER = re.compile(
    r"(?:(?:overall|therefore|thus|so|in conclusion),?\s+)?(?:Response|Answer)\s+([AB])\s+"
    r"(?:wins|serves\s+the\s+person\s+(?:who\s+asked\s+)?better"
    r"|is\s+(?:(?:clearly|slightly|overall|therefore)\s+)?(?:the\s+)?(?:better|best|winner)"
    r"(?:\s+(?:one|response|answer|choice))?)"
    r"(?:\s+overall)?(?:\s+for\s+the\s+person\s+who\s+asked)?\s*[.!]?",
    re.IGNORECASE,
)
_SCORE_LINE = re.compile(r"SCORE\s+(?:FOR\s+)?(?:RESPONSE\s+)?[AB]\b", re.IGNORECASE)
_REASONING = re.compile(r"REASONING\s*(?:[:=]|(?<=\s)[-–—]\s|$)\s*", re.IGNORECASE)


class Scores(NamedTuple):
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What a judge's reply says about the text shown as A and the one shown as B."""

    verdict: Verdict | None
    scores: Scores | None
    reasoning: str
    parsed_by: ParsedBy | None = None
    contradiction: bool = False
    """Whether its scores say the opposite of its verdict: then they are not among `scores`."""


class Judgement(Wire):
    """One order of a match, mapped back to its sides: `Response A` is always the upper one.

    `texts` are the judge's replies, one per attempt, null where none came. `parsed_by`: by which rule the
    verdict was read.
    """

    order: Order
    verdict: Verdict | None
    score_a: float | None
    score_b: float | None
    reasoning: str | None
    attempts: int
    response_time_ms: int
    texts: list[str | None]
    parsed_by: ParsedBy | None = None


class Decision(NamedTuple):
    winner: Side
    by: DecidedBy


def read_judge(reply: Answer, shown: Shown = NOTHING_SHOWN) -> Reading:
    """What a judge's reply holds. Where it was cut off, it has not come to its last line."""
    return read_reply(legible(reply), shown, has_last_line=not reply.breaks_off)


def read_reply(text: str, shown: Shown = NOTHING_SHOWN, *, has_last_line: bool = True) -> Reading:
    prepared = lines(text, shown.nonce)
    winner = read_winner(text, prepared, shown, has_last_line)
    verdict = _known_verdict(winner.meaning) if winner else None
    scores = read_scores(prepared, shown)
    contradiction = scores is not None and _contradicts(scores, verdict)
    by = winner.by if winner and verdict else None
    reasoning = read_reasoning(text, prepared)
    return Reading(verdict, None if contradiction else scores, reasoning, by, contradiction)


def read_verdict(text: str, shown: Shown = NOTHING_SHOWN) -> Verdict | None:
    return read_reply(text, shown).verdict


def read_winner(
    text: str, prepared: Sequence[Line], shown: Shown, has_last_line: bool = True
) -> Choice | None:
    """The last winner line's; without any such line a JSON object's, that of a line which is nothing but a
    label and the judge's own code, or of a last line which is nothing but a letter, or nothing but
    "Response B is better".

    A line that offers both letters is the pattern itself and is passed over. Free text is never
    searched: "A is better than B" names B last.
    """
    stated = choose(prepared, _winners_in, shown)
    if stated or any(_begins(line) for line in prepared):
        return stated
    for one in reversed(keyed_in(fold(text), ("winner", "verdict", "finalverdict"))):
        reading = _read(str(one.value))
        if reading and not one.is_quoted(shown):
            return Choice(reading.meaning, "json")
    signed = [line for line in prepared if line.signature is not None and _ALONE.fullmatch(line.plain)]
    if len(signed) == 1:
        return Choice(_side(signed[0].plain.strip(".")[-1]), "nonce")
    last = next((line for line in reversed(prepared) if line.plain and has_last_line), Line("", ""))
    letter = _ALONE.fullmatch(last.plain)
    if letter is None and last.stands_alone and not shown.has_line(last.plain):
        letter = _only_preference(prepared) if _BETTER.fullmatch(last.plain) else None
    return Choice(_side(letter[1]), "statement") if letter else None


def _only_preference(prepared: Sequence[Line]) -> re.Match[str] | None:
    """Whoever calls A better here and B there weighs them point by point, and has not decided."""
    found = [match for line in prepared if (match := _BETTER.fullmatch(line.plain))]
    return found[-1] if len({_side(match[1]) for match in found}) == 1 else None


def _begins(line: Line) -> bool:
    return _WINNER.match(line.plain) is not None or line.plain.casefold() == "winner"


def _winners_in(prepared: Sequence[Line]) -> list[MarkerReading]:
    """Every winner line that does not offer both letters."""
    written = [in_cells(line, _NAME) for line in prepared]
    same_marker = [respelled(line, lambda plain: _WINNER.sub("WINNER: ", plain, count=1)) for line in written]
    statements = []
    for one in markers(same_marker, "WINNER"):
        label = _WINNER.match(written[one.index].plain)
        if not _offers_both(one.value):
            name = label[0] if label else one.name
            statements.append(MarkerReading(replace(one, name=name), _read(one.value)))
    return statements


def _offers_both(value: str) -> bool:
    letters = _BOTH.match(value)
    return letters is not None and letters[1].upper() != letters[2].upper()


def _read(value: str) -> Value | None:
    tie = _TIE.match(value)
    if tie:
        return None if takes_back(value) else Value("TIE", tie[0])
    label = read_label(value, SIDES, even_handed=True)
    return label if label and label.meaning in SIDES else None


def _known_verdict(meaning: str | None) -> Verdict | None:
    return next((verdict for verdict in get_args(Verdict) if verdict == meaning), None)


def _side(letter: str) -> Side:
    return "Response A" if letter in "Aa" else "Response B"


def read_scores(text: str | Sequence[Line], shown: Shown = NOTHING_SHOWN) -> Scores | None:
    """Both scores, from 0 to 10; one alone says nothing about the difference."""
    prepared = lines(text) if isinstance(text, str) else text
    first, second = _score(prepared, "A", shown), _score(prepared, "B", shown)
    return None if first is None or second is None else Scores(first, second)


def _score(prepared: Sequence[Line], letter: str, shown: Shown) -> float | None:
    names = tuple(f"SCORE {words}{letter}" for words in ("", "for ", "Response ", "for Response "))
    legal = [one for one in markers(prepared, names) if legal_score(one.value, 0, 10) is not None]
    own = last_own(legal, shown)
    score = legal_score(own.value, 0, 10) if own else None
    return None if score is None else float(score)


def _contradicts(scores: Scores, verdict: Verdict | None) -> bool:
    if verdict == "Response A":
        return scores.first < scores.second
    return verdict == "Response B" and scores.second < scores.first


def read_reasoning(text: str, prepared: Sequence[Line]) -> str:
    """From `REASONING:` to the first score or winner line after it; without the marker, all of it."""
    starts = [index for index, line in enumerate(prepared) if _REASONING.match(line.plain)]
    if not starts:
        return text.strip()
    start = prepared[starts[-1]]
    label = _REASONING.match(start.plain)
    reasoning = [as_written(start, label)[0] if label else ""]
    for line in prepared[starts[-1] + 1 :]:
        if _SCORE_LINE.match(line.plain) or _WINNER.match(line.plain):
            break
        reasoning.append(line.raw)
    return "\n".join(reasoning).strip() or text.strip()


def combine_attempts(
    order: Order, readings: Sequence[Reading], texts: Sequence[str | None], response_time_ms: int
) -> Judgement:
    """What all attempts at one order say together. What could be read first stands: a later attempt adds
    what was missing, and a verdict that speaks against the scores given before is none."""
    deciding = None if is_overturned(readings) else next((one for one in readings if one.verdict), None)
    verdict = deciding.verdict if deciding else None
    scores = next((one.scores for one in readings if one.scores), None)
    if order == "reversed":
        verdict, scores = _swap(verdict), scores and Scores(scores.second, scores.first)
    return Judgement(
        order=order,
        verdict=verdict,
        score_a=scores.first if scores else None,
        score_b=scores.second if scores else None,
        reasoning=readings[0].reasoning if readings else None,
        attempts=len(texts),
        response_time_ms=response_time_ms,
        texts=list(texts),
        parsed_by=deciding.parsed_by if deciding else None,
    )


def is_overturned(readings: Sequence[Reading]) -> bool:
    """Whether a later attempt names the winner that the scores of an earlier one speak against."""
    scores = next((one.scores for one in readings if one.scores), None)
    return scores is not None and any(_contradicts(scores, one.verdict) for one in readings)


def _swap(verdict: Verdict | None) -> Verdict | None:
    if verdict is None or verdict == "TIE":
        return verdict
    return "Response B" if verdict == "Response A" else "Response A"


def decide(judgements: Sequence[Judgement], better_seed: Side) -> Decision:
    """More points win (a verdict 1, a tie ½ each); equal points leave it to the scores, equal scores to
    the seed."""
    lead = sum(_lead(judgement.verdict) for judgement in judgements)
    if lead:
        return Decision(SIDES[lead < 0], "verdicts")
    margin = sum((_margin(judgement) for judgement in judgements), Fraction(0))
    if margin:
        return Decision(SIDES[margin < 0], "score_margin")
    return Decision(better_seed, "seed")


def _lead(verdict: Verdict | None) -> int:
    return {"Response A": 1, "Response B": -1}.get(verdict or "", 0)


def _margin(judgement: Judgement) -> Fraction:
    # In exact arithmetic: 8.1 - 7 and 7 - 8.1 must cancel out.
    if judgement.score_a is None or judgement.score_b is None:
        return Fraction(0)
    return exact(judgement.score_a) - exact(judgement.score_b)


def mean_score(scores: Sequence[float | None]) -> float | None:
    numbers = [score for score in scores if score is not None]
    return float(mean(numbers)) if numbers else None


def verdicts_of(judgements: Sequence[Judgement]) -> tuple[Verdict, ...]:
    return tuple(judgement.verdict for judgement in judgements if judgement.verdict)


def is_conflict(judgements: Sequence[Judgement]) -> bool:
    """Whether the judge favoured opposite sides in the two orders."""
    return {"Response A", "Response B"} <= set(verdicts_of(judgements))


def consistency(matches: Sequence[Sequence[Judgement]]) -> float | None:
    """The share of the matches judged in both orders in which the two verdicts agree."""
    pairs = [verdicts for match in matches if len(verdicts := verdicts_of(match)) == 2]
    return half_up(Fraction(sum(a == b for a, b in pairs), len(pairs)), 2) if pairs else None
