"""The assembly of a document from its sections and what its editor made of them.

the editor's reply:  edits ─▶ patched      a whole document ─▶ rewritten      neither, or none ─▶ plain
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.deliberation.parsing import Shown, lines, unfenced
from moot.deliberation.text import name_key
from moot.modes.blueprint.document import (
    Composition,
    Linker,
    conflict_points,
    open_section,
    todo,
    todo_points,
)
from moot.modes.blueprint.edits import (
    Conflict,
    Edits,
    carry_out,
    headings_of,
    is_whole_document,
    read_edits,
    with_terms,
)
from moot.modes.blueprint.events import AssemblyMode, OutlineData, WrittenSection


@dataclass(frozen=True)
class Assembly:
    """The document and what was done to make it."""

    document: str
    mode: AssemblyMode
    summary: bool = False
    links: int = 0
    dangling: Sequence[int] = ()
    accepted: int = 0
    refused: int = 0
    conflicts: Sequence[Conflict] = ()


def assembled(
    outline: OutlineData, written: Sequence[WrittenSection], reply: str | None, condensed: bool
) -> Assembly:
    """The editor's reply carried out, or taken as the document if it is one; else the plain sections."""
    bodies = {section.section_number: section.content for section in written}
    titles = outline.titles
    dropped = [todo(f'"{title}" was planned but not written') for title in outline.dropped_sections]
    edits = None
    if reply is not None:
        own = [titles[number] for number in bodies]
        edits = read_edits(reply, own, Shown(bodies.values()))
        if edits is None and is_whole_document(reply, own, sum(one.word_count for one in written)):
            return _rewritten(reply, titles, bodies, dropped)
    return _composed(outline, bodies, edits, dropped, condensed)


def _rewritten(
    reply: str, titles: Mapping[int, str], bodies: Mapping[int, str], dropped: Sequence[str]
) -> Assembly:
    linker = Linker(titles)
    text = linker.linked(unfenced(reply).strip())
    headings = headings_of(lines(reply))
    missing = [
        todo(f'Section {number} "{title}" was not written')
        for number, title in titles.items()
        if number not in bodies and not any(name_key(title) in heading for heading in headings)
    ]
    document = "\n\n".join([text, *open_section([*missing, *dropped])])
    return Assembly(document, "rewritten", True, len(linker.made), linker.dangling)


def _composed(
    outline: OutlineData,
    bodies: Mapping[int, str],
    edits: Edits | None,
    dropped: Sequence[str],
    condensed: bool,
) -> Assembly:
    told = edits or Edits()
    cuts = () if condensed else told.cuts
    shorter = carry_out(cuts, bodies)
    linker = Linker(outline.titles)
    final = {number: linker.linked(with_terms(text, told.terms)) for number, text in shorter.bodies.items()}
    todos = [
        (number, text) for number, text in told.todos if number in bodies or number not in outline.titles
    ]
    document = Composition(
        outline.document_title,
        outline.titles,
        final,
        linker.linked(told.summary) if told.summary else None,
        {at: linker.linked(text) for at, text in told.transitions.items() if at > 1 and at in bodies},
        [*todo_points(todos, outline.titles), *conflict_points(told.conflicts), *dropped],
    ).document()
    return Assembly(
        document,
        "plain" if edits is None else "patched",
        told.summary is not None,
        len(linker.made),
        linker.dangling,
        shorter.accepted,
        shorter.refused,
        told.conflicts,
    )
