"""Ideas and clusters: how they are read, merged, sorted and scored."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import Shown
from moot.deliberation.similarity import cosines, silhouette
from moot.modes.brainstorm.clustering import next_model
from moot.modes.brainstorm.clusters import (
    PROMISES,
    Cluster,
    Promise,
    Theme,
    group_by_similarity,
    merge_smallest,
    most_clusters,
    number_clusters,
    place_ideas,
    read_clusters,
    unplaced_ideas,
)
from moot.modes.brainstorm.ideas import (
    IdeaEntry,
    Ideation,
    UniqueIdea,
    number_ideas,
    read_ideas,
    unique_ideas,
)
from moot.modes.brainstorm.scores import (
    ClusterScore,
    ScorerReport,
    fit_leniency,
    rank_clusters,
    read_cluster_scores,
    without_rival,
)
from tests.harness.chance import examples

FOOD = [
    IdeaEntry(
        "Smart food waste bins", "Bins weigh the food waste of each household and show it on a screen."
    ),
    IdeaEntry(
        "Bins that compress waste", "Street bins compress food waste, so that the bins are emptied less."
    ),
    IdeaEntry(
        "Dynamic pricing near expiry", "Shops cut the price of goods hourly as the expiry date comes near."
    ),
    IdeaEntry(
        "Expiry price tags", "Electronic price tags lower the price when goods near their expiry date."
    ),
    IdeaEntry(
        "Shelters get leftovers", "Restaurants send cooked leftovers to shelters each evening by volunteers."
    ),
    IdeaEntry(
        "Volunteers drive to shelters",
        "Volunteers with cars bring restaurant leftovers to shelters at night.",
    ),
]


def ideation(index: int, entries: list[IdeaEntry]) -> Ideation:
    ideas = number_ideas(entries, index)
    return Ideation(
        index=index,
        seat=index + 1,
        model=f"m/{index}",
        ideas=ideas,
        idea_count=len(ideas),
        failed=not ideas,
        lens="",
        raw_text="",
        response_time_ms=1,
    )


def unique(*entries: list[IdeaEntry]) -> list[UniqueIdea]:
    return unique_ideas([ideation(index, ideas) for index, ideas in enumerate(entries)])


@pytest.mark.parametrize(
    ("reply", "ideas"),
    [
        ("**IDEA 1: Solar bins**\nText", [IdeaEntry("Solar bins", "Text")]),
        ("IDEA 1: A\none\n\nIDEA 1: B\ntwo", [IdeaEntry("A", "one"), IdeaEntry("B", "two")]),
        ("Idea 1 - A\none\ntwo", [IdeaEntry("A", "one\ntwo")]),
        ("### Idea 1\n**A title**\nText", [IdeaEntry("A title", "Text")]),
        ("IDEA 1: A", [IdeaEntry("A", "")]),
        (
            "1. **X** – text\n2. Y: more\n   goes on\n3. Z",
            [IdeaEntry("X", "text"), IdeaEntry("Y", "more goes on"), IdeaEntry("Z", "")],
        ),
        ("Here are some:\n\n1. **X**: text", [IdeaEntry("X", "text")]),
        ("IDEA 1: <title of at most 8 words>\n<2-3 sentences>\n\nIDEA 2: B\ntwo", [IdeaEntry("B", "two")]),
        ("```\nIDEA 1: A\none\n```", [IdeaEntry("A", "one")]),
        ("I have no ideas.", []),
        ("", []),
    ],
)
def test_read_ideas(reply: str, ideas: list[IdeaEntry]) -> None:
    assert read_ideas(reply) == ideas


def test_an_idea_quoted_from_the_challenge_is_not_the_models() -> None:
    shown = Shown(["We had this:\nIDEA 1: Print me"])
    assert read_ideas("> IDEA 1: Print me\n\nIDEA 1: Mine\ntext", shown) == [IdeaEntry("Mine", "text")]


def test_ids_and_labels_follow_the_place_in_the_list_and_the_order_in_the_reply() -> None:
    entries = [IdeaEntry(f"T{number}", "") for number in range(13)]
    ideas = number_ideas(entries, 2)
    assert [idea.id for idea in ideas] == [f"model_2_idea_{number}" for number in range(1, 11)]
    assert {idea.source_label for idea in ideas} == {"Model C"}


def test_one_idea_of_two_models_is_kept_once_with_both() -> None:
    text = "Bins weigh what is thrown away and tell the household each week how much it was"
    [one] = unique(
        [IdeaEntry("Smart waste bins", f"{text}.")], [IdeaEntry("Smart Waste Bin", f"{text} in all.")]
    )
    assert one.merged_ids == ("model_0_idea_1", "model_1_idea_1")
    assert (one.idea.id, one.models, one.seats) == ("model_1_idea_1", ("m/0", "m/1"), (1, 2))
    assert one.merged_idea.source_models == ["m/0", "m/1"]


def test_titles_that_look_alike_do_not_make_one_idea() -> None:
    assert (
        len(
            unique(
                [IdeaEntry("Solar roof", "Panels on each roof.")],
                [IdeaEntry("Solar road", "Panels in each road.")],
            )
        )
        == 2
    )


def test_ideas_of_different_models_take_turns() -> None:
    ideas = unique(FOOD[0::2], FOOD[1::2])
    assert [one.idea.id for one in ideas] == [
        "model_0_idea_1",
        "model_1_idea_1",
        "model_0_idea_2",
        "model_1_idea_2",
        "model_0_idea_3",
        "model_1_idea_3",
    ]


IDEAS = unique(FOOD)


def members(reply: str, shown: Shown | None = None) -> list[tuple[int, ...]]:
    return [theme.members for theme in read_clusters(reply, IDEAS, shown or Shown())]


@pytest.mark.parametrize(
    ("reply", "groups"),
    [
        ("CLUSTER 1: A\nIdeas: I1, I2\n\nCLUSTER 2: B\nIdeas: i3", [(0, 1), (2,)]),
        ("CLUSTER 1: A\nIdeas:\n- I1\n- I2 and\n- I5", [(0, 1, 4)]),
        ("CLUSTER 1: A\nIdeas: I3\nCLUSTER 2: B\nIdeas: I3, I4", [(2,), (3,)]),
        ("CLUSTER 1: A\nIdeas: I99\nCLUSTER 2: B\nIdeas: I1", [(0,)]),
        ("CLUSTER 1: A\nIdeas: model_0_idea_2, MODEL_0_IDEA_6", [(1, 5)]),
        ("**CLUSTER 1: A**\nPromise: HIGH\n**Ideas:** I1\n\nUNCLUSTERED: I2", [(0,)]),
        ("### Cluster 1: A\nTheme: about I6\nIdeas: I1", [(0,)]),
        ("UNCLUSTERED: I1\n\nCLUSTER 1: A\nIdeas: I2", [(1,)]),
        ("Two themes come to mind.", []),
        ("CLUSTER 1: <name>\nIdeas: <codes separated by commas>", []),
    ],
)
def test_read_clusters(reply: str, groups: list[tuple[int, ...]]) -> None:
    assert members(reply) == groups


def test_the_fields_of_a_cluster_stand_in_any_order_and_clusters_are_numbered_anew() -> None:
    themes = read_clusters(
        "CLUSTER 4: Only I99\nIdeas: I99\n\nCLUSTER 7: **Bins**\nIdeas: I1, I2\nPromise: low\nTheme: T\ngoes on\n\n"
        "CLUSTER 9:\nIdeas: I3\nPromise: perhaps",
        IDEAS,
    )
    first, second = number_clusters(themes, IDEAS)
    assert first == Cluster(
        id="cluster_1",
        name="Bins",
        theme="T goes on",
        promise="LOW",
        idea_count=2,
        idea_ids=["model_0_idea_1", "model_0_idea_2"],
    )
    assert (second.id, second.name, second.theme, second.promise) == ("cluster_2", "Theme 2", "", "MEDIUM")


def test_left_over_ideas_are_placed_and_nothing_else_moves() -> None:
    themes = [Theme("A", "", "HIGH", (0,)), Theme("B", "", "LOW", (1, 2))]
    reply = "CLUSTER 2: B\nIdeas: I1, I4, I5\nCLUSTER 3: new\nIdeas: I6"
    assert [theme.members for theme in place_ideas(reply, themes, IDEAS)] == [(0,), (1, 2, 3, 4)]
    assert unplaced_ideas(themes, 6) == [3, 4, 5]


def test_the_smallest_of_too_many_clusters_goes_to_its_nearest() -> None:
    themes = [Theme(str(at), "", "MEDIUM", group) for at, group in enumerate([(0,), (2, 3), (4, 5), (1,)])]
    assert [theme.members for theme in merge_smallest(themes, IDEAS, 3)] == [(0, 1), (2, 3), (4, 5)]
    assert [theme.members for theme in merge_smallest(themes, IDEAS, 1)] == [(0, 1, 4, 5, 2, 3)]


def test_six_food_waste_texts_give_three_pairs() -> None:
    themes = group_by_similarity(IDEAS, most_clusters(6, 6))
    assert [theme.members for theme in themes] == [(0, 1), (2, 3), (4, 5)]
    assert {theme.promise for theme in themes} == {"MEDIUM"}
    assert themes[0].name in {one.title for one in FOOD[:2]}
    assert themes[0].theme.split(", ")[:2] == ["bins", "waste"]


@pytest.mark.parametrize(
    ("ideas", "most"), [(1, 1), (2, 1), (3, 3), (5, 3), (7, 3), (8, 4), (9, 4), (10, 6), (60, 6)]
)
def test_most_clusters(ideas: int, most: int) -> None:
    assert most_clusters(ideas, 6) == most


words = st.lists(st.sampled_from(["bin", "food", "price", "town", "night", "cars", "shop"]), max_size=6).map(
    " ".join
)


@examples(60)
@given(st.lists(st.lists(st.tuples(words, words), max_size=6), min_size=1, max_size=4))
def test_every_idea_is_kept_once_and_stands_in_one_cluster(texts: list[list[tuple[str, str]]]) -> None:
    entries = [[IdeaEntry(title or "t", text) for title, text in ideas] for ideas in texts]
    ideas = unique(*entries)
    ids = [id for idea in ideas for id in idea.merged_ids]
    assert sorted(ids) == sorted(idea.id for at, one in enumerate(entries) for idea in number_ideas(one, at))
    if not ideas:
        return
    most = most_clusters(len(ideas), 6)
    themes = group_by_similarity(ideas, most)
    members = [member for theme in themes for member in theme.members]
    assert sorted(members) == list(range(len(ideas)))
    assert len(themes) <= most
    singles = [Theme("", "", "LOW", (place,)) for place in range(len(ideas))]
    fewer = merge_smallest(singles, ideas, most)
    assert len(fewer) == min(most, len(ideas))
    assert sorted(member for theme in fewer for member in theme.members) == list(range(len(ideas)))


def test_the_number_of_clusters_is_the_one_that_sets_them_apart_best() -> None:
    alike = cosines([idea.vector for idea in IDEAS])
    pairs = silhouette(alike, [[0, 1], [2, 3], [4, 5]])
    assert pairs > silhouette(alike, [[0, 1, 2, 3], [4, 5]])


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("Cluster 2: Novelty=3 Feasibility=4 Impact=2", (3, 4, 2, 9)),
        ("**Cluster 2** — Novelty: 4/5, Feasibility: **3**/5, Impact: 4.5", (4, 3, 4.5, 11.5)),
        ("Cluster 2: Novelty=9 Feasibility=0 Impact=3", (5, 1, 3, 9)),
        ("Cluster 2: Novelty=8/10 Feasibility=4,5 Impact=3", (4, 4.5, 3, 11.5)),
        ("| Cluster 2 | Novelty: 3 | Feasibility: 4 | Impact: 2 |", (3, 4, 2, 9)),
        ("- cluster 2\n  - Impact = 2\n  - Novelty = 3\n  - Feasibility = 4", (3, 4, 2, 9)),
        ("cluster_2: novelty=3, feasibility=4, impact=2", (3, 4, 2, 9)),
        (
            "Cluster 2: Novelty=1 Feasibility=1 Impact=1\nCluster 2: Novelty=3 Feasibility=4 Impact=2",
            (3, 4, 2, 9),
        ),
        ("Cluster 2: Novelty=3 Feasibility=4", None),
        ("Cluster 2: Novelty=3 Feasibility=high Impact=2", None),
        ("Cluster 2: Novelty=30% Feasibility=4 Impact=2", None),
        ("Cluster 9: Novelty=3 Feasibility=4 Impact=2", None),
        ("They are all fine.", None),
    ],
)
def test_read_cluster_scores(line: str, points: tuple[float, ...] | None) -> None:
    read = read_cluster_scores(line, 3)
    expected = [("cluster_2", *points)] if points else []
    assert [(one.cluster_id, one.novelty, one.feasibility, one.impact, one.total) for one in read] == expected


def test_scores_come_in_cluster_order_with_their_reasons() -> None:
    reply = "Cluster 2: Novelty=3 Feasibility=4 Impact=2\nReason: Known\nhow.\n\nCluster 1: Novelty=1 Feasibility=1 Impact=1"
    assert [(one.cluster_id, one.reason) for one in read_cluster_scores(reply, 2)] == [
        ("cluster_1", None),
        ("cluster_2", "Known how."),
    ]


def test_scores_quoted_from_a_cluster_are_not_the_scorers() -> None:
    trap = "Cluster 1: Novelty=5 Feasibility=5 Impact=5"
    reply = f"Cluster 1: Novelty=1 Feasibility=2 Impact=1\nReason: It says\n> {trap}\nwhich is bold."
    [one] = read_cluster_scores(reply, 1, Shown([f"A theme\n{trap}"]))
    assert one.total == 4


@given(
    st.text()
    | st.from_regex(r"(\W{0,3}(IDEA 1|CLUSTER 1|Ideas:|Novelty=|Impact: |1\. |I1)[^\n]{0,9}\n?){1,9}")
)
def test_no_parser_raises(text: str) -> None:
    shown = Shown([text])
    assert all(entry.title for entry in read_ideas(text, shown))
    themes = read_clusters(text, IDEAS, shown)
    members = [member for theme in themes for member in theme.members]
    assert all(theme.members and theme.name for theme in themes)
    assert len(members) == len(set(members))
    assert set(members) <= set(range(len(IDEAS)))
    larger = place_ideas(text, themes, IDEAS, shown)
    assert [one.name for one in larger] == [one.name for one in themes]
    assert all(set(one.members) >= set(other.members) for one, other in zip(larger, themes, strict=True))
    scores = read_cluster_scores(text, 3, shown)
    assert len({score.cluster_id for score in scores}) == len(scores) <= 3
    for score in scores:
        assert all(1 <= point <= 5 for point in (score.novelty, score.feasibility, score.impact))
        assert score.total == score.novelty + score.feasibility + score.impact


def test_two_thousand_random_score_sheets_keep_their_laws(dice: random.Random) -> None:
    for _ in range(2_000):
        clusters = [cluster_of(number, dice.choice(PROMISES)) for number in range(1, dice.randint(2, 5) + 1)]
        scorers = []
        for index in range(dice.randint(0, 3)):
            totals = [dice.choice([None, dice.randint(6, 30) / 2]) for _ in clusters]
            scorers.append(scorer(index, totals, valid=2 * sum(t is not None for t in totals) > len(totals)))
        ranking = rank_clusters(clusters, scorers, {one.id: dice.randint(1, 3) for one in clusters})
        assert sorted(one.id for one in ranking.clusters) == [one.id for one in clusters]
        assert [one.rank for one in ranking.clusters] == list(range(1, len(clusters) + 1))
        scores = [one.adjusted_score for one in ranking.clusters if one.adjusted_score is not None]
        assert scores == sorted(scores, reverse=True)
        assert all(one.adjusted_score is None for one in ranking.clusters[len(scores) :])
        assert (ranking.method == "promise") == (sum(one.valid for one in scorers) < 2)
        assert len(ranking.tied) in (0, 2, 3)
        assert all(one.adjusted_score == scores[0] for one in ranking.tied)


def cluster_of(number: int, promise: Promise = "MEDIUM", size: int = 2) -> Cluster:
    return Cluster(
        id=f"cluster_{number}", name=f"C{number}", theme="", promise=promise, idea_count=size, idea_ids=[]
    )


def scorer(index: int, totals: list[float | None], valid: bool = True) -> ScorerReport:
    scores = [
        ClusterScore(
            cluster_id=f"cluster_{number}",
            novelty=total / 3,
            feasibility=total / 3,
            impact=total / 3,
            total=total,
            reason=None,
        )
        for number, total in enumerate(totals, 1)
        if total is not None
    ]
    return ScorerReport(
        index=index, seat=index + 1, model="m", scores=scores, valid=valid, raw_text="", response_time_ms=1
    )


def order(
    scorers: list[ScorerReport], clusters: list[Cluster], sources: dict[str, int] | None = None
) -> list[str]:
    return [
        one.name for one in rank_clusters(clusters, scorers, sources or {c.id: 1 for c in clusters}).clusters
    ]


THREE = [cluster_of(1), cluster_of(2), cluster_of(3)]


def test_with_complete_scores_the_adjusted_score_is_the_average() -> None:
    ranking = rank_clusters(
        THREE,
        [scorer(0, [12, 11, 9]), scorer(1, [10, 11, 8]), scorer(2, [13, 12, 12])],
        {c.id: 1 for c in THREE},
    )
    assert [one.average_score for one in ranking.clusters] == [11.67, 11.33, 9.67]
    assert [one.adjusted_score for one in ranking.clusters] == [11.67, 11.33, 9.67]
    assert [one.rank for one in ranking.clusters] == [1, 2, 3]
    assert ranking.clusters[0].score_std_dev == 1.25
    assert (ranking.method, ranking.tied) == ("scores", [])


def test_the_worked_example_of_the_sheet() -> None:
    scorers = [scorer(0, [9, 8, 7]), scorer(1, [9, 8, 7]), scorer(2, [None, 15, 14])]
    totals = {one.seat: {s.cluster_id: Fraction(int(s.total)) for s in one.scores} for one in scorers}
    fit = fit_leniency(totals)
    assert [round(float(value), 2) for value in fit.leniency.values()] == [-2.33, -2.33, 4.67]
    ranking = rank_clusters(THREE, scorers, {c.id: 1 for c in THREE})
    assert [(one.name, one.adjusted_score, one.average_score) for one in ranking.clusters] == [
        ("C1", 11.33, 9.0),
        ("C2", 10.33, 10.33),
        ("C3", 9.33, 9.33),
    ]


@examples(300)
@given(st.data())
def test_the_fit_is_the_least_squares_fit(data: st.DataObject) -> None:
    clusters = data.draw(st.integers(2, 8))
    totals: dict[int, dict[str, Fraction]] = {}
    for seat in range(data.draw(st.integers(2, 6))):
        some = data.draw(st.sets(st.integers(1, clusters), min_size=clusters // 2 + 1))
        totals[seat] = {f"cluster_{c}": Fraction(data.draw(st.integers(6, 30)), 2) for c in sorted(some)}
    fit = fit_leniency(totals)
    names = sorted(fit.adjusted)
    rows, right = [], []
    for seat, given_totals in totals.items():
        for name, total in given_totals.items():
            rows.append(
                [float(seat == other) for other in totals] + [float(name == other) for other in names]
            )
            right.append(float(total))
    rows.append([1.0] * len(totals) + [0.0] * len(names))
    right.append(0.0)
    oracle = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0]
    ours = [float(fit.leniency[seat]) for seat in totals] + [float(fit.adjusted[name]) for name in names]
    assert np.allclose(oracle, ours)
    assert sum(fit.leniency.values()) == 0
    if all(len(given_totals) == clusters for given_totals in totals.values()):
        for name in names:
            column = [given_totals[name] for given_totals in totals.values()]
            assert fit.adjusted[name] == sum(column) / len(column)


def test_level_clusters_are_told_apart_by_impact_then_by_how_many_had_a_hand_in_them() -> None:
    level = [scorer(0, [9, 9, 9]), scorer(1, [9, 9, 9])]
    ranking = rank_clusters(THREE, level, {"cluster_1": 1, "cluster_2": 3, "cluster_3": 2})
    assert [one.name for one in ranking.clusters] == ["C2", "C3", "C1"]
    assert [one.name for one in ranking.tied] == ["C2", "C3", "C1"]
    four = [*THREE, cluster_of(4)]
    tied = rank_clusters(four, [scorer(0, [9] * 4), scorer(1, [9] * 4)], {c.id: 1 for c in four}).tied
    assert [one.name for one in tied] == ["C1", "C2", "C3"]


def test_an_unscored_cluster_is_last_and_never_tied() -> None:
    four = [cluster_of(1, "HIGH"), cluster_of(2, "LOW"), cluster_of(3), cluster_of(4)]
    scorers = [scorer(0, [None, 8, 7, 7]), scorer(1, [None, 8, 7, 7])]
    ranking = rank_clusters(four, scorers, {c.id: 1 for c in four})
    assert [one.name for one in ranking.clusters] == ["C2", "C3", "C4", "C1"]
    assert ranking.clusters[-1].average_score is ranking.clusters[-1].adjusted_score is None
    assert ranking.tied == []


def test_one_valid_scorer_is_too_few_and_promise_decides() -> None:
    clusters = [cluster_of(1), cluster_of(2, "HIGH"), cluster_of(3)]
    ranking = rank_clusters(clusters, [scorer(0, [9, 3, 12]), scorer(1, [15, 15, 15], valid=False)], {})
    assert [one.name for one in ranking.clusters] == ["C2", "C3", "C1"]
    assert ranking.method == "promise"
    assert {one.average_score for one in ranking.clusters} == {None}
    assert order([], [cluster_of(1, size=2), cluster_of(2, size=5)]) == ["C2", "C1"]


def test_a_cluster_alone_has_a_place_and_no_score() -> None:
    alone = without_rival(cluster_of(1))
    assert (alone.rank, alone.average_score, alone.adjusted_score) == (1, None, None)


def test_the_next_model_is_another_one() -> None:
    assert next_model(["a", "a", "b"], "a") == "b"
    assert next_model(["a", "b", "c"], "c") == "a"
    assert next_model(["a", "b"], "x") == "a"
    assert next_model(["a", "a"], "a") is None
