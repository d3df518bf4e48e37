"""Topic: what a question is about, and the few positions one can take on it.

>>> topic = Topic.of("Should a small team start with a monolith or microservices?")
>>> [position.choice for position in topic.positions]
['a monolith', 'microservices', 'a mix of a monolith and microservices']

All simulated models find the same topic in the same question, so they truly agree and disagree. One
position is right and one is the popular error: drawn from the question's letters, not from knowledge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from moot.simulator import wording
from moot.simulator.dice import dice
from moot.simulator.prompt import flat

_NUMERIC = re.compile(
    r"\b(how (many|much|long|old|far|often|tall|fast|likely)|what (percentage|share|year|number|probability)"
    r"|(in|by) (what|which) year|what is the (cost|price|population|probability|number))\b"
)
_YES_NO = re.compile(r"(should|is|are|do|does|did|can|could|will|would|has|have|was|were|may|must)\b")
_TECHNICAL = re.compile(
    r"\b(code|python|sql|api|apis|software|function|algorithm|database|program\w*|server\w*|\w*services?"
    r"|monolith\w*|javascript|typescript|rust|deploy\w*|script|git|cache|caching|docker|kubernetes)\b"
)


@dataclass(frozen=True, slots=True)
class Position:
    """`choice` is a noun phrase; `claim` a clause that stands word for word in every text that holds it."""

    choice: str
    claim: str


@dataclass(frozen=True, slots=True)
class Topic:
    key: str
    question: str
    focus: str
    terms: tuple[str, ...]
    positions: tuple[Position, ...]
    right: Position
    popular_error: Position
    is_technical: bool
    is_explanation: bool
    """Whether it asks for understanding rather than for a decision."""
    figure: float | None
    """The true figure, if one was asked for."""

    @staticmethod
    def of(text: str) -> Topic:
        return _topic(sha256(flat(text).encode()).hexdigest(), text[:2000])

    def stance(self, text: str) -> Position | None:
        """The position a text holds, if it is one of ours: the longest claim found in it."""
        plain = flat(text.replace("*", ""))
        held = [position for position in self.positions if _holds(plain, position.claim)]
        return max(held, key=lambda position: len(position.claim), default=None)

    def others(self, position: Position | None) -> list[Position]:
        return [other for other in self.positions if other != position]


def _holds(plain: str, claim: str) -> bool:
    return re.search(rf"{re.escape(flat(claim))}(?!\w)", plain) is not None


@lru_cache(maxsize=4096)
def _topic(key: str, text: str) -> Topic:
    question = wording.asked(text)
    figure = _figure(question, key)
    alternatives = () if figure is not None else wording.alternatives(question)
    positions = _positions(question, alternatives, figure)
    lot = dice("topic", key)
    right, popular_error = lot.sample(positions, 2)
    if figure is not None:
        right, popular_error = positions[0], lot.choice(positions[1:])
    phrases = wording.phrases(question)
    free = [phrase for phrase in phrases if not any(phrase in alternative for alternative in alternatives)]
    return Topic(
        key=key,
        question=question,
        focus=wording.with_article(_focus(free, alternatives), question),
        terms=tuple(phrases[:6]),
        positions=positions,
        right=right,
        popular_error=popular_error,
        is_explanation=positions in (_READINGS, _CAUSES),
        is_technical=_TECHNICAL.search(question.casefold()) is not None,
        figure=figure,
    )


def _positions(question: str, alternatives: tuple[str, ...], figure: float | None) -> tuple[Position, ...]:
    if figure is not None:
        amounts = [_rounded(figure * factor) for factor in (1, 1.4, 0.7, 2.5)]
        if 1900 < figure < 2100:
            amounts = [f"{figure + years:.0f}" for years in (0, 4, -2, 11)]
        return tuple(Position(f"a figure of {n}", f"the figure is about {n}") for n in dict.fromkeys(amounts))
    if alternatives:
        mix = "a mix of " + " and ".join(alternatives)
        return tuple(Position(choice, f"the better choice is {choice}") for choice in (*alternatives, mix))
    opening = question.casefold()
    if _YES_NO.match(opening):
        return _YES_OR_NO
    if opening.startswith("why"):
        return _CAUSES
    if opening.startswith("when"):
        return _MOMENTS
    return _READINGS if opening.startswith(("what", "which", "who", "where")) else _WAYS


_YES_OR_NO = (
    Position("a clear yes", "the answer is yes"),
    Position("a yes under conditions", "the answer is yes, under conditions"),
    Position("waiting", "the answer is not yet"),
    Position("a clear no", "the answer is no"),
)
_CAUSES = (
    Position("the account from incentives", "the main cause lies in the incentives"),
    Position("the structural account", "the main cause lies in the way things are built"),
    Position("the account from habit", "the main cause lies in habit"),
    Position("the account from missing information", "the main cause lies in missing information"),
)
_MOMENTS = (
    Position("acting now", "the right moment is now"),
    Position("acting when the need shows", "the right moment comes when the need shows"),
    Position("acting after a trial", "the right moment comes after a trial"),
)
_READINGS = (
    Position("the practical reading", "the practical reading serves best"),
    Position("the formal reading", "the formal reading serves best"),
    Position("the historical reading", "the historical reading serves best"),
)
_WAYS = (
    Position("starting small", "the way to go is to start small and widen"),
    Position("measuring first", "the way to go is to measure first and act second"),
    Position("simplifying first", "the way to go is to simplify before anything is added"),
    Position("a proven path", "the way to go is to follow a proven path"),
)


def _figure(question: str, key: str) -> float | None:
    plain = question.casefold()
    if not _NUMERIC.search(plain):
        return None
    lot = dice("figure", key)
    if "year" in plain and "how many" not in plain:
        return float(lot.randrange(2027, 2046))
    if re.search(r"percent|share|likely|probab", plain):
        return float(lot.randrange(5, 96))
    return float(f"{10 ** lot.uniform(0.7, 6):.2g}")


def _rounded(amount: float) -> str:
    return f"{float(f'{amount:.2g}'):,.10g}"


def _focus(phrases: list[str], alternatives: tuple[str, ...]) -> str:
    """What a sentence can be about: the longest phrase, the later one if equal."""
    if alternatives and not phrases:
        return " and ".join(alternatives)
    return max(reversed(phrases), key=lambda phrase: len(phrase.split()), default="the matter")
