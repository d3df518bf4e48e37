"""Council: every model answers, every model ranks the answers blind, the chairman synthesises.

stage1 ─▶ stage2 (rank, anonymous) ─▶ stage3 (synthesis)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from moot.deliberation.parsing import Shown
from moot.kernel.call_estimate import Stint, each
from moot.kernel.events import Event, Opening, TitleComplete, last
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.mode import Count, Mode, ModeConfig, ModelId, Panel
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.seat_results import Reckoning, SeatResult
from moot.kernel.values import Answer, CouncilRow, Degradable, Maybe, Wire
from moot.modes.council.rankings import RankingEntry, average_ranks, parse_ranking


class CouncilConfig(ModeConfig):
    council_models: Annotated[
        tuple[ModelId, ...],
        Count(2, 6, "Council mode requires at least 2 models", "Maximum 6 models allowed"),
        Field(title="Council", description="The models that answer and rank; one model may sit twice."),
    ]
    chairman_model: Annotated[
        ModelId, Field(title="Chairman", description="Writes the synthesis; by default the first model.")
    ]


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    council = given.get("councilModels") or panel.pick(4)
    return {"councilModels": council, "chairmanModel": council[0] if isinstance(council, list) else None}


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


def ranking_prompt(run: Run[CouncilConfig], labels: Deal[Answer], seat: int) -> str:
    responses = [(label, labels[label].response) for label in labels.order_for(seat)]
    return run.fill(RANKING_PROMPT, question=Foreign(run.question), responses=shown(responses))


def synthesis_prompt(
    run: Run[CouncilConfig], labels: Deal[Answer], rankings: Sequence[Stage2Response]
) -> tuple[Any, ...]:
    by_seat = sorted(labels, key=lambda label: labels[label].seat or 0)
    responses = [(f"{labels[label].model} ({label})", labels[label].response) for label in by_seat]
    # Rankings in which nobody placed anything are noise to the chairman.
    readable = any(ranking.parsed_ranking for ranking in rankings)
    evaluations = [(f"Evaluator: {r.model}", r.ranking_text) for r in rankings] if readable else []
    prompt = run.fill(
        SYNTHESIS_PROMPT,
        question=Foreign(run.question),
        responses=shown(responses),
        rankings=shown(evaluations),
    )
    return (*run.history, run.conversation[-1].model_copy(update={"content": prompt}))


RANKING_PROMPT = """\
You are an expert evaluator. Below is a question and several responses from different sources. Your task is \
to evaluate each response and rank them from best to worst.

Question: {question}

{responses}Instructions:
1. Evaluate each response for accuracy, completeness, clarity, and helpfulness.
2. Consider the strengths and weaknesses of each response.
3. Provide your ranking from best to worst.

CRITICAL: You MUST end your response with a section titled "FINAL RANKING:" followed by a numbered list. \
Each item must be ONLY the response label (e.g., "Response A"). Example:

FINAL RANKING:
1. Response C
2. Response A
3. Response B

Do not include any other text in the FINAL RANKING section."""

SYNTHESIS_PROMPT = """\
You are a chairman synthesizing the best possible answer from multiple AI model responses and their peer \
evaluations.

Original Question: {question}

STAGE 1 — Individual Responses:

{responses}STAGE 2 — Peer Rankings:

{rankings}Synthesize the best possible answer to the original question. Consider:
1. The individual responses and their unique insights
2. The peer rankings and which responses were consistently rated highly
3. Areas of agreement and disagreement across responses
4. Any important nuances or caveats that individual responses captured

