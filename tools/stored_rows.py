"""Which rows a mode stores, found out by telling made-up events to its `rows`.

Every field of a made-up event says its own name, so that a row shows where its content comes from. Numbers
are drawn several times over: what changes with them (`review_7`, `review_8`) is shown as `<n>`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from moot.kernel.events import Event
from moot.kernel.mode import Mode
from moot.kernel.values import CouncilRow, Row, TableRow

NUMBERS = (7, 8, 50, 1)
"""From the first two it is seen how an order depends on the number, from the third whether it is at least
something; the number one may be a special case."""


_FIELD = re.compile(r"<(\w+)>")


@dataclass(frozen=True)
class Draw:
    """How one made-up event is filled: its number, its flags, and whether what may be missing is there."""

    number: int
    flag: bool
    filled: bool

    def event(self, kind: type[Event]) -> Event:
        made: Event = self._value(kind, kind.type)
        return made

    def _value(self, kind: Any, name: str) -> Any:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._value(arguments[0], name)
        if origin in (Union, UnionType):
            some = [one for one in arguments if one is not NoneType]
            return None if NoneType in arguments and not self.filled else self._value(some[0], name)
        if origin is Literal:
            return arguments[-1 if self.flag else 0]
        if origin in (list, tuple, Sequence):
            return (tuple if origin is tuple else list)(self._items(arguments, name))
        if origin in (dict, Mapping):
            return {self._value(arguments[0], "name"): self._value(arguments[1], name)}
        return self._plain(kind, name)

    def _items(self, arguments: tuple[Any, ...], name: str) -> list[Any]:
        if len(arguments) == 2 and arguments[1] is not Ellipsis:
            return [self._value(one, name) for one in arguments]
        return [self._value(arguments[0], name)] if self.filled else []

    def _plain(self, kind: Any, name: str) -> Any:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            fields = {
                one: self._value(info.annotation, to_camel(one)) for one, info in kind.model_fields.items()
            }
            return kind.model_construct(**fields)
        values = {bool: self.flag, int: self.number, float: float(self.number), NoneType: None}
        return values.get(kind, f"<{name}>")


@dataclass
class Stored:
    """All that is known of one kind of row. `orders` by number."""

    orders: dict[int, int] = field(default_factory=dict)
    roles: dict[str, None] = field(default_factory=dict)
    contents: dict[str, None] = field(default_factory=dict)
    keys: list[list[str]] = field(default_factory=list)

    @property
    def order(self) -> str:
        number, other, large, _ = NUMBERS
        low, high = self.orders.get(number), self.orders.get(other)
        if low is None or high is None or low == high:
            least = next(iter(self.orders.values()))
            return str(least) if self.orders.get(large, least) == least else f"{least} or more"
        slope = (high - low) // (other - number)
        rest = low - slope * number
        times = "n" if slope == 1 else f"{slope}n"
        return times if not rest else f"{times} {'+' if rest > 0 else '−'} {abs(rest)}"

    @property
    def content(self) -> str:
        return " or ".join(dict.fromkeys(_described(content) for content in self.contents))

    @property
    def parsed(self) -> str:
        """The keys of parsedData, or the columns; `?` where not every such row has it."""
        names = {name: None for keys in self.keys for name in keys}
        return ", ".join(name if all(name in keys for keys in self.keys) else f"{name}?" for name in names)


def _described(content: str) -> str:
    fields = _FIELD.findall(content)
    if not content:
        return "empty"
    if not _FIELD.sub("", content).strip():
        return ", ".join(fields)
    try:
        json.loads(content)
    except ValueError:
        return "composed"
    return "JSON"


class StoredRows(NamedTuple):
    """What a mode stores: rows of `deliberation_stages` by stage type, and tables of its own by name."""

    stages: dict[str, Stored]
    tables: dict[str, Stored]


def stored_rows(mode: Mode[Any]) -> StoredRows:
    rows = StoredRows({}, {})
    for number, flag, filled in product(NUMBERS, (False, True), (True, False)):
        for row in _rows(mode, Draw(number, flag, filled)):
            if isinstance(row, Row):
                one = rows.stages.setdefault(_stage(row.stage_type, number, rows.stages), Stored())
                one.orders[number] = row.stage_order
                one.roles[row.role or "—"] = None
                one.contents[row.content] = None
                one.keys.append(list(row.parsed_data or ()))
            else:
                rows.tables.setdefault(row.table, Stored()).keys.append(list(row.values))
    return rows


def _stage(written: str, number: int, known: Collection[str]) -> str:
    """`round_7_match_7` is `round_<n>_match_<m>`; `round1_label_map` is what it is."""
    letters = iter("nmk")
    stage = re.sub(rf"(?<!\d){number}(?!\d)", lambda _: f"<{next(letters)}>", written)
    return stage if number > 1 or stage in known else written


def _rows(mode: Mode[Any], draw: Draw) -> Iterator[Row | CouncilRow | TableRow]:
    for kind in mode.events:
        yield from mode.rows(draw.event(kind))
