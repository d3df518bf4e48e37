"""Debate: everyone answers, reads the others, may revise; then all vote on what they ended with.

initial_answer ─▶ revision ─▶ debate_vote ─▶ winner   (a tie goes to the first letter: peers, no chairman)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from moot.deliberation import ballots
from moot.deliberation.ballots import (
    BallotCount,
    BallotWinner,
    Tally,
    ballot_prompt,
    counted,
    read_votes,
    tally,
    winning,
)
from moot.deliberation.parsing import Shown
from moot.kernel.call_estimate import each
from moot.kernel.errors import RunFailed
from moot.kernel.events import Event, Opening, TitleComplete, last
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.mode import Between, Count, Mode, ModeConfig, ModelId, Panel
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.seat_results import Reckoning, SeatResult
from moot.kernel.values import Answer, Failure, Maybe, Row, Wire
from moot.modes.debate.revisions import Decision, RevisionResponse, read_revision


class DebateConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(3, 6, "Debate mode requires at least 3 models", "Maximum 6 models allowed"),
        Field(title="Debaters", description="Equal peers: all answer, revise and vote."),
    ]
    timeout_ms: Annotated[
        int,
        Between("timeoutMs", 10_000, 600_000),
        Field(title="Timeout", description="How long one call to a model may take, in milliseconds."),
    ] = 120_000


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"models": panel.pick(3)}


async def debate(run: Run[DebateConfig]) -> None:
    await run.emit(Round1Start())
    outcomes = await run.ask_all("initial_answer", seats(run.config.models), run.conversation)
    answers = enough(outcomes, 2)
    await run.emit(Round1Complete(data=answers))

    labels = run.deal(answers)
    await run.emit(RevisionStart(data=label_data(labels)))
    debaters = {answer.seat or 0: answer.model for answer in answers}
    replies = await run.ask_all("revision", debaters, lambda seat: revision_prompt(run, labels, seat))
    revisions = await read_revisions(run, answers, replies)
    await run.emit(RevisionComplete(data=RevisionRoundResult.of(revisions)))

    finals = run.deal([revision.as_answer() for revision in revisions], "2")
    await run.emit(VoteStart(data=revised_label_data(finals)))
    ballots = await run.ask_all(
        "debate_vote", debaters, lambda seat: ballot_prompt(run, VOTE_PROMPT, finals, seat)
    )
    votes = await read_votes(run, "debate_vote", answered(ballots), finals)
    count = tally(votes, finals)
    await run.emit(VoteComplete(data=vote_result(votes, count, finals)))
    if not count.leaders:
        raise RunFailed("All votes failed to parse.")

    await run.emit(WinnerDeclared(data=winner_result(revisions, finals, count, run.notice)))


async def read_revisions(
    run: Run[DebateConfig], answers: Sequence[Answer], replies: Sequence[Answer | Failure]
) -> list[RevisionResponse]:
    """Without a readable revision a debater's first answer stands."""
    texts = Shown([run.question, *(answer.response for answer in answers)])
    revisions = []
    for own, reply in zip(answers, replies, strict=True):
        if isinstance(reply, Failure):
            revisions.append(RevisionResponse.failed(own, reply))
            continue
        revision = read_revision(own, reply, texts)
        if not revision.parse_success:
            await run.degrade(f"{own.model} stated no decision.", "unreadable", "revision", seat=own.seat)
        revisions.append(revision)
    return revisions


def revision_prompt(run: Run[DebateConfig], labels: Deal[Answer], seat: int) -> str:
    own = labels.label_of(seat)
    others = [(label, labels[label].response) for label in labels.order_for(seat) if label != own]
    return run.fill(
        REVISION_PROMPT,
        question=Foreign(run.question),
        own=Foreign(labels[own].response),
        others=shown(others),
    )


def label_data(labels: Deal[Answer]) -> LabelData:
    return LabelData(label_map=labels.label_to_model, label_to_seat=labels.label_to_seat)


def revised_label_data(finals: Deal[Answer]) -> RevisedLabelData:
    return RevisedLabelData(revised_label_map=finals.label_to_model, label_to_seat=finals.label_to_seat)


def vote_result(votes: Sequence[Any], count: Tally, finals: Deal[Answer]) -> DebateVoteResult:
    return DebateVoteResult(
        **counted(votes, count),
        revised_label_to_model=finals.label_to_model,
        label_to_seat=finals.label_to_seat,
    )


def winner_result(
    revisions: Sequence[RevisionResponse], finals: Deal[Answer], count: Tally, notice: Mapping[str, Any]
) -> DebateWinnerResult:
    label = count.leaders[0]
    winner = next(revision for revision in revisions if revision.seat == finals[label].seat)
    return DebateWinnerResult(
        **winning(finals, label, count),
        winner_decision=winner.decision,
        tiebreaker_method="alphabetical" if count.tied else None,
        **notice,
    )


REVISION_PROMPT = """\
You previously answered a question. Now you will see how other respondents answered the same question \
(anonymously). You may revise your response or stand by your original if you believe it was superior.

ORIGINAL QUESTION:
{question}

YOUR ORIGINAL RESPONSE:
{own}

OTHER RESPONSES:
{others}Instructions:
1. Carefully consider the other responses. What insights do they offer that yours missed?
2. Identify any errors or omissions in your original response.
3. You have three options:
   a) REVISE: Produce an improved response incorporating insights from others
   b) STAND: Keep your original response unchanged (explain why)
   c) MERGE: Substantially rewrite by combining the best elements of all responses

State your choice, then provide the response:

DECISION: [REVISE|STAND|MERGE]
REASONING: [1-2 sentences on why]

REVISED RESPONSE:
[Your final response — if STAND, repeat your original]"""