Provide a comprehensive, well-structured synthesis that represents the collective intelligence of all the \
models."""


class Stage2Response(Wire):
    seat: int
    model: str
    ranking_text: str
    parsed_ranking: list[RankingEntry]

    @classmethod
    def of(cls, reply: Answer, ranking: Sequence[RankingEntry]) -> Stage2Response:
        return cls(
            seat=reply.seat or 0,
            model=reply.model,
            ranking_text=reply.response,
            parsed_ranking=list(ranking),
        )


class AggregateRanking(Wire):
    seat: int
    model: str
    average_rank: float
    rankings_count: int


class Stage2Metadata(Wire):
    label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]
    aggregate_rankings: list[AggregateRanking]

    @classmethod
    def of(cls, rankings: Sequence[Stage2Response], labels: Deal[Answer]) -> Stage2Metadata:
        ranks = average_ranks([ranking.parsed_ranking for ranking in rankings], labels.by_label)
        return cls(
            label_to_model=labels.label_to_model,
            label_to_seat=labels.label_to_seat,
            aggregate_rankings=[
                AggregateRanking(
                    seat=labels[rank.label].seat or 0,
                    model=labels[rank.label].model,
                    average_rank=rank.average,
                    rankings_count=rank.count,
                )
                for rank in ranks
            ],
        )


class Stage3Response(Degradable):
    model: str
    response: str
    response_time_ms: int

    @classmethod
    def of(cls, synthesis: Answer, notice: Mapping[str, Any]) -> Stage3Response:
        return cls(
            model=synthesis.model,
            response=synthesis.response,
            response_time_ms=synthesis.response_time_ms,
            **notice,
        )


class CouncilResult(Wire):
    stage1: Maybe[list[Answer]]
    stage2: Maybe[list[Stage2Response]]
    stage2_metadata: Maybe[Stage2Metadata]
    stage3: Maybe[Stage3Response]
    title: Maybe[str]


class Stage1Start(Opening):
    type = "stage1_start"


class Stage1Complete(Event):
    type = "stage1_complete"
    data: list[Answer]


class Stage2Start(Event):
    type = "stage2_start"


class Stage2Complete(Event):
    type = "stage2_complete"
    data: list[Stage2Response]
    metadata: Stage2Metadata


class Stage3Start(Event):
    type = "stage3_start"


class Stage3Complete(Event):
    type = "stage3_complete"
    data: Stage3Response


def rows(event: Event) -> Iterator[CouncilRow]:
    """What is kept of each event in council's own four tables."""
    match event:
        case Stage1Complete(data=answers):
            for answer in answers:
                yield CouncilRow("stage1_responses", answer.model_dump(by_alias=False))
        case Stage2Complete(data=rankings, metadata=metadata):
            for label, model in metadata.label_to_model.items():
                seat = metadata.label_to_seat[label]
                yield CouncilRow("stage2_label_map", {"label": label, "model": model, "seat": seat})
            for ranking in rankings:
                values = ranking.model_dump(by_alias=False, exclude={"parsed_ranking"})
                places = [entry.model_dump() for entry in ranking.parsed_ranking]
                yield CouncilRow("stage2_rankings", {**values, "parsed_ranking": places})
        case Stage3Complete(data=synthesis):
            values = synthesis.model_dump(by_alias=False, exclude={"degraded", "warnings"})
            yield CouncilRow("stage3_synthesis", values)


def result(events: Sequence[Event]) -> CouncilResult:
    stage1, stage2 = last(events, Stage1Complete), last(events, Stage2Complete)
    stage3, title = last(events, Stage3Complete), last(events, TitleComplete)
    return CouncilResult(
        stage1=stage1.data if stage1 else None,
        stage2=stage2.data if stage2 else None,
        stage2_metadata=stage2.metadata if stage2 else None,
        stage3=stage3.data if stage3 else None,
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last(events, Stage3Complete)
    return synthesis.data.response if synthesis else None


def seat_results(events: Sequence[Event]) -> Iterator[SeatResult]:
    ranked = last(events, Stage2Complete)
    places = ranked.metadata.aggregate_rankings if ranked else []
    best = [place.seat for place in places if place.average_rank == places[0].average_rank]
    if ranked is None or len(best) != 1:
        return
    for place in places:
        yield SeatResult(place.seat, place.model, won=place.seat == best[0])
    for given in ranked.data:
        if given.parsed_ranking:
            first = ranked.metadata.label_to_seat[given.parsed_ranking[0].label]
            yield SeatResult(given.seat, given.model, agreed=int(first == best[0]), cases=1)


MODE = Mode(
    id="council",
    config=CouncilConfig,
    defaults=defaults,
    pipeline=council,
    events=(Stage1Start, Stage1Complete, Stage2Start, Stage2Complete, Stage3Start, Stage3Complete),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Stage1Complete,
    title_model=lambda config: config.chairman_model,
    workload=lambda config: (
        *each("stage1", config.council_models),
        *each("stage2", config.council_models, reads=len(config.council_models)),
        Stint("stage3", (config.chairman_model,), reads=2 * len(config.council_models)),
    ),
    timed=False,
    reckoning=Reckoning(
        seat_results,
        wins="Its answer alone has the best average rank.",
        agrees="It ranked first the answer that has the best average rank.",
    ),
)
