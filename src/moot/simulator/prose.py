"""Prose: what a simulated model writes when it answers in its own words, as Markdown.

>>> print(NOTICE)
*Simulated answer: no language model wrote this.*
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moot.simulator.aspects import Aspect
from moot.simulator.mind import Mind
from moot.simulator.topic import Position, Topic

NOTICE = "*Simulated answer: no language model wrote this.*"


def answer(mind: Mind, topic: Topic, position: Position, also: Sequence[Aspect] = ()) -> str:
    """A whole answer that holds a position; `also` are aspects it has learned from others."""
    count = min(max(round(4 * mind.traits.verbosity), 2), 8)
    aspects = list(dict.fromkeys([*mind.aspects(topic, count), *also]))
    parts = _FORMS[mind.character.form](mind, topic, position, aspects)
    if topic.is_technical and mind.chance(0.5):
        parts.append(_code(topic))
    return paragraphs(NOTICE, *parts)


def thesis(mind: Mind, position: Position) -> str:
    return f"**{mind.character.turn} {position.claim}.**"


def speaks_for(mind: Mind, aspect: Aspect, choice: str, topic: Topic) -> str:
    return sentence(mind.dice.choice(aspect.speaks_for), choice, topic)


def speaks_against(aspect: Aspect, choice: str, topic: Topic) -> str:
    return sentence(aspect.speaks_against, choice, topic)


def sentence(pattern: str, choice: str, topic: Topic) -> str:
    # Not str.format: a question may well contain braces.
    written = pattern.replace("{choice}", choice).replace("{focus}", topic.focus)
    return written[:1].upper() + written[1:]


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def numbered(items: Iterable[str]) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))


def listed(words: Sequence[str]) -> str:
    """`cost, risk and time`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _sections(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> list[str]:
    return [
        "## Short answer",
        f"{thesis(mind, position)} “{topic.question}” turns on {_words(aspects)}, in that order.",
        "## Why",
        bullets(
            f"**{aspect.word.capitalize()}.** {speaks_for(mind, aspect, position.choice, topic)}"
            for aspect in aspects
        ),
        "## The case against",
        _objection(mind, topic, position, aspects),
        "## Next steps",
        numbered(aspect.test for aspect in aspects[:3]),
    ]


def _brief(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> list[str]:
    return [
        f"{thesis(mind, position)} {speaks_for(mind, aspects[0], position.choice, topic)}",
        " ".join(speaks_for(mind, aspect, position.choice, topic) for aspect in aspects[1:]),
        f"So start here: {aspects[0].test[:1].lower()}{aspects[0].test[1:]}",
    ]


def _table(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> list[str]:
    head = " | ".join(other.choice for other in topic.positions)
    rule = "|".join("---" for _ in range(len(topic.positions) + 1))
    rows = (
        f"| {aspect.word} | " + " | ".join(_mark(mind, other == position) for other in topic.positions) + " |"
        for aspect in aspects
    )
    return [
        f"{thesis(mind, position)} This is how the choices compare for {topic.focus}:",
        "\n".join([f"| | {head} |", f"|{rule}|", *rows]),
        " ".join(speaks_for(mind, aspect, position.choice, topic) for aspect in aspects[:3]),
        f"> {_objection(mind, topic, position, aspects)}",
    ]


def _objections(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> list[str]:
    rival = mind.dice.choice(topic.others(position))
    return [
        f"{thesis(mind, position)} I expect to be alone with this, so here are the objections first.",
        f"### Why not {rival.choice}?",
        " ".join(speaks_against(aspect, rival.choice, topic) for aspect in aspects[:2]),
        f"### Why {position.choice}",
        bullets(speaks_for(mind, aspect, position.choice, topic) for aspect in aspects),
        f"If you disagree, say what about {topic.focus} would have to be different.",
    ]


def _steps(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> list[str]:
    steps = (
        f"**{aspect.word.capitalize()}.** {speaks_for(mind, aspect, position.choice, topic)} {aspect.test}"
        for aspect in aspects
    )
    return [
        f"I take “{topic.question}” apart before I answer.",
        numbered(steps),
        f"{thesis(mind, position)} {_objection(mind, topic, position, aspects)}",
    ]


def _essay(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> list[str]:
    rival = mind.dice.choice(topic.others(position))
    return [
        f"It is easy to see why opinions differ about {topic.focus}. {thesis(mind, position)}",
        " ".join(speaks_for(mind, aspect, position.choice, topic) for aspect in aspects),
        f"There is something to be said for {rival.choice} too. But: "
        + speaks_against(aspects[-1], rival.choice, topic),
        f"A small first step: {aspects[-1].test[:1].lower()}{aspects[-1].test[1:]}",
    ]


_FORMS = {
    "sections": _sections,
    "brief": _brief,
    "table": _table,
    "objections": _objections,
    "steps": _steps,
    "essay": _essay,
}


def _objection(mind: Mind, topic: Topic, position: Position, aspects: list[Aspect]) -> str:
    rival = mind.dice.choice(topic.others(position))
    return (
        f"The strongest case for the other side is {rival.choice}. "
        + speaks_for(mind, aspects[-1], rival.choice, topic)
        + " That would decide it if the facts were clearer than they are."
    )


def _words(aspects: Sequence[Aspect]) -> str:
    return listed([aspect.word for aspect in aspects])


def _mark(mind: Mind, is_own: bool) -> str:
    return mind.dice.choice(("good", "good", "fair") if is_own else ("fair", "fair", "weak", "good"))


def _code(topic: Topic) -> str:
    options = ", ".join(f'"{position.choice}"' for position in topic.positions)
    return (
        "```python\n"
        "# A simulated sketch: let the smallest real case decide.\n"
        f"options = [{options}]\n"
        'results = {option: try_out(option, case="smallest real one") for option in options}\n'
        "print(max(results, key=results.get))\n"
        "```"
    )
