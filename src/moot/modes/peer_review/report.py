"""The consolidated report: one set of figures, composed from what was computed, around a model's words.

Consensus Scores · Findings Summary · Consensus Findings · Unique Findings · Disputed Assessments ·
Inter-Reviewer Agreement · Prioritized Action Items · Executive Summary
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.deliberation.markdown import cell
from moot.deliberation.text import name_key
from moot.modes.peer_review.agreement import (
    Concordance,
    ConsensusScore,
    InterReviewerAgreement,
    scores_of,
)
from moot.modes.peer_review.issues import (
    ActionItem,
    Consolidation,
    Dispute,
    ReviewIssue,
    action_items,
    is_ungrounded,
    make_issues,
    overlap_rate,
    severity_agreement_rate,
)
from moot.modes.peer_review.reviews import SEVERITIES, Review, ReviewFinding, all_findings
from moot.modes.peer_review.rubrics import Rubric


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a report is composed from."""

    rubric: Rubric
    reviews: tuple[Review, ...]
    concordance: Concordance
    findings: tuple[ReviewFinding, ...]
    issues: tuple[ReviewIssue, ...]
    actions: tuple[ActionItem, ...]
    disputes: tuple[Dispute, ...]
    agreement: InterReviewerAgreement
    summary: str | None

    @classmethod
    def of(
        cls, rubric: Rubric, reviews: Sequence[Review], concordance: Concordance, consolidation: Consolidation
    ) -> Dossier:
        findings = all_findings(reviews)
        issues = make_issues(consolidation.groups, findings, rubric.weights)
        return cls(
            rubric=rubric,
            reviews=tuple(reviews),
            concordance=concordance,
            findings=tuple(findings),
            issues=tuple(issues),
            actions=tuple(action_items(issues, findings)),
            disputes=(
                *consolidation.disputes,
                *unnamed_disputes(reviews, concordance, consolidation.disputes),
            ),
            agreement=InterReviewerAgreement(
                average_score_stddev=concordance.average_score_stddev,
                findings_overlap_rate=overlap_rate(issues),
                severity_agreement_rate=severity_agreement_rate(issues, findings),
                krippendorff_alpha=concordance.krippendorff_alpha,
                unanimous=concordance.unanimous,
            ),
            summary=consolidation.summary,
        )


def unnamed_disputes(
    reviews: Sequence[Review], concordance: Concordance, disputes: Sequence[Dispute]
) -> list[Dispute]:
    """The disputed criteria that the consolidator said nothing about, with who stands where."""
    topics = [name_key(dispute.topic) for dispute in disputes]
    unnamed = []
    for criterion in concordance.disputed:
        if not any(name_key(criterion) in topic for topic in topics):
            scores = scores_of(reviews, criterion)
            unnamed.append(
                Dispute(
                    topic=criterion,
                    position_a=_holders(reviews, criterion, float(min(scores))),
                    position_b=_holders(reviews, criterion, float(max(scores))),
                    evidence=None,
                )
            )
    return unnamed


def _holders(reviews: Sequence[Review], criterion: str, score: float) -> str:
    holders = [
        f"R{review.seat}"
        for review in reviews
        if any(one.criterion == criterion and one.score == score for one in review.scores)
    ]
    return f"{score:g} ({', '.join(holders)})"


def compose_report(dossier: Dossier) -> str:
    parts = {
        "Consensus Scores": score_table(dossier.reviews, dossier.concordance, dossier.rubric),
        "Findings Summary": _counts(dossier.issues),
        "Consensus Findings": _issue_entries(dossier, consensus=True),
        "Unique Findings": _issue_entries(dossier, consensus=False),
        "Disputed Assessments": _disputes(dossier.disputes),
        "Inter-Reviewer Agreement": _agreement(dossier),
        "Prioritized Action Items": _actions(dossier.actions),
        "Executive Summary": dossier.summary or "",
    }
    body = [f"## {heading}\n\n{text}" for heading, text in parts.items() if text]
    return "\n\n".join([f"# {dossier.rubric.name}", *body])


def score_table(reviews: Sequence[Review], concordance: Concordance, rubric: Rubric) -> str:
    """One column per reviewer, then average, deviation and agreement."""
    heads = ["Criterion", "Weight", *(f"R{review.seat}" for review in reviews)]
    rows = [
        [*heads, "Average", "Deviation", "Agreement"],
        ["---"] * (len(heads) + 3),
        *(
            [
                cell(one.criterion),
                f"{rubric.weights[one.criterion]:g}",
                *_reviewer_scores(reviews, one),
                *_consensus_cells(one),
            ]
            for one in concordance.consensus_scores
        ),
        [
            "Overall, weighted",
            "",
            *(_figure(review.overall_score, 1) for review in reviews),
            _figure(concordance.weighted_overall_avg, 1),
            _figure(concordance.weighted_overall_stddev, 2),
            concordance.overall_agreement or "–",
        ],
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _reviewer_scores(reviews: Sequence[Review], of: ConsensusScore) -> list[str]:
    scores = [next(one.score for one in review.scores if one.criterion == of.criterion) for review in reviews]
    return ["n/a" if score is None else f"{score:g}" for score in scores]


def _consensus_cells(one: ConsensusScore) -> list[str]:
    return [_figure(one.average, 1), _figure(one.stddev, 2), one.agreement or "–"]


def _figure(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _counts(issues: Sequence[ReviewIssue]) -> str:
    if not issues:
        return "The reviewers found nothing to object to."
    rows = ["| Severity | Issues | Consensus | Unique |", "|---|---|---|---|"]
    for severity in SEVERITIES:
        those = [issue for issue in issues if issue.severity == severity]
        shared = sum(issue.consensus for issue in those)
        rows.append(f"| {severity} | {len(those)} | {shared} | {len(those) - shared} |")
    return "\n".join(rows)


def _issue_entries(dossier: Dossier, *, consensus: bool) -> str:
    findings = {finding.id: finding for finding in dossier.findings}
    those = [issue for issue in dossier.issues if issue.consensus is consensus]
    return "\n\n".join(_entry(issue, findings) for issue in those)


def _entry(issue: ReviewIssue, findings: Mapping[str, ReviewFinding]) -> str:
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
        evidence = f" The work: {one.evidence}" if one.evidence else ""
        lines.append(f"- **{one.topic}**: {sides}.{evidence}")
    return "\n".join(lines)


def _agreement(dossier: Dossier) -> str:
    agreement = dossier.agreement
    alpha = "all scores are the same" if agreement.unanimous else _figure(agreement.krippendorff_alpha, 2)
    return "\n".join(
        [
            f"- Mean deviation of the scores: {_figure(agreement.average_score_stddev, 2)}",
            f"- Krippendorff's alpha (1: as one, 0: as by chance): {alpha}",
            f"- Issues that several reviewers found: {_figure(agreement.findings_overlap_rate, 2)}",
            f"- Of these, with the same severity from all: {_figure(agreement.severity_agreement_rate, 2)}",
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
