"""Rankings: read a list from best to worst, average the places.

FINAL RANKING: [k7f3]            the nonce that this evaluator alone was given
1. Response C
2. Response A
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from moot.deliberation.choices import (
    UNREAD,
    Choice,
    MarkerReading,
    ParsedBy,
    Value,
    abstains,
    choose,
    labels_in,
    read_label,
)
from moot.deliberation.json_reply import values_in
from moot.deliberation.parsing import (
    NOTHING_SHOWN,
    QUOTATION_MARKS,
    Line,
    Marker,
    Shown,
    fold,
    lines,
    lines_with,
)
from moot.deliberation.rounding import half_up
from moot.kernel.values import Wire
from moot.modes.council.orders import (
    NO_ORDER,
    Order,
    chain,
    first_chain,
    label_list,
    numbered_list,
    ranking_table,
)

_REMARK = (
    r"(?:,?[ \t]+(?:of|from)[ \t][^:\n]{1,40})?(?:[ \t]*[(\[][^()\[\]\n]{1,80}[)\]])?(?:[ \t]+(?:is|are))?"
)
_END = r"(?:[ \t]*[:=]|[ \t]+[-–—](?=\s|$)|[ \t#]*$)"
_TITLE = re.compile(rf"(?<!\w)FINAL[ \t_-]+RANKINGS?{_REMARK}{_END}", re.IGNORECASE | re.MULTILINE)
_LEAD_IN = re.compile(
    r"(?:(?:so|thus|therefore|here\s+is|this\s+is)[,:]?\s+)?(?:(?:my|the)\s+)?", re.IGNORECASE
)
_OTHER_TITLE = re.compile(
    rf"^(?:(?:my|the|overall|final)[ \t]+){{0,2}}(?:RANK(?:ING|INGS|ED)|ORDER){_REMARK}{_END}",
    re.IGNORECASE | re.MULTILINE,
)
_DIRECTION = re.compile(
    r"[\s(\[]*(?:in[ \t]+order[ \t]+)?(?:from[ \t]+)?(?:the[ \t]+)?"
    r"(?:best|worst|first|last|strongest|weakest|most|least|top|bottom)\b[\s\w]{0,30}?\b(?:to|first|last)\b[^:\n]{0,30}?[)\]:.]*\s*$",
    re.IGNORECASE,
)
_WORST_FIRST = re.compile(
    r"\b(?:worst|weakest|least\s+\w+|last|bottom)\s*(?:to|-|–|→|->|>|…)+\s*(?:the\s+)?(?:best|strongest|most|first|top)\b"
    r"|\b(?:worst|weakest)\s+first\b",
    re.IGNORECASE,
)
_MAY_BE_ITEM = re.compile(r"[^\w\n]*(?:\d+\w*\W{1,4})?(?:Response\s|[A-Z]\b)", re.IGNORECASE)
_LONE_ITEM = re.compile(r"\W*\d{1,2}\W{1,4}Response\s+([A-Z])\W*")
_RANKS = re.compile(
    r"(?<!\w)I(?:['’]d|\s+would|\s+will)?\s+(?:rank|place|put)\s+(Response\s+[A-Z]\s+(?:first|1st|highest|at\s+the\s+top)\b[^.!?]*)",
    re.IGNORECASE,
)
_LONGEST = 60
_KEYS = {"ranking", "finalranking", "rankings", "order", "finalorder", "ranked", "rank"}


class RankingEntry(Wire):
    label: str
    position: int


class Ranking(NamedTuple):
    """The places a model gave, and by which rule they were read."""

    places: list[RankingEntry]
    by: ParsedBy | None

    @property
    def readable(self) -> bool:
        """An abstention is a reading too."""
        return bool(self.places) or self.by == "abstention"


def parse_ranking(text: str, dealt: Collection[str], shown: Shown = NOTHING_SHOWN) -> list[RankingEntry]:
    """The places a model gave."""
    return read_ranking(text, dealt, shown).places


def read_ranking(
    text: str, dealt: Collection[str], shown: Shown = NOTHING_SHOWN, *, mentions: bool = False
) -> Ranking:
    """The places a model gave, from the first source that names a dealt label:

    the list after the last `FINAL RANKING:`; the labels in that section; a ranking under another title, as
    JSON, or as a list without a title; nothing, for the order in which a text speaks of the answers is no
    ranking. A list is read by its numbers where every item has one and they are a permutation, else in order
    of appearance. Repeated labels count once, at their first place; unknown ones are dropped; places are
    numbered anew. `mentions`: without any of these, the labels in the order in which they are named.
    """
    prepared = lines(text, shown.nonce)
    titled = _titled_ranking(prepared, dealt, shown, _TITLE, "rank")
    keyed = None if titled and titled.by == "nonce" else _in_json(text, dealt, shown)
    if keyed and keyed.by == "nonce":
        return _ranking(keyed, dealt)
    if titled and titled.by != "quotation":
        return _ranking(titled, dealt)
    other = _own_choice(keyed) or _ranking_without_title(prepared, dealt, shown)
    if titled and titled.meaning is not None:
        # A quotation counts only if there is no other.
        choice = titled if other is None or other.meaning == titled.meaning else _own_choice(keyed) or UNREAD
    else:
        choice = _own_choice(_titled_ranking(prepared, dealt, shown, _OTHER_TITLE)) or other or UNREAD
        if mentions and choice is UNREAD and not titled and not keyed:
            choice = _mentions(prepared, dealt, shown)
    return _ranking(choice, dealt)


def _titled_ranking(
    prepared: Sequence[Line], dealt: Collection[str], shown: Shown, title: re.Pattern[str], word: str = ""
) -> Choice | None:
    return choose(prepared, lambda written: _title_statements(written, dealt, title), shown, word)


def _own_choice(choice: Choice | None) -> Choice | None:
    return choice if choice and choice.meaning is not None and choice.by != "quotation" else None


def _ranking(choice: Choice, dealt: Collection[str]) -> Ranking:
    order = [f"Response {letter}" for letter in choice.meaning or ""]
    if not order:
        return Ranking([], "abstention" if choice.meaning == "" else None)
    by: ParsedBy | None = "mention" if choice.loose else choice.by
    if by != "mention" and len(order) < len(dealt):
        by = "incomplete"
    places = [RankingEntry(label=label, position=place) for place, label in enumerate(order, 1)]
    return Ranking(places, by)


def _title_statements(
    prepared: Sequence[Line], dealt: Collection[str], title: re.Pattern[str]
) -> list[MarkerReading]:
    """Every title with the order that follows it. One in quotation marks, or in the middle of a line with no
    list after it, is mentioned; one that begins its line, in no list, block quote or code, is bare."""
    statements = []
    for index, end in pairwise([*lines_with(title, prepared), len(prepared)]):
        line = prepared[index]
        match = title.search(line.plain)
        if match is None:
            continue
        order, last = _order_under(match, prepared[index:end], dealt)
        if order is None:
            continue
        before = 0 if _LEAD_IN.fullmatch(line.plain[: match.start()]) else match.start()
        quoted = before > 0 and line.plain[before - 1] in QUOTATION_MARKS
        marker = Marker(
            order.letters,
            line.raw,
            index,
            match[0],
            phrase="",
            mentioned=quoted or (before > 0 and order.loose),
            bare=before == 0 and line.stands_alone,
            signed=line.signature is not None,
            leads=before == 0,
        )
        written = " ".join(f"Response {letter}" for letter in order.as_written)
        reading = Value(order.letters, written, order.loose)
        mentions = _letters(labels_in(one.plain for one in prepared[index:end]), dealt)
        aliases = _beginnings(order.letters, order.as_written, mentions)
        statements.append(MarkerReading(marker, reading, aliases, index + last))
    return statements


def _beginnings(*orders: str) -> set[str]:
    """Of every order one may quote only the beginning."""
    return {letters[:end] for letters in orders for end in range(1, len(letters) + 1)}


def _order_under(
    title: re.Match[str], section: Sequence[Line], dealt: Collection[str]
) -> tuple[Order | None, int]:
    """The order that a title's line and those below it give, and at which of them it ends."""
    rest = section[0].plain[title.end() :].strip()
    worst_first = bool(_WORST_FIRST.search(title[0]) or _WORST_FIRST.search(rest))
    if _DIRECTION.fullmatch(rest):
        rest = ""
    if not rest:
        opening = next((line.plain for line in section[1:] if line.plain), "")
        worst_first = worst_first or bool(_DIRECTION.fullmatch(opening) and _WORST_FIRST.search(opening))
    below = [Line(rest, rest), *section[1:]]
    order = _clear_order(rest, below, dealt)
    if order is None:
        order = _loose_order(rest, below, dealt)
    elif worst_first:
        order = order.reverse()
    return order, order.end if order else 0


