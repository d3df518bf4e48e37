"""What a tournament tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Degraded, Maybe, Row, Wire
from moot.modes.tournament.bracket import Contestant, FailedContestant, rounds_needed
from moot.modes.tournament.config import TournamentConfig
from moot.modes.tournament.match import (
    BracketData,
    BracketResult,
    MatchupData,
    Pair,
    PathStep,
    RoundOutcome,
    Standing,
)


class RoundData(Wire):
    round: int
    matchups: list[Pair]


class Champion(Wire):
    model: str
    seat: int | None
    contestant_id: str
    response: str
    bracket_path: list[PathStep]
    total_matchups_won: int
    total_rounds: int


class WinnerData(Champion, Degraded):
    standings: list[Standing]
    judge_consistency: float | None

    def as_champion(self) -> Champion:
        return Champion.model_validate(self.model_dump(include=set(Champion.model_fields)))


class RoundResult(Wire):
    round_number: int
    matchups: list[MatchupData]
    winners: Maybe[list[str]]
    eliminated: Maybe[list[str]]


class TournamentResult(Wire):
    responses: list[Contestant]
    failed_contestants: list[FailedContestant]
    bracket: Maybe[BracketResult]
    rounds: list[RoundResult]
    champion: Maybe[Champion]
    standings: list[Standing]
    judge_consistency: float | None
    degraded: Maybe[bool]
    warnings: tuple[str, ...]
    title: Maybe[str]


class OpeningConfig(Wire):
    contestant_models: tuple[str, ...]
    judge_model: str
    total_rounds: int


class TournamentStart(Opening):
    type = "tournament_start"
    config: OpeningConfig


class CollectStart(Event):
    type = "collect_start"


class CollectComplete(Event):
    type = "collect_complete"
    data: list[Contestant]


class BracketSeeded(Event):
    type = "bracket_seeded"
    data: BracketData


class RoundStart(Event):
    type = "round_start"
    data: RoundData


class MatchupComplete(Event):
    type = "matchup_complete"
    data: MatchupData


class RoundComplete(Event):
    type = "round_complete"
    data: RoundOutcome


class WinnerDeclared(Event):
    type = "winner_declared"
    data: WinnerData


def opening_extras(config: TournamentConfig) -> Mapping[str, Any]:
    return {
        "config": OpeningConfig(
            contestant_models=config.contestant_models,
            judge_model=config.judge_model,
            total_rounds=rounds_needed(len(config.contestant_models)),
        )
    }


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case CollectComplete(data=contestants):
            for contestant in contestants:
                yield contestant.row()
        case BracketSeeded(data=bracket):
            yield bracket.row()
        case MatchupComplete(data=matchup):
            yield matchup.row()
        case WinnerDeclared(data=winner):
            kept = winner.model_dump(exclude={"model", "contestant_id", "seat", "response", "degraded"})
            yield Row(
                "winner",
                99,
                winner.response,
                seat=winner.seat,
                model=winner.model,
                role="champion",
                parsed_data={"winnerModel": winner.model, "winnerId": winner.contestant_id, **kept},
            )


def result(events: Sequence[Event]) -> TournamentResult:
    collected, seeded = last(events, CollectComplete), last(events, BracketSeeded)
    winner, title = last(events, WinnerDeclared), last(events, TitleComplete)
    bracket = seeded.data if seeded else None
    return TournamentResult(
        responses=collected.data if collected else [],
        failed_contestants=bracket.failed_contestants if bracket else [],
        bracket=BracketResult.of(bracket) if bracket else None,
        rounds=[round_result(events, start.data.round) for start in every(events, RoundStart)],
        champion=winner.data.as_champion() if winner else None,
        standings=winner.data.standings if winner else [],
        judge_consistency=winner.data.judge_consistency if winner else None,
        degraded=winner.data.degraded if winner else None,
        warnings=winner.data.warnings if winner else bracket.warnings if bracket else (),
        title=title.data.title if title else None,
    )


def round_result(events: Sequence[Event], number: int) -> RoundResult:
    matchups = [one.data for one in every(events, MatchupComplete) if one.data.round == number]
    ended = next((one.data for one in every(events, RoundComplete) if one.data.round == number), None)
    return RoundResult(
        round_number=number,
        matchups=sorted(matchups, key=lambda matchup: matchup.match_index),
        winners=ended.winners if ended else None,
        eliminated=ended.eliminated if ended else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last(events, WinnerDeclared)
    return winner.data.response if winner else None
