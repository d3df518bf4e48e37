"""The pipeline of red_team."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_twice, read_or_repaired
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.fences import Foreign
from moot.kernel.run import Run
from moot.kernel.values import Answer
from moot.modes.red_team.audit import (
    Entry,
    Review,
    StopReason,
    Synthesis,
    audit_text,
    default_ruling,
    figures,
    issues_of,
    ledger_text,
)
from moot.modes.red_team.config import RedTeamConfig
from moot.modes.red_team.defense import (
    DEFEND_LAYOUT,
    DEFEND_PROMPT,
    Defence,
    DefenceRound,
    read_defence,
    refusal,
)
from moot.modes.red_team.events import (
    AttackComplete,
    AttackStart,
    DefendComplete,
    DefendStart,
    GenerateComplete,
    GenerateStart,
    RoundOf,
    SynthesizeComplete,
    SynthesizeStart,
)
from moot.modes.red_team.findings import (
    ATTACK_LAYOUT,
    Attack,
    AttackReport,
    Finding,
    findings_text,
    read_attack,
    unstructured,
)
from moot.modes.red_team.material import GENERATE_PROMPT, Generated, Material, cut_at_line_end, read_material
from moot.modes.red_team.prompts import attack_prompt
from moot.modes.red_team.rulings import JUDGE_LAYOUT, JUDGE_PROMPT, NO_JUDGEMENT, Judgement, read_judgement

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
    given = cut_at_line_end(run.question, run.config.max_input_length)
    truncated = given != run.question
    if truncated:
        message = f"The input was cut to {len(given)} of {len(run.question)} characters."
        await run.degrade(message, "truncated", "generate")
        given += f"\n[Content truncated to {len(given)} characters for review]"
    prompt = run.fill(GENERATE_PROMPT, input=Foreign(given))
    try:
        reply = await ask_twice(run, "generate", run.config.generator_model, prompt, reserve=JUDGE_SECONDS)
        material, taken = read_material(reply.response, given), reply.response_time_ms
    except NoAnswer as silent:
        material, taken = Material(given, fallback="generator_failed"), silent.failure.response_time_ms
    if material.fallback == "low_fidelity":
        message = "The author's copy strays from the input: the input is reviewed as it came."
        await run.degrade(message, "low_fidelity", "generate")
    data = Generated(
        model=run.config.generator_model,
        structured_content=material.text,
        kind=material.kind,
        truncated=truncated,
        fallback=material.fallback,
        input_length=len(run.question),
        response_time_ms=taken,
    )
    await run.emit(GenerateComplete(data=data))
    return Review(material.text, material.text)


async def exchange(run: Run[RedTeamConfig], review: Review) -> StopReason:
    for number in range(1, run.config.rounds + 1):
        step = f"attack_round_{number}"
        if number > 1 and not await run.time_for(step, ATTACK_SECONDS):
            await run.degrade(f"Round {number} was not held: the time was too short.", "time", step)
            return "deadline"
        await run.emit(AttackStart(data=RoundOf(round=number)), key=str(number))
        report = await attack(run, number, review)
        if report is None:
            return "attack_failed"
        if report.no_flaws:
            return "no_flaws"
        if number > 1 and all(finding.repeat_of for finding in report.findings):
            return "no_new_findings"
        await run.emit(DefendStart(data=RoundOf(round=number)), key=str(number))
        await defend(run, number, review, report.findings)
    return "rounds_done"


async def attack(run: Run[RedTeamConfig], number: int, review: Review) -> AttackReport | None:
    """None if the attacker fails after a round in which it did not."""
    step, model = f"attack_round_{number}", run.config.attacker_model
    try:
        reply = await ask_twice(run, step, model, attack_prompt(run, number, review), reserve=JUDGE_SECONDS)
    except NoAnswer as silent:
        if number == 1:
            raise RunFailed(
                "Red team requires at least one completed attack; the attacker model failed."
            ) from None
        await run.emit(
            AttackComplete(data=Attack.that_failed(number, model, silent.failure)), key=str(number)
        )
        return None
    shown = Shown([review.content, ledger_text(review.entries)])
    reply, report = await read_or_repaired(
        run,
        reply,
        lambda heard: read_attack(heard.response, number, review.content, review.findings, shown),
        step=step,
        problem="it holds no finding and does not say that there is none",
        layout=ATTACK_LAYOUT,
        matter="content",
        reserve=JUDGE_SECONDS,
    )
    readable = report.readable
    if not readable:
        message = f"The attack report of round {number} could not be read: it stands as one finding."
        await run.degrade(message, "unreadable", step)
        report = replace(report, findings=(unstructured(reply.response, number),))
    review.rounds, review.unreadable = number, review.unreadable or not readable
    review.entries += [Entry(finding, number) for finding in report.findings]
    await run.emit(AttackComplete(data=Attack.of(number, reply, report, readable=readable)), key=str(number))
    return report


async def defend(run: Run[RedTeamConfig], number: int, review: Review, findings: Sequence[Finding]) -> None:
    """The author answers; its revision takes the work's place if it is whole."""
    step, model = f"defend_round_{number}", run.config.generator_model
    prompt = run.fill(
        DEFEND_PROMPT,
        version=str(number - 1),
        content=Foreign(review.content),
        findings=Foreign(findings_text(findings)),
        layout=DEFEND_LAYOUT,
    )
    try:
        reply = await ask_twice(run, step, model, prompt, reserve=JUDGE_SECONDS)
    except NoAnswer as silent:
        data = DefenceRound.that_failed(number, model, findings, review.content, silent.failure)
        await run.emit(DefendComplete(data=data), key=str(number))
        return
    shown = Shown([review.content, findings_text(findings)])
    reply, defence = await read_or_repaired(
        run,
        reply,
        lambda heard: read_defence(heard.response, findings, shown),
        step=step,
        problem="it answers no finding by its number",
        layout=DEFEND_LAYOUT,
        matter="content",
        reserve=JUDGE_SECONDS,
    )
    if not defence.readable:
        message = f"The answers of round {number} could not be read: no finding is addressed."
        await run.degrade(message, "unreadable", step)
    refused = refusal(defence, review.content, cut_off=reply.is_cut_off)
    await say_why_refused(run, step, number, review, defence, refused)
    if refused is None and defence.revised is not None:
        review.content = defence.revised.text
    review.answer(defence, adopted=refused is None)
    data = DefenceRound.of(number, reply, defence, review.content, adopted=refused is None)
    await run.emit(DefendComplete(data=data), key=str(number))


