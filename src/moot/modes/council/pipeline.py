"""The pipeline of council."""

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
from moot.modes.council.prompts import ranking_prompt, synthesis_prompt
from moot.modes.council.rankings import parse_ranking


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
    texts = Shown([run.question, *(labels[label].response for label in labels)])
    rankings = [
        Stage2Response.of(reply, parse_ranking(reply.response, list(labels), texts)) for reply in replies
    ]
    for ranking in rankings:
        if not ranking.parsed_ranking:
            await run.degrade(
                f"{ranking.model}'s ranking could not be read.", "unreadable", "stage2", seat=ranking.seat
            )
    return rankings
