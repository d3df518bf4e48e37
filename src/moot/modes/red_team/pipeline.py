"""The stages of a red-team review: prepare the work, attack and defend it round by round, judge.

A revision takes the work's place only if it is whole. Totals, score and audit are computed here; the judge
rules and hands in the hardened work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_twice, read_or_repaired
from moot.deliberation.second_opinions import SecondOpinion, ask_second_model
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.narration import count
from moot.kernel.run import Run
from moot.kernel.values import Answer
from moot.modes.red_team.audit import StopReason, audit_text, default_ruling, figures, issues_of
from moot.modes.red_team.config import RedTeamConfig
from moot.modes.red_team.defense import Defence, read_defence, refusal
from moot.modes.red_team.events import (
    Attack,
    AttackComplete,
    AttackStart,
    DefenceRound,
    DefendComplete,
    DefendStart,
    GenerateComplete,
    GeneratedWork,
    GenerateStart,
    RedTeamRoundStart,
    RedTeamSynthesis,
    SynthesizeComplete,
    SynthesizeStart,
)
from moot.modes.red_team.findings import AttackFinding, AttackReport, read_attack, unstructured_finding
from moot.modes.red_team.layouts import ATTACK_LAYOUT, DEFEND_LAYOUT, JUDGE_LAYOUT
from moot.modes.red_team.material import Material, cut_at_line_end, read_material
from moot.modes.red_team.prompts import (
    attack_prompt,
    defend_prompt,
    findings_text,
    generate_prompt,
    judge_prompt,
    ledger_text,
)
from moot.modes.red_team.review import Entry, Review
from moot.modes.red_team.rulings import NO_JUDGEMENT, Judgement, read_judgement

JUDGE_SECONDS = 90.0
"""Of the pipeline's time, kept for the judge."""
ATTACK_SECONDS = 150.0
"""With less time left than this, no further attack starts."""


async def red_team(run: Run[RedTeamConfig]) -> None:
    await run.emit(GenerateStart())
    review = await generate(run)
    stop = await exchange(run, review)
    await run.emit(SynthesizeStart())
    await synthesize(run, review, stop)


async def generate(run: Run[RedTeamConfig]) -> Review:
    """Version 0 of the work; the input as it came if the author's version cannot be trusted."""
    source = cut_at_line_end(run.question, run.config.max_input_length)
    truncated = source != run.question
    if truncated:
        message = f"The input was cut to {len(source)} of {len(run.question)} characters."
        await run.degrade(message, "truncated", "generate")
        source += f"\n[Content truncated to {len(source)} characters for review]"
    author, prompt = run.config.generator_model, generate_prompt(run, source)
    try:
        reply = await ask_twice(run, "generate", author, prompt, reserve=JUDGE_SECONDS)
        material, response_time_ms = read_material(legible(reply), source), reply.response_time_ms
    except NoAnswer as silent:
        material = Material(source, fallback="generator_failed")
        response_time_ms = silent.failure.response_time_ms
    if material.fallback == "low_fidelity":
        message = run.wording(
            "The author's copy differs from the input, so the input itself is reviewed.",
            original="The author's copy strays from the input: the input is reviewed as it came.",
        )
        await run.degrade(message, "low_fidelity", "generate")
    data = GeneratedWork(
        model=author,
        structured_content=material.text,
        kind=material.kind,
        truncated=truncated,
        fallback=material.fallback,
        input_length=len(run.question),
        response_time_ms=response_time_ms,
    )
    await run.emit(GenerateComplete(data=data))
    return Review(original=material.text, content=material.text)


async def exchange(run: Run[RedTeamConfig], review: Review) -> StopReason:
    for number in range(1, run.config.rounds + 1):
        step, key = f"attack_round_{number}", str(number)
        if number > 1 and not await run.time_for(step, ATTACK_SECONDS):
            message = run.wording(
                f"Round {number} was skipped because too little time was left.",
                original=f"Round {number} was not held: the time was too short.",
            )
            await run.degrade(message, "time", step)
            return "deadline"
        await run.emit(AttackStart(data=RedTeamRoundStart(round=number)), key=key)
        report = await attack(run, number, review)
        if report is None:
            return "attack_failed"
        if report.no_flaws:
            return "no_flaws"
        if number > 1 and all(finding.repeat_of for finding in report.findings):
            return "no_new_findings"
        await run.emit(DefendStart(data=RedTeamRoundStart(round=number)), key=key)
        await defend(run, number, review, report.findings)
    return "rounds_done"


