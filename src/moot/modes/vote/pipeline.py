"""Vote: every model answers, every model votes, the winner's answer is returned untouched.

collect ─▶ vote ─▶ (tie? the chairman breaks it) ─▶ winner
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from moot.deliberation import ballots
from moot.deliberation.ballots import (
    BallotCount,
    BallotWinner,
    Tally,
    VoteResponse,
    ballot_prompt,
    counted,
    read_votes,
    tally,
    voted_label,
    winning,
)
from moot.deliberation.parsing import Shown
from moot.kernel.call_estimate import Stint, each
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import Event, Opening, TitleComplete, last
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.mode import Count, Mode, ModeConfig, ModelId, Panel
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.seat_results import Reckoning, SeatResult
from moot.kernel.values import Answer, Maybe, Row, Wire


class VoteConfig(ModeConfig):
    council_models: Annotated[
        tuple[ModelId, ...],
        Count(3, 7, "Vote mode requires at least 3 models", "Maximum 7 models allowed"),
        Field(title="Voters", description="The models that answer and vote; one model may sit twice."),
    ]
    chairman_model: Annotated[
        ModelId, Field(title="Chairman", description="Asked only to break a tie; by default the first model.")
    ]


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"councilModels": panel.pick(3), "chairmanModel": panel.models[0]}


async def vote(run: Run[VoteConfig]) -> None:
    await run.emit(Stage1Start())
    outcomes = await run.ask_all("collect", seats(run.config.council_models), run.conversation)
    answers = enough(outcomes, 2)
    await run.emit(Stage1Complete(data=answers))

    await run.emit(VoteRoundStart())
    labels = run.deal(answers)
    voters = {answer.seat or 0: answer.model for answer in answers}
    ballots = await run.ask_all("vote", voters, lambda seat: ballot_prompt(run, VOTE_PROMPT, labels, seat))
    votes = await read_votes(run, "vote", answered(ballots), labels)
    count = tally(votes, labels)
    await run.emit(VoteRoundComplete(data=vote_round(votes, count, labels)))
    if not count.leaders:
        raise RunFailed("All votes failed to parse.")

    tiebreak = None
    if count.tied:
        await run.emit(TiebreakerStart())
        tiebreak = await break_tie(run, labels, count)
        await run.emit(TiebreakerComplete(data=tiebreak))

    label = tiebreak.voted_for if tiebreak else count.leaders[0]
    await run.emit(WinnerDeclared(data=VoteWinnerResult.of(labels, label, count, tiebreak, run.notice)))


async def break_tie(run: Run[VoteConfig], labels: Deal[Answer], count: Tally) -> TiebreakerResult:
    """The chairman has two tries to name a tied response; then the first letter wins."""
    prompt, chairman = tiebreaker_prompt(run, labels, count), run.config.chairman_model
    texts = Shown([run.question, *(labels[label].response for label in count.tied)])
    reply = await run.ask("tiebreaker", chairman, prompt)
    choice = voted_label(reply.response, count.tied, texts)
    if choice not in count.tied:
        try:
            reply = await run.ask("tiebreaker/again", chairman, prompt, tell=False)
            choice = voted_label(reply.response, count.tied, texts)
        except NoAnswer:
            choice = None
    broken = choice if choice in count.tied else None
    if broken is None:
        await run.degrade(
            f"{chairman} named none of the tied responses: the first letter wins.", "tiebreak", "tiebreaker"
        )
    return TiebreakerResult(
        model=reply.model,
        vote_text=reply.response,
        voted_for=broken or count.tied[0],
        response_time_ms=reply.response_time_ms,
        tied_labels=count.tied,
        tied_vote_count=count.counts[count.tied[0]],
        tiebreaker_method=None if broken else "alphabetical",
    )


def vote_round(votes: Sequence[VoteResponse], count: Tally, labels: Deal[Answer]) -> VoteRoundResult:
    return VoteRoundResult(
        **counted(votes, count), label_to_model=labels.label_to_model, label_to_seat=labels.label_to_seat
    )


def tiebreaker_prompt(run: Run[VoteConfig], labels: Deal[Answer], count: Tally) -> str:
    order = labels.order_for("chairman", count.tied)
    responses = [(f"{label} ({count.counts[label]} votes)", labels[label].response) for label in order]
    return run.fill(TIEBREAKER_PROMPT, question=Foreign(run.question), responses=shown(responses))


VOTE_PROMPT = """\
You are voting for the single best response to a question. Read all responses carefully, then cast exactly \
ONE vote.

Question: {question}

{responses}Consider: accuracy, completeness, clarity, helpfulness, and practical value.

