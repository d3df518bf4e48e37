"""Scores of clusters: read, freed from how generous each scorer is, ranked.

        c1   c2   c3                    total(s, c) = mean + leniency(s) + quality(c), least squares
A       9    8    7     leniency −2.33
B       9    8    7              −2.33
C       –    15   14             +4.67
adjusted 11.33 10.33 9.33               c1 leads; by plain averages it would be c2

All exact until it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, lines, plain
from moot.deliberation.rounding import half_up
from moot.deliberation.scores import quantity
from moot.deliberation.sections import sections, table_rows
from moot.deliberation.statistics import exact, mean, population_deviation
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Wire
from moot.modes.brainstorm.clusters import PROMISES, Cluster

RankingMethod = Literal["scores", "promise"]
MOST_TIED = 3
_HEADER = re.compile(r"[|\s]*cluster[\s_#]*(\d{1,4})\b", re.IGNORECASE)
_CLUSTER_CELL = re.compile(r"(?:cluster[\s_#]*)?(\d{1,4})\b", re.IGNORECASE)
DIMENSIONS = ("novelty", "feasibility", "impact")
_DIMENSIONS = tuple(re.compile(rf"\b{name}\s*\|?\s*[=:]\s*", re.IGNORECASE) for name in DIMENSIONS)


class ClusterScore(Wire):
    cluster_id: str
    novelty: float
    feasibility: float
    impact: float
    total: float
    reason: str | None


class ScorerReport(Wire):
    """`valid`: it scored more than half of the clusters."""

    index: int
    seat: int
    model: str
    scores: list[ClusterScore]
    valid: bool
    raw_text: str
    response_time_ms: int


class RankedCluster(Wire):
    """Averages over the valid scorers who scored it; null if there are none or too few scorers."""

    id: str
    name: str
    rank: int
    average_novelty: float | None
    average_feasibility: float | None
    average_impact: float | None
    average_score: float | None
    adjusted_score: float | None
    score_std_dev: float | None


class Fit(NamedTuple):
    leniency: dict[int, Fraction]
    adjusted: dict[str, Fraction]


class Ranking(NamedTuple):
    """`tied`: the clusters level at the top, the winner first; empty if it stands there alone."""

    clusters: list[RankedCluster]
    method: RankingMethod
    tied: list[RankedCluster]


def read_cluster_scores(text: str, clusters: int, shown: Shown = NOTHING_SHOWN) -> list[ClusterScore]:
    """The scores of each cluster for which all three can be read, in cluster order; the last ones count.

    What stands under a header that was shown to the scorer is a quotation, if the cluster has another.
    """
    segments = _segments(lines(text))
    own = {number for number, part in segments if not shown.has_line(part[0].plain)}
    scores = {
        number: _cluster_score(number, points, None)
        for number, points in _table_scores(lines(text))
        if len(points) == len(_DIMENSIONS) and 1 <= number <= clusters
    }
    for number, part in segments:
        if number in own and shown.has_line(part[0].plain):
            continue
        score = _score(number, part) if 1 <= number <= clusters else None
        if score:
            scores[number] = score
    return [scores[number] for number in sorted(scores)]


def _segments(prepared: Sequence[Line]) -> list[tuple[int, list[Line]]]:
    """From each line that begins with a cluster's number to the next."""
    segments: list[tuple[int, list[Line]]] = []
    for line in prepared:
        header = _HEADER.match(line.plain)
        if header:
            segments.append((int(header[1]), [line]))
        elif segments:
            segments[-1][1].append(line)
    return segments


def _table_scores(prepared: Sequence[Line]) -> Iterator[tuple[int, list[Fraction]]]:
    """The rows of a table whose head names the three dimensions."""
    columns: list[int] = []
    for cells in table_rows(prepared):
        names = [plain(cell).casefold() for cell in cells]
        if all(name in names for name in DIMENSIONS):
            columns = [names.index(name) for name in DIMENSIONS]
            continue
        number = _CLUSTER_CELL.match(plain(cells[0]))
        if columns and number and max(columns) < len(cells):
            points = [_legal_points(cells[column]) for column in columns]
            yield int(number[1]), [point for point in points if point is not None]


def _score(number: int, part: Sequence[Line]) -> ClusterScore | None:
    text = "\n".join(line.plain for line in part)
    points = [_points(dimension, text) for dimension in _DIMENSIONS]
    complete = [point for point in points if point is not None]
    if len(complete) < len(_DIMENSIONS):
        return None
    reason = sections(part, ("Reason",)).get("Reason")
    return _cluster_score(number, complete, reason.joined if reason else None)


def _cluster_score(number: int, points: Sequence[Fraction], reason: str | None) -> ClusterScore:
    novelty, feasibility, impact = points
    return ClusterScore(
        cluster_id=f"cluster_{number}",
        novelty=float(novelty),
        feasibility=float(feasibility),
        impact=float(impact),
        total=float(novelty + feasibility + impact),
        reason=reason,
    )


def _points(dimension: re.Pattern[str], text: str) -> Fraction | None:
    """What follows the dimension's name, from 1 to 5; of ten is halved."""
    match = dimension.search(text)
    return _legal_points(text[match.end() : match.end() + 200]) if match else None


def _legal_points(value: str) -> Fraction | None:
    read = quantity(value)
    if read is None or read.percent or read.out_of not in (None, 5, 10):
        return None
    points = read.middle / 2 if read.out_of == 10 else read.middle
    return min(max(points, Fraction(1)), Fraction(5))


