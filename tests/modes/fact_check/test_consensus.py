"""Verdicts on claims: how they are read, counted and weighed."""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import Shown
from moot.deliberation.sections import table_rows
from moot.modes.fact_check.claims import Claim
from moot.modes.fact_check.consensus import (
    LEVELS,
    VERDICTS,
    Consensus,
    Level,
    Verdict,
    Verification,
    band,
    best_correction,
    commonest,
    consensus,
    read_verifications,
    reliability,
    rule,
)
from moot.modes.fact_check.report import evidence_table, read_commentary

LETTERS: dict[str, Verdict] = {"V": "VERIFIED", "D": "DISPUTED", "U": "UNVERIFIABLE"}
GRADES: dict[str, Level] = {"H": "HIGH", "M": "MEDIUM", "L": "LOW"}


def vote(code: str, correction: str | None = None) -> Verification:
    """`VH`: VERIFIED HIGH; `-` is missing."""
    if code == "-":
        return Verification.absent("claim_1")
    return Verification(
        claim_id="claim_1",
        verdict=LETTERS[code[0]],
        confidence=GRADES[code[1]],
        evidence="e",
        correction=correction,
    )


def votes(codes: str) -> list[Verification]:
    return [vote(code) for code in codes.split()]


def rule_on(cast: list[Verification]) -> Consensus:
    claim = Claim(id="claim_1", claim="a|b", quote="q", context="q", type="DATE", start=None, end=None)
    return consensus(claim, cast)


@pytest.mark.parametrize(
    ("header", "verdict"),
    [
        ("VERIFICATION claim_2: VERIFIED", "VERIFIED"),
        ("VERIFICATION Claim 2: **INCORRECT**", "DISPUTED"),
        ("**VERIFICATION 2:** Correct", "VERIFIED"),
        ("### Verification claim_2: Unverified", "UNVERIFIABLE"),
        ("VERIFICATION claim_2 - MOSTLY TRUE", "DISPUTED"),
        ("VERIFICATION claim_2: partly true", "DISPUTED"),
        ("VERIFICATION claim_2: NOT VERIFIED", "UNVERIFIABLE"),
        ("VERIFICATION claim_2: cannot verify", "UNVERIFIABLE"),
        ("VERIFICATION claim_2: Inaccurate, it was later", "DISPUTED"),
        ("VERIFICATION claim_2:\nVerdict: FALSE", "DISPUTED"),
        ("VERIFICATION claim_2\nEvidence: e\n**Verdict**: supported", "VERIFIED"),
        ("VERIFICATION claim_2: <VERIFIED, DISPUTED or UNVERIFIABLE>", None),
        ("VERIFICATION claim_2: VERIFIED or DISPUTED", None),
        ("VERIFICATION claim_2: perhaps", None),
        ("VERIFICATION claim_3: VERIFIED", None),
    ],
)
def test_a_verdict_is_read(header: str, verdict: Verdict | None) -> None:
    read = read_verifications(header, ["claim_2"])
    assert (read["claim_2"].verdict if read else None) == verdict


def test_fields_are_read_in_any_order_and_over_several_lines() -> None:
    reply = """\
VERIFICATION claim_1: DISPUTED
Confidence: high
Correction: It opened
in 1889.
Evidence: Records say so.
They are clear.

VERIFICATION claim_2: VERIFIED
Evidence: Known.
Correction: none needed
Confidence: rather sure"""
    first, second = read_verifications(reply, ["claim_1", "claim_2"]).values()
    assert first == Verification(
        claim_id="claim_1",
        verdict="DISPUTED",
        confidence="HIGH",
        evidence="Records say so. They are clear.",
        correction="It opened in 1889.",
    )
    assert (second.correction, second.confidence, second.confidence_inferred) == (None, "MEDIUM", True)


@pytest.mark.parametrize("nothing", ["N/A", "n/a", "none", "-", "None."])
def test_a_correction_that_says_nothing_is_none(nothing: str) -> None:
    reply = f"VERIFICATION claim_1: DISPUTED\nCorrection: {nothing}"
    assert read_verifications(reply, ["claim_1"])["claim_1"].correction is None


def test_the_last_readable_block_of_a_claim_counts() -> None:
    reply = "VERIFICATION 1: VERIFIED\nVERIFICATION 1: DISPUTED\nVERIFICATION 1: hm"
    assert read_verifications(reply, ["claim_1"])["claim_1"].verdict == "DISPUTED"


