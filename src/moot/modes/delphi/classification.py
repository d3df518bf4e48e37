"""What kind of question a panel is asked: a number on some scale, or a choice among options.

TYPE: NUMERIC                     TYPE: QUALITATIVE
SCALE: BOUNDED                    OPTIONS:
BOUNDS: 0 to 100                  - Hybrid (core mono, rest poly)
UNIT: %                           - Mono
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.deliberation.choices import chosen_word
from moot.deliberation.parsing import Line, Shown, fold, is_template, lines
from moot.deliberation.sections import blocks, items, sections
from moot.kernel.values import Answer, Wire
from moot.modes.delphi.answers import OTHER, answer_key, read_span, short_answer
from moot.modes.delphi.convergence import Scale
from moot.modes.delphi.layouts import SAMPLES

QuestionType = Literal["numeric", "qualitative"]
MOST_OPTIONS = 10
LONGEST_UNIT = 60

_SCALES: tuple[Scale, ...] = ("RATIO", "MAGNITUDE", "BOUNDED", "DATE")
_NAMES = ("TYPE", "SCALE", "BOUNDS", "UNIT", "OPTIONS", "REASONING")
_NOTHING = ("", "-", "none", "n/a", "null")
_BULLET = re.compile(r"\s*(?:[-+*•–—·]\s|\d{1,3}[.)]\s|[A-Za-z][).]\s)")
_LETTERED = re.compile(r"[A-Za-z][).]\s+")
_COMMA = re.compile(r",(?![^()\[\]{}]*[)\]}])")


class Classification(Wire):
    """`source`: who decided it; `fallback` means that nobody did. `raw_text` is the facilitator's reply."""

    type: QuestionType
    options: list[str] | None
    scale: Scale | None
    unit: str | None
    bounds: tuple[float, float] | None
    reasoning: str | None
    source: Literal["facilitator", "request", "fallback"]
    model: str | None
    raw_text: str
    response_time_ms: int | None

    @classmethod
    def of(
        cls,
        kind: QuestionType,
        facts: ClassificationReply,
        reply: Answer | None = None,
        *,
        is_recognised: bool = True,
    ) -> Classification:
        """`facts` come from the facilitator's `reply`, or from the request if there is none."""
        scale, bounds = scale_of(facts) if kind == "numeric" else (None, None)
        has_options = len(facts.options) >= 2 and kind == "qualitative" and is_recognised
        source: Literal["facilitator", "request", "fallback"] = "fallback"
        if reply is None and facts.options:
            source = "request"
        elif reply is not None and is_recognised:
            source = "facilitator"
        return cls(
            type=kind,
            options=list(facts.options) if has_options else None,
            scale=scale,
            unit=facts.unit if kind == "numeric" else None,
            bounds=bounds,
            reasoning=facts.reasoning,
            source=source,
            model=reply.model if reply else None,
            raw_text=reply.response if reply else "",
            response_time_ms=reply.response_time_ms if reply else None,
        )


@dataclass(frozen=True, slots=True)
class ClassificationReply:
    """What a facilitator's reply says; None where it says nothing."""

    type: QuestionType | None = None
    scale: Scale | None = None
    bounds: tuple[float, float] | None = None
    unit: str | None = None
    options: tuple[str, ...] = ()
    reasoning: str | None = None

    def is_incomplete(self, fixed: QuestionType | None) -> bool:
        """Whether the panel cannot be asked as it should; `fixed` is what the request says."""
        kind = fixed or self.type
        return kind is None or (kind == "qualitative" and len(self.options) < 2)


