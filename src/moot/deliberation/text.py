"""Words of a text: counted, told apart, compared, matched to names.

>>> word_count("two words"), word_count("日本語の文章です")
(2, 8)
>>> closest("authentication & authorisation", ["Authentication and Authorization", "Data Protection"])
'Authentication and Authorization'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from moot.deliberation.parsing import fold

# Han, Kana and Thai are written without blanks between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)
_LETTER = re.compile(r"[^\W\d_]")
_NO_LETTER = re.compile(r"[\W_]+")
# Not after a single letter: "e.g. this" and "J. Smith" go on. What may end one is looked for first.
_SENTENCE_END = re.compile(
    r"(?=[.!?…。！？\n])(?:"
    r"(?:\.(?<!\b[^\W\d_]\.)|[!?…])+[\"'”’»)\]*_]*(?=\s)|[。！？]+|\n[^\S\n]*\n|\n(?=[^\S\n]*(?:[-*+•#>|]|\d+[.)]))"
    r")"
)


def word_tokens(text: str) -> list[str]:
    """The words as they are counted: what stands between blanks; in a script without blanks, if more
    than 30% of the letters are of one, each such character."""
    unspaced = len(_UNSPACED.findall(text))
    if unspaced and unspaced > 0.3 * max(len(_LETTER.findall(text)), unspaced):
        text = _UNSPACED.sub(lambda character: f" {character[0]} ", text)
    return text.split()


def word_count(text: str) -> int:
    return len(word_tokens(text))


def name_key(name: str) -> str:
    """A name as names are compared: letters and digits alone, in one case, `&` read as "and"."""
    folded = name.lower() if name.isascii() else fold(name).casefold()
    return _NO_LETTER.sub("", folded.replace("&", "and"))


def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1: twice the matching characters among all of both."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _may_be_alike(one: str, other: str, at_least: float) -> bool:
    """Whether their letters, in whatever order, leave it possible that two texts are so alike."""
    shorter, longer = sorted((len(one), len(other)))
    most = 2 * shorter / (shorter + longer) if longer else 1.0
    return most >= at_least and SequenceMatcher(None, one, other, autojunk=False).quick_ratio() >= at_least


def closest(name: str, names: Iterable[str], *, at_least: float = 0.9, ahead: float = 0.0) -> str | None:
    """The one of the names that is meant: the same but for case and punctuation, else the most alike
    if it is alike enough and lies clearly ahead of the second."""
    keys = _name_keys(tuple(names))
    own_key = name_key(name)[:200]
    same = [one for key, one in keys if key == own_key]
    if same or not own_key:
        return same[0] if len(same) == 1 else None
    if not any(_may_be_alike(own_key, key, at_least) for key, _ in keys):
        return None
    by_likeness = sorted(((likeness(own_key, key), one) for key, one in keys), reverse=True)
    if by_likeness[0][0] < at_least:
        return None
    lead = by_likeness[0][0] - by_likeness[1][0] if len(by_likeness) > 1 else 1.0
    return by_likeness[0][1] if lead > 0 and lead >= ahead else None


@lru_cache(maxsize=256)
def _name_keys(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name_key(one), one) for one in names)


def numbers_named(value: str, name: str) -> list[int]:
    """The numbers of things named in a list, each once: `task_1`, `Task 3` or a bare `4`.

    >>> numbers_named("Task 1 and task_3; 4", "task")
    [1, 3, 4]
    """
    numbers = re.findall(
        rf"(?<![\w.])(?:{re.escape(name)}[\s_#\\-]*)?(\d{{1,6}})(?![\w])", value, re.IGNORECASE
    )
    return list(dict.fromkeys(map(int, numbers)))


def cited(text: str, ident: str = r"\d+") -> list[str]:
    """The ids that stand in square brackets, each once, in capitals: `[S1.2, s3.1]`, `[1, 3]`.

    `ident` is the pattern of one id.
    """
    brackets = re.findall(r"\[([^\[\]]*)\]", text)
    ids = re.findall(rf"(?<![\w.-])(?:{ident})(?![\w-]|\.\w)", "\n".join(brackets), re.IGNORECASE)
    return list(dict.fromkeys(one.upper() for one in ids))


def without_citations(text: str, ident: str = r"\d+") -> str:
    """The text without the brackets that hold nothing but ids."""
    several = rf"\s*\[\s*(?:{ident})(?:(?:\s*[,;&]\s*|\s+and\s+|\s+)(?:{ident}))*\s*\]"
    return re.sub(several, "", text, flags=re.IGNORECASE).strip()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends. Blank lines and list items end one too."""
    spans = []
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end].lstrip()
        if sentence:
            begin = end - len(sentence)
            spans.append((begin, begin + len(sentence.rstrip())))
            start = end
    return spans
