"""Findings put together into issues, by a consolidator or by the likeness of their words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.modes.peer_review.issues import (
    Group,
    ReviewIssue,
    action_items,
    group_by_likeness,
    make_issues,
    overlap_rate,
    read_consolidation,
    severity_agreement_rate,
)
from moot.modes.peer_review.reviews import SEVERITIES, ReviewFinding, Severity

WEIGHTS = {"Security": 5.0, "Cost": 3.0}


def finding(id: str, severity: Severity = "MINOR", **fields: Any) -> ReviewFinding:
    values: dict[str, Any] = {
        "title": f"Title of {id}",
        "category": "Other",
        "location": None,
        "quote": None,
        "grounded": None,
        "description": None,
        "impact": None,
        "recommendation": f"Mend {id}",
    }
    number = int(id.split("F")[1])
    return ReviewFinding(
        id=id, number=number, severity=severity, severity_inferred=False, **{**values, **fields}
    )


def issue_of(*findings: ReviewFinding, **fields: Any) -> ReviewIssue:
    [issue] = make_issues([Group(tuple(one.id for one in findings), **fields)], findings, WEIGHTS)
    return issue


REPLY = """\
**ISSUE 1: Tokens leak**
Findings: r1-f2, R3.F1, R9-F1
Description: They lie
in local storage.
Action: Move them
Effort: High, sadly
### ISSUE 2 - Nothing known
Findings: R7-F7
ISSUE 4: Costs
Findings: R1-F2, R2F1
Action: Cut them
Credibility: doubtful - the work says otherwise
DISPUTE: Security | 2 (R1) | 5 (R2) | the work is silent
EXECUTIVE SUMMARY:
It is sound.

