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
from moot.deliberation.sections import Block, blocks, items
from moot.deliberation.similarity import Vector, content_words, cosine, joined, vectors
from moot.deliberation.text import likeness, name_key
from moot.kernel.values import Maybe, Wire

MOST_IDEAS = 10
ALIKE = 0.85
ALIKE_BY_TITLE = 0.60
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
    def merged(self) -> MergedIdea:
        return MergedIdea(
            id=self.idea.id,
            merged_ids=list(self.merged_ids),
            source_models=list(self.models),
            source_seats=list(self.seats),
        )


def read_ideas(text: str, shown: Shown = NOTHING_SHOWN) -> list[IdeaEntry]:
    """The ideas under their headers; without any, the items of a numbered list."""
    prepared = lines(text)
    found = own_blocks(prepared, "IDEA", shown)
    told = [_entry(block) for block in found] if found else _listed(prepared)
    return [one for one in told if one.title]


def own_blocks(prepared: Sequence[Line], word: str, shown: Shown) -> list[Block]:
    """Blocks whose header does not stand in a shown text; those that do, if there are no others."""
    found = blocks(prepared, word)
    return [block for block in found if not shown.has_line(prepared[block.index].plain)] or found


def _entry(block: Block) -> IdeaEntry:
    body = [line for line in block.lines if not is_template(line.plain)]
    title = _title(block.title)
    while body and not title:
        title = _title(body.pop(0).raw)
    return IdeaEntry(title, "\n".join(line.raw for line in body).strip())


def _listed(prepared: Sequence[Line]) -> list[IdeaEntry]:
    first = next((at for at, line in enumerate(prepared) if line.numbered and not line.fenced), None)
    return [] if first is None else [_cut(item) for item in items(prepared[first:])]


def _cut(item: str) -> IdeaEntry:
    """`Title: text`, `**Title** – text`, or a title alone."""
    found = _SPLIT.match(item)
    if found is None:
        return IdeaEntry(_title(item), "")
    return IdeaEntry(_title(found[1] or found[2]), item[found.end() :].strip())


def _title(raw: str) -> str:
    title = line_text(raw.rstrip().rstrip(":")).rstrip(": ")
    return "" if is_template(title) else title


def named(told: Sequence[IdeaEntry], index: int) -> list[Idea]:
    """The ideas of the model at this place of the list, as far as the limit goes."""
    return [
        Idea(
            id=f"model_{index}_idea_{number}",
            title=one.title,
            description=one.description,
            source_label=f"Model {chr(65 + index)}",
        )
        for number, one in enumerate(told[:MOST_IDEAS], 1)
    ]


def unique_ideas(ideations: Sequence[Ideation]) -> list[UniqueIdea]:
    """Every idea once, the models' ideas taken in turn, so that neighbours have different authors."""
    entries = [(source, idea) for source in ideations for idea in source.ideas]
    ideas = [idea for _, idea in entries]
    about = vectors([content_words(f"{idea.title}. {idea.description}") for idea in ideas])
    pairs = (
        (one, other)
        for one, other in combinations(range(len(ideas)), 2)
        if same_idea(ideas[one].title, ideas[other].title, cosine(about[one], about[other]))
    )
    found = []
    for group in joined(len(ideas), pairs):
        chosen = max(group, key=lambda at: (len(ideas[at].description), -at))
        sources = {entries[at][0].seat: entries[at][0].model for at in group}
        unique = UniqueIdea(
            ideas[chosen],
            tuple(ideas[at].id for at in group),
            tuple(sources.values()),
            tuple(sources),
            about[chosen],
        )
        found.append((_turn(ideas[chosen]), unique))
    return [unique for _, unique in sorted(found, key=lambda one: one[0])]


def same_idea(title: str, other: str, alike: float) -> bool:
    """Whether two ideas are one, by their titles and how alike their texts are."""
    if alike >= ALIKE:
        return True
    return alike >= ALIKE_BY_TITLE and likeness(name_key(title)[:200], name_key(other)[:200]) >= SAME_TITLE


def _turn(idea: Idea) -> tuple[int, int]:
    _, index, _, ordinal = idea.id.split("_")
    return int(ordinal), int(index)


def merged(ideas: Sequence[UniqueIdea]) -> list[MergedIdea]:
    return [idea.merged for idea in ideas if len(idea.merged_ids) > 1]
