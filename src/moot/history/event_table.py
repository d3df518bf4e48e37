"""What an event says, read off its field names: no mode is known here.

{"tallies": {"Response A": 2, "Response B": 1}, "isTie": false, "votes": [{"seat": 1, "model": …}]}

    scalars   is tie no
    tables    tallies   Response A │ 2
                        Response B │ 1
              votes     1 │ sim/ada │ voted for Response A │ 0.4 s
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.history.safe_text import one_line

SHORT = 60
"""A text up to this long, on one line, is shown; a longer one is counted in words."""
HIDDEN = frozenset(
    {
        "type",
        "at",
        "conversationId",
        "messageId",
        "runId",
        "mode",
        "simulated",
        "labelToSeat",
        "degraded",
        "warnings",
    }
)
"""What is shown elsewhere: in the head of a run, above its answer, or by the model's name."""
FIRST = ("seat", "model")
"""The columns that say who."""

_FIELD = re.compile(r"[a-z]+(?:[A-Z0-9][a-z0-9]*)+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=\d)")


@dataclass(frozen=True, slots=True)
class Table:
    """`columns` may be empty: a map has none."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Something a model wrote."""

    name: str
    who: str
    text: str


@dataclass(slots=True)
class Facts:
    """`who` is set where the whole event is about one participant."""

    who: str = ""
    scalars: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)


def words(name: str) -> str:
    """A wire name as people say it.

    >>> words("averageRank"), words("vote_round"), words("stage1")
    ('average rank', 'vote round', 'stage 1')
    """
    return one_line(_HUMP.sub(" ", name).replace("_", " ").lower(), SHORT)


def label(field: str) -> str:
    return "time" if field == "responseTimeMs" else words(field)


def heading(type: str) -> str:
    """An event's name as a stage.

    >>> heading("vote_round_complete"), heading("stage1_start")
    ('Vote round', 'Stage 1')
    """
    return words(type.removesuffix("_start").removesuffix("_complete")).capitalize()


def who(entry: Mapping[str, Any]) -> str:
    """Whose entry it is: the model with its seat, or the seat alone where models are anonymous."""
    seat, model = entry.get("seat"), entry.get("model")
    if model and seat is not None:
        return f"{seat}. {one_line(str(model), SHORT)}"
    if model:
        return one_line(str(model), SHORT)
    return f"Seat {seat}" if seat is not None else ""


def row_in_words(table: Table, row: tuple[str, ...]) -> str:
    """`1. sim/ada: voted for Response B, 63 words, 0.4 s`; a map's row is `Response A 2 (sim/bo)`."""
    if not table.columns:
        return f"{row[0]} {row[1]}" + "".join(f" ({behind})" for behind in row[2:])
    cells = dict(zip(table.columns, row, strict=True))
    name = who({"seat": cells.pop("seat", None), "model": cells.pop("model", None)})
    text = ", ".join(_cell(column, value) for column, value in cells.items() if value != "–")
    return ": ".join(part for part in (name, text) if part)


def _cell(column: str, value: str) -> str:
    return value if column == "time" or value.endswith(" words") else f"{column} {value}"


def facts_of(event: Mapping[str, Any]) -> Facts:
    """All that an event says beside its name and time."""
    facts = Facts()
    flat = {key: value for key, value in event.items() if key not in HIDDEN}
    for key, value in flat.items():
        if key in ("data", "metadata") and isinstance(value, Mapping):
            facts.who = facts.who or who(value)
            _add_all(facts, {name: entry for name, entry in value.items() if name not in FIRST})
        else:
            _add(facts, "" if key == "data" else key, value, flat, event)
    return facts


