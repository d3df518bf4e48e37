"""A debater's second round: what it decided, and what it ended with.

DECISION: MERGE [k7f3]           the nonce that this debater alone was given
REASONING: Response B is right about the build.

REVISED RESPONSE:
…
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from moot.deliberation.choices import UNREAD, Choice, MarkerReading, ParsedBy, Value, choose, read_word
from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import (
    NOTHING_SHOWN,
    Line,
    Shown,
    as_written,
    lines,
    markers,
    without_cut_label,
)
from moot.deliberation.samples import Samples
from moot.kernel.values import Answer, Failure, Row, Wire

Decision = Literal["REVISE", "STAND", "MERGE"]

_NAMES = ("DECISION", "MY DECISION", "FINAL DECISION", "MY FINAL DECISION")
_FORMS: dict[Decision, str] = {
    "REVISE": "REVISE, REVISED, REVISING",
    "STAND": "STAND, STOOD, STANDS, STANDING",
    "MERGE": "MERGE, MERGED, MERGING",
}
_WORDS = {form: decision for decision, forms in _FORMS.items() for form in forms.split(", ")}
# The prompt letters the options: "DECISION: b) STAND", or just "b".
_OPTION = re.compile(r"[\W_]{0,8}(?:option\s+)?([abc])(?:[).:\]]+\s*|\s+[-–—]\s+|\W{0,4}$)", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"[\W_]{0,8}I(?:['’]ll|\s+(?:will|choose|chose|have\s+decided|decide|decided))?\s+(?:to\s+)?",
    re.IGNORECASE,
)
_MOST_HEADINGS = 20
_REVISED = re.compile(r"REVISED\s+RESPONSE\s*(?:[:=]|\s-\s|$)\s*", re.IGNORECASE)
_REASONING = re.compile(r"REASONING\s*(?:[:=]|\s-\s|$)\s*", re.IGNORECASE)


_SAMPLES = Samples(
    "[REVISE|STAND|MERGE]",
    "1-2 sentences on why",
    "Your final response",
    "Your final response — if STAND, repeat your original",
    "your response",
    "the full text of your final response",
)


class RevisionResponse(Wire):
    seat: int
    model: str
    decision: Decision | None
    reasoning: str | None
    original_response: str
    revised_response: str
    original_word_count: int
    revised_word_count: int
    response_time_ms: int
    parse_success: bool
    raw_text: str | None
    parsed_by: ParsedBy | None = None

    @classmethod
    def of(cls, own: Answer, reply: Answer, reading: RevisionReading) -> RevisionResponse:
        """A decision, or reasons, whose text is missing is no revision: the first answer stands. Without
        either, all that was written is taken for the text, unless it was cut off before it came to them."""
        decision = reading.decision if reading.readable else None
        stands = reading.decision == "STAND" or (reading.decision is not None and not reading.text)
        stands = stands or (not reading.text and (reading.reasoning is not None or reply.breaks_off))
        final = own.response if stands else reading.text or reply.response.strip() or own.response
        return cls(
            seat=own.seat or 0,
            model=own.model,
            decision=decision,
            reasoning=reading.reasoning,
            original_response=own.response,
            revised_response=final,
            original_word_count=len(own.response.split()),
            revised_word_count=len(final.split()),
            response_time_ms=reply.response_time_ms,
            parse_success=decision is not None,
            raw_text=reply.response,
            parsed_by=reading.by if decision else None,
        )

    @classmethod
    def without_reply(cls, own: Answer, failure: Failure) -> RevisionResponse:
        """No revision came: the first answer stands, the decision is unknown."""
        words = len(own.response.split())
        return cls(
            seat=own.seat or 0,
            model=own.model,
            decision=None,
            reasoning=None,
            original_response=own.response,
            revised_response=own.response,
            original_word_count=words,
            revised_word_count=words,
            response_time_ms=failure.response_time_ms,
            parse_success=False,
            raw_text=None,
        )

    def as_answer(self) -> Answer:
        return Answer(
            seat=self.seat,
            model=self.model,
            response=self.revised_response,
            response_time_ms=self.response_time_ms,
        )

    def row(self) -> Row:
        details = {
            "decision",
            "reasoning",
            "original_word_count",
            "revised_word_count",
            "parse_success",
            "parsed_by",
            "revised_response",
        }
        return Row(
            "revision",
            2,
            self.original_response if self.raw_text is None else self.raw_text,
            seat=self.seat,
            model=self.model,
            role="debater",
            parsed_data=self.model_dump(include=details),
            response_time_ms=self.response_time_ms,
        )


class RevisionReading(NamedTuple):
    """What can be read in a revision: `text` is empty if there is none, or the layout's sample still."""

    decision: Decision | None
    by: ParsedBy | None
    reasoning: str | None
    text: str

    @property
    def readable(self) -> bool:
        return self.decision == "STAND" or (self.decision is not None and bool(self.text))

    @property
    def problem(self) -> str:
        """What is missing."""
        if self.decision is None:
            return "it has no DECISION line with one of the words REVISE, STAND and MERGE"
        return f'you decided to {self.decision}, and no text stands below the heading "REVISED RESPONSE:"'

    def completed_by(self, later: RevisionReading) -> RevisionReading:
        """With what only a later reply has: a decision that could be read stays."""
        if self.decision is None:
            return later
        return self._replace(text=later.text, reasoning=self.reasoning or later.reasoning)


