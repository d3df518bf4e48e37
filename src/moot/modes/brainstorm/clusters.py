"""Clusters: ideas sorted into themes, by a curator's reply or, where none can be had, by how alike they are.

CLUSTER 1: Pay by weight                Theme(name="Pay by weight", members=(2, 4), …)
Theme: What is thrown away costs money.
Promise: HIGH
Ideas: I3, I5                           codes as they were shown: I1 is the first idea
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import NOTHING_SHOWN, Shown, line_text, lines
from moot.deliberation.rounding import half_up
from moot.deliberation.sections import Block, sections
from moot.deliberation.similarity import average_linkage, centroid, cosine, cosines, medoid, silhouette
from moot.kernel.values import Answer, Wire
from moot.modes.brainstorm.ideas import UniqueIdea, own_blocks

Promise = Literal["HIGH", "MEDIUM", "LOW"]
PROMISES: tuple[Promise, ...] = get_args(Promise)
ClusteringFallback = Literal["substitute_model", "agglomerative"]
_CODE = re.compile(r"\bI(\d{1,6})\b|\b(model_\d+_idea_\d+)\b", re.IGNORECASE)
_ONLY_CODES = re.compile(r"\W*+(?:(?:I\d{1,6}|model_\d+_idea_\d+)\b(?:[\s,;&]|and\b)*+)++\W*+", re.IGNORECASE)
_FIELDS = ("Theme", "Promise", "Ideas", "Unclustered")


class Cluster(Wire):
    """`idea_ids` are the ids of unique ideas."""

    id: str
    name: str
    theme: str
    promise: Promise
    idea_count: int
    idea_ids: list[str]


@dataclass(frozen=True, slots=True)
class Theme:
    """A cluster before it has its number; `members` are places among the unique ideas."""

    name: str
    theme: str
    promise: Promise
    members: tuple[int, ...]


class Clustering(NamedTuple):
    """The themes and how they came about; `reply` is None if no model made them."""

    themes: list[Theme]
    reply: Answer | None
    fallback: ClusteringFallback | None


def most_clusters(ideas: int, most: int) -> int:
    """How many themes so many unique ideas may have; fewer than three ideas are one theme."""
    if ideas < 3:
        return 1
    return most if ideas >= 10 else min(most, max(3, ideas // 2), ideas)


def read_clusters(text: str, ideas: Sequence[UniqueIdea], shown: Shown = NOTHING_SHOWN) -> list[Theme]:
    """The curator's themes that hold an idea; an idea named twice stays in the first."""
    free = set(range(len(ideas)))
    themes: list[Theme] = []
    for block in own_blocks(lines(text), "CLUSTER", shown):
        members = _members(block, ideas, free)
        free -= set(members)
        if members:
            told = [line for line in block.lines if not _ONLY_CODES.fullmatch(line.plain)]
            fields = {name: section.joined for name, section in sections(told, _FIELDS).items()}
            promise_word = closed_word(fields.get("Promise", ""), PROMISES)
            promise: Promise = next((one for one in PROMISES if one == promise_word), "MEDIUM")
            name = line_text(block.title) or f"Theme {len(themes) + 1}"
            themes.append(Theme(name, fields.get("Theme", ""), promise, members))
    return themes


def place_ideas(
    text: str, themes: Sequence[Theme], ideas: Sequence[UniqueIdea], shown: Shown = NOTHING_SHOWN
) -> list[Theme]:
    """The themes with the ideas that a second reply puts under their numbers; none changes its place."""
    free = set(unplaced_ideas(themes, len(ideas)))
    larger = list(themes)
    for block in own_blocks(lines(text), "CLUSTER", shown):
        place = (block.number or 0) - 1
        if 0 <= place < len(larger):
            members = _members(block, ideas, free)
            free -= set(members)
            larger[place] = replace(larger[place], members=(*larger[place].members, *members))
    return larger


def _members(block: Block, ideas: Sequence[UniqueIdea], free: set[int]) -> tuple[int, ...]:
    """Those behind its label; without one, those that fill a line of their own."""
    field = sections(block.lines, _FIELDS).get("Ideas")
    alone = [line.plain for line in block.lines if _ONLY_CODES.fullmatch(line.plain)]
    places = _places(field.text if field else "\n".join(alone), ideas)
    return tuple(place for place in dict.fromkeys(places) if place in free)


def _places(text: str, ideas: Sequence[UniqueIdea]) -> Iterator[int]:
    by_id = {id: place for place, idea in enumerate(ideas) for id in idea.merged_ids}
    for code in _CODE.finditer(text):
        yield int(code[1]) - 1 if code[1] else by_id.get(code[2].lower(), -1)


def unplaced_ideas(themes: Sequence[Theme], ideas: int) -> list[int]:
    placed = {member for theme in themes for member in theme.members}
    return [place for place in range(ideas) if place not in placed]


def merge_smallest(themes: Sequence[Theme], ideas: Sequence[UniqueIdea], most: int) -> list[Theme]:
    """At most so many: the smallest theme goes into the one it lies nearest to, again and again."""
    left = list(themes)
    while len(left) > most:
        smallest = min(reversed(left), key=lambda theme: len(theme.members))
        at = left.index(smallest)
        middle = [centroid([ideas[member].vector for member in theme.members]) for theme in left]
        others = [place for place in range(len(left)) if place != at]
        into = max(others, key=lambda place: (cosine(middle[place], middle[at]), -place))
        left[into] = replace(left[into], members=(*left[into].members, *smallest.members))
        del left[at]
    return left


def group_by_similarity(ideas: Sequence[UniqueIdea], most: int) -> list[Theme]:
    """Themes without a curator: average linkage, with as many groups as set them apart best; of equally
    good numbers the smaller."""
    alike = cosines([idea.vector for idea in ideas])
    highest = min(most, len(ideas) - 1)
    divisions = [average_linkage(alike, groups=count) for count in range(2, highest + 1)]
    groups = max(divisions, key=lambda one: (half_up(silhouette(alike, one), 9), -len(one)), default=None)
    return [_theme(ideas, group, alike) for group in groups or [list(range(len(ideas)))]]


def _theme(ideas: Sequence[UniqueIdea], group: Sequence[int], alike: Sequence[Sequence[float]]) -> Theme:
    """Named for the idea that is most like the others, described by the terms that weigh most."""
    terms = centroid([ideas[member].vector for member in group])
    top = sorted(terms, key=lambda term: (-terms[term], term))[:3]
    return Theme(ideas[medoid(alike, group)].idea.title, ", ".join(top), "MEDIUM", tuple(group))


def number_clusters(themes: Sequence[Theme], ideas: Sequence[UniqueIdea]) -> list[Cluster]:
    return [
        Cluster(
            id=f"cluster_{number}",
            name=theme.name,
            theme=theme.theme,
            promise=theme.promise,
            idea_count=len(theme.members),
            idea_ids=[ideas[member].idea.id for member in theme.members],
        )
        for number, theme in enumerate(themes, 1)
    ]