def _clear_order(rest: str, below: Sequence[Line], dealt: Collection[str]) -> Order | None:
    """The first that stands there: a chain on one line, a list, a table; else a JSON list."""
    in_line = chain(rest, dealt)
    if in_line and (len(in_line.letters) > 1 or len(dealt) == 1):
        return in_line
    numbered = numbered_list(below, dealt)
    if numbered and not any(line.plain for line in below[: numbered.start]):
        return numbered
    readings = (
        numbered,
        ranking_table(below, dealt),
        label_list(below, dealt),
        first_chain(below, dealt),
    )
    orders = [order for order in readings if order]
    if orders:
        return min(orders, key=lambda order: order.start)
    text = fold("\n".join(line.raw for line in below))
    return next((order for one in values_in(text) if (order := _order_in(one.value, dealt))), None)


def _loose_order(rest: str, below: Sequence[Line], dealt: Collection[str]) -> Order | None:
    """The labels that a section names; an abstention if it names none and says so."""
    letters = _letters(labels_in([rest, *(line.plain for line in below[1:])]), dealt)
    if letters:
        return Order(letters, letters, loose=True)
    opening = rest or next((line.plain for line in below if line.plain), "")
    return NO_ORDER if abstains(opening) else None


def _in_json(text: str, dealt: Collection[str], shown: Shown) -> Choice | None:
    """The last that is no quotation; if one carries the nonce, no other counts."""
    found = [(one, order) for one in values_in(fold(text)) if (order := _order_under_key(one.value, dealt))]
    own = [(one, order) for one, order in found if not one.is_quoted(shown)]
    signed = [order for one, order in own if shown.nonce and shown.nonce in one.source.casefold()]
    if own:
        return Choice((signed or [order for _, order in own])[-1].letters, "nonce" if signed else "json")
    return Choice(None, "quotation") if found else None


