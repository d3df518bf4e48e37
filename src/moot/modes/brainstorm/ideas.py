"""Ideas: read from each model's reply, and those that several had made one.

IDEA 1: Solar bins                 Idea(id="model_0_idea_1", title="Solar bins", …, source_label="Model A")
They press the waste themselves …

Ids come from the place in the list of models and the order in the reply: a model's own numbers repeat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, is_template, line_text, lines
from moot.deliberation.sections import Block, blocks, items, sections
from moot.deliberation.similarity import Vector, connected_groups, content_words, cosine, vectors
from moot.deliberation.text import likeness, name_key
from moot.kernel.values import Answer, Maybe, Wire
from moot.modes.brainstorm.layouts import IDEA_SAMPLES

MOST_IDEAS = 10
ALIKE = 0.85
ALIKE_BY_TITLE = 0.60
_TITLE_FIELD = re.compile(r"title\s*[:=]", re.IGNORECASE)
SAME_TITLE = 0.90
_SPLIT = re.compile(r"\s*(?:\*\*|__)(.{1,200}?)(?:\*\*|__)\s*[:–—-]?\s*|\s*(.{1,100}?)(?::\s+|\s+[–—-]\s+)")


class Idea(Wire):
    id: str
    title: str
    description: str
    source_label: str

    @property
    def line(self) -> str:
        """Title and description on one line."""
        return f"{self.title}: {' '.join(self.description.split())}" if self.description else self.title


class Ideation(Wire):
    """What one model contributed; one that failed has no ideas. `lens` is the angle it was given."""

    index: int
    seat: int
    model: str
    ideas: list[Idea]
    idea_count: int
    failed: bool
    lens: str
    truncated_ideas: Maybe[int] = None
    raw_text: str | None
    response_time_ms: int

    @classmethod
    def of(cls, seat: int, lens: str, reply: Answer, entries: Sequence[IdeaEntry]) -> Ideation:
        ideas = number_ideas(entries, seat - 1)
        return cls(
            index=seat - 1,
            seat=seat,
            model=reply.model,
            ideas=ideas,
            idea_count=len(ideas),
            failed=not ideas,
            lens=lens,
            truncated_ideas=len(entries) - len(ideas) or None,
            raw_text=reply.response,
            response_time_ms=reply.response_time_ms,
        )

    @classmethod
    def empty(cls, seat: int, model: str, lens: str, response_time_ms: int) -> Ideation:
        """Of a model that did not answer."""
        return cls(
            index=seat - 1,
            seat=seat,
            model=model,
            ideas=[],
            idea_count=0,
            failed=True,
            lens=lens,
            raw_text=None,
            response_time_ms=response_time_ms,
        )


class MergedIdea(Wire):
    """An idea that several had, or one had twice: `merged_ids` are all of them, its own among them."""

    id: str
    merged_ids: list[str]
    source_models: list[str]
    source_seats: list[int]


class IdeaEntry(NamedTuple):
    """An idea as the reply has it."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class UniqueIdea:
    """An idea for all who had it, by the one that told most of it. `vector` is what it is about."""

    idea: Idea
    merged_ids: tuple[str, ...]
    models: tuple[str, ...]
    seats: tuple[int, ...]
    vector: Vector

    @property
    def merged_idea(self) -> MergedIdea:
        return MergedIdea(
            id=self.idea.id,
            merged_ids=list(self.merged_ids),
            source_models=list(self.models),
            source_seats=list(self.seats),
        )


def read_ideas(text: str, shown: Shown = NOTHING_SHOWN) -> list[IdeaEntry]:
    """The ideas under their headers; without any, the items of a numbered list."""
    prepared = lines(text)
    headed = own_blocks(prepared, "IDEA", shown)
    entries = [_entry(block) for block in headed] if headed else _list_entries(prepared)
    return [entry for entry in entries if entry.title]


