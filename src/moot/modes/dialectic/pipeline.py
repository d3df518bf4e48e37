"""The phases of a dialectic: retrieve templates, hold rounds until one ends the debate, synthesise, judge.

A debater who fails ends the debate with what there is; only without a first answer there is nothing to tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_again_in_layout
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.retriever import Retrieved
from moot.kernel.run import Run
from moot.kernel.values import Answer, Prompt
from moot.modes.dialectic import prompts
from moot.modes.dialectic.config import DialecticConfig
from moot.modes.dialectic.critiques import Critique, read_critique, should_continue
from moot.modes.dialectic.debate import Debate
from moot.modes.dialectic.events import (
    DialecticSynthesis,
    EarlyStop,
    EarlyStopData,
    Metadata,
    ProposerComplete,
    ProposerData,
    RagComplete,
    RagData,
    RagQuery,
    RagSearch,
    RagStart,
    RoundComplete,
    RoundDecision,
    RoundStart,
    RoundStartData,
    ScoreComplete,
    ScoreData,
    SkepticComplete,
    SkepticData,
    SynthesisComplete,
    SynthesisStart,
    Termination,
    TraceSaved,
)
from moot.modes.dialectic.grades import Grade, no_grade, read_grade
from moot.modes.dialectic.layouts import CRITIQUE_LAYOUT
from moot.modes.dialectic.proposals import own_answer, read_proposal, read_synthesis
from moot.modes.dialectic.recording import trace_data
from moot.modes.dialectic.scaffolds import library
from moot.modes.dialectic.trace import FoundTemplate, StopReason, exclusions

SYNTHESIS_SECONDS = 120.0
JUDGE_SECONDS = 60.0
LEAST_JUDGE_SECONDS = 10.0
SALVAGE_CHARACTERS = 200
"""So many characters of a call whose time was up are an answer."""


async def dialectic(run: Run[DialecticConfig]) -> None:
    if run.config.proposer_model == run.config.skeptic_model:
        both = f"{run.config.proposer_model} is both proposer and skeptic"
        message = run.wording(
            f"{both}, so it may go easy on itself.", original=f"{both}: it may spare itself."
        )
        await run.warn(message, "same_model")
    debate = await retrieve(run)

    number = 0
    while debate.reason is None:
        number += 1
        await hold_round(run, debate, number)

    await synthesise(run, debate)


async def retrieve(run: Run[DialecticConfig]) -> Debate:
    """Reasoning templates for the question. Whatever goes wrong here costs a scaffold, not the run."""
    config, retriever = run.config, run.retriever
    search = RagSearch(
        top_k=config.rag_top_k,
        min_similarity=config.min_similarity,
        # Settings may change before the run is resumed.
        embedding_model=await run.once("rag/embedder", lambda: retriever.name if retriever else "off"),
    )
    await run.emit(RagStart(data=RagQuery(**search.model_dump(by_alias=False), query=run.question)))

    async def find() -> dict[str, Any]:
        if not config.use_templates:
            return Retrieved().model_dump()
        if retriever is None:
            return Retrieved(problem="There is no embedder.").model_dump()
        matches = await retriever.find(
            run.question, run.record.user_id, most=config.rag_top_k, minimum=config.min_similarity
        )
        return matches.model_dump()

    retrieval = Retrieved.model_validate(await run.once("rag", find))
    if retrieval.problem:
        message = run.wording(
            f"No reasoning template was looked up, so the general one is used. {retrieval.problem}",
            original=f"No reasoning template was looked up, the general one stands in. {retrieval.problem}",
        )
        await run.warn(message, "retrieval_fallback", "rag")
    templates = tuple(
        FoundTemplate(id=one.id, name=one.name, similarity=one.similarity, rank=one.rank)
        for one in retrieval.scaffolds
    )
    data = RagData(
        **search.model_dump(by_alias=False),
        templates=templates,
        fallback=not templates,
        degraded=retrieval.problem is not None,
        rag_ms=retrieval.took_ms,
    )
    await run.emit(RagComplete(data=data))
    return Debate(retrieval)


async def hold_round(run: Run[DialecticConfig], debate: Debate, number: int) -> None:
    """One proposal, one critique, and whether another round follows."""
    key = str(number)
    await run.emit(RoundStart(data=RoundStartData(round=number, max_rounds=run.config.max_rounds)), key=key)
    try:
        await propose(run, debate, number)
        await criticise(run, debate, number)
        debate.reason = await stop_reason(run, debate, number)
    except NoAnswer as silent:
        who: Literal["proposer", "skeptic"] = "skeptic" if len(debate.proposals) == number else "proposer"
        if not debate.proposals:
            raise RunFailed(f"The proposer gave no first answer. {silent.failure.reason}") from None
        debate.reason = "skeptic_failed" if who == "skeptic" else "proposer_failed"
        await run.degrade(
            f"The {who} failed in round {number}: the debate ended there.", debate.reason, silent.failure.step
        )
    critique = debate.critiques[number - 1][1] if len(debate.critiques) == number else None
    decision = RoundDecision(
        round=number,
        decision="continue" if debate.reason is None else "stop",
        reason=debate.reason,
        score=critique.score if critique else None,
        open_issues=debate.ledger.open_issues(),
    )
    await run.emit(RoundComplete(data=decision), key=key)


async def propose(run: Run[DialecticConfig], debate: Debate, number: int) -> None:
    config, scaffolds = run.config, debate.retrieval.scaffolds
    is_first = number == 1
    if is_first:
        prompt = prompts.first_proposal(run, scaffolds)
    else:
        prompt = prompts.next_proposal(run, debate.exchanges[-1])
    proposer = Debater(config.proposer_model, config.proposer_temperature, 4096)
    reply = await ask_debater(run, f"proposal_round_{number}", proposer, prompt, answer_in=own_answer)
    scaffold_ids = [*(one.id for one in scaffolds), library().general.id] if is_first else []
    proposal = read_proposal(legible(reply), scaffold_ids, debate.ledger.open_ids)
    debate.proposals.append((reply, proposal))
    data = ProposerData(
        round=number,
        model=reply.model,
        content=reply.response,
        **proposal.model_dump(by_alias=False),
        **usage_of(reply),
        truncated=is_cut_off(reply),
    )
    await run.emit(ProposerComplete(data=data), key=str(number))


async def criticise(run: Run[DialecticConfig], debate: Debate, number: int) -> None:
    config, proposal = run.config, debate.proposals[-1][0].response
    if number == 1:
        prompt = prompts.first_critique(run, proposal)
    else:
        prompt = prompts.next_critique(run, debate.exchanges[:-1], proposal)
    skeptic = Debater(config.skeptic_model, config.skeptic_temperature, 2048)
    reply = await ask_debater(run, f"critique_round_{number}", skeptic, prompt)
    critique = read_critique(legible(reply), config.limits, debate.ledger.known_issues)
    if not critique.readable and run.follows(2):
        reply, critique = await criticise_again(run, debate, number, reply, critique)
    debate.critiques.append((reply, critique))
    data = SkepticData(
        round=number,
        model=reply.model,
        content=reply.response,
        **critique.model_dump(by_alias=False),
        **usage_of(reply),
        truncated=is_cut_off(reply),
    )
    await run.emit(SkepticComplete(data=data), key=str(number))


async def criticise_again(
    run: Run[DialecticConfig], debate: Debate, number: int, first: Answer, unread: Critique
) -> tuple[Answer, Critique]:
    """A critique without an issue, a status, a score or a signal is asked for once more, in its layout."""
    step = f"critique_round_{number}"
    again = await ask_again_in_layout(
        run,
        first,
        step=step,
        problem="it holds no issue and no score",
        layout=CRITIQUE_LAYOUT,
        matter="critique",
        reserve=SYNTHESIS_SECONDS,
    )
    if again is not None:
        second = read_critique(legible(again), run.config.limits, debate.ledger.known_issues)
        if second.readable:
            return again, second
    message = run.wording(
        f"The critique of round {number} could not be read: no issue and no score was found in it.",
        original=f"The critique of round {number} holds no issue and no score that could be read.",
    )
    await run.degrade(message, "unreadable", step)
    return first, unread


async def stop_reason(run: Run[DialecticConfig], debate: Debate, number: int) -> StopReason | None:
    """Why no further round follows, or None: first what the critique says, then what time and tokens say."""
    reply, critique = debate.critiques[-1]
    open_critical = debate.ledger.blocks(critique)
    debate.ledger.record(number, critique)
    reason = should_continue(legible(reply), number, run.config.limits, open_critical)
    if reason is not None:
        return reason
    most_tokens = run.config.max_total_tokens

    def limit() -> str | None:
        if run.seconds_left < run.config.timeout_ms / 1000 + SYNTHESIS_SECONDS:
            return "time_budget"
        return "token_budget" if most_tokens is not None and run.tokens_used >= most_tokens else None

    # Time and tokens come out differently each time: a resumed run must decide as this one did.
    exhausted = await run.once(f"round_{number}/limits", limit)
    step = f"critique_round_{number}"
    if exhausted == "time_budget":
        await run.degrade(f"There was no time for round {number + 1}.", exhausted, step)
        return "time_budget"
    if exhausted == "token_budget":
        message = f"The {most_tokens} tokens were used up after round {number}."
        await run.degrade(message, exhausted, step)
        return "token_budget"
    return None


async def synthesise(run: Run[DialecticConfig], debate: Debate) -> None:
    assert debate.reason is not None
    config, total = run.config, len(debate.proposals)
    early = total < config.max_rounds
    if early:
        await run.emit(EarlyStop(data=EarlyStopData(round=total, reason=debate.reason)))
    termination = Termination(
        metadata=Metadata(model=config.synthesizer_model, role="synthesizer"),
        total_rounds=total,
        early_stopped=early,
        reason=debate.reason,
        ledger=debate.ledger.objections,
    )
    await run.emit(SynthesisStart(data=termination))

    synthesizer = Debater(config.synthesizer_model, config.synthesizer_temperature, 4096)
    prompt = prompts.synthesis(run, debate.exchanges)
    try:
        reply: Answer | None = await ask_debater(
            run, "synthesis", synthesizer, prompt, reserve=0, answer_in=own_answer
        )
    except NoAnswer:
        reply = None
        message = run.wording(
            "No model wrote the synthesis, so the proposer's last answer is used unchanged.",
            original="Nobody could write the synthesis: the proposer's last answer stands as it is.",
        )
        await run.degrade(message, "synthesis_fallback", "synthesis")
    synthesis = read_synthesis(legible(reply) if reply else debate.proposals[-1][1].answer)
    data = DialecticSynthesis(
        model=config.synthesizer_model,
        content=reply.response if reply else synthesis.answer,
        **synthesis.model_dump(by_alias=False),
        fallback=reply is None,
        **usage_of(reply),
        **run.state,
    )
    await run.emit(SynthesisComplete(data=data))
    if config.store_trace:
        await run.emit(TraceSaved(data=trace_data(run, debate.reason, **run.state)))
    if config.auto_score == "inline":
        await judge(run, debate, synthesis.answer)


async def judge(run: Run[DialecticConfig], debate: Debate, final: str) -> None:
    """The grade of the final answer; whoever fails here, no number is made up."""
    model, reply = run.config.judge_model, None
    had_error = run.degraded
    if not await run.time_for("auto_score", LEAST_JUDGE_SECONDS):
        grade = no_grade("There was no time left for the judge.")
    else:
        prompt = prompts.judgement(run.fill, run.question, final)
        grade, reply = await ask_judge(run, model, prompt, Shown([run.question, final]))
    if grade.score_error:
        await run.warn(f"The answer was not graded. {grade.score_error}", "judge_failed", "auto_score")
    elif grade.score_inconsistent:
        stated, computed = f"{grade.stated_score:g}", f"{grade.auto_score:g}"
        message = run.wording(
            f"{model} stated a score of {stated}, but its own criteria come to {computed}.",
            original=f"{model} stated {stated}, its own criteria come to {computed}.",
        )
        await run.warn(message, "score_inconsistent", "auto_score")
    reasons = exclusions(
        quality=grade.auto_score, rounds=len(debate.proposals), answer=final, had_error=had_error
    )
    data = ScoreData(
        **grade.model_dump(by_alias=False),
        judge_model=model,
        eligible=not reasons,
        reasons=reasons,
        response_time_ms=reply.response_time_ms if reply else None,
        raw_text=reply.response if reply else "",
        trace_id=run.id if run.config.store_trace else None,
        **run.state,
    )
    await run.emit(ScoreComplete(data=data))


async def ask_judge(
    run: Run[DialecticConfig], model: str, prompt: Prompt, shown: Shown
) -> tuple[Grade, Answer | None]:
    timeout_seconds = min(JUDGE_SECONDS, run.config.timeout_ms / 1000)
    try:
        reply = await run.ask(
            "auto_score",
            model,
            prompt,
            temperature=run.config.judge_temperature,
            max_tokens=512,
            timeout_seconds=timeout_seconds,
            report_failure=False,
            require_complete=False,
        )
    except NoAnswer as silent:
        return no_grade(silent.failure.reason), None
    return read_grade(legible(reply), shown), reply


class Debater(NamedTuple):
    """Who is asked, how freely it writes, and how much."""

    model: str
    temperature: float
    max_tokens: int


async def ask_debater(
    run: Run[DialecticConfig],
    step: str,
    debater: Debater,
    prompt: Prompt,
    *,
    reserve: float = SYNTHESIS_SECONDS,
    answer_in: Callable[[str], str] | None = None,
) -> Answer:
    """A reply; a model that said nothing, or headings without the answer that it must hold (`answer_in`), is
    asked once more (what else may pass, the transport has tried again). What a call had written when its time
    was up is a reply, if it is long enough."""
    for name in (step, f"{step}/again"):
        try:
            reply = await run.ask(
                name,
                debater.model,
                prompt,
                temperature=debater.temperature,
                max_tokens=debater.max_tokens,
                reserve=reserve,
                report_failure=False,
                require_complete=False,
                salvage=SALVAGE_CHARACTERS,
            )
        except NoAnswer as silent:
            failure = silent.failure
            if failure.kind in ("empty", "timeout"):
                continue
            break
        if answer_in is not None and run.follows(4) and not answer_in(legible(reply)):
            failure = run.unreadable(reply, step, f"{debater.model} wrote headings and no answer.")
            continue
        if is_cut_off(reply):
            message = f"{debater.model} was cut off: what it had written is used."
            await run.degrade(message, "truncated", step)
        return reply
    await run.give_up(failure)
    raise NoAnswer(failure)


def is_cut_off(reply: Answer) -> bool:
    return reply.is_cut_off


def usage_of(reply: Answer | None) -> dict[str, int | None]:
    return {
        "response_time_ms": reply.response_time_ms if reply else None,
        "tokens_in": reply.prompt_tokens if reply else None,
        "tokens_out": reply.tokens if reply else None,
    }
