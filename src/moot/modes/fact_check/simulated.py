"""Fact-check: state facts, extract claims, verify them one by one, comment on the outcome."""

from __future__ import annotations

import re

from moot.modes.fact_check.prompts import (
    COMMENTARY_PROMPT,
    EXTRACT_LAYOUT,
    GENERATE_PROMPT,
    VERIFY_PROMPT,
)
from moot.simulator import prose
from moot.simulator.dice import dice
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt, flat
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic
from moot.simulator.work import Work

_MOST = re.compile(r"At most (\d+) claims")
_CLAIM_ID = re.compile(r"\bclaim_\d+\b")
_CONSENSUS = re.compile(r"\b(claim_\d+)\b.*?\b(VERIFIED|DISPUTED|UNVERIFIABLE)\b")


def _generate(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    position = mind.position(topic)
    year, share = mind.dice.randrange(1950, 2020), mind.dice.randrange(20, 80)
    return prose.paragraphs(
        prose.NOTICE,
        f"The first study of {topic.focus} that is still read appeared in {year}. "
        f"It was based on {share * 10} cases from {mind.dice.randint(3, 12)} countries.",
        f"In {share} percent of these cases, {position.claim}. "
        f"The rest differed in {mind.aspects(topic, 1)[0].word}.",
        f"A second study in {year + mind.dice.randint(3, 15)} came to a share of "
        f"{share - mind.dice.randint(1, 15)} percent.",
    )


def _extract(prompt: Prompt, mind: Mind) -> str:
    work = Work.of(prompt.under("text"))
    limit = _MOST.search(prompt.instruction)
    checkable = [passage for passage in work.passages if re.search(r"\d|\bis\b|\bwas\b|\bare\b", passage)]
    passages = [passage for passage in checkable if "imulated" not in passage][
        : int(limit[1]) if limit else 30
    ]
    blocks = (
        f"CLAIM {number}: {passage.strip('*')}\nQuote: {passage}\nType: {_kind(passage)}"
        for number, passage in enumerate(passages, 1)
    )
    return "Simulated extraction.\n\n" + ("\n\n".join(blocks) or "NO CLAIMS")


def _kind(passage: str) -> str:
    if re.search(r"\b(1[89]|20)\d\d\b", passage):
        return "DATE"
    if re.search(r"\d", passage):
        return "STATISTIC"
    return "CAUSAL" if re.search(r"\bbecause\b|\bcause", passage) else "TECHNICAL"


def _verify(prompt: Prompt, mind: Mind) -> str:
    texts = {
        ids[0]: piece.text
        for piece in prompt.pieces
        if piece.is_under("claim") and (ids := _CLAIM_ID.findall(piece.heading))
    }
    blocks = []
    for claim, text in texts.items():
        verdict = _verdict(mind, flat(text))
        correction = "This is true only in some cases." if verdict == "DISPUTED" else "N/A"
        blocks.append(
            f"VERIFICATION {claim}: {verdict}\nEvidence: Simulated: {_GROUNDS[verdict]}\n"
            f"Correction: {correction}\nConfidence: {mind.dice.choice(('HIGH', 'HIGH', 'MEDIUM', 'LOW'))}"
        )
    return "\n\n".join(blocks)


def _verdict(mind: Mind, claim: str) -> str:
    """What holds is a matter of the claim's letters; the accurate see it, the others guess."""
    truth: str = dice("claim", claim).choices(tuple(_GROUNDS), (6, 2, 1))[0]
    return truth if mind.chance(mind.traits.accuracy) else mind.dice.choice(tuple(_GROUNDS))


_GROUNDS = {
    "VERIFIED": "it agrees with common knowledge.",
    "DISPUTED": "common knowledge says otherwise.",
    "UNVERIFIABLE": "nothing supports it or rules it out.",
}


def _comment(prompt: Prompt, mind: Mind) -> str:
    text = prompt.under("text checked").replace(prose.NOTICE, "").strip()
    topic = Topic.of(text or prompt.question)
    verdicts = dict(_CONSENSUS.findall(prompt.everything))
    lines = [
        f"SUMMARY: Simulated commentary. The text is about {topic.focus}.",
        "ASSESSMENT: The score rests on what the checkers knew. Where they split, the stricter one won.",
    ]
    for verdict, grounds in _GROUNDS.items():
        claims = [claim for claim, ruling in verdicts.items() if ruling == verdict]
        lines += [f"{verdict}:", prose.bullets(f"{claim}: {grounds}" for claim in claims) or "- none"]
    return "\n".join(lines)


SKILLS = (
    Skill("facts", asks(GENERATE_PROMPT), _generate, has_layout=False),
    Skill("claims", asks(EXTRACT_LAYOUT), _extract),
    Skill("verification", asks(VERIFY_PROMPT), _verify),
    Skill("fact-check commentary", asks(COMMENTARY_PROMPT), _comment),
)