Go on.
END OF REPORT"""
FINDING_IDS = ["R1-F1", "R1-F2", "R2-F1", "R2-F3", "R3-F1"]


def test_an_id_belongs_to_the_first_issue_that_names_it_and_unknown_ones_to_none() -> None:
    consolidation = read_consolidation(REPLY, FINDING_IDS)
    assert [group.ids for group in consolidation.groups] == [
        ("R1-F2", "R3-F1"),
        ("R2-F1",),
        ("R1-F1",),
        ("R2-F3",),
    ]
    tokens, costs, alone, _ = consolidation.groups
    assert (tokens.title, tokens.description, tokens.action, tokens.effort) == (
        "Tokens leak",
        "They lie in local storage.",
        "Move them",
        "High",
    )
    assert (costs.effort, costs.credibility, costs.credibility_note) == (
        None,
        "doubtful",
        "the work says otherwise",
    )
    assert alone == Group(("R1-F1",))
    [dispute] = consolidation.disputes
    assert dispute.model_dump() == {
        "topic": "Security",
        "positionA": "2 (R1)",
        "positionB": "5 (R2)",
        "evidence": "the work is silent",
    }
    assert (consolidation.summary, consolidation.usable) == ("It is sound.\n\nGo on.", True)


@pytest.mark.parametrize(
    ("text", "known", "usable", "summary"),
    [
        ("I would rather not.", FINDING_IDS, False, None),
        ("ISSUE 1: x\nFindings: R8-F8", FINDING_IDS, False, None),
        (
            "ISSUE 1: x\nFindings: R1-F1\nAction: Go\n\nAll in all fine.\nEND OF REPORT",
            FINDING_IDS,
            True,
            "All in all fine.",
        ),
        (
            "ISSUE 1: x\nFindings: R1-F1\n\nAction: Go\n\nAll in all fine.",
            FINDING_IDS,
            True,
            "All in all fine.",
        ),
        ("ISSUE 1: x\nFindings: R1-F1\nAction: Go\non and on\n\nFine.", FINDING_IDS, True, "Fine."),
        ("Action: read\n\nISSUE 1: x\nFindings: R1-F1\n\nFine.", FINDING_IDS, True, "Fine."),
        ("ISSUE 1: x\nFindings: R1-F1\nDISPUTE: a | b | c | d\n\nFine.", FINDING_IDS, True, "Fine."),
        ("ISSUE 1: x\nFindings: R1-F1\nDISPUTE: a | b | c | d", FINDING_IDS, True, None),
        ("It is fine.\nEND OF REPORT", [], True, "It is fine."),
        ("## Executive Summary\nFine.", [], True, "Fine."),
    ],
)
def test_a_reply_is_usable_if_it_groups_something_or_there_is_nothing_to_group(
    text: str, known: list[str], usable: bool, summary: str | None
) -> None:
    consolidation = read_consolidation(text, known)
    assert (consolidation.usable, consolidation.summary) == (usable, summary)


def test_the_pattern_itself_is_no_issue() -> None:
    echo = "ISSUE 1: title\nFindings: R1-F2, R3-F1\nDescription: one merged description\n"
    consolidation = read_consolidation(f"{echo}ISSUE 1: Tokens leak\nFindings: R1-F1, R1-F2", FINDING_IDS)
    assert consolidation.groups[0].ids == ("R1-F1", "R1-F2")
    assert read_consolidation(echo, FINDING_IDS).usable is False


def test_the_template_is_no_dispute() -> None:
    text = "DISPUTE: topic | one position and who holds it | the other | what the work shows"
    assert read_consolidation(text, []).disputes == ()


def test_severity_is_the_median_of_the_reviewers_worst_with_ties_upward() -> None:
    split = issue_of(finding("R1-F1", "CRITICAL"), finding("R2-F1", "SUGGESTION"))
    assert (split.severity, split.severity_disputed) == ("CRITICAL", True)
    middle = issue_of(finding("R1-F1", "MINOR"), finding("R2-F1", "MINOR"), finding("R3-F1", "CRITICAL"))
    assert (middle.severity, middle.severity_disputed) == ("MINOR", True)
    own = issue_of(finding("R1-F1", "SUGGESTION"), finding("R1-F4", "MAJOR"), finding("R2-F1", "MAJOR"))
    assert (own.severity, own.severity_disputed) == ("MAJOR", False)


def test_two_findings_of_one_reviewer_are_no_consensus() -> None:
    issue = issue_of(finding("R1-F1"), finding("R1-F4"))
    assert (issue.reviewers, issue.consensus) == (["R1"], False)


def test_an_issue_weighs_as_its_weightiest_criterion() -> None:
    assert issue_of(finding("R1-F1", category="Cost"), finding("R2-F1", category="Security")).weight == 5
    assert issue_of(finding("R1-F1")).weight == 0


def test_credibility_is_said_only_of_what_one_reviewer_found() -> None:
    shared = issue_of(finding("R1-F1"), finding("R2-F1"), credibility="doubtful", credibility_note="why")
    assert (shared.credibility, shared.credibility_note) == (None, None)


def test_the_figures_of_the_worked_example() -> None:
    findings = [
        finding("R1-F1", "CRITICAL"),
        finding("R1-F2", "MINOR"),
        finding("R2-F1", "MAJOR"),
        finding("R2-F2", "MAJOR"),
        finding("R3-F1", "CRITICAL"),
        finding("R3-F3", "MINOR"),
    ]
    groups = [Group(("R1-F1", "R2-F2", "R3-F1")), Group(("R1-F2", "R3-F3")), Group(("R2-F1",))]
    issues = make_issues(groups, findings, WEIGHTS)
    assert [issue.severity for issue in issues] == ["CRITICAL", "MINOR", "MAJOR"]
    assert overlap_rate(issues) == 0.67
    assert severity_agreement_rate(issues, findings) == 0.5
    assert [item.issue for item in action_items(issues, findings)] == [1, 3, 2]


def test_rates_of_nothing_are_null() -> None:
    assert (overlap_rate([]), severity_agreement_rate([], [])) == (None, None)
    alone = [issue_of(finding("R1-F1"))]
    assert (overlap_rate(alone), severity_agreement_rate(alone, [finding("R1-F1")])) == (0.0, None)


def test_fifteen_actions_are_listed_and_doubtful_ones_only_if_critical() -> None:
    findings = [finding(f"R1-F{n}") for n in range(1, 18)]
    groups = [Group((one.id,)) for one in findings]
    assert len(action_items(make_issues(groups, findings, {}), findings)) == 15
    groups = [
        Group(("R1-F1",), credibility="doubtful"),
        Group(("R1-F2",), credibility="doubtful"),
        Group(("R1-F3",), credibility="sound"),
    ]
    mixed = [finding("R1-F1", "MINOR"), finding("R1-F2", "CRITICAL"), finding("R1-F3", "MAJOR")]
    items = action_items(make_issues(groups, mixed, {}), mixed)
    assert [(item.issue, item.verify_first) for item in items] == [(2, True), (3, False)]


def test_what_rests_on_a_quote_that_is_not_in_the_work_is_in_doubt_too() -> None:
    findings = [finding("R1-F1", "MAJOR", grounded=False), finding("R1-F2", "CRITICAL", grounded=False)]
    shared = [finding("R2-F1", "MAJOR", grounded=False), finding("R3-F1", "MAJOR", grounded=False)]
    groups = [Group(("R1-F1",)), Group(("R1-F2",)), Group(("R2-F1", "R3-F1"))]
    items = action_items(make_issues(groups, findings + shared, {}), findings + shared)
    assert [(item.issue, item.verify_first) for item in items] == [(2, True), (3, False)]


def test_actions_go_by_severity_then_reviewers_then_weight_then_id() -> None:
    findings = [
        finding("R1-F1", "MINOR", category="Cost"),
        finding("R1-F2", "MINOR", category="Security"),
        finding("R1-F3", "MINOR"),
        finding("R2-F1", "MINOR"),
        finding("R2-F2", "MAJOR"),
        finding("R2-F3", "MINOR", category="Cost"),
    ]
    groups = [
        Group(("R1-F1",)),
        Group(("R1-F2",)),
        Group(("R1-F3", "R2-F1")),
        Group(("R2-F2",)),
        Group(("R2-F3",)),
    ]
    items = action_items(make_issues(groups, findings, WEIGHTS), findings)
    assert [item.issue for item in items] == [4, 3, 2, 1, 5]


FAILOVER = finding(
    "R1-F1",
    title="Single database instance is a single point of failure",
    category="Reliability",
    description="The whole service depends on one database instance without a standby.",
    recommendation="Add a replica with automatic failover.",
)
NO_FAILOVER = finding(
    "R2-F1",
    title="No failover for the database tier",
    category="Reliability",
    description="If the database instance fails, the service is down until someone restores it.",
    recommendation="Run a standby replica and fail over automatically.",
)
BACKUPS = finding(
    "R3-F1",
    title="Backups are never restored in a test",
    category="Reliability",
    description="Nobody knows whether they can be read.",
    recommendation="Rehearse a restore every quarter.",
)


def test_alike_findings_of_different_reviewers_are_joined_and_others_stay_apart() -> None:
    groups = [group.ids for group in group_by_likeness([FAILOVER, NO_FAILOVER, BACKUPS])]
    assert groups == [("R1-F1", "R2-F1"), ("R3-F1",)]


def test_a_shared_category_tips_the_scales() -> None:
    def pair(category: str) -> list[tuple[str, ...]]:
        other = NO_FAILOVER.model_copy(update={"category": category, **near})
        return [group.ids for group in group_by_likeness([FAILOVER, other, BACKUPS])]

    near = {
        "title": "No failover for the tier",
        "description": "It is down until it is restored.",
        "recommendation": "Run a standby.",
    }
    assert pair("Reliability") == [("R1-F1", "R2-F1"), ("R3-F1",)]
    assert pair("Cost") == [("R1-F1",), ("R2-F1",), ("R3-F1",)]


def test_the_same_words_of_one_reviewer_stay_apart() -> None:
    twins = [finding("R1-F1", title="Same words"), finding("R1-F2", title="Same words")]
    assert [group.ids for group in group_by_likeness(twins)] == [("R1-F1",), ("R1-F2",)]
    assert group_by_likeness([]) == []


FINDINGS = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.sampled_from(SEVERITIES),
        st.sampled_from(["cost", "token leak", "no backup", "?", ""]),
    ),
    max_size=12,
).map(
    lambda entries: [
        finding(f"R{seat}-F{place}", severity, title=title or "x", recommendation=None)
        for place, (seat, severity, title) in enumerate(entries, 1)
    ]
)


@given(FINDINGS)
def test_every_finding_is_in_exactly_one_issue_and_no_reviewer_twice_in_a_computed_one(
    findings: list[ReviewFinding],
) -> None:
    issues = make_issues(group_by_likeness(findings), findings, WEIGHTS)
    assert sorted(one for issue in issues for one in issue.finding_ids) == sorted(one.id for one in findings)
    assert all(len(issue.reviewers) == len(issue.finding_ids) for issue in issues)
    assert len(action_items(issues, findings)) <= min(15, len(issues))


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "ISSUE 1",
                ": t",
                "\n",
                "Findings: ",
                "R1-F1",
                "r2.f1",
                "DISPUTE: a | b",
                "EXECUTIVE SUMMARY",
                "END OF REPORT",
            ]
        )
    ).map("".join)
)
def test_no_reply_is_too_odd_to_be_read(text: str) -> None:
    known = ["R1-F1", "R2-F1"]
    consolidation = read_consolidation(text, known)
    assert sorted(one for group in consolidation.groups for one in group.ids) == known
