"""A council told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage, answers, count, names, seat_name
from moot.modes.council.events import Stage1Complete, Stage2Complete, Stage2Response, Stage3Complete


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case Stage1Complete():
            return answers("Answers", event.data)
        case Stage2Complete():
            return _rankings(event)
        case Stage3Complete(data=synthesis):
            length = count(len(synthesis.response.split()), "word")
            return Passage("Synthesis", (f"{synthesis.model} wrote the answer: {length}.",))
    return None


def _rankings(event: Stage2Complete) -> Passage:
    models, seats = event.metadata.label_to_model, event.metadata.label_to_seat
    called, labels = names(models, seats), {seat: label for label, seat in seats.items()}
    ranks = event.metadata.aggregate_rankings
    last = max((rank.average_rank for rank in ranks), default=1)
    bars = tuple(
        Bar(
            called.get(labels.get(rank.seat, ""), rank.model),
            last + 1 - rank.average_rank,
            f"average rank {rank.average_rank:g} ({count(rank.rankings_count, 'ranking')})",
        )
        for rank in ranks
    )
    return Passage("Rankings", tuple(_ranking(one, called) for one in event.data), bars)


def _ranking(ranking: Stage2Response, called: dict[str, str]) -> str:
    judge = seat_name(ranking.seat, ranking.model)
    if not ranking.parsed_ranking:
        return f"{judge}: its ranking could not be read."
    order = sorted(ranking.parsed_ranking, key=lambda place: place.position)
    return f"{judge} ranked {' > '.join(called.get(place.label, place.label) for place in order)}."


NARRATION = Narration({"stage1": "Answers", "stage2": "Rankings", "stage3": "Synthesis"}, tell)
