"""Issues: findings of several reviewers that describe the same defect, and what is to be done about them.

    ISSUE 1: No failover                       R1-F1 CRITICAL, R2-F2 MAJOR, R3-F1 CRITICAL
    Findings: R1-F1, R2-F2, R3-F1         →    CRITICAL (the median, ties upward), three reviewers

Which findings belong together a consolidator says; where none does, the likeness of their words.
Severity, weight, order and rates are computed here either way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import Line, lines, markers
from moot.deliberation.rounding import half_up
from moot.deliberation.sections import Block, blocks, sections
from moot.deliberation.similarity import average_linkage, cosines, letter_groups, vectors
from moot.kernel.values import Wire
from moot.modes.peer_review.layouts import ISSUE_SAMPLES
from moot.modes.peer_review.reviews import SEVERITIES, ReviewFinding, Severity

Effort = Literal["Low", "Medium", "High"]
Credibility = Literal["sound", "doubtful"]
_EFFORTS: tuple[Effort, ...] = get_args(Effort)
_CREDIBILITIES: tuple[Credibility, ...] = get_args(Credibility)
MOST_ACTIONS = 15
LIKE_ENOUGH = 0.20
SAME_CATEGORY = 0.05

_ID = re.compile(r"(?<!\w)R\s?(\d{1,3})\s?[-.–]?\s?F(\d{1,3})(?!\w)", re.IGNORECASE)
_FIELDS = ("Findings", "Description", "Action", "Effort", "Credibility")
_SUMMARY = "EXECUTIVE SUMMARY"
_AFTER_ISSUES = ("DISPUTE", _SUMMARY, "END OF REPORT")


class ReviewIssue(Wire):
    """`consensus`: two reviewers or more found it. Credibility is said of what only one found."""

    number: int
    title: str
    finding_ids: list[str]
    reviewers: list[str]
    consensus: bool
    severity: Severity
    severity_disputed: bool
    weight: float
    description: str | None
    action: str | None
    effort: Effort | None
    credibility: Credibility | None
    credibility_note: str | None


class ActionItem(Wire):
    """`issue` is the issue's number. `verify_first`: only one reviewer says so, and it is in doubt."""

    issue: int
    severity: Severity
    title: str
    action: str | None
    effort: Effort | None
    verify_first: bool


class Dispute(Wire):
    topic: str
    position_a: str | None
    position_b: str | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """Findings said to be one defect, with the words for it; None: those of its first finding."""

    ids: tuple[str, ...]
    title: str | None = None
    description: str | None = None
    action: str | None = None
    effort: Effort | None = None
    credibility: Credibility | None = None
    credibility_note: str | None = None


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a consolidator's reply says; `usable`: it groups at least one finding, if there are any."""

    groups: tuple[Group, ...]
    disputes: tuple[Dispute, ...]
    summary: str | None
    usable: bool


def read_consolidation(text: str, finding_ids: Sequence[str]) -> Consolidation:
    """Each known id belongs to the first issue that names it; those never named stand alone."""
    prepared = lines(text)
    used: set[str] = set()
    groups: list[Group] = []
    issue_blocks = blocks(prepared, "ISSUE")
    for block in issue_blocks:
        if _is_layout(block):
            continue
        group = _group(block, [finding_id for finding_id in finding_ids if finding_id not in used])
        if group.ids:
            groups.append(group)
            used.update(group.ids)
    alone = [Group((finding_id,)) for finding_id in finding_ids if finding_id not in used]
    disputes = tuple(dispute for line in markers(prepared, "DISPUTE") if (dispute := _dispute(line.raw)))
    return Consolidation(
        groups=(*groups, *alone),
        disputes=disputes,
        summary=read_summary(prepared, bool(finding_ids)),
        usable=bool(groups) or not finding_ids,
    )


def _is_layout(block: Block) -> bool:
    """Whether a block is the layout itself, its ids included."""
    description = sections(block.lines, (*_FIELDS, *_AFTER_ISSUES), samples=ISSUE_SAMPLES).get("Description")
    return ISSUE_SAMPLES.is_sample(block.header) and description is None