def read_revision(own: Answer, reply: Answer, texts: Shown = NOTHING_SHOWN) -> RevisionResponse:
    """What a debater decided and ended with. STAND keeps the first answer word for word."""
    return RevisionResponse.of(own, reply, revision_in(legible(reply), texts))


def revision_in(text: str, texts: Shown = NOTHING_SHOWN) -> RevisionReading:
    """The decision, why, and the text: what follows `REVISED RESPONSE`; without that heading what follows the
    reasoning."""
    prepared = without_cut_label(lines(text, texts.nonce), ("REASONING", "REVISED RESPONSE"))
    choice, heading = read_parts(prepared, texts)
    revised = ""
    if heading is not None:
        revised = text_after(prepared, heading, _REVISED)
    elif choice.meaning:
        revised = text_after_reasoning(prepared, choice.index)
    reasoning = read_reasoning(prepared, heading)
    return RevisionReading(
        known_decision(choice.meaning), choice.by, reasoning, _SAMPLES.filled(revised.strip()) or ""
    )


def read_parts(prepared: Sequence[Line], texts: Shown) -> tuple[Choice, int | None]:
    """The decision, and the line of the text's heading: the first before which a decision stands, for the
    text itself may speak of decisions; after a decision that is signed, the next."""
    headings = [index for index, line in enumerate(prepared) if _REVISED.match(line.plain)]
    headings = [index for index in headings if not _heads_quotation(prepared, index, texts)] or headings
    whole = read_decision(prepared, texts)
    if whole.by == "nonce":
        after = [index for index in headings if index > whole.index]
        return whole, next(iter(after or headings), None)
    for heading in headings[:_MOST_HEADINGS]:
        before = read_decision(prepared[:heading], texts)
        if before.meaning:
            return before, heading
    return whole, next(iter(headings), None)


def read_decision(prepared: Sequence[Line], texts: Shown) -> Choice:
    choice = choose(prepared, _decisions_in, texts)
    return choice if choice and choice.meaning else UNREAD


def _decisions_in(prepared: Sequence[Line]) -> list[MarkerReading]:
    """What is no decision is no marker: "Decision: use tabs" is part of an answer."""
    found = [MarkerReading(one, _read(one.value)) for one in markers(prepared, _NAMES, anywhere=True)]
    return [one for one in found if one.reading]


def _read(value: str) -> Value | None:
    option = _OPTION.match(value)
    lead = option or _LEAD_IN.match(value)
    before, rest = (value[: lead.end()], value[lead.end() :]) if lead else ("", value)
    word = read_word(rest, _WORDS)
    if word:
        return Value(word.meaning, f"{before}{word.written}")
    lone = option is not None and not rest.strip()
    return Value(list(_FORMS)["abc".index(option[1].lower())], before) if option and lone else None


def known_decision(word: str | None) -> Decision | None:
    return next((decision for decision in get_args(Decision) if decision == word), None)


def _heads_quotation(prepared: Sequence[Line], heading: int, texts: Shown) -> bool:
    if not texts.has_line(prepared[heading].plain):
        return False
    below = next((line.plain for line in prepared[heading + 1 :] if line.plain), "")
    inline = _REVISED.sub("", prepared[heading].plain, count=1)
    return bool(inline) or texts.has_line(below)


def text_after(prepared: Sequence[Line], heading: int, pattern: re.Pattern[str]) -> str:
    """What follows a heading, on its own line and below, as it was written."""
    return "\n".join([_beside(prepared[heading], pattern), *(line.raw for line in prepared[heading + 1 :])])


def _beside(line: Line, pattern: re.Pattern[str]) -> str:
    match = pattern.match(line.plain)
    return as_written(line, match)[0] if match and match.end() < len(line.plain) else ""


def text_after_reasoning(prepared: Sequence[Line], decision: int) -> str:
    """What follows the lines of the decision and the reasoning, if no heading tells where the text begins."""
    at = _reasoning_line(prepared)
    end = decision if at is None else max(decision, _reasoning_end(prepared, at))
    return "\n".join(line.raw for line in prepared[end + 1 :])


def _reasoning_line(prepared: Sequence[Line]) -> int | None:
    return max((at for at, line in enumerate(prepared) if _REASONING.match(line.plain)), default=None)


def _reasoning_end(prepared: Sequence[Line], at: int) -> int:
    """Where a reasoning ends that no heading follows: with its own line, for the answer may begin right
    below, unless a list follows, which belongs to it; one that begins below its name, or goes on in a list,
    before the next blank line."""
    beside = _beside(prepared[at], _REASONING)
    below = prepared[at + 1] if at + 1 < len(prepared) else None
    if beside and (below is None or (below.stands_alone and not beside.endswith(":"))):
        return at
    first = at if beside else next((i for i in range(at + 1, len(prepared)) if prepared[i].plain), at)
    return next((i - 1 for i in range(first, len(prepared)) if not prepared[i].plain), len(prepared) - 1)


def read_reasoning(prepared: Sequence[Line], heading: int | None) -> str | None:
    """From `REASONING:` to the next blank line or the text's heading; without that heading, its own line."""
    at = _reasoning_line(prepared[:heading])
    if at is None:
        return None
    end = len(prepared[:heading]) - 1 if heading is not None else _reasoning_end(prepared, at)
    sentences = [_beside(prepared[at], _REASONING)]
    for line in prepared[at + 1 : end + 1]:
        if not line.plain and any(sentences):
            break
        sentences.append(line.raw.strip())
    return " ".join(part for part in sentences if part) or None
