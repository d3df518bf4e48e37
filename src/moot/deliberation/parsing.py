"""Small pure functions that read what models wrote. They never raise; None means not found.

    >>> marker("On reflection:\\n**Verdict:** `REVISE`", "VERDICT").value
    'REVISE'

A reply is read line by line, each line folded (`fold`) and stripped of what models decorate it with
(`plain`); free text is taken from the line as it was written (`raw`). A marker counts in any case,
followed by `:`, `=` or ` - `; its value stands on the same or the next non-empty line; the last one
wins. A value that is still the template (`<…>`, `[A|B]`) is no value.

A marker that carries the nonce which only this model was given is its own word, and then no other
counts. Without one, what stands word for word in a text that was shown to the model is a quotation,
and counts only if there is nothing else.

Every pattern here is linear in the text: no reply, however long or odd, may hold up a run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from moot.deliberation.dressing import undressed
from moot.deliberation.lookalikes import LOOKALIKES

# Format characters (category Cf), variation selectors, fillers and the grapheme joiner: nothing to be seen.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef]+"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_MARK = re.compile(f"[{_MARKS}]")
# Words in which something is no plain letter; accents over letters and the letters of emoji belong to them.
_FOREIGN_WORD = re.compile(
    rf"(?<![A-Za-z0-9])[A-Za-z0-9]*+"
    rf"(?:(?:[^\W_\x00-\x7f]|[{_MARKS}\U0001f150-\U0001f189\U0001f1e6-\U0001f1ff])[A-Za-z0-9]*+)+"
)
_SIGNS = str.maketrans("꞉∶ː։׃‐‒٫٬٪", ":::::--.,%")
_BLANK = r"[^\S\n]"
# Pictures before a label say nothing; those that cross something out do, and stay.
_PICTURE = (
    "(?![✖❌❎✗✘❗➖⛔])[\u2190-\u21ff\u2460-\u24ff\u25a0-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
    "(?<![👎🚫📵🔇🙅])"
)
_LEADING = re.compile(
    rf"^{_BLANK}*(?:[#>]+{_BLANK}*|[-+•–—·]{_BLANK}+|\d{{1,3}}[.)]{_BLANK}+|(?:{_PICTURE})+{_BLANK}*)+",
    re.MULTILINE,
)
_NUMBER = re.compile(r"[\s#>*_`+•–—·-]*(\d{1,3})[.)]")
_ASIDE = re.compile(r"\s*(?:[>|+•–—·-]|\*\s|\d{1,3}[.)]\s)")
_WORD_END_UNDERSCORES = re.compile(r"(?<!\w)_+|(?<!_)_++(?!\w)")
_TEMPLATE = re.compile(
    r"\W*(?:Response\s+)?(?:<[^<>]*>|\[[^\[\]|]*\|[^\[\]]*\])|(?:…|\.\.\.)$", re.IGNORECASE
)
# A number, a word in capitals or a label is what the template asked for, brackets or not: `<196>`, `<HIGH>`.
_BRACKETED = re.compile(
    r"\W*(?:Response\s+)?<\s*(?:[-+−~≈$€£]?\d[\d.,' ]*%?|[A-Z][A-Z_.-]*\d*|Response\s+[A-Z])\s*>"
)
_IN_ANGLES = re.compile(r"\s*<([^<>]+)>[\s.]*")
_SEPARATOR = rf"(?:{_BLANK}*[:=]|{_BLANK}+[-–—](?=\s|$)){_BLANK}*"
_WORD = re.compile(r"[^\W_]+")
_REMARK = re.compile(r"\s*\([^()]*\)$")
_MOST_TRIES = 50
_MOST_FOREIGN = 0.3
_LONGEST_WORD = 40
_LEAST_OF_LABEL = 3
_BEFORE_NONCE = re.compile(rf"[\[({{<*_`\"'“]{{0,4}}(?:code{_BLANK}*[:=]?{_BLANK}*)?\Z", re.IGNORECASE)
_BEHIND_NONCE = re.compile(r"[\])}>*_`\"'”]{0,4}")
_CLOSING_EMPHASIS = re.compile(r"[*_`]+(?=\s|$)")
QUOTATION_MARKS = "\"'“”„‟‘‛«‹»›"


class Line(NamedTuple):
    """One line of a reply: as written, stripped for reading, and whether it stands in a code block."""

    raw: str
    plain: str
    fenced: bool = False
    signature: int | None = None
    """Where in `plain` the nonce stood that only this model was given."""

    @property
    def number(self) -> int | None:
        """The number of a numbered list's item."""
        found = _NUMBER.match(fold(self.raw))
        return int(found[1]) if found else None

    @property
    def numbered(self) -> bool:
        return self.number is not None

    @property
    def stands_alone(self) -> bool:
        """Whether the line is in no list, block quote, table or code."""
        return not (self.fenced or _ASIDE.match(self.raw))


