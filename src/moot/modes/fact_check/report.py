"""The report of a fact-check: figures, table and marked text are ours, a model adds the commentary.

# Fact-Check Report
## Content Summary · ## Overall Reliability Score: 66 · ## Evidence Table · ## Detailed Findings
## Annotated Content · ## Methodology
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from moot.deliberation.markdown import blockquote, cell
from moot.deliberation.parsing import NOTHING_SHOWN, Shown, lines
from moot.deliberation.rounding import half_up
from moot.deliberation.second_opinions import SecondOpinion
from moot.deliberation.sections import says_none, sections
from moot.deliberation.statistics import mean
from moot.kernel.values import FailedModel
from moot.modes.fact_check.claims import Claim, annotate
from moot.modes.fact_check.consensus import (
    VERDICTS,
    Consensus,
    Verdict,
    VerdictCount,
    Verification,
    band,
    consensus,
    reliability,
)
from moot.modes.fact_check.events import CheckerReport

LONGEST_SHOWN = 4000
"""So much of the text the reporter sees."""
NO_CLAIMS = "No verifiable claims identified"
_PARTS = ("SUMMARY", "ASSESSMENT", *VERDICTS)
_SCORE = re.compile(r"(?:overall\s+)?(?:reliability\s+)?score\b\W*\d", re.IGNORECASE)
_HEADING = re.compile(r"^\s*#{1,6}\s+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commentary:
    """What the reporter wrote, section by section."""

    summary: str = ""
    assessment: str = ""
    verified: str = ""
    disputed: str = ""
    unverifiable: str = ""
    readable: bool = True

    def on(self, verdict: Verdict) -> str:
        return {"VERIFIED": self.verified, "DISPUTED": self.disputed}.get(verdict, self.unverifiable)


def read_commentary(text: str, shown: Shown = NOTHING_SHOWN) -> Commentary:
    """A reply without any section is one assessment. A score in it is not the model's to give."""
    prepared = [line for line in lines(text) if not _SCORE.match(line.plain)]
    parts = {name: _prose(section.text) for name, section in sections(prepared, _PARTS, shown=shown).items()}
    if not parts:
        return Commentary(assessment=_prose("\n".join(line.raw for line in prepared)), readable=False)
    summary, assessment, verified, disputed, unverifiable = (parts.get(name, "") for name in _PARTS)
    return Commentary(summary, assessment, verified, disputed, unverifiable)


def _prose(text: str) -> str:
    """Without headings of its own, which would look like ours; that there is nothing is said by no text."""
    return "" if says_none(text) else _HEADING.sub("", text).strip()


@dataclass(frozen=True)
class Findings:
    """All that was found out about a text, and the figures that follow from it."""

    content: str
    claims: Sequence[Claim] = ()
    checkers: Sequence[CheckerReport] = ()

    @cached_property
    def ballots(self) -> list[list[Verification]]:
        """What each checker says of each claim, claim by claim."""
        by_checker = [{one.claim_id: one for one in checker.verifications} for checker in self.checkers]
        return [[checker[claim.id] for checker in by_checker] for claim in self.claims]

    @cached_property
    def consensus(self) -> list[Consensus]:
        pairs = zip(self.claims, self.ballots, strict=True)
        return [consensus(claim, verifications) for claim, verifications in pairs]

    @property
    def counts(self) -> VerdictCount:
        verdicts = [one.consensus_verdict for one in self.consensus]
        verified, disputed, unverifiable = (verdicts.count(verdict) for verdict in VERDICTS)
        return VerdictCount(verified=verified, disputed=disputed, unverifiable=unverifiable)

    @property
    def decided(self) -> int:
        return self.counts.verified + self.counts.disputed

    @cached_property
    def score(self) -> int | None:
        return reliability(self.ballots)

    @property
    def band(self) -> str | None:
        return band(self.score)

    @property
    def coverage(self) -> float | None:
        return half_up(Fraction(self.decided, len(self.claims)), 4) if self.claims else None

    @property
    def average_agreement(self) -> float | None:
        rates = [one.agreement_rate for one in self.consensus]
        return half_up(mean(rates), 2) if rates else None

    @cached_property
    def annotated_content(self) -> str:
        verdicts = {one.claim_id: one.consensus_verdict for one in self.consensus}
        return annotate(self.content, self.claims, verdicts)

    def grounds_for(self, place: int) -> list[str]:
        """A claim, its correction and each checker's grounds, one line each."""
        ruling = self.consensus[place]
        correction = [f"Correction: {ruling.correction}"] if ruling.correction else []
        grounds = [
            f"Checker {checker.seat} ({one.verdict}, {one.confidence}): {one.evidence or 'no grounds given'}"
            for checker, one in zip(self.checkers, self.ballots[place], strict=True)
            if not one.missing
        ]
        return [f"Claim: {ruling.claim}", *correction, *grounds]

    @property
    def shown(self) -> Shown:
        """What the reporter is shown."""
        grounds = (line for place in range(len(self.claims)) for line in self.grounds_for(place))
        return Shown([self.content[:LONGEST_SHOWN], *grounds])


