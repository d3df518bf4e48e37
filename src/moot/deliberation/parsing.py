"""Small pure functions that read what models wrote. They never raise; None means not found.

    >>> marker("On reflection:\\n**Verdict:** `REVISE`", "VERDICT").value
    'REVISE'

A reply is read line by line, each line stripped of what models decorate it with (`plain`); free
text is taken from the line as it was written (`raw`). A marker counts in any case, followed by
`:`, `=` or ` - `; its value stands on the same or the next non-empty line; the last one wins. A
value that is still the template (`<…>`, `[A|B]`) is no value. What stands word for word in a text
that was shown to the model is a quotation, and counts only if there is nothing else.

Every pattern here is linear in the text: no reply, however long or odd, may hold up a run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

# Format characters (category Cf), variation selectors and the grapheme joiner: nothing to be seen.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef]+"
)
_BLANK = r"[^\S\n]"
_LEADING = re.compile(
    rf"^{_BLANK}*(?:[#>]+{_BLANK}*|[-+•–—·]{_BLANK}+|\d{{1,3}}[.)]{_BLANK}+)+", re.MULTILINE
)
_NUMBER = re.compile(r"[\s#>*_`+•–—·-]*(\d{1,3})[.)]")
_ASIDE = re.compile(r"\s*(?:[>+•–—·-]|\*\s|\d{1,3}[.)]\s)")
_WORD_END_UNDERSCORES = re.compile(r"(?<!\w)_+|(?<!_)_++(?!\w)")
_TEMPLATE = re.compile(
    r"\W*(?:Response\s+)?(?:<[^<>]*>|\[[^\[\]|]*\|[^\[\]]*\])|(?:…|\.\.\.)$", re.IGNORECASE
)
_SEPARATOR = rf"(?:{_BLANK}*[:=]|{_BLANK}+[-–—](?=\s|$)){_BLANK}*"
_FAMILIES = (":：﹕︓", "=＝﹦⁼₌", "-–—－﹣", ".．", ")）")
_FAMILY_OF = {sign: re.compile(f"[{family}]") for family in _FAMILIES for sign in family}
_WORD = re.compile(r"[^\W_]+")
_REMARK = re.compile(r"\s*\([^()]*\)$")
_CLOSING_EMPHASIS = re.compile(r"[*_`]+(?=\s|$)")
QUOTATION_MARKS = "\"'“”„‟‘‛«‹»›"


class Line(NamedTuple):
    """One line of a reply: as written, stripped for reading, and whether it stands in a code block."""

    raw: str
    plain: str
    fenced: bool = False

    @property
    def number(self) -> int | None:
        """The number of a numbered list's item."""
        found = _NUMBER.match(_folded(self.raw))
        return int(found[1]) if found else None

    @property
    def numbered(self) -> bool:
        return self.number is not None

    @property
    def stands_alone(self) -> bool:
        """Whether the line is in no list, block quote or code."""
        return not (self.fenced or _ASIDE.match(self.raw))


_BLANK_LINE = Line("", "")


def lines(text: str) -> list[Line]:
    """The reply line by line, without a code fence around the whole of it."""
    text = unfenced(text)
    raws = text.split("\n")
    fenced = in_code(raws) if "```" in text else [False] * len(raws)
    prepared = zip(raws, _plain_lines(text), fenced, strict=True)
    return [Line(raw, plain, code) if raw else _BLANK_LINE for raw, plain, code in prepared]


def plain(raw: str) -> str:
    """A line as markers are read from it: normalised, without decoration and list signs."""
    return " ".join(_plain_lines(raw))


def _plain_lines(text: str) -> list[str]:
    bare = _folded(text).replace("*", "").replace("`", "")
    if "_" in bare:
        bare = _WORD_END_UNDERSCORES.sub("", bare)
    return [line.strip() for line in _LEADING.sub("", bare).split("\n")]


def _folded(text: str) -> str:
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


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


def unfenced(text: str) -> str:
    """The text with LF line ends, without a code fence around the whole of it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "```" not in text:
        return text
    first, _, rest = text.strip().partition("\n")
    if not first.startswith("```") or "`" in first.lstrip("`") or not rest.endswith("```"):
        return text
    inner, _, last = rest.rpartition("\n")
    return inner if last.strip() == "```" and _stays_open(inner) else text


def _stays_open(inner: str) -> bool:
    """Whether a fence opened before this text is still open after it."""
    depth = 1
    for line in inner.split("\n"):
        mark = line.strip()
        if mark.startswith("```"):
            depth += 1 if mark.strip("`") else -1
        if depth == 0:
            return False
    return depth == 1


def is_template(value: str) -> bool:
    """Whether a value is what the prompt printed for the model to replace."""
    return _TEMPLATE.match(value[:200]) is not None


class Shown:
    """The texts a model was shown, so that what it quotes from them is known as a quotation."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = tuple(texts)
        self._found: dict[str, bool] = {}

    def __contains__(self, phrase: str) -> bool:
        """Whether these words stand in one of the texts one after the other."""
        words = _words(phrase)
        if words not in self._found:
            self._found[words] = self._may_say(words) and any(words in text for text in self._texts_in_words)
        return self._found[words]

    def has_line(self, line: str) -> bool:
        """Whether a line of one of the texts says just this, a remark in brackets after it apart."""
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

    @cached_property
    def _plain(self) -> list[str]:
        return ["\n".join(_plain_lines(unfenced(text))).casefold() for text in self.texts]

    @cached_property
    def _texts_in_words(self) -> list[str]:
        return [_words(text) for text in self._plain]

    @cached_property
    def _lines(self) -> set[str]:
        return {_words(line) for text in self._plain for line in text.split("\n")}


