"""A debater's second round: what it decided, and what it ended with.

DECISION: MERGE
REASONING: Response B is right about the build.

REVISED RESPONSE:
…
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, last_own, lines, markers
from moot.kernel.values import Answer, Failure, Row, Wire

Decision = Literal["REVISE", "STAND", "MERGE"]

_DECISION = re.compile(r"(REVISE|STAND|MERGE)\b(?!\s*[|/])", re.IGNORECASE)
_REVISED = re.compile(r"REVISED\s+RESPONSE\s*(?:[:=]|\s-\s|$)\s*", re.IGNORECASE)
_REASONING = re.compile(r"REASONING\s*(?:[:=]|\s-\s|$)\s*", re.IGNORECASE)


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

    @classmethod
    def of(
        cls, own: Answer, reply: Answer, decision: Decision | None, reasoning: str | None, revised: str
    ) -> RevisionResponse:
        final = revised or own.response
        return cls(
            seat=own.seat or 0,
            model=own.model,
            decision=decision,
            reasoning=reasoning,
            original_response=own.response,
            revised_response=final,
            original_word_count=len(own.response.split()),
            revised_word_count=len(final.split()),
            response_time_ms=reply.response_time_ms,
            parse_success=decision is not None,
            raw_text=reply.response,
        )

    @classmethod
    def failed(cls, own: Answer, failure: Failure) -> RevisionResponse:
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
        kept = {"decision", "reasoning", "original_word_count", "revised_word_count", "parse_success"}
        return Row(
            "revision",
            2,
            self.original_response if self.raw_text is None else self.raw_text,
            seat=self.seat,
            model=self.model,
            role="debater",
            parsed_data=self.model_dump(include=kept | {"revised_response"}),
            response_time_ms=self.response_time_ms,
        )


def read_revision(own: Answer, reply: Answer, texts: Shown = NOTHING_SHOWN) -> RevisionResponse:
    """What a debater decided and ended with.

    The text is what follows `REVISED RESPONSE`; without that heading what follows the reasoning;
    without a decision the whole reply. STAND keeps the first answer word for word.
    """
    prepared = lines(reply.response)
    heading = revised_heading(prepared, texts)
    decided = read_decision(prepared[:heading], texts) or read_decision(prepared, texts)
    decision, at = decided or (None, -1)
    if decision == "STAND":
        revised = own.response
    elif heading is not None:
        revised = text_after(prepared, heading, _REVISED)
    elif decision:
        revised = text_after_reasoning(prepared, at)
    else:
        revised = reply.response
    return RevisionResponse.of(own, reply, decision, read_reasoning(prepared[:heading]), revised.strip())


def read_decision(prepared: Sequence[Line], texts: Shown) -> tuple[Decision, int] | None:
    """The decision, and the line it stands in."""
    found = [one for one in markers(prepared, "DECISION", anywhere=True) if _DECISION.match(one.value)]
    decided = last_own(found, texts)
    word = _DECISION.match(decided.value) if decided else None
    if decided is None or word is None:
        return None
    return next((decision, decided.index) for decision in get_args(Decision) if decision == word[1].upper())


def revised_heading(prepared: Sequence[Line], texts: Shown) -> int | None:
    """The first such heading after a decision, so that one quoted in the reasoning's lead is passed over;
    else the first."""
    headings = [index for index, line in enumerate(prepared) if _REVISED.match(line.plain)]
    after = [index for index in headings if read_decision(prepared[:index], texts)]
    return next(iter(after or headings), None)


def text_after(prepared: Sequence[Line], heading: int, pattern: re.Pattern[str]) -> str:
    """What follows a heading, on its own line and below, as it was written."""
    inline = pattern.sub("", prepared[heading].plain, count=1)
    return "\n".join([inline, *(line.raw for line in prepared[heading + 1 :])])


def text_after_reasoning(prepared: Sequence[Line], decision: int) -> str:
    reasoning = [index for index, line in enumerate(prepared) if _REASONING.match(line.plain)]
    start = max([decision, *reasoning]) + 1
    return "\n".join(line.raw for line in prepared[start:])


def read_reasoning(prepared: Sequence[Line]) -> str | None:
    """From `REASONING:` to the next blank line."""
    found = [index for index, line in enumerate(prepared) if _REASONING.match(line.plain)]
    if not found:
        return None
    said = [_REASONING.sub("", prepared[found[-1]].plain, count=1)]
    for line in prepared[found[-1] + 1 :]:
        if not line.plain and any(said):
            break
        said.append(line.raw.strip())
    return " ".join(part for part in said if part) or None
