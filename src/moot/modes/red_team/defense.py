"""An author's answers to the attacks on its work, and whether its revised work may take the old one's place.

RESPONSE TO FINDING 2: Weak key
Verdict: ACCEPT                              an answer that is neither leaves the finding unaddressed
Revision: argon2 instead of md5
=== REVISED CONTENT ===                      adopted if something was accepted and nothing is left out
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import Shown, lines
from moot.deliberation.sections import Block, blocks, says_none, sections
from moot.deliberation.text import closest
from moot.kernel.values import Answer, Failure, Maybe, Wire
from moot.modes.red_team.findings import Finding
from moot.modes.red_team.material import Enclosed, enclosed, stand_in

Verdict = Literal["ACCEPT", "REBUT"]

HEADER = "RESPONSE TO FINDING"
LONG_ENOUGH = Fraction(60, 100)
"""Of the version before, for a revision without its end line."""
LIKE_ENOUGH = 0.85
_FIELDS: dict[str, Sequence[str]] = {
    "Verdict": (),
    "Reasoning": (),
    "Revision": (),
    # Nobody asks for it, but many sum up; it belongs to no response.
    "Summary": ("Defense Summary", "Defence Summary", "Summary of the Defense", "Summary of the Defence"),
}
_IDENT = r"(?:R\d{1,2}-F)?\d{0,3}"

DEFEND_PROMPT = """\
This is your work and a list of attacks on it. Answer each attack once, by its number. Accept what is \
true, even if it hurts;
rebut what is not, with evidence from the work.
YOUR WORK, version {version}
{content}
ATTACKS
{findings}
{layout}"""

DEFEND_LAYOUT = """\
RESPONSE TO FINDING 1: <title>
Verdict: <ACCEPT or REBUT>
Reasoning: <why>
Revision: <the exact change if ACCEPT, otherwise N/A>
... one block per finding ...
Then the whole work again with all accepted changes in place and nothing else changed. Never abbreviate: no \
"rest unchanged".
=== REVISED CONTENT ===
=== END REVISED CONTENT ==="""


class Response(Wire):
    """`verdict` null: the finding is unaddressed; then all is null if there was no response at all."""

    finding_id: str
    finding_title: str
    verdict: Verdict | None
    reasoning: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Defence:
    """`responses`: one for each finding, in their order. `readable`: at least one was found."""

    responses: tuple[Response, ...]
    revised: Enclosed | None
    readable: bool

    @property
    def accepts(self) -> bool:
        return any(response.verdict == "ACCEPT" for response in self.responses)


def read_defence(reply: str, findings: Sequence[Finding], shown: Shown) -> Defence:
    prepared = lines(reply)
    heads = blocks(prepared, HEADER, ident=_IDENT, shown=shown)
    revised = enclosed(prepared, "REVISED CONTENT", after=_last_before_any_end(heads, findings))
    outside = [*prepared[: revised.start], *prepared[revised.end + 1 :]] if revised else prepared
    given: dict[str, Response] = {}
    for block in blocks(outside, HEADER, ident=_IDENT, shown=shown):
        finding = meant(block, findings)
        if finding is not None:
            given[finding.id] = _response(block, finding, shown)
    responses = tuple(given.get(finding.id, unaddressed(finding)) for finding in findings)
    return Defence(responses, revised, bool(given))


def _last_before_any_end(heads: Sequence[Block], findings: Sequence[Finding]) -> int:
    """Where the last response begins. A work that itself holds such headers repeats their numbers: only
    the first of each counts."""
    first: dict[str, int] = {}
    for block in heads:
        finding = meant(block, findings)
        if finding is not None:
            first.setdefault(finding.id, block.index)
    return max(first.values(), default=-1)


def meant(block: Block, findings: Sequence[Finding]) -> Finding | None:
    """The finding a response is about: by its number, else by its title."""
    digits = re.search(r"\d+$", block.id)
    number = int(digits[0]) if digits else 0
    if 1 <= number <= len(findings):
        return findings[number - 1]
    title = closest(block.title, [finding.title for finding in findings], at_least=LIKE_ENOUGH)
    return next((finding for finding in findings if finding.title == title), None)


def _response(block: Block, finding: Finding, shown: Shown) -> Response:
    fields = sections(block.lines, _FIELDS, shown=shown)
    values = {name: section.text for name, section in fields.items()}
    word = closed_word(values.get("Verdict", ""), ("ACCEPT", "REBUT"), stems=True)
    revision = values.get("Revision", "")
    return Response(
        finding_id=finding.id,
        finding_title=finding.title,
        verdict="ACCEPT" if word == "ACCEPT" else "REBUT" if word == "REBUT" else None,
        reasoning=values.get("Reasoning"),
        revision=None if _says_no_change(revision) else revision,
    )


def _says_no_change(revision: str) -> bool:
    """ "N/A" and then a closing word is no change either; a rule or the fence of code may begin one."""
    first = revision.partition("\n")[0]
    return says_none(revision) or (says_none(first) and any(sign.isalpha() for sign in first))


def unaddressed(finding: Finding) -> Response:
    return Response(
        finding_id=finding.id, finding_title=finding.title, verdict=None, reasoning=None, revision=None
    )


def refusal(defence: Defence, before: str, *, cut_off: bool) -> str | None:
    """Why the revised work does not take the place of the one before; None if it does.

    `cut_off`: the reply ended at its token limit.
    """
    revised = defence.revised
    if not defence.accepts:
        return "no finding was accepted"
    if revised is None or not revised.text.strip():
        return "it is missing"
    if not revised.closed and (cut_off or len(revised.text) < LONG_ENOUGH * len(before)):
        return "it is cut off"
    line = stand_in(revised.text, before)
    return f"it leaves something out ({line[:80]})" if line else None


class DefenceRound(Wire):
    """One defence. `revised_content` is the work after it, revised or as it was."""

    round: int
    model: str
    responses: list[Response]
    accepted: int
    rebutted: int
    unaddressed: int
    revised_content: str
    revision_adopted: bool
    parse_success: bool
    failed: Maybe[bool] = None
    error: Maybe[str] = None
    raw_text: str
    response_time_ms: int

    @classmethod
    def of(cls, number: int, reply: Answer, defence: Defence, content: str, *, adopted: bool) -> DefenceRound:
        verdicts = [response.verdict for response in defence.responses]
        return cls(
            round=number,
            model=reply.model,
            responses=list(defence.responses),
            accepted=verdicts.count("ACCEPT"),
            rebutted=verdicts.count("REBUT"),
            unaddressed=verdicts.count(None),
            revised_content=content,
            revision_adopted=adopted,
            parse_success=defence.readable,
            raw_text=reply.response,
            response_time_ms=reply.response_time_ms,
        )

    @classmethod
    def that_failed(
        cls, number: int, model: str, findings: Sequence[Finding], content: str, failure: Failure
    ) -> DefenceRound:
        return cls(
            round=number,
            model=model,
            responses=[unaddressed(finding) for finding in findings],
            accepted=0,
            rebutted=0,
            unaddressed=len(findings),
            revised_content=content,
            revision_adopted=False,
            parse_success=False,
            failed=True,
            error=failure.reason,
            raw_text="",
            response_time_ms=failure.response_time_ms,
        )