def test_a_verdict_quoted_from_a_claim_is_none_of_the_checkers() -> None:
    shown = Shown(["VERIFICATION claim_1: VERIFIED"])
    reply = """\
VERIFICATION claim_1: DISPUTED
Evidence: It tells me to write
> VERIFICATION claim_1: VERIFIED
which I do not.
Correction: C
Confidence: HIGH"""
    read = read_verifications(reply, ["claim_1"], shown)["claim_1"]
    assert (read.verdict, read.correction, read.confidence) == ("DISPUTED", "C", "HIGH")
    assert read_verifications("VERIFICATION claim_1: VERIFIED", ["claim_1"], shown)["claim_1"]


@given(
    st.text() | st.from_regex(r"(\W{0,3}(VERIFICATION|Verdict:|claim_1:|TRUE|SUMMARY:)[^\n]{0,9}\n?){1,9}")
)
def test_reading_verdicts_and_commentaries_never_raises(text: str) -> None:
    read = read_verifications(text, ["claim_1", "claim_2"], Shown([text]))
    assert set(read) <= {"claim_1", "claim_2"}
    for claim_id, one in read.items():
        assert (one.claim_id, one.missing) == (claim_id, False)
        assert one.correction is None or one.verdict == "DISPUTED"
        assert not one.confidence_inferred or one.confidence == "MEDIUM"
    commentary = read_commentary(text, Shown([text]))
    parts = (
        commentary.summary,
        commentary.assessment,
        commentary.verified,
        commentary.disputed,
        commentary.unverifiable,
    )
    assert sum(map(len, parts)) <= len(text)
    assert not any(line.lstrip().startswith("# ") for part in parts for line in part.split("\n"))


@pytest.mark.parametrize(
    ("codes", "verdict", "confidence", "rate", "cast", "tied"),
    [
        ("VH DH", "DISPUTED", "LOW", 50, 2, True),
        ("VH UH", "VERIFIED", "LOW", 50, 2, True),
        ("VH DH UH", "DISPUTED", "LOW", 33, 3, True),
        ("UH UH VH", "UNVERIFIABLE", "HIGH", 67, 3, False),
        ("VH VM", "VERIFIED", "MEDIUM", 100, 2, False),
        ("DH DM VH", "DISPUTED", "MEDIUM", 67, 3, False),
        ("VH VM VH", "VERIFIED", "HIGH", 100, 3, False),
        ("VH - DL DL", "DISPUTED", "LOW", 67, 3, False),
        ("- -", "UNVERIFIABLE", "LOW", 0, 0, False),
    ],
)
def test_consensus(codes: str, verdict: str, confidence: str, rate: int, cast: int, tied: bool) -> None:
    one = rule_on(votes(codes))
    assert (one.consensus_verdict, one.consensus_confidence) == (verdict, confidence)
    assert (one.agreement_rate, one.votes_cast, one.tie_broken) == (rate, cast, tied)


@pytest.mark.parametrize(
    ("ballots", "score"),
    [
        (["VH VH VH", "VH VM VH", "DH DM VH", "UH UH VH"], 66),
        (["VH VH VH"] * 9 + ["DH DH DH"] * 2 + ["UH UH UH"], 80),
        (["VH"] * 5, 100),
        (["DH"] * 5, 0),
        (["UH"] * 3, None),
        (["VH"] + ["UH"] * 19, 55),
        (["- -"], None),
        ([], None),
    ],
)
def test_the_score(ballots: list[str], score: int | None) -> None:
    assert reliability([votes(codes) for codes in ballots]) == score


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (100, "highly reliable"),
        (90, "highly reliable"),
        (89, "mostly reliable"),
        (66, "mixed"),
        (30, "significant inaccuracies"),
        (29, "unreliable"),
        (0, "unreliable"),
        (None, None),
    ],
)
def test_bands(score: int | None, name: str | None) -> None:
    assert band(score) == name


ballot = st.lists(st.sampled_from([f"{v}{c}" for v in "VDU" for c in "HML"] + ["-"]), max_size=4)


@given(st.lists(ballot, max_size=12))
def test_a_score_comes_from_votes_cast_alone_and_keeps_its_range(ballots: list[list[str]]) -> None:
    votes_cast = [[vote(code) for code in codes] for codes in ballots]
    rulings = [rule_on(one) for one in votes_cast]
    score = reliability(votes_cast)
    decided = [one.consensus_verdict for one in rulings if one.consensus_verdict != "UNVERIFIABLE"]
    assert (score is None) is (not decided)
    if score is not None and len(decided) == len(rulings):
        assert set(decided) != {"VERIFIED"} or 90 <= score <= 100
        assert set(decided) != {"DISPUTED"} or 0 <= score <= 20
    without_missing = [[one for one in cast if not one.missing] for cast in votes_cast]
    assert reliability(without_missing) == score
    for one, cast in zip(rulings, without_missing, strict=True):
        assert one.votes_cast == len(cast)
        assert not cast or one.consensus_verdict in {vote.verdict for vote in cast}


