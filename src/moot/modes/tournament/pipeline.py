"""The stages of a tournament: collect answers, draw the bracket, play rounds until one answer is left.

A judge sees each pair in both orders. Where it says nothing of use about a match, the better seed goes on;
where it is silent on every match of a round, the run ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_to_mend
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
    combine_attempts,
    consistency,
    is_overturned,
    read_judge,
)
from moot.modes.tournament.match import Match, bracket_data, path_of, standings
from moot.modes.tournament.prompts import judge_prompt, strict_prompt, verdict_layout

ROUND_SECONDS = 30.0
"""What each later round keeps of the pipeline's time."""
NO_VERDICT = "it has no line that names the winner, Response A or Response B"
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
        # A run that was cut off before these words came says it again as it did.
        shares = "shares a" if run.follows(3) else "is of one"
        await run.warn(f"The judge {shares} provider with {names}.", "judge_kinship", "bracket_seed")


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
    outcome = MatchOutcome(match, matchup, replies)
    if match.needs_no_judge or outcome.has_reply:
        await emit_matchup(run, outcome)
    return outcome


async def judge(run: Run[TournamentConfig], match: Match, order: Order) -> JudgeReply:
    """No reply: the same prompt once more. A reply without a verdict: asked for it, once."""
    pair = match.texts if order == "forward" else match.texts[::-1]
    texts = [run.question, *pair]
    shown = Shown(texts, ballot_nonce(run.seed, match.step, order, texts))
    prompt = judge_prompt(run, pair, shown.nonce)
    reserve = ROUND_SECONDS * (match.draw.rounds - match.round)
    first = await ask_judge(run, match.step, prompt, reserve)
    replies: list[Answer | Failure | None] = [first]
    if isinstance(first, Failure):
        replies.append(await ask_judge(run, f"{match.step}/again", prompt, reserve))
    elif read_judge(first, shown).verdict is None:
        if run.follows(2):
            replies.append(await mend(run, match, first, prompt, shown.nonce, reserve))
        else:
            stricter = strict_prompt(run, pair, shown.nonce)
            replies.append(await ask_judge(run, f"{match.step}/repair", stricter, reserve))
    return JudgeReply.of(order, replies, shown)


async def mend(
    run: Run[TournamentConfig], match: Match, reply: Answer, prompt: Prompt, nonce: str, reserve: float
) -> Answer | None:
    """The verdict that the judge's reply lacks, from the judge who sees that reply."""
    again = await ask_to_mend(
        run,
        reply,
        prompt,
        step=match.step,
        problem=NO_VERDICT,
        layout=verdict_layout(nonce),
        reserve=reserve,
        since=2,
    )
    # It comes with the time of both calls, and that of the first is counted with the first.
    own = again.response_time_ms - reply.response_time_ms if again else 0
    return again and again.model_copy(update={"response_time_ms": own})


async def ask_judge(
    run: Run[TournamentConfig], step: str, prompt: Prompt, reserve: float
) -> Answer | Failure:
    """A failure is reported after the round: see `report_gaps`."""
    try:
        return await run.ask(step, run.config.judge_model, prompt, reserve=reserve, report_failure=False)
    except NoAnswer as silent:
        return silent.failure


async def report_gaps(run: Run[TournamentConfig], number: int, outcomes: Sequence[MatchOutcome]) -> None:
    """Where the judge was silent or could not be read, in the order of the bracket, so that a resumed run
    reports the same. A judge that was silent on the whole round ends the run."""
    for outcome in outcomes:
        if outcome.failures:
            await run.give_up(outcome.failures[0])
        await report_readings(run, f"Round {number}, {outcome.match.title}", outcome)
    if outcomes and not any(outcome.has_reply for outcome in outcomes):
        reason = outcomes[0].failures[0].reason
        raise RunFailed(f"Judge failed on every matchup of round {number}. {reason}")


async def report_readings(run: Run[TournamentConfig], where: str, outcome: MatchOutcome) -> None:
    """A verdict that is missing degrades the result; one that stands against its own scores does not."""
    step, replies = outcome.match.step, outcome.replies
    overturned = sum(reply.overturned for reply in replies)
    unreadable = sum(reply.judgement.verdict is None and any(reply.judgement.texts) for reply in replies)
    if unreadable > overturned:
        count = f"{unreadable - overturned} of {len(replies)} verdicts"
        await run.degrade(f"{where}: {count} could not be read.", "unreadable", step)
    if overturned:
        count = f"{overturned} of {len(replies)} verdicts"
        message = (
            f"{where}: when asked again, the judge contradicted its scores in {count}; the scores count."
        )
        await run.degrade(message, "contradiction", step)
    contradictory = sum(reply.contradictory for reply in replies)
    if contradictory:
        count = f"{contradictory} of {len(replies)} verdicts"
        message = f"{where}: the judge's own scores contradict {count}; the verdict counts."
        await run.warn(message, "contradiction", step)


class JudgeReply(NamedTuple):
    """One order of a match, and why the judge was silent on it if it was.

    `overturned`: asked for its verdict, the judge named the one that its scores speak against.
    `contradictory`: it gave a verdict and such scores at once.
    """

    judgement: Judgement
    failure: Failure | None
    overturned: bool
    contradictory: bool

    @classmethod
    def of(cls, order: Order, replies: Sequence[Answer | Failure | None], shown: Shown) -> JudgeReply:
        texts = [reply.response if isinstance(reply, Answer) else None for reply in replies]
        readings = [read_judge(reply, shown) for reply in replies if isinstance(reply, Answer)]
        milliseconds = sum(reply.response_time_ms for reply in replies if reply)
        last = replies[-1]
        return cls(
            combine_attempts(order, readings, texts, milliseconds),
            last if isinstance(last, Failure) and not readings else None,
            is_overturned(readings),
            any(reading.contradiction for reading in readings),
        )


class MatchOutcome(NamedTuple):
    """What came of a match, and what the judge said of each order of it."""

    match: Match
    matchup: MatchupData
    replies: Sequence[JudgeReply]

    @property
    def failures(self) -> list[Failure]:
        return [reply.failure for reply in self.replies if reply.failure]

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
