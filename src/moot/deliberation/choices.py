"""Closed values: one word of a few, one label of those dealt.

>>> closed_word("**High** (exploitable)", ("LOW", "MEDIUM", "HIGH"))
'HIGH'
>>> chosen_word("VERDICT: [STAND|REVISE]\\nVerdict: Revised.", "VERDICT", {"REVIS": "REVISE"}, stems=True)
'REVISE'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from moot.deliberation.parsing import (
    NOTHING_SHOWN,
    Line,
    Marker,
    Shown,
    fold,
    is_template,
    last_own,
    markers,
)

# In capitals "GIVE THAT RESPONSE A CHANCE" names nobody.
_LABEL = re.compile(r"\b(?:Response\s+([A-Z])|RESPONSE\s+([B-Z]|A(?!\s+[A-Z]{2})))\b")
_OPENING = r"[\s\[({|\"“”'‘’<>«:=~#-]{0,12}"
_CLOSING = r"[\s\])}\"“”'‘’>»]{0,12}"
_NOUN = (
    r"(?i:Response|Answer|Option|Candidate|Choice|Reply|Letter|Label|Resp\.?"
    # What a model that thinks in another language makes of the labels' own word.
    r"|Antwort|R[eé]ponse|Respuesta|Resposta|Risposta|Antwoord|Odpowied[zź]|Cevap|Yan[ıi]t|Jawaban|Svar|Ответ|OTBeT|Відповідь"
    r"|回答|回應|回应|答案|応答|返答|응답|답변|الإجابة|الاجابة|إجابة|الرد|תשובה|उत्तर|Phản hồi|Câu trả lời)"
)
_LEAD_IN = (
    r"(?i:I\s+(?:hereby\s+)?(?:vote|choose|pick|select|prefer|go)\s+(?:for\s+|with\s+)?"
    r"|(?:my|the)\s+(?:final\s+)?(?:vote|choice|pick|winner|best(?:\s+(?:one|response|answer))?)\s+"
    r"(?:is|goes\s+to)\s*:?\s+|(?:is|for|goes\s+to|it(?:['’]s|\s+is))\s+)?(?i:the\s+)?"
)
_NAMED = re.compile(
    rf"{_OPENING}{_LEAD_IN}{_NOUN}(?:(?=[A-Z](?!\w))|[\s:#_.\[(\"“'‘-]{{1,8}})([A-Za-z])(?!\w)"
)
_LETTER = re.compile(rf"{_OPENING}{_LEAD_IN}{_OPENING}([A-Za-z])(?!\w)(?![+#]|[-'’]\w)")
_OTHER = rf"{_OPENING}(?:{_NOUN}[\s:#_.-]{{1,4}}{_OPENING}([A-Za-z])(?!\w)|([A-Z])(?!\w)(?!\s+\w))"
_OFFERS = re.compile(rf"{_CLOSING}(?:[/|&+=≈]|(?i:or|and|vs\.?|versus)\b){_OTHER}")
_LISTS = re.compile(rf"{_CLOSING},{_OTHER}{_CLOSING}(?:$|[.,;/|&])")
_ENDS = re.compile(rf"{_CLOSING}(?:$|[.,;:!?(\[|/–—>-])")
_REASON = re.compile(
    rf"{_CLOSING}(?i:because|since|as|for|due|is|was|has|had|wins?|won|gives|offers|provides|explains|covers"
    r"|answers|which|that|by|over|rather|with|on)\b"
)
_REJECTED = re.compile(
    rf"{_CLOSING}(?i:(?:is|was)\s+(?:not|wrong|worse|weak\w*|bad|incorrect|out)\b|(?:is|was)n['’]t\b|lacks\b"
    r"|fails\b|los(?:es|t)\b|should\s+not\b|cannot\b)"
)
_COMPARED = re.compile(
    r"\b(?:over|than|unlike|not|never|against|ahead\s+of|instead\s+of|rather\s+than|compared\s+(?:to|with)|beats?|vs\.?)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_YET = re.compile(r"\b(?:but|yet|though|still|however|other\s+than|slight\w*|lean\w*)\b", re.IGNORECASE)
_ABSTAINS = re.compile(
    rf"{_OPENING}(?i:(?:I(?:\s+(?:must|will|have\s+to|choose\s+to))?\s+)?(?:abstain\w*|abstention|none|neither|nobody"
    r"|no\s*one|no\s+(?:vote|choice|preference|answer|response)|n/a|null|pass|skip|declin\w+|refus\w+))(?!\w)"
)
_MOST_STATED = 300

ParsedBy = Literal[
    "nonce",
    "marker",
    "json",
    "statement",
    "list",
    "mention",
    "quotation",
    "incomplete",
    "abstention",
]
"""By which rule a ballot was read.