async def attack(run: Run[RedTeamConfig], number: int, review: Review) -> AttackReport | None:
    """None if the attacker fails after a round in which it did not."""
    step, model, key = f"attack_round_{number}", run.config.attacker_model, str(number)
    try:
        reply = await ask_twice(run, step, model, attack_prompt(run, number, review), reserve=JUDGE_SECONDS)
    except NoAnswer as silent:
        if number == 1:
            raise RunFailed(
                "Red team requires at least one completed attack; the attacker model failed."
            ) from None
        await run.emit(AttackComplete(data=Attack.failure(number, model, silent.failure)), key=key)
        return None
    shown = Shown([review.content, ledger_text(review.entries)])
    reply, report = await read_or_repaired(
        run,
        reply,
        lambda answer: read_attack(legible(answer), number, review.content, review.findings, shown),
        step=step,
        problem="it holds no finding and does not say that there is none",
        layout=ATTACK_LAYOUT,
        matter="content",
        reserve=JUDGE_SECONDS,
    )
    opinion = None
    if report.no_flaws and not review.entries and run.follows(2):
        reply, report, opinion = await attack_again(run, number, review, reply, report)
        review.second_opinion = opinion
    readable = report.readable
    if not readable:
        message = run.wording(
            f"The attack report of round {number} could not be read, so it counts as one finding.",
            original=f"The attack report of round {number} could not be read: it stands as one finding.",
        )
        await run.degrade(message, "unreadable", step)
        report = replace(report, findings=(unstructured_finding(reply.response, number),))
    review.rounds, review.unreadable = number, review.unreadable or not readable
    review.entries += [Entry(finding, number) for finding in report.findings]
    data = Attack.of(number, reply, report, readable=readable, second_opinion=opinion)
    await run.emit(AttackComplete(data=data), key=key)
    return report


async def attack_again(
    run: Run[RedTeamConfig], number: int, review: Review, first: Answer, nothing: AttackReport
) -> tuple[Answer, AttackReport, SecondOpinion]:
    """The attacker found nothing at all: the judge, who is another model, looks too."""
    step, model = f"attack_round_{number}", run.config.synthesizer_model
    prompt = attack_prompt(run, number, review)
    second = await ask_second_model(run, step, model, prompt, reserve=JUDGE_SECONDS)
    shown = Shown([review.content])
    report = read_attack(legible(second), number, review.content, (), shown) if second else None
    agrees = report.no_flaws if report and report.readable else None
    opinion = SecondOpinion(first_model=first.model, model=model, agrees=agrees)
    if second and report and report.findings:
        message = f"{first.model} found nothing: the findings are by {model}."
        await run.degrade(message, "second_opinion", step)
        both_ms = first.response_time_ms + second.response_time_ms
        return second.model_copy(update={"response_time_ms": both_ms}), report, opinion
    if agrees is None:
        message = f"{first.model} found nothing, and no second model confirmed it: {model} gave no report."
        await run.degrade(message, "unconfirmed", step)
    return first, nothing, opinion


async def defend(
    run: Run[RedTeamConfig], number: int, review: Review, findings: Sequence[AttackFinding]
) -> None:
    """The author answers; its revision takes the work's place if it is whole."""
    step, model, key = f"defend_round_{number}", run.config.generator_model, str(number)
    prompt = defend_prompt(run, number, review, findings)
    try:
        reply = await ask_twice(run, step, model, prompt, reserve=JUDGE_SECONDS)
    except NoAnswer as silent:
        data = DefenceRound.failure(number, model, findings, review.content, silent.failure)
        await run.emit(DefendComplete(data=data), key=key)
        return
    shown = Shown([review.content, findings_text(findings)])
    reply, defence = await read_or_repaired(
        run,
        reply,
        lambda answer: read_defence(legible(answer), findings, shown),
        step=step,
        problem="it answers no finding by its number",
        layout=DEFEND_LAYOUT,
        matter="content",
        reserve=JUDGE_SECONDS,
    )
    if not defence.readable:
        message = run.wording(
            f"The author's answers in round {number} could not be read, so no finding was addressed.",
            original=f"The answers of round {number} could not be read: no finding is addressed.",
        )
        await run.degrade(message, "unreadable", step)
    objection = refusal(defence, review.content, cut_off=reply.is_cut_off)
    adopted = objection is None
    if objection is not None:
        message = f"The revised work of round {number} was not adopted: {objection}."
        await report_refusal(run, step, review, defence, message)
    elif defence.revised is not None:
        review.content = defence.revised.text
    review.answer(defence, adopted=adopted)
    data = DefenceRound.of(number, reply, defence, review.content, adopted=adopted)
    await run.emit(DefendComplete(data=data), key=key)


