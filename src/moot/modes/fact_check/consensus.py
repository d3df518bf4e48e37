"""Verdicts on claims: read from each checker's reply, counted, weighed into one score. All exact, all ours.

VERIFICATION claim_3: DISPUTED          VERIFIED HIGH · DISPUTED HIGH · DISPUTED MEDIUM
Evidence: …                             → DISPUTED, agreement 67, MEDIUM
Correction: It opened in 1889.
Confidence: HIGH

A verdict that a checker left out is shown as missing and casts no vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, lines
from moot.deliberation.rounding import half_up
from moot.deliberation.sections import Block, blocks, says_none, sections
from moot.deliberation.statistics import mean
from moot.kernel.values import Wire
from moot.modes.fact_check.claims import Claim, ClaimType, word_likeness

Verdict = Literal["VERIFIED", "DISPUTED", "UNVERIFIABLE"]
Level = Literal["HIGH", "MEDIUM", "LOW"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LEVELS: tuple[Level, ...] = get_args(Level)
FACTORS = {"HIGH": Fraction(1), "MEDIUM": Fraction(7, 10), "LOW": Fraction(4, 10)}
BANDS = (
    (90, "highly reliable"),
    (70, "mostly reliable"),
    (50, "mixed"),
    (30, "significant inaccuracies"),
    (0, "unreliable"),
)
_SPELLINGS: dict[Verdict, str] = {
    "VERIFIED": "VERIFIED, TRUE, ACCURATE, CORRECT, SUPPORTED, CONFIRMED",
    "DISPUTED": "DISPUTED, FALSE, INACCURATE, INCORRECT, MISLEADING, REFUTED, PARTLY TRUE, MOSTLY TRUE, "
    "PARTIALLY TRUE, HALF TRUE, MOSTLY FALSE, PARTLY FALSE, NOT TRUE, NOT CORRECT, NOT ACCURATE",
    "UNVERIFIABLE": "UNVERIFIABLE, UNVERIFIED, NOT VERIFIED, NOT VERIFIABLE, UNKNOWN, UNCERTAIN, "
    "CANNOT VERIFY, CANNOT BE VERIFIED",
}
_MEANING = {word: verdict for verdict, words in _SPELLINGS.items() for word in words.split(", ")}
_FIELDS = ("Verdict", "Evidence", "Correction", "Confidence")
_ID = r"(?:claim[\s_#-]*)?\d+"


class Verification(Wire):
    """What one checker says of one claim. `confidence_inferred`: it stated none that could be read."""

    claim_id: str
    verdict: Verdict
    confidence: Level
    confidence_inferred: bool = False
    evidence: str | None
    correction: str | None
    missing: bool = False

    @classmethod
    def absent(cls, claim_id: str) -> Verification:
        return cls(
            claim_id=claim_id,
            verdict="UNVERIFIABLE",
            confidence="LOW",
            evidence=None,
            correction=None,
            missing=True,
        )


class VerdictCount(Wire):
    verified: int
    disputed: int
    unverifiable: int


class CheckerCount(VerdictCount):
    missing: int

    @classmethod
    def of(cls, verifications: Sequence[Verification]) -> CheckerCount:
        votes = Counter(one.verdict for one in verifications if not one.missing)
        return cls(
            verified=votes["VERIFIED"],
            disputed=votes["DISPUTED"],
            unverifiable=votes["UNVERIFIABLE"],
            missing=len(verifications) - votes.total(),
        )


class Consensus(Wire):
    """What the checkers together say of a claim. `correction` is the best of `corrections`."""

    claim_id: str
    claim: str
    type: ClaimType
    consensus_verdict: Verdict
    consensus_confidence: Level
    agreement_rate: int
    votes_cast: int
    tie_broken: bool
    correction: str | None
    corrections: list[str]


class Ruling(NamedTuple):
    verdict: Verdict
    tie_broken: bool


def read_verifications(
    text: str, ids: Sequence[str], shown: Shown = NOTHING_SHOWN
) -> dict[str, Verification]:
    """What a reply says of these claims, by id; the last readable block of each counts.

    A header that stands in a shown text is a quotation and no header, if the claim has another.
    """
    known = {int(id.rpartition("_")[2]): id for id in ids}
    prepared = lines(text)
    candidates = blocks(prepared, "VERIFICATION", ident=_ID) or _by_claim(prepared, shown)
    quoted = {block.index for block in candidates if shown.has_line(prepared[block.index].plain)}
    own = {block.number for block in candidates if block.index not in quoted}
    skipped = {
        block.index + at
        for block in candidates
        if block.index in quoted and block.number in own
        for at in range(1 + _quoted_fields(block.lines, shown))
    }
    if skipped:
        rest = [line for index, line in enumerate(prepared) if index not in skipped]
        candidates = blocks(rest, "VERIFICATION", ident=_ID)
    read = (_verification(block, known[block.number]) for block in candidates if block.number in known)
    return {one.claim_id: one for one in read if one}


def _by_claim(prepared: Sequence[Line], shown: Shown) -> list[Block]:
    """Blocks below the claims as they were shown, each with a verdict line of the checker's own."""
    return [
        replace(block, title="", lines=tuple(line for line in block.lines if not shown.has_line(line.plain)))
        for block in blocks(prepared, "CLAIM", ident=_ID)
    ]


