"""The matches of a tournament: what becomes of each is a pure function of its judgements.

draw = Draw.of(contestants, "shuffled", "demo")              # C4, C1, C2, C5, C3
match = Match(draw, 1, 1, first_round(draw.contestants)[1])  # C5 against C3
match.settle([], "j/jo")                                     # nobody judged: the better seed goes on
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.kernel.values import Failure
from moot.modes.tournament.bracket import Pairing, first_round, place_of_loser, upper_is_shown_first
from moot.modes.tournament.draw import Draw
from moot.modes.tournament.events import (
    BracketData,
    Contestant,
    FailedContestant,
    MatchupData,
    Pair,
    PathStep,
    SideData,
    Standing,
)
from moot.modes.tournament.judging import SIDES, DecidedBy, Judgement, decide, is_conflict, mean_score


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

    def settle(self, judgements: list[Judgement], judge_model: str) -> MatchupData:
        """Who goes on, by what the judge said, if anything."""
        sides = self.sides
        is_bye = len(sides) == 1
        better = SIDES[self.draw.place(sides[0]) > self.draw.place(sides[-1])]
        winner, by = decide(judgements, better)
        victor = sides[SIDES.index(winner)]
        loser = next((one for one in sides if one is not victor), None)
        reasons = [one.reasoning for one in judgements if one.verdict == winner]
        how: DecidedBy | None = by if judgements else None if is_bye else "identical"
        return MatchupData(
            round=self.round,
            match_index=self.index,
            contestant_a=self.pair.contestant_a,
            contestant_b=self.pair.contestant_b,
            judge_model=judge_model if judgements else None,
            winner=winner,
            winner_model=victor.model,
            winner_id=victor.contestant_id,
            loser_model=loser.model if loser else None,
            loser_id=loser.contestant_id if loser else None,
            reasoning=reasons[0] if reasons else None,
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


def bracket_data(draw: Draw, failures: Sequence[Failure], warnings: Sequence[str]) -> BracketData:
    pairings = first_round(draw.contestants)
    return BracketData(
        total_rounds=draw.rounds,
        seed=draw.seed,
        seeding=draw.seeding,
        contestants=[one.model for one in draw.contestants],
        seeds=draw.seeds,
        byes=[pairing.upper.contestant_id for pairing in pairings if pairing.lower is None],
        matchups=[Match(draw, 1, index, pairing).pair for index, pairing in enumerate(pairings)],
        failed_contestants=[FailedContestant.of(failure) for failure in failures],
        warnings=tuple(warnings),
    )


def path_of(champion: str, rounds: Sequence[Sequence[MatchupData]]) -> list[PathStep]:
    """How a contestant came through: every match that it won, and its bye if it had one."""
    own = [matchup for matchups in rounds for matchup in matchups if matchup.winner_id == champion]
    return [
        PathStep(round=matchup.round, opponent=matchup.loser_id, result="bye" if matchup.is_bye else "won")
        for matchup in own
    ]


def standings(draw: Draw, rounds: Sequence[Sequence[MatchupData]]) -> list[Standing]:
    """The champion, then the losers of the final, of the semi-finals …, who share their places."""
    champion = rounds[-1][0].winner_id
    ranks = {champion: 1}
    for matchups in reversed(rounds):
        for matchup in matchups:
            if matchup.loser_id:
                ranks[matchup.loser_id] = place_of_loser(matchup.round, draw.rounds)
    return [
        Standing(rank=rank, contestant_id=id, seat=draw.by_id[id].seat, model=draw.by_id[id].model)
        for id, rank in ranks.items()
    ]
