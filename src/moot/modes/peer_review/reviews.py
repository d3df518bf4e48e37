"""One reviewer's reply: scores by criterion, findings with severity, strengths.

    | Security | 2 | Tokens lie in local storage. |
    FINDING 1: Tokens can be read by scripts
    Severity: CRITICAL
    Quote: refresh token is stored in local storage

A quote that is not in the work exposes an invented finding: `grounded` says whether it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, get_args

from moot.deliberation.choices import closed_word
from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import QUOTATION_MARKS, Line, Shown, lines, without_brackets
from moot.deliberation.rounding import half_up
from moot.deliberation.scores import Rating, own_ratings
from moot.deliberation.sections import Block, Section, blocks, items, says_none, sections
from moot.deliberation.statistics import total, weighted_mean
from moot.deliberation.text import closest
from moot.kernel.values import Answer, Maybe, Wire
from moot.modes.peer_review.layouts import FINDING_SAMPLES
from moot.modes.peer_review.rubrics import OTHER, Rubric

Severity = Literal["CRITICAL", "MAJOR", "MINOR", "SUGGESTION"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
MOST_FINDINGS = 15
LONGEST_TITLE = 80
EXCELLENT = 5
"""A mark that a critical finding contradicts."""

_OTHER_SEVERITIES = {
    "BLOCKER": "CRITICAL",
    "SEVERE": "CRITICAL",
    "HIGH": "MAJOR",
    "IMPORTANT": "MAJOR",
    "MEDIUM": "MINOR",
    "MODERATE": "MINOR",
    "LOW": "MINOR",
    "NIT": "SUGGESTION",
    "INFO": "SUGGESTION",
    "OPTIONAL": "SUGGESTION",
}
_HEADINGS = ("Scores", "Findings", "Strengths", "Summary")
_FIELDS = ("Category", "Severity", "Location", "Quote", "Description", "Impact", "Recommendation")
_NO_FINDINGS = re.compile(r"no findings\b", re.IGNORECASE)
_NOTHING_WRONG = re.compile(
    r"\W*(?:no|not an?|without)\s+(?:real\s+)?(?:finding|issue|problem|defect|fault|concern|severity)s?\W*$"
    r"|\W*not applicable\W*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_FEWEST_WORDS_FOR_LIKENESS = 6
_LIKE = Fraction(6, 10)


class ReviewScore(Wire):
    criterion: str
    score: float | None
    weight: float
    justification: str | None


class ReviewFinding(Wire):
    """`id` is `R<seat>-F<number>`; `grounded` is null without a quote."""

    id: str
    number: int
    title: str
    category: str
    severity: Severity
    severity_inferred: bool
    location: str | None
    quote: str | None
    grounded: bool | None
    description: str | None
    impact: str | None
    recommendation: str | None

    @property
    def seat(self) -> int:
        return int(self.id[1:].partition("-")[0])


class Review(Wire):
    """`nothing_found`: it says that there is no finding, in words or by blocks that say so."""

    seat: int
    reviewer_index: int
    model: str
    review_text: str
    scores: list[ReviewScore]
    overall_score: float | None
    finding_counts: dict[Severity, int]
    findings: list[ReviewFinding]
    strengths: list[str]
    nothing_found: Maybe[bool] = None
    parse_success: bool
    response_time_ms: int
    total_reviewers: int

    @property
    def missing(self) -> list[str]:
        """The parts that were asked for and could not be read."""
        has_scores = any(one.score is not None or one.justification for one in self.scores)
        scores = [] if has_scores else ["no score"]
        findings = self.findings or self.nothing_found
        return scores if findings else [*scores, "no finding, and not the words NO FINDINGS"]

    @property
    def readable(self) -> bool:
        return not self.missing

    def completed_by(self, other: Review) -> Review:
        """With what is missing here and can be read there; what could be read here stands."""
        scores = self if self.overall_score is not None else other
        findings = self if self.findings or self.nothing_found else other
        return self.model_copy(
            update={
                "review_text": f"{self.review_text}\n\n---\n\n{other.review_text}",
                "scores": scores.scores,
                "overall_score": scores.overall_score,
                "finding_counts": findings.finding_counts,
                "findings": findings.findings,
                "nothing_found": findings.nothing_found,
                "strengths": self.strengths or other.strengths,
                "parse_success": self.parse_success or other.parse_success,
                "response_time_ms": other.response_time_ms,
            }
        )


class Grounds:
    """The words of a work, in which quotes are looked up; what a reply repeats of it is a quotation."""

    def __init__(self, work: str) -> None:
        self.shown = Shown([work])
        words = _words(work)
        self._text = f" {' '.join(words)} "
        self._triples = set(_triples(words))

    def hold(self, quote: str) -> bool | None:
        """Whether the quote stands in the work word for word or, if it is long enough, nearly so."""
        words = _words(quote)
        if not words:
            return None
        if f" {' '.join(words)} " in self._text:
            return True
        if len(words) < _FEWEST_WORDS_FOR_LIKENESS:
            return False
        triples = _triples(words)
        return Fraction(sum(triple in self._triples for triple in triples), len(triples)) >= _LIKE


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _triples(words: Sequence[str]) -> list[tuple[str, str, str]]:
    return list(zip(words, words[1:], words[2:], strict=False))


def read_review(reply: Answer, rubric: Rubric, grounds: Grounds, reviewers: int) -> Review:
    prepared = lines(legible(reply))
    parts = sections(prepared, _HEADINGS)
    scores = read_scores(prepared, parts.get("Scores"), rubric, grounds.shown)
    headers = blocks(prepared, "FINDING", headings_end=True, fields=_FIELDS, shown=grounds.shown)
    findings = read_findings(prepared, reply.seat or 0, rubric, grounds, cut=reply.breaks_off)[:MOST_FINDINGS]
    nothing_found = not findings and (
        any(_NO_FINDINGS.match(line.plain) for line in prepared) or any(map(_says_nothing_wrong, headers))
    )
    overall = overall_score(scores)
    return Review(
        seat=reply.seat or 0,
        reviewer_index=(reply.seat or 1) - 1,
        model=reply.model,
        review_text=reply.response,
        scores=scores,
        overall_score=None if overall is None else half_up(overall, 1),
        finding_counts={
            severity: sum(finding.severity == severity for finding in findings) for severity in SEVERITIES
        },
        findings=findings,
        strengths=items(parts["Strengths"].lines) if "Strengths" in parts else [],
        nothing_found=nothing_found or None,
        parse_success=bool(findings) or nothing_found or any(one.score is not None for one in scores),
        response_time_ms=reply.response_time_ms,
        total_reviewers=reviewers,
    )


def read_scores(
    prepared: Sequence[Line], part: Section | None, rubric: Rubric, shown: Shown
) -> list[ReviewScore]:
    """Each criterion in the rubric's order; the weight is the rubric's, whatever a reviewer wrote."""
    ratings = own_ratings(part.lines, rubric.names, shown) if part else {}
    ratings = ratings or own_ratings(prepared, rubric.names, shown)
    return [_score(ratings.get(name), name, weight) for name, weight in rubric.weights.items()]


def _score(rating: Rating | None, criterion: str, weight: float) -> ReviewScore:
    score = rating.score if rating else None
    return ReviewScore(
        criterion=criterion,
        score=None if score is None else float(score),
        weight=weight,
        justification=(rating.note if rating else None) or None,
    )


def overall_score(scores: Sequence[ReviewScore]) -> Fraction | None:
    """The weighted mean, unrounded; None where less than half of the rubric's weight was scored."""
    pairs = [(one.score, one.weight) for one in scores if one.score is not None]
    weight, whole = total(weight for _, weight in pairs), total(one.weight for one in scores)
    return weighted_mean(pairs) if pairs and 2 * weight >= whole else None


