"""A blueprint told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, quote, seat_name
from moot.modes.blueprint.events import (
    AllSectionsComplete,
    AssembledDocument,
    AssemblyComplete,
    OutlineComplete,
    OutlineData,
    SectionComplete,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case OutlineComplete(data=outline):
            return _outline(outline)
        case SectionComplete(data=section):
            writer = seat_name(section.seat, section.model)
            title = f"{section.section_number}. {quote(section.section_title)}"
            return Passage("Sections", (f"{title}: {count(section.word_count, 'word')} by {writer}.",))
        case AllSectionsComplete(data=sections):
            lost = sections.failed_sections
            missing = tuple(f"Section {one.section_number} is missing: {one.reason}" for one in lost)
            return Passage("Sections", missing) if missing else None
        case AssemblyComplete(data=document):
            return _document(document)
    return None


def _outline(outline: OutlineData) -> Passage:
    return Passage(
        "Outline",
        (
            f"{outline.architect_model} planned “{quote(outline.document_title)}”, "
            f"{count(outline.total_sections, 'section')}:",
            *(f"{section.number}. {quote(section.title)}" for section in outline.sections),
        ),
    )


def _document(document: AssembledDocument) -> Passage:
    sentences = [f"{count(document.word_count, 'word')} in {count(document.sections_assembled, 'section')}."]
    if document.accepted_cuts:
        sentences.append(f"{count(document.accepted_cuts, 'repetition')} cut.")
    sentences += [f"Contradiction: {quote(conflict.text)}" for conflict in document.conflicts]
    if document.todo_markers:
        sentences.append(f"{count(len(document.todo_markers), 'open point')} marked in the text.")
    return Passage("Assembly", tuple(sentences))


NARRATION = Narration({"outline": "Outline", "expansion": "Sections", "assembly": "Assembly"}, tell)
