"""Orders: how models write down a ranking. A list, a table, or a chain on one line.

1. Response C                    | 1 | Response C | clear |          C > A > B
2. Response A – long             | 2 | Response A | long  |          1st: Response C, 2nd: Response A
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from moot.deliberation.choices import labels_in, read_label
from moot.deliberation.parsing import Line, fold
from moot.deliberation.sections import table_rows

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")
_MEDALS = "🥇🥈🥉"
_SIGNS = r"[\s>#*_`+•–—·-]{0,20}"
_PLACE = re.compile(
    rf"{_SIGNS}(?:(?:rank|place|position|no\.?|number)\s*)?[#\[(]{{0,2}}(?:(?P<number>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<word>{'|'.join(_ORDINALS)})|(?P<roman>[ivx]{{1,4}})(?=[.)]))[\])]?(?:\s+(?:place|rank|choice))?"
    r"(?:\s*[.):=–—-]{1,2}|\s*->|\s*→)?\s*",
    re.IGNORECASE,
)
_MEDAL = re.compile(rf"{_SIGNS}([{_MEDALS}])\s*[:.–—-]?\s*")
_BULLET = re.compile(r"\s*(?:>\s*)*(?:[-+*•–—·]\s+)?")
_AFTER_LABEL = re.compile(
    r"[\s\])}\"'”’*_:=–—(|-]{0,8}(?:rank(?:ed)?|place|position|no\.?)?\s*#?(?:(\d{1,2})(?:st|nd|rd|th)?"
    rf"|({'|'.join(_ORDINALS)}))(?:\s+place)?\s*[)\].;,|]*\s*$",
    re.IGNORECASE,
)
_CLEAN = re.compile(r"[\s\])}\"'”’*_]{0,8}(?:$|[.,;:(–—=-])")
_NOTHING = re.compile(r"[\s\])}\"'”’*_.,;:]{0,8}$")
_NUMBERED = r"(?:[#\[(]{0,2}(\d{1,2})(?:st|nd|rd|th)?[\])]?\s*[.):=-]?\s*)?"
_LINK = re.compile(
    rf"[\s\[({{\"“'‘]{{0,6}}{_NUMBERED}[\s\[(\"“'‘]{{0,6}}(?:(?i:the\s+)?(?i:Response|Answer|Option|Candidate)[\s:#-]{{1,3}})?"
    r"([A-Z])(?![\w'’])[\s\])}\"”’]{0,6}"
)
_JOINT = re.compile(
    r"\s*(?:(?P<up>[<≺]{1,3})|(?P<tie>[=≈~])|(?P<down>[>≻›»]{1,3}|->|=>|[→⇒➜➔⟶➡])"
    r"|[,;|/]?\s*(?i:and\s+then|then|followed\s+by|and\s+finally|finally|and\s+lastly|and)\s*:?\s+|[,;|/]|(?=[#(]?\d))\s*"
)
_TAIL = re.compile(r"\s*(?:[.!]?\s*(?:\([^()]{0,200}\))?[.!]?|[–—-]\s.{0,200})\s*$")

Item = tuple[int | None, str]
"""A place, if one is given, and a letter."""


@dataclass(frozen=True, slots=True)
class Order:
    """Letters from best to worst, and `as_written` in the text. `loose`: put together from prose.
    `counts_down`: its numbers fall. `start`, `end`: its first and its last line."""

    letters: str
    as_written: str
    loose: bool = False
    counts_down: bool = False
    start: int = 0
    end: int = 0

    @classmethod
    def of(cls, items: Sequence[Item], dealt: Collection[str], at: Sequence[int] = (0,)) -> Order | None:
        """From places and letters: by the places where they are a permutation, else as they stand."""
        places = [place for place, _ in items if place is not None]
        by_number = sorted(places) == list(range(1, len(items) + 1))
        ranked = sorted(items, key=lambda item: item[0] or 0) if by_number else items
        letters, as_written = (_distinct(letter for _, letter in each) for each in (ranked, items))
        letters = "".join(letter for letter in letters if f"Response {letter}" in dealt)
        as_written = "".join(letter for letter in as_written if f"Response {letter}" in dealt)
        falls = by_number and len(places) > 1 and places[0] > places[-1]
        return cls(letters, as_written, counts_down=falls, start=at[0], end=at[-1]) if letters else None

    def reverse(self) -> Order:
        """For a list from worst to best; one that counts down has said so by its numbers."""
        return self if self.counts_down else replace(self, letters=self.letters[::-1])


NO_ORDER = Order("", "")


def _distinct(letters: Iterator[str]) -> str:
    return "".join(dict.fromkeys(letters))


def numbered_list(below: Sequence[Line], dealt: Collection[str]) -> Order | None:
    """A list in which every item has its place before its label: numbers, ordinals, medals.

    Blank, indented and bulleted lines belong to the item above; other prose ends the list, and so does a
    place that was given before together with a label that was.
    """
    items: list[Item] = []
    places: list[int] = []
    for at, line in enumerate(below):
        item = _numbered_item(line)
        if item is None:
            if items and _is_prose(line):
                break
            continue
        place, letter = item
        if len({letter for _, letter in items if f"Response {letter}" in dealt}) == len(dealt):
            break
        if any(place == one for one, _ in items) and any(letter == other for _, other in items):
            break
        items.append((place, letter))
        places.append(at)
    return Order.of(items, dealt, places)


def _is_prose(line: Line) -> bool:
    return bool(line.plain) and not fold(line.raw).startswith((" ", "\t", "-", "*", "+", "•"))


def _numbered_item(line: Line, alone: bool = False) -> Item | None:
    """`alone`: nothing stands in it but its place and its label."""
    written = fold(line.raw).replace("*", "").replace("`", "").replace("__", "")
    medal, match = _MEDAL.match(written), _PLACE.match(written)
    if medal:
        place, rest = _MEDALS.index(medal[1]) + 1, written[medal.end() :]
    elif match:
        place, rest = _place(match), written[match.end() :]
    else:
        return None
    label = read_label(rest, _ALL)
    if alone:
        return (place, label.meaning[-1]) if label and _NOTHING.match(rest[len(label.written) :]) else None
    labels = [label.meaning] if label else labels_in([rest])
    return (place, labels[0][-1]) if labels else None


_ALL = tuple(f"Response {chr(65 + place)}" for place in range(26))


def _place(match: re.Match[str]) -> int:
    if match["number"]:
        return int(match["number"])
    word = (match["word"] or match["roman"]).casefold()
    names = _ORDINALS if match["word"] else _ROMAN
    return names.index(word) + 1 if word in names else 0


def ranking_table(below: Sequence[Line], dealt: Collection[str]) -> Order | None:
    """A table with a label in each row, and perhaps a place in another cell."""
    items: list[Item] = []
    first = next((at for at, line in enumerate(below) if line.plain.startswith("|")), len(below))
    rows = takewhile(lambda line: line.plain.startswith("|"), below[first:])
    for cells in table_rows(list(rows)):
        plain = [fold(cell).replace("*", "").replace("`", "").strip() for cell in cells]
        label = next((letter for cell in plain if (letter := _cell_label(cell, dealt))), None)
        if label:
            places = [place for cell in plain if (place := _cell_place(cell)) is not None]
            items.append((places[0] if places else None, label))
    return Order.of(items, dealt, (first, first + len(items) + 1)) if items else None


def _cell_label(cell: str, dealt: Collection[str]) -> str | None:
    label = read_label(cell, dealt)
    return label.meaning[-1] if label and _NOTHING.match(cell[len(label.written) :]) else None


def _cell_place(cell: str) -> int | None:
    match = _PLACE.fullmatch(cell)
    return _place(match) if match else _MEDALS.index(cell) + 1 if cell and cell in _MEDALS else None


def label_list(below: Sequence[Line], dealt: Collection[str], *, alone: bool = False) -> Order | None:
    """A list whose items begin with their labels, a place perhaps behind: `- Response C`, `Response C: 1st`.

    `alone`: from the first line on, and with nothing else in the items.
    """
    items: list[Item] = []
    places: list[int] = []
    for at, line in enumerate(below):
        item = _label_item(line, alone)
        if item:
            items.append(item)
            places.append(at)
        elif (line.plain or not items) if alone else (items and _is_prose(line)):
            break
    return Order.of(items, dealt, places) if len(items) > 1 or (items and len(dealt) == 1) else None


def _label_item(line: Line, alone: bool) -> Item | None:
    if alone and (item := _numbered_item(line, alone)):
        return item
    bullet = _BULLET.match(line.raw)
    indented = line.raw[:1] in (" ", "\t") and not line.raw.lstrip().startswith(("Response", "**Response"))
    label = read_label(line.plain, _ALL)
    if label is None or indented or bullet is None:
        return None
    rest = line.plain[len(label.written) :]
    behind = _AFTER_LABEL.match(rest)
    if behind:
        return int(behind[1]) if behind[1] else _ORDINALS.index(behind[2].casefold()) + 1, label.meaning[-1]
    return (None, label.meaning[-1]) if (_NOTHING if alone else _CLEAN).match(rest) else None


def first_chain(below: Sequence[Line], dealt: Collection[str]) -> Order | None:
    """The first line that is a chain."""
    for at, line in enumerate(below):
        order = chain(line.plain, dealt) if line.plain else None
        if order and len(order.letters) > 1:
            return replace(order, start=at, end=at)
    return None


def chain(text: str, dealt: Collection[str]) -> Order | None:
    """Labels on one line, joined by `>`, commas, arrows or "then", with or without numbers; `<` turns it."""
    text = text[:400]
    items: list[Item] = []
    ups = downs = ties = 0
    at = 0
    while link := _LINK.match(text, at):
        items.append((int(link[1]) if link[1] else None, link[2]))
        at = link.end()
        joint = _JOINT.match(text, at)
        if joint is None or (joint.end() == at and not text[at:].strip()):
            break
        if not _LINK.match(text, joint.end()):
            break
        ups, downs, ties = ups + bool(joint["up"]), downs + bool(joint["down"]), ties + bool(joint["tie"])
        at = joint.end()
    if not items or not _TAIL.match(text, at) or (ups and downs):
        return None
    order = Order.of(items[: len(items) - ties], dealt) if ties else Order.of(items, dealt)
    return order.reverse() if order and ups else order