def own_blocks(prepared: Sequence[Line], word: str, shown: Shown) -> list[Block]:
    """Blocks whose header does not stand in a shown text; those that do, if there are no others."""
    candidates = blocks(prepared, word)
    return [block for block in candidates if not shown.has_line(prepared[block.index].plain)] or candidates


def _entry(block: Block) -> IdeaEntry:
    body = [line for line in block.lines if not IDEA_SAMPLES.is_sample(line.plain)]
    fields = sections(body, ("Title", "Description"))
    named = _title(fields["Title"].lines[0].raw) if "Title" in fields else ""
    title = _title(IDEA_SAMPLES.filled(block.header) or "") or named
    if "Description" in fields:
        return IdeaEntry(title or _title(fields["Description"].joined), fields["Description"].text)
    if named:
        body = [line for line in body if line.plain and not _TITLE_FIELD.match(line.plain)]
    while body and not title:
        title = _title(body.pop(0).raw)
    return IdeaEntry(title, "\n".join(line.raw for line in body).strip())


def _list_entries(prepared: Sequence[Line]) -> list[IdeaEntry]:
    first = next((at for at, line in enumerate(prepared) if line.numbered and not line.fenced), None)
    return [] if first is None else [_split_item(item) for item in items(prepared[first:])]


def _split_item(item: str) -> IdeaEntry:
    """`Title: text`, `**Title** – text`, or a title alone."""
    match = _SPLIT.match(item)
    if match is None:
        return IdeaEntry(_title(item), "")
    return IdeaEntry(_title(match[1] or match[2]), item[match.end() :].strip())


def _title(raw: str) -> str:
    title = line_text(raw.rstrip().rstrip(":")).rstrip(": ")
    return "" if is_template(title) else title


def number_ideas(entries: Sequence[IdeaEntry], index: int) -> list[Idea]:
    """The ideas of the model at this place of the list, as far as the limit goes."""
    return [
        Idea(
            id=f"model_{index}_idea_{number}",
            title=entry.title,
            description=entry.description,
            source_label=f"Model {chr(65 + index)}",
        )
        for number, entry in enumerate(entries[:MOST_IDEAS], 1)
    ]


def unique_ideas(ideations: Sequence[Ideation]) -> list[UniqueIdea]:
    """Every idea once, the models' ideas taken in turn, so that neighbours have different authors."""
    entries = [(source, idea) for source in ideations for idea in source.ideas]
    ideas = [idea for _, idea in entries]
    about = vectors([content_words(f"{idea.title}. {idea.description}") for idea in ideas])
    pairs = (
        (entry, other)
        for entry, other in combinations(range(len(ideas)), 2)
        if same_idea(ideas[entry].title, ideas[other].title, cosine(about[entry], about[other]))
    )
    unique_by_turn = []
    for group in connected_groups(len(ideas), pairs):
        fullest = max(group, key=lambda at: (len(ideas[at].description), -at))
        sources = {entries[at][0].seat: entries[at][0].model for at in group}
        unique = UniqueIdea(
            ideas[fullest],
            tuple(ideas[at].id for at in group),
            tuple(sources.values()),
            tuple(sources),
            about[fullest],
        )
        unique_by_turn.append((_turn(ideas[fullest]), unique))
    return [unique for _, unique in sorted(unique_by_turn, key=lambda entry: entry[0])]


def same_idea(title: str, other: str, alike: float) -> bool:
    """Whether two ideas are one, by their titles and how alike their texts are."""
    if alike >= ALIKE:
        return True
    return alike >= ALIKE_BY_TITLE and likeness(name_key(title)[:200], name_key(other)[:200]) >= SAME_TITLE


def _turn(idea: Idea) -> tuple[int, int]:
    _, index, _, ordinal = idea.id.split("_")
    return int(ordinal), int(index)


def merged_ideas(ideas: Sequence[UniqueIdea]) -> list[MergedIdea]:
    return [idea.merged_idea for idea in ideas if len(idea.merged_ids) > 1]
