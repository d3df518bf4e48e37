"""The stages of a tournament: collect answers, draw the bracket, play rounds until one answer is left.

A judge sees each pair in both orders. Where it says nothing of use about a match, the better seed goes on;
where it is silent on every match of a round, the run ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.deliberation.parsing import Shown
from moot.deliberation.signatures import ballot_nonce
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import LEAST_SECONDS, Run, answered, enough, seats
from moot.kernel.values import Answer, Failure, Prompt
from moot.modes.tournament.bracket import Pairing, first_round, next_round, rounds_needed
from moot.modes.tournament.config import TournamentConfig
from moot.modes.tournament.draw import Draw
from moot.modes.tournament.events import (
    BracketSeeded,
    CollectComplete,
    CollectStart,
    Contestant,
    MatchupComplete,
    MatchupData,
    RoundComplete,
    RoundData,
    RoundOutcome,
    RoundStart,
    WinnerData,
    WinnerDeclared,
)
from moot.modes.tournament.judging import (
    Judgement,
    Order,
    Reading,
    combine_attempts,
    consistency,
    read_reply,
)
from moot.modes.tournament.match import Match, bracket_data, path_of, standings
from moot.modes.tournament.prompts import judge_prompt, strict_prompt

ROUND_SECONDS = 30.0
"""What each later round keeps of the pipeline's time."""
INCONSISTENT = "judge depends on the order of the answers"


async def tournament(run: Run[TournamentConfig]) -> None:
    await run.emit(CollectStart())
    models = run.config.contestant_models
    reserve = ROUND_SECONDS * rounds_needed(len(models))
    outcomes = await run.ask_all("collect", seats(models), run.question, reserve=reserve)
    contestants = [Contestant.of(answer) for answer in two_answers(outcomes)]
    await run.emit(CollectComplete(data=contestants))

    await warn_of_kinship(run)
    draw = Draw.of(contestants, run.config.seeding, run.config.seed or run.seed)
    await run.emit(BracketSeeded(data=bracket_data(draw, failures(outcomes), run.warnings)))

    rounds: list[list[MatchupData]] = []
    pairings = first_round(draw.contestants)
    for number in range(1, draw.rounds + 1):
        matchups = await play_round(run, draw, number, pairings)
        rounds.append(matchups)
        pairings = next_round([draw.by_id[matchup.winner_id] for matchup in matchups])

    judge_consistency = consistency([matchup.judgements for matchups in rounds for matchup in matchups])
    if judge_consistency is not None and judge_consistency < 0.5:
        await run.warn(INCONSISTENT, "judge_consistency", "winner")
    await run.emit(WinnerDeclared(data=winner_data(run, draw, rounds, judge_consistency)))


def failures(outcomes: Sequence[Answer | Failure]) -> list[Failure]:
    return [outcome for outcome in outcomes if isinstance(outcome, Failure)]


def two_answers(outcomes: Sequence[Answer | Failure]) -> list[Answer]:
    count = len(answered(outcomes))
    message = f"Tournament needs 2 answers, got {count}." if count else "All contestants failed."
    return enough(outcomes, 2, message)


async def warn_of_kinship(run: Run[TournamentConfig]) -> None:
    """A judge may favour the style of its own family. This is advice: the result stays whole."""
    family = run.config.judge_model.split("/", 1)[0]
    kin = [model for model in run.config.contestant_models if model.split("/", 1)[0] == family]
    if kin:
        names = ", ".join(dict.fromkeys(kin))
        await run.warn(f"The judge is of one provider with {names}.", "judge_kinship", "bracket_seed")


async def play_round(
    run: Run[TournamentConfig], draw: Draw, number: int, pairings: Sequence[Pairing[Contestant]]
) -> list[MatchupData]:
    if not await run.time_for(f"round_{number}", LEAST_SECONDS):
        raise RunFailed(f"Pipeline timed out in round {number}")
    matches = [Match(draw, number, index, pairing) for index, pairing in enumerate(pairings)]
    data = RoundData(round=number, matchups=[match.pair for match in matches])
    await run.emit(RoundStart(data=data), key=str(number))
    outcomes = answered(await run.together(play_match(run, match) for match in matches))
    await report_gaps(run, number, [outcome for outcome in outcomes if outcome.matchup.judgements])
    for outcome in outcomes:
        # An event is told once: for those that `play_match` told already this does nothing.
        await emit_matchup(run, outcome)
    matchups = [outcome.matchup for outcome in outcomes]
    await run.emit(RoundComplete(data=RoundOutcome.of(number, matchups)), key=str(number))
    return matchups


async def emit_matchup(run: Run[TournamentConfig], outcome: MatchOutcome) -> None:
    await run.emit(MatchupComplete(data=outcome.matchup), key=outcome.match.key)


