from __future__ import annotations

import math
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moot.deliberation.similarity import (
    Change,
    average_linkage,
    centroid,
    change,
    connected_groups,
    content_words,
    cosine,
    cosines,
    letter_groups,
    medoid,
    silhouette,
    stem,
    vectors,
)


def test_letters_are_grouped_within_each_word() -> None:
    assert letter_groups("Go a") == [" go", "go ", " go ", " a "]
    assert letter_groups("data") == [" da", "dat", "ata", "ta ", " dat", "data", "ata ", " data", "data "]
    assert letter_groups(" ") == []


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("pricing", "pric"),
        ("prices", "pric"),
        ("bins", "bins"),
        ("shelters", "shelter"),
        ("wasted", "wast"),
        ("going", "going"),
        ("red", "red"),
        ("boxes", "boxe"),
        ("class", "clas"),
    ],
)
def test_an_ending_goes_if_four_letters_remain(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_words_without_meaning_and_short_ones_are_left_out() -> None:
    assert content_words("The bins, which WE use for 100 kg of wasted food, don't fit in.") == [
        "bins",
        "wast",
        "food",
        "fit",
    ]


Table = np.ndarray[Any, np.dtype[np.float64]]


def oracle(documents: list[list[str]]) -> Table:
    """The same vectors by matrix algebra."""
    terms = sorted({term for document in documents for term in document})
    counts = np.array([[document.count(term) for term in terms] for document in documents], dtype=np.float64)
    tf = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    idf = np.log((1 + len(documents)) / (1 + (counts > 0).sum(axis=0))) + 1
    weighted = tf * idf
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    unit = np.divide(weighted, lengths, out=np.zeros_like(weighted), where=lengths > 0)
    result: Table = unit @ unit.T
    return result


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8), min_size=1, max_size=6))
def test_cosines_are_those_of_matrix_algebra(documents: list[list[str]]) -> None:
    assert np.allclose(np.array(cosines(vectors(documents))), oracle(documents), atol=1e-12)


def test_texts_without_words_are_like_nothing() -> None:
    empty, full = vectors([[], ["word"]])
    assert cosine(empty, full) == cosine(empty, empty) == 0
    assert centroid([]) == centroid([empty]) == {}


def test_a_group_lies_where_its_members_do() -> None:
    one, other = vectors([["bin", "food"], ["bin", "price"]])
    middle = centroid([one, other])
    assert math.isclose(sum(value * value for value in middle.values()), 1)
    assert math.isclose(cosine(middle, one), cosine(middle, other))


def test_what_hangs_together_by_a_chain_is_one_group() -> None:
    assert connected_groups(6, [(4, 2), (0, 4), (5, 1), (2, 0)]) == [[0, 2, 4], [1, 5], [3]]
    assert connected_groups(0, []) == []


WASTE = [
    "Smart waste bins. Bins weigh discarded food and tell the kitchen what was thrown away.",
    "Weighing bins for food waste. Kitchens get bins which weigh what is thrown away each day.",
    "Dynamic pricing of food. Prices fall as the date on the food comes closer.",
    "Falling prices. Shops lower prices automatically when the date comes closer.",
    "Deliver surplus meals to shelters. Volunteers bring meals from restaurants to shelters at night.",
    "Shelter network. Restaurants hand surplus meals to volunteers who bring them to a shelter.",
]


def test_six_ideas_fall_into_three_pairs() -> None:
    matrix = cosines(vectors([content_words(text) for text in WASTE]))
    candidates = [average_linkage(matrix, groups=count) for count in range(2, 6)]
    best = max(candidates, key=lambda groups: (silhouette(matrix, groups), -len(groups)))
    assert best == [[0, 1], [2, 3], [4, 5]]


FINDINGS = [
    (
        "R1",
        "Single database instance is a single point of failure. The database runs on one instance without a"
        " replica. Add a replica and automatic failover.",
    ),
    (
        "R2",
        "No failover for the database tier. If the only database instance dies the whole service is down."
        " Set up a replica with failover.",
    ),
    (
        "R3",
        "Backups are never restored in a test. Nobody has tried to restore a backup. Restore one monthly.",
    ),
    (
        "R3",
        "Database has no standby replica. An outage of the database instance stops everything; add failover.",
    ),
    ("R1", "Logs contain e-mail addresses. Personal data is written to logs in clear text. Mask it."),
]


def test_findings_of_one_reviewer_are_never_joined() -> None:
    matrix = cosines(vectors([letter_groups(text) for _, text in FINDINGS]))

    def different_reviewers(one: object, other: object) -> bool:
        assert isinstance(one, list)
        assert isinstance(other, list)
        return not {FINDINGS[place][0] for place in one} & {FINDINGS[place][0] for place in other}

    assert average_linkage(matrix, at_least=0.20, may_join=different_reviewers) == [[0, 1, 3], [2], [4]]
    everything = average_linkage([[1.0] * 5] * 5, at_least=0.20, may_join=different_reviewers)
    assert everything == [[0, 1, 2], [3, 4]]


