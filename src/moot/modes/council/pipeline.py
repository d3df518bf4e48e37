"""The pipeline of council."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.parsing import Shown
from moot.deliberation.signatures import ballot_nonce
from moot.kernel.labels import Deal
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.values import Answer
from moot.modes.council.config import CouncilConfig
from moot.modes.council.events import (
    Stage1Complete,
    Stage2Complete,
    Stage2Metadata,
    Stage2Response,
    Stage2Start,
    Stage3Complete,
    Stage3Response,
    Stage3Start,
)
from moot.modes.council.prompts import ranking_prompt, synthesis_prompt
from moot.modes.council.rankings import read_ranking


async def council(run: Run[CouncilConfig]) -> None:
    outcomes = await run.ask_all("stage1", seats(run.config.council_models), run.conversation)
    answers = enough(outcomes, 2)
    await run.emit(Stage1Complete(data=answers))

    await run.emit(Stage2Start())
    labels = run.deal(answers)
    evaluators = {answer.seat or 0: answer.model for answer in answers}
    replies = await run.ask_all("stage2", evaluators, lambda seat: ranking_prompt(run, labels, seat))
    rankings = await read_rankings(run, labels, answered(replies))
    await run.emit(Stage2Complete(data=rankings, metadata=Stage2Metadata.of(rankings, labels)))

    await run.emit(Stage3Start())
    synthesis = await run.ask("stage3", run.config.chairman_model, synthesis_prompt(run, labels, rankings))
    await run.emit(Stage3Complete(data=Stage3Response.of(synthesis, run.notice)))


async def read_rankings(
    run: Run[CouncilConfig], labels: Deal[Answer], replies: Sequence[Answer]
) -> list[Stage2Response]:
    texts = [run.question, *(labels[label].response for label in labels)]
    material = Shown(texts)
    rankings = []
    for reply in replies:
        nonce = ballot_nonce(run.seed, "stage2", reply.seat, texts)
        ranking = read_ranking(reply.response, list(labels), material.with_nonce(nonce))
        rankings.append(Stage2Response.of(reply, ranking))
    for told in rankings:
        await tell_how_it_was_read(run, told, len(labels))
    return rankings


async def tell_how_it_was_read(run: Run[CouncilConfig], ranking: Stage2Response, answers: int) -> None:
    model, seat, placed = ranking.model, ranking.seat, len(ranking.parsed_ranking)
    if ranking.parsed_by == "abstention":
        await run.degrade(f"{model} ranked no response.", "abstention", "stage2", seat=seat)
    elif not placed:
        await run.degrade(f"{model}'s ranking could not be read.", "unreadable", "stage2", seat=seat)
    elif ranking.parsed_by == "mention":
        message = (
            f"{model} gave no list: the order in which it named the responses was taken for its ranking."
        )
        await run.degrade(message, "mention", "stage2", seat=seat)
    elif ranking.parsed_by == "incomplete":
        await run.degrade(
            f"{model} ranked {placed} of {answers} responses.", "incomplete", "stage2", seat=seat
        )
    elif ranking.parsed_by == "quotation":
        message = f"{model}'s ranking stands word for word in a text that it was shown."
        await run.warn(message, "quotation", "stage2", seat=seat)
