"""A red team told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, quote
from moot.modes.red_team.events import (
    Attack,
    AttackComplete,
    AttackStart,
    DefenceRound,
    DefendComplete,
    DefendStart,
    GenerateComplete,
    RedTeamSynthesis,
    SynthesizeComplete,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case GenerateComplete(data=work):
            length = count(len(work.structured_content.split()), "word")
            return Passage("Draft", (f"{work.model} prepared the text: {length}.",))
        case AttackStart():
            return Passage(f"Attack, round {event.data.round}")
        case DefendStart():
            return Passage(f"Defence, round {event.data.round}")
        case AttackComplete(data=attack):
            return _attack(attack)
        case DefendComplete(data=defence):
            return _defence(defence)
        case SynthesizeComplete(data=synthesis):
            return _judgement(synthesis)
    return None


def _attack(attack: Attack) -> Passage:
    heading = f"Attack, round {attack.round}"
    if attack.failed:
        return Passage(heading, (f"{attack.model} could not attack: {attack.error}",))
    opinion = [attack.second_opinion.sentence] if attack.second_opinion else []
    if not attack.findings:
        return Passage(heading, (f"{attack.model} reported no findings.", *opinion))
    return Passage(
        heading,
        (
            *opinion,
            f"{attack.model} reported {count(len(attack.findings), 'finding')}:",
            *(f"{one.id} {one.severity}: {quote(one.title)}" for one in attack.findings),
        ),
    )


def _defence(defence: DefenceRound) -> Passage:
    heading = f"Defence, round {defence.round}"
    if defence.failed:
        return Passage(heading, (f"{defence.model} could not defend: {defence.error}",))
    revised = "The text was revised." if defence.revision_adopted else "The text is unchanged."
    figures = f"{defence.accepted} accepted, {defence.rebutted} rebutted, {defence.unaddressed} unanswered."
    return Passage(heading, (f"{defence.model}: {figures} {revised}",))


def _judgement(synthesis: RedTeamSynthesis) -> Passage:
    sentences = [
        f"{count(synthesis.total_findings, 'finding')}, {synthesis.total_accepted} accepted, "
        f"{synthesis.total_rebutted} rebutted. {_still_open(synthesis)}"
    ]
    if synthesis.total_findings and synthesis.hardening_score is not None:
        sentences.append(f"Hardening score {synthesis.hardening_score} of 100.")
    if synthesis.self_judged:
        sentences.append("The author judged its own work, so read the rulings with care.")
    sentences += [f"The judge notes a risk: {quote(risk)}" for risk in synthesis.remaining_risks]
    return Passage("Judgement", tuple(sentences))


def _still_open(synthesis: RedTeamSynthesis) -> str:
    if synthesis.residual_risk == "NONE":
        return "No finding is left open."
    return f"Highest open risk: {synthesis.residual_risk.lower()}."


NARRATION = Narration(
    {"generate": "Draft", "attack": "Attack", "defend": "Defence", "synthesize": "Judgement"}, tell
)