def test_the_best_pair_is_joined_first_and_ties_go_to_the_lowest() -> None:
    matrix = [[1, 0.5, 0.5, 0.1], [0.5, 1, 0.2, 0.1], [0.5, 0.2, 1, 0.9], [0.1, 0.1, 0.9, 1]]
    assert average_linkage(matrix, groups=3) == [[0], [1], [2, 3]]
    assert average_linkage(matrix, groups=2) == [[0, 1], [2, 3]]
    assert average_linkage(matrix, at_least=0.6) == [[0], [1], [2, 3]]
    assert average_linkage([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]], groups=2) == [[0, 1], [2]]
    assert average_linkage([]) == []


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.lists(st.lists(st.floats(0, 1), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_groups_hold_everything_once(rows: list[list[float]]) -> None:
    size = len(rows)
    matrix = [[max(rows[one][other], rows[other][one]) for other in range(size)] for one in range(size)]
    for count in range(1, size + 1):
        groups = average_linkage(matrix, groups=count)
        assert len(groups) == count
        assert sorted(member for group in groups for member in group) == list(range(size))
        assert -1 <= silhouette(matrix, groups) <= 1


@given(st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6), min_size=6, max_size=6))
def test_linkage_is_by_the_average_over_all_pairs(rows: list[list[float]]) -> None:
    matrix = [[rows[min(one, other)][max(one, other)] for other in range(6)] for one in range(6)]
    groups = average_linkage(matrix, at_least=0.5)
    for place, one in enumerate(groups):
        for other in groups[place + 1 :]:
            alike = [matrix[first][second] for first in one for second in other]
            assert math.fsum(alike) / len(alike) < 0.5 + 1e-9


def linkage_by_numpy(matrix: Table, groups: int, at_least: float = -math.inf) -> list[list[int]]:
    """Average linkage as it is defined: all pairs of groups are looked at anew at every step."""
    clusters = [[member] for member in range(len(matrix))]
    while len(clusters) > groups:
        averages = {
            (one, other): matrix[np.ix_(clusters[one], clusters[other])].mean()
            for one, other in combinations(range(len(clusters)), 2)
        }
        highest = max(averages.values())
        one, other = min(
            pair for pair, average in averages.items() if np.isclose(average, highest, rtol=0, atol=1e-12)
        )
        if highest < at_least:
            break
        clusters[one] = sorted(clusters[one] + clusters.pop(other))
    return clusters


def silhouette_by_numpy(matrix: Table, groups: list[list[int]]) -> float:
    distance = 1 - matrix
    scores = []
    for own in groups:
        for member in own:
            others = [distance[member, group].mean() for group in groups if group is not own]
            rest = [one for one in own if one != member]
            inside = distance[member, rest].mean() if rest else 0.0
            farther = max(inside, min(others, default=0.0))
            scores.append((min(others) - inside) / farther if rest and others and farther else 0.0)
    return float(np.mean(scores)) if scores else 0.0


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
@example(8, 43802)  # two pairs that are nearly, but not, equally alike
def test_groups_and_their_silhouette_are_those_of_numpy(size: int, seed: int) -> None:
    dice = np.random.default_rng(seed)
    half = np.triu(dice.random((size, size)), 1)
    matrix: Table = half + half.T + np.eye(size)
    plain = matrix.tolist()
    for count in range(1, size + 1):
        groups = average_linkage(plain, groups=count)
        assert groups == linkage_by_numpy(matrix, count)
        assert silhouette(plain, groups) == pytest.approx(silhouette_by_numpy(matrix, groups))
    assert average_linkage(plain, at_least=0.5) == linkage_by_numpy(matrix, 1, 0.5)
    assert medoid(plain, range(size)) == int(np.argmax(matrix.sum(axis=1)))


def test_groups_that_are_well_apart_have_a_high_silhouette() -> None:
    matrix = [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]]
    assert silhouette(matrix, [[0, 1], [2]]) == pytest.approx((8 / 9 + 8 / 9 + 0) / 3)
    assert silhouette(matrix, [[0, 2], [1]]) < 0
    assert silhouette(matrix, [[0, 1, 2]]) == 0
    assert silhouette([], []) == 0


def test_the_medoid_is_most_like_the_others() -> None:
    matrix = [[1, 0.2, 0.3], [0.2, 1, 0.9], [0.3, 0.9, 1]]
    assert medoid(matrix, [0, 1, 2]) == 2
    assert medoid(matrix, [1, 2]) == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", Change(0, 0, 1.0)),
        ("one two", "one two", Change(0, 0, 1.0)),
        ("one two three", "one three four", Change(1, 1, 0.67)),
        ("", "new words", Change(2, 0, 0.0)),
        ("a b c d", "", Change(0, 4, 0.0)),
        ("日本語", "日本", Change(0, 1, 0.8)),
    ],
)
def test_a_differenceis_told_in_words(old: str, new: str, expected: Change) -> None:
    assert change(old, new) == expected


@given(st.lists(st.sampled_from("abc"), max_size=10), st.lists(st.sampled_from("abc"), max_size=10))
def test_a_differenceis_the_smallest_there_is(old: list[str], new: list[str]) -> None:
    difference = change(" ".join(old), " ".join(new))
    assert len(old) - difference.removed == len(new) - difference.added
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    assert len(new) - difference.added >= sum(block.size for block in blocks)