def _group(block: Block, free: Sequence[str]) -> Group:
    fields = sections(block.lines, (*_FIELDS, *_AFTER_ISSUES), samples=ISSUE_SAMPLES)
    values = {name: fields[name].joined if name in fields else "" for name in _FIELDS}
    # Some put the ids where the title goes, and have no line for them.
    title = ISSUE_SAMPLES.filled(block.header) or ""
    cited = values["Findings"] or title
    ids = [f"R{int(one[1])}-F{int(one[2])}" for one in _ID.finditer(cited)]
    credibility = _credibility(values["Credibility"])
    return Group(
        ids=tuple(dict.fromkeys(one for one in ids if one in free)),
        title=None if _ID.sub("", title).strip(" ,;&[]()") == "" else title.strip(),
        description=values["Description"] or None,
        action=values["Action"] or None,
        effort=next((one for one in _EFFORTS if one == closed_word(values["Effort"], _EFFORTS)), None),
        credibility=credibility,
        credibility_note=_note(values["Credibility"], credibility) if credibility else None,
    )


def _credibility(value: str) -> Credibility | None:
    word = closed_word(value, _CREDIBILITIES)
    return next((one for one in _CREDIBILITIES if one == word), None)


def _note(value: str, word: str) -> str | None:
    """What follows the word: `doubtful - the work says otherwise`."""
    rest = value[value.lower().find(word) + len(word) :]
    return rest.strip(" -–—:,.;*_`()") or None


def _dispute(value: str) -> Dispute | None:
    parts = [part.strip() for part in re.split(r"(?<!\\)\|", value)]
    if len(parts) < 2 or parts[0].casefold() in ("", "topic"):
        return None
    topic, position_a, position_b, evidence = [*(part or None for part in parts), None, None, None][:4]
    return Dispute(topic=topic or "", position_a=position_a, position_b=position_b, evidence=evidence)


def read_summary(prepared: Sequence[Line], has_issues: bool) -> str | None:
    """What stands under its heading, else what follows the last issue or dispute."""
    parts = sections(prepared, (_SUMMARY, "END OF REPORT"))
    if _SUMMARY in parts:
        return parts[_SUMMARY].text
    end = next((at for at, line in enumerate(prepared) if line.plain.upper() == "END OF REPORT"), None)
    rest = prepared[_last_entry(prepared) + 1 : end] if has_issues else prepared[:end]
    rest = [line for line in rest if line.plain.rstrip(": ").upper() != _SUMMARY]
    if has_issues:
        blank = next((at for at, line in enumerate(rest) if not line.plain), len(rest))
        rest = rest[blank:]
    return "\n".join(line.raw for line in rest).strip() or None


def _last_entry(prepared: Sequence[Line]) -> int:
    """The last line that begins an issue, a field of one, or a dispute."""
    entries = [block.index for block in blocks(prepared, "ISSUE")]
    if entries:
        entries += [one.index for one in markers(prepared, _FIELDS) if one.index > entries[0]]
    entries += [one.index for one in markers(prepared, "DISPUTE")]
    return max(entries, default=len(prepared))


def group_by_likeness(findings: Sequence[ReviewFinding]) -> list[Group]:
    """Groups by the likeness of words. Two findings of one reviewer are never the same defect."""
    texts = [" ".join(filter(None, (one.title, one.description, one.recommendation))) for one in findings]
    likeness = cosines(vectors([letter_groups(text) for text in texts]))
    for row, one in zip(likeness, findings, strict=True):
        for place, other in enumerate(findings):
            row[place] += SAME_CATEGORY * (one.category == other.category)

    def differ(some: Sequence[int], others: Sequence[int]) -> bool:
        return not {findings[at].seat for at in some} & {findings[at].seat for at in others}

    groups = average_linkage(likeness, at_least=LIKE_ENOUGH, may_join=differ)
    return [Group(tuple(findings[at].id for at in members)) for members in groups]