_BLANK_LINE = Line("", "")


def lines(text: str, nonce: str = "") -> list[Line]:
    """The reply line by line, without what its model put around the whole of it.

    With the nonce that the model was asked to repeat, the lines that carry it are marked, and read as if
    it were not there; alone on a line it belongs to the line right above.
    """
    text = undressed(text)
    raws = text.split("\n")
    fenced = in_code(raws) if "```" in text else [False] * len(raws)
    prepared = zip(raws, _plain_lines(text), fenced, strict=True)
    found = [Line(raw, plain, code) if raw else _BLANK_LINE for raw, plain, code in prepared]
    return _signed(found, nonce) if nonce and nonce in text.casefold() else found


def _signed(prepared: Sequence[Line], nonce: str) -> list[Line]:
    found: list[Line] = []
    for line in prepared:
        place = next(_signatures(line.plain, nonce), None)
        if place is None:
            found.append(line)
            continue
        start, end = place
        before, after = line.plain[:start].rstrip(), line.plain[end:]
        rest = f"{before} {after.strip()}".strip()
        if not rest and found:
            found[-1] = found[-1]._replace(signature=len(found[-1].plain))
            found.append(_BLANK_LINE)
        else:
            found.append(Line(_unsigned(line.raw, nonce).rstrip(), rest, line.fenced, len(before)))
    return found


def _unsigned(text: str, nonce: str) -> str:
    at, kept = 0, []
    for start, end in _signatures(text, nonce):
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _signatures(text: str, nonce: str) -> Iterator[tuple[int, int]]:
    """Where the nonce stands as a word of its own, with what is put around it. A pattern that holds the nonce
    would have to be made for every judge, which takes longer than to read what the judge wrote."""
    said = _lower(text)
    at = floor = 0
    while (at := said.find(nonce, at)) >= 0:
        end = at + len(nonce)
        if _is_of_word(text[at - 1 : at]) or _is_of_word(text[end : end + 1]):
            at += 1
            continue
        before, behind = _BEFORE_NONCE.search(text, floor, at), _BEHIND_NONCE.match(text, end)
        assert before is not None
        assert behind is not None
        at = floor = behind.end()
        yield before.start(), behind.end()