def _words(text: str) -> str:
    # Words alone: a quotation may change case, emphasis, line breaks and punctuation.
    return f" {' '.join(_WORD.findall(text.casefold()))} "


NOTHING_SHOWN = Shown()


@dataclass(frozen=True, slots=True)
class Found:
    """A marker with its value: `value` stripped, `raw` as written, `index` the line of the marker.

    `name` is the marker as written, `phrase` the marker and the first word of its value, by which a
    quotation is known. `mentioned` is a marker in quotation marks in the middle of a line; `bare`
    the only one of its line, in no quotation marks, list, block quote or code.
    """

    value: str
    raw: str
    index: int
    name: str
    phrase: str
    mentioned: bool = False
    bare: bool = True

    @property
    def line(self) -> str:
        return f"{self.name} {self.value}"


def markers(
    text: str | Sequence[Line], name: str | tuple[str, ...], *, anywhere: bool = False
) -> list[Found]:
    """Every `NAME: value` in order; with `anywhere`, also in the middle of a line.

    Several names are spellings of one marker. A blank in a name stands for blanks, `_` or `-`.
    """
    prepared = lines(text) if isinstance(text, str) else text
    pattern = marker_pattern(name if isinstance(name, tuple) else (name,), anywhere)
    found = []
    for index in lines_with(pattern, prepared):
        matches = list(pattern.finditer(prepared[index].plain))
        ends = [*(match.start() for match in matches[1:]), len(prepared[index].plain)]
        for match, end in zip(matches, ends, strict=True):
            one = _found(prepared, index, match, end, alone=len(matches) == 1)
            if one.value and not is_template(one.value):
                found.append(one)
    return found


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
) -> Found | None:
    """The last marker of this name that is no quotation; a quotation if there is no other."""
    return last_own(markers(text, name, anywhere=anywhere), shown)


def last_own(found: Sequence[Found], shown: Shown) -> Found | None:
    """The last that is the model's own word. If all may be quotations, the last that stands bare: what
    a model decides it writes plainly, what it quotes it sets apart."""
    stated = [one for one in found if not one.mentioned]
    own = [one for one in stated if one.phrase not in shown]
    changed = [one for one in stated if one.line not in shown]
    for candidates in (own, _bare(changed), changed, _bare(found), found):
        if candidates:
            return candidates[-1]
    return None


def _bare(found: Sequence[Found]) -> list[Found]:
    return [one for one in found if one.bare]


@lru_cache(maxsize=256)
def marker_pattern(names: tuple[str, ...], anywhere: bool) -> re.Pattern[str]:
    spelled = "|".join(rf"(?:{_BLANK}|[_-])+".join(map(re.escape, name.split())) for name in names)
    start = r"(?<!\w)" if anywhere else "^"
    # A heading needs no colon: a line that is nothing but the name has its value on the next line.
    return re.compile(rf"{start}({spelled}){_SEPARATOR}|^({spelled})$", re.IGNORECASE | re.MULTILINE)


def _found(prepared: Sequence[Line], index: int, match: re.Match[str], end: int, alone: bool) -> Found:
    line, name = prepared[index], match[1] or match[2]
    value = line.plain[match.end() : end].strip()
    raw, before = value, ""
    if end == len(line.plain):
        raw, before = as_written(line, match)
        if not value:
            value, raw = _next_line(prepared, index)
    inner = match.start() > 0
    quoted = inner and (line.plain[match.start() - 1] in QUOTATION_MARKS or before.count("`") % 2 == 1)
    return Found(
        value,
        raw,
        index,
        name,
        phrase=f"{name} {value.split(maxsplit=1)[0] if value else ''}",
        mentioned=quoted,
        bare=alone and not quoted and line.stands_alone,
    )


def _next_line(prepared: Sequence[Line], index: int) -> tuple[str, str]:
    for place in range(index + 1, len(prepared)):
        if prepared[place].plain:
            return prepared[place].plain, prepared[place].raw.strip()
    return "", ""


def as_written(line: Line, match: re.Match[str]) -> tuple[str, str]:
    """The value as it stands in the raw line, and what stands before it.

    Signs of the separator's kind are counted from the right, for of what follows a marker nothing is
    stripped but decoration.
    """
    sign, value = match[0].rstrip()[-1:], line.plain[match.end() :]
    family = _FAMILY_OF.get(sign)
    if family is None:
        return value, line.raw
    if line.raw.endswith(value):  # the common case: nothing behind the marker is decorated
        before = line.raw[: len(line.raw) - len(value)].rstrip()
        if before.endswith(sign):
            return undecorated(value), before
    later = len(family.findall(value))
    places = [found.end() for found in family.finditer(line.raw)]
    if len(places) <= later:
        return value, line.raw
    at = places[-1 - later]
    return undecorated(line.raw[at:].strip()), line.raw[:at]


def undecorated(value: str) -> str:
    """Without the emphasis that began before the value and ends in it."""
    closing = _CLOSING_EMPHASIS.match(value)
    if closing:
        value = value[closing.end() :].strip()
    for mark in ("**", "__", "*", "_", "`"):
        if value.endswith(mark) and value.count(mark) % 2 == 1:
            value = value.removesuffix(mark).rstrip()
    return value
