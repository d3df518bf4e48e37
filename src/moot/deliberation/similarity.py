"""How alike texts are, and which belong together.

    texts ─▶ words or letter groups ─▶ weighted vectors ─▶ cosines ─▶ groups

Vectors weigh a term by 1 + ln tf and ln((1 + n)/(1 + df)) + 1 and have length 1. Everything is added
up in a fixed order, so that a resumed run, on whatever machine, groups the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from moot.deliberation.rounding import half_up
from moot.deliberation.text import word_tokens

Vector = dict[str, float]
Matrix = Sequence[Sequence[float]]

_WORD = re.compile(r"[^\W\d_]{3,}")
_SUFFIXES = ("ing", "es", "ed", "s")
_STOP_WORDS = """
a about above after again against all also although am among an and any are aren as at be because been
before being below between both but by can cannot could couldn did didn do does doesn doing don done down
during each either else etc even ever every few for from further get gets give given go goes had hadn has
hasn have haven having he her here hers herself him himself his how however i if in into is isn it its
itself just let like made make makes many may me might more most much must my myself need needs neither no
nor not now of off often on once one only onto or other others our ours ourselves out over own per rather
same see shall she should shouldn since so some such than that the their theirs them themselves then there
therefore these they this those though through thus to too toward towards under until up upon us use used
uses using very via was wasn we were weren what whatever when where whether which while who whom whose why
will with within without won would wouldn yet you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def letter_groups(text: str) -> list[str]:
    """Groups of three to five letters within each word, a blank before and after it counted in."""
    padded = [f" {word} " for word in text.lower().split()]
    return [
        word[start : start + size]
        for word in padded
        for size in (3, 4, 5)
        for start in range(len(word) - size + 1)
    ]


def content_words(text: str) -> list[str]:
    """The words of three letters or more that carry meaning, each by its stem."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """The word without a final -ing, -es, -ed or -s, if four letters remain."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word.removesuffix(suffix)
    return word


def vectors(documents: Sequence[Sequence[str]]) -> list[Vector]:
    """The terms of each document, weighted against all documents."""
    weights = document_weights(documents)
    return [weighted_vector(document, weights) for document in documents]


def document_weights(documents: Sequence[Sequence[str]]) -> Vector:
    """How much a term says about a document: the more, the fewer have it."""
    frequencies = Counter(term for document in documents for term in set(document))
    return {term: math.log((1 + len(documents)) / (1 + df)) + 1 for term, df in frequencies.items()}


def weighted_vector(document: Sequence[str], weights: Vector) -> Vector:
    counts = Counter(document)
    raw = {term: (1 + math.log(counts[term])) * weights[term] for term in sorted(counts)}
    length = math.sqrt(math.fsum(value * value for value in raw.values()))
    return {term: value / length for term, value in raw.items()}


def cosine(one: Vector, other: Vector) -> float:
    """From 0, no term in common, to 1, the same terms in the same measure."""
    if len(other) < len(one):
        one, other = other, one
    return min(1.0, math.fsum(value * other[term] for term, value in one.items() if term in other))


def cosines(of: Sequence[Vector]) -> list[list[float]]:
    """The cosine of each with each."""
    matrix = [[1.0] * len(of) for _ in of]
    for one, other in combinations(range(len(of)), 2):
        matrix[one][other] = matrix[other][one] = cosine(of[one], of[other])
    return matrix


def centroid(members: Sequence[Vector]) -> Vector:
    """The direction in which a group lies."""
    total: Counter[str] = Counter()
    for member in members:
        total.update(member)
    length = math.sqrt(math.fsum(value * value for value in total.values()))
    return {term: total[term] / length for term in sorted(total)} if length else {}


def connected_groups(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The groups in which 0 … count − 1 hang together by these pairs, however far the chain goes."""
    group = list(range(count))
    for one, other in pairs:
        first, second = sorted((group[one], group[other]))
        if first != second:
            group = [first if place == second else place for place in group]
    return [[member for member in range(count) if group[member] == first] for first in sorted(set(group))]


def average_linkage(
    similarities: Matrix,
    *,
    at_least: float = -math.inf,
    groups: int = 1,
    may_join: Callable[[Sequence[int], Sequence[int]], bool] | None = None,
) -> list[list[int]]:
    """Groups by average linkage: the two that are most alike on average are joined, again and again,
    while they are alike enough, more than `groups` are left and they may join.

    Of equally alike pairs the one with the lowest members comes first.
    """
    clusters = [[member] for member in range(len(similarities))]
    sums = {(one, other): similarities[one][other] for one, other in combinations(range(len(clusters)), 2)}
    while len(clusters) > max(1, groups):
        best = _best_pair(clusters, sums, at_least, may_join)
        if best is None:
            break
        survivor, absorbed = best
        for member in range(len(similarities)):
            if member not in (survivor, absorbed):
                moved = sums.get(_pair(absorbed, member), 0.0)
                sums[_pair(survivor, member)] = sums.get(_pair(survivor, member), 0.0) + moved
        merged = next(group for group in clusters if group[0] == survivor)
        merged += next(group for group in clusters if group[0] == absorbed)
        clusters = [group for group in clusters if group[0] != absorbed]
    return [sorted(group) for group in clusters]


def _best_pair(
    clusters: Sequence[list[int]],
    sums: dict[tuple[int, int], float],
    at_least: float,
    may_join: Callable[[Sequence[int], Sequence[int]], bool] | None,
) -> tuple[int, int] | None:
    """The first members of the two groups to join. A group is known by its lowest member."""
    best, highest = None, -math.inf
    for one, other in combinations(clusters, 2):
        alike = sums[one[0], other[0]] / (len(one) * len(other))
        if alike > highest and alike >= at_least and (may_join is None or may_join(one, other)):
            best, highest = (one[0], other[0]), alike
    return best


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def silhouette(similarities: Matrix, groups: Sequence[Sequence[int]]) -> float:
    """How well the groups are set apart, from −1 to 1: for each member, how much farther the nearest
    other group is than its own. A member alone in its group counts 0."""
    scores = []
    for own in groups:
        for member in own:
            others = [_distance(similarities, member, group) for group in groups if group is not own]
            if len(own) == 1 or not others:
                scores.append(0.0)
                continue
            inside = _distance(similarities, member, [one for one in own if one != member])
            farther = max(inside, min(others))
            scores.append((min(others) - inside) / farther if farther else 0.0)
    return math.fsum(scores) / len(scores) if scores else 0.0


def _distance(similarities: Matrix, member: int, group: Sequence[int]) -> float:
    return math.fsum(1 - similarities[member][one] for one in group) / len(group)


def medoid(similarities: Matrix, group: Sequence[int]) -> int:
    """The member that is most like the others; of several the first."""
    return max(group, key=lambda member: (math.fsum(similarities[member][one] for one in group), -member))


class Change(NamedTuple):
    """What became of a text, in words."""

    added: int
    removed: int
    similarity: float


def change(old: str, new: str) -> Change:
    """Words added and removed around the longest common subsequence; likeness with two decimals."""
    from rapidfuzz.distance import LCSseq

    before, after = word_tokens(old), word_tokens(new)
    common = LCSseq.similarity(before, after)
    total = len(before) + len(after)
    share = half_up(Fraction(2 * common, total), 2) if total else 1.0
    return Change(added=len(after) - common, removed=len(before) - common, similarity=share)
