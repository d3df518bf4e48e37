"""Blueprint: plan a document, write one of its sections, edit the whole."""

from __future__ import annotations

import re

from moot.modes.blueprint.prompts import ASSEMBLY_PROMPT, OUTLINE_PROMPT, SECTION_PROMPT
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic

MOST_SECTIONS = 4
"""Nobody wants to read much that nobody has written."""
_MUST_COVER = re.compile(r"It must cover: (.+)")
_SECTION = re.compile(r"YOUR SECTION (\d+): (.+)")
_TOPICS = re.compile(r"Topics, all of them: (.+)")
_LENGTH = re.compile(r"Length: (\d+) to (\d+) words")
_NUMBERS = re.compile(r"^\W*SECTION (\d+)\b", re.MULTILINE | re.IGNORECASE)


def _plan(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    must_cover = _MUST_COVER.search(prompt.instruction)
    titles = (
        [title.strip(" .") for title in must_cover[1].split(";")]
        if must_cover and ";" in must_cover[1]
        else []
    )
    aspects = mind.aspects(topic, 6)
    if len(titles) < 3:
        titles = [f"{aspect.word} of {topic.focus}" for aspect in aspects]
    terms = (f"TERM: {aspect.word} = what {aspect.word} means for {topic.focus}" for aspect in aspects[:5])
    sections = [
        f"SECTION {number}: {title.capitalize()}\nDescription: What the reader must know about {title}.\n"
        f"Key Topics:\n- {title}\n- {aspects[number % len(aspects)].word}\n"
        "Length: Short\n"
        f"Source Coverage: what the source says about {title}\nExcludes: none"
        for number, title in enumerate(titles[:MOST_SECTIONS], 1)
    ]
    return "\n".join(
        [
            f"DOCUMENT TITLE: {topic.focus[:1].upper()}{topic.focus[1:]} (simulated)",
            *terms,
            *sections,
            f"DOCUMENT SUMMARY:\nTotal sections: {len(sections)}",
            f"Estimated total length: {200 * len(sections)} words",
            "Key themes: " + "; ".join(aspect.word for aspect in aspects[:4]),
        ]
    )


def _section(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    own, topics, length = (pattern.search(prompt.instruction) for pattern in (_SECTION, _TOPICS, _LENGTH))
    number, title = (own[1], own[2]) if own else ("1", topic.focus)
    least_words = int(length[1]) if length else 200
    topic_text = prompt.under("topics") or (topics[1] if topics else title)
    names = [name.strip() for name in re.split(r"[,;]", topic_text) if name.strip()] or [title]
    parts = [f"## Section {number}: {title}", f"Simulated section. It covers {prose.listed(names)}."]
    aspects = mind.aspects(topic, 9)
    while len(" ".join(parts).split()) < least_words and len(parts) < 60:
        name, aspect = names[len(parts) % len(names)], aspects[len(parts) % len(aspects)]
        parts.append(f"### {name.capitalize()}: {aspect.word}")
        parts.append(f"{prose.speaks_for(mind, aspect, name, topic)} {aspect.test} Until then {aspect.gap}.")
    parts.append("[Requires additional input: a figure from the first trial]")
    return "\n\n".join(parts)


def _edit(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    numbers = sorted({int(number) for number in _NUMBERS.findall(prompt.everything)})
    transitions = (
        f"TRANSITION {number}: With that settled, the next part can be short."
        for number in numbers
        if number > 1
    )
    aspects = mind.aspects(topic, 3)
    return "\n".join(
        [
            "EXECUTIVE SUMMARY:",
            prose.paragraphs("Simulated summary.", *(aspect.test for aspect in aspects)),
            "END SUMMARY",
            *transitions,
            *([f"TODO {numbers[-1]}: {aspects[0].gap}"] if numbers else []),
            "END OF ASSEMBLY",
        ]
    )


SKILLS = (
    Skill("blueprint plan", asks(OUTLINE_PROMPT), _plan),
    Skill("blueprint section", asks(SECTION_PROMPT), _section, has_layout=False),
    Skill("blueprint assembly", asks(ASSEMBLY_PROMPT), _edit),
)
