"""A tournament told to a person, with its bracket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.kernel.events import Event, every, last_data
from moot.kernel.narration import Narration, Passage, answers, count, listed, names
from moot.modes.tournament.events import (
    BracketData,
    BracketSeeded,
    CollectComplete,
    MatchupComplete,
    MatchupData,
    RoundComplete,
    RoundStart,
    SideData,
    WinnerData,
    WinnerDeclared,
)

_WHY = {
    "score_margin": "on points: the judge's two verdicts disagree",
    "seed": "as the higher seed: the judge could not decide",
    "identical": "as the higher seed: the two answers are the same",
}


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case CollectComplete():
            return answers("Answers", event.data)
        case BracketSeeded(data=bracket):
            return _bracket(bracket, _called(story))
        case RoundStart():
            return Passage(f"Round {event.data.round}")
        case MatchupComplete(data=match):
            return Passage(f"Round {match.round}", (_match(match, _called(story)),))
        case RoundComplete(data=outcome):
            called = _called(story)
            through = listed(
                called.get(id, model) for id, model in zip(outcome.winner_ids, outcome.winners, strict=True)
            )
            return Passage(f"Round {outcome.round}", (f"Through: {through}.",))
        case WinnerDeclared(data=winner):
            return _winner(winner, [one.data for one in every(story, MatchupComplete)], _called(story))
    return None


def _called(story: Sequence[Event]) -> Mapping[str, str]:
    """What each contestant is called: its model, and its seat where several have that model."""
    bracket = last_data(story, BracketSeeded)
    seeds = bracket.seeds if bracket else []
    return names(
        {one.contestant_id: one.model for one in seeds}, {one.contestant_id: one.seat for one in seeds}
    )


def _bracket(bracket: BracketData, called: Mapping[str, str]) -> Passage:
    order = (f"Seed {one.seed}: {called[one.contestant_id]}" for one in bracket.seeds)
    return Passage("Bracket", (f"{count(bracket.total_rounds, 'round')}.", *order))


def _name(side: SideData, called: Mapping[str, str]) -> str:
    return called.get(side.contestant_id, side.model)


def _match(match: MatchupData, called: Mapping[str, str]) -> str:
    upper, lower = match.contestant_a, match.contestant_b
    if lower is None:
        return f"{_name(upper, called)} is through without a match."
    won, lost = (upper, lower) if match.winner == "Response A" else (lower, upper)
    why = f", {_WHY[match.decided_by]}" if match.decided_by in _WHY else ""
    if match.decided_by == "score_margin" and not match.position_conflict:
        why = ", on points"
    return f"{_name(won, called)} beats {_name(lost, called)}{_score(match)}{why}."


def _score(match: MatchupData) -> str:
    if match.score_a is None or match.score_b is None:
        return ""
    high, low = sorted((match.score_a, match.score_b), reverse=True)
    ahead = match.score_a if match.winner == "Response A" else match.score_b
    return f" {ahead:g}:{low if ahead == high else high:g}"


def _winner(winner: WinnerData, matches: Sequence[MatchupData], called: Mapping[str, str]) -> Passage:
    name = called.get(winner.contestant_id, winner.model)
    won = f"{name} wins {count(winner.total_matchups_won, 'match', 'matches')} and the tournament."
    return Passage("Winner", (won,), drawing=tuple(_drawing(matches, called)))


def _drawing(matches: Sequence[MatchupData], called: Mapping[str, str]) -> list[str]:
    """A round below the other, the winner of each match marked."""
    lines: list[str] = []
    for match in sorted(matches, key=lambda one: (one.round, one.match_index)):
        indent = "      " * (match.round - 1)
        upper, lower = match.contestant_a, match.contestant_b
        if lower is None:
            lines.append(f"{indent}── {_name(upper, called)} (no match)")
            continue
        first = match.winner == "Response A"
        lines.append(f"{indent}┌─ {_name(upper, called)}{' ✓' if first else ''}")
        lines.append(f"{indent}└─ {_name(lower, called)}{'' if first else ' ✓'}")
    return lines


NARRATION = Narration({"collect": "Answers", "round": "Round"}, tell)
