"""What a red-team review tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from moot.deliberation.second_opinions import SecondOpinion
from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.values import Answer, Degraded, Failure, Maybe, Row, Wire
from moot.modes.red_team.audit import Confidence, Figures, StopReason
from moot.modes.red_team.defense import Defence, Response, no_response
from moot.modes.red_team.findings import AttackFinding, AttackReport, RiskSummary, summarise
from moot.modes.red_team.material import Kind, MaterialFallback
from moot.modes.red_team.rulings import RulingLine


class RedTeamRoundStart(Wire):
    round: int


class GeneratedWork(Wire):
    """Version 0 of a work, as it was prepared for review."""

    model: str
    structured_content: str
    kind: Kind | None
    truncated: bool
    fallback: Maybe[MaterialFallback] = None
    input_length: int
    response_time_ms: int


class Attack(Wire):
    """One attack. A failed one has no summary: it says nothing about the work. `second_opinion`: the attacker
    found nothing, and another model was asked; if that found something, `model` and findings are its."""

    round: int
    model: str
    findings: list[AttackFinding]
    summary: RiskSummary | None
    no_flaws: bool
    new_findings: int
    parse_success: bool
    second_opinion: Maybe[SecondOpinion] = None
    failed: Maybe[bool] = None
    error: Maybe[str] = None
    raw_text: str
    response_time_ms: int

    @classmethod
    def of(
        cls,
        number: int,
        reply: Answer,
        report: AttackReport,
        *,
        readable: bool,
        second_opinion: SecondOpinion | None = None,
    ) -> Attack:
        severities = [finding.severity for finding in report.findings]
        return cls(
            round=number,
            model=reply.model,
            findings=list(report.findings),
            summary=summarise(severities, report.overall_risk),
            no_flaws=report.no_flaws,
            new_findings=sum(finding.repeat_of is None for finding in report.findings),
            parse_success=readable,
            second_opinion=second_opinion,
            raw_text=reply.response,
            response_time_ms=reply.response_time_ms,
        )

    @classmethod
    def failure(cls, number: int, model: str, failure: Failure) -> Attack:
        return cls(
            round=number,
            model=model,
            findings=[],
            summary=None,
            no_flaws=False,
            new_findings=0,
            parse_success=False,
            failed=True,
            error=failure.reason,
            raw_text="",
            response_time_ms=failure.response_time_ms,
        )


class DefenceRound(Wire):
    """One defence. `revised_content` is the work after it, revised or as it was."""

    round: int
    model: str
    responses: list[Response]
    accepted: int
    rebutted: int
    unaddressed: int
    revised_content: str
    revision_adopted: bool
    parse_success: bool
    failed: Maybe[bool] = None
    error: Maybe[str] = None
    raw_text: str
    response_time_ms: int

    @classmethod
    def of(cls, number: int, reply: Answer, defence: Defence, content: str, *, adopted: bool) -> DefenceRound:
        verdicts = [response.verdict for response in defence.responses]
        return cls(
            round=number,
            model=reply.model,
            responses=list(defence.responses),
            accepted=verdicts.count("ACCEPT"),
            rebutted=verdicts.count("REBUT"),
            unaddressed=verdicts.count(None),
            revised_content=content,
            revision_adopted=adopted,
            parse_success=defence.readable,
            raw_text=reply.response,
            response_time_ms=reply.response_time_ms,
        )

    @classmethod
    def failure(
        cls, number: int, model: str, findings: Sequence[AttackFinding], content: str, failure: Failure
    ) -> DefenceRound:
        return cls(
            round=number,
            model=model,
            responses=[no_response(finding) for finding in findings],
            accepted=0,
            rebutted=0,
            unaddressed=len(findings),
            revised_content=content,
            revision_adopted=False,
            parse_success=False,
            failed=True,
            error=failure.reason,
            raw_text="",
            response_time_ms=failure.response_time_ms,
        )


class RedTeamSynthesis(Figures, Degraded):
    """`model` null: there was nothing to judge, or the judge failed."""

    model: str | None
    hardened_output: str
    audit_summary: str
    rulings: list[RulingLine]
    remaining_risks: list[str]
    self_judged: bool
    stop_reason: StopReason
    total_rounds: int
    raw_text: str | None
    response_time_ms: int


class RoundResult(Wire):
    round_number: int
    attack: Attack
    defense: DefenceRound | None


class RedTeamResult(Wire):
    generate: Maybe[GeneratedWork]
    rounds: list[RoundResult]
    synthesis: Maybe[RedTeamSynthesis]
    total_findings: Maybe[int]
    total_accepted: Maybe[int]
    total_rebutted: Maybe[int]
    severity_counts: Maybe[RiskSummary]
    residual_risk: Maybe[str]
    hardening_score: Maybe[int | None]
    hardening_confidence: Maybe[Confidence]
    self_judged: Maybe[bool]
    stop_reason: Maybe[StopReason]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


class RedTeamStart(Opening):
    type = "red_team_start"
    total_rounds: int


class GenerateStart(Event):
    type = "generate_start"


class GenerateComplete(Event):
    type = "generate_complete"
    data: GeneratedWork


class AttackStart(Event):
    type = "attack_start"
    data: RedTeamRoundStart


class AttackComplete(Event):
    type = "attack_complete"
    data: Attack


class DefendStart(Event):
    type = "defend_start"
    data: RedTeamRoundStart


class DefendComplete(Event):
    type = "defend_complete"
    data: DefenceRound


class SynthesizeStart(Event):
    type = "synthesize_start"


class SynthesizeComplete(Event):
    type = "synthesize_complete"
    data: RedTeamSynthesis


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    apart = {"model", "raw_text", "response_time_ms", "failed"}
    match event:
        case GenerateComplete(data=work):
            details = work.model_dump(exclude={*apart, "structured_content"})
            details["outputLength"] = len(work.structured_content)
            yield _row("generate", 0, "generator", work, work.structured_content, details)
        case AttackComplete(data=attack):
            details = attack.model_dump(exclude=apart)
            step, order = f"attack_round_{attack.round}", 2 * attack.round - 1
            yield _row(step, order, "attacker", attack, attack.raw_text, details)
        case DefendComplete(data=defence):
            details = defence.model_dump(exclude=apart)
            details["revisedContentLength"] = len(defence.revised_content)
            step, order = f"defend_round_{defence.round}", 2 * defence.round
            yield _row(step, order, "defender", defence, defence.raw_text, details)
        case SynthesizeComplete(data=synthesis):
            texts = {"model", "hardened_output", "audit_summary", "response_time_ms"}
            details = synthesis.model_dump(exclude=texts)
            yield _row("synthesis", 99, "synthesizer", synthesis, answer_text(synthesis), details)


def _row(
    step: str,
    order: int,
    role: str,
    data: GeneratedWork | Attack | DefenceRound | RedTeamSynthesis,
    content: str,
    details: dict[str, Any],
) -> Row:
    return Row(
        step,
        order,
        content,
        model=data.model,
        role=role,
        parsed_data=details,
        response_time_ms=data.response_time_ms,
    )


def answer_text(synthesis: RedTeamSynthesis) -> str:
    return f"{synthesis.hardened_output}\n\n{synthesis.audit_summary}"


def result(events: Sequence[Event]) -> RedTeamResult:
    synthesis = last_data(events, SynthesizeComplete)
    defences = {event.data.round: event.data for event in every(events, DefendComplete)}
    attacks = [event.data for event in every(events, AttackComplete)]
    return RedTeamResult(
        generate=last_data(events, GenerateComplete),
        rounds=[
            RoundResult(round_number=attack.round, attack=attack, defense=defences.get(attack.round))
            for attack in attacks
        ],
        synthesis=synthesis,
        title=title_in(events),
        **{name: getattr(synthesis, name, None) for name in _TOTALS},
    )


_TOTALS = RedTeamResult.model_fields.keys() - {"generate", "rounds", "synthesis", "title"}


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last_data(events, SynthesizeComplete)
    return answer_text(synthesis) if synthesis else None


def has_material(events: Sequence[Event]) -> bool:
    """Whether there is something to keep: a work that somebody prepared, or an attack."""
    work, attack = last_data(events, GenerateComplete), last_data(events, AttackComplete)
    return attack is not None or (work is not None and work.fallback != "generator_failed")
