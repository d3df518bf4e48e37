"""The ledger of a panel: who backs and who disputes each finding, by recorded reactions.

REACTION S2.3: CHALLENGE - the price is of last year       seat 1  ─▶  S2.3 contested, against: 1
RESCORE Data Protection = 2 - after S2.3
GAP: nobody looked at the backups
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from pydantic import Field

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Line, Shown, as_written, lines, markers
from moot.deliberation.rounding import half_up
from moot.deliberation.scores import rating
from moot.deliberation.sections import with_values
from moot.deliberation.statistics import mean
from moot.deliberation.text import closest
from moot.kernel.values import Answer, Wire
from moot.modes.specialist_panel.reports import SpecialistReport, average, round_average

Word = Literal["SUPPORT", "CHALLENGE", "EXTEND"]
Status = Literal["convergent", "contested", "solo"]
MOST_GAPS = 3
LONGEST_REASON = 2_000

_REACTION = re.compile(
    r"^REACTION\s+[\[(]?(?P<id>S\d{1,3}(?:\.\d{1,3})?)[\])]?\s*[:=–—-]+\s*"
    r"(?P<word>SUPPORT|CHALLENGE|EXTEND)(?:S|D|ED)?\b\s*(?:[:=–—-]+\s*)?",
    re.IGNORECASE,
)
_ALONE = re.compile(r"REACTION\s+[\[(]?S\d{1,3}(?:\.\d{1,3})?[\])]?\s*[:=–—-]?", re.IGNORECASE)
_RESCORE = re.compile(
    r"^RESCORE\s*:?\s+(?P<criterion>[^=]{1,200}?)\s*(?:=|:|->|→|\bto\b)\s*(?=\d)", re.IGNORECASE
)
_REASON = re.compile(r"\s+[-–—]+\s+|\s*[:;,(]\s*")
_OFFER = re.compile(r"(?:or|/|\|)\s*(?:SUPPORT|CHALLENGE|EXTEND)\b", re.IGNORECASE)
_TEMPLATES = {"your evidence", "what is wrong or unproven about it", "it holds, and your field adds this"}


class Reaction(Wire):
    finding_id: str
    reaction: Word
    reason: str


class Rescore(Wire):
    criterion: str
    from_: float | None = Field(alias="from")
    to: float
    reason: str


class CrossReview(Wire):
    """What a specialist said of its colleagues' findings."""

    seat: int
    role_id: str
    role_title: str
    model: str
    review_text: str
    reactions: list[Reaction]
    ignored_reactions: list[Reaction]
    rescores: list[Rescore]
    gaps: list[str]
    revised_average_score: float | None
    response_time_ms: int
    index: int

    @property
    def is_silent(self) -> bool:
        """It says nothing about a colleague's finding."""
        return not (self.reactions or self.rescores or self.gaps)

    @property
    def readable(self) -> bool:
        return not self.is_blank

    @property
    def is_blank(self) -> bool:
        """Nothing in it could be read; to keep silent, a specialist writes the closing line alone."""
        content = self.reactions or self.ignored_reactions or self.rescores or self.gaps
        return not content and not any(
            line.plain.upper().startswith("END OF") for line in lines(self.review_text)
        )


class LedgerEntry(Wire):
    finding_id: str
    status: Status
    supporters: list[int]
    challengers: list[int]


def read_cross_review(
    reply: Answer, own: SpecialistReport, legal: Collection[str], shown: Shown
) -> CrossReview:
    """`legal` are the ids of the colleagues' findings."""
    prepared = with_values(lines(legible(reply)), _ALONE)
    all_reactions = read_reactions(prepared, shown)
    rescores = read_rescores(prepared, own, shown)
    gaps = [gap.raw for gap in markers(prepared, "GAP") if gap.value.casefold() != "what is missing"]
    return CrossReview(
        seat=own.seat,
        role_id=own.role_id,
        role_title=own.role_title,
        model=reply.model,
        review_text=reply.response,
        reactions=[reaction for reaction in all_reactions if reaction.finding_id in legal],
        ignored_reactions=[reaction for reaction in all_reactions if reaction.finding_id not in legal],
        rescores=rescores,
        gaps=gaps[:MOST_GAPS],
        revised_average_score=round_average(revised_average(own, rescores)),
        response_time_ms=reply.response_time_ms,
        index=own.index,
    )


