"""Stated confidences, as a reply has them.

RESPONSE:
…
CONFIDENCE: 0.74
CONFIDENCE_REASONING: Sure of the first part, less so of the figures.
"""

from __future__ import annotations

import json
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
    without_cut_label,
)
from moot.modes.confidence_weighted.layouts import ANSWER_SAMPLES

ParseNote = Literal["clamped", "range", "percent", "fraction", "scale10", "verbal", "missing"]
_MOST_TRIES = 50

_LABELS = tuple(
    " ".join(filter(None, (whose, "CONFIDENCE", kind)))
    for whose in ("", "FINAL", "MY", "OVERALL")
    for kind in ("", "SCORE", "LEVEL")
)
_REASON = re.compile(r"confidence[\s_-]*(?:reasoning|rationale)\s*(?::|=|\s[-–—](?=\s))\s*", re.IGNORECASE)
_HEAD = re.compile(r"(?:response|answer)\s*(?::|=|$)\s*", re.IGNORECASE)
_CUT = ("CONFIDENCE", "CONFIDENCE_REASONING")
_FIGURE = r"(\d+(?:[.,]\d+)?|[.,]\d+)"
_NEGATIVE = re.compile(rf"[-−–]\s*{_FIGURE}")
_RANGE = re.compile(rf"{_FIGURE}\s*%?\s*(?:[-–—]|to)\s*{_FIGURE}\s*(%|percent)?", re.IGNORECASE)
_PERCENT = re.compile(rf"{_FIGURE}\s*(?:%|percent)", re.IGNORECASE)
_SHARE = re.compile(rf"{_FIGURE}\s*(?:/|out\s+of)\s*{_FIGURE}", re.IGNORECASE)
_BARE = re.compile(rf"{_FIGURE}(?!\w)(?![^\w\s]\d)")
_WORDS = {"very high": 0.9, "very low": 0.1, "high": 0.8, "medium": 0.5, "moderate": 0.5, "low": 0.2}


@dataclass(frozen=True, slots=True)
class ConfidentAnswer:
    """An answer with what its author thinks of it; `confidence` is None if no number could be read."""

    response: str
    confidence: float | None
    reasoning: str
    note: ParseNote | None

    @property
    def readable(self) -> bool:
        return bool(self.response) and self.confidence is not None

    @property
    def problem(self) -> str:
        """What is missing of it."""
        if not self.response:
            return "below the label RESPONSE stands no answer"
        return "on a line CONFIDENCE stands no number"

    def completed_by(self, later: ConfidentAnswer) -> ConfidentAnswer:
        """With what only a later reply has; what could be read before stays."""
        confidence, reasoning, note = self.confidence, self.reasoning, self.note
        if confidence is None:
            confidence, reasoning, note = later.confidence, later.reasoning, later.note
        return ConfidentAnswer(self.response or later.response, confidence, reasoning, note)


def read_confident_answer(reply: str, shown: Shown = NOTHING_SHOWN) -> ConfidentAnswer:
    prepared = without_cut_label(lines(reply), _CUT)
    last = _last_confidence(prepared, shown)
    if last is None:
        return _from_json(reply) or ConfidentAnswer(_answer(prepared), None, "", "missing")
    index, (value, note) = last
    response = _answer(prepared[:index])
    reasoning, after = _reasoning(prepared)
    if not response:
        rest = prepared[index + 1 : after if after > index else None]
        response = "\n".join(line.raw for line in rest).strip()
    return ConfidentAnswer(response, value, reasoning, note)


def _last_confidence(
    prepared: Sequence[Line], shown: Shown
) -> tuple[int, tuple[float, ParseNote | None]] | None:
    """The last labelled line whose value can be read: an answer may hold confidences of its own. One that
    stands in a text shown to the model is a quotation, and counts only if there is no other."""
    values = {line: value for line in markers(prepared, _LABELS) if (value := read_probability(line.value))}
    label = last_own(list(values), shown)
    return (label.index, values[label]) if label else None


def read_probability(text: str) -> tuple[float, ParseNote | None] | None:
    """A probability as people write one, with the name of the rule that made sense of it."""
    text = text.strip(" \t\"'“”[]()<>~≈").lower() if not is_template(text) else ""
    if _NEGATIVE.match(text):
        return 0.0, "clamped"
    if match := _RANGE.match(text):
        middle = (_number(match[1]) + _number(match[2])) / 2
        return (min(middle / 100, 1.0) if match[3] else _scale(middle)[0]), "range"
    if match := _PERCENT.match(text):
        return _clamp(_number(match[1]) / 100, "percent")
    if match := _SHARE.match(text):
        whole = _number(match[2])
        return _clamp(_number(match[1]) / whole, "fraction") if whole else None
    if match := _BARE.match(text):
        return _scale(_number(match[1]))
    word = next((word for word in _WORDS if re.match(rf"{word}\b", text)), None)
    return (_WORDS[word], "verbal") if word else None


def _number(figure: str) -> float:
    return float(figure.replace(",", "."))


def _clamp(value: float, note: ParseNote) -> tuple[float, ParseNote | None]:
    return (value, note) if value <= 1 else (1.0, "clamped")


def _scale(number: float) -> tuple[float, ParseNote | None]:
    """A bare number on whatever scale it must be meant."""
    if number <= 1:
        return number, None
    if number < 2 or number > 100:
        return 1.0, "clamped"
    return (number / 10, "scale10") if number <= 10 else (number / 100, "percent")


def _answer(prepared: Sequence[Line]) -> str:
    """The text, less a leading label and up to three lines before it."""
    first_lines = [index for index, line in enumerate(prepared) if line.plain][:4]
    for index in first_lines:
        head = _HEAD.match(prepared[index].plain)
        if head:
            first = as_written(prepared[index], head)[0]
            text = "\n".join([first, *(line.raw for line in prepared[index + 1 :])]).strip()
            return ANSWER_SAMPLES.filled(text) or ""
    return ANSWER_SAMPLES.filled("\n".join(line.raw for line in prepared).strip()) or ""


def _reasoning(prepared: Sequence[Line]) -> tuple[str, int]:
    """All that follows the last label, and the line of the label (-1 without one)."""
    for index in range(len(prepared) - 1, -1, -1):
        label = _REASON.match(prepared[index].plain)
        if label:
            first = as_written(prepared[index], label)[0]
            rest = [line.raw for line in prepared[index + 1 :]]
            return "\n".join([first, *rest]).strip(), index
    return "", -1


def _from_json(reply: str) -> ConfidentAnswer | None:
    """A trailing object with `confidence`, where no label was found."""
    text = reply.rstrip().removesuffix("```").rstrip()
    openings = [brace.start() for brace in re.finditer("{", text)] if text.endswith("}") else []
    for start in openings[: -_MOST_TRIES - 1 : -1]:
        value = _load(text[start:])
        probability = read_probability(str(value["confidence"])) if "confidence" in value else None
        if probability is not None:
            before = re.sub(r"```\w*\s*\Z", "", text[:start]).strip()
            response = _answer(lines(before)) or str(value.get("response") or value.get("answer") or "")
            return ConfidentAnswer(
                response, probability[0], str(value.get("reasoning") or ""), probability[1]
            )
    return None


def _load(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
