"""Confidences turned into weights that add up to one.

0.90, 0.60, none  ─▶  0.90, 0.60, 0.75 (the median)  ─▶  softmax or log-odds  ─▶  38.4%, 28.5%, 33.1%
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from moot.deliberation.rounding import percent_shares
from moot.deliberation.statistics import median
from moot.modes.confidence_weighted.config import Weighting
from moot.modes.confidence_weighted.events import AnswerData, WeightEntry

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.10, 0.95
"""Beyond these a confidence is an outlier; bragging buys nothing, modesty costs no more."""
COLDEST = 0.001
"""Below this temperature the highest takes all."""


@dataclass(frozen=True, slots=True)
class Weight:
    effective: float
    share: float
    percent: float
    is_outlier: bool


def weights(confidences: Sequence[float | None], temperature: float, weighting: Weighting) -> list[Weight]:
    """Each confidence's share of influence. A missing one counts as the median of the others."""
    stated = [value for value in confidences if value is not None]
    middle = float(median(stated)) if stated else 0.5
    effective = [
        min(max(middle if value is None else value, LEAST_CONFIDENCE), MOST_CONFIDENCE)
        for value in confidences
    ]
    shares = _softmax([_odds(e) if weighting == "log_odds" else e for e in effective], temperature)
    return [
        Weight(e, share, percent, value is not None and (value > MOST_CONFIDENCE or value < LEAST_CONFIDENCE))
        for value, e, share, percent in zip(
            confidences, effective, shares, percent_shares(shares), strict=True
        )
    ]


def _odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


def _softmax(values: Sequence[float], temperature: float) -> list[float]:
    highest = max(values)
    if temperature < COLDEST:
        winners = values.count(highest)
        return [1 / winners if value == highest else 0.0 for value in values]
    powers = [math.exp((value - highest) / temperature) for value in values]
    total = math.fsum(powers)
    return [power / total for power in powers]


def effective_voices(weighted: Sequence[Weight]) -> float:
    """How many answers really counted."""
    return 1 / math.fsum(weight.share**2 for weight in weighted)


@dataclass(frozen=True)
class WeightedAnswer:
    """An answer with its weight and the letter the synthesizer knows it by."""

    letter: str
    answer: AnswerData
    entry: WeightEntry


def heaviest_first(answers: Sequence[AnswerData], entries: Sequence[WeightEntry]) -> list[WeightedAnswer]:
    pairs = sorted(zip(answers, entries, strict=True), key=lambda pair: -pair[1].normalized_weight)
    return [
        WeightedAnswer(letter=chr(65 + place), answer=answer, entry=entry)
        for place, (answer, entry) in enumerate(pairs)
    ]
