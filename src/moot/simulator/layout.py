"""Layout: fills in the form that a prompt nobody has taught asks for.

    FINDING 1: <short title>                      FINDING 1: Simulated: cost of a small team
    Severity: <CRITICAL or HIGH or LOW>     →     Severity: HIGH
    VERDICT: <APPROVE or REVISE>                  FINDING 2: …
                                                  VERDICT: REVISE

It knows marker lines, slots in angle brackets, lists, headings, tables and numbered blocks. What it
writes is plausible rather than considered; a mode that deserves better gets a skill.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from moot.simulator import prose
from moot.simulator.aspects import Aspect
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.topic import Topic

_SLOT = re.compile(r"<([^<>]+)>|\[([A-Z]+(?:\|[A-Z]+)+)\]")
_MARKER = re.compile(r"(?P<marker>[A-Z][A-Z0-9 _&/-]*(?: [A-Za-z0-9_]+)?):(?: (?P<value>.+))?$")
_FIELD = re.compile(r"(?P<marker>[A-Z][a-z][A-Za-z -]{1,30}): (?P<value>.+)$")
_LEAD_IN = re.compile(r"^[A-Z][a-z][^:]*: {1,2}(?=[A-Z]{3,}:)")
_HEADING = re.compile(r"#{1,4} \S|[A-Z][A-Z &]{3,40}$")
_FRAME = re.compile(r"(=== .+ ===|BEGIN-\w+|END-\w+)$")
_LIST_SLOT = re.compile(r"(?:[-*•]|\d+[.)]) *<")
_BLOCK = re.compile(r"([A-Z]+ (?:task_)?)1\b")
_RANGE = re.compile(r"(\d+)\s*(?:-|–|to)\s*(\d+)")
_CAPITALS = re.compile(r"\b[A-Z][A-Z_]{2,}\b")
_WORDS_TO_CHOOSE = re.compile(r"^\w+(?:,? or \w+|, \w+)+$")
BLOCKS = 3


def filled(prompt: Prompt, mind: Mind) -> str | None:
    """The layout of the instruction, filled in; None if it asks for none."""
    lines = _layout_lines(prompt)
    if not any(_SLOT.search(line) or _MARKER.match(line) or _FRAME.match(line) for line in lines):
        return None
    pen = _Pen(prompt, mind, Topic.of(prompt.question))
    written: list[str] = []
    for at, line in enumerate(lines):
        written.extend(pen.line(line, lines[at + 1] if at + 1 < len(lines) else ""))
    text = "\n".join(written).strip()
    return text if pen.has_told else f"*Simulated reply.*\n\n{text}"


def _layout_lines(prompt: Prompt) -> list[str]:
    headings = {piece.heading for piece in prompt.pieces}
    found: list[str] = []
    block: list[str] = []
    for raw in prompt.instruction.split("\n"):
        line = _LEAD_IN.sub("", raw.strip())
        if block and (not line or not _is_field(line)):
            found.extend(_repeated(block))
            block = []
        if line in headings:
            continue
        if _BLOCK.match(line) and (_MARKER.match(line) or _SLOT.search(line)):
            block = [line]
        elif block:
            block.append(line)
        elif _is_layout(line) or (found and _follows(found[-1], line)):
            found.append(line)
    return [*found, *_repeated(block)]


def _is_layout(line: str) -> bool:
    without_slots = _SLOT.sub("", line)
    has_slot = without_slots != line and len(without_slots) < 50 and not without_slots.rstrip().endswith(".")
    return bool(
        has_slot or _MARKER.match(line) or _FRAME.match(line) or _HEADING.match(line) or line[:1] == "|"
    )


def _is_field(line: str) -> bool:
    return bool(_FIELD.match(line) or _LIST_SLOT.match(line) or line.startswith("<"))


def _follows(last: str, line: str) -> bool:
    return bool(_FIELD.match(line) and (_MARKER.match(last) or _FIELD.match(last)))


def _repeated(block: list[str]) -> Iterator[str]:
    for number in range(1, BLOCKS + 1) if block else ():
        yield _BLOCK.sub(rf"\g<1>{number}", block[0], count=1)
        yield from block[1:]


@dataclass
class _Pen:
    """Writes line after line; the first free text says that it is simulated."""

    prompt: Prompt
    mind: Mind
    topic: Topic
    has_told: bool = False

    def line(self, line: str, following: str) -> Iterator[str]:
        if line.startswith("|"):
            yield self._row(line)
            return
        if _SLOT.search(line):
            yield _SLOT.sub(self._slot, line)
            return
        marker = _MARKER.match(line) or _FIELD.match(line)
        if marker and marker["value"]:
            yield f"{marker['marker']}: {self._value(marker['value'])}"
            return
        yield line
        if line.startswith(("END", "=== END")):
            return
        is_filled = following.startswith(("|", "<")) or _LIST_SLOT.match(following) or _FIELD.match(following)
        if _FRAME.match(line) or not is_filled:
            yield self._paragraphs()

    def _row(self, line: str) -> str:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if any(cells[1:]) or set(line) <= set("|-: "):
            return line
        score = self.mind.dice.randint(2, 5)
        return f"| {cells[0]} | {score} | {self._sentence()} |"

    def _slot(self, slot: re.Match[str]) -> str:
        asked: str = slot[1] or slot[2].replace("|", " or ")
        return self._value(asked)

    def _value(self, asked: str) -> str:
        plain = asked.casefold()
        choices: list[str] = [word for word in _CAPITALS.findall(asked) if word not in {"NONE", "ABSENT"}]
        if len(choices) > 1 or (choices and "or " in plain):
            return self.mind.dice.choice(choices)
        if _WORDS_TO_CHOOSE.match(asked):
            words: list[str] = re.split(r",? or |, ", asked)
            return self.mind.dice.choice(words)
        if "letter" in plain:
            best = self.mind.ranked(self.prompt.responses or {"Response A": ""}, self.topic)[0]
            return best.label.removeprefix("Response ")
        if re.search(r"sentence|paragraph", plain):
            return self._words(plain)
        return self._number(plain) or self._words(plain)

    def _number(self, plain: str) -> str | None:
        limits = _RANGE.search(plain)
        if "decimal" in plain:
            return f"{self.mind.dice.uniform(0.5, 0.95):.2f}"
        if limits and re.search(r"number|score|rating|^\d", plain):
            low, high = int(limits[1]), int(limits[2])
            return str(self.mind.dice.randint((low + high + 1) // 2, high))
        if re.search(r"\b(score|whole number)\b", plain):
            return str(self.mind.dice.randint(5, 9))
        if re.search(r"^n$|\bnumbers$", plain):
            return "1"
        return f"{self.mind.estimate(self.topic):g}" if re.match(r"(a |one )?number\b", plain) else None

    def _words(self, plain: str) -> str:
        if plain.startswith("none"):
            return "none"
        if re.search(r"quot|copied|exact words", plain):
            return " ".join(self.topic.question.split()[:12])
        if re.search(r"title|name|at most \d+ words|short", plain):
            return self._with_notice(f"{self.mind.dice.choice(self._aspects()).word} of {self.topic.focus}")
        return self._paragraphs() if "paragraph" in plain else self._sentence()

    def _paragraphs(self) -> str:
        return prose.paragraphs(self._sentence() + " " + self._sentence(), self._sentence())

    def _sentence(self) -> str:
        aspect = self.mind.dice.choice(self._aspects())
        choice = self.mind.position(self.topic).choice
        return self._with_notice(prose.speaks_for(self.mind, aspect, choice, self.topic))

    def _with_notice(self, text: str) -> str:
        opening = "" if self.has_told else "Simulated: "
        self.has_told = True
        return opening + text

    def _aspects(self) -> list[Aspect]:
        return self.mind.aspects(self.topic, 9)
