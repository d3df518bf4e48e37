"""The consolidated report: one set of figures, composed from what was computed, around a model's words.

Consensus Scores · Findings Summary · Consensus Findings · Unique Findings · Disputed Assessments ·
Inter-Reviewer Agreement · Prioritized Action Items · Executive Summary
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.deliberation.markdown import cell
from moot.deliberation.text import name_key
from moot.kernel.values import Answer, Degraded, Failure, FailureKind, Wire
from moot.modes.peer_review.agreement import Agreement, Concordance, ConsensusScore, scores_of
from moot.modes.peer_review.issues import (
    ActionItem,
    Consolidation,
    Dispute,
    Issue,
    action_items,
    is_ungrounded,
    make_issues,
    overlap_rate,
    severity_agreement_rate,
)
from moot.modes.peer_review.reviews import SEVERITIES, Finding, Review
from moot.modes.peer_review.rubrics import Rubric


class InterReviewerAgreement(Wire):
    average_score_stddev: float | None
    findings_overlap_rate: float | None
    severity_agreement_rate: float | None
    krippendorff_alpha: float | None
    unanimous: bool


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a report is composed from."""

    rubric: Rubric
    reviews: tuple[Review, ...]
    concordance: Concordance
    findings: tuple[Finding, ...]
    issues: tuple[Issue, ...]
    actions: tuple[ActionItem, ...]
    disputes: tuple[Dispute, ...]
    agreement: InterReviewerAgreement
    summary: str | None

    @classmethod
    def of(
        cls, rubric: Rubric, reviews: Sequence[Review], agreed: Concordance, said: Consolidation
    ) -> Dossier:
        findings = all_findings(reviews)
        issues = make_issues(said.groups, findings, rubric.weights)
        return cls(
            rubric=rubric,
            reviews=tuple(reviews),
            concordance=agreed,
            findings=tuple(findings),
            issues=tuple(issues),
            actions=tuple(action_items(issues, findings)),
            disputes=(*said.disputes, *unnamed_disputes(reviews, agreed, said.disputes)),
            agreement=InterReviewerAgreement(
                average_score_stddev=agreed.average_score_stddev,
                findings_overlap_rate=overlap_rate(issues),
                severity_agreement_rate=severity_agreement_rate(issues, findings),
                krippendorff_alpha=agreed.krippendorff_alpha,
                unanimous=agreed.unanimous,
            ),
            summary=said.summary,
        )


class FailedReviewer(Wire):
    reviewer_index: int
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, failure: Failure) -> FailedReviewer:
        return cls(
            reviewer_index=(failure.seat or 1) - 1,
            model=failure.model,
            kind=failure.kind,
            reason=failure.reason,
        )


class Consolidated(Degraded):
    """`model`, `consolidator_text` and `response_time_ms` are null if no model consolidated."""

    model: str | None
    consolidated_report: str
    executive_summary: str | None
    consolidation_mode: Literal["model", "computed"]
    consolidator_text: str | None
    reviewer_count: int
    failed_reviewers: list[FailedReviewer]
    consensus_scores: list[ConsensusScore]
    weighted_overall_avg: float | None
    weighted_overall_stddev: float | None
    overall_agreement: Agreement | None
    total_findings: int
    issues: list[Issue]
    action_items: list[ActionItem]
    disputes: list[Dispute]
    consensus_finding_count: int
    unique_finding_count: int
    disputed_assessment_count: int
    action_item_count: int
    critical_finding_count: int
    major_finding_count: int
    inter_reviewer_agreement: InterReviewerAgreement
    response_time_ms: int | None

    @classmethod
    def of(
        cls, dossier: Dossier, failures: Sequence[FailedReviewer], reply: Answer | None, notice: Degraded
    ) -> Consolidated:
        agreed, issues = dossier.concordance, dossier.issues
        severities = [issue.severity for issue in issues]
        shared = sum(issue.consensus for issue in issues)
        return cls(
            model=reply.model if reply else None,
            consolidated_report=composed(dossier),
            executive_summary=dossier.summary,
            consolidation_mode="model" if reply else "computed",
            consolidator_text=reply.response if reply else None,
            reviewer_count=len(dossier.reviews),
            failed_reviewers=list(failures),
            consensus_scores=agreed.consensus_scores,
            weighted_overall_avg=agreed.weighted_overall_avg,
            weighted_overall_stddev=agreed.weighted_overall_stddev,
            overall_agreement=agreed.overall_agreement,
            total_findings=len(dossier.findings),
            issues=list(issues),
            action_items=list(dossier.actions),
            disputes=list(dossier.disputes),
            consensus_finding_count=shared,
            unique_finding_count=len(issues) - shared,
            disputed_assessment_count=len(dossier.disputes),
            action_item_count=len(dossier.actions),
            critical_finding_count=severities.count("CRITICAL"),
            major_finding_count=severities.count("MAJOR"),
            inter_reviewer_agreement=dossier.agreement,
            response_time_ms=reply.response_time_ms if reply else None,
            degraded=notice.degraded,
            warnings=notice.warnings,
        )


def all_findings(reviews: Sequence[Review]) -> list[Finding]:
    return [finding for review in reviews for finding in review.findings]


