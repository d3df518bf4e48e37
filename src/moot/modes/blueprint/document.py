"""A document put together by code, so that no text is lost on the way.

# title ─▶ ## Executive Summary ─▶ ## Table of Contents ─▶ ## Section n: title … ─▶ ## Open Points

`[[S4]]` and "see Section 4" become links; a section that was not written keeps its place as a TODO.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from moot.modes.blueprint.edits import Conflict, outside_code
from moot.modes.blueprint.section import Passage, join_passages, passages

_REFERENCE = re.compile(
    r"\[\[\s*S(?:ection\s+)?(\d{1,4})\s*\]\]|\b(see\s+)Section\s+(\d{1,4})(?![\w.]*\d)", re.IGNORECASE
)
_CODE_OR_LINK = re.compile(r"(`[^`\n]*`|(?<!\[)\[[^\[\]\n]{0,300}\]\([^()\s]{0,500}\))")
_TODO = re.compile(r"\[TODO:\s*([^\[\]]*)\]", re.IGNORECASE)
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
_BRACKETS = str.maketrans("[]", "()")


@dataclass(frozen=True)
class Linker:
    """Turns references to sections into links, and remembers what it met."""

    titles: Mapping[int, str]
    links: list[int] = field(default_factory=list)
    dangling: list[int] = field(default_factory=list)

    def link_references(self, text: str) -> str:
        parts = [
            part if part.kind == "code" else Passage(self._in_prose(part.text), part.kind)
            for part in passages(text)
        ]
        return join_passages(parts)

    def _in_prose(self, text: str) -> str:
        if not _REFERENCE.search(text):
            return text
        # References stand in double brackets, which are otherwise left alone: they are set first.
        pieces = _CODE_OR_LINK.split(text)
        return "".join(
            piece if at % 2 else _REFERENCE.sub(self._link, piece) for at, piece in enumerate(pieces)
        )

    def _link(self, match: re.Match[str]) -> str:
        number = int(match[1] or match[3])
        before = match[2] or ""
        if number not in self.titles:
            if number not in self.dangling:
                self.dangling.append(number)
            return f"{before}Section {number}"
        self.links.append(number)
        return before + link(number, self.titles[number])


def heading(number: int, title: str) -> str:
    return f"Section {number}: {title}"


def anchor(text: str) -> str:
    """As Markdown renderers make them from a heading."""
    return _NOT_IN_ANCHOR.sub("", text.lower()).replace(" ", "-")


def link(number: int, title: str) -> str:
    text = heading(number, title)
    return f"[{text.translate(_BRACKETS)}](#{anchor(text)})"


@dataclass(frozen=True)
class Composition:
    """What a document is made of; `bodies` holds the written sections, `titles` all that were planned."""

    title: str
    titles: Mapping[int, str]
    bodies: Mapping[int, str]
    summary: str | None = None
    transitions: Mapping[int, str] = field(default_factory=dict)
    open_points: Sequence[str] = ()

    def document(self) -> str:
        parts = [f"# {self.title}"]
        if self.summary:
            parts += ["## Executive Summary", self.summary]
        contents = [f"- {link(number, title)}" for number, title in self.titles.items()]
        parts += ["## Table of Contents", "\n".join(contents)]
        for number, title in self.titles.items():
            parts += self._section(number, title)
        document = "\n\n".join([*parts, *open_points_section(self.open_points)])
        assert holds_in_order(document, list(self.bodies.values())), "a section was lost in composition"
        return document

    def _section(self, number: int, title: str) -> list[str]:
        parts = [f"## {heading(number, title)}"]
        if number not in self.bodies:
            return [*parts, todo(f'Section {number} "{title}" was not written')]
        if number in self.transitions:
            parts.append(f"*{self.transitions[number]}*")
        return [*parts, self.bodies[number]]


def holds_in_order(document: str, bodies: Sequence[str]) -> bool:
    at = 0
    for body in bodies:
        start = document.find(body, at)
        if start < 0:
            return False
        at = start + len(body)
    return True


def todo(text: str) -> str:
    return f"[TODO: {text.translate(_BRACKETS)}]"


def todo_points(todos: Sequence[tuple[int, str]], titles: Mapping[int, str]) -> list[str]:
    return [
        todo(f'Section {number} "{titles[number]}": {text}' if number in titles else text)
        for number, text in todos
    ]


def conflict_points(conflicts: Sequence[Conflict]) -> list[str]:
    """Paragraphs are numbered for the editor only: a reader is told their sections."""
    return [
        f"Conflict between Section {one.first.partition('.')[0]} and Section "
        f"{one.second.partition('.')[0]}: {one.text}"
        for one in conflicts
    ]


def open_points_section(points: Sequence[str]) -> list[str]:
    return ["## Open Points", "\n".join(f"- {point}" for point in points)] if points else []


def todo_markers(document: str) -> list[str]:
    """The text of every `[TODO: …]` outside code."""
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.extend(match[1].strip() for match in _TODO.finditer(text))
        return text

    for part in passages(document) if _TODO.search(document) else ():
        if part.kind != "code" and _TODO.search(part.text):
            outside_code(part.text, collect)
    return texts
