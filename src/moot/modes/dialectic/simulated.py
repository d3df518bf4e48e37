"""Dialectic: propose, attack, answer the attack, settle it, write it up, grade it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from moot.modes.dialectic.prompts import (
    FIRST_CRITIQUE,
    FIRST_PROPOSAL,
    JUDGEMENT,
    NEXT_CRITIQUE,
    NEXT_PROPOSAL,
    SYNTHESIS,
)
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic
from moot.simulator.work import Work, score

_SCAFFOLD = re.compile(r"^Scaffold.*\(id ([\w-]+)", re.MULTILINE)
_ISSUE = re.compile(r"^([🔴🟡🟢]) ([CMN]\d+) \| ([^|\n]+)", re.MULTILINE)
_ROUND = re.compile(r"This is Round (\d+) of")
_ACCEPTED = re.compile(r"^([CMN]\d+) ACCEPT", re.MULTILINE)
_ANSWER = re.compile(
    r"^## Answer\n(.*?)(?=^## (?:Assumptions and limits|Confidence)$|\Z)", re.MULTILINE | re.DOTALL
)
_KINDS = (("🔴", "C"), ("🟡", "M"), ("🟢", "N"))


def _propose(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    scaffolds = _SCAFFOLD.findall(prompt.instruction)
    text = prose.answer(mind, topic, mind.position(topic))
    scaffold = scaffolds[0] if scaffolds else "general-structured"
    return (
        f"## Scaffold\n{scaffold} - it puts the points about {topic.focus} in order\n"
        f"## Answer\n{text}\n{_closing(mind, topic)}"
    )


def _revise(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    answer = _answer_in(prompt.under("your previous answer"))
    replies, changes = [], []
    for _, id, title in _ISSUE.findall(prompt.under("skeptic's critique")):
        if mind.chance(0.5 + 0.5 * mind.traits.conformity):
            changes.append(f"On the point “{title.strip().lower()}”: this is now covered, with its cost.")
            replies.append(f"{id} ACCEPT - the answer now deals with it")
        else:
            replies.append(f"{id} DEFEND - the answer claims nothing of the kind")
    return (
        f"## Replies\n{chr(10).join(replies) or 'none'}\n"
        f"## Answer\n{prose.paragraphs(answer, *changes)}\n{_closing(mind, topic)}"
    )


def _closing(mind: Mind, topic: Topic) -> str:
    aspect = mind.aspects(topic, 1)[0]
    return (
        f"## Assumptions and limits\n- ASSUMPTION: {aspect.word} matters to the person asking.\n"
        f"## Confidence\n{mind.dice.randint(6, 9)}/10 - simulated"
    )


def _attack(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    work = Work.of(prompt.under("proposer's answer"))
    aspects = mind.aspects(topic, 3)
    count = 3 if work.judged_by(mind) < 0.6 else 2
    signs = _KINDS if count == 3 else _KINDS[1:]
    issues = "\n".join(
        f"{sign} {letter}1 | {aspect.gap.capitalize()} | the first part\n"
        f"Simulated: on {aspect.word}, the answer stops too early. {aspect.test}"
        for (sign, letter), aspect in zip(signs, aspects, strict=False)
    )
    return f"## Sound\n- It takes a side and says why.\n## Issues\n{issues}\n## Score\nScore: {8 - count}/10"


def _settle(prompt: Prompt, mind: Mind) -> str:
    number = int((_ROUND.findall(prompt.instruction) or ["2"])[-1])
    history = "\n".join(piece.text for piece in prompt.all_under("skeptic"))
    issues_by_id = {id: (sign, title.strip()) for sign, id, title in _ISSUE.findall(history)}
    accepted = {id for piece in prompt.all_under("proposer") for id in _ACCEPTED.findall(piece.text)}
    lines = list(_statuses(issues_by_id, accepted, number))
    standing = [line for line in lines if line.startswith("❌")]
    again = [
        f"{issues_by_id[id][0]} {id} | {issues_by_id[id][1]} | as before\nSimulated: it is still unanswered."
        for line in standing
        for id in [line.split()[2]]
        if id.startswith("C")
    ]
    value = min(9, 5 + number - len(again))
    ready = "\nReady for Synthesis ✅" if value >= 8 and not standing else ""
    issues = "\n".join(again) or "no issues"
    statuses = "\n".join(lines) or "nothing was open"
    return f"## Status\n{statuses}\n## Issues\n{issues}\n## Score\nScore: {value}/10{ready}"


def _statuses(issues: dict[str, tuple[str, str]], accepted: set[str], number: int) -> Iterator[str]:
    for id in issues:
        if id in accepted or number > 3:
            yield f"✅ RESOLVED {id} - simulated: the answer says it now"
        elif id.startswith("C"):
            yield f"❌ UNRESOLVED {id} - simulated: a denial is no answer"
        else:
            yield f"⚠️ PARTIALLY RESOLVED {id} - simulated: half of it is there"


def _synthesise(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    proposals = prompt.all_under("proposer")
    answer = _answer_in(proposals[-1].text) if proposals else prose.NOTICE
    titles = [
        title.strip() for piece in prompt.all_under("skeptic") for _, _, title in _ISSUE.findall(piece.text)
    ]
    caveat = mind.aspects(topic, 1)[0]
    return (
        f"## Answer\n{answer}\n## Confidence\n8/10 - simulated\n## What the debate changed\n"
        f"{prose.bullets(dict.fromkeys(titles[:3])) or '- nothing'}\n## Caveats\n- Simulated: {caveat.gap}."
    )


def _grade(prompt: Prompt, mind: Mind) -> str:
    merit = Work.of(prompt.under("answer")).judged_by(mind)
    grades = {name: score(min(1.0, merit + mind.dice.uniform(-0.1, 0.2)), 5, 10) for name in _CRITERIA}
    mean = sum(weight * grades[name] for name, weight in _CRITERIA.items())
    lines = [f"{name}: {grade}" for name, grade in grades.items()]
    return "\n".join(
        [
            *lines,
            f"Score: {round(mean)}",
            "Justification: Simulated. The answer takes a side and names its reasons.",
            f"Would-benefit-from-finetune: {'true' if mean >= 8 else 'false'}",
        ]
    )


_CRITERIA = {"Correctness": 0.4, "Completeness": 0.25, "Clarity": 0.2, "Depth": 0.15}


def _answer_in(proposal: str) -> str:
    match = _ANSWER.search(proposal)
    return (match[1] if match else proposal).strip()


SKILLS = (
    Skill("dialectic proposal", asks(FIRST_PROPOSAL), _propose),
    Skill("dialectic revision", asks(NEXT_PROPOSAL), _revise),
    Skill("dialectic critique", asks(FIRST_CRITIQUE), _attack),
    Skill("dialectic settlement", asks(NEXT_CRITIQUE), _settle),
    Skill("dialectic synthesis", asks(SYNTHESIS), _synthesise),
    Skill("dialectic judge", asks(JUDGEMENT), _grade),
)
