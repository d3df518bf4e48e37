"""Confidence-weighted: an answer with a probability of being right; the weighted synthesis."""

from __future__ import annotations

import re
from collections import Counter

from moot.modes.confidence_weighted.layouts import ANSWER_LAYOUT, SYNTHESIS_LAYOUT
from moot.modes.confidence_weighted.prompts import ANSWER_PROMPT, SYNTHESIS_PROMPT
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic

_ANSWER = re.compile(r"ANSWER\b.*?\blabel\W+([A-Z])\b.*?weight\W+([\d.]+)", re.IGNORECASE)


def _answer(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    text = prose.answer(mind, topic, mind.position(topic))
    # Like people, simulated models are surer than they are right, and the worse the surer.
    sure = mind.traits.accuracy + 0.3 * (1 - mind.traits.accuracy) + mind.dice.gauss(0, 0.06)
    first, second = mind.aspects(topic, 2)
    return (
        f"RESPONSE:\n{text}\n\nCONFIDENCE: {min(max(sure, 0.05), 0.99):.2f}\n"
        f"CONFIDENCE_REASONING: Simulated. I am sure about {first.word}, less so about {second.word}."
    )


def _synthesise(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    weights: Counter[str] = Counter()
    stances = {}
    for piece in prompt.pieces:
        if heading := _ANSWER.search(piece.heading):
            weights[heading[1]] = int(float(heading[2]) * 100)
            stances[heading[1]] = topic.stance(piece.text)
    support = Counter(dict.fromkeys(topic.positions, 0))
    for letter, stance in stances.items():
        if stance:
            support[stance] += weights[letter]
    chosen = support.most_common(1)[0][0] if support.total() else mind.position(topic)
    notes = (
        f"Answer {letter}: {_calibration(mind, stance == chosen)} - "
        + ("its side prevailed." if stance == chosen else "its reasons did not carry it that far.")
        for letter, stance in stances.items()
    )
    return "\n".join(
        [
            f"SYNTHESIS:\n{prose.answer(mind, topic, chosen)}",
            "\nCONFIDENCE CALIBRATION NOTES:",
            *notes,
            "Simulated notes: as a group, they were surer than their reasons allow.",
        ]
    )


def _calibration(mind: Mind, prevailed: bool) -> str:
    return mind.dice.choice(("FAIR", "FAIR", "UNDERCONFIDENT") if prevailed else ("OVERCONFIDENT", "FAIR"))


SKILLS = (
    Skill("answer with confidence", asks(ANSWER_PROMPT, ANSWER_LAYOUT), _answer),
    Skill("weighted synthesis", asks(SYNTHESIS_PROMPT, SYNTHESIS_LAYOUT), _synthesise),
)