def make_issues(
    groups: Sequence[Group], findings: Sequence[ReviewFinding], weights: Mapping[str, float]
) -> list[ReviewIssue]:
    by_id = {finding.id: finding for finding in findings}
    return [
        _issue(number, group, [by_id[one] for one in group.ids], weights)
        for number, group in enumerate(groups, 1)
    ]


def _issue(
    number: int, group: Group, members: Sequence[ReviewFinding], weights: Mapping[str, float]
) -> ReviewIssue:
    seats = sorted({finding.seat for finding in members})
    votes = severities(members)
    consensus = len(seats) > 1
    return ReviewIssue(
        number=number,
        title=group.title or members[0].title,
        finding_ids=[finding.id for finding in members],
        reviewers=[f"R{seat}" for seat in seats],
        consensus=consensus,
        severity=votes[(len(votes) - 1) // 2],
        severity_disputed=_rank(votes[-1]) - _rank(votes[0]) >= 2,
        weight=max(weights.get(finding.category, 0) for finding in members),
        description=group.description or members[0].description,
        action=group.action or members[0].recommendation,
        effort=group.effort,
        credibility=None if consensus else group.credibility,
        credibility_note=None if consensus else group.credibility_note,
    )


def severities(members: Sequence[ReviewFinding]) -> list[Severity]:
    """The worst that each reviewer gave, worst first."""
    worst: dict[int, Severity] = {}
    for finding in members:
        worst[finding.seat] = min(worst.get(finding.seat, finding.severity), finding.severity, key=_rank)
    return sorted(worst.values(), key=_rank)


def _rank(severity: Severity) -> int:
    return SEVERITIES.index(severity)


def in_doubt(issue: ReviewIssue, findings: Mapping[str, ReviewFinding]) -> bool:
    """Whether only one reviewer says so and either the consolidator doubts it or its quote is not in the
    work."""
    return not issue.consensus and (issue.credibility == "doubtful" or is_ungrounded(issue, findings))


def is_ungrounded(issue: ReviewIssue, findings: Mapping[str, ReviewFinding]) -> bool:
    """Whether it quotes, and no quote of it stands in the work."""
    grounded = [findings[one].grounded for one in issue.finding_ids]
    return False in grounded and True not in grounded


def action_items(issues: Sequence[ReviewIssue], findings: Sequence[ReviewFinding]) -> list[ActionItem]:
    """Worst first, then what more reviewers found, then the weightier; doubtful ones only if critical."""
    by_id = {finding.id: finding for finding in findings}
    order = {finding.id: place for place, finding in enumerate(findings)}
    by_urgency = sorted(
        issues,
        key=lambda issue: (
            _rank(issue.severity),
            -len(issue.reviewers),
            -issue.weight,
            min(order[one] for one in issue.finding_ids),
        ),
    )
    actionable = [issue for issue in by_urgency if issue.severity == "CRITICAL" or not in_doubt(issue, by_id)]
    return [
        ActionItem(
            issue=issue.number,
            severity=issue.severity,
            title=issue.title,
            action=issue.action,
            effort=issue.effort,
            verify_first=in_doubt(issue, by_id),
        )
        for issue in actionable[:MOST_ACTIONS]
    ]


def overlap_rate(issues: Sequence[ReviewIssue]) -> float | None:
    """The share of issues that two reviewers or more found."""
    return half_up(Fraction(sum(one.consensus for one in issues), len(issues)), 2) if issues else None


def severity_agreement_rate(issues: Sequence[ReviewIssue], findings: Sequence[ReviewFinding]) -> float | None:
    """The share of those in which all reviewers gave the same severity."""
    by_id = {finding.id: finding for finding in findings}
    per_issue = [severities([by_id[one] for one in issue.finding_ids]) for issue in issues if issue.consensus]
    alike = sum(len(set(votes)) == 1 for votes in per_issue)
    return half_up(Fraction(alike, len(per_issue)), 2) if per_issue else None
