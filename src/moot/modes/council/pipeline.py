"""The stages of a council: answer, rank the answers without names, synthesise.

Two answers are enough to go on; a ranking that cannot be read enters no average, but the chairman reads its
words. The chairman's text is the answer, so nobody takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.parsing import Shown
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
from moot.modes.council.prompts import ranking_nonce, ranking_prompt, shown_texts, synthesis_prompt
from moot.modes.council.rankings import read_ranking


async def council(run: Run[CouncilConfig]) -> None:
    outcomes = await run.ask_all("stage1", seats(run.config.council_models), run.conversation)
    answers = enough(outcomes, 2)
    await run.emit(Stage1Complete(data=answers))

    await run.emit(Stage2Start())
    labels = run.deal(answers)
    evaluators = {answer.seat or 0: answer.model for answer in answers}
    replies = await run.ask_all("stage2", evaluators, lambda seat: ranking_prompt(run, labels, seat))
    rankings = read_rankings(run, labels, answered(replies))
    for ranking in rankings:
        await report_reading(run, ranking, len(labels))
    await run.emit(Stage2Complete(data=rankings, metadata=Stage2Metadata.of(rankings, labels)))

    await run.emit(Stage3Start())
    synthesis = await run.ask("stage3", run.config.chairman_model, synthesis_prompt(run, labels, rankings))
    await run.emit(Stage3Complete(data=Stage3Response.of(synthesis, run.notice)))


def read_rankings(
    run: Run[CouncilConfig], labels: Deal[Answer], replies: Sequence[Answer]
) -> list[Stage2Response]:
    shown = Shown(shown_texts(run, labels))
    rankings = []
    for reply in replies:
        nonce = ranking_nonce(run, labels, reply.seat or 0)
        ranking = read_ranking(reply.response, list(labels), shown.with_nonce(nonce))
        rankings.append(Stage2Response.of(reply, ranking))
    return rankings


async def report_reading(run: Run[CouncilConfig], ranking: Stage2Response, answers: int) -> None:
    """Say so where a ranking could not be read, is incomplete, or had to be guessed."""
    model, seat, places = ranking.model, ranking.seat, len(ranking.parsed_ranking)
    if ranking.parsed_by == "abstention":
        await run.degrade(f"{model} ranked no response.", "abstention", "stage2", seat=seat)
    elif not places:
        await run.degrade(f"{model}'s ranking could not be read.", "unreadable", "stage2", seat=seat)
    elif ranking.parsed_by == "mention":
        message = (
            f"{model} gave no list: the order in which it named the responses was taken for its ranking."
        )
        await run.degrade(message, "mention", "stage2", seat=seat)
    elif ranking.parsed_by == "incomplete":
        message = f"{model} ranked {places} of {answers} responses."
        await run.degrade(message, "incomplete", "stage2", seat=seat)
    elif ranking.parsed_by == "quotation":
        message = f"{model}'s ranking stands word for word in a text that it was shown."
        await run.warn(message, "quotation", "stage2", seat=seat)
