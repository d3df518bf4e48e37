"""What a tournament tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Degraded, Failure, FailureKind, Maybe, Row, Wire
from moot.modes.tournament.bracket import rounds_needed
from moot.modes.tournament.config import TournamentConfig
from moot.modes.tournament.judging import DecidedBy, Judgement, Side


def contestant_id(seat: int | None) -> str:
    return f"C{seat}"


class Contestant(Answer):
    contestant_id: str

    @classmethod
    def of(cls, answer: Answer) -> Contestant:
        return cls(contestant_id=contestant_id(answer.seat), **answer.model_dump(by_alias=False))

    def row(self) -> Row:
        return Row(
            "collect",
            0,
            self.response,
            seat=self.seat,
            model=self.model,
            role="contestant",
            parsed_data={"contestantId": self.contestant_id, "responseTimeMs": self.response_time_ms},
            response_time_ms=self.response_time_ms,
        )


class FailedContestant(Wire):
    contestant_id: str
    seat: int | None
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, failure: Failure) -> FailedContestant:
        return cls(
            contestant_id=contestant_id(failure.seat),
            seat=failure.seat,
            model=failure.model,
            kind=failure.kind,
            reason=failure.reason,
        )


class SeedData(Wire):
    seed: int
    contestant_id: str
    seat: int | None
    model: str


class SideData(Wire):
    contestant_id: str
    seat: int | None
    model: str
    label: str

    @classmethod
    def of(cls, contestant: Contestant, label: str) -> SideData:
        return cls(
            contestant_id=contestant.contestant_id,
            seat=contestant.seat,
            model=contestant.model,
            label=label,
        )


class Pair(Wire):
    round_number: int
    match_index: int
    contestant_a: SideData
    contestant_b: SideData | None


class BracketData(Wire):
    total_rounds: int
    seed: str
    seeding: str
    contestants: list[str]
    seeds: list[SeedData]
    byes: list[str]
    matchups: list[Pair]
    failed_contestants: list[FailedContestant]
    warnings: tuple[str, ...]

    def row(self) -> Row:
        order = ", ".join(f"{one.seed}. {one.contestant_id} ({one.model})" for one in self.seeds)
        byes = f"; without a first match: {', '.join(self.byes)}" if self.byes else ""
        pairs = [
            {
                "matchIndex": pair.match_index,
                "a": pair.contestant_a.contestant_id,
                "b": pair.contestant_b.contestant_id if pair.contestant_b else None,
            }
            for pair in self.matchups
        ]
        return Row(
            "bracket_seed",
            1,
            f"The draw ({self.seeding}): {order}{byes}.",
            parsed_data={
                "type": "bracket",
                **self.model_dump(exclude={"matchups", "warnings"}),
                "round1Matchups": pairs,
            },
        )


class RoundData(Wire):
    round: int
    matchups: list[Pair]


class MatchupData(Wire):
    """`winner` names a side of this match: `Response A` is contestantA."""

    round: int
    match_index: int
    contestant_a: SideData
    contestant_b: SideData | None
    judge_model: str | None
    winner: Side
    winner_model: str
    winner_id: str
    loser_model: str | None
    loser_id: str | None
    reasoning: str | None
    score_a: float | None
    score_b: float | None
    decided_by: DecidedBy | None
    position_conflict: bool
    is_bye: bool
    was_retry: bool
    was_default: bool
    response_time_ms: int | None
    judgements: list[Judgement]

    @property
    def transcript(self) -> str:
        """All that the judge wrote, each text under a line that names its order and attempt."""
        if self.is_bye:
            return f"{self.winner_id} goes through without a match."
        if self.decided_by == "identical":
            return f"{self.winner_id} and {self.loser_id} gave the same answer: the better seed goes on."
        return "\n\n".join(
            f"--- {one.order}, attempt {attempt} ---\n{'(no reply)' if text is None else text}"
            for one in self.judgements
            for attempt, text in enumerate(one.texts, 1)
        )

    def row(self) -> Row:
        upper, lower = self.contestant_a, self.contestant_b
        names = {
            "contestantA": upper.model,
            "contestantB": lower.model if lower else None,
            "contestantAId": upper.contestant_id,
            "contestantBId": lower.contestant_id if lower else None,
            "labelA": upper.label,
            "labelB": lower.label if lower else None,
            "judgements": [one.model_dump(exclude={"texts", "reasoning"}) for one in self.judgements],
        }
        apart = {"score_a", "score_b", "response_time_ms", "judge_model", "judgements"}
        return Row(
            f"round_{self.round}_match_{self.match_index}",
            self.round + 1,
            self.transcript,
            model=self.judge_model,
            role="judge" if self.judge_model else None,
            parsed_data=self.model_dump(exclude=apart) | names,
            response_time_ms=self.response_time_ms,
        )


class RoundOutcome(Wire):
    round: int
    winners: list[str]
    eliminated: list[str]
    winner_ids: list[str]
    eliminated_ids: list[str]

    @classmethod
    def of(cls, number: int, matchups: Sequence[MatchupData]) -> RoundOutcome:
        return cls(
            round=number,
            winners=[one.winner_model for one in matchups],
            eliminated=[one.loser_model for one in matchups if one.loser_model],
            winner_ids=[one.winner_id for one in matchups],
            eliminated_ids=[one.loser_id for one in matchups if one.loser_id],
        )


class PathStep(Wire):
    round: int
    opponent: str | None
    result: Literal["won", "bye"]


class Standing(Wire):
    rank: int
    contestant_id: str
    seat: int | None
    model: str


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


class BracketResult(Wire):
    size: int
    total_rounds: int
    seeds: list[SeedData]
    seed: str
    seeding: str

    @classmethod
    def of(cls, bracket: BracketData) -> BracketResult:
        return cls(
            size=2**bracket.total_rounds,
            total_rounds=bracket.total_rounds,
            seeds=bracket.seeds,
            seed=bracket.seed,
            seeding=bracket.seeding,
        )


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
            details = winner.model_dump(exclude={"model", "contestant_id", "seat", "response", "degraded"})
            yield Row(
                "winner",
                99,
                winner.response,
                seat=winner.seat,
                model=winner.model,
                role="champion",
                parsed_data={"winnerModel": winner.model, "winnerId": winner.contestant_id, **details},
            )


def result(events: Sequence[Event]) -> TournamentResult:
    bracket, winner = last_data(events, BracketSeeded), last_data(events, WinnerDeclared)
    return TournamentResult(
        responses=last_data(events, CollectComplete) or [],
        failed_contestants=bracket.failed_contestants if bracket else [],
        bracket=BracketResult.of(bracket) if bracket else None,
        rounds=[round_result(events, start.data.round) for start in every(events, RoundStart)],
        champion=winner.as_champion() if winner else None,
        standings=winner.standings if winner else [],
        judge_consistency=winner.judge_consistency if winner else None,
        degraded=winner.degraded if winner else None,
        warnings=winner.warnings if winner else bracket.warnings if bracket else (),
        title=title_in(events),
    )


def round_result(events: Sequence[Event], number: int) -> RoundResult:
    matchups = [event.data for event in every(events, MatchupComplete) if event.data.round == number]
    outcome = next((event.data for event in every(events, RoundComplete) if event.data.round == number), None)
    return RoundResult(
        round_number=number,
        matchups=sorted(matchups, key=lambda matchup: matchup.match_index),
        winners=outcome.winners if outcome else None,
        eliminated=outcome.eliminated if outcome else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last_data(events, WinnerDeclared)
    return winner.response if winner else None


def seat_results(events: Sequence[Event]) -> Iterator[SeatResult]:
    winner = last_data(events, WinnerDeclared)
    for standing in winner.standings if winner else ():
        yield SeatResult(standing.seat or 0, standing.model, won=standing.rank == 1)
