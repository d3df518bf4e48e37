"""Proposals: what a proposer and a synthesizer hand in, cut at the headings they were asked for.

    ## Replies
    C1 ACCEPT - the premise is gone       → Reply(id="C1", decision="ACCEPT", note="the premise is gone")
    ## Answer
    …                                     → what the reader gets
    ## Confidence
    8/10 - two sources agree              → 8.0

Without an `Answer` heading the text is the answer, but for what stands in the other parts. Pure, and never
raising.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from moot.deliberation.parsing import as_written, lines
from moot.deliberation.sections import items
from moot.kernel.values import Wire

_REPLY = re.compile(
    r"\W{0,10}([CMN]\d{1,3})\b\W{0,10}(ACCEPT|DEFEND)(?:ED|ING|S)?\b[^\w`\"'“(\[]{0,10}(.*)$", re.IGNORECASE
)
_OUT_OF_TEN = re.compile(
    r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,4})?)\s*(?:/|of|out of)\s*10\b(?!\d)", re.IGNORECASE
)
_NUMBER = re.compile(r"\W{0,10}(\d{1,2}(?:[.,]\d{1,4})?)(?![\d%])")
_BEFORE_ANSWER = ("scaffold", "replies")
_HEADINGS = (
    "scaffold",
    "replies",
    "answer",
    "assumptions and limits",
    "confidence",
    "what the debate changed",
    "caveats",
)


class Reply(Wire):
    """What a proposer says to one objection."""

    id: str
    decision: Literal["ACCEPT", "DEFEND"]
    note: str


class Proposal(Wire):
    """A proposer's reply, read. `unanswered`: objections it passed over."""

    answer: str
    replies: tuple[Reply, ...]
    unanswered: tuple[str, ...]
    confidence: float | None
    scaffold_id: str | None
    parse_success: bool


class Synthesis(Wire):
    """A synthesizer's reply, read."""

    answer: str
    confidence: float | None
    changes: tuple[str, ...]
    caveats: tuple[str, ...]


def read_proposal(text: str, offered: Sequence[str] = (), open_ids: Collection[str] = ()) -> Proposal:
    """`offered`: ids of the scaffolds shown; `open_ids`: objections that wait for a reply."""
    parts = split_at_headings(text)
    replies = read_replies(parts.get("replies", ""))
    answered_ids = {reply.id for reply in replies}
    scaffold = parts.get("scaffold", "").casefold()
    return Proposal(
        answer=own_answer(text),
        replies=replies,
        unanswered=tuple(id for id in open_ids if id not in answered_ids),
        confidence=read_confidence(parts.get("confidence", "")),
        scaffold_id=next((id for id in offered if id.casefold() in scaffold), None),
        parse_success=bool(parts.get("answer")),
    )


def read_synthesis(text: str) -> Synthesis:
    parts = split_at_headings(text)
    return Synthesis(
        answer=own_answer(text),
        confidence=read_confidence(parts.get("confidence", "")),
        changes=tuple(items(parts.get("what the debate changed", ""))),
        caveats=tuple(items(parts.get("caveats", ""))),
    )


def read_replies(text: str) -> tuple[Reply, ...]:
    replies: dict[str, Reply] = {}
    for line in lines(text):
        reply = _REPLY.match(line.plain)
        if reply:
            decision: Literal["ACCEPT", "DEFEND"] = "ACCEPT" if reply[2].upper() == "ACCEPT" else "DEFEND"
            note = as_written(line, reply, 3)[0] if reply[3] else ""
            replies[reply[1].upper()] = Reply(id=reply[1].upper(), decision=decision, note=note.strip())
    return tuple(replies.values())


def read_confidence(text: str) -> float | None:
    """N of `N/10`, or of a number alone."""
    match = _OUT_OF_TEN.search(text) or _NUMBER.match(text)
    if match is None:
        return None
    value = float(match[1].replace(",", "."))
    return value if 0 <= value <= 10 else None


def split_at_headings(text: str) -> dict[str, str]:
    """The text under each heading, alone on its line and outside code; of a repeated one the last.

    Only what was asked for is a heading: an answer may have headings of its own.
    """
    return {name: body for name, body in _parts(text) if name and body}


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The text under each heading, and under none what stands before the first, in order."""
    name, content = "", list[str]()
    for line in lines(text):
        heading = line.plain.rstrip(":：").strip().casefold()
        if heading in _HEADINGS and not line.fenced:
            yield name, "\n".join(content).strip()
            name, content = heading, []
        else:
            content.append(line.raw)
    yield name, "\n".join(content).strip()


def own_answer(text: str) -> str:
    """What stands under its heading; where there is none, what stands before all headings, or goes on below
    the choice of a scaffold and the replies to objections."""
    headed = split_at_headings(text).get("answer")
    if headed:
        return headed
    bodies = []
    for name, body in _parts(text):
        if name == "scaffold":
            body = body.partition("\n")[2]
        if name == "replies":
            body = "\n".join(line.raw for line in lines(body) if not _REPLY.match(line.plain))
        if name in ("", *_BEFORE_ANSWER):
            bodies.append(body.strip())
    return "\n\n".join(filter(None, bodies))
