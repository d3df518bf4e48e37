"""A text that says nothing is no reply: a loop, one sign over and over, the prompt sent back, empty fences.

    <<<<<<<<<<<<<<<<…                                    one sign over and over
    The history of C was … The history of C was …        the same sentences over and over
    Reply with these lines only: TYPE: <NUMERIC or …     the instructions it was given
    It is not 5b08af77. It is 5b08af77 …                 the marks around its material

A call that ends so has failed (`unreadable`): nobody must vote for it, build on it or read it as an answer.
What may be meant stays: refrains, tables, drawings, code, and a loop that the prompt itself asks for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from moot.kernel.fences import nonces_in, nonces_of, outside_fences, without_fences
from moot.kernel.values import Message, cut_off

_UNIT = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*")
_WORDS = re.compile(r"[^\W_]+")
_ONLY_MARKS = re.compile(r"[\s`~>]*|`{3,}\w{1,12}\s*`{3,}")
_LEAST_LETTERS = 8
_LEAST_SIGNS = 100
_LEAST_LOOP = 240
"""So many characters, said again and again, are a loop; fewer may be a manner of speaking."""
_ENOUGH = {True: (7, 0.4), False: (10, 0.8)}
"""How often something must be said, and how much of a text must be repetition; less where the text was cut
off in the middle. More often than a panel has seats: who judges six equal answers says the same of each."""
_TAIL = 24
_LEAST_ECHO = 160
_LEAST_LINES = 4
"""So many lines, all from the instructions, are a layout that nobody filled; fewer may be a ballot."""
_LEAST_WORDS = 6
"""So many words at the end of a text, all as they stand in its instructions, are no words of its own."""
_MOST_NONCES, _NONCE_SHARE = 3, 0.05
_TAKEN_FOR_WORDS = "only the marks around its material"
_MOST_SHOWN = 40


def why_unusable(text: str, messages: Sequence[Message] = (), finish_reason: str | None = None) -> str | None:
    """What is wrong with a text that is none; None if it may be read.

    `messages` are the prompt it answers. A text that was cut off in the middle of a loop would have gone on
    for ever; one that came to its end by itself must repeat itself more often to be taken for a loop.
    """
    bare = text.strip()
    if _ONLY_MARKS.fullmatch(bare):
        return "only fences"
    if len(bare) < _LEAST_SIGNS:
        return _TAKEN_FOR_WORDS if _speaks_in_nonces(bare, messages) else None
    if _is_one_sign(bare):
        return f"one character over and over ({bare[:4]}…)"
    endless = cut_off(finish_reason) is not None
    unit = _unit_of_loop(bare, endless) or _sentence_of_loop(bare, endless)
    if unit and (endless or not _stands_in(unit, messages)):
        what = "words" if any(map(str.isalnum, unit)) else "signs"
        return f"the same {what} over and over (“{' '.join(unit.split())[:_MOST_SHOWN]}…”)"
    if _is_echo(bare, messages):
        return "only its own instructions"
    return _TAKEN_FOR_WORDS if _speaks_in_nonces(bare, messages) else None


def _speaks_in_nonces(text: str, messages: Sequence[Message]) -> bool:
    """Whether a text says the nonce of its prompt's fences as if it meant something: "it is not 5b08af77"."""
    said = text.lower()
    for nonce in nonces_in(messages):
        if nonce in said:
            times = len(re.findall(rf"(?<![\w-]){nonce}(?!\w)", said))
            if times >= _MOST_NONCES or times * len(nonce) >= _NONCE_SHARE * len(said):
                return True
    return False


def _is_one_sign(text: str) -> bool:
    """One line of hardly anything but a single sign."""
    # A row of so many signs covers one of these places; to count every sign of a text takes far longer.
    return any(
        not sign.isspace() and sign * _LEAST_SIGNS in text and text.count(sign) >= 0.9 * len(text)
        for sign in set(text[_LEAST_SIGNS - 1 :: _LEAST_SIGNS])
    )


def _unit_of_loop(text: str, endless: bool) -> str | None:
    """What the text repeats, sign for sign, up to its end."""
    at = text.rfind(text[-_TAIL:], 0, len(text) - 1)
    period = len(text) - _TAIL - at
    if at < 0 or period > len(text) // _ENOUGH[True][0]:
        return None
    start = len(text) - period - 1
    while start >= 0 and text[start] == text[start + period]:
        start -= 1
    loop = len(text) - 1 - start
    unit = text[-period:].strip()
    times, share = _ENOUGH[endless]
    if loop < max(_LEAST_LOOP, times * period) or loop < share * len(text):
        return None
    # Rows of signs are a drawing or a table, rows of numbers are data, if they come to an end.
    return unit if (endless or any(map(str.isalpha, unit))) and not unit.startswith("|") else None