def read_findings(
    prepared: Sequence[Line], seat: int, rubric: Rubric, grounds: Grounds, *, cut: bool = False
) -> list[ReviewFinding]:
    """All findings, numbered anew; a block that says nothing, or that nothing is wrong, is none. `cut`: the
    reply was cut off; if that was before the last block's severity, it is none yet."""
    findings: list[ReviewFinding] = []
    found = blocks(prepared, "FINDING", headings_end=True, fields=_FIELDS, shown=grounds.shown)
    if cut and found and _is_unfinished(found[-1], prepared):
        found = found[:-1]
    for block in found:
        if not _says_nothing_wrong(block):
            finding = _finding(block, f"R{seat}-F", len(findings) + 1, rubric, grounds)
            if finding.title:
                findings.append(finding)
    return findings


def _is_unfinished(block: Block, prepared: Sequence[Line]) -> bool:
    """Whether nothing follows a block, which has not come to its severity."""
    end = block.index + 1 + len(block.lines)
    follows = any(line.plain for line in prepared[end:])
    return not follows and "Severity" not in sections(block.lines, _FIELDS, samples=FINDING_SAMPLES)


def _says_nothing_wrong(block: Block) -> bool:
    """Whether a block fills the layout with that there is nothing: by its severity, or by its title where the
    severity is none of the words."""
    severity = sections(block.lines, _FIELDS, samples=FINDING_SAMPLES).get("Severity")
    word = severity.joined if severity else ""
    if closed_word(word, (*SEVERITIES, *_OTHER_SEVERITIES)):
        return False
    return _denies(word) or _denies(block.title) or _NO_FINDINGS.match(block.title) is not None


