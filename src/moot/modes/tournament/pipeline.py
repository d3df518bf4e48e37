"""The pipeline of tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.deliberation.parsing import Shown
from moot.deliberation.signatures import ballot_nonce
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import LEAST_SECONDS, Run, answered, enough, seats
from moot.kernel.values import Answer, Failure, Prompt
from moot.modes.tournament.bracket import Contestant, Draw, Pairing, first_round, next_round, rounds_needed
from moot.modes.tournament.config import TournamentConfig
from moot.modes.tournament.events import (
    BracketSeeded,
    CollectComplete,
    CollectStart,
    MatchupComplete,
    RoundComplete,
    RoundData,
    RoundStart,
    WinnerData,
    WinnerDeclared,
)
from moot.modes.tournament.judging import Judgement, Order, consistency, judged, read_reply
from moot.modes.tournament.match import BracketData, Match, MatchupData, RoundOutcome, path_of, standings
from moot.modes.tournament.prompts import JUDGE_PROMPT, STRICT_PROMPT, judge_prompt

ROUND_SECONDS = 30.0
"""What each later round keeps of the pipeline's time."""
UNSTEADY = "judge depends on the order of the answers"


async def tournament(run: Run[TournamentConfig]) -> None:
    await run.emit(CollectStart())
    rounds = rounds_needed(len(run.config.contestant_models))
    outcomes = await run.ask_all(
        "collect", seats(run.config.contestant_models), run.question, reserve=ROUND_SECONDS * rounds
    )
    contestants = [Contestant.of(answer) for answer in two_answers(outcomes)]
    await run.emit(CollectComplete(data=contestants))

    await warn_of_kinship(run)
    draw = Draw.of(contestants, run.config.seeding, run.config.seed or run.seed)
    await run.emit(BracketSeeded(data=BracketData.of(draw, failures(outcomes), run.warnings)))

    played: list[list[MatchupData]] = []
    pairings = first_round(draw.seeded)
    for number in range(1, draw.rounds + 1):
        matchups = await play_round(run, draw, number, pairings)
        played.append(matchups)
        pairings = next_round([draw.by_id[matchup.winner_id] for matchup in matchups])

    steadiness = consistency([matchup.judgements for matchups in played for matchup in matchups])
    if steadiness is not None and steadiness < 0.5:
        await run.warn(UNSTEADY, "judge_consistency", "winner")
    await run.emit(WinnerDeclared(data=winner_data(run, draw, played, steadiness)))


def failures(outcomes: Sequence[Answer | Failure]) -> list[Failure]:
    return [outcome for outcome in outcomes if isinstance(outcome, Failure)]


def two_answers(outcomes: Sequence[Answer | Failure]) -> list[Answer]:
    came = len(answered(outcomes))
    return enough(
        outcomes, 2, f"Tournament needs 2 answers, got {came}." if came else "All contestants failed."
    )


async def warn_of_kinship(run: Run[TournamentConfig]) -> None:
    """A judge may favour the style of its own family: advice, nothing is lost."""
    family = run.config.judge_model.split("/", 1)[0]
    kin = [model for model in run.config.contestant_models if model.split("/", 1)[0] == family]
    if kin:
        named = ", ".join(dict.fromkeys(kin))
        await run.warn(f"The judge is of one provider with {named}.", "judge_kinship", "bracket_seed")


async def play_round(
    run: Run[TournamentConfig], draw: Draw, number: int, pairings: Sequence[Pairing[Contestant]]
) -> list[MatchupData]:
    if not await run.time_for(f"round_{number}", LEAST_SECONDS):
        raise RunFailed(f"Pipeline timed out in round {number}")
    matches = [Match(draw, number, index, pairing) for index, pairing in enumerate(pairings)]
    await run.emit(
        RoundStart(data=RoundData(round=number, matchups=[match.pair for match in matches])), key=str(number)
    )
    trials = answered(await run.together(try_match(run, match) for match in matches))
    await tell_what_is_missing(run, number, [trial for trial in trials if trial.matchup.judgements])
    for trial in trials:
        await tell(run, trial)
    matchups = [trial.matchup for trial in trials]
    await run.emit(RoundComplete(data=RoundOutcome.of(number, matchups)), key=str(number))
    return matchups


async def tell(run: Run[TournamentConfig], trial: Trial) -> None:
    await run.emit(MatchupComplete(data=trial.matchup), key=trial.match.key)


