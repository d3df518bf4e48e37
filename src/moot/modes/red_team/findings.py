"""What an attacker finds wrong with a work: read, numbered by us, its quotations looked up in the work.

    FINDING 1: Weak key                        R1-F1  HIGH  "md5(password)" is in the work
    Severity: High (exploitable)               R2-F1  repeats R1-F1
    Evidence: "md5(password)"
    Relates To: NEW

A report in which nothing can be read is not a report of no faults.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import QUOTATION_MARKS, Line, Shown, lines, marker, without_brackets
from moot.deliberation.sections import Block, Section, blocks, says_none, sections
from moot.kernel.values import Wire
from moot.modes.red_team.layouts import ATTACK_SAMPLES

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]
SEVERITIES: Final[tuple[Severity, ...]] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
MOST_FINDINGS = 20
UNSPECIFIED = "Not specified"
UNSTRUCTURED = "Unstructured attack report"

_FIELDS = {
    "Severity": (),
    "Location": (),
    "Evidence": (),
    "Vulnerability": (),
    "Exploit Scenario": ("Exploit", "Scenario"),
    "Relates To": (),
    "Summary": ("Overall Risk",),
}
_NO_FINDINGS = re.compile(r"NO FINDINGS?\s*(?:$|[:=.](?!\s*<)|[-–—]\s)", re.IGNORECASE)
_ID = re.compile(r"(?<!\w)R(\d{1,2})-F(\d{1,3})(?!\w)", re.IGNORECASE)
_ABSENT = re.compile(r"\W*ABSENT\b")
_QUOTES = re.compile(f"[{QUOTATION_MARKS}’`]")
_ELLIPSIS = re.compile(r"…|\.\.\.")


class AttackFinding(Wire):
    """`evidence_verified`: whether the quotation stands in the work; null where nothing is quoted."""

    id: str
    title: str
    severity: Severity
    severity_parsed: bool
    location: str
    evidence: str | None
    evidence_verified: bool | None
    vulnerability: str
    exploit_scenario: str
    repeat_of: str | None


class RiskSummary(Wire):
    """How many of each severity, counted by us."""

    critical: int
    high: int
    medium: int
    low: int
    overall_risk: str


@dataclass(frozen=True, slots=True)
class AttackReport:
    findings: tuple[AttackFinding, ...]
    no_flaws: bool
    overall_risk: str | None

    @property
    def readable(self) -> bool:
        return bool(self.findings) or self.no_flaws


def read_attack(
    reply: str, number: int, work: str, earlier: Sequence[AttackFinding], shown: Shown
) -> AttackReport:
    """The report of round `number` on a work; `earlier` are the findings of the rounds before."""
    prepared = lines(reply)
    findings: list[AttackFinding] = []
    folded_work = fold(work)
    denials = 0
    for block in blocks(prepared, "FINDING", shown=shown):
        fields = sections(block.lines, _FIELDS, in_block=True, shown=shown, samples=ATTACK_SAMPLES)
        if _says_nothing_wrong(block, fields):
            denials += 1
        elif fields.keys() & {"Severity", "Vulnerability", "Location"} and len(findings) < MOST_FINDINGS:
            id = f"R{number}-F{len(findings) + 1}"
            findings.append(_finding(id, block, fields, folded_work, [*earlier, *findings]))
    risk = marker(prepared, "Overall risk", shown=shown)
    no_flaws = not findings and (denials > 0 or _says_no_findings(prepared, shown))
    return AttackReport(tuple(findings), no_flaws, risk.raw if risk else None)


def _says_nothing_wrong(block: Block, fields: dict[str, Section]) -> bool:
    """Whether a block fills the layout with that there is nothing."""
    if closed_word(_value(fields, "Severity"), SEVERITIES):
        return False
    denied = says_none(_value(fields, "Severity")) and says_none(_value(fields, "Vulnerability"))
    return _NO_FINDINGS.match(block.title) is not None or (
        denied and bool(fields.keys() & {"Severity", "Vulnerability"})
    )


def _says_no_findings(prepared: Sequence[Line], shown: Shown) -> bool:
    statements = [line for line in prepared if not line.fenced and _NO_FINDINGS.match(line.plain)]
    alone = len([line for line in prepared if line.plain]) == 1
    return any(alone or not shown.has_line(line.plain) for line in statements)


def _finding(
    id: str, block: Block, fields: dict[str, Section], work: str, earlier: Sequence[AttackFinding]
) -> AttackFinding:
    severity = closed_word(_value(fields, "Severity"), SEVERITIES)
    evidence = _value(fields, "Evidence") or None
    vulnerability = _value(fields, "Vulnerability") or UNSPECIFIED
    title = (ATTACK_SAMPLES.filled(block.header) or "").strip(" *") or vulnerability[:80]
    return AttackFinding(
        id=id,
        title=title,
        severity=next((word for word in SEVERITIES if word == severity), "MEDIUM"),
        severity_parsed=severity is not None,
        location=_value(fields, "Location") or UNSPECIFIED,
        evidence=evidence,
        evidence_verified=is_quoted_from(evidence, work),
        vulnerability=vulnerability,
        exploit_scenario=_value(fields, "Exploit Scenario") or UNSPECIFIED,
        repeat_of=_repeat_of(_value(fields, "Relates To"), title, earlier),
    )


def _value(fields: dict[str, Section], name: str) -> str:
    return without_brackets(fields[name].text) if name in fields else ""


def _repeat_of(relates_to: str, title: str, earlier: Sequence[AttackFinding]) -> str | None:
    ids = [f"R{int(round)}-F{int(number)}" for round, number in _ID.findall(relates_to)]
    earlier_ids = {finding.id for finding in earlier}
    same = [finding.id for finding in earlier if finding.title.casefold() == title.casefold()]
    return next((id for id in (*ids, *same) if id in earlier_ids), None)


def fold(text: str) -> str:
    """A text as quotations are compared: case, blanks and quotation marks make no difference."""
    return " ".join(_QUOTES.sub("", text.casefold()).split())


def is_quoted_from(evidence: str | None, folded_work: str) -> bool | None:
    """Whether every piece of a quotation occurs in the work, in that order; None if nothing is quoted."""
    if evidence is None or _ABSENT.match(evidence) or fold(evidence).strip(" .") == "absent":
        return None
    pieces = [piece for part in _ELLIPSIS.split(evidence) if (piece := fold(part))]
    at = 0
    for piece in pieces:
        start = folded_work.find(piece, at)
        if start < 0:
            return False
        at = start + len(piece)
    return True if pieces else None


def unstructured_finding(reply: str, number: int) -> AttackFinding:
    """A report that could not be read, as one finding."""
    return AttackFinding(
        id=f"R{number}-F1",
        title=UNSTRUCTURED,
        severity="MEDIUM",
        severity_parsed=False,
        location=UNSPECIFIED,
        evidence=None,
        evidence_verified=None,
        vulnerability=reply.strip(),
        exploit_scenario=UNSPECIFIED,
        repeat_of=None,
    )


def highest(severities: Sequence[Severity]) -> Severity | Literal["NONE"]:
    return min(severities, key=SEVERITIES.index) if severities else "NONE"


def summarise(severities: Sequence[Severity], overall_risk: str | None = None) -> RiskSummary:
    return RiskSummary(
        critical=severities.count("CRITICAL"),
        high=severities.count("HIGH"),
        medium=severities.count("MEDIUM"),
        low=severities.count("LOW"),
        overall_risk=overall_risk or highest(severities),
    )