def _denies(value: str) -> bool:
    return bool(value) and (says_none(value) or _NOTHING_WRONG.match(value) is not None)


def finding_count(text: str, rubric: Rubric, grounds: Grounds) -> int:
    """How many findings a reply lists, also those beyond what is kept."""
    return len(read_findings(lines(text), 0, rubric, grounds))


def _finding(block: Block, prefix: str, number: int, rubric: Rubric, grounds: Grounds) -> ReviewFinding:
    # Headings are fields too: a value ends there, whether or not they are written as headings.
    fields = sections(block.lines, (*_FIELDS, *_HEADINGS), samples=FINDING_SAMPLES)
    values = {name: _value(fields.get(name)) for name in _FIELDS}
    severity, severity_inferred = read_severity(values["Severity"] or "")
    quote = (values["Quote"] or "").strip(f"{QUOTATION_MARKS} ") or None
    return ReviewFinding(
        id=f"{prefix}{number}",
        number=number,
        title=_title(block, values),
        category=closest(values["Category"] or "", rubric.names) or OTHER,
        severity=severity,
        severity_inferred=severity_inferred,
        location=values["Location"],
        quote=quote,
        grounded=grounds.hold(quote) if quote else None,
        description=values["Description"],
        impact=values["Impact"],
        recommendation=values["Recommendation"],
    )


def _title(block: Block, values: Mapping[str, str | None]) -> str:
    """What the header says; where that is the layout's sample or nothing, what the rest of the block says."""
    title = (FINDING_SAMPLES.filled(block.header) or "").strip()
    others = (values[name] for name in ("Description", "Impact", "Recommendation"))
    told = next((value for value in others if value), "")[:LONGEST_TITLE]
    named = values["Severity"] and (values["Category"] or values["Quote"])
    unnamed = f"Unnamed ({values['Category'] or OTHER})" if named else ""
    return (told or unnamed) if says_none(title) else title


def _value(field: Section | None) -> str | None:
    return without_brackets(field.joined) if field and not says_none(field.joined) else None


def read_severity(value: str) -> tuple[Severity, bool]:
    """The severity, and whether it had to be inferred: from a word of another scale, or from nothing."""
    word = closed_word(value, SEVERITIES)
    severity = word or closed_word(value, _OTHER_SEVERITIES)
    return next((one for one in SEVERITIES if one == severity), "MINOR"), word is None


def contradictions(review: Review) -> list[str]:
    """Where a reviewer finds what it must not go ahead with in what it gives the best marks for."""
    marks = {one.criterion: one.score for one in review.scores}
    return [
        f"gives {finding.category} {marks[finding.category]:g} of 5 and calls {finding.id} there CRITICAL"
        for finding in review.findings
        if finding.severity == "CRITICAL" and (marks.get(finding.category) or 0) >= EXCELLENT
    ]


def all_findings(reviews: Sequence[Review]) -> list[ReviewFinding]:
    return [finding for review in reviews for finding in review.findings]