async def try_match(run: Run[TournamentConfig], match: Match) -> Trial:
    """Both orders at once. A match on which the judge was silent is told after the round: it counts only
    if the judge was heard on another."""
    orders: Sequence[Order] = () if match.needs_no_judge else ("forward", "reversed")
    if not run.config.swap_order:
        orders = orders[:1] if match.shows_upper_first else orders[1:]
    heard = answered(await run.together(judge(run, match, order) for order in orders))
    matchup = match.settled([one.judgement for one in heard], run.config.judge_model)
    trial = Trial(match, matchup, [one.failure for one in heard if one.failure])
    if match.needs_no_judge or trial.was_heard:
        await tell(run, trial)
    return trial


async def judge(run: Run[TournamentConfig], match: Match, order: Order) -> JudgeReply:
    """No reply: the same prompt once more. A reply without a verdict: a stricter prompt, once."""
    pair = match.texts if order == "forward" else match.texts[::-1]
    texts = [run.question, *pair]
    shown = Shown(texts, ballot_nonce(run.seed, match.step, order, texts))
    prompt = judge_prompt(run, pair, JUDGE_PROMPT, shown.nonce)
    reserve = ROUND_SECONDS * (match.draw.rounds - match.round)
    replies = [await one_try(run, match.step, prompt, reserve)]
    if isinstance(replies[0], Failure):
        replies.append(await one_try(run, f"{match.step}/again", prompt, reserve))
    readings = [read_reply(reply.response, shown) for reply in answered(replies)]
    if len(replies) == 1 and readings[0].verdict is None:
        strict = await one_try(
            run, f"{match.step}/repair", judge_prompt(run, pair, STRICT_PROMPT, shown.nonce), reserve
        )
        replies.append(strict)
        readings += [read_reply(reply.response, shown) for reply in answered([strict])]
    judgement = judged(
        order,
        readings,
        [None if isinstance(reply, Failure) else reply.response for reply in replies],
        sum(reply.response_time_ms for reply in replies),
    )
    silent = failures(replies)
    return JudgeReply(judgement, silent[-1] if len(silent) == len(replies) else None)


async def one_try(run: Run[TournamentConfig], step: str, prompt: Prompt, reserve: float) -> Answer | Failure:
    try:
        return await run.ask(step, run.config.judge_model, prompt, reserve=reserve, report_failure=False)
    except NoAnswer as silent:
        return silent.failure


async def tell_what_is_missing(run: Run[TournamentConfig], number: int, trials: Sequence[Trial]) -> None:
    """In the order of the bracket, so that a resumed run tells the same."""
    for trial in trials:
        if trial.failures:
            await run.give_up(trial.failures[0])
        judgements = trial.matchup.judgements
        unread = [one for one in judgements if one.verdict is None and any(one.texts)]
        if unread:
            count = f"{len(unread)} of {len(judgements)} verdicts"
            message = f"Round {number}, {trial.match.title}: {count} could not be read."
            await run.degrade(message, "unreadable", trial.match.step)
    if trials and not any(trial.was_heard for trial in trials):
        reason = trials[0].failures[0].reason
        raise RunFailed(f"Judge failed on every matchup of round {number}. {reason}")


class JudgeReply(NamedTuple):
    """One order of a match, and why the judge was silent on it if it was."""

    judgement: Judgement
    failure: Failure | None


class Trial(NamedTuple):
    """A match, what came of it, and why the judge was silent on an order of it."""

    match: Match
    matchup: MatchupData
    failures: list[Failure]

    @property
    def was_heard(self) -> bool:
        return any(any(one.texts) for one in self.matchup.judgements)


def winner_data(
    run: Run[TournamentConfig],
    draw: Draw,
    played: Sequence[Sequence[MatchupData]],
    steadiness: float | None,
) -> WinnerData:
    champion = draw.by_id[played[-1][0].winner_id]
    path = path_of(champion.contestant_id, played)
    return WinnerData(
        model=champion.model,
        seat=champion.seat,
        contestant_id=champion.contestant_id,
        response=champion.response,
        bracket_path=path,
        total_matchups_won=sum(step.result == "won" for step in path),
        total_rounds=draw.rounds,
        standings=standings(draw, played),
        judge_consistency=steadiness,
        **run.state,
    )