def _sentence_of_loop(text: str, endless: bool) -> str | None:
    """The sentence said most often, where most of the text has been said before."""
    times, share = _ENOUGH[endless]
    found = _UNIT.findall(text)
    if len(found) < times:
        return None
    units = [" ".join(unit.split()) for unit in found]
    if len(units) - len(set(units)) < times - 1:  # nothing can have been said so often
        return None
    worded = [unit for unit in units if _letters(unit) >= _LEAST_LETTERS and not unit.startswith("|")]
    if not worded:
        return None
    count = Counter(worded)
    again = sum(len(unit) * (number - 1) for unit, number in count.items())
    unit, most = count.most_common(1)[0]
    is_loop = most >= times and again >= max(_LEAST_LOOP, share * sum(map(len, units)))
    return unit if is_loop and _brings_nothing_new(units) else None


def _brings_nothing_new(units: Sequence[str]) -> bool:
    """Whether hardly anything in the second half, but for the end where it was cut off, is said there for the
    first time. A song goes on."""
    half = len(units) // 2
    new = set(units[half:-1]) - set(units[:half])
    return sum(map(len, new)) <= 0.2 * sum(map(len, units[half:-1]))


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _stands_in(unit: str, messages: Iterable[Message]) -> bool:
    """Whether the prompt itself names what is repeated: then it was asked for."""
    words = _key(unit)
    return any(words in _key(message.content) for message in messages)


def _is_echo(text: str, messages: Sequence[Message]) -> bool:
    """Whether a text is the instructions, line by line: most of it, all of it though it is short, or all of
    the prompt with its material. A question asked as it is has no instructions; then only the question
    itself, word for word, is an echo."""
    last = messages[-1].content if messages else ""
    lines = [line for line in text.split("\n") if line.strip()]
    written = sum(map(len, lines))
    if (told := outside_fences(last)) == last:
        return written >= _LEAST_ECHO and _same_words(text, last)
    if not _may_echo(lines, told, nonces_of(last)):
        return False
    last = without_fences(last, messages)
    lines = [line for line in without_fences(text, messages).split("\n") if line.strip()]
    instructions = {key for line in without_fences(told, messages).split("\n") if (key := _key(line))}
    repeated = [line for line in lines if _key(line) in instructions]
    if len(repeated) == len(lines) >= _LEAST_LINES:
        return True
    worded = sum(len(line) for line in repeated if _key(line).count(" ") >= 2)
    if worded >= _LEAST_ECHO and worded >= 0.7 * written:
        return True
    return len(repeated) >= 0.8 * len(instructions) and _is_all_in(lines, last)


def _may_echo(lines: Sequence[str], told: str, nonces: Iterable[str]) -> bool:
    """Whether lines whose words all occur in the instructions make up most of a text, or are nearly as many
    as these have: a cheap look, for hardly any reply is an echo. Where one repeats a fence, it may be."""
    said = told.casefold()

    def is_fence(line: str) -> bool:
        return any(nonce in line for nonce in nonces)

    repeated = [
        line
        for line in lines
        if all(word[0] in said for word in _WORDS.finditer(line.casefold())) or is_fence(line)
    ]
    if sum(map(len, repeated)) >= 0.7 * sum(map(len, lines)):
        return True
    # What is said of the fences may be gone from the text.
    instructions = (
        line
        for line in said.split("\n")
        if (line[:1].isalnum() or _WORDS.search(line)) and not is_fence(line)
    )
    if not repeated:
        return next(instructions, None) is None
    return len(repeated) >= 0.8 * len(set(instructions))


def without_instructions_at_end(text: str, messages: Sequence[Message]) -> str:
    """Without the sentences of its own instructions with which a text ends: a small model that has said all
    goes on with them."""
    said = text.rstrip()
    ending = said[said.rfind("\n") + 1 :].strip()
    if ending.count(" ") < _LEAST_WORDS - 1 or not messages or ending == said:
        return text
    last = messages[-1].content
    told = outside_fences(last) if ending in last else last
    if told == last or ending not in map(str.strip, told.split("\n")):
        return text
    return without_instructions_at_end(said.removesuffix(ending).rstrip(), messages)


def _same_words(text: str, other: str) -> bool:
    """Whether both say the same, word for word; most differ in the first."""
    pairs = zip_longest(_WORDS.finditer(text.casefold()), _WORDS.finditer(other.casefold()))
    return all(one and two and one[0] == two[0] for one, two in pairs)


def _is_all_in(lines: Sequence[str], prompt: str) -> bool:
    """Whether the prompt has every line, but for a tenth of them."""
    shown = {_key(line) for line in prompt.split("\n")}
    own = sum(len(line) for line in lines if _key(line) not in shown)
    return own <= 0.1 * sum(map(len, lines))


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))
