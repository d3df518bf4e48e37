"""The text of one section: cleaned of what is not its own, cut into passages, measured.

"Sure!\n## Section 3: Data\nStops …\n## Section 4: Routing\n…"   ─▶   "Stops …", 1 word and a section trimmed

A body is its passages with one blank line between them: that is how it is numbered, cut and joined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Literal, NamedTuple

from moot.deliberation.dressing import undressed
from moot.deliberation.parsing import in_code, plain
from moot.deliberation.similarity import STOP_WORDS
from moot.deliberation.text import name_key, sentence_spans, word_count
from moot.modes.blueprint.outline import Length

LengthStatus = Literal["under", "ok", "over"]
Kind = Literal["text", "heading", "table", "code"]
WORDS: dict[Length, tuple[int, int]] = {"Short": (200, 500), "Medium": (500, 1000), "Long": (1000, 2000)}
LONGEST_PREFACE = 60
FEWEST_OWN_WORDS = 50
HIGHEST_INNER = 3
WINDOW = 3

_HASHES = re.compile(r"(\s{0,3})(#{1,6})(?=\s+\S)")
_BOLD = re.compile(r"\s{0,3}(?:\*\*|__)[^*_]+(?:\*\*|__)\s*(?::\s*)?$")
_SECTION = re.compile(r"SECTION\s+(\d{1,3})\s*(?:[:–—-]|\.(?!\d)|$)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SUFFIXES = (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ed", ""))


class Passage(NamedTuple):
    text: str
    kind: Kind


@dataclass(frozen=True)
class CleanSection:
    body: str
    trimmed_words: int


def clean_section(reply: str, number: int, title: str) -> CleanSection:
    """The section alone, without its heading: what was said before it, if short, and whole other
    sections after it are trimmed, if enough is left."""
    raws = undressed(reply).strip("\n").split("\n")
    code = list(in_code(raws))
    own = next((at for at, raw in enumerate(raws) if not code[at] and _is_own(raw, number, title)), None)
    before = raws[:own] if own is not None else []
    start = 0 if own is None else own + 1
    foreign = (at for at in range(start, len(raws)) if not code[at] and _is_foreign(raws[at], number))
    end = next(foreign, len(raws))
    if word_count("\n".join(raws[start:end])) < FEWEST_OWN_WORDS:
        end = len(raws)
    trimmed = word_count("\n".join(raws[end:]))
    if word_count("\n".join(before)) <= LONGEST_PREFACE:
        trimmed += word_count("\n".join(before))
        before = []
    return CleanSection(canonical("\n".join([*before, *raws[start:end]])), trimmed)


def _is_own(raw: str, number: int, title: str) -> bool:
    text = plain(raw)
    key = name_key(text)
    if key == name_key(f"Section {number}: {title}"):
        return True
    numbered = _SECTION.match(text)
    return _is_heading(raw) and (
        key == name_key(title) or (numbered is not None and int(numbered[1]) == number)
    )


def _is_foreign(raw: str, number: int) -> bool:
    numbered = _SECTION.match(plain(raw)) if _is_heading(raw) else None
    return numbered is not None and int(numbered[1]) != number


def _is_heading(raw: str) -> bool:
    return raw.lstrip()[:1] in ("#", "*", "_") and bool(_HASHES.match(raw) or _BOLD.match(raw))


def canonical(text: str) -> str:
    """The text with one blank line between its passages, headings no higher than the third level, and no
    block of code left open."""
    return join_passages(lower_headings(passages(text)))


def join_passages(parts: Sequence[Passage]) -> str:
    return "\n\n".join(part.text for part in parts)


def passages(text: str) -> list[Passage]:
    """Blocks between blank lines; a heading and a block of code are always blocks of their own."""
    raws = text.split("\n")
    has_fence = "```" in text
    if has_fence and sum(raw.lstrip(" \t>").startswith("```") for raw in raws) % 2:
        raws.append("```")
    blocks: list[tuple[list[str], bool]] = []
    starts_block = True
    for raw, in_block in zip(raws, in_code(raws) if has_fence else repeat(False), strict=has_fence):
        line = raw.rstrip()
        if not in_block and not line:
            starts_block = True
            continue
        alone = not in_block and "#" in line and _HASHES.match(line) is not None
        if starts_block or alone or blocks[-1][1] != in_block:
            blocks.append(([], in_block))
        blocks[-1][0].append(line)
        closes = in_block and len(blocks[-1][0]) > 1 and line.lstrip(" \t>").startswith("```")
        starts_block = alone or closes
    return [Passage("\n".join(block), _kind(block, in_block)) for block, in_block in blocks]


def _kind(block: Sequence[str], is_code: bool) -> Kind:
    if is_code:
        return "code"
    if _HASHES.match(block[0]):
        return "heading"
    return "table" if len(block) > 1 and all("|" in line for line in block) else "text"


def lower_headings(parts: Sequence[Passage], highest: int = HIGHEST_INNER) -> list[Passage]:
    """With the headings shifted so that the highest is of this level."""
    levels = [
        len(match[2]) for part in parts if part.kind == "heading" and (match := _HASHES.match(part.text))
    ]
    shift = highest - min(levels, default=highest)
    if not shift:
        return list(parts)
    return [
        Passage(_HASHES.sub(lambda match: "#" * min(6, len(match[2]) + shift), part.text, count=1), part.kind)
        if part.kind == "heading"
        else part
        for part in parts
    ]


def paragraphs(body: str) -> list[str]:
    """The passages that carry a number, from 1: not headings, tables and code."""
    return [part.text for part in passages(body) if part.kind == "text"]


def remove_paragraphs(body: str, numbers: Sequence[int]) -> str:
    """The body without the paragraphs of these numbers."""
    if not numbers:
        return body
    rest: list[Passage] = []
    number = 0
    for part in passages(body):
        number += part.kind == "text"
        if part.kind != "text" or number not in numbers:
            rest.append(part)
    return join_passages(rest)


def number_paragraphs(body: str, section: int) -> str:
    """The body as the editor sees it, each paragraph with its number in brackets."""
    texts: list[str] = []
    number = 0
    for part in passages(body):
        number += part.kind == "text"
        texts.append(f"[{section}.{number}] {part.text}" if part.kind == "text" else part.text)
    return "\n\n".join(texts)


def condense(body: str, words: int = 200) -> str:
    """The headings and the first words."""
    headings = [part.text for part in passages(body) if part.kind == "heading"]
    rest = " ".join(part.text for part in passages(body) if part.kind != "heading")
    return "\n".join([*headings, " ".join(rest.split()[:words])])


def length_status(words: int, length: Length) -> LengthStatus:
    low, high = WORDS[length]
    if 2 * words < low:
        return "under"
    return "over" if 2 * words > 3 * high else "ok"


def covered_topics(topics: Sequence[str], body: str) -> list[str]:
    """Those of which two thirds of the words that carry meaning occur, by their stems, within three
    sentences somewhere."""
    sentences = [_stems(body[start:end]) for start, end in sentence_spans(body)]
    windows = [set().union(*sentences[at : at + WINDOW]) for at in range(max(1, len(sentences) - WINDOW + 1))]
    return [topic for topic in topics if _is_covered(_stems(topic), windows)]


def _is_covered(words: set[str], windows: Sequence[set[str]]) -> bool:
    return any(3 * len(words & window) >= 2 * len(words) for window in windows)


def _stems(text: str) -> set[str]:
    words = _WORD.findall(text.lower())
    return {_stem(word) for word in words if word not in STOP_WORDS} or {_stem(word) for word in words}


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    for suffix, instead in _SUFFIXES if len(word) > 4 else ():
        if word.endswith(suffix):
            word = word.removesuffix(suffix) + instead
            break
    # "time" and "times", "store" and "stored" must come to the same.
    return word.removesuffix("e") if len(word) > 3 else word