def fit_leniency(totals: Mapping[int, Mapping[str, Fraction]]) -> Fit:
    """The least-squares fit of each scorer's totals; leniencies add up to nothing.

    The normal equations of the leniencies, with every cluster's quality put in; their matrix lacks one
    rank, which the condition on the sum makes up for. Two scorers who share a cluster tie all together.
    """
    scorers = [scorer for scorer, scores in totals.items() if scores]
    who = {c: [s for s in scorers if c in totals[s]] for s in scorers for c in totals[s]}
    average = {c: mean(totals[s][c] for s in who[c]) for c in who}
    matrix = [[_coupling(one, other, totals, who) for other in scorers] for one in scorers]
    right = [sum((totals[s][c] - average[c] for c in totals[s]), Fraction(0)) for s in scorers]
    leniency = dict(zip(scorers, solve(matrix, right), strict=True))
    adjusted = {c: average[c] - mean(leniency[s] for s in who[c]) for c in who}
    return Fit(leniency, adjusted)


def _coupling(
    one: int, other: int, totals: Mapping[int, Mapping[str, Fraction]], who: Mapping[str, Sequence[int]]
) -> Fraction:
    shared = [Fraction(1, len(who[c])) for c in totals[one] if c in totals[other]]
    own = Fraction(len(totals[one])) if one == other else Fraction(0)
    return own - sum(shared, Fraction(0)) + 1


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a symmetric, positive definite system, by elimination in exact arithmetic."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        rows[at] = [value / pivot[at] for value in pivot]
        for other, row in enumerate(rows):
            if other != at:
                rows[other] = [value - row[at] * own for value, own in zip(row, rows[at], strict=True)]
    return [row[-1] for row in rows]


def rank_clusters(
    clusters: Sequence[Cluster], scorers: Sequence[ScorerReport], sources: Mapping[str, int]
) -> Ranking:
    """By adjusted score, if two scorers are valid, else by the curator's promise. `sources`: how many
    models had a hand in each cluster."""
    valid = [scorer for scorer in scorers if scorer.valid]
    if len(valid) < 2:
        return _by_promise(clusters, valid)
    totals = {one.seat: {score.cluster_id: exact(score.total) for score in one.scores} for one in valid}
    fit = fit_leniency(totals)
    ratings = {c.id: _rating(c, valid, fit.adjusted[c.id]) for c in clusters if c.id in fit.adjusted}
    scored = sorted(
        ratings.values(),
        key=lambda one: (
            -(one.adjusted_score or 0),
            -(one.average_impact or 0),
            -(one.average_feasibility or 0),
            -sources[one.id],
        ),
    )
    unscored = sorted((c for c in clusters if c.id not in ratings), key=_promise_key)
    order = _with_ranks([*scored, *map(_no_rating, unscored)])
    level = [one for one in order if one.adjusted_score == order[0].adjusted_score]
    return Ranking(order, "scores", level[:MOST_TIED] if len(level) > 1 else [])


def _by_promise(clusters: Sequence[Cluster], valid: Sequence[ScorerReport]) -> Ranking:
    """Between equal promises a single scorer's totals decide, then size, then the curator's order."""
    totals = {score.cluster_id: score.total for scorer in valid for score in scorer.scores}
    order = sorted(clusters, key=lambda c: (PROMISES.index(c.promise), -totals.get(c.id, 0.0), -c.idea_count))
    return Ranking(_with_ranks([_no_rating(cluster) for cluster in order]), "promise", [])


def _promise_key(cluster: Cluster) -> tuple[int, int]:
    return PROMISES.index(cluster.promise), -cluster.idea_count


def _with_ranks(order: Sequence[RankedCluster]) -> list[RankedCluster]:
    return [one.model_copy(update={"rank": rank}) for rank, one in enumerate(order, 1)]


def _rating(cluster: Cluster, valid: Sequence[ScorerReport], adjusted: Fraction) -> RankedCluster:
    scores = [score for scorer in valid for score in scorer.scores if score.cluster_id == cluster.id]
    return RankedCluster(
        id=cluster.id,
        name=cluster.name,
        rank=0,
        average_novelty=half_up(mean(score.novelty for score in scores), 2),
        average_feasibility=half_up(mean(score.feasibility for score in scores), 2),
        average_impact=half_up(mean(score.impact for score in scores), 2),
        average_score=half_up(mean(score.total for score in scores), 2),
        adjusted_score=half_up(adjusted, 2),
        score_std_dev=half_up(population_deviation(score.total for score in scores), 2),
    )


def _no_rating(cluster: Cluster) -> RankedCluster:
    return RankedCluster(
        id=cluster.id,
        name=cluster.name,
        rank=0,
        average_novelty=None,
        average_feasibility=None,
        average_impact=None,
        average_score=None,
        adjusted_score=None,
        score_std_dev=None,
    )


def without_rival(cluster: Cluster) -> RankedCluster:
    """A cluster that had no rival: it has a place and no score."""
    return _no_rating(cluster).model_copy(update={"rank": 1})


def favourites(scorers: Sequence[ScorerReport], ranked: Sequence[RankedCluster]) -> Iterator[SeatResult]:
    """Whose favourite came first. A scorer that put several level at the top has none."""
    if not ranked or ranked[0].average_score is None:
        return
    for scorer in scorers:
        most = max((score.total for score in scorer.scores), default=None)
        first = [score.cluster_id for score in scorer.scores if score.total == most]
        if scorer.valid and len(first) == 1:
            yield SeatResult(scorer.seat, scorer.model, agreed=int(first[0] == ranked[0].id), cases=1)
