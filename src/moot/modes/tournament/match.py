"""The matches of a tournament: what becomes of each is a pure function of its judgements.

draw = Draw.of(contestants, "shuffled", "demo")        # C4, C1, C2, C5, C3
match = Match(draw, 1, 1, first_round(draw.seeded)[1])  # C5 against C3
match.settled([])                                       # nobody judged: the better seed goes on
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from moot.kernel.values import Failure, Row, Wire
from moot.modes.tournament.bracket import (
    Contestant,
    Draw,
    FailedContestant,
    Pairing,
    SeedData,
    first_round,
    place_of_loser,
    upper_is_shown_first,
)
from moot.modes.tournament.judging import SIDES, DecidedBy, Judgement, Side, decided, is_conflict, mean_score


@dataclass(frozen=True)
class Match:
    draw: Draw
    round: int
    index: int
    pairing: Pairing[Contestant]

    @property
    def step(self) -> str:
        return f"round_{self.round}_match_{self.index}"

    @property
    def key(self) -> str:
        return f"{self.round}/{self.index}"

    @property
    def title(self) -> str:
        return " against ".join(one.contestant_id for one in self.sides)

    @property
    def sides(self) -> list[Contestant]:
        return [one for one in (self.pairing.upper, self.pairing.lower) if one]

    @property
    def texts(self) -> list[str]:
        return [one.response for one in self.sides]

    @property
    def needs_no_judge(self) -> bool:
        """A bye, or two answers that are the same but for white space."""
        return len({" ".join(text.split()) for text in self.texts}) == 1

    @property
    def shows_upper_first(self) -> bool:
        return upper_is_shown_first(self.draw.seed, self.round, self.index)

    @property
    def pair(self) -> Pair:
        upper, *lower = (SideData.of(one, label) for one, label in zip(self.sides, SIDES, strict=False))
        return Pair(
            round_number=self.round,
            match_index=self.index,
            contestant_a=upper,
            contestant_b=lower[0] if lower else None,
        )

    def settled(self, judgements: list[Judgement], judge_model: str) -> MatchupData:
        """Who goes on, by what the judge said, if anything."""
        sides = self.sides
        is_bye = len(sides) == 1
        better = SIDES[self.draw.place(sides[0]) > self.draw.place(sides[-1])]
        winner, by = decided(judgements, better)
        won = sides[SIDES.index(winner)]
        lost = next((one for one in sides if one is not won), None)
        agreeing = [one.reasoning for one in judgements if one.verdict == winner]
        how: DecidedBy | None = by if judgements else None if is_bye else "identical"
        return MatchupData(
            round=self.round,
            match_index=self.index,
            contestant_a=self.pair.contestant_a,
            contestant_b=self.pair.contestant_b,
            judge_model=judge_model if judgements else None,
            winner=winner,
            winner_model=won.model,
            winner_id=won.contestant_id,
            loser_model=lost.model if lost else None,
            loser_id=lost.contestant_id if lost else None,
            reasoning=agreeing[0] if agreeing else None,
            score_a=mean_score([one.score_a for one in judgements]),
            score_b=mean_score([one.score_b for one in judgements]),
            decided_by=how,
            position_conflict=is_conflict(judgements),
            is_bye=is_bye,
            was_retry=any(one.attempts > 1 for one in judgements),
            was_default=how == "seed",
            response_time_ms=max((one.response_time_ms for one in judgements), default=None),
            judgements=judgements,
        )


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

    @classmethod
    def of(cls, draw: Draw, failures: Sequence[Failure], warnings: Sequence[str]) -> BracketData:
        pairings = first_round(draw.seeded)
        return cls(
            total_rounds=draw.rounds,
            seed=draw.seed,
            seeding=draw.seeding,
            contestants=[one.model for one in draw.seeded],
            seeds=draw.seeds,
            byes=[pairing.upper.contestant_id for pairing in pairings if pairing.lower is None],
            matchups=[Match(draw, 1, index, pairing).pair for index, pairing in enumerate(pairings)],
            failed_contestants=[FailedContestant.of(failure) for failure in failures],
            warnings=tuple(warnings),
        )

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
        named = {
            "contestantA": upper.model,
            "contestantB": lower.model if lower else None,
            "contestantAId": upper.contestant_id,
            "contestantBId": lower.contestant_id if lower else None,
            "labelA": upper.label,
            "labelB": lower.label if lower else None,
            "judgements": [one.model_dump(exclude={"texts", "reasoning"}) for one in self.judgements],
        }
        left_out = {"score_a", "score_b", "response_time_ms", "judge_model", "judgements"}
        return Row(
            f"round_{self.round}_match_{self.match_index}",
            self.round + 1,
            self.transcript,
            model=self.judge_model,
            role="judge" if self.judge_model else None,
            parsed_data=self.model_dump(exclude=left_out) | named,
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


def path_of(champion: str, played: Sequence[Sequence[MatchupData]]) -> list[PathStep]:
    """How one contestant got through: every match it was in."""
    own = [match for matches in played for match in matches if match.winner_id == champion]
    return [
        PathStep(round=match.round, opponent=match.loser_id, result="bye" if match.is_bye else "won")
        for match in own
    ]


def standings(draw: Draw, played: Sequence[Sequence[MatchupData]]) -> list[Standing]:
    """The champion, then the losers of the final, of the semi-finals …, who share their places."""
    champion = played[-1][0].winner_id
    ranks = {champion: 1}
    for matches in reversed(played):
        for match in matches:
            if match.loser_id:
                ranks[match.loser_id] = place_of_loser(match.round, draw.rounds)
    return [
        Standing(rank=rank, contestant_id=one, seat=draw.by_id[one].seat, model=draw.by_id[one].model)
        for one, rank in ranks.items()
    ]
