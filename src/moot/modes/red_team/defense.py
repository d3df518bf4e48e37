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
from moot.deliberation.parsing import Shown, lines, without_brackets
from moot.deliberation.sections import Block, blocks, says_none, sections
from moot.deliberation.text import closest
from moot.kernel.values import Wire
from moot.modes.red_team.findings import AttackFinding
from moot.modes.red_team.layouts import DEFEND_SAMPLES
from moot.modes.red_team.material import Enclosure, find_enclosure, stand_in

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
    revised: Enclosure | None
    readable: bool

    @property
    def accepts(self) -> bool:
        return any(response.verdict == "ACCEPT" for response in self.responses)


def read_defence(reply: str, findings: Sequence[AttackFinding], shown: Shown) -> Defence:
    prepared = lines(reply)
    heads = blocks(prepared, HEADER, ident=_IDENT, shown=shown)
    revised = find_enclosure(prepared, "REVISED CONTENT", after=_last_before_any_end(heads, findings))
    outside = [*prepared[: revised.start], *prepared[revised.end + 1 :]] if revised else prepared
    by_finding: dict[str, Response] = {}
    for block in blocks(outside, HEADER, ident=_IDENT, shown=shown):
        finding = finding_of(block, findings)
        if finding is not None:
            by_finding[finding.id] = _response(block, finding, shown)
    responses = tuple(by_finding.get(finding.id, no_response(finding)) for finding in findings)
    # Blocks that nobody has filled, or the work alone, are no answer to any finding.
    return Defence(responses, revised, any(one.verdict or one.reasoning for one in by_finding.values()))


def _last_before_any_end(heads: Sequence[Block], findings: Sequence[AttackFinding]) -> int:
    """Where the last response begins. A work that itself holds such headers repeats their numbers: only
    the first of each counts."""
    first: dict[str, int] = {}
    for block in heads:
        finding = finding_of(block, findings)
        if finding is not None:
            first.setdefault(finding.id, block.index)
    return max(first.values(), default=-1)


def finding_of(block: Block, findings: Sequence[AttackFinding]) -> AttackFinding | None:
    """The finding a response is about: by its number, else by its title."""
    digits = re.search(r"\d+$", block.id)
    number = int(digits[0]) if digits else 0
    if 1 <= number <= len(findings):
        return findings[number - 1]
    title = closest(block.title, [finding.title for finding in findings], at_least=LIKE_ENOUGH)
    return next((finding for finding in findings if finding.title == title), None)


def _response(block: Block, finding: AttackFinding, shown: Shown) -> Response:
    fields = sections(block.lines, _FIELDS, shown=shown, samples=DEFEND_SAMPLES)
    values = {name: without_brackets(section.text) for name, section in fields.items()}
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


def no_response(finding: AttackFinding) -> Response:
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