async def report_refusal(
    run: Run[RedTeamConfig], step: str, review: Review, defence: Defence, message: str
) -> None:
    """An accepted change that is lost is a loss; a change that nobody asked for is only worth a word."""
    if defence.accepts:
        await run.degrade(message, "not_adopted", step)
    elif defence.revised is not None and defence.revised.text.strip() not in ("", review.content.strip()):
        await run.warn(message, "not_adopted", step)


async def synthesize(run: Run[RedTeamConfig], review: Review, stop: StopReason) -> None:
    """The judge rules; where it does not, defaults do. Without a single finding there is nothing to judge."""
    reply, judgement = await judge(run, review) if review.entries else (None, NO_JUDGEMENT)
    rulings = [judgement.rulings.get(entry.finding.id, default_ruling(entry)) for entry in review.entries]
    unruled = [line.id for line in rulings if line.source == "default"]
    if reply is not None and unruled:
        findings = ", ".join(unruled)
        message = run.wording(
            f"The judge did not rule on {findings}, so default rulings apply.",
            original=f"The judge did not rule on {findings}: default rulings stand in.",
        )
        await run.degrade(message, "no_ruling", "synthesis")
    if reply is not None and judgement.hardened is None:
        message = run.wording(
            "The judge sent no complete version, so the last one is used.",
            original="The judge sent no complete work: the last version stands.",
        )
        await run.degrade(message, "no_output", "synthesis")
    self_judged = run.config.synthesizer_model == run.config.generator_model
    issues = issues_of(review.entries, {line.id: line for line in rulings}, self_judged=self_judged)
    totals = figures(issues, unreadable=review.unreadable, capped=self_judged or stop == "attack_failed")
    audit = audit_text(
        issues,
        totals,
        judgement.remaining_risks,
        rounds=run.wording(count(review.rounds, "round"), original=f"{review.rounds} round(s)"),
        self_judged=self_judged,
        second_opinion=review.second_opinion,
    )
    data = RedTeamSynthesis(
        **dict(totals),
        model=reply.model if reply else None,
        hardened_output=judgement.hardened or review.content,
        audit_summary=audit,
        rulings=rulings,
        remaining_risks=list(judgement.remaining_risks),
        self_judged=self_judged,
        stop_reason=stop,
        total_rounds=review.rounds,
        raw_text=reply.response if reply else None,
        response_time_ms=reply.response_time_ms if reply else 0,
        **run.state,
    )
    await run.emit(SynthesizeComplete(data=data))


async def judge(run: Run[RedTeamConfig], review: Review) -> tuple[Answer | None, Judgement]:
    finding_ids = [finding.id for finding in review.findings]
    shown = Shown([review.original, review.content, ledger_text(review.entries)])
    try:
        reply = await ask_twice(run, "synthesis", run.config.synthesizer_model, judge_prompt(run, review))
    except NoAnswer:
        message = run.wording(
            "The judge failed, so the last version is used, with default rulings.",
            original="The judge failed: the last version stands, with default rulings.",
        )
        await run.degrade(message, "no_judge", "synthesis")
        return None, NO_JUDGEMENT
    return await read_or_repaired(
        run,
        reply,
        lambda answer: read_judgement(legible(answer), finding_ids, review.content, shown),
        step="synthesis",
        problem="it holds neither a ruling nor the complete work",
        layout=JUDGE_LAYOUT,
        matter="content",
    )