async def play_match(run: Run[TournamentConfig], match: Match) -> MatchOutcome:
    """Both orders at once. The result is told as soon as it is there, unless the judge was silent: such a
    match counts only if the judge replied on another one, and that is known after the round."""
    orders: Sequence[Order] = () if match.needs_no_judge else ("forward", "reversed")
    if not run.config.swap_order:
        orders = orders[:1] if match.shows_upper_first else orders[1:]
    replies = answered(await run.together(judge(run, match, order) for order in orders))
    matchup = match.settle([reply.judgement for reply in replies], run.config.judge_model)
    outcome = MatchOutcome(match, matchup, [reply.failure for reply in replies if reply.failure])
    if match.needs_no_judge or outcome.has_reply:
        await emit_matchup(run, outcome)
    return outcome


async def judge(run: Run[TournamentConfig], match: Match, order: Order) -> JudgeReply:
    """No reply: the same prompt once more. A reply without a verdict: a stricter prompt, once."""
    pair = match.texts if order == "forward" else match.texts[::-1]
    texts = [run.question, *pair]
    shown = Shown(texts, ballot_nonce(run.seed, match.step, order, texts))
    prompt = judge_prompt(run, pair, shown.nonce)
    reserve = ROUND_SECONDS * (match.draw.rounds - match.round)
    replies = [await ask_judge(run, match.step, prompt, reserve)]
    readings = read_replies(replies, shown)
    if not readings:
        replies.append(await ask_judge(run, f"{match.step}/again", prompt, reserve))
    elif readings[0].verdict is None:
        stricter = strict_prompt(run, pair, shown.nonce)
        replies.append(await ask_judge(run, f"{match.step}/repair", stricter, reserve))
    readings += read_replies(replies[1:], shown)
    judgement = combine_attempts(
        order,
        readings,
        [None if isinstance(reply, Failure) else reply.response for reply in replies],
        sum(reply.response_time_ms for reply in replies),
    )
    silent = failures(replies)
    return JudgeReply(judgement, silent[-1] if len(silent) == len(replies) else None)


async def ask_judge(
    run: Run[TournamentConfig], step: str, prompt: Prompt, reserve: float
) -> Answer | Failure:
    """A failure is reported after the round: see `report_gaps`."""
    try:
        return await run.ask(step, run.config.judge_model, prompt, reserve=reserve, report_failure=False)
    except NoAnswer as silent:
        return silent.failure


def read_replies(replies: Sequence[Answer | Failure], shown: Shown) -> list[Reading]:
    return [read_reply(reply.response, shown) for reply in answered(replies)]


async def report_gaps(run: Run[TournamentConfig], number: int, outcomes: Sequence[MatchOutcome]) -> None:
    """Where the judge was silent or could not be read, in the order of the bracket, so that a resumed run
    reports the same. A judge that was silent on the whole round ends the run."""
    for outcome in outcomes:
        if outcome.failures:
            await run.give_up(outcome.failures[0])
        judgements = outcome.matchup.judgements
        unreadable = [one for one in judgements if one.verdict is None and any(one.texts)]
        if unreadable:
            count = f"{len(unreadable)} of {len(judgements)} verdicts"
            message = f"Round {number}, {outcome.match.title}: {count} could not be read."
            await run.degrade(message, "unreadable", outcome.match.step)
    if outcomes and not any(outcome.has_reply for outcome in outcomes):
        reason = outcomes[0].failures[0].reason
        raise RunFailed(f"Judge failed on every matchup of round {number}. {reason}")


class JudgeReply(NamedTuple):
    """One order of a match, and why the judge was silent on it if it was."""

    judgement: Judgement
    failure: Failure | None


class MatchOutcome(NamedTuple):
    """What came of a match, and why the judge was silent on an order of it if it was."""

    match: Match
    matchup: MatchupData
    failures: list[Failure]

    @property
    def has_reply(self) -> bool:
        return any(any(judgement.texts) for judgement in self.matchup.judgements)


def winner_data(
    run: Run[TournamentConfig],
    draw: Draw,
    rounds: Sequence[Sequence[MatchupData]],
    judge_consistency: float | None,
) -> WinnerData:
    champion = draw.by_id[rounds[-1][0].winner_id]
    path = path_of(champion.contestant_id, rounds)
    return WinnerData(
        model=champion.model,
        seat=champion.seat,
        contestant_id=champion.contestant_id,
        response=champion.response,
        bracket_path=path,
        total_matchups_won=sum(step.result == "won" for step in path),
        total_rounds=draw.rounds,
        standings=standings(draw, rounds),
        judge_consistency=judge_consistency,
        **run.state,
    )
