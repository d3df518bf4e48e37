"""Jury: a juror's scorecard, the foreman's report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moot.modes.jury.prompts import FOREMAN_LAYOUT, JUROR_LAYOUT, VERDICT_LINE
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Piece, Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic
from moot.simulator.work import Work, score

_DIMENSIONS = {
    "ACCURACY": "its claims are plain enough to be checked",
    "COMPLETENESS": "the reader is told what follows from it",
    "CLARITY": "it is clear at first reading",
    "RELEVANCE": "it sticks to the task",
    "ACTIONABILITY": "work on it could start tomorrow",
}
_VERDICT = re.compile(r"VERDICT\W+(APPROVE|REVISE|REJECT)", re.IGNORECASE)
_MAJORITY = re.compile(re.escape(VERDICT_LINE).replace(r"\{verdict\}", r"(\w+)"))


def _assess(prompt: Prompt, mind: Mind) -> str:
    work = Work.of(prompt.under("work", "your reply was") or prompt.question)
    quality = work.judged_by(mind)
    scores = {name: score(quality + mind.dice.gauss(0, 0.1), 1, 10) for name in _DIMENSIONS}
    mean = sum(scores.values()) / len(scores)
    verdict = "APPROVE" if mean >= 7 else "REVISE" if mean >= 4 else "REJECT"
    card = (f"{name}: {mark} | {_reason(mind, work, name, mark)}" for name, mark in scores.items())
    aspects = mind.aspects(Topic.of(prompt.question), 4)
    changes = "" if verdict == "APPROVE" else prose.numbered(aspect.test for aspect in aspects[2:])
    best = max(scores, key=scores.__getitem__)
    return "\n".join(
        [
            "SCORECARD",
            *card,
            "STRENGTHS",
            f"- {_DIMENSIONS[best].capitalize()}.",
            "WEAKNESSES",
            prose.bullets(f"{aspect.gap.capitalize()}." for aspect in aspects[:2]),
            "RECOMMENDATIONS",
            changes,
            "NOTES",
            f"Simulated assessment. The text does best on {best.lower()}.\n",
            f"What I miss most: {aspects[0].gap}.",
            f"VERDICT: {verdict}",
        ]
    )


def _reason(mind: Mind, work: Work, name: str, mark: int) -> str:
    quotation = f"“{work.excerpts(mind, 1, 6)[0]}”"
    if mark >= 6:
        return f"At {quotation} {_DIMENSIONS[name]}."
    return f"At {quotation} one cannot say that {_DIMENSIONS[name]}."


def _report(prompt: Prompt, mind: Mind) -> str:
    majority = _MAJORITY.search(prompt.instruction)
    verdict = majority[1] if majority else "REVISE"
    votes = _votes(prompt.all_under("juror"))
    jurors = ", ".join(list(votes)[:2]) or "1, 2"
    aspects = mind.aspects(Topic.of(prompt.question), 4)
    dissent = [
        f"- Juror {juror} ({vote}): {mind.dice.choice(aspects).gap}."
        for juror, vote in votes.items()
        if vote != verdict
    ]
    changes = "NONE" if verdict == "APPROVE" else prose.numbered(aspect.test for aspect in aspects[2:])
    return "\n".join(
        [
            f"SUMMARY: Simulated report. The jury says {verdict}. What weighed most: {aspects[0].gap}.",
            "STRENGTHS:",
            f"- It is clear at first reading [{jurors}]",
            "WEAKNESSES:",
            *(f"- {aspect.gap.capitalize()} [{jurors}]" for aspect in aspects[:2]),
            "RECOMMENDATIONS:",
            changes,
            "DISSENT:",
            *(dissent or ["NONE"]),
            f"VERDICT: {verdict}",
        ]
    )


def _votes(assessments: Sequence[Piece]) -> dict[str, str]:
    """Juror number → verdict."""
    verdicts = {piece.heading.split()[-1]: _VERDICT.findall(piece.text) for piece in assessments}
    return {number: words[-1].upper() for number, words in verdicts.items() if words}


SKILLS = (
    Skill("juror", asks(JUROR_LAYOUT), _assess),
    Skill("foreman", asks(FOREMAN_LAYOUT), _report),
)