def unnamed_disputes(
    reviews: Sequence[Review], agreed: Concordance, named: Sequence[Dispute]
) -> list[Dispute]:
    """The disputed criteria that the consolidator said nothing about, with who stands where."""
    said = [name_key(dispute.topic) for dispute in named]
    found = []
    for criterion in agreed.disputed:
        if not any(name_key(criterion) in topic for topic in said):
            scores = scores_of(reviews, criterion)
            found.append(
                Dispute(
                    topic=criterion,
                    position_a=_holders(reviews, criterion, float(min(scores))),
                    position_b=_holders(reviews, criterion, float(max(scores))),
                    evidence=None,
                )
            )
    return found


def _holders(reviews: Sequence[Review], criterion: str, score: float) -> str:
    holders = [
        f"R{review.seat}"
        for review in reviews
        if any(one.criterion == criterion and one.score == score for one in review.scores)
    ]
    return f"{score:g} ({', '.join(holders)})"


def composed(dossier: Dossier) -> str:
    parts = {
        "Consensus Scores": score_table(dossier.reviews, dossier.concordance, dossier.rubric),
        "Findings Summary": _counts(dossier.issues),
        "Consensus Findings": _listed(dossier, consensus=True),
        "Unique Findings": _listed(dossier, consensus=False),
        "Disputed Assessments": _disputes(dossier.disputes),
        "Inter-Reviewer Agreement": _agreement(dossier),
        "Prioritized Action Items": _actions(dossier.actions),
        "Executive Summary": dossier.summary or "",
    }
    body = [f"## {heading}\n\n{text}" for heading, text in parts.items() if text]
    return "\n\n".join([f"# {dossier.rubric.name}", *body])


def score_table(reviews: Sequence[Review], agreed: Concordance, rubric: Rubric) -> str:
    """One column per reviewer, then average, deviation and agreement."""
    heads = ["Criterion", "Weight", *(f"R{review.seat}" for review in reviews)]
    rows = [
        [*heads, "Average", "Deviation", "Agreement"],
        ["---"] * (len(heads) + 3),
        *(
            [cell(one.criterion), f"{rubric.weights[one.criterion]:g}", *_given(reviews, one), *_agreed(one)]
            for one in agreed.consensus_scores
        ),
        [
            "Overall, weighted",
            "",
            *(_figure(review.overall_score, 1) for review in reviews),
            _figure(agreed.weighted_overall_avg, 1),
            _figure(agreed.weighted_overall_stddev, 2),
            agreed.overall_agreement or "–",
        ],
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _given(reviews: Sequence[Review], of: ConsensusScore) -> list[str]:
    scores = [next(one.score for one in review.scores if one.criterion == of.criterion) for review in reviews]
    return ["n/a" if score is None else f"{score:g}" for score in scores]


def _agreed(one: ConsensusScore) -> list[str]:
    return [_figure(one.average, 1), _figure(one.stddev, 2), one.agreement or "–"]


def _figure(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _counts(issues: Sequence[Issue]) -> str:
    if not issues:
        return "The reviewers found nothing to object to."
    rows = ["| Severity | Issues | Consensus | Unique |", "|---|---|---|---|"]
    for severity in SEVERITIES:
        those = [issue for issue in issues if issue.severity == severity]
        shared = sum(issue.consensus for issue in those)
        rows.append(f"| {severity} | {len(those)} | {shared} | {len(those) - shared} |")
    return "\n".join(rows)


def _listed(dossier: Dossier, *, consensus: bool) -> str:
    findings = {finding.id: finding for finding in dossier.findings}
    those = [issue for issue in dossier.issues if issue.consensus is consensus]
    return "\n\n".join(_entry(issue, findings) for issue in those)


def _entry(issue: Issue, findings: Mapping[str, Finding]) -> str:
    notes = [
        f"Found by {', '.join(issue.reviewers)} ({', '.join(issue.finding_ids)})",
        "severity disputed" if issue.severity_disputed else "",
        f"credibility: {issue.credibility}" if issue.credibility else "",
        issue.credibility_note or "",
        "quote not found in the work" if is_ungrounded(issue, findings) else "",
    ]
    parts = [
        f"### {issue.number}. {issue.title} ({issue.severity})",
        issue.description or "",
        f"{'; '.join(filter(None, notes))}.",
    ]
    return "\n\n".join(filter(None, parts))


def _disputes(disputes: Sequence[Dispute]) -> str:
    lines = []
    for one in disputes:
        sides = " against ".join(filter(None, (one.position_a, one.position_b)))
        shown = f" The work: {one.evidence}" if one.evidence else ""
        lines.append(f"- **{one.topic}**: {sides}.{shown}")
    return "\n".join(lines)


def _agreement(dossier: Dossier) -> str:
    agreed = dossier.agreement
    alpha = "all scores are the same" if agreed.unanimous else _figure(agreed.krippendorff_alpha, 2)
    return "\n".join(
        [
            f"- Mean deviation of the scores: {_figure(agreed.average_score_stddev, 2)}",
            f"- Krippendorff's alpha (1: as one, 0: as by chance): {alpha}",
            f"- Issues that several reviewers found: {_figure(agreed.findings_overlap_rate, 2)}",
            f"- Of these, with the same severity from all: {_figure(agreed.severity_agreement_rate, 2)}",
        ]
    )


def _actions(actions: Sequence[ActionItem]) -> str:
    lines = []
    for place, item in enumerate(actions, 1):
        what = f": {item.action}" if item.action else ""
        effort = f" (effort: {item.effort})" if item.effort else ""
        verify = " Verify first." if item.verify_first else ""
        lines.append(f"{place}. **{item.severity}** {item.title}{what}{effort}{verify}")
    return "\n".join(lines)