@dataclass(frozen=True, slots=True)
class Contributors:
    """Who did what; `generator` is None for a text that was given, `reporter` if nobody commented."""

    generator: str | None
    extractor: str
    checkers: Sequence[str]
    failed: Sequence[FailedModel]
    reporter: str | None
    second_opinion: SecondOpinion | None = None


def compose_report(
    findings: Findings,
    commentary: Commentary,
    contributors: Contributors,
    notes: Sequence[str],
    percent: str = "%",
) -> str:
    """The whole report in Markdown. `percent`: the sign as this run writes it."""
    parts = [
        "# Fact-Check Report",
        "## Content Summary",
        commentary.summary or _about(findings, contributors),
        f"## Overall Reliability Score: {'n/a' if findings.score is None else findings.score}",
        *_assessment(findings, commentary, contributors, notes),
    ]
    if findings.claims:
        parts += ["## Evidence Table", evidence_table(findings.consensus, percent)]
        parts += ["## Detailed Findings", *_findings(findings, commentary)]
    parts += [
        "## Annotated Content",
        blockquote(findings.annotated_content),
        "## Methodology",
        _methodology(contributors),
    ]
    return "\n\n".join(part for part in parts if part)


def _about(findings: Findings, contributors: Contributors) -> str:
    origin = (
        "A text given to be checked"
        if contributors.generator is None
        else f"A text by {contributors.generator}"
    )
    return f"{origin}, {len(findings.content.split())} words."


def _assessment(
    findings: Findings, commentary: Commentary, contributors: Contributors, notes: Sequence[str]
) -> list[str]:
    counts, total = findings.counts, len(findings.claims)
    figures = (
        f"{findings.band or 'no score'} · {counts.verified} verified, {counts.disputed} disputed, "
        f"{counts.unverifiable} unverifiable · {findings.decided} of {total} decided"
        if total
        else f"{NO_CLAIMS}. {contributors.extractor} found nothing to check; that is no verdict on the text."
    )
    return [figures, "\n".join(f"- Note: {note}" for note in notes), commentary.assessment]


def evidence_table(rulings: Sequence[Consensus], percent: str = "%") -> str:
    rows = [
        f"| {number} | {cell(one.claim)} | {one.type} | {one.consensus_verdict} | "
        f"{one.agreement_rate}{percent} | {cell(one.correction or '–')} |"
        for number, one in enumerate(rulings, 1)
    ]
    return "\n".join(
        ["| # | Claim | Type | Verdict | Agreement | Correction |", "|---|---|---|---|---|---|", *rows]
    )


def _findings(findings: Findings, commentary: Commentary) -> list[str]:
    parts = []
    for verdict in VERDICTS:
        places = [at for at, one in enumerate(findings.consensus) if one.consensus_verdict == verdict]
        parts.append(f"### {verdict.capitalize()} Claims ({len(places)})")
        grounds = "\n".join(_grounds(findings, place) for place in places)
        parts.append((commentary.on(verdict) or grounds) if places else "None.")
    return parts


def _grounds(findings: Findings, place: int) -> str:
    """A claim with what was said of it, where no commentary tells."""
    claim, *rest = findings.grounds_for(place)
    id = findings.claims[place].id
    return "\n".join([f"- {id}: {claim.removeprefix('Claim: ')}", *(f"  - {line}" for line in rest)])


def _methodology(contributors: Contributors) -> str:
    origin = (
        "supplied by the user" if contributors.generator is None else f"written by {contributors.generator}"
    )
    failed = ", ".join(f"{one.model} (checker {one.seat})" for one in contributors.failed)
    checkers = ", ".join(contributors.checkers)
    opinion = contributors.second_opinion
    verification = [
        f"Each claim was judged alone, without the text, by {checkers}.",
        "Consensus: majority, ties toward DISPUTED.",
    ]
    steps = [
        f"The text was {origin}.",
        f"Claims were extracted by {contributors.extractor}.",
        *([opinion.sentence] if opinion else []),
        *(verification if contributors.checkers else ["No checker was asked."]),
        *([f"No verdict came from {failed}."] if failed else []),
        "Score, table and marks were computed; no model changed the text.",
        f"Commentary by {contributors.reporter}."
        if contributors.reporter
        else "No model wrote a commentary.",
        "Grounds: model knowledge only, no sources consulted.",
    ]
    return "\n".join(f"- {step}" for step in steps)
