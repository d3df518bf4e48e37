"""A specialist's report: findings, a rating from 1 to 5 per criterion, recommendations.

### Key Findings
1. Tokens never expire (part 3): a stolen one works for ever.        S2.1
### Risk Assessment
| Data Protection | 2 | backups in the clear |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown, lines
from moot.deliberation.rounding import half_up
from moot.deliberation.scores import Rating, own_ratings
from moot.deliberation.sections import items, says_none, sections
from moot.deliberation.statistics import mean
from moot.kernel.values import Answer, Wire
from moot.modes.specialist_panel.roles import Role

PARTS = ("Key Findings", "Risk Assessment", "Top 3 Recommendations", "Detailed Analysis")
MOST_FINDINGS = 8
MOST_RECOMMENDATIONS = 3


class CriterionRating(Wire):
    criterion: str
    score: float | None
    notes: str


class SpecialistReport(Wire):
    seat: int
    role_id: str
    role_title: str
    model: str
    report: str
    criteria_scores: list[CriterionRating]
    top_recommendations: list[str]
    key_findings: list[str]
    average_score: float | None
    parse_success: bool
    parse_notes: list[str]
    response_time_ms: int
    index: int
    total_specialists: int

    @property
    def findings(self) -> dict[str, str]:
        return {f"S{self.seat}.{place}": finding for place, finding in enumerate(self.key_findings, 1)}

    @property
    def missing(self) -> list[str]:
        """The parts that were asked for and could not be read; `n/a` is a rating too."""
        rated = any(one.score is not None or one.notes for one in self.criteria_scores)
        rated = rated or any("no basis" in note for note in self.parse_notes)
        findings = [] if self.key_findings else ["no key finding"]
        return findings if rated else [*findings, "no rating"]

    def completed_by(self, other: SpecialistReport) -> SpecialistReport:
        """With what is missing here and can be read there; what could be read here stands."""
        rated = self if "no rating" not in self.missing else other
        findings = self.key_findings or other.key_findings
        return self.model_copy(
            update={
                "report": f"{self.report}\n\n---\n\n{other.report}",
                "key_findings": findings,
                "criteria_scores": rated.criteria_scores,
                "average_score": rated.average_score,
                "top_recommendations": self.top_recommendations or other.top_recommendations,
                "parse_success": bool(findings) and rated.average_score is not None,
                "parse_notes": [note for note in rated.parse_notes if findings or "finding" in note],
                "response_time_ms": other.response_time_ms,
            }
        )

    @property
    def finding_ids(self) -> list[str]:
        """What colleagues may react to: each finding, or the report as a whole if none could be read."""
        return list(self.findings) or [f"S{self.seat}"]


def read_report(reply: Answer, role: Role, seat: int, total: int, submission: str) -> SpecialistReport:
    shown = Shown([submission])
    prepared = lines(legible(reply))
    parts = sections(prepared, PARTS, other_headings_end=True, headings_only=True, shown=shown)
    lists = {name: items(part.lines) for name, part in parts.items()}
    table = parts["Risk Assessment"].lines if "Risk Assessment" in parts else ()
    ratings = own_ratings(table, role.criteria, shown) or own_ratings(prepared, role.criteria, shown)
    scores = [_score(criterion, ratings.get(criterion)) for criterion in role.criteria]
    findings = lists.get("Key Findings", [])[:MOST_FINDINGS]
    mean_score = average(score.score for score in scores)
    return SpecialistReport(
        seat=seat,
        role_id=role.id,
        role_title=role.title,
        model=reply.model,
        report=reply.response,
        criteria_scores=scores,
        top_recommendations=lists.get("Top 3 Recommendations", [])[:MOST_RECOMMENDATIONS],
        key_findings=findings,
        average_score=round_average(mean_score),
        parse_success=bool(findings) and mean_score is not None,
        parse_notes=_notes(role.criteria, ratings, bool(findings)),
        response_time_ms=reply.response_time_ms,
        index=seat - 1,
        total_specialists=total,
    )


def _score(criterion: str, rating: Rating | None) -> CriterionRating:
    if rating is None:
        return CriterionRating(criterion=criterion, score=None, notes="")
    score = None if rating.score is None else float(rating.score)
    return CriterionRating(criterion=criterion, score=score, notes=rating.note)


def _notes(criteria: Sequence[str], ratings: dict[str, Rating], has_findings: bool) -> list[str]:
    """Why a rating is null, criterion by criterion."""
    notes = [] if has_findings else ["No finding could be read."]
    for criterion in criteria:
        rating = ratings.get(criterion)
        if rating is None:
            notes.append(f"{criterion}: not rated.")
        elif rating.score is None and says_none(rating.cell):
            notes.append(f"{criterion}: the submission gives no basis.")
        elif rating.score is None:
            notes.append(f"{criterion}: {rating.cell[:60]!r} is no rating from 1 to 5.")
    return notes


def average(scores: Iterable[float | None]) -> Fraction | None:
    """The mean of the scores that were given, exact."""
    known_scores = [score for score in scores if score is not None]
    return mean(known_scores) if known_scores else None


def round_average(value: Fraction | None) -> float | None:
    return None if value is None else half_up(value, 1)