def _lower(text: str) -> str:
    """In small letters, each in its place: a few signs are two of them in lower case."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(sign.lower()[:1] for sign in text)


def _is_of_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def plain(raw: str) -> str:
    """A line as markers are read from it: normalised, without decoration and list signs."""
    return " ".join(_plain_lines(raw))


def _plain_lines(text: str) -> list[str]:
    bare = fold(text).replace("*", "").replace("`", "")
    if "\\" in bare:
        bare = bare.replace("\\_", "_")
    if "_" in bare:
        bare = _WORD_END_UNDERSCORES.sub("", bare)
    return [line.strip() for line in _LEADING.sub("", bare).split("\n")]


def fold(text: str) -> str:
    """A text as a reader sees it, for whatever is tested or compared: without what is invisible, letters
    that only look like plain ones replaced by these.

    A word is replaced only if all of it then is plain: `VОТЕ` with Cyrillic letters is VOTE to a reader,
    `Привет` is no English word in disguise.
    """
    if text.isascii():
        return text
    # No rule looks beyond a blank, and most texts have few words with anything but plain letters.
    words = text.split(" ")
    foreign = [word for word in words if not word.isascii()]
    if len(foreign) > _MOST_FOREIGN * len(words):
        return _folded(text)
    return " ".join([word if word.isascii() else _folded_word(word) for word in words])


def _folded_word(word: str) -> str:
    return _folded_before(word) if len(word) <= _LONGEST_WORD else _folded(word)


def _folded(text: str) -> str:
    seen = _FOREIGN_WORD.sub(lambda word: _in_plain_letters(word[0]), _INVISIBLE.sub("", text))
    return unicodedata.normalize("NFKC", seen).translate(_SIGNS)


_folded_before = lru_cache(maxsize=2048)(_folded)


def _in_plain_letters(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.translate(LOOKALIKES))
    plain = _MARK.sub("", letters).translate(LOOKALIKES)
    return plain if plain.isascii() else word


def in_code(raws: Sequence[str]) -> Iterator[bool]:
    """Of each line whether it stands in a block of code, the fences counted in."""
    edges = ["```" in raw and raw.lstrip(" \t>").startswith("```") for raw in raws]
    left = sum(edges)
    inside = False
    for edge in edges:
        left -= edge
        # A last mark without a partner opens nothing, or it would swallow the rest of the reply.
        edge = edge and (inside or left > 0)
        yield inside or edge
        inside ^= edge


def is_template(value: str) -> bool:
    """Whether a value is what the prompt printed for the model to replace."""
    return _TEMPLATE.match(value[:200]) is not None and _BRACKETED.match(value[:200]) is None


def without_brackets(value: str) -> str:
    """A value without the angle brackets around the whole of it, as in `<196>`."""
    inner = _IN_ANGLES.fullmatch(value)
    return inner[1].strip() if inner else value


def without_cut_label(prepared: Sequence[Line], labels: Iterable[str]) -> Sequence[Line]:
    """The lines without a label at their end that has no value, or of which there is only the beginning:
    `CONFI`, where a reply was cut off, is part of no text."""
    last = next((at for at in range(len(prepared) - 1, -1, -1) if prepared[at].plain), -1)
    if last < 0 or _ASIDE.match(prepared[last].raw):
        return prepared
    written = prepared[last].plain.rstrip(":= ")
    is_cut = len(written) >= _LEAST_OF_LABEL and any(label.startswith(written) for label in labels)
    return prepared[:last] if is_cut else prepared


class Shown:
    """The texts a model was shown, so that what it quotes from them is known as a quotation, and the nonce
    that it alone was given, if it was given one."""

    def __init__(self, texts: Iterable[str] = (), nonce: str = "") -> None:
        self.nonce = nonce
        self._said = _Said(tuple(texts))

    @property
    def texts(self) -> tuple[str, ...]:
        return self._said.texts

    @property
    def lines(self) -> list[list[Line]]:
        """Each of the texts line by line; read once for all who were shown them."""
        return self._said.lines

    def lines_with(self, word: str) -> list[list[Line]]:
        """The same of those texts that hold this word, in whichever case."""
        return self._said.lines_with(word)

    def with_nonce(self, nonce: str) -> Shown:
        """The same texts, as shown to a model that was given this nonce."""
        other = Shown(nonce=nonce)
        other._said = self._said
        return other

    def __contains__(self, phrase: str) -> bool:
        """Whether these words stand in one of the texts one after the other."""
        return self._said.says(_words(fold(phrase)))

    def has_line(self, line: str) -> bool:
        """Whether a line of one of the texts says just this, a remark in brackets after it apart."""
        return self._said.has_line(fold(line))

    def has_signs(self, text: str) -> bool:
        """Whether one of the texts holds this sign for sign, case and blanks apart."""
        written = _signs(text)
        return any(written in other for other in self._said.signs)


class _Said:
    """Texts as what is quoted from them is looked up; what was found once is kept."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self._found: dict[str, bool] = {}

    def says(self, words: str) -> bool:
        if words not in self._found:
            self._found[words] = self._may_say(words) and any(words in text for text in self._texts_in_words)
        return self._found[words]

    def has_line(self, line: str) -> bool:
        if not self.texts:
            return False
        first = _WORD.search(line.casefold())
        if first and not any(first[0] in text for text in self._plain):
            return False
        bare = _REMARK.sub("", line) if line.endswith(")") else ""
        return self._has(_words(line)) or (bool(bare) and self._has(_words(bare)))

    def _has(self, words: str) -> bool:
        return (words.isspace() or self._may_say(words)) and words in self._lines

    def _may_say(self, words: str) -> bool:
        """Whether all the words occur somewhere: a cheap look, for most of what is asked about is new, and
        to tell a long text's words apart takes longer than to read the reply."""
        wanted = words.split()
        return bool(wanted) and any(all(word in text for word in wanted) for text in self._plain)

    def lines_with(self, word: str) -> list[list[Line]]:
        places = [place for place, text in enumerate(self._plain) if word in text]
        return [self.lines[place] for place in places] if places else []

    @cached_property
    def lines(self) -> list[list[Line]]:
        return [lines(text) for text in self.texts]

    @cached_property
    def signs(self) -> list[str]:
        return [_signs(text) for text in self.texts]

    @cached_property
    def _plain(self) -> list[str]:
        return ["\n".join(_plain_lines(undressed(text))).casefold() for text in self.texts]

    @cached_property
    def _texts_in_words(self) -> list[str]:
        return [_words(text) for text in self._plain]

    @cached_property
    def _lines(self) -> set[str]:
        return {_words(line) for text in self._plain for line in text.split("\n")}