def _quoted_fields(under: Sequence[Line], shown: Shown) -> int:
    """How many lines under a quoted header are quoted with it."""
    return next((at for at, line in enumerate(under) if not shown.has_line(line.plain)), len(under))


def _verification(block: Block, claim_id: str) -> Verification | None:
    fields = {name: section.joined for name, section in sections(block.lines, _FIELDS).items()}
    word = closed_word(block.title, _MEANING) or closed_word(fields.get("Verdict", ""), _MEANING)
    verdict = next((one for one in VERDICTS if one == word), None)
    if verdict is None:
        return None
    level = closed_word(fields.get("Confidence", ""), LEVELS)
    correction = fields.get("Correction", "")
    return Verification(
        claim_id=claim_id,
        verdict=verdict,
        confidence=next((one for one in LEVELS if one == level), "MEDIUM"),
        confidence_inferred=level is None,
        evidence=fields.get("Evidence") or None,
        correction=correction if verdict == "DISPUTED" and not says_none(correction) else None,
    )


def consensus(claim: Claim, verifications: Sequence[Verification]) -> Consensus:
    """Over what the checkers say of this claim, in their order."""
    votes = [one for one in verifications if not one.missing]
    ruling = rule([one.verdict for one in votes])
    holders = [one for one in votes if one.verdict == ruling.verdict]
    corrections = [one for one in holders if one.correction]
    return Consensus(
        claim_id=claim.id,
        claim=claim.claim,
        type=claim.type,
        consensus_verdict=ruling.verdict,
        consensus_confidence="LOW" if ruling.tie_broken else commonest([one.confidence for one in holders]),
        agreement_rate=int(half_up(Fraction(100 * len(holders), len(votes)), 0)) if votes else 0,
        votes_cast=len(votes),
        tie_broken=ruling.tie_broken,
        correction=best_correction(corrections),
        corrections=[one.correction for one in corrections if one.correction],
    )


def rule(votes: Sequence[Verdict]) -> Ruling:
    """The most frequent; a tie goes to DISPUTED if that is in it, else to VERIFIED."""
    count = Counter(votes)
    most = max(count.values(), default=0)
    leaders = [verdict for verdict in VERDICTS if most and count[verdict] == most]
    if not leaders:
        return Ruling("UNVERIFIABLE", tie_broken=False)
    return Ruling("DISPUTED" if "DISPUTED" in leaders else leaders[0], tie_broken=len(leaders) > 1)


def commonest(levels: Sequence[Level]) -> Level:
    """Of equally common ones the lower; LOW if there are none."""
    count = Counter(levels)
    return max(reversed(LEVELS), key=lambda level: count[level])


def best_correction(verifications: Sequence[Verification]) -> str | None:
    """Of the surest checkers' corrections the one that is most like all the others, then the first."""
    if not verifications:
        return None
    texts = [one.correction or "" for one in verifications]
    surest = min(LEVELS.index(one.confidence) for one in verifications)
    candidates = [at for at, one in enumerate(verifications) if LEVELS.index(one.confidence) == surest]
    likeness = {at: sum(word_likeness(texts[at], other) for other in texts) for at in candidates}
    return texts[max(candidates, key=lambda at: (half_up(likeness[at], 6), -at))]


def reliability(ballots: Sequence[Sequence[Verification]]) -> int | None:
    """From 0 to 100 over what was said of each claim; None if nothing was decided.

    A claim counts by its verdict, how many hold it and how sure they are: verified from 0.9 up to 1,
    disputed from 0.2 down to 0; an undecided one counts half, at half weight.
    """
    points = weights = Fraction(0)
    for verifications in ballots:
        votes = [one for one in verifications if not one.missing]
        verdict = rule([one.verdict for one in votes]).verdict
        holders = [FACTORS[one.confidence] for one in votes if one.verdict == verdict]
        confidence = Fraction(len(holders), len(votes)) * mean(holders) if holders else Fraction(0)
        worth = {"VERIFIED": Fraction(9, 10) + confidence / 10, "DISPUTED": (1 - confidence) / 5}.get(verdict)
        weight = Fraction(1, 2) if worth is None else Fraction(1)
        points += weight * (Fraction(1, 2) if worth is None else worth)
        weights += weight
    undecided = Fraction(len(ballots), 2)
    return None if weights == undecided else int(half_up(100 * points / weights, 0))


def band(score: int | None) -> str | None:
    return None if score is None else next(name for least, name in BANDS if score >= least)
