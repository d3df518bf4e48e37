"""Red team: prepare the work, attack it, defend it, judge the exchange."""

from __future__ import annotations

import re
from collections.abc import Iterator

from moot.modes.red_team.layouts import ATTACK_LAYOUT
from moot.modes.red_team.prompts import DEFEND_PROMPT, GENERATE_PROMPT, JUDGE_PROMPT
from moot.simulator import prose
from moot.simulator.aspects import Aspect
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic
from moot.simulator.work import Work, excerpt

_FINDING = re.compile(r"^\W*FINDING (\d+)\W+(.+)$", re.MULTILINE | re.IGNORECASE)
_ID = re.compile(r"\bR\d+-F\d+\b")
_ACCEPTED = re.compile(r"^(R\d+-F\d+) (?:(?!^R\d+-F\d+ ).)*?^Author: ACCEPT$", re.MULTILINE | re.DOTALL)
_TASK = re.compile(r"(write|design|plan|draft|propose|create|make|give|list|explain|build|how|what|should)\b")
_SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW")


def _prepare(prompt: Prompt, mind: Mind) -> str:
    source = prompt.under("input") or prompt.question
    first = source.strip().casefold()
    is_task = len(source.split()) < 60 and (first.endswith("?") or _TASK.match(first) is not None)
    topic = Topic.of(source)
    text = prose.answer(mind, topic, mind.position(topic)) if is_task else source
    material = "\n\n".join(_number_parts(text.split("\n\n")))
    kind = "TASK" if is_task else "WORK"
    return f"KIND: {kind}\n=== MATERIAL ===\n{material}\n=== END MATERIAL ==="


def _number_parts(parts: list[str]) -> Iterator[str]:
    number, heading = 0, ""
    for part in parts:
        if part.startswith("#") and "\n" not in part:
            heading = part.strip("# ")  # it gets its number with the part below it
        elif part == prose.NOTICE:
            yield part
        elif part.strip():
            number += 1
            yield f"### {number}. {heading or f'Part {number} (simulated)'}"
            yield part
            heading = ""


def _attack(prompt: Prompt, mind: Mind) -> str:
    work = Work.of(prompt.under("work under attack") or prompt.question)
    earlier = _ID.findall(prompt.under("ledger"))
    topic = Topic.of(work.text)
    count = round((1 - work.judged_by(mind)) * 6) - (2 if earlier else 0)
    if count < 1:
        return "NO FINDINGS: Simulated review. Every part says what it needs to, and they hold together."
    blocks = [
        _finding(mind, work, number, aspect, earlier)
        for number, aspect in enumerate(mind.aspects(topic, min(count, 5)), 1)
    ]
    return "\n\n".join(
        [*blocks, "SUMMARY:\nOverall risk: Simulated. What is open can be fixed with little work."]
    )


def _finding(mind: Mind, work: Work, number: int, aspect: Aspect, earlier: list[str]) -> str:
    passage = mind.dice.choice(work.passages)
    headings = [line.strip("# ") for line in work.text.split("\n") if line.startswith("#")]
    place = mind.dice.choice(headings or ["the first part"])
    severity = mind.dice.choices(_SEVERITIES, (1, 3, 4, 3))[0]
    # An attacker that is often wrong also quotes what is not there.
    quote = (
        excerpt(passage) if mind.chance(mind.traits.accuracy) else f"{aspect.word} is guaranteed at all times"
    )
    relates = mind.dice.choice(earlier) if earlier and mind.chance(0.4) else "NEW"
    return (
        f"FINDING {number}: {aspect.gap.capitalize()}\nSeverity: {severity}\nLocation: {place}\n"
        f'Evidence: "{quote}"\nVulnerability: Simulated: here {aspect.gap}.\n'
        f"Exploit Scenario: Somebody relies on it and is wrong about {aspect.word}.\n"
        f"Relates To: {relates}"
    )


def _defend(prompt: Prompt, mind: Mind) -> str:
    work = prompt.under("your work")
    findings: list[tuple[str, str]] = _FINDING.findall(prompt.under("attacks"))
    blocks, changes = [], []
    for number, title in findings:
        accepts = mind.chance(0.35 + 0.6 * mind.traits.conformity)
        change = f"Amendment {number} (simulated): {title.strip('*. ').lower()}: fixed here."
        changes += [change] if accepts else []
        blocks.append(
            f"RESPONSE TO FINDING {number}: {title}\nVerdict: {'ACCEPT' if accepts else 'REBUT'}\n"
            f"Reasoning: Simulated: {'it is true' if accepts else 'the work says it'}.\n"
            f"Revision: {change if accepts else 'N/A'}"
        )
    revised = prose.paragraphs(work, *changes)
    return "\n\n".join(blocks) + f"\n\n=== REVISED CONTENT ===\n{revised}\n=== END REVISED CONTENT ==="


def _judge(prompt: Prompt, mind: Mind) -> str:
    latest = prompt.under("latest version")
    ledger = prompt.under("ledger")
    accepted = set(_ACCEPTED.findall(ledger))
    rulings = []
    for line in dict.fromkeys(_ID.findall(ledger)):
        settled = "FIXED" if line in accepted else "DISMISSED"
        ruling = mind.dice.choices((settled, "OPEN"), (6, 2))[0]
        rulings.append(f"{line}: {ruling} | Simulated ruling: {_GROUNDS[ruling]}")
    risk = mind.aspects(Topic.of(latest), 1)[0]
    return (
        "RULINGS:\n"
        + "\n".join(rulings)
        + f"\n=== HARDENED OUTPUT ===\n{latest}\n=== END HARDENED OUTPUT ===\n"
        f"REMAINING RISKS:\n- Simulated: {risk.gap}."
    )


_GROUNDS = {
    "FIXED": "the change is there.",
    "DISMISSED": "the work never claimed that.",
    "OPEN": "neither side has settled it.",
}

SKILLS = (
    Skill("red team material", asks(GENERATE_PROMPT), _prepare),
    Skill("red team attack", asks(ATTACK_LAYOUT), _attack),
    Skill("red team defence", asks(DEFEND_PROMPT), _defend),
    Skill("red team judge", asks(JUDGE_PROMPT), _judge),
)
