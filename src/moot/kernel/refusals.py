"""What is wrong with what somebody sent, in our words and with its path.

modeConfig.models[0] must be a model id such as openai/o3
modeConfig.timeoutMs must be a whole number
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from moot.kernel.errors import Rejected
from moot.kernel.values import Wire

Path = tuple[str | int, ...]
DEEPEST = 32
"""So far may a value be nested; no config comes near it."""
DEEPEST_SHOWN = 7
LONGEST_PART = 80
LONGEST_MESSAGE = 500
MOST_DETAILS = 20
"""So many findings are told at once: a hundred thousand wrong fields are not answered with six megabytes."""

_MUST = {
    "missing": "is required",
    "model_id": "must be a model id such as openai/o3",
    "string_type": "must be text",
    "string_unicode": "must be text",
    "string_pattern_mismatch": "contains characters that are not allowed",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "path_type": "must be the path of a file or folder",
}
_COUNTED = {
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "too_short": ("at least", "min_length", "entry"),
    "too_long": ("at most", "max_length", "entry"),
}


def rejected(error: ValidationError, under: str = "") -> Rejected:
    """Pydantic's findings in our words, in the order of the fields."""
    return refusal(error.errors(include_url=False), under)


def refusal(entries: Sequence[ErrorDetails], under: str = "") -> Rejected:
    before: Path = (under,) if under else ()
    told = entries[:MOST_DETAILS]
    details = tuple((_dotted((*before, *one["loc"])), _message(one, before)) for one in told)
    return Rejected(details[0][1], details)


def sentence(entry: ErrorDetails, name: str) -> str:
    """One finding about what goes by this name."""
    kind, context = entry["type"], entry.get("ctx", {})
    if kind in _COUNTED:
        least, key, noun = _COUNTED[kind]
        return f"{name} must have {least} {_many(context[key], noun)}"
    if kind in _MUST:
        return f"{name} {_MUST[kind].format_map(context)}"
    if kind == "value_error":
        return f"{name}: {entry['msg'].removeprefix('Value error, ')}"
    return f"{name} cannot be used"


def _message(entry: ErrorDetails, before: Path) -> str:
    if entry["type"] == "moot":
        said = entry["msg"]
    elif entry["type"] == "extra_forbidden":
        said = f"Unknown field: {_short(entry['loc'][-1])}"
    elif entry["type"] == "json_invalid":
        said = f"This is not JSON: {entry['ctx']['error']}"
    elif not entry["loc"] and entry["type"] in ("model_type", "model_attributes_type"):
        said = "Expected a JSON object, in braces"
    else:
        said = sentence(entry, shown_path((*before, *entry["loc"])))
    return said if len(said) <= LONGEST_MESSAGE else said[: LONGEST_MESSAGE - 1] + "…"


def shown_path(path: Path) -> str:
    """As a person reads it: `modeConfig.steps[0].model`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{_short(part)}" for part in path)
    return "".join(parts).removeprefix(".") or "The value"


def _dotted(path: Path) -> str:
    """As the page and other clients look it up: `modeConfig.steps.0.model`."""
    return ".".join(map(_short, path))


def _short(part: str | int) -> str:
    text = str(part)
    return text if len(text) <= LONGEST_PART else text[: LONGEST_PART - 1] + "…"


def _many(count: int, noun: str) -> str:
    several = {"character": "characters", "entry": "entries"}
    return f"{count} {noun if count == 1 else several[noun]}"


def refused(path: Path, said: str) -> Rejected:
    message = f"{shown_path(path)} {said}"
    return Rejected(message, ((_dotted(path), message),))


def plain(value: Any, path: Path = ()) -> Any:
    """A value as JSON has it: lists, not tuples; no number that JSON or the database cannot hold; and
    60000.0 is 60000, which is what some programs make of a whole number. Raises Rejected."""
    match value:
        case None | bool():
            return value
        case str():
            if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
                raise refused(path, "contains half a character")
            if "\x00" in value:  # which PostgreSQL's texts cannot hold: refused with every database alike
                raise refused(path, "contains a null character, which is not allowed")
            return value
        case int() | float():
            return _number(value, path)
        case Mapping() | list() | tuple() if len(path) > DEEPEST:
            raise refused(path[:DEEPEST_SHOWN], "is nested too deeply")
        case Mapping():
            return {str(key): plain(inner, (*path, str(key))) for key, inner in value.items()}
        case list() | tuple():
            return [plain(inner, (*path, place)) for place, inner in enumerate(value)]
    raise refused(path, f"is of the type {type(value).__name__}, which JSON does not have")


def _number(value: int | float, path: Path) -> int | float:
    if not math.isfinite(value) if isinstance(value, float) else abs(value) >= 2**63:
        raise refused(path, "is too large a number")
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


def check_spelling(shape: type[Wire], value: Any, path: Path = ()) -> None:
    """Raises Rejected where a field is given in both its spellings: which of them is meant?"""
    if not isinstance(value, Mapping):
        return
    for name, alias, kinds in _spellings(shape):
        if alias != name and alias in value and name in value:
            raise refused((*path, alias), f"is given twice, as {alias} and as {name}")
        inner = value.get(alias, value.get(name)) if kinds else None
        for kind in kinds if inner is not None else ():
            check_spelling(kind, inner, (*path, alias))
            for place, entry in enumerate(inner if isinstance(inner, list) else ()):
                check_spelling(kind, entry, (*path, alias, place))


@cache
def _spellings(shape: type[Wire]) -> list[tuple[str, str, list[type[Wire]]]]:
    """Of each field its two names and the shapes that it may hold."""
    return [
        (name, field.alias or name, list(_shapes_in(field.annotation)))
        for name, field in shape.model_fields.items()
    ]


def _shapes_in(annotation: Any) -> Iterator[type[Wire]]:
    if isinstance(annotation, type) and issubclass(annotation, Wire):
        yield annotation
    for part in get_args(annotation):
        yield from _shapes_in(part)
