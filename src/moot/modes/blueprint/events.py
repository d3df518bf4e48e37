"""What a blueprint tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.deliberation.cut_replies import legible
from moot.deliberation.text import word_count
from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.values import Answer, Degraded, Failure, FailureKind, Maybe, Row, Wire
from moot.modes.blueprint.assembly import Assembly, AssemblyMode
from moot.modes.blueprint.document import todo_markers
from moot.modes.blueprint.edits import Conflict
from moot.modes.blueprint.outline import (
    MOST_SECTIONS,
    Length,
    Outline,
    OutlineParse,
    PlannedSection,
    Term,
)
from moot.modes.blueprint.section import LengthStatus, clean_section, covered_topics, length_status


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
            for at, section in enumerate(outline.sections[:MOST_SECTIONS])
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
            dropped_sections=[section.title for section in outline.sections[MOST_SECTIONS:]],
            warnings=warnings,
            response_time_ms=reply.response_time_ms,
        )

    @property
    def titles(self) -> dict[int, str]:
        return {section.number: section.title for section in self.sections}


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

    @classmethod
    def of(
        cls, reply: Answer, planned: PlannedSection, seat: int, total_sections: int, reassigned: bool
    ) -> WrittenSection:
        section = clean_section(legible(reply), planned.number, planned.title)
        covered = covered_topics(planned.key_topics, section.body)
        words = word_count(section.body)
        return cls(
            seat=seat,
            section_number=planned.number,
            section_title=planned.title,
            model=reply.model,
            content=section.body,
            word_count=words,
            target_length=planned.length,
            length_status=length_status(words, planned.length),
            key_topics_covered=covered,
            key_topics_missing=[topic for topic in planned.key_topics if topic not in covered],
            reassigned=reassigned,
            trimmed_words=section.trimmed_words,
            raw_content=reply.response if section.trimmed_words else None,
            response_time_ms=reply.response_time_ms,
            index=planned.number - 1,
            total_sections=total_sections,
        )


class FailedSection(Wire):
    """`seat` and `model` are the last author who was asked."""

    section_number: int
    section_title: str
    seat: int | None
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, planned: PlannedSection, failure: Failure) -> FailedSection:
        return cls(
            section_number=planned.number,
            section_title=planned.title,
            seat=failure.seat,
            model=failure.model,
            kind=failure.kind,
            reason=failure.reason,
        )


class SectionsSummary(Wire):
    sections: list[SectionLine]
    failed_sections: list[FailedSection]
    total_succeeded: int
    total_failed: int

    @classmethod
    def of(cls, sections: Sequence[WrittenSection], failed: Sequence[FailedSection]) -> SectionsSummary:
        shared = set(SectionLine.model_fields)
        return cls(
            sections=[
                SectionLine(**section.model_dump(by_alias=False, include=shared)) for section in sections
            ],
            failed_sections=list(failed),
            total_succeeded=len(sections),
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
            accepted_cuts=assembly.accepted_cuts,
            refused_cuts=assembly.refused_cuts,
            conflicts=list(assembly.conflicts),
            condensed=condensed,
            editor_text=reply.response if reply else None,
            response_time_ms=reply.response_time_ms if reply else None,
            **state,
        )


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
    data: SectionsSummary


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
            details = final.model_dump(exclude={"model", "document", "word_count", "total_sections"})
            yield Row(
                "assembly",
                max(13, final.total_sections + 1),
                final.document,
                model=final.model,
                role="assembler",
                parsed_data={**details, "totalWordCount": final.word_count},
                response_time_ms=final.response_time_ms,
            )


def result(events: Sequence[Event]) -> BlueprintResult:
    outline, sections = last_data(events, OutlineComplete), last_data(events, AllSectionsComplete)
    document = last_data(events, AssemblyComplete)
    written = [event.data for event in every(events, SectionComplete)]
    return BlueprintResult(
        outline=OutlineResult.of(outline) if outline else None,
        sections=sorted(written, key=lambda section: section.section_number),
        failed_sections=sections.failed_sections if sections else [],
        assembly=AssemblyResult.of(document) if document else None,
        degraded=document.degraded if document else None,
        warnings=document.warnings if document else (),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    document = last_data(events, AssemblyComplete)
    return document.document if document else None