`nonce`: a marker line that carries the nonce the model was given. `marker`: one that does not. `json`: a
JSON object. `statement`: a sentence such as "I vote for Response B". `list`: a list without its title.
`mention`: the labels the text names. `quotation`: a marker line that also occurs in a text the model was
shown. `incomplete`: a ranking that leaves a response out. `abstention`: it says that it chooses none.
"""

Words = Sequence[str] | Mapping[str, str]
"""The words a value may be; a mapping gives each spelling its meaning."""


def closed_word(value: str, words: Words, *, stems: bool = False) -> str | None:
    """The one of these words that a value begins with; signs and brackets before it are passed over.

    With `stems` a longer word counts too (`APPROV` reads "Approved"). A value that offers several
    words (`LOW or HIGH`, `A|B`) is still the template.
    """
    read = read_word(value, words, stems=stems)
    return read.meaning if read else None


def chosen_word(
    text: str | Sequence[Line],
    name: str | tuple[str, ...],
    words: Words,
    *,
    stems: bool = False,
    shown: Shown = NOTHING_SHOWN,
    anywhere: bool = False,
) -> str | None:
    """The closed word after the last marker of this name that is no quotation."""
    readable = [
        replace(found, value=read.written, phrase=f"{found.name} {read.written}")
        for found in markers(text, name, anywhere=anywhere)
        if (read := read_word(found.value, words, stems=stems))
    ]
    chosen = last_own(readable, shown)
    return closed_word(chosen.value, words, stems=stems) if chosen else None


def words_in(
    prepared: Sequence[Line],
    names: str | tuple[str, ...],
    words: Words,
    *,
    stems: bool = False,
    anywhere: bool = False,
) -> list[MarkerReading]:
    """Every marker of these names, also as a table's row, with the closed word it holds: for `choose`."""
    spelled = re.compile("|".join(names if isinstance(names, tuple) else (names,)), re.IGNORECASE)
    written = [in_cells(line, spelled) for line in prepared]
    found = []
    for one in markers(written, names, anywhere=anywhere):
        found.append(MarkerReading(one, read_word(one.value, words, stems=stems)))
    return found


def truth(value: str) -> bool | None:
    """True, false, yes or no."""
    return {"TRUE": True, "FALSE": False}.get(closed_word(value, _TRUTHS) or "")


_TRUTHS = {"TRUE": "TRUE", "YES": "TRUE", "FALSE": "FALSE", "NO": "FALSE"}


def read_word(value: str, words: Words, *, stems: bool = False) -> Value | None:
    """The closed word that a value begins with, with the word as it was written."""
    value = fold(value[:200])
    meanings = words if isinstance(words, Mapping) else {word: word for word in words}
    first, offer = _word_patterns(tuple(meanings), stems)
    begins = first.match(value)
    if begins is None or is_template(value) or offer.match(value, begins.end()):
        return None
    written = " ".join(begins[1].casefold().split())
    same = str.startswith if stems else str.__eq__
    spellings = sorted(meanings, key=len, reverse=True)
    spelling = next((one for one in spellings if same(written, " ".join(one.casefold().split()))), None)
    return None if spelling is None else Value(meanings[spelling], begins[1])


