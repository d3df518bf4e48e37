"""Specialist panel: an expert's report, the reactions to colleagues, the integrated assessment."""

from __future__ import annotations

import re

from moot.modes.specialist_panel.prompts import CROSS_REVIEW_PROMPT, SPECIALIST_PROMPT, SYNTHESIS_PROMPT
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic
from moot.simulator.work import Work, score

_ROLE = re.compile(r"You are the (.+?) on an expert panel")
_ID = re.compile(r"^S\d+(?:\.\d+)?\b", re.MULTILINE)


def _report(prompt: Prompt, mind: Mind) -> str:
    work = Work.of(prompt.question)
    role = _ROLE.search(prompt.instruction)
    aspects = mind.aspects(Topic.of(prompt.question), 4)
    findings = (
        f"{aspect.gap.capitalize()}: “{quote}” leaves it open, so whoever builds on it will have to guess."
        for aspect, quote in zip(aspects, work.excerpts(mind, 4, 8), strict=False)
    )
    rows = (
        f"| {criterion} | {score(work.judged_by(mind), 1, 5)} | {mind.dice.choice(aspects).gap} |"
        for criterion in prompt.empty_rows
    )
    return "\n".join(
        [
            f"### Key Findings\n{prose.numbered(findings)}",
            "### Risk Assessment\n| Criterion | Rating | Notes |\n|---|---|---|",
            *rows,
            f"### Top 3 Recommendations\n{prose.numbered(aspect.test for aspect in aspects[:3])}",
            f"### Detailed Analysis\nSimulated analysis by the {role[1] if role else 'expert'}. "
            + " ".join(
                prose.sentence(aspect.speaks_for[0], "what is proposed", Topic.of(prompt.question))
                for aspect in aspects
            )
            + " The rest is outside my field.",
        ]
    )


def _react(prompt: Prompt, mind: Mind) -> str:
    ids = list(dict.fromkeys(_ID.findall(prompt.under("colleague") or prompt.everything)))
    words = ("SUPPORT", "CHALLENGE", "EXTEND")
    weights = (2 + 3 * mind.traits.conformity, 3 * (1 - mind.traits.conformity), 1.5)
    lines = []
    for finding in mind.some(ids, max(2, len(ids) * 2 // 3)):
        word = mind.dice.choices(words, weights)[0]
        lines.append(f"REACTION {finding}: {word} - Simulated: {_REASONS[word]}")
    if mind.chance(0.3):
        lines.append(f"GAP: {mind.aspects(Topic.of(prompt.question), 1)[0].gap}")
    return "\n".join([*lines, "END OF CROSS-REVIEW"])


_REASONS = {
    "SUPPORT": "my field shows the same",
    "CHALLENGE": "the submission does not bear this out",
    "EXTEND": "it holds, and it will cost time as well",
}


def _integrate(prompt: Prompt, mind: Mind) -> str:
    ids = list(dict.fromkeys(_ID.findall(prompt.under("ledger") or prompt.everything)))
    by_seat = {finding.partition(".")[0]: finding for finding in reversed(ids)}
    resting = ", ".join(sorted(by_seat.values())[:2])
    aspects = mind.aspects(Topic.of(prompt.question), 4)
    levels = ("High", "Medium", "Low")
    matrix = (
        f"| {aspect.word} | {level} | {aspect.gap} | {aspect.test} | {', '.join(sorted(by_seat)[:2])} |"
        for aspect, level in zip(aspects, levels, strict=False)
    )
    return "\n".join(
        [
            "### Convergent Findings",
            *(f"- {aspect.gap.capitalize()} [{resting}]" for aspect in aspects[:2]),
            "### Divergent Findings\n| Finding | Perspective A | Perspective B | Suggested Resolution |",
            "|---|---|---|---|",
            f"| {aspects[2].gap} | it must be settled first | it can wait | {aspects[2].test} |",
            "### Consolidated Risk Matrix",
            "| Domain | Risk Level | Key Concern | Recommended Action | Source Specialists |",
            "|---|---|---|---|---|",
            *matrix,
            "### Unified Recommendations",
            prose.numbered(f"{aspect.test} [{resting}]" for aspect in aspects),
            "### Executive Summary",
            "Simulated assessment. The proposal can go ahead once the high risks are settled.\n",
            "The missing perspectives might have changed this.",
        ]
    )


SKILLS = (
    Skill("specialist", asks(SPECIALIST_PROMPT), _report),
    Skill("cross-review", asks(CROSS_REVIEW_PROMPT), _react),
    Skill("panel synthesis", asks(SYNTHESIS_PROMPT), _integrate),
)