def read_classification(reply: str, shown: Shown) -> ClassificationReply:
    prepared = lines(reply)
    word = chosen_word(prepared, "TYPE", ("NUMERIC", "QUALITATIVE"), shown=shown)
    scale = chosen_word(prepared, "SCALE", (*_SCALES, "NONE"), shown=shown)
    fields = sections(prepared, _NAMES, shown=shown)
    unit = short_answer(fold(SAMPLES.filled(fields["UNIT"].joined) or "")) if "UNIT" in fields else ""
    bounds = read_span(fields["BOUNDS"].joined, unit) if "BOUNDS" in fields else None
    return ClassificationReply(
        type="numeric" if word == "NUMERIC" else "qualitative" if word else None,
        scale=next((one for one in _SCALES if one == scale), None),
        bounds=(float(bounds.low), float(bounds.high)) if bounds and bounds.low < bounds.high else None,
        unit=None if _is_nothing(unit) or len(unit) > LONGEST_UNIT else unit,
        options=tuple(read_options(fields["OPTIONS"].lines)) if "OPTIONS" in fields else (),
        reasoning=fields["REASONING"].text if "REASONING" in fields else None,
    )


def _is_nothing(unit: str) -> bool:
    """`NONE`, in brackets or with a remark too."""
    bare = unit.casefold().strip("[]()<> ")
    return bare in _NOTHING or bare.startswith("none ")


def read_options(option_lines: Sequence[Line]) -> list[str]:
    """One per bullet or line; a single line is parted at `|` or `;`, else at commas outside brackets."""
    filled_lines = [line for line in option_lines if line.raw.strip()]
    if len(filled_lines) == 1 and not _BULLET.match(filled_lines[0].raw):
        text = filled_lines[0].raw
        parts = re.split(r"[|;]", text) if re.search(r"[|;]", text) else _COMMA.split(text)
    else:
        parts = items([line for line in filled_lines if not is_template(line.plain)])
    return distinct(_LETTERED.sub("", part.strip(), count=1) for part in parts)[:MOST_OPTIONS]


def distinct(options: Iterable[str]) -> list[str]:
    """The options in one line each, none twice, without the one that stands for all others."""
    by_key: dict[str, str] = {}
    for option in options:
        text = short_answer(option)
        if text.casefold() in (*_NOTHING, OTHER.casefold()) or is_template(text):
            continue
        if not SAMPLES.is_sample(text):
            by_key.setdefault(text.casefold(), text)
    return list(by_key.values())


def scale_of(reading: ClassificationReply) -> tuple[Scale, tuple[float, float] | None]:
    """The scale, and its ends if it is bounded; what is missing follows from the unit."""
    unit = (reading.unit or "").casefold()
    scale = reading.scale
    if scale is None:
        scale = "DATE" if unit in ("year", "years") else "BOUNDED" if unit == "%" else "RATIO"
    if scale != "BOUNDED":
        return scale, None
    bounds = reading.bounds or ((0.0, 100.0) if unit == "%" else None)
    return ("BOUNDED", bounds) if bounds else ("RATIO", None)


class CodebookEntry(Wire):
    participant_index: int
    option: str


class Codebook(Wire):
    """Open answers under few names; `assignment`: under which each participant's stands."""

    options: list[str]
    assignment: list[CodebookEntry]
    model: str | None
    raw_text: str


def read_codebook(reply: str, count: int) -> list[tuple[str, list[int]]] | None:
    """The groups of answers `1…count`; None unless every answer is in exactly one."""
    groups: list[tuple[str, list[int]]] = []
    for block in blocks(reply, "OPTION", ident="[A-Za-z]"):
        name, sign, numbers = block.title.rpartition("=")
        members = [int(number) for number in re.findall(r"\d{1,3}", numbers)]
        if sign and short_answer(name) and members:
            groups.append((short_answer(name), members))
    numbered = [number for _, members in groups for number in members]
    return groups if sorted(numbered) == list(range(1, count + 1)) else None


def group_by_words(answers: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Answers grouped by their words alone, numbered from 1."""
    groups: dict[str, tuple[str, list[int]]] = {}
    for number, answer in enumerate(answers, 1):
        groups.setdefault(answer_key(answer), (answer, []))[1].append(number)
    return list(groups.values())