def _signs(text: str) -> str:
    return "".join(fold(text).split()).casefold()


def _words(text: str) -> str:
    # Words alone: a quotation may change case, emphasis, line breaks and punctuation.
    return f" {' '.join(_WORD.findall(text.casefold()))} "


NOTHING_SHOWN = Shown()


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker with its value: `value` stripped, `raw` as written, `index` the line of the marker.

    `name` is the marker as written, `phrase` the marker and the first word of its value, by which a
    quotation is known. `signed`: it carries the nonce that only this model was given. `leads`: it begins
    its line. `mentioned` is a marker in quotation marks in the middle of a line; `bare` the only one of its
    line, in no quotation marks, list, block quote or code.
    """

    value: str
    raw: str
    index: int
    name: str
    phrase: str
    mentioned: bool = False
    bare: bool = True
    signed: bool = False
    leads: bool = True

    @property
    def line(self) -> str:
        return f"{self.name} {self.value}"


def markers(
    text: str | Sequence[Line], name: str | tuple[str, ...], *, anywhere: bool = False
) -> list[Marker]:
    """Every `NAME: value` in order; with `anywhere`, also in the middle of a line.

    Several names are spellings of one marker. A blank in a name stands for blanks, `_` or `-`.
    """
    prepared = lines(text) if isinstance(text, str) else text
    pattern = marker_pattern(name if isinstance(name, tuple) else (name,), anywhere)
    found = []
    for index in lines_with(pattern, prepared):
        line = prepared[index]
        matches = list(pattern.finditer(line.plain))
        ends = [*(match.start() for match in matches[1:]), len(line.plain)]
        signed = _signed_place([match.start() for match in matches], line.signature)
        for place, (match, end) in enumerate(zip(matches, ends, strict=True)):
            one = _found(prepared, index, match, end, alone=len(matches) == 1)
            # Below a marker without a value may stand the next one.
            below = end == len(line.plain) == match.end() and pattern.match(one.value)
            if one.value and not below and not is_template(one.value):
                if one.value.startswith("<"):
                    one = replace(one, value=without_brackets(one.value), raw=without_brackets(one.raw))
                found.append(replace(one, signed=True) if place == signed else one)
    return found


def _signed_place(starts: Sequence[int], signature: int | None) -> int | None:
    """Which of a line's markers a nonce on it signs: the one before it, or the first."""
    if signature is None:
        return None
    return max(sum(start < signature for start in starts) - 1, 0)


def lines_with(pattern: re.Pattern[str], prepared: Sequence[Line]) -> list[int]:
    """Where the pattern occurs; it must not match across lines. One search, not one per line: most
    lines of a long reply hold no marker."""
    joined = "\n".join([line.plain for line in prepared])
    found: list[int] = []
    index = at = 0
    for match in pattern.finditer(joined):
        index += joined.count("\n", at, match.start())
        at = match.start()
        if not found or found[-1] != index:
            found.append(index)
    return found


def marker(
    text: str | Sequence[Line],
    name: str | tuple[str, ...],
    *,
    shown: Shown = NOTHING_SHOWN,
    anywhere: bool = False,
) -> Marker | None:
    """The last marker of this name that is no quotation; a quotation if there is no other."""
    return last_own(markers(text, name, anywhere=anywhere), shown)


def last_own(found: Sequence[Marker], shown: Shown) -> Marker | None:
    """The last that is the model's own word: one that is signed, else one that is no quotation. If all may
    be quotations, the last that stands bare: what a model decides it writes plainly, what it quotes it
    sets apart."""
    signed = [one for one in found if one.signed]
    stated = [one for one in found if not one.mentioned]
    own = [one for one in stated if one.phrase not in shown]
    changed = [one for one in stated if one.line not in shown]
    for candidates in (signed, own, _bare(changed), _bare(found), changed, found):
        if candidates:
            return candidates[-1]
    return None


