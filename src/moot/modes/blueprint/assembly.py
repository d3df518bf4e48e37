"""The assembly of a document from its sections and what its editor made of them.

the editor's reply:  edits ─▶ patched      a whole document ─▶ rewritten      neither, or none ─▶ plain
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.deliberation.dressing import undressed
from moot.deliberation.parsing import Shown, lines
from moot.deliberation.text import name_key, word_count
from moot.modes.blueprint.document import (
    Composition,
    Linker,
    conflict_points,
    open_points_section,
    todo,
    todo_points,
)
from moot.modes.blueprint.edits import (
    Conflict,
    Edits,
    apply_cuts,
    headings_of,
    is_whole_document,
    read_edits,
    replace_terms,
)

AssemblyMode = Literal["patched", "rewritten", "plain"]


@dataclass(frozen=True)
class Manuscript:
    """What there is to put together: `titles` of all planned sections, `bodies` of those that were written,
    `dropped` the titles for which the plan had no room. `condensed`: the editor saw but the beginning of
    each section."""

    title: str
    titles: Mapping[int, str]
    bodies: Mapping[int, str]
    dropped: Sequence[str] = ()
    condensed: bool = False

    @property
    def written_titles(self) -> list[str]:
        return [self.titles[number] for number in self.bodies]

    @property
    def words(self) -> int:
        return sum(map(word_count, self.bodies.values()))

    @property
    def dropped_points(self) -> list[str]:
        return [todo(f'"{title}" was planned but not written') for title in self.dropped]


@dataclass(frozen=True)
class Assembly:
    """The document and what was done to make it."""

    document: str
    mode: AssemblyMode
    has_summary: bool = False
    links: int = 0
    dangling: Sequence[int] = ()
    accepted_cuts: int = 0
    refused_cuts: int = 0
    conflicts: Sequence[Conflict] = ()


def assemble(manuscript: Manuscript, reply: str | None) -> Assembly:
    """The editor's edits carried out, or its reply taken as the document if it is one; else the plain
    sections."""
    if reply is None:
        return _compose(manuscript, None)
    edits = read_edits(reply, manuscript.written_titles, Shown(manuscript.bodies.values()))
    if edits is None and is_whole_document(reply, manuscript.written_titles, manuscript.words):
        return _rewrite(manuscript, reply)
    return _compose(manuscript, edits)


def _rewrite(manuscript: Manuscript, reply: str) -> Assembly:
    linker = Linker(manuscript.titles)
    text = linker.link_references(undressed(reply).strip())
    headings = headings_of(lines(reply))
    missing = [
        todo(f'Section {number} "{title}" was not written')
        for number, title in manuscript.titles.items()
        if number not in manuscript.bodies and not any(name_key(title) in heading for heading in headings)
    ]
    open_points = open_points_section([*missing, *manuscript.dropped_points])
    return Assembly(
        document="\n\n".join([text, *open_points]),
        mode="rewritten",
        has_summary=True,
        links=len(linker.links),
        dangling=linker.dangling,
    )


def _compose(manuscript: Manuscript, readable: Edits | None) -> Assembly:
    edits = readable or Edits()
    titles, written = manuscript.titles, manuscript.bodies
    # Paragraph numbers that an editor gives without having seen the paragraphs mean nothing.
    cut = apply_cuts(() if manuscript.condensed else edits.cuts, written)
    linker = Linker(titles)
    bodies = {
        number: linker.link_references(replace_terms(body, edits.terms))
        for number, body in cut.bodies.items()
    }
    todos = [(number, text) for number, text in edits.todos if number in written or number not in titles]
    composition = Composition(
        title=manuscript.title,
        titles=titles,
        bodies=bodies,
        summary=linker.link_references(edits.summary) if edits.summary else None,
        transitions={
            number: linker.link_references(text)
            for number, text in edits.transitions.items()
            if number > 1 and number in written
        },
        open_points=[
            *todo_points(todos, titles),
            *conflict_points(edits.conflicts),
            *manuscript.dropped_points,
        ],
    )
    return Assembly(
        document=composition.document(),
        mode="plain" if readable is None else "patched",
        has_summary=edits.summary is not None,
        links=len(linker.links),
        dangling=linker.dangling,
        accepted_cuts=cut.accepted,
        refused_cuts=cut.refused,
        conflicts=edits.conflicts,
    )