@lru_cache(maxsize=256)
def _word_patterns(words: tuple[str, ...], stems: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """One that reads a word at a value's beginning, one that tells whether others are offered too."""
    spelled = "|".join(r"\s+".join(map(re.escape, word.split())) for word in sorted(words, key=len)[::-1])
    word = rf"(?:{spelled})" + (r"\w*" if stems else r"(?!\w)")
    first = re.compile(rf"[\W_]*({word})", re.IGNORECASE)
    return first, re.compile(rf"(?:\s*,\s*{word})*\W*(?:[|/]|,?\s+or\b)\W*{word}", re.IGNORECASE)


class Value(NamedTuple):
    """What a marker's value means, and the words that say so, as they were written. `loose`: it had to be
    put together from prose."""

    meaning: str
    written: str
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model chose, and by which rule that was read.

    Without a meaning: `by` is null if its own marker has a value that cannot be read, `quotation` if all
    markers are quotations that it set apart. `index`: the line of the marker.
    """

    meaning: str | None
    by: ParsedBy | None
    loose: bool = False
    index: int = -1


UNREAD = Choice(None, None)


class MarkerReading(NamedTuple):
    """A marker and what it says. `aliases`: other ways to read it, and its beginnings, for a quotation may
    break off. `end`: the last line that belongs to it, if it is more than the marker's own."""

    marker: Marker
    reading: Value | None
    aliases: Collection[str] = ()
    end: int = -1

    @property
    def meaning(self) -> str | None:
        return self.reading.meaning if self.reading else None

    def choice(self, by: ParsedBy) -> Choice:
        if self.reading is None:
            return UNREAD
        return Choice(self.reading.meaning, by, self.reading.loose, self.marker.index)

    def is_quoted(self, shown: Shown, quoted: Collection[str]) -> bool:
        if self.reading is None:
            return self.marker.line in shown
        return self.reading.meaning in quoted or f"{self.marker.name} {self.reading.written}" in shown


Find = Callable[[Sequence[Line]], Sequence[MarkerReading]]


def choose(prepared: Sequence[Line], find: Find, shown: Shown, word: str = "") -> Choice | None:
    """What a model chose by its markers; None if there are none. `word`: letters that every marker has, by
    which long texts that were shown are passed over without a search.

    Of the markers that carry the nonce the last counts; without any, the last that is no quotation. A
    quotation is what stands in a shown text as it was written, or means what a marker there means. If all
    may be quotations, those count that stand bare, outside any row of them that was quoted as a whole; if
    they contradict each other, none does.
    """
    stated = find(prepared)
    # What cannot be read in the middle of a line is prose ("my vote: a hard one"), in a list a remark.
    stated = [one for one in stated if one.reading or (one.marker.leads and one.marker.bare)] or [
        one for one in stated if one.marker.leads
    ]
    signed = [one for one in stated if one.marker.signed]
    if signed:
        return signed[-1].choice("nonce")
    rows = [row for text in shown.lines_with(word) if (row := find(text))] if stated else []
    quoted = {meaning for row in rows for one in row for meaning in (one.meaning, *one.aliases) if meaning}
    own = [one for one in stated if not one.marker.mentioned and not one.is_quoted(shown, quoted)]
    if own:
        return own[-1].choice("marker")
    return _among_quotations(stated, prepared, rows, not_in=(shown, quoted)) if stated else None


def _among_quotations(
    stated: Sequence[MarkerReading],
    prepared: Sequence[Line],
    rows: Sequence[Sequence[MarkerReading]],
    not_in: tuple[Shown, Collection[str]],
) -> Choice:
    bare = [one for one in stated if one.marker.bare and one.reading][-_MOST_STATED:]
    apart = [one for one in stated if not one.marker.bare and one.reading][-_MOST_STATED:]
    for blank_cuts in (True, False):
        for candidates in (bare, _outside_rows(bare, prepared, rows, blank_cuts)):
            if len({one.meaning for one in candidates}) == 1:
                others = _outside_rows(apart, prepared, rows, blank_cuts)
                unclear = [one.meaning for one in others if _may_be_meant(one, prepared[one.marker.index])]
                agreed = {candidates[-1].meaning, *unclear} == {candidates[-1].meaning}
                return candidates[-1].choice("quotation") if agreed else UNREAD
    if bare:
        return UNREAD
    own = [one for one in stated if one.reading and not one.is_quoted(*not_in)]
    return own[-1].choice("marker") if own else Choice(None, "quotation")


def _may_be_meant(stated: MarkerReading, line: Line) -> bool:
    """Whether a line that is not bare may yet be the model's own: an item of a list, or a line of code."""
    apart = line.raw.lstrip().startswith((">", "|"))
    return stated.marker.leads and not stated.marker.bare and not apart and stated.end < 0


def _groups(
    stated: Sequence[MarkerReading], prepared: Sequence[Line], blank_cuts: bool
) -> list[list[MarkerReading]]:
    """Cut wherever anything else stands in between; a blank line may cut or not."""
    groups: list[list[MarkerReading]] = []
    last = -1
    for one in stated:
        between = [line.plain for line in prepared[last + 1 : one.marker.index] if line.plain or blank_cuts]
        if not groups or any(said != groups[-1][-1].marker.value for said in between):
            groups.append([])
        groups[-1].append(one)
        last = max(one.marker.index, one.end)
    return groups


def _outside_rows(
    stated: Sequence[MarkerReading],
    prepared: Sequence[Line],
    rows: Sequence[Sequence[MarkerReading]],
    blank_cuts: bool,
) -> list[MarkerReading]:
    """Those that stand in no row of two or more which follow each other in a shown text in the same way."""
    return [one for group in _groups(stated, prepared, blank_cuts) for one in _outside_rows_of(group, rows)]


def _outside_rows_of(
    stated: Sequence[MarkerReading], rows: Sequence[Sequence[MarkerReading]]
) -> list[MarkerReading]:
    signs: dict[str | None, str] = {}
    shown = ["".join(_sign(signs, one.meaning) for one in row) for row in rows]
    said = "".join(_sign(signs, one.meaning) for one in stated)
    outside, at = [], 0
    while at < len(said):
        length = _longest_shared(said[at:], shown)
        if length < 2:
            outside.append(stated[at])
        at += max(length, 1)
    return outside


def _sign(signs: dict[str | None, str], meaning: str | None) -> str:
    """A character for each meaning, so that rows of them can be searched as text."""
    return signs.setdefault(meaning, chr(0xE000 + len(signs)))


def _longest_shared(said: str, shown: Sequence[str]) -> int:
    """How many signs from the first on occur in one of the texts one after the other."""
    low, high = 0, len(said)
    while low < high:
        middle = (low + high + 1) // 2
        found = any(said[:middle] in text for text in shown)
        low, high = (middle, high) if found else (low, middle - 1)
    return low


def read_label(value: str, dealt: Collection[str], *, even_handed: bool = False) -> Value | None:
    """The label a value begins with: `Response B`, `Answer B`, `(B)`, `B because …`.

    A named label that was not dealt is read too; `Response X`, the letter of the template, is one only if X
    was dealt. `Response A or B` is none, and neither is "A better answer". `even_handed`: what no other
    letter must look like because A would be an article, no letter may look like.
    """
    value = value[:200]
    named = _NAMED.match(value)
    found = named or _LETTER.match(value)
    if found is None:
        return None
    letter, rest = found[1], value[found.end() :]
    label = f"Response {letter.upper()}"
    if label not in dealt and (named is None or label == "Response X"):
        return None
    if _offers_another(letter, rest) or _REJECTED.match(rest):
        return None
    alone = _stands_alone(letter, rest, named is not None, "ABI" if even_handed else "AI")
    return Value(label, value[: found.end()]) if alone else None


def _offers_another(letter: str, rest: str) -> bool:
    other = _OFFERS.match(rest) or _LISTS.match(rest)
    return other is not None and (other[1] or other[2]).upper() != letter.upper()


def _stands_alone(letter: str, rest: str, named: bool, unclear: str) -> bool:
    """Whether a letter is one, and not the article: "a response a reader likes", "A hard choice"."""
    if letter.isupper() and (named or letter not in unclear):
        return True
    return bool(_ENDS.match(rest) or (letter not in "I" and _REASON.match(rest)))


def respelled(line: Line, spell: Callable[[str], str]) -> Line:
    """A line with its marker in another spelling; where its nonce stood is known as before."""
    plain = spell(line.plain)
    if line.signature is None or plain == line.plain:
        return line._replace(plain=plain)
    return line._replace(plain=plain, signature=len(spell(line.plain[: line.signature])))


def in_cells(line: Line, name: re.Pattern[str]) -> Line:
    """A table's row as a marker line: `| Vote | Response B |` says `Vote: Response B`."""
    if not line.plain.startswith("|"):
        return line
    _, first, *others = line.plain.split("|", 3)
    if len(others) < 2 or not name.fullmatch(first.strip()):
        return line
    said = f"{first.strip()}: {others[0].strip()}"
    return Line(said, said, line.fenced, None if line.signature is None else len(said))


def abstains(value: str) -> bool:
    """Whether a value says that none is chosen; "none other than Response B" does not."""
    said = _ABSTAINS.match(value[:200])
    return said is not None and not _LABEL.search(value) and not takes_back(value)


def takes_back(value: str) -> bool:
    """Whether what a value begins with is taken back further on: "neither is perfect, but B is nearer"."""
    return _YET.search(value) is not None


def chosen_label(value: str, dealt: Collection[str]) -> str | None:
    """The label a value begins with, or the dealt letter."""
    reading = read_label(value, dealt)
    return reading.meaning if reading else None


def labels_in(texts: Iterable[str]) -> list[str]:
    """Every label named in these texts, in order, each as often as it is named, written as it was dealt:
    "the response I like" and "give that response a chance" name nobody."""
    return [f"Response {match[1] or match[2]}" for text in texts for match in _LABEL.finditer(text)]


def favoured(text: str) -> list[str]:
    """The labels a text names, but those it speaks against: "over Response A", "Response A is wrong"."""
    return [
        f"Response {match[1] or match[2]}"
        for match in _LABEL.finditer(text)
        if not _REJECTED.match(text, match.end())
        and not _COMPARED.search(text, max(match.start() - 40, 0), match.start())
    ]