def _bare(found: Sequence[Marker]) -> list[Marker]:
    return [one for one in found if one.bare]


@lru_cache(maxsize=256)
def marker_pattern(names: tuple[str, ...], anywhere: bool) -> re.Pattern[str]:
    spelled = "|".join(rf"(?:{_BLANK}|[_-])+".join(map(re.escape, name.split())) for name in names)
    start = r"(?<!\w)" if anywhere else "^"
    # A heading needs no colon: a line that is nothing but the name has its value on the next line.
    return re.compile(rf"{start}({spelled}){_SEPARATOR}|^({spelled})$", re.IGNORECASE | re.MULTILINE)


def _found(prepared: Sequence[Line], index: int, match: re.Match[str], end: int, alone: bool) -> Marker:
    line, name = prepared[index], match[1] or match[2]
    value = line.plain[match.end() : end].strip()
    raw, before, signed = value, "", False
    if end == len(line.plain):
        raw, before = as_written(line, match)
        if not value:
            below = _next_line(prepared, index)
            value, raw, signed = below.plain, below.raw.strip(), below.signature is not None
    inner = match.start() > 0
    quoted = inner and (line.plain[match.start() - 1] in QUOTATION_MARKS or before.count("`") % 2 == 1)
    return Marker(
        value,
        raw,
        index,
        name,
        phrase=f"{name} {value.split(maxsplit=1)[0] if value else ''}",
        mentioned=quoted,
        bare=alone and not quoted and line.stands_alone,
        signed=signed,
        leads=not inner,
    )


def _next_line(prepared: Sequence[Line], index: int) -> Line:
    for place in range(index + 1, len(prepared)):
        if prepared[place].plain:
            return prepared[place]
    return _BLANK_LINE


def as_written(line: Line, match: re.Match[str], group: int | str | None = None) -> tuple[str, str]:
    """What follows a match, or a group of it and all that follows, as it stands in the raw line; and what
    stands before that."""
    start = match.end() if group is None else match.start(group)
    value = line.plain[start:]
    before = line.raw[: len(line.raw) - len(value)].rstrip()
    label = line.plain[:start].rstrip()
    if not (line.raw.endswith(value) and before.endswith(label[-1:])):  # something is decorated
        at = _end_of(label, line.raw)
        if at is None:
            return value, line.raw
        value, before = line.raw[at:].strip(), line.raw[:at]
    return _without_closing(value, before), before


def _end_of(label: str, raw: str) -> int | None:
    """Where in a raw line that ends which reads as this label without its decoration."""
    tries = 0
    for at, sign in enumerate(raw, 1):
        if fold(sign)[-1:].casefold() == label[-1:].casefold():
            if plain(raw[:at]) == label:
                return at
            tries += 1
            if tries == _MOST_TRIES:
                break
    return None


def _without_closing(value: str, before: str) -> str:
    """Without the emphasis that began before the value and ends at either end of it."""
    closing = _CLOSING_EMPHASIS.match(value)
    if closing:
        value = value[closing.end() :].strip()
    for mark in ("**", "__", "*", "_", "`"):
        opened = before.count(mark) - (2 * before.count(mark * 2) if len(mark) == 1 else 0)
        if opened % 2 == 1 and value.endswith(mark) and value.count(mark) % 2 == 1:
            value = value.removesuffix(mark).rstrip()
    return value


def undecorated(value: str) -> str:
    """Without emphasis that is closed or opened in it, but not both."""
    closing = _CLOSING_EMPHASIS.match(value)
    if closing:
        value = value[closing.end() :].strip()
    for mark in ("**", "__", "*", "_", "`"):
        if value.endswith(mark) and value.count(mark) % 2 == 1:
            value = value.removesuffix(mark).rstrip()
    return value


def line_text(raw: str) -> str:
    """A line as free text: without list signs, and without emphasis that encloses the whole of it."""
    return unwrapped(_LEADING.sub("", raw.strip()))


def unwrapped(text: str) -> str:
    """Without emphasis that encloses the whole of it, or is closed or opened in it but not both."""
    text = undecorated(text.strip())
    for mark in ("**", "__", "*", "_", "`"):
        inner = text.removeprefix(mark).removesuffix(mark)
        if len(inner) == len(text) - 2 * len(mark) and mark not in inner:
            text = inner.strip()
    return text
