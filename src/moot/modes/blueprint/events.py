"""A blueprint's plan and sections as they are told and kept.

>>> DOCUMENT_TYPES["security_assessment"].label
'Security Assessment'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from moot.deliberation.text import word_count
from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Answer, Degraded, Failure, FailureKind, Maybe, Row, Wire
from moot.modes.blueprint.document import todo_markers
from moot.modes.blueprint.edits import Conflict
from moot.modes.blueprint.outline import MOST, Length, Outline, OutlineParse, PlannedSection, Term
from moot.modes.blueprint.section import LengthStatus, cleaned, length_status, topics_covered

if TYPE_CHECKING:
    from moot.modes.blueprint.assembly import Assembly

AssemblyMode = Literal["patched", "rewritten", "plain"]


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


class AssembledDocument(Degraded):
    model: str | None
    document: str
    word_count: int
    has_todo_markers: bool
    todo_markers: list[str]
    assembly_mode: AssemblyMode
    document_title: str
    total_sections: int
    sections_assembled: int
    sections_missing: int
    failed_sections: list[FailedSection]
    cross_references_added: int
    dangling_references: list[int]
    accepted_cuts: int
    refused_cuts: int
    conflicts: list[Conflict]
    condensed: bool
    editor_text: str | None
    response_time_ms: int | None

    @classmethod
    def of(
        cls,
        assembly: Assembly,
        reply: Answer | None,
        outline: OutlineData,
        failed: Sequence[FailedSection],
        condensed: bool,
        state: Mapping[str, Any],
    ) -> AssembledDocument:
        markers = todo_markers(assembly.document)
        return cls(
            model=reply.model if reply and assembly.mode != "plain" else None,
            document=assembly.document,
            word_count=word_count(assembly.document),
            has_todo_markers=bool(markers),
            todo_markers=markers,
            assembly_mode=assembly.mode,
            document_title=outline.document_title,
            total_sections=outline.total_sections,
            sections_assembled=outline.total_sections - len(failed),
            sections_missing=len(failed),
            failed_sections=list(failed),
            cross_references_added=assembly.links,
            dangling_references=list(assembly.dangling),
            accepted_cuts=assembly.accepted,
            refused_cuts=assembly.refused,
            conflicts=list(assembly.conflicts),
            condensed=condensed,
            editor_text=reply.response if reply else None,
            response_time_ms=reply.response_time_ms if reply else None,
            **state,
        )


class AssemblyResult(Wire):
    model: str | None
    document: str
    word_count: int
    has_todo_markers: bool
    todo_markers: list[str]
    assembly_mode: AssemblyMode
    response_time_ms: int | None

    @classmethod
    def of(cls, document: AssembledDocument) -> AssemblyResult:
        return cls(**{name: getattr(document, name) for name in cls.model_fields})


class BlueprintResult(Wire):
    outline: Maybe[OutlineResult]
    sections: list[WrittenSection]
    failed_sections: list[FailedSection]
    assembly: Maybe[AssemblyResult]
    degraded: Maybe[bool]
    warnings: tuple[str, ...]
    title: Maybe[str]


class BlueprintStart(Opening):
    type = "blueprint_start"
    document_type: str


class OutlineStart(Event):
    type = "outline_start"


class OutlineComplete(Event):
    type = "outline_complete"
    data: OutlineData


class ExpansionStart(Event):
    type = "expansion_start"
    data: Expansion


class SectionComplete(Event):
    type = "section_complete"
    data: WrittenSection


class AllSectionsComplete(Event):
    type = "all_sections_complete"
    data: SectionsHeard


class AssemblyStart(Event):
    type = "assembly_start"


class AssemblyComplete(Event):
    type = "assembly_complete"
    data: AssembledDocument


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case OutlineComplete(data=outline):
            yield Row(
                "outline",
                0,
                outline.raw_outline,
                model=outline.architect_model,
                role="architect",
                parsed_data=outline.model_dump(exclude={"architect_model", "raw_outline"}),
                response_time_ms=outline.response_time_ms,
            )
        case SectionComplete(data=section):
            apart = {"seat", "model", "content", "index", "total_sections"}
            yield Row(
                f"section_{section.section_number}",
                section.section_number,
                section.content,
                seat=section.seat,
                model=section.model,
                role="author",
                parsed_data=section.model_dump(exclude=apart),
                response_time_ms=section.response_time_ms,
            )
        case AssemblyComplete(data=final):
            kept = final.model_dump(exclude={"model", "document", "word_count", "total_sections"})
            yield Row(
                "assembly",
                max(13, final.total_sections + 1),
                final.document,
                model=final.model,
                role="assembler",
                parsed_data={**kept, "totalWordCount": final.word_count},
                response_time_ms=final.response_time_ms,
            )


def result(events: Sequence[Event]) -> BlueprintResult:
    planned, heard = last(events, OutlineComplete), last(events, AllSectionsComplete)
    done, title = last(events, AssemblyComplete), last(events, TitleComplete)
    final = done.data if done else None
    return BlueprintResult(
        outline=OutlineResult.of(planned.data) if planned else None,
        sections=sorted((e.data for e in every(events, SectionComplete)), key=lambda one: one.section_number),
        failed_sections=heard.data.failed_sections if heard else [],
        assembly=AssemblyResult.of(final) if final else None,
        degraded=final.degraded if final else None,
        warnings=final.warnings if final else (),
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    done = last(events, AssemblyComplete)
    return done.data.document if done else None
