"""Mind: a simulated model at work on one request: its traits, its dice, its opinions.

position   what it holds on a topic      drawn from name and question: the same in every stage
ranked     which texts it prefers        belief, aspects covered, length, bias, and a little noise
yields     whether it changes its mind   conformity times the share that holds something else
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import TypeVar

from moot.simulator.aspects import DECIDING, EXPLAINING, Aspect, aspects_in
from moot.simulator.cast import Character
from moot.simulator.dice import Dice, dice
from moot.simulator.topic import Position, Topic
from moot.simulator.traits import Traits

T = TypeVar("T")
LONGEST_READ = 20_000
"""Characters of a text that are taken in; the rest counts for nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a mind made of a text it was shown."""

    label: str
    stance: Position | None
    aspects: tuple[Aspect, ...]
    missing: tuple[Aspect, ...]
    words: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class Mind:
    character: Character
    traits: Traits
    dice: Dice

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def some(self, things: Sequence[T], count: int) -> list[T]:
        """So many of them, in their own order."""
        chosen = set(self.dice.sample(range(len(things)), min(count, len(things))))
        return [thing for at, thing in enumerate(things) if at in chosen]

    def position(self, topic: Topic) -> Position:
        lot = self._lot("position", topic)
        if lot.random() < self.traits.accuracy:
            return topic.right
        if lot.random() < self.traits.error_correlation:
            return topic.popular_error
        wrong = [other for other in topic.positions if other not in (topic.right, topic.popular_error)]
        return lot.choice(wrong or [topic.popular_error])

    def estimate(self, topic: Topic) -> float:
        """Its figure for a question that asks for one; errors are shared as far as they are correlated."""
        truth = topic.figure if topic.figure is not None else dice("figure", topic.key).randrange(10, 100)
        shared = dice("shared error", topic.key).gauss(0, 1)
        own = self._lot("estimate", topic).gauss(0, 1)
        weight = self.traits.error_correlation
        error = (0.05 + 0.8 * (1 - self.traits.accuracy)) * (weight * shared + sqrt(1 - weight**2) * own)
        if 1900 < truth < 2100:
            return round(truth + 10 * error)
        return float(f"{truth * exp(error):.3g}")

    def aspects(self, topic: Topic, count: int) -> list[Aspect]:
        """The aspects this mind thinks of first on this topic."""
        fitting = _fitting(topic)
        return self._lot("aspects", topic).sample(fitting, min(max(count, 1), len(fitting)))

    def reading(self, label: str, text: str, topic: Topic) -> Reading:
        fitting, seen = _fitting(topic), text[:LONGEST_READ]
        aspects = tuple(aspects_in(seen, fitting))
        return Reading(
            label=label,
            stance=topic.stance(seen),
            aspects=aspects,
            missing=tuple(aspect for aspect in fitting if aspect not in aspects),
            words=len(seen.split()),
            is_own=self.character.turn in text,
        )

    def ranked(self, shown: Mapping[str, str], topic: Topic) -> list[Reading]:
        """The texts it was shown, best first."""
        readings = [self.reading(label, text, topic) for label, text in shown.items()]
        belief = topic.right if self.chance(self.traits.accuracy) else self.position(topic)
        merits = [self._merit(reading, belief) for reading in readings]
        last = max(len(readings) - 1, 1)
        for place in range(len(readings)):
            merits[place] += self.traits.position_bias * 1.5 * (1 - 2 * place / last)
        order = sorted(range(len(readings)), key=lambda place: -merits[place])
        return [readings[place] for place in order]

    def _merit(self, reading: Reading, belief: Position) -> float:
        return (
            (1.2 if reading.stance == belief else 0.0)
            + 0.12 * len(reading.aspects)
            + 0.5 * (self.traits.verbosity - 0.7) * min(reading.words / 300, 2.0)
            + (2.5 * self.traits.self_preference if reading.is_own else 0.0)
            + self.dice.gauss(0, 0.25)
        )

    def yields(self, own: Position | None, others: Iterable[Position | None]) -> Position | None:
        """The position it goes over to on hearing the others; None if it keeps its own."""
        heard = Counter(stance for stance in others if stance is not None)
        if not heard:
            return None
        leading, supporters = heard.most_common(1)[0]
        if leading == own or not self.chance(self.traits.conformity * supporters / heard.total()):
            return None
        return leading

    def _lot(self, purpose: str, topic: Topic) -> Dice:
        return dice(purpose, self.character.name, self.traits.seed, topic.key)


def _fitting(topic: Topic) -> tuple[Aspect, ...]:
    return EXPLAINING if topic.is_explanation else DECIDING
