"""What a red_team tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.red_team.audit import Confidence, StopReason, Synthesis
from moot.modes.red_team.defense import DefenceRound
from moot.modes.red_team.findings import Attack, RiskSummary
from moot.modes.red_team.material import Generated


class RoundOf(Wire):
    round: int


class RoundResult(Wire):
    round_number: int
    attack: Attack
    defense: DefenceRound | None


class RedTeamResult(Wire):
    generate: Maybe[Generated]
    rounds: list[RoundResult]
    synthesis: Maybe[Synthesis]
    total_findings: Maybe[int]
    total_accepted: Maybe[int]
    total_rebutted: Maybe[int]
    severity_counts: Maybe[RiskSummary]
    residual_risk: Maybe[str]
    hardening_score: Maybe[int]
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
    data: Generated


class AttackStart(Event):
    type = "attack_start"
    data: RoundOf


class AttackComplete(Event):
    type = "attack_complete"
    data: Attack


class DefendStart(Event):
    type = "defend_start"
    data: RoundOf


class DefendComplete(Event):
    type = "defend_complete"
    data: DefenceRound


class SynthesizeStart(Event):
    type = "synthesize_start"


class SynthesizeComplete(Event):
    type = "synthesize_complete"
    data: Synthesis


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    apart = {"model", "raw_text", "response_time_ms", "failed"}
    match event:
        case GenerateComplete(data=made):
            parsed = made.model_dump(exclude={*apart, "structured_content"})
            parsed["outputLength"] = len(made.structured_content)
            yield _row("generate", 0, "generator", made, made.structured_content, parsed)
        case AttackComplete(data=attack):
            step, parsed = f"attack_round_{attack.round}", attack.model_dump(exclude=apart)
            yield _row(step, 2 * attack.round - 1, "attacker", attack, attack.raw_text, parsed)
        case DefendComplete(data=defence):
            step, parsed = f"defend_round_{defence.round}", defence.model_dump(exclude=apart)
            parsed["revisedContentLength"] = len(defence.revised_content)
            yield _row(step, 2 * defence.round, "defender", defence, defence.raw_text, parsed)
        case SynthesizeComplete(data=made):
            texts = {"model", "hardened_output", "audit_summary", "response_time_ms"}
            yield _row("synthesis", 99, "synthesizer", made, whole(made), made.model_dump(exclude=texts))


def _row(
    step: str,
    order: int,
    role: str,
    made: Generated | Attack | DefenceRound | Synthesis,
    content: str,
    parsed: dict[str, Any],
) -> Row:
    taken = made.response_time_ms
    return Row(step, order, content, model=made.model, role=role, parsed_data=parsed, response_time_ms=taken)


def whole(synthesis: Synthesis) -> str:
    return f"{synthesis.hardened_output}\n\n{synthesis.audit_summary}"


def result(events: Sequence[Event]) -> RedTeamResult:
    generated, made = last(events, GenerateComplete), last(events, SynthesizeComplete)
    title = last(events, TitleComplete)
    defences = {event.data.round: event.data for event in every(events, DefendComplete)}
    attacks = [event.data for event in every(events, AttackComplete)]
    return RedTeamResult(
        generate=generated.data if generated else None,
        rounds=[
            RoundResult(round_number=attack.round, attack=attack, defense=defences.get(attack.round))
            for attack in attacks
        ],
        synthesis=made.data if made else None,
        title=title.data.title if title else None,
        **{name: getattr(made.data, name) if made else None for name in _TOTALS},
    )


_TOTALS = RedTeamResult.model_fields.keys() - {"generate", "rounds", "synthesis", "title"}


def answer(events: Sequence[Event]) -> str | None:
    made = last(events, SynthesizeComplete)
    return whole(made.data) if made else None