def _add_all(facts: Facts, fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        if key not in HIDDEN:
            _add(facts, key, value, fields, fields)


def _add(facts: Facts, name: str, value: Any, siblings: Mapping[str, Any], owner: Mapping[str, Any]) -> None:
    if _is_text(value):
        facts.texts.append(Text(words(name), who(owner) or facts.who, value))
    elif isinstance(value, Mapping):
        _add_map(facts, name, value, siblings)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        _add_list(facts, name, value)
    elif value is not None:
        facts.scalars.append((label(name), cell_text(name, value)))


def _add_map(facts: Facts, name: str, value: Mapping[str, Any], siblings: Mapping[str, Any]) -> None:
    if not value:
        return
    if "model" in value:
        facts.scalars.append((label(name), who(value)))
        return
    if any(isinstance(entry, Mapping | list) for entry in value.values()):
        _add_all(facts, value)
        return
    behind = _names_behind(value, siblings)
    rows = tuple(
        (_key(key), cell_text("", entry), *([one_line(behind[key], SHORT)] if behind else []))
        for key, entry in value.items()
    )
    facts.tables.append(Table(words(name), (), rows))


def _key(key: str) -> str:
    """A field's name in words; anything else, such as a label, is what it is."""
    return words(key) if _FIELD.fullmatch(key) else one_line(key, SHORT)


def _names_behind(value: Mapping[str, Any], siblings: Mapping[str, Any]) -> dict[str, str]:
    """What the keys of a map of counts stand for, if another map of the event says so."""
    if not all(isinstance(entry, int | float) for entry in value.values()):
        return {}
    for other in siblings.values():
        if (
            isinstance(other, Mapping)
            and value.keys() <= other.keys()
            and all(isinstance(entry, str) for entry in other.values())
        ):
            return dict(other)
    return {}


def _add_list(facts: Facts, name: str, entries: Sequence[Any]) -> None:
    if not entries:
        return
    if not all(isinstance(entry, Mapping) for entry in entries):
        facts.scalars.append((words(name), ", ".join(_entry_text(entry) for entry in entries)))
        return
    columns = _columns(entries)
    if columns:
        rows = tuple(tuple(cell_text(column, entry.get(column)) for column in columns) for entry in entries)
        facts.tables.append(Table(words(name), tuple(label(column) for column in columns), rows))
    for entry in entries:
        for key, value in entry.items():
            if _is_text(value):
                facts.texts.append(Text(words(key), who(entry), value))


def _columns(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Those fields that tell the entries apart: who, the rest in order, how long it took."""
    keys = list(
        dict.fromkeys(key for entry in entries for key, value in entry.items() if _has_content(value))
    )
    texts = [key for key in keys if any(_is_text(entry.get(key)) for entry in entries)]
    # A lone text is worth its length; of several, nobody could tell the lengths apart.
    noise = {*(texts if len(texts) > 1 else ()), *(key for key in keys if _is_flat(entries, key))}
    last = [key for key in keys if key.endswith("Ms")]
    middle = [key for key in keys if key not in (*FIRST, *last, *noise)]
    return [key for key in FIRST if key in keys] + middle + last


def _is_flat(entries: Sequence[Mapping[str, Any]], key: str) -> bool:
    """The same yes or no for everyone."""
    values = [entry.get(key) for entry in entries]
    return len(values) > 1 and all(isinstance(value, bool) and value is values[0] for value in values)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not _is_short(value)


def _has_content(value: Any) -> bool:
    return value is not None and value not in ([], {}, "")


def cell_text(name: str, value: Any) -> str:
    """A value as a cell."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int() if name.endswith("Ms"):
            return seconds(value)
        case float():
            return f"{value:g}"
        case str() if not _is_short(value):
            return f"{len(value.split()):,} words"
        case {"model": _}:
            return who(value)
        case Mapping():
            return ", ".join(f"{words(key)} {_entry_text(entry)}" for key, entry in value.items())
        case list() if any(_is_text(entry) for entry in value):
            return count(len(value), "text")
        case list():
            return ", ".join(_entry_text(entry) for entry in value)
    return one_line(str(value), SHORT)


def _entry_text(value: Any) -> str:
    """An entry of a list inside a cell: itself, or the first short text in it."""
    if isinstance(value, Mapping):
        texts = (entry for entry in value.values() if isinstance(entry, str) and _is_short(entry))
        return one_line(next(texts, "…"), SHORT)
    return one_line(str(value), SHORT)


def _is_short(text: str) -> bool:
    return len(text) <= SHORT and "\n" not in text.strip()


def seconds(ms: int) -> str:
    return f"{ms / 1000:.1f} s"


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