You MUST end your response with your vote in this exact format:
VOTE: Response X

where X is the letter of your chosen response. You may provide brief reasoning before the vote, but the last \
line MUST be your vote."""

TIEBREAKER_PROMPT = """\
There is a tie in the voting. The following responses received equal votes:

{responses}Original question: {question}

Choose the single best response. Reply with ONLY:
VOTE: Response X"""


class VoteRoundResult(BallotCount):
    label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]


class TiebreakerResult(Wire):
    model: str
    vote_text: str
    voted_for: str
    response_time_ms: int
    tied_labels: list[str]
    tied_vote_count: int
    tiebreaker_method: Maybe[Literal["alphabetical"]]


class VoteWinnerResult(BallotWinner):
    tiebreaker_model: Maybe[str]

    @classmethod
    def of(
        cls,
        labels: Deal[Answer],
        label: str,
        count: Tally,
        tiebreak: TiebreakerResult | None,
        notice: Mapping[str, Any],
    ) -> VoteWinnerResult:
        return cls(
            **winning(labels, label, count),
            tiebreaker_model=tiebreak.model if tiebreak else None,
            tiebreaker_method=tiebreak.tiebreaker_method if tiebreak else None,
            **notice,
        )


class VoteResult(Wire):
    stage1: Maybe[list[Answer]]
    vote_round: Maybe[VoteRoundResult]
    tiebreaker: Maybe[TiebreakerResult]
    winner: Maybe[VoteWinnerResult]
    title: Maybe[str]


class VoteStart(Opening):
    type = "vote_start"


class Stage1Start(Event):
    type = "stage1_start"


class Stage1Complete(Event):
    type = "stage1_complete"
    data: list[Answer]


class VoteRoundStart(Event):
    type = "vote_round_start"


class VoteRoundComplete(Event):
    type = "vote_round_complete"
    data: VoteRoundResult


class TiebreakerStart(Event):
    type = "tiebreaker_start"


class TiebreakerComplete(Event):
    type = "tiebreaker_complete"
    data: TiebreakerResult


class WinnerDeclared(Event):
    type = "winner_declared"
    data: VoteWinnerResult


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case Stage1Complete(data=answers):
            for answer in answers:
                yield Row.of_answer("collect", 1, "respondent", answer)
        case VoteRoundComplete(data=votes):
            yield Row("label_map", 0, json.dumps(votes.label_to_model), parsed_data=votes.label_to_model)
            for ballot in votes.votes:
                yield ballot.row("vote", 2)
            yield votes.row("vote_tally", 3)
        case TiebreakerComplete(data=tiebreak):
            yield Row(
                "tiebreaker",
                4,
                tiebreak.vote_text,
                model=tiebreak.model,
                role="chairman",
                parsed_data=tiebreak.model_dump(exclude={"model", "vote_text", "response_time_ms"}),
                response_time_ms=tiebreak.response_time_ms,
            )
        case WinnerDeclared(data=winner):
            yield winner.row("winner", 5)


def result(events: Sequence[Event]) -> VoteResult:
    stage1, round_, tiebreak = (
        last(events, Stage1Complete),
        last(events, VoteRoundComplete),
        last(events, TiebreakerComplete),
    )
    winner, title = last(events, WinnerDeclared), last(events, TitleComplete)
    return VoteResult(
        stage1=stage1.data if stage1 else None,
        vote_round=round_.data if round_ else None,
        tiebreaker=tiebreak.data if tiebreak else None,
        winner=winner.data if winner else None,
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last(events, WinnerDeclared)
    return winner.data.winner_response if winner else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    counted, winner = last(events, VoteRoundComplete), last(events, WinnerDeclared)
    if counted is None or winner is None:
        return ()
    count = counted.data
    return ballots.seat_results(count, winner.data.winner_label, count.label_to_model, count.label_to_seat)


MODE = Mode(
    id="vote",
    config=VoteConfig,
    defaults=defaults,
    pipeline=vote,
    events=(
        VoteStart,
        Stage1Start,
        Stage1Complete,
        VoteRoundStart,
        VoteRoundComplete,
        TiebreakerStart,
        TiebreakerComplete,
        WinnerDeclared,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Stage1Complete,
    title_model=lambda config: config.chairman_model,
    workload=lambda config: (
        *each("collect", config.council_models),
        *each("vote", config.council_models, reads=len(config.council_models)),
        Stint("tiebreaker", (config.chairman_model,), calls=2, reads=len(config.council_models)),
    ),
    reckoning=Reckoning(
        seat_results,
        wins="Its answer is declared the winner.",
        agrees="It voted for the winner.",
    ),
)
