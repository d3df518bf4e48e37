"""Brainstorm: throw in ideas, sort them into themes, score the themes, write the best one up."""

from __future__ import annotations

import re

from moot.modes.brainstorm.prompts import (
    CLUSTER_PROMPT,
    IDEAS_PROMPT,
    PLACE_PROMPT,
    REFINE_PROMPT,
    SCORE_PROMPT,
)
from moot.simulator import prose
from moot.simulator.aspects import aspects_in
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic

_LEAST = re.compile(r"Give (\d+) to (\d+) ideas")
_LENS = re.compile(r"from this angle: (.+?)\. ")
_IDEA = re.compile(r"^\W*(I\d+) *\|(.*)$", re.MULTILINE)
_MOST_THEMES = re.compile(r"Make (\d+) to (\d+) themes")
_CLUSTER = re.compile(r"\bcluster\b\D*?(\d+)", re.IGNORECASE)
_MECHANISMS = (
    (
        "a shared pot for {focus}",
        "Everyone who gains pays into one pot, and the pot pays for the next attempt.",
    ),
    ("open hours on {focus}", "Once a week anyone may ask anything; whatever is asked twice gets fixed."),
    (
        "a swap market around {focus}",
        "What some have too much of, others lack; a simple list brings them together.",
    ),
    ("a league table of small wins", "Every small win is announced, so good habits spread by envy."),
    (
        "a default that does the right thing",
        "The better way happens by default, even if nobody does anything.",
    ),
    ("a pilot with ten people", "Ten people try it for two weeks and decide in public whether it stays."),
    ("a rule that expires", "Each new rule ends after a year unless somebody argues for it again."),
    ("a guide written by newcomers", "People who have just learned it write down what nobody told them."),
    ("a day without {focus}", "A day without it shows what it is needed for."),
    ("a public promise", "A promise with a date and a name is kept more often than a plan."),
)


def _ideas(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    limits, lens = _LEAST.search(prompt.instruction), _LENS.search(prompt.instruction)
    count = min(int(limits[1]) if limits else 5, len(_MECHANISMS))
    angle = f" Angle: {lens[1]}." if lens else ""
    blocks = []
    for number, (title, why) in enumerate(mind.dice.sample(_MECHANISMS, count), 1):
        aspect = mind.dice.choice(mind.aspects(topic, 4))
        name = title.replace("{focus}", topic.focus)
        blocks.append(
            f"IDEA {number}: {name[:1].upper()}{name[1:]}\n{why} It helps with {aspect.word}."
            + (f" (Simulated idea.{angle})" if number == 1 else "")
        )
    return "\n\n".join(blocks)


def _themes(prompt: Prompt, mind: Mind) -> str:
    """Ideas that help with the same thing belong together; spare themes join the last."""
    limits = _MOST_THEMES.search(prompt.instruction)
    most = int(limits[2]) if limits else 6
    groups: dict[str, list[str]] = {}
    for code, text in _IDEA.findall(prompt.everything):
        helps = aspects_in(text)
        groups.setdefault(helps[-1].word if helps else "order", []).append(code)
    by_size = sorted(groups.items(), key=lambda group: -len(group[1]))
    largest, spare = by_size[:most], [code for _, codes in by_size[most:] for code in codes]
    blocks = [
        f"CLUSTER {number}: Better {name}\nTheme: Simulated: ideas that help with {name}.\n"
        f"Promise: {('HIGH', 'MEDIUM', 'LOW')[number % 3]}\nIdeas: {', '.join(codes)}"
        for number, (name, codes) in enumerate(largest, 1)
    ]
    return "\n\n".join([*blocks, f"UNCLUSTERED: {', '.join(spare) or 'none'}"])


def _scores(prompt: Prompt, mind: Mind) -> str:
    numbers = [int(match[1]) for piece in prompt.pieces if (match := _CLUSTER.search(piece.heading))]
    lines = []
    for number in sorted(set(numbers)):
        points = [mind.dice.randint(2, 5) for _ in range(3)]
        lines.append(
            f"Cluster {number}: Novelty={points[0]} Feasibility={points[1]} Impact={points[2]}\n"
            f"Reason: Simulated: {'easy to start' if points[1] > 3 else 'worth the trouble if it works'}."
        )
    return "\n".join(lines)


def _proposal(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    name = prompt.under("direction").partition("\n")[0].strip()
    first, second, third = mind.aspects(topic, 3)
    gains = (prose.speaks_for(mind, aspect, "this direction", topic) for aspect in (second, third))
    return prose.paragraphs(
        f"## Proposal: {name or topic.focus}",
        f"### Executive Summary\nSimulated proposal. It starts small; after a month, {first.word} decides.",
        f"### Core Concept\n{prose.speaks_for(mind, first, 'this direction', topic)}",
        f"### Implementation Approach\n{prose.numbered([first.test, second.test, third.test])}",
        f"### Advantages\n{prose.bullets(gains)}",
        "### Risks & Mitigations\n| Risk | Impact | Mitigation |\n|---|---|---|\n"
        f"| {second.gap} | medium | {second.test} |",
        f"### Next Steps\n{prose.numbered([third.test, first.test, 'Decide after a month.'])}",
        "### Alternative Ideas from This Cluster\n- Each of the others, if the first trial fails.",
    )


def _placing(prompt: Prompt, mind: Mind) -> str:
    """Ideas that were left over go to the first theme."""
    codes = [code for code, _ in _IDEA.findall(prompt.under("ideas"))]
    return f"CLUSTER 1: Simulated placing\nIdeas: {', '.join(codes)}\n\nUNCLUSTERED: none"


SKILLS = (
    Skill("ideas", asks(IDEAS_PROMPT), _ideas),
    Skill("themes", asks(CLUSTER_PROMPT), _themes),
    Skill("leftover ideas", asks(PLACE_PROMPT), _placing),
    Skill("theme scores", asks(SCORE_PROMPT), _scores),
    Skill("proposal", asks(REFINE_PROMPT), _proposal, has_layout=False),
)
