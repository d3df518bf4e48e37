"""A blueprint's plan and sections as they are told and kept.

>>> DOCUMENT_TYPES["security_assessment"].label
'Security Assessment'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.deliberation.text import word_count
from moot.kernel.values import Answer, Failure, FailureKind, Maybe, Wire
from moot.modes.blueprint.outline import MOST, Length, Outline, OutlineParse, PlannedSection, Term
from moot.modes.blueprint.section import LengthStatus, cleaned, length_status, topics_covered


class DocumentType(NamedTuple):
    label: str
    must_cover: str


DOCUMENT_TYPES = {
    "architecture_blueprint": DocumentType(
        "Architecture Blueprint",
        "context and limits; parts and their duties; data and its paths; interfaces; operation; failure; "
        "security; open decisions",
    ),
    "technical_design_document": DocumentType(
        "Technical Design Document",
        "problem; options weighed; chosen design; data and interfaces; migration; tests; risks",
    ),
    "implementation_roadmap": DocumentType(
        "Implementation Roadmap",
        "goal and measures; phases with exit tests; dependencies; people; risks; first 30 days",
    ),
    "cost_analysis_report": DocumentType(
        "Cost Analysis Report",
        "scope; one-off and running cost; drivers; scenarios; sensitivity; advice",
    ),
    "security_assessment": DocumentType(
        "Security Assessment",
        "assets; threats; controls present; gaps with severity; remedies in order; residual risk",
    ),
    "custom": DocumentType("Custom Document", "nothing is prescribed"),
}


class OutlineData(Wire):
    document_title: str
    document_type: str
    sections: list[PlannedSection]
    total_sections: int
    estimated_length: str
    key_themes: list[str]
    terms: list[Term]
    architect_model: str
    raw_outline: str
    outline_parse: OutlineParse
    repaired: bool
    dropped_sections: list[str]
    warnings: tuple[str, ...]
    response_time_ms: int

    @classmethod
    def of(
        cls,
        outline: Outline,
        reply: Answer,
        document_type: str,
        authors: Sequence[str],
        repaired: bool,
        warnings: tuple[str, ...],
    ) -> OutlineData:
        """The sections are dealt to the authors in turn."""
        sections = [
            section.model_copy(update={"assigned_model": authors[at % len(authors)]})
            for at, section in enumerate(outline.sections[:MOST])
        ]
        return cls(
            document_title=outline.title,
            document_type=document_type,
            sections=sections,
            total_sections=len(sections),
            estimated_length=outline.estimated_length,
            key_themes=outline.key_themes,
            terms=outline.terms,
            architect_model=reply.model,
            raw_outline=reply.response,
            outline_parse=outline.parse,
            repaired=repaired,
            dropped_sections=[section.title for section in outline.sections[MOST:]],
            warnings=warnings,
            response_time_ms=reply.response_time_ms,
        )

    @property
    def titles(self) -> dict[int, str]:
        return {section.number: section.title for section in self.sections}


class OutlineResult(Wire):
    model: str
    document_title: str
    document_type: str
    raw_outline: str
    parsed_sections: list[PlannedSection]
    total_sections: int
    estimated_length: str
    key_themes: list[str]
    terms: list[Term]
    response_time_ms: int

    @classmethod
    def of(cls, outline: OutlineData) -> OutlineResult:
        shared = cls.model_fields.keys() & OutlineData.model_fields.keys()
        return cls(
            model=outline.architect_model,
            parsed_sections=outline.sections,
            **{name: getattr(outline, name) for name in shared},
        )


class Expansion(Wire):
    total_sections: int


class SectionLine(Wire):
    seat: int
    section_number: int
    section_title: str
    model: str
    word_count: int
    response_time_ms: int


class WrittenSection(SectionLine):
    """`content` is the cleaned text without its heading; `raw_content` the reply, if it was trimmed."""

    content: str
    target_length: Length
    length_status: LengthStatus
    key_topics_covered: list[str]
    key_topics_missing: list[str]
    reassigned: bool
    trimmed_words: int
    raw_content: Maybe[str]
    index: int
    total_sections: int


def read_section(
    reply: Answer, planned: PlannedSection, seat: int, total: int, reassigned: bool
) -> WrittenSection:
    clean = cleaned(reply.response, planned.number, planned.title)
    covered = topics_covered(planned.key_topics, clean.body)
    words = word_count(clean.body)
    return WrittenSection(
        seat=seat,
        section_number=planned.number,
        section_title=planned.title,
        model=reply.model,
        content=clean.body,
        word_count=words,
        target_length=planned.length,
        length_status=length_status(words, planned.length),
        key_topics_covered=covered,
        key_topics_missing=[topic for topic in planned.key_topics if topic not in covered],
        reassigned=reassigned,
        trimmed_words=clean.trimmed_words,
        raw_content=reply.response if clean.trimmed_words else None,
        response_time_ms=reply.response_time_ms,
        index=planned.number - 1,
        total_sections=total,
    )


class FailedSection(Wire):
    """`seat` and `model` are the last author who was asked."""

    section_number: int
    section_title: str
    seat: int | None
    model: str | None
    kind: FailureKind
    reason: str


def failed_sections(
    planned: Sequence[PlannedSection], outcomes: Sequence[WrittenSection | Failure]
) -> list[FailedSection]:
    return [
        FailedSection(
            section_number=section.number,
            section_title=section.title,
            seat=outcome.seat,
            model=outcome.model,
            kind=outcome.kind,
            reason=outcome.reason,
        )
        for section, outcome in zip(planned, outcomes, strict=True)
        if isinstance(outcome, Failure)
    ]


class SectionsHeard(Wire):
    sections: list[SectionLine]
    failed_sections: list[FailedSection]
    total_succeeded: int
    total_failed: int

    @classmethod
    def of(cls, written: Sequence[WrittenSection], failed: Sequence[FailedSection]) -> SectionsHeard:
        shared = set(SectionLine.model_fields)
        return cls(
            sections=[SectionLine(**one.model_dump(by_alias=False, include=shared)) for one in written],
            failed_sections=list(failed),
            total_succeeded=len(written),
            total_failed=len(failed),
        )
