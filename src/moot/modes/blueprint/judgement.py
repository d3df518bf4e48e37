"""What a blueprint leaves out: planned topics that no section came to, and sections nobody wrote."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, every, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.modes.blueprint.events import OutlineComplete, SectionComplete


def judgement(events: Sequence[Event]) -> Judgement:
    outline = last_data(events, OutlineComplete)
    sections = [event.data for event in every(events, SectionComplete)]
    if outline is None:
        return Judgement()
    written = {section.section_number for section in sections}
    missing = [planned.title for planned in outline.sections if planned.number not in written]
    topics = [topic for section in sections for topic in section.key_topics_missing]
    return Judgement(findings=Findings(partial_coverage=tuple(missing), blind_spots=tuple(topics)))