def read_reactions(prepared: Sequence[Line], shown: Shown) -> list[Reaction]:
    """One per finding, the last; a line that stands in a shown text counts only if there is no other."""
    own: dict[str, Reaction] = {}
    quoted: dict[str, Reaction] = {}
    for line in prepared:
        match = _REACTION.match(line.plain)
        reason = as_written(line, match)[0].strip() if match else ""
        if match is None or reason.casefold() in _TEMPLATES or _OFFER.match(reason):
            continue
        word: Word = match["word"].upper()  # type: ignore[assignment]  # the pattern admits these three alone
        reaction = Reaction(finding_id=match["id"].upper(), reaction=word, reason=reason)
        into = quoted if line.plain in shown else own
        into.pop(reaction.finding_id, None)
        into[reaction.finding_id] = reaction
    return [*(one for id, one in quoted.items() if id not in own), *own.values()]


def read_rescores(prepared: Sequence[Line], own: SpecialistReport, shown: Shown) -> list[Rescore]:
    """New ratings of one's own criteria; of several for one the last."""
    before = {score.criterion: score.score for score in own.criteria_scores}
    rescores: dict[str, Rescore] = {}
    for line in prepared:
        match = _RESCORE.match(line.plain)
        if match is None or line.plain in shown:
            continue
        criterion = closest(match["criterion"], before)
        value, *rest = _REASON.split(as_written(line, match)[0][:LONGEST_REASON], maxsplit=1)
        to = rating(value)
        if criterion is not None and to is not None:
            reason = rest[0].strip() if rest else ""
            rescores[criterion] = Rescore(
                criterion=criterion, from_=before[criterion], to=float(to), reason=reason
            )
    return list(rescores.values())


def panel_score(reports: Sequence[SpecialistReport], reviews: Sequence[CrossReview]) -> Fraction | None:
    """The mean of the specialists' averages as revised, unrounded; who gave no rating is left out."""
    rescores_by_seat = {review.seat: review.rescores for review in reviews}
    averages = [revised_average(report, rescores_by_seat.get(report.seat, [])) for report in reports]
    known = [one for one in averages if one is not None]
    return mean(known) if known else None


def revised_average(report: SpecialistReport, rescores: Sequence[Rescore]) -> Fraction | None:
    new: Mapping[str, float] = {rescore.criterion: rescore.to for rescore in rescores}
    return average(new.get(score.criterion, score.score) for score in report.criteria_scores)


def ledger_of(reports: Sequence[SpecialistReport], reviews: Sequence[CrossReview]) -> list[LedgerEntry]:
    return [_entry(id, reviews) for report in reports for id in report.finding_ids]


def _entry(finding_id: str, reviews: Sequence[CrossReview]) -> LedgerEntry:
    words = {
        review.seat: reaction.reaction
        for review in reviews
        for reaction in review.reactions
        if reaction.finding_id == finding_id
    }
    challengers = sorted(seat for seat, word in words.items() if word == "CHALLENGE")
    supporters = sorted(seat for seat, word in words.items() if word != "CHALLENGE")
    status: Status = "contested" if challengers else "convergent" if supporters else "solo"
    return LedgerEntry(finding_id=finding_id, status=status, supporters=supporters, challengers=challengers)


def agreement_rate(reviews: Sequence[CrossReview]) -> float | None:
    """The share of reactions that back a finding, four decimals."""
    words = [reaction.reaction for review in reviews for reaction in review.reactions]
    backing = len(words) - words.count("CHALLENGE")
    return half_up(Fraction(backing, len(words)), 4) if words else None
