"""JSON that a model put into its reply: alone, in a code block, or after prose.

>>> json_in('Here it is:\\n```json\\n{"confidence": 0.8,}\\n```')
{'confidence': 0.8}
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from moot.deliberation.dressing import undressed
from moot.deliberation.parsing import Shown, lines

_OPENING = re.compile(r"[{\[]")
_SMALL = re.compile(r"\{[^{}]{1,2000}\}")
_BETWEEN = re.compile(r"[\W_]+")
_MOST_TRIES = 200
_LONGEST_REPAIR = 50_000  # mending takes time that grows with the square

Json = dict[str, object] | list[object]


def json_in(text: str, *, repair: bool = True) -> Json | None:
    """The last JSON object, or list of objects, of a reply; code blocks come before prose.

    Broken JSON (a comma too many, a missing bracket) is mended if the reply or a code block
    consists of it.
    """
    candidates = list(_candidates(text))[::-1]
    for read in (_load, _repair) if repair else (_load,):
        for candidate in candidates:
            value = read(candidate)
            if value is not None:
                return value
    return _last_in_prose(undressed(text))


class JsonValue(NamedTuple):
    """A JSON value and the text it was read from."""

    value: object
    source: str

    def is_quoted(self, shown: Shown) -> bool:
        """Whether it stands in a shown text sign for sign: its words alone say too little."""
        return shown.has_signs(self.source)


def values_in(text: str) -> list[JsonValue]:
    """Every JSON object or list that stands whole in a reply, and is part of no other, in order; where there
    is none, one that could be mended."""
    text = undressed(text)
    if not _OPENING.search(text):
        return []
    found = list(_whole_in(text))
    if not found:
        written = [*_SMALL.findall(text)[-1:], *_candidates(text)]
        found = [JsonValue(value, one) for one in written if (value := _repair(one)) is not None][-1:]
    return found


def keyed_in(text: str, keys: Collection[str]) -> list[JsonValue]:
    """What JSON objects of a reply hold under one of these keys, in order, with the object's own text. Case,
    blanks and `_` in a key make no difference."""
    return [
        JsonValue(value, one.source)
        for one in values_in(text)
        if isinstance(one.value, dict)
        for key, value in one.value.items()
        if _BETWEEN.sub("", str(key)).casefold() in keys
    ]


def _whole_in(text: str) -> Iterator[JsonValue]:
    decoder = json.JSONDecoder(parse_constant=_no_number)
    end = 0
    for opening in list(_OPENING.finditer(text))[-_MOST_TRIES:]:
        if opening.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        yield JsonValue(value, text[opening.start() : end])


def _candidates(text: str) -> Iterator[str]:
    """The whole reply and its code blocks, if they begin like JSON."""
    whole = undressed(text).strip()
    block: list[str] = []
    candidates = [whole]
    for line in lines(text):
        edge = line.fenced and line.raw.lstrip(" \t>").startswith("```")
        if line.fenced and not edge:
            block.append(line.raw)
        elif edge:
            candidates.append("\n".join(block).strip())
            block = []
    return (one for one in candidates if one[:1] in ("{", "["))


def _last_in_prose(text: str) -> Json | None:
    """The last object or list that stands whole in the text, and is part of no other."""
    last: Json | None = None
    for one in _whole_in(text):
        last = _only_objects(one.value) or last
    return last


def _load(text: str) -> Json | None:
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return _only_objects(value)


def _repair(text: str) -> Json | None:
    from json_repair import repair_json

    if len(text) > _LONGEST_REPAIR:
        return None
    try:
        value = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None
    return _only_objects(value)


def _only_objects(value: object) -> Json | None:
    """The value if it is an object or a list of some: `[1, 3]` in a text is a citation."""
    if isinstance(value, list):
        return value if any(isinstance(one, dict) for one in value) else None
    return value if isinstance(value, dict) and value else None


def _no_number(_: str) -> None:
    """NaN and infinity are no JSON."""
