"""The stages of a council: answer, rank the answers without names, synthesise.

Two answers are enough to go on; a ranking that cannot be read enters no average, but the chairman reads its
words. The chairman's text is the answer, so nobody takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import read_or_repaired
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
from moot.modes.council.prompts import (
    RANKING_REPAIR,
    ranking_nonce,
    ranking_prompt,
    shown_texts,
    synthesis_prompt,
)
from moot.modes.council.rankings import read_ranking


async def council(run: Run[CouncilConfig]) -> None:
    outcomes = await run.ask_all("stage1", seats(run.config.council_models), run.conversation)
    answers = enough(outcomes, 2)
    await run.emit(Stage1Complete(data=answers))

    await run.emit(Stage2Start())
    labels = run.deal(answers)
    rankings = await evaluations(run, answers, labels)
    await run.emit(Stage2Complete(data=rankings, metadata=Stage2Metadata.of(rankings, labels)))

    await run.emit(Stage3Start())
    synthesis = await run.ask("stage3", run.config.chairman_model, synthesis_prompt(run, labels, rankings))
    await run.emit(Stage3Complete(data=Stage3Response.of(synthesis, run.notice)))


async def evaluations(
    run: Run[CouncilConfig], answers: Sequence[Answer], labels: Deal[Answer]
) -> list[Stage2Response]:
    """What each who answered makes of all the answers."""
    evaluators = {answer.seat or 0: answer.model for answer in answers}
    shown = Shown(shown_texts(run, labels))
    return answered(
        await run.together(evaluate(run, labels, seat, model, shown) for seat, model in evaluators.items())
    )


async def evaluate(
    run: Run[CouncilConfig], labels: Deal[Answer], seat: int, model: str, shown: Shown
) -> Stage2Response:
    """One evaluator: its ranking, asked for once more if its reply holds none. If there is still none, the
    order in which it named the answers stands in, and is told as what it is."""
    nonce = ranking_nonce(run, labels, seat)
    prompt, dealt = partial(ranking_prompt, run, labels, seat, nonce), list(labels)
    signed = shown.with_nonce(nonce)
    first = await run.ask("stage2", model, prompt(), seat=seat)
    reply, ranking = await read_or_repaired(
        run,
        first,
        lambda one: read_ranking(legible(one), dealt, signed),
        step="stage2",
        problem='it has no section "FINAL RANKING:" with a numbered list of the responses',
        layout=RANKING_REPAIR,
        prompt=prompt,
        since=2,
    )
    if reply is not first:
        reply = reply.model_copy(update={"response": f"{first.response}\n\n{reply.response}"})
    if not ranking.readable:
        ranking = read_ranking(legible(first), dealt, signed, mentions=not first.breaks_off)
    evaluation = Stage2Response.of(reply, ranking)
    await report_reading(run, evaluation, len(dealt))
    return evaluation


async def report_reading(run: Run[CouncilConfig], ranking: Stage2Response, answers: int) -> None:
    """Say so where a ranking could not be read, is incomplete, or had to be guessed."""
    model, seat, places = ranking.model, ranking.seat, len(ranking.parsed_ranking)
    if ranking.parsed_by == "abstention":
        await run.degrade(f"{model} ranked no response.", "abstention", "stage2", seat=seat)
    elif not places:
        await run.degrade(f"{model}'s ranking could not be read.", "unreadable", "stage2", seat=seat)
    elif ranking.parsed_by == "mention":
        message = run.wording(
            f"{model} gave no list; the order in which it named the responses was used as its ranking.",
            original=f"{model} gave no list: the order in which it named the responses was taken for its "
            "ranking.",
        )
        await run.degrade(message, "mention", "stage2", seat=seat)
    elif ranking.parsed_by == "incomplete":
        message = f"{model} ranked {places} of {answers} responses."
        await run.degrade(message, "incomplete", "stage2", seat=seat)
    elif ranking.parsed_by == "quotation":
        message = run.wording(
            f"{model}'s ranking appears word for word in a text it was shown.",
            original=f"{model}'s ranking stands word for word in a text that it was shown.",
        )
        await run.warn(message, "quotation", "stage2", seat=seat)
