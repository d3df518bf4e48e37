"""Peer review: a review with scores and findings; the consolidation of several."""

from __future__ import annotations

import re

from moot.modes.peer_review.prompts import CONSOLIDATION_PROMPT, REVIEW_PROMPT
from moot.simulator import prose
from moot.simulator.aspects import Aspect
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic
from moot.simulator.work import Work, score

_FINDING_LINE = re.compile(r"^\W*(R\d+-F\d+) *\|(.*)$", re.MULTILINE)
_SEVERITIES = ("CRITICAL", "MAJOR", "MINOR", "SUGGESTION")


def _review(prompt: Prompt, mind: Mind) -> str:
    work = Work.of(prompt.question)
    criteria = prompt.empty_rows or ["Quality"]
    aspects = mind.aspects(Topic.of(prompt.question), 5)
    merit = work.judged_by(mind)
    rows = (
        f"| {criterion} | {score(merit + mind.dice.gauss(0, 0.12), 1, 5)} | {mind.dice.choice(aspects).gap} |"
        for criterion in criteria
    )
    count = round((1 - merit) * 6)
    findings = [
        _finding(mind, work, number, mind.dice.choice(criteria), aspect)
        for number, aspect in enumerate(aspects[:count], 1)
    ]
    strengths = (f"“{quote}” says plainly what is meant" for quote in work.excerpts(mind, 3, 6))
    return "\n\n".join(
        [
            "### Scores\n| Criterion | Score | Justification |\n|---|---|---|\n" + "\n".join(rows),
            "### Findings",
            *(findings or ["NO FINDINGS"]),
            f"### Strengths\n{prose.bullets(strengths)}",
            f"### Summary\nSimulated review. What matters first: {aspects[0].gap}.",
        ]
    )


def _finding(mind: Mind, work: Work, number: int, category: str, aspect: Aspect) -> str:
    quote = (
        work.excerpts(mind, 1)[0] if mind.chance(mind.traits.accuracy) else "this is guaranteed at all times"
    )
    severity = mind.dice.choices(_SEVERITIES, (1, 3, 4, 2))[0]
    return (
        f"FINDING {number}: {aspect.gap.capitalize()}\nCategory: {category}\nSeverity: {severity}\n"
        f"Location: near “{quote[:40]}”\nQuote: {quote}\nDescription: At this place {aspect.gap}.\n"
        f"Impact: Whoever builds on it has to guess.\nRecommendation: {aspect.test}"
    )


def _consolidate(prompt: Prompt, mind: Mind) -> str:
    """Findings with the same title are one issue; simulated reviewers name a gap in the same words."""
    issues: dict[str, list[str]] = {}
    for finding, rest in _FINDING_LINE.findall(prompt.everything):
        fields = [field.strip() for field in rest.split("|")]
        issues.setdefault(fields[3] if len(fields) > 3 else rest.strip(), []).append(finding)
    blocks = [
        f"ISSUE {number}: {title}\nFindings: {', '.join(ids)}\nDescription: Simulated: {title.lower()}.\n"
        f"Action: Settle it in the text.\nEffort: {mind.dice.choice(('Low', 'Medium', 'High'))}"
        + ("" if len(ids) > 1 else f"\nCredibility: {_credibility(mind)}")
        for number, (title, ids) in enumerate(issues.items(), 1)
    ]
    criteria = re.search(r"DISPUTED CRITERIA: (.+)", prompt.instruction)
    names = [] if not criteria or "none" in criteria[1].casefold() else criteria[1].split(",")
    disputes = (
        f"DISPUTE: {name.strip(' .')} | some find it sound | others do not | the work leaves it open"
        for name in names
    )
    return "\n\n".join(
        [
            *blocks,
            *disputes,
            "EXECUTIVE SUMMARY:\nSimulated summary. What several reviewers found comes first.",
            "END OF REPORT",
        ]
    )


def _credibility(mind: Mind) -> str:
    return "sound - the work shows it" if mind.chance(0.7) else "doubtful - the work does not show it"


SKILLS = (
    Skill("review", asks(REVIEW_PROMPT), _review),
    Skill("review consolidation", asks(CONSOLIDATION_PROMPT), _consolidate),
)
