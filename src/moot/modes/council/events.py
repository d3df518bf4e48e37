"""What a council tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.deliberation.choices import ParsedBy
from moot.kernel.events import Event, Opening, last, last_data, title_in
from moot.kernel.labels import Deal
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, CouncilRow, Degradable, Maybe, Wire
from moot.modes.council.rankings import Ranking, RankingEntry, average_ranks


class Stage2Response(Wire):
    seat: int
    model: str
    ranking_text: str
    parsed_ranking: list[RankingEntry]
    parsed_by: ParsedBy | None = None

    @classmethod
    def of(cls, reply: Answer, ranking: Ranking) -> Stage2Response:
        return cls(
            seat=reply.seat or 0,
            model=reply.model,
            ranking_text=reply.response,
            parsed_ranking=ranking.places,
            parsed_by=ranking.by,
        )


class AggregateRanking(Wire):
    seat: int
    model: str
    average_rank: float
    rankings_count: int


class Stage2Metadata(Wire):
    label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]
    aggregate_rankings: list[AggregateRanking]

    @classmethod
    def of(cls, rankings: Sequence[Stage2Response], labels: Deal[Answer]) -> Stage2Metadata:
        ranks = average_ranks([ranking.parsed_ranking for ranking in rankings], labels.by_label)
        return cls(
            label_to_model=labels.label_to_model,
            label_to_seat=labels.label_to_seat,
            aggregate_rankings=[
                AggregateRanking(
                    seat=labels[rank.label].seat or 0,
                    model=labels[rank.label].model,
                    average_rank=rank.average,
                    rankings_count=rank.count,
                )
                for rank in ranks
            ],
        )


class Stage3Response(Degradable):
    model: str
    response: str
    response_time_ms: int

    @classmethod
    def of(cls, synthesis: Answer, notice: Mapping[str, Any]) -> Stage3Response:
        return cls(
            model=synthesis.model,
            response=synthesis.response,
            response_time_ms=synthesis.response_time_ms,
            **notice,
        )


class CouncilResult(Wire):
    stage1: Maybe[list[Answer]]
    stage2: Maybe[list[Stage2Response]]
    stage2_metadata: Maybe[Stage2Metadata]
    stage3: Maybe[Stage3Response]
    title: Maybe[str]


class Stage1Start(Opening):
    type = "stage1_start"


class Stage1Complete(Event):
    type = "stage1_complete"
    data: list[Answer]


class Stage2Start(Event):
    type = "stage2_start"


class Stage2Complete(Event):
    type = "stage2_complete"
    data: list[Stage2Response]
    metadata: Stage2Metadata


class Stage3Start(Event):
    type = "stage3_start"


class Stage3Complete(Event):
    type = "stage3_complete"
    data: Stage3Response


def rows(event: Event) -> Iterator[CouncilRow]:
    """What is kept of each event in council's own four tables."""
    match event:
        case Stage1Complete(data=answers):
            for answer in answers:
                yield CouncilRow("stage1_responses", answer.model_dump(by_alias=False))
        case Stage2Complete(data=rankings, metadata=metadata):
            for label, model in metadata.label_to_model.items():
                seat = metadata.label_to_seat[label]
                yield CouncilRow("stage2_label_map", {"label": label, "model": model, "seat": seat})
            for ranking in rankings:
                values = ranking.model_dump(by_alias=False, exclude={"parsed_ranking", "parsed_by"})
                places = [entry.model_dump() for entry in ranking.parsed_ranking]
                yield CouncilRow("stage2_rankings", {**values, "parsed_ranking": places})
        case Stage3Complete(data=synthesis):
            values = synthesis.model_dump(by_alias=False, exclude={"degraded", "warnings"})
            yield CouncilRow("stage3_synthesis", values)


def result(events: Sequence[Event]) -> CouncilResult:
    stage2 = last(events, Stage2Complete)
    return CouncilResult(
        stage1=last_data(events, Stage1Complete),
        stage2=stage2.data if stage2 else None,
        stage2_metadata=stage2.metadata if stage2 else None,
        stage3=last_data(events, Stage3Complete),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last_data(events, Stage3Complete)
    return synthesis.response if synthesis else None


def seat_results(events: Sequence[Event]) -> Iterator[SeatResult]:
    """Nobody has won, and nobody agrees, where several share the best average."""
    stage2 = last(events, Stage2Complete)
    places = stage2.metadata.aggregate_rankings if stage2 else []
    best = [place.seat for place in places if place.average_rank == places[0].average_rank]
    if stage2 is None or len(best) != 1:
        return
    for place in places:
        yield SeatResult(place.seat, place.model, won=place.seat == best[0])
    for ranking in stage2.data:
        if ranking.parsed_ranking:
            favourite = stage2.metadata.label_to_seat[ranking.parsed_ranking[0].label]
            yield SeatResult(ranking.seat, ranking.model, agreed=int(favourite == best[0]), cases=1)