VOTE_PROMPT = """\
After a round of deliberation, all respondents have finalized their answers. Vote for the single best \
response.

Question: {question}

{responses}Consider: accuracy, completeness, clarity, helpfulness, and practical value.

You MUST end your response with your vote in this exact format:
VOTE: Response X

where X is the letter of your chosen response. You may provide brief reasoning before the vote, but the last \
line MUST be your vote."""


class RevisionSummary(Wire):
    total_models: int
    revised: int
    stood: int
    merged: int
    parse_failed: int


class RevisionRoundResult(Wire):
    revisions: list[RevisionResponse]
    summary: RevisionSummary

    @classmethod
    def of(cls, revisions: list[RevisionResponse]) -> RevisionRoundResult:
        decisions = [revision.decision for revision in revisions]
        return cls(
            revisions=revisions,
            summary=RevisionSummary(
                total_models=len(decisions),
                revised=decisions.count("REVISE"),
                stood=decisions.count("STAND"),
                merged=decisions.count("MERGE"),
                parse_failed=decisions.count(None),
            ),
        )


class LabelData(Wire):
    label_map: dict[str, str]
    label_to_seat: dict[str, int | None]


class RevisedLabelData(Wire):
    revised_label_map: dict[str, str]
    label_to_seat: dict[str, int | None]


class DebateVoteResult(BallotCount):
    revised_label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]


class DebateWinnerResult(BallotWinner):
    winner_decision: Decision | None


class DebateResult(Wire):
    round1: Maybe[list[Answer]]
    round1_label_map: Maybe[dict[str, str]]
    revisions: Maybe[list[RevisionResponse]]
    revision_summary: Maybe[RevisionSummary]
    revised_label_map: Maybe[dict[str, str]]
    votes: Maybe[DebateVoteResult]
    winner: Maybe[DebateWinnerResult]
    title: Maybe[str]


class DebateStart(Opening):
    type = "debate_start"


class Round1Start(Event):
    type = "round1_start"


class Round1Complete(Event):
    type = "round1_complete"
    data: list[Answer]


class RevisionStart(Event):
    type = "revision_start"
    data: LabelData


class RevisionComplete(Event):
    type = "revision_complete"
    data: RevisionRoundResult


class VoteStart(Event):
    type = "vote_start"
    data: RevisedLabelData


class VoteComplete(Event):
    type = "vote_complete"
    data: DebateVoteResult


class WinnerDeclared(Event):
    type = "winner_declared"
    data: DebateWinnerResult


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case Round1Complete(data=answers):
            for answer in answers:
                yield Row.of_answer("initial_answer", 1, "respondent", answer)
        case RevisionStart(data=labels):
            yield Row("round1_label_map", 0, json.dumps(labels.label_map), parsed_data=labels.label_map)
        case RevisionComplete(data=round_):
            for revision in round_.revisions:
                yield revision.row()
            summary = round_.summary.model_dump()
            yield Row("revision_summary", 3, json.dumps(summary), parsed_data=summary)
        case VoteStart(data=labels):
            label_map = labels.revised_label_map
            yield Row("revised_label_map", 4, json.dumps(label_map), parsed_data=label_map)
        case VoteComplete(data=votes):
            for ballot in votes.votes:
                yield ballot.row("debate_vote", 5)
            yield votes.row("debate_vote_tally", 6)
        case WinnerDeclared(data=winner):
            yield winner.row("debate_winner", 7)


def result(events: Sequence[Event]) -> DebateResult:
    round1, labels = last(events, Round1Complete), last(events, RevisionStart)
    revision, finals = last(events, RevisionComplete), last(events, VoteStart)
    votes, winner, title = (
        last(events, VoteComplete),
        last(events, WinnerDeclared),
        last(events, TitleComplete),
    )
    return DebateResult(
        round1=round1.data if round1 else None,
        round1_label_map=labels.data.label_map if labels else None,
        revisions=revision.data.revisions if revision else None,
        revision_summary=revision.data.summary if revision else None,
        revised_label_map=finals.data.revised_label_map if finals else None,
        votes=votes.data if votes else None,
        winner=winner.data if winner else None,
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last(events, WinnerDeclared)
    return winner.data.winner_response if winner else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    counted, winner = last(events, VoteComplete), last(events, WinnerDeclared)
    if counted is None or winner is None:
        return ()
    count, label = counted.data, winner.data.winner_label
    return ballots.seat_results(count, label, count.revised_label_to_model, count.label_to_seat)


MODE = Mode(
    id="debate",
    config=DebateConfig,
    defaults=defaults,
    pipeline=debate,
    events=(
        DebateStart,
        Round1Start,
        Round1Complete,
        RevisionStart,
        RevisionComplete,
        VoteStart,
        VoteComplete,
        WinnerDeclared,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Round1Complete,
    title_model=lambda config: config.models[0],
    workload=lambda config: (
        *each("initial_answer", config.models),
        *each("revision", config.models, reads=len(config.models)),
        *each("debate_vote", config.models, reads=len(config.models)),
    ),
    reckoning=Reckoning(
        seat_results,
        wins="Its final answer is declared the winner.",
        agrees="It voted for the winner.",
    ),
)