async def say_why_refused(
    run: Run[RedTeamConfig], step: str, number: int, review: Review, defence: Defence, refused: str | None
) -> None:
    """An accepted change that is lost is a loss; a change that nobody asked for is only worth a word."""
    changed = defence.revised is not None and defence.revised.text.strip() not in ("", review.content.strip())
    message = f"The revised work of round {number} was not adopted: {refused}."
    if refused is not None and defence.accepts:
        await run.degrade(message, "not_adopted", step)
    elif refused is not None and changed:
        await run.warn(message, "not_adopted", step)


async def synthesize(run: Run[RedTeamConfig], review: Review, stop: StopReason) -> None:
    """The judge rules; where it does not, defaults do. Without a single finding there is nothing to judge."""
    reply, judgement = await judge(run, review) if review.entries else (None, NO_JUDGEMENT)
    rulings = [judgement.rulings.get(e.finding.id, default_ruling(e)) for e in review.entries]
    unruled = [line.id for line in rulings if line.source == "default"]
    if reply is not None and unruled:
        message = f"The judge did not rule on {', '.join(unruled)}: default rulings stand in."
        await run.degrade(message, "no_ruling", "synthesis")
    if reply is not None and judgement.hardened is None:
        message = "The judge sent no complete work: the last version stands."
        await run.degrade(message, "no_output", "synthesis")
    self_judged = run.config.synthesizer_model == run.config.generator_model
    issues = issues_of(review.entries, {line.id: line for line in rulings}, self_judged=self_judged)
    counted = figures(issues, unreadable=review.unreadable, capped=self_judged or stop == "attack_failed")
    audit = audit_text(
        issues, counted, judgement.remaining_risks, rounds=review.rounds, self_judged=self_judged
    )
    data = Synthesis(
        **dict(counted),
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
    ledger = ledger_text(review.entries)
    known = [finding.id for finding in review.findings]
    shown = Shown([review.original, review.content, ledger])
    prompt = run.fill(
        JUDGE_PROMPT,
        rounds=str(review.rounds),
        original=Foreign(review.original),
        latest=Foreign(review.content),
        ledger=Foreign(ledger),
        layout=JUDGE_LAYOUT,
    )
    try:
        reply = await ask_twice(run, "synthesis", run.config.synthesizer_model, prompt)
    except NoAnswer:
        message = "The judge failed: the last version stands, with default rulings."
        await run.degrade(message, "no_judge", "synthesis")
        return None, NO_JUDGEMENT
    return await read_or_repaired(
        run,
        reply,
        lambda heard: read_judgement(heard.response, known, review.content, shown),
        step="synthesis",
        problem="it holds neither a ruling nor the complete work",
        layout=JUDGE_LAYOUT,
        matter="content",
    )
