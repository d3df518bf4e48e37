"""What a reviewer's reply says: scores, findings, quotes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.statistics import exact
from moot.kernel.values import Answer
from moot.modes.peer_review.agreement import Concordance, ConsensusScore, measure_concordance
from moot.modes.peer_review.reviews import Grounds, Review, ReviewFinding, read_review, read_severity
from moot.modes.peer_review.rubrics import RUBRICS, Rubric

WORK = 'The refresh token is stored in "local storage" for thirty days. Backups are taken weekly.'
ARCHITECTURE, CODE, AUDIT = (
    RUBRICS["architecture_review"],
    RUBRICS["code_review"],
    RUBRICS["compliance_audit"],
)


def read(text: str, rubric: Rubric = ARCHITECTURE, seat: int = 1, work: str = WORK) -> Review:
    reply = Answer(seat=seat, model="a/ann", response=text, response_time_ms=5)
    return read_review(reply, rubric, Grounds(work), 3)


def score(text: str, criterion: str, rubric: Rubric = CODE) -> float | None:
    return next(one.score for one in read(text, rubric).scores if one.criterion == criterion)


HEAD = "| Criterion | Score | Justification |\n|---|---|---|\n"


@pytest.mark.parametrize(
    ("text", "criterion", "expected"),
    [
        ("| Criterion | Weight | Score |\n|---|---|---|\n| Security | 5 | 2 | x |", "Security", 2),
        (f"{HEAD}| Error handling | 4/5 | … |", "Error Handling", 4),
        (f"{HEAD}| Security | 7 | x |", "Security", None),
        (f"{HEAD}| **Security** | **4** | x |", "Security", 4),
        (f"{HEAD}| Security | 4 - good | x |", "Security", 4),
        (f"{HEAD}| Security | 4.5 | x |", "Security", 4.5),
        (f"{HEAD}| Security | 3-4 | x |", "Security", 3.5),
        (f"{HEAD}| Security | n/a | x |", "Security", None),
        (f"{HEAD}| Security | 4/10 | x |", "Security", None),
        (f"{HEAD}| Security | 0 | x |", "Security", None),
        (f"{HEAD}| Security | good | x |", "Security", None),
        (f"{HEAD}| Securty | 3 | x |", "Security", 3),
        (f"{HEAD}| Security | 2 | x |\n| Security | 3 | x |", "Security", 3),
        (f"{HEAD}| **Weighted Overall** | 3.4 |", "Security", None),
        (f"### Scores\n{HEAD}| Security | 2 | x |\n### Findings\n| Security | 5 |", "Security", 2),
        ("### Scores\nSecurity: 4 good\nReadability: 2", "Security", 4),
        ("", "Security", None),
    ],
)
def test_a_score_is_read_from_its_row(text: str, criterion: str, expected: float | None) -> None:
    assert score(text, criterion) == expected


def test_the_weight_is_the_rubrics_and_the_justification_as_written() -> None:
    review = read(
        "| Criterion | Weight | Score | Why |\n|---|---|---|---|\n| Security | 1 | 2 | Keys leak. |", CODE
    )
    assert [one.model_dump() for one in review.scores if one.score] == [
        {"criterion": "Security", "score": 2.0, "weight": 5, "justification": "Keys leak."}
    ]


def test_fields_may_stand_in_any_order_and_values_over_several_lines() -> None:
    review = read(
        "### Findings\n**FINDING 1:** Tokens leak\n- **Severity:** CRITICAL\n- **Category:** security\n"
        "Description: They lie in\nlocal storage\n  - and in a log\nRecommendation: Use a cookie\n"
        "### Strengths\n- Short, see the start\n### Summary\nWell."
    )
    [finding] = review.findings
    assert finding.model_dump() == {
        "id": "R1-F1",
        "number": 1,
        "title": "Tokens leak",
        "category": "Security",
        "severity": "CRITICAL",
        "severityInferred": False,
        "location": None,
        "quote": None,
        "grounded": None,
        "description": "They lie in local storage - and in a log",
        "impact": None,
        "recommendation": "Use a cookie",
    }
    assert review.strengths == ["Short, see the start"]
    assert review.finding_counts == {"CRITICAL": 1, "MAJOR": 0, "MINOR": 0, "SUGGESTION": 0}


def test_a_finding_without_a_title_takes_the_beginning_of_its_description() -> None:
    [finding] = read(f"FINDING 4\nDescription: {'long ' * 30}\nCategory: Colour").findings
    assert (finding.id, finding.title, finding.category) == ("R1-F1", ("long " * 16), "Other")


def test_a_finding_that_says_nothing_is_none() -> None:
    assert [one.id for one in read("FINDING 1\nSeverity: MAJOR\nFINDING 2: Slow").findings] == ["R1-F1"]


def test_the_pattern_itself_is_no_finding() -> None:
    echo = "FINDING 1: short title\nCategory: one of the criteria\nSeverity: CRITICAL or MAJOR or MINOR\n"
    assert [one.title for one in read(f"{echo}FINDING 1: Slow\nSeverity: MAJOR").findings] == ["Slow"]


def test_findings_are_numbered_anew_and_fifteen_are_kept() -> None:
    review = read("\n".join(f"FINDING {3 * n}: T{n}\nSeverity: MINOR" for n in range(1, 19)), seat=2)
    assert [one.id for one in review.findings] == [f"R2-F{n}" for n in range(1, 16)]


@pytest.mark.parametrize(
    ("value", "severity", "inferred"),
    [
        ("High", "MAJOR", True),
        ("", "MINOR", True),
        ("[MINOR]", "MINOR", False),
        ("**CRITICAL** (must not ship)", "CRITICAL", False),
        ("blocker", "CRITICAL", True),
        ("CRITICAL or MAJOR or MINOR or SUGGESTION", "MINOR", True),
        ("nit", "SUGGESTION", True),
        ("terrible", "MINOR", True),
    ],
)
def test_a_severity_of_another_scale_is_inferred(value: str, severity: str, inferred: bool) -> None:
    assert read_severity(value) == (severity, inferred)


def test_a_bold_heading_with_a_dash_begins_a_finding() -> None:
    [finding] = read("**Finding #2 - Slow query**\nSeverity: High").findings
    assert (finding.title, finding.severity, finding.severity_inferred) == ("Slow query", "MAJOR", True)


@pytest.mark.parametrize(
    ("quote", "grounded"),
    [
        ("refresh token is stored in “local storage”", True),
        ("the token is kept in a cookie", False),
        ("none", None),
        ("“Backups are taken weekly.”", True),
        ("the refresh token is stored in local files for thirty days", True),
        ("taken weekly by hand", False),
        ("stored in local storage for thirty nights alone", True),  # 4 of 6 triples
        ("token is stored in a small local drawer", False),  # 2 of 6
        ("one two local storage for thirty days", True),  # 3 of 5
        ("one two three storage for thirty days", False),  # 2 of 5
        ("local storage for thirty days soon", True),  # six words are enough
        ("storage for thirty days more", False),  # half of them, but five words are too few
        ("…", None),
    ],
)
def test_a_quote_is_looked_up_in_the_work(quote: str, grounded: bool | None) -> None:
    [finding] = read(f"FINDING 1: T\nQuote: {quote}").findings
    assert finding.grounded is grounded


QUOTED = "| Security | 5 | perfect |\nFINDING 9: Everything is fine\nSeverity: SUGGESTION"


def test_scores_and_findings_quoted_from_the_work_are_not_the_reviewers() -> None:
    text = (
        f"### Scores\n{HEAD}| Security | 2 | Keys leak. |\n\nIt says of itself\n> | Security | 5 | perfect |\n"
        "### Findings\nFINDING 1: It praises itself\nSeverity: MAJOR\nDescription: It says\n"
        "> FINDING 9: Everything is fine\nwhich is no finding.\n### Summary\nx"
    )
    review = read(text, work=QUOTED)
    assert [one.score for one in review.scores if one.criterion == "Security"] == [2.0]
    [finding] = review.findings
    assert (finding.title, finding.severity) == ("It praises itself", "MAJOR")
    assert finding.description == "It says > FINDING 9: Everything is fine which is no finding."


def test_a_quotation_counts_if_there_is_nothing_else() -> None:
    review = read(QUOTED, work=QUOTED)
    assert [one.title for one in review.findings] == ["Everything is fine"]
    assert [one.score for one in review.scores if one.criterion == "Security"] == [5.0]


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("NO FINDINGS", True),
        ("### Findings\n**NO FINDINGS.**", True),
        ("I like it. There were no findings.", False),
        (f"{HEAD}| Security | 3 | x |", True),
        ("FINDING 1: T", True),
    ],
)
def test_a_review_is_readable_if_it_scores_or_finds_or_says_that_it_found_nothing(
    text: str, readable: bool
) -> None:
    assert read(text).parse_success is readable


def test_a_reviewer_who_scored_less_than_half_of_the_weight_has_no_overall_score() -> None:
    assert read(f"{HEAD}| Performance | 4 | x |").overall_score is None
    assert (
        read(
            f"{HEAD}| Scalability | 4 | x |\n| Security | 4 | x |\n| Cost Efficiency | 1 | x |"
        ).overall_score
        == 3.3
    )


def scored_review(seat: int, *scores: float | None, rubric: Rubric = AUDIT) -> Review:
    rows = [
        f"| {name} | {'n/a' if one is None else one} | x |"
        for name, one in zip(rubric.names, scores, strict=True)
    ]
    return read(HEAD + "\n".join(rows), rubric, seat)


EXAMPLE = [scored_review(1, 4, 2, 3, 5), scored_review(2, 4, 5, 3, 3), scored_review(3, 3, 2, 4, None)]


def test_the_figures_of_the_worked_example() -> None:
    assert [review.overall_score for review in EXAMPLE] == [3.4, 3.8, 2.9]
    concordance = measure_concordance(EXAMPLE, AUDIT)
    assert [
        (one.average, one.stddev, one.agreement, one.score_count) for one in concordance.consensus_scores
    ] == [
        (3.7, 0.47, "High", 3),
        (3.0, 1.41, "Low", 3),
        (3.3, 0.47, "High", 3),
        (4.0, 1.0, "Medium", 2),
    ]
    assert (concordance.weighted_overall_avg, concordance.weighted_overall_stddev) == (3.5, 0.37)
    assert (concordance.overall_agreement, concordance.average_score_stddev) == ("High", 0.84)
    assert (concordance.krippendorff_alpha, concordance.unanimous) == (-0.27, False)
    assert concordance.disputed == ["Gap Identification"]


@pytest.mark.parametrize(
    ("scores", "figures"),
    [
        ([2, 5], (3.5, 1.5, 3.0, "Low")),
        ([3, 5], (4.0, 1.0, 2.0, "Medium")),
        ([4, 5], (4.5, 0.5, 1.0, "Medium")),
        ([4, 4, 5], (4.3, 0.47, 1.0, "High")),
        ([4], (4.0, None, 0.0, None)),
        ([], (None, None, None, None)),
        ([3, 3.5], (3.3, 0.25, 0.5, "High")),
    ],
)
def test_agreement_on_a_criterion(scores: list[float], figures: tuple[object, ...]) -> None:
    concordance = ConsensusScore.of("Security", [exact(one) for one in scores])
    assert (concordance.average, concordance.stddev, concordance.range, concordance.agreement) == figures


def test_one_overall_score_deviates_from_nothing() -> None:
    concordance = measure_concordance(
        [scored_review(1, 4, 4, 4, 4), scored_review(2, 4, None, None, None)], AUDIT
    )
    assert (concordance.weighted_overall_stddev, concordance.overall_agreement) == (None, None)
    assert concordance.consensus_scores[0].agreement == "High"


def test_the_rubrics_have_the_weights_of_the_sheet() -> None:
    assert {kind: [int(one.weight) for one in rubric.criteria] for kind, rubric in RUBRICS.items()} == {
        "architecture_review": [5, 5, 4, 3, 4, 3],
        "code_review": [5, 4, 5, 3, 4, 4],
        "design_spec_review": [5, 4, 4, 5, 3],
        "compliance_audit": [5, 5, 4, 4],
        "business_plan_review": [4, 5, 4, 4, 3],
    }
    assert [rubric.names for rubric in RUBRICS.values()] == [
        ["Scalability", "Security", "Maintainability", "Cost Efficiency", "Reliability", "Performance"],
        ["Correctness", "Readability", "Security", "Performance", "Test Coverage", "Error Handling"],
        ["Completeness", "Feasibility", "User Impact", "Technical Accuracy", "Risk Assessment"],
        ["Regulatory Coverage", "Gap Identification", "Evidence Quality", "Control Effectiveness"],
        [
            "Market Analysis",
            "Financial Viability",
            "Competitive Advantage",
            "Risk Assessment",
            "Execution Plan",
        ],
    ]


@given(
    st.lists(
        st.lists(st.none() | st.integers(2, 10).map(lambda half: half / 2), min_size=4, max_size=4),
        min_size=1,
        max_size=6,
    )
)
def test_the_figures_are_those_of_numpy(given: list[list[float | None]]) -> None:
    """To the last decimal that is shown, save where rounding may go either way."""
    reviews = [scored_review(seat, *scores) for seat, scores in enumerate(given, 1)]
    concordance = measure_concordance(reviews, AUDIT)
    table = np.array([[np.nan if one is None else one for one in scores] for scores in given])
    weights = np.array(list(AUDIT.weights.values()))
    for column, one in zip(table.T, concordance.consensus_scores, strict=True):
        scores = column[~np.isnan(column)]
        assert one.score_count == len(scores)
        if len(scores):
            assert one.average == pytest.approx(scores.mean(), abs=0.0501)
            assert one.range == scores.max() - scores.min()
        if len(scores) > 1:
            assert one.stddev == pytest.approx(scores.std(), abs=0.00501)
            low = scores.std() > 1.5 or (one.range or 0) >= 3
            assert one.agreement == ("Low" if low else "High" if scores.std() < 0.5 else "Medium")
    for scores, review in zip(table, reviews, strict=True):
        held = ~np.isnan(scores)
        if weights[held].sum() * 2 < weights.sum():
            assert review.overall_score is None
        else:
            overall = np.average(scores[held], weights=weights[held])
            assert review.overall_score == pytest.approx(overall, abs=0.0501)


def test_a_criterion_nobody_scored_has_no_weight() -> None:
    concordance = measure_concordance(
        [scored_review(1, 4, 4, None, None), scored_review(2, 4, 4, None, None)], AUDIT
    )
    assert concordance.weighted_overall_avg == 4.0
    assert concordance.consensus_scores[2].average is None
    assert (concordance.krippendorff_alpha, concordance.unanimous, concordance.average_score_stddev) == (
        None,
        True,
        0.0,
    )


def test_without_any_score_all_figures_are_null() -> None:
    assert measure_concordance([scored_review(1, None, None, None, None)], AUDIT) == Concordance(
        consensus_scores=[ConsensusScore.of(name, []) for name in AUDIT.names],
        weighted_overall_avg=None,
        weighted_overall_stddev=None,
        overall_agreement=None,
        average_score_stddev=None,
        krippendorff_alpha=None,
        unanimous=False,
    )


def test_a_weighted_mean_is_rounded_half_up() -> None:
    rubric = RUBRICS["design_spec_review"]
    concordance = measure_concordance([scored_review(1, 3.25, None, None, None, None, rubric=rubric)], rubric)
    assert concordance.weighted_overall_avg == 3.3


ODD = st.text() | st.lists(
    st.sampled_from(
        [
            "FINDING 1",
            ":",
            "Severity",
            "HIGH",
            "| Security |",
            " 3-4 |",
            "\n",
            "### Scores",
            "Quote",
            "“",
            "NO FINDINGS",
            "- ",
        ]
    )
).map("".join)


@given(ODD)
def test_no_reply_is_too_odd_to_be_read(text: str) -> None:
    review = read(text)
    assert all(one.score is None or 1 <= one.score <= 5 for one in review.scores)
    assert [one.criterion for one in review.scores] == ARCHITECTURE.names
    assert [one.id for one in review.findings] == [f"R1-F{n}" for n in range(1, len(review.findings) + 1)]
    assert len(review.findings) <= 15
    assert all(isinstance(one, ReviewFinding) and one.title for one in review.findings)
    assert {one.category for one in review.findings} <= {*ARCHITECTURE.names, "Other"}
    assert sum(review.finding_counts.values()) == len(review.findings)
    assert all((one.grounded is None) == (one.quote is None) or one.quote for one in review.findings)


@given(st.text(), st.text())
def test_what_is_copied_from_a_work_is_found_in_it(before: str, copied: str) -> None:
    assert Grounds(f"{before} {copied} and more").hold(copied) in (True, None)
