"""A dialectic told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, quote
from moot.modes.dialectic.events import (
    EarlyStop,
    ProposerComplete,
    ProposerData,
    RagComplete,
    RagData,
    RoundStart,
    ScoreComplete,
    SkepticComplete,
    SkepticData,
    SynthesisComplete,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case RagComplete(data=found):
            return _templates(found)
        case RoundStart():
            return Passage(f"Round {event.data.round}")
        case ProposerComplete(data=proposal):
            return Passage(f"Round {proposal.round}", (_proposal(proposal),))
        case SkepticComplete(data=critique):
            return Passage(f"Round {critique.round}", tuple(_critique(critique)))
        case EarlyStop(data=stop):
            reason = stop.reason.replace("_", " ")
            return Passage(f"Round {stop.round}", (f"No further round is needed: {reason}.",))
        case SynthesisComplete(data=synthesis):
            if synthesis.fallback:
                return Passage("Synthesis", ("Nobody wrote a synthesis: the proposer's last answer stands.",))
            return Passage("Synthesis", (f"{synthesis.model} wrote the answer.",))
        case ScoreComplete(data=grade) if grade.auto_score is not None:
            return Passage("Grade", (f"{grade.judge_model} gives it {grade.auto_score:g} of 10.",))
    return None


def _templates(found: RagData) -> Passage:
    if found.fallback:
        return Passage("Templates", ("No template fits: the general scaffold is used.",))
    return Passage("Templates", tuple(quote(template.name) for template in found.templates))


def _proposal(proposal: ProposerData) -> str:
    sure = "" if proposal.confidence is None else f", {proposal.confidence:g} of 10 sure"
    length = count(len(proposal.answer.split()), "word")
    passed_over = (
        f" It passed over {count(len(proposal.unanswered), 'objection')}." if proposal.unanswered else ""
    )
    return f"{proposal.model} proposes: {length}{sure}.{passed_over}"


def _critique(critique: SkepticData) -> list[str]:
    score = "" if critique.score is None else f" and gives {critique.score:g} of 10"
    head = f"{critique.model} raises {count(len(critique.issues), 'objection')}{score}."
    return [head, *(f"{issue.severity}: {quote(issue.title)}" for issue in critique.issues)]


NARRATION = Narration({"rag": "Templates", "round": "Round", "synthesis": "Synthesis"}, tell)