def _order_under_key(value: object, dealt: Collection[str]) -> Order | None:
    if isinstance(value, dict):
        for key, item in value.items():
            if re.sub(r"[\W_]", "", str(key)).casefold() in _KEYS:
                return _order_in(item, dealt)
    order = _order_in(value, dealt)
    return order if order and len(order.letters) == len(dealt) else None


def _order_in(value: object, dealt: Collection[str]) -> Order | None:
    """A list of labels, of objects with a label each, or an object of places and labels."""
    pairs: list[tuple[object, object]] = []
    if isinstance(value, str):
        return chain(value, dealt)
    if isinstance(value, list):
        pairs = [_place_and_label(one) if isinstance(one, dict) else (None, one) for one in value]
    elif isinstance(value, dict):
        pairs = [(key, item) for key, item in value.items()]
        if all(read_label(str(key), dealt) for key in value):
            pairs = [(item, key) for key, item in value.items()]
    readings = [(place, read_label(str(label), dealt)) for place, label in pairs]
    items = [(_number(place), label.meaning[-1]) for place, label in readings if label]
    return Order.of(items, dealt)


def _place_and_label(entry: Mapping[object, object]) -> tuple[object, object]:
    place = next((item for key, item in entry.items() if str(key).casefold() in _PLACE_KEYS), None)
    label = next((item for key, item in entry.items() if str(key).casefold() in _LABEL_KEYS), None)
    return place, label


_PLACE_KEYS = ("rank", "place", "position")
_LABEL_KEYS = ("response", "label", "answer", "name", "id", "option")


def _number(place: object) -> int | None:
    digits = re.fullmatch(r"\s*#?(\d{1,2})(?:st|nd|rd|th)?\s*", str(place))
    return int(digits[1]) if digits else None


def _ranking_without_title(prepared: Sequence[Line], dealt: Collection[str], shown: Shown) -> Choice | None:
    """A list or a chain of all labels and nothing else, though no title stands over it; where the whole reply
    is numbered labels, of some."""
    own = [line if not shown.has_line(line.plain) else Line("", "") for line in prepared]
    written = [line.plain for line in own if line.plain]
    items = [item for line in written if (item := _LONE_ITEM.fullmatch(line))]
    letters = _letters((f"Response {item[1]}" for item in items), dealt) if len(items) == len(written) else ""
    for at, line in enumerate(own):
        if line.plain and _MAY_BE_ITEM.match(line.plain):
            for order in (chain(line.plain, dealt), label_list(own[at : at + _LONGEST], dealt, alone=True)):
                if order and len(order.letters) == len(dealt) > 1:
                    letters = order.letters
    return Choice(letters, "list") if letters else _said(own, dealt)


def _said(own: Iterable[Line], dealt: Collection[str]) -> Choice | None:
    """ "I rank Response C first, then Response A, and Response B last.": all of them, in a sentence that says
    so."""
    for line in own:
        for sentence in _RANKS.findall(line.plain):
            letters = _letters(labels_in([sentence]), dealt)
            if len(letters) == len(dealt) > 1:
                return Choice(letters, "statement")
    return None


def _mentions(prepared: Sequence[Line], dealt: Collection[str], shown: Shown) -> Choice:
    own = [line.plain for line in prepared if line.plain and not shown.has_line(line.plain)]
    letters = _letters(labels_in(own), dealt)
    return Choice(letters, "mention", loose=True) if letters else UNREAD


def _letters(labels: Iterable[str], dealt: Collection[str]) -> str:
    return "".join(dict.fromkeys(label[-1] for label in labels if label in dealt))


@dataclass(frozen=True)
class AverageRank:
    label: str
    average: float
    count: int


def average_ranks(
    rankings: Sequence[Sequence[RankingEntry]], dealt: Mapping[str, object]
) -> list[AverageRank]:
    """Mean place per label, two decimals, best first; equal means keep label order.

    A label nobody placed is left out.
    """
    places: dict[str, list[int]] = {label: [] for label in sorted(dealt)}
    for ranking in rankings:
        for entry in ranking:
            places[entry.label].append(entry.position)
    means = {
        label: Fraction(sum(positions), len(positions)) for label, positions in places.items() if positions
    }
    return [
        AverageRank(label=label, average=half_up(mean, 2), count=len(places[label]))
        for label, mean in sorted(means.items(), key=lambda item: item[1])
    ]
