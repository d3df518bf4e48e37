"""The audit of a review: what was found, what the author said, how the judge ruled, what remains.

    R1-F2 HIGH   REBUT  ┐ one issue: the highest severity, the last verdict, the last ruling
    R2-F1 HIGH   –      ┘ (repeats R1-F2)                       → HIGH, REBUT, OPEN

All totals count issues. Risk before hardening is the weight of all that were not dismissed, after it
the weight of those still open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from moot.deliberation.markdown import plain
from moot.deliberation.rounding import half_up
from moot.deliberation.second_opinions import SecondOpinion
from moot.deliberation.similarity import connected_groups
from moot.kernel.values import Wire
from moot.modes.red_team.defense import Verdict
from moot.modes.red_team.findings import SEVERITIES, RiskSummary, Severity, highest, summarise
from moot.modes.red_team.review import Entry
from moot.modes.red_team.rulings import Ruling, RulingLine

Status = Literal["fixed", "dismissed", "contested", "open"]
Confidence = Literal["Low", "Medium", "High"]
StopReason = Literal["rounds_done", "no_flaws", "no_new_findings", "deadline", "attack_failed"]

WEIGHTS: Final[Mapping[Severity, int]] = {"CRITICAL": 10, "HIGH": 5, "MEDIUM": 2, "LOW": 1}
SMALL_RESIDUE = 2


def default_ruling(entry: Entry) -> RulingLine:
    """What holds where the judge says nothing: only an accepted change that was adopted mends a fault."""
    mended = entry.verdict == "ACCEPT" and entry.adopted
    return RulingLine(
        id=entry.finding.id, ruling="FIXED" if mended else "OPEN", reason=None, source="default"
    )


@dataclass(frozen=True, slots=True)
class Issue:
    """A finding and its repeats."""

    entries: tuple[Entry, ...]
    ruling: Ruling
    self_judged: bool

    @property
    def title(self) -> str:
        return self.entries[0].finding.title

    @property
    def severity(self) -> Severity:
        return min((entry.finding.severity for entry in self.entries), key=SEVERITIES.index)

    @property
    def verdict(self) -> Verdict | None:
        return next((entry.verdict for entry in reversed(self.entries) if entry.verdict is not None), None)

    @property
    def weight(self) -> int:
        return WEIGHTS[self.severity]

    @property
    def status(self) -> Status:
        """Where author and judge are one model, its dismissal of what it rebutted settles nothing."""
        if self.ruling == "DISMISSED":
            return "contested" if self.self_judged and self.verdict == "REBUT" else "dismissed"
        return "fixed" if self.ruling == "FIXED" else "open"


def issues_of(
    entries: Sequence[Entry], rulings: Mapping[str, RulingLine], *, self_judged: bool
) -> list[Issue]:
    """In the order in which they were first raised; an explicit ruling beats a default one."""
    places = {entry.finding.id: place for place, entry in enumerate(entries)}
    repeats = [
        (places[entry.finding.repeat_of], places[entry.finding.id])
        for entry in entries
        if entry.finding.repeat_of
    ]
    issues = []
    for group in connected_groups(len(entries), repeats):
        members = tuple(entries[place] for place in sorted(group))
        lines = [rulings[entry.finding.id] for entry in members]
        explicit = [line for line in lines if line.source == "judge"]
        issues.append(Issue(members, (explicit or lines)[-1].ruling, self_judged))
    return sorted(issues, key=lambda issue: places[issue.entries[0].finding.id])


class Figures(Wire):
    """What the count says; `inherent` and `residual` are weights of risk before and after hardening. Where
    nothing was found there is no score: that nobody saw a fault does not prove that there is none."""

    total_findings: int
    repeats: int
    total_accepted: int
    total_rebutted: int
    acceptance_rate: float | None
    severity_counts: RiskSummary
    residual_risk: Severity | Literal["NONE"]
    inherent: int
    residual: int
    hardening_score: int | None
    hardening_confidence: Confidence


def figures(issues: Sequence[Issue], *, unreadable: bool, capped: bool) -> Figures:
    """`unreadable`: an attack report was. `capped`: the proof is weak, however well it looks."""
    accepted = sum(issue.verdict == "ACCEPT" for issue in issues)
    rebutted = sum(issue.verdict == "REBUT" for issue in issues)
    answers = accepted + rebutted
    inherent = sum(issue.weight for issue in issues if issue.ruling != "DISMISSED")
    still_open = [issue.severity for issue in issues if issue.ruling == "OPEN"]
    residual = sum(WEIGHTS[severity] for severity in still_open)
    score = half_up(100 * (1 - Fraction(residual, inherent)), 0) if inherent else 100
    return Figures(
        total_findings=len(issues),
        repeats=sum(len(issue.entries) - 1 for issue in issues),
        total_accepted=accepted,
        total_rebutted=rebutted,
        acceptance_rate=half_up(Fraction(accepted, answers), 4) if answers else None,
        severity_counts=summarise([issue.severity for issue in issues]),
        residual_risk=highest(still_open),
        inherent=inherent,
        residual=residual,
        hardening_score=int(score) if issues else None,
        hardening_confidence=confidence(still_open, unreadable=unreadable or not issues, capped=capped),
    )


def confidence(still_open: Sequence[Severity], *, unreadable: bool, capped: bool) -> Confidence:
    if unreadable or "CRITICAL" in still_open or still_open.count("HIGH") >= 2:
        return "Low"
    residual = sum(WEIGHTS[severity] for severity in still_open)
    return "High" if residual <= SMALL_RESIDUE and not capped else "Medium"


def audit_text(
    issues: Sequence[Issue],
    totals: Figures,
    risks: Sequence[str],
    *,
    rounds: str,
    self_judged: bool,
    second_opinion: SecondOpinion | None = None,
) -> str:
    """The audit as a person reads it, in Markdown."""
    parts = ["## Vulnerability Audit Summary"]
    if issues:
        head = "| # | Finding | Severity | Verdict | Status | Round |\n|---|---|---|---|---|---|"
        parts.append("\n".join([head, *(_table_row(n, issue) for n, issue in enumerate(issues, 1))]))
    else:
        parts.append(_nothing_found(second_opinion))
    parts.append("\n".join(f"- {line}" for line in _metrics(totals, rounds, self_judged)))
    risk_lines = "\n".join(f"- {plain(risk)}" for risk in risks) or "None named."
    return "\n\n".join([*parts, "### Remaining risks", risk_lines])


def _nothing_found(second_opinion: SecondOpinion | None) -> str:
    if second_opinion is None:
        return "The attacker found nothing."
    first, second = plain(second_opinion.first_model), plain(second_opinion.sentence)
    return f"The attacker, {first}, found nothing. {second} That does not prove there are no faults."


def _table_row(number: int, issue: Issue) -> str:
    rounds = ", ".join(str(round) for round in dict.fromkeys(entry.round for entry in issue.entries))
    verdict = issue.verdict or "UNADDRESSED"
    return f"| {number} | {plain(issue.title)} | {issue.severity} | {verdict} | {issue.status} | {rounds} |"


def _metrics(totals: Figures, rounds: str, self_judged: bool) -> list[str]:
    accepted, rebutted = totals.total_accepted, totals.total_rebutted
    score = totals.hardening_score
    lines = [
        "Hardening score: none, because nothing was found"
        if score is None
        else f"Hardening score: {score} of 100, confidence {totals.hardening_confidence}",
        f"Risk: {totals.inherent} before, {totals.residual} after; highest still open: "
        f"{totals.residual_risk}",
        f"Findings: {totals.total_findings} in {rounds}, {accepted} accepted, {rebutted} rebutted, "
        f"{totals.repeats} raised again",
    ]
    return [*lines, "The author judged its own rebuttals."] if self_judged else lines
