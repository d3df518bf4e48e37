"""Samples: what a layout prints for a model to replace. A reply that repeats one has not filled that field.

    LAYOUT = "ESTIMATE: <a plain number>"        samples = Samples(LAYOUT)
    ESTIMATE: <a plain number>                   no value: the sample
    ESTIMATE: a plain number                     no value
    ESTIMATE: <196>                              196

Whatever stands in a layout between `<` and `>`, or is offered as `[A|B]`, is a sample of it by itself; words
without brackets ("Short title", "Response X") are declared beside it. A reader asks `filled` of every value
that it takes from a reply.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from moot.deliberation.parsing import fold, without_brackets

_BRACKETS = re.compile(r"<[^<>\n]+>|\[[^\[\]|\n]+(?:\|[^\[\]|\n]+)+\]")
_PLACEHOLDER = re.compile(r"(?:\\ )?\\\{\w+\\\}")
_WORD_OR_PLACEHOLDER = re.compile(r"\{\w+\}|[^\W_]+")
_OWN_WORD = re.compile(r"(?:^| )[^{ ]")
_LEAST_SENTENCE = 6
_ALIKE = 0.65
_LEAST_WORDS = 2
"""So many words of a sample, in brackets still, are known as its beginning; one may be the value itself."""


class Samples:
    """The samples of a layout. Case, punctuation and decoration apart, a value is compared as a whole."""

    def __init__(self, layout: str, *others: str) -> None:
        keys = dict.fromkeys(map(_key, [*_BRACKETS.findall(layout), *others]))
        self._keys = {key for key in keys if key and "{" not in key}
        self._sentences = [words for key in self._keys if len(words := key.split()) >= _LEAST_SENTENCE]
        self._patterns = [_pattern(key) for key in keys if "{" in key and _OWN_WORD.search(key)]

    def is_sample(self, value: str) -> bool:
        """Whether a value is nothing but samples of the layout."""
        words = _key(value)
        if words in self._keys or (without_brackets(value) != value and self._is_in_brackets(words)):
            return True
        if self._resembles_one(words.split()):
            return True
        parts = _BRACKETS.findall(value)
        return len(parts) > 1 and all(map(self.is_sample, parts)) and not _key(_BRACKETS.sub("", value))

    def filled(self, value: str) -> str | None:
        """The value that stands in a field: without the brackets that a model may leave around it; None if
        nothing does, or the sample still."""
        if not value.strip() or self.is_sample(value):
            return None
        return without_brackets(value)

    def begins_one(self, value: str, least: int = 3) -> bool:
        """Whether a value is the beginning of a sample, at least so many words of it: of a reply that was cut
        off while it repeated the layout."""
        words = _key(value)
        return len(words.split()) >= least and any(key.startswith(f"{words} ") for key in self._keys)

    def _resembles_one(self, words: list[str]) -> bool:
        """Whether a sentence is a sample's but for a word here and there, as small models repeat them."""
        if len(words) < _LEAST_SENTENCE:
            return False
        return any(_is_alike(words, sentence) for sentence in self._sentences)

    def _is_in_brackets(self, words: str) -> bool:
        """What stands in brackets still is a sample if it begins like one, or is one in which the prompt has
        filled something in."""
        begins = len(words.split()) >= _LEAST_WORDS
        return (begins and any(key.startswith(f"{words} ") for key in self._keys)) or any(
            pattern.fullmatch(words) for pattern in self._patterns
        )


def _is_alike(words: list[str], sentence: list[str]) -> bool:
    most = min(len(words), len(sentence))
    if 2 * most < _ALIKE * (len(words) + len(sentence)) or len({*words} & {*sentence}) < _ALIKE * most:
        return False
    return SequenceMatcher(None, words, sentence, autojunk=False).ratio() >= _ALIKE


def _key(text: str) -> str:
    """The words alone; what a prompt fills in later stands as it is."""
    return " ".join(_WORD_OR_PLACEHOLDER.findall(fold(text).casefold()))


def _pattern(key: str) -> re.Pattern[str]:
    """A key in which anything may stand where the prompt fills something in."""
    return re.compile(_PLACEHOLDER.sub("(?:.{1,200})?", re.escape(key)))
