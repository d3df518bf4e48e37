"""Stated confidences: read from a reply, and turned into weights that add up to one.

RESPONSE:
…
CONFIDENCE: 0.74
CONFIDENCE_REASONING: Sure of the first part, less so of the figures.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moot.deliberation.parsing import (
    NOTHING_SHOWN,
    Line,
    Shown,
    as_written,
    is_template,
    last_own,
    lines,
    markers,
)
from moot.deliberation.rounding import percent_shares
from moot.deliberation.statistics import median
from moot.kernel.values import FailedModel, Wire

Note = Literal["clamped", "range", "percent", "fraction", "scale10", "verbal", "missing"]
Weighting = Literal["softmax", "log_odds"]
LEAST, MOST = 0.10, 0.95
"""Beyond these a confidence is an outlier; bragging buys nothing, modesty costs no more."""
COLDEST = 0.001
"""Below this temperature the highest takes all."""
_MOST_TRIES = 50

_LABELS = tuple(
    " ".join(filter(None, (whose, "CONFIDENCE", kind)))
    for whose in ("", "FINAL", "MY", "OVERALL")
    for kind in ("", "SCORE", "LEVEL")
)
_REASON = re.compile(r"confidence[\s_-]*(?:reasoning|rationale)\s*(?::|=|\s[-–—](?=\s))\s*", re.IGNORECASE)
_HEAD = re.compile(r"(?:response|answer)\s*(?::|=|$)\s*", re.IGNORECASE)
_FIGURE = r"(\d+(?:[.,]\d+)?|[.,]\d+)"
_NEGATIVE = re.compile(rf"[-−–]\s*{_FIGURE}")
_RANGE = re.compile(rf"{_FIGURE}\s*%?\s*(?:[-–—]|to)\s*{_FIGURE}\s*(%|percent)?", re.IGNORECASE)
_PERCENT = re.compile(rf"{_FIGURE}\s*(?:%|percent)", re.IGNORECASE)
_SHARE = re.compile(rf"{_FIGURE}\s*(?:/|out\s+of)\s*{_FIGURE}", re.IGNORECASE)
_BARE = re.compile(rf"{_FIGURE}(?!\w)")
_WORDS = {"very high": 0.9, "very low": 0.1, "high": 0.8, "medium": 0.5, "moderate": 0.5, "low": 0.2}


@dataclass(frozen=True, slots=True)
class Confident:
    """An answer with what its author thinks of it; `confidence` is None if no number could be read."""

    response: str
    confidence: float | None
    reasoning: str
    note: Note | None


def read_confident(reply: str, shown: Shown = NOTHING_SHOWN) -> Confident:
    prepared = lines(reply)
    found = _last_confidence(prepared, shown)
    if found is None:
        return _from_json(reply) or Confident(_answer(prepared), None, "", "missing")
    index, (value, note) = found
    response = _answer(prepared[:index])
    reasoning, after = _reasoning(prepared)
    if not response:
        rest = prepared[index + 1 : after if after > index else None]
        response = "\n".join(line.raw for line in rest).strip()
    return Confident(response, value, reasoning, note)


def _last_confidence(prepared: Sequence[Line], shown: Shown) -> tuple[int, tuple[float, Note | None]] | None:
    """The last labelled line whose value can be read: an answer may hold confidences of its own. One that
    stands in a text shown to the model is a quotation, and counts only if there is no other."""
    read = {one: value for one in markers(prepared, _LABELS) if (value := read_value(one.value))}
    chosen = last_own(list(read), shown)
    return (chosen.index, read[chosen]) if chosen else None


def read_value(text: str) -> tuple[float, Note | None] | None:
    """A probability as people write one, with the name of the rule that made sense of it."""
    text = text.strip(" \t\"'“”[]()<>~≈").lower() if not is_template(text) else ""
    if _NEGATIVE.match(text):
        return 0.0, "clamped"
    if found := _RANGE.match(text):
        middle = (_number(found[1]) + _number(found[2])) / 2
        return (min(middle / 100, 1.0) if found[3] else _scaled(middle)[0]), "range"
    if found := _PERCENT.match(text):
        return _clamped(_number(found[1]) / 100, "percent")
    if found := _SHARE.match(text):
        whole = _number(found[2])
        return _clamped(_number(found[1]) / whole, "fraction") if whole else None
    if found := _BARE.match(text):
        return _scaled(_number(found[1]))
    word = next((word for word in _WORDS if re.match(rf"{word}\b", text)), None)
    return (_WORDS[word], "verbal") if word else None


def _number(figure: str) -> float:
    return float(figure.replace(",", "."))


def _clamped(value: float, note: Note) -> tuple[float, Note | None]:
    return (value, note) if value <= 1 else (1.0, "clamped")


def _scaled(number: float) -> tuple[float, Note | None]:
    """A bare number on whatever scale it must be meant."""
    if number <= 1:
        return number, None
    if number < 2 or number > 100:
        return 1.0, "clamped"
    return (number / 10, "scale10") if number <= 10 else (number / 100, "percent")


def _answer(prepared: Sequence[Line]) -> str:
    """The text, less a leading label and up to three lines before it."""
    written = [index for index, line in enumerate(prepared) if line.plain][:4]
    for index in written:
        head = _HEAD.match(prepared[index].plain)
        if head:
            first = as_written(prepared[index], head)[0]
            return "\n".join([first, *(line.raw for line in prepared[index + 1 :])]).strip()
    return "\n".join(line.raw for line in prepared).strip()


def _reasoning(prepared: Sequence[Line]) -> tuple[str, int]:
    """All that follows the last label, and the line of the label (-1 without one)."""
    for index in range(len(prepared) - 1, -1, -1):
        label = _REASON.match(prepared[index].plain)
        if label:
            first = as_written(prepared[index], label)[0]
            rest = [line.raw for line in prepared[index + 1 :]]
            return "\n".join([first, *rest]).strip(), index
    return "", -1


def _from_json(reply: str) -> Confident | None:
    """A trailing object with `confidence`, where no label was found."""
    text = reply.rstrip().removesuffix("```").rstrip()
    openings = [found.start() for found in re.finditer("{", text)] if text.endswith("}") else []
    for start in openings[: -_MOST_TRIES - 1 : -1]:
        value = _loaded(text[start:])
        read = read_value(str(value["confidence"])) if "confidence" in value else None
        if read is not None:
            before = re.sub(r"```\w*\s*\Z", "", text[:start]).strip()
            response = _answer(lines(before)) or str(value.get("response") or value.get("answer") or "")
            return Confident(response, read[0], str(value.get("reasoning") or ""), read[1])
    return None


def _loaded(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Weight:
    effective: float
    share: float
    percent: float
    is_outlier: bool


def weights(confidences: Sequence[float | None], temperature: float, weighting: Weighting) -> list[Weight]:
    """Each confidence's share of influence. A missing one counts as the median of the others."""
    given = [value for value in confidences if value is not None]
    middle = float(median(given)) if given else 0.5
    effective = [min(max(middle if value is None else value, LEAST), MOST) for value in confidences]
    shares = _softmax([_odds(e) if weighting == "log_odds" else e for e in effective], temperature)
    return [
        Weight(e, share, percent, value is not None and (value > MOST or value < LEAST))
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


class AnswerData(Wire):
    """What a respondent said, and how sure it is of it."""

    index: int
    seat: int
    model: str
    response: str
    confidence: float | None
    confidence_reasoning: str
    parsed_successfully: bool
    parse_note: Note | None
    response_time_ms: int
    total_models: int
    raw_text: str


class WeightEntry(Wire):
    index: int
    seat: int
    model: str
    raw_confidence: float | None
    effective_confidence: float
    normalized_weight: float
    weight_percent: float
    is_outlier: bool
    parsed_successfully: bool


class WeightShare(Wire):
    model: str
    weight_percent: float


class WeightsData(Wire):
    weights: list[WeightEntry]
    temperature: float
    weighting: str
    outlier_count: int
    effective_voices: float
    failed_models: list[FailedModel]


def weights_line(data: WeightsData) -> str:
    """The weights in one readable line."""
    shares = "; ".join(
        f"{e.model} {e.weight_percent:.2f} % ("
        + ("no confidence given" if e.raw_confidence is None else f"confidence {e.raw_confidence:g}")
        + (", outlier)" if e.is_outlier else ")")
        for e in data.weights
    )
    return f"{data.weighting}, temperature {data.temperature:g}: {shares}"
