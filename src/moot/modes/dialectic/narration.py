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

_ENDS = {
    "ready_signal": "the skeptic was satisfied",
    "no_critical_issues": "nothing critical was left",
    "max_rounds": "the rounds were used up",
    "time_budget": "the time was used up",
    "token_budget": "the tokens were used up",
    "proposer_failed": "the proposer failed",
    "skeptic_failed": "the skeptic failed",
    "cancelled": "it was stopped",
    "failed": "it failed",
}


def end_words(reason: str) -> str:
    return _ENDS.get(reason, reason.replace("_", " "))


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
            ended = end_words(stop.reason)
            return Passage(f"Round {stop.round}", (f"The rounds ended early: {ended}.",))
        case SynthesisComplete(data=synthesis):
            if synthesis.fallback:
                return Passage(
                    "Synthesis", ("No model wrote a synthesis, so the proposer's last answer stands.",)
                )
            return Passage("Synthesis", (f"{synthesis.model} wrote the answer.",))
        case ScoreComplete(data=grade) if grade.auto_score is not None:
            return Passage("Grade", (f"{grade.judge_model} gives it {grade.auto_score:g} of 10.",))
    return None


def _templates(found: RagData) -> Passage:
    if found.fallback:
        return Passage("Templates", ("No template fits, so the general one is used.",))
    return Passage("Templates", tuple(quote(template.name) for template in found.templates))


def _proposal(proposal: ProposerData) -> str:
    sure = "" if proposal.confidence is None else f", {proposal.confidence:g} of 10 sure"
    length = count(len(proposal.answer.split()), "word")
    passed_over = (
        f" It left {count(len(proposal.unanswered), 'objection')} unanswered." if proposal.unanswered else ""
    )
    return f"{proposal.model} proposes: {length}{sure}.{passed_over}"


def _critique(critique: SkepticData) -> list[str]:
    score = "" if critique.score is None else f" and gives {critique.score:g} of 10"
    raised = count(len(critique.issues), "objection") if critique.issues else "no new objection"
    head = f"{critique.model} raises {raised}{score}."
    return [head, *(f"{issue.severity}: {quote(issue.title)}" for issue in critique.issues)]


NARRATION = Narration({"rag": "Templates", "round": "Round", "synthesis": "Synthesis"}, tell)