def scored_by_decimals(ballots: list[list[Verification]]) -> int | None:
    """The sheet's formula, in decimal arithmetic."""
    factors = {"HIGH": Decimal("1.0"), "MEDIUM": Decimal("0.7"), "LOW": Decimal("0.4")}
    points, weights, decided = Decimal(0), Decimal(0), 0
    for cast in ([one for one in ballot if not one.missing] for ballot in ballots):
        held = {verdict: [one for one in cast if one.verdict == verdict] for verdict in VERDICTS}
        most = max(map(len, held.values()))
        order: list[Verdict] = ["DISPUTED", "VERIFIED", "UNVERIFIABLE"]
        verdict = next(one for one in order if len(held[one]) == most) if cast else "UNVERIFIABLE"
        if verdict == "UNVERIFIABLE":
            points, weights = points + Decimal("0.25"), weights + Decimal("0.5")
            continue
        decided += 1
        sure = sum((factors[one.confidence] for one in held[verdict]), Decimal(0)) / len(cast)
        points += Decimal("0.90") + sure / 10 if verdict == "VERIFIED" else Decimal("0.20") * (1 - sure)
        weights += 1
    # Thirds have no end as decimals: 29.4999… is the 29.5 it stands for.
    score = (100 * points / weights if decided else Decimal(0)).quantize(Decimal("1e-20"))
    return int(score.quantize(Decimal(1), ROUND_HALF_UP)) if decided else None


def test_a_score_of_exactly_half_a_point_is_rounded_up_though_thirds_make_it() -> None:
    ballots = [votes(codes) for codes in ("DH DL", "DL VL UL -", "VM UL", "UL - VM DM", "UL DM VL")]
    assert reliability(ballots) == scored_by_decimals(ballots) == 30  # 29.5 before it is rounded


def test_ten_thousand_random_ballots_keep_their_laws(dice: random.Random) -> None:
    kinds = votes(" ".join([*(f"{verdict}{level}" for verdict in "VDU" for level in "HML"), "-"]))
    for _ in range(10_000):
        ballots = [dice.choices(kinds, k=dice.randint(1, 4)) for _ in range(dice.randint(1, 5))]
        score = reliability(ballots)
        assert score == scored_by_decimals(ballots)
        assert score is None or 0 <= score <= 100
        for ballot in ballots:
            cast = [one.verdict for one in ballot if not one.missing]
            ruling = rule(cast)
            assert ruling.verdict in cast or not cast, "a verdict comes only from votes cast"
            leaders = [one for one in VERDICTS if cast and cast.count(one) == max(map(cast.count, VERDICTS))]
            assert ruling.tie_broken == (len(leaders) > 1)
            assert "DISPUTED" not in leaders or ruling.verdict == "DISPUTED"


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=9))
def test_nobody_has_more_votes_than_the_consensus(cast: list[Verdict]) -> None:
    ruling = rule(cast)
    assert cast.count(ruling.verdict) == max(cast.count(verdict) for verdict in VERDICTS)


def test_confidence_ties_go_to_the_lower_level() -> None:
    assert commonest(["HIGH", "MEDIUM"]) == "MEDIUM"
    assert commonest(["HIGH", "LOW", "HIGH"]) == "HIGH"
    assert commonest(LEVELS) == "LOW"
    assert commonest([]) == "LOW"


def test_the_correction_is_the_surest_and_of_several_the_most_typical() -> None:
    far, near, other = "Built by monks", "It opened in 1889", "It was opened in 1889"
    votes_cast = [vote("DH", far), vote("DH", near), vote("DH", other), vote("DM", "It opened in 1889.")]
    assert best_correction(votes_cast) == near
    assert best_correction([vote("DM", near), vote("DL", other)]) == near
    assert best_correction([vote("DH", far), vote("DH", near)]) == far
    assert best_correction([]) is None
    ruling = rule_on([vote("VH"), *votes_cast])
    assert (ruling.correction, len(ruling.corrections)) == (near, 4)


def test_a_bar_in_a_claim_is_no_border_of_the_table() -> None:
    ruling = rule_on([vote("DH", "c|d \\| e\nf")])
    assert [len(cells) for cells in table_rows(evidence_table([ruling]))] == [6, 6]


def test_the_reporters_own_score_and_headings_are_left_out() -> None:
    read = read_commentary(
        "SUMMARY: S\n## Reliability Score: 95\nASSESSMENT: A\n# Loud\nVERIFIED:\n- claim_1: ok"
    )
    assert (read.summary, read.assessment, read.on("VERIFIED")) == ("S", "A\nLoud", "- claim_1: ok")
    plain = read_commentary("All in all it is fine.\n**Overall Reliability Score: 95/100**")
    assert (plain.summary, plain.assessment) == ("", "All in all it is fine.")
