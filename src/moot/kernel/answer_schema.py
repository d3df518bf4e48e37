"""The JSON schema that a caller holds an answer to: what may be asked for, and whether a value keeps to it.

    {"type": "object", "properties": {"choice": {"enum": ["tabs", "spaces"]}}, "required": ["choice"]}

A schema comes from anybody, and what is checked against it was written by a model, so neither can make the
check take long: patterns run in an engine without backtracking, references stay within the schema and never
go in circles, and a check has so many steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from pydantic_core import SchemaError, SchemaValidator, core_schema

from moot.kernel.errors import Rejected

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Schema = Mapping[str, Any]
Path = tuple[str, ...]

MOST_BYTES = 64_000
MOST_LEVELS = 64
MOST_STEPS = 100_000
MOST_FAULTS = 10
LONGEST_FAULT = 300
MOST_PATTERNS = 10
"""One takes up to a fifth of a second to compile."""
FORMATS = ("date", "email", "ipv4", "ipv6", "uuid")
"""Those that are checked; others are for the writer to read."""

_MAPS = ("properties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    *("items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems"),
    *("unevaluatedProperties", "not", "if", "then", "else"),
)
_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""What stands under these is about the very value that the schema above is about."""
_REFUSED = {
    "$dynamicRef": "use $ref",
    "$recursiveRef": "use $ref",
    "$anchor": "refer by a path, as in #/$defs/name",
    "$dynamicAnchor": "refer by a path, as in #/$defs/name",
    "patternProperties": "name the properties",
    "additionalItems": "use prefixItems and items",
}


class _TooManySteps(Exception):
    """A check that would never come to an end."""


def check_schema(schema: Any) -> None:
    """Raises Rejected with what is wrong with a schema, before anybody is asked."""
    if not isinstance(schema, dict):
        raise _rejected("must be a JSON schema, which is an object")
    if _levels(schema) > MOST_LEVELS:
        raise _rejected(f"is nested more than {MOST_LEVELS} levels deep")
    size = len(orjson.dumps(schema))
    if size > MOST_BYTES:
        raise _rejected(f"has {size} bytes, the limit is {MOST_BYTES}")
    parts = {part.path: part for part in _parts(schema, ())}
    for part in parts.values():
        _check_part(part, parts)
    _check_patterns(parts.values())
    _check_circles(parts)
    _check_by_metaschema(schema)


def faults(schema: Schema, value: Any) -> list[str]:
    """Where a value breaks the schema, a sentence each; none if it is valid."""
    if _levels(value) > MOST_LEVELS:
        return [f"It is nested more than {MOST_LEVELS} levels deep."]
    found: list[str] = []
    try:
        for error in _validator(schema).iter_errors(value):
            place = error.json_path.removeprefix("$").removeprefix(".")
            said = f"{place}: {error.message}" if place else error.message
            found.append(said if len(said) <= LONGEST_FAULT else f"{said[:LONGEST_FAULT]}…")
            if len(found) == MOST_FAULTS:
                break
    except (_TooManySteps, RecursionError):
        return ["It takes too long to check against the schema."]
    return found


def _validator(schema: Schema) -> Validator:
    """For one check: its steps are counted."""
    from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators
    from referencing.jsonschema import EMPTY_REGISTRY

    steps = count(1)

    def counted(keyword: Callable[..., Any]) -> Callable[..., Any]:
        def check(*arguments: Any) -> Any:
            if next(steps) > MOST_STEPS:
                raise _TooManySteps
            return keyword(*arguments)

        return check

    patterns: dict[str, SchemaValidator] = {}

    def match(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[Exception]:
        if pattern not in patterns:
            patterns[pattern] = _compile(pattern)
        if isinstance(value, str) and not patterns[pattern].isinstance_python(value):
            yield ValidationError(f"{value!r} does not match {pattern!r}")

    ours = {"pattern": match, "uniqueItems": _check_unique}
    keywords = {name: counted(check) for name, check in {**Draft202012Validator.VALIDATORS, **ours}.items()}
    kind = validators.extend(Draft202012Validator, keywords)
    # An empty registry: nothing is ever fetched.
    validator: Validator = kind(
        _without_dialect(schema), registry=EMPTY_REGISTRY, format_checker=FormatChecker(FORMATS)
    )
    return validator


def _check_unique(validator: Any, wanted: bool, value: Any, schema: Any) -> Iterator[Exception]:
    from jsonschema import ValidationError

    if wanted and isinstance(value, list):
        texts = [orjson.dumps(_same_numbers(one), option=orjson.OPT_SORT_KEYS) for one in value]
        if len(set(texts)) < len(texts):
            yield ValidationError("It has the same element twice")


def _same_numbers(value: Any) -> Any:
    """1.0 is 1 in JSON."""
    if isinstance(value, float) and value.is_integer():
        return int(value) if abs(value) < 2**53 else value
    if isinstance(value, list):
        return [_same_numbers(one) for one in value]
    return {name: _same_numbers(one) for name, one in value.items()} if isinstance(value, dict) else value


def _compile(pattern: str) -> SchemaValidator:
    """By an engine without backtracking: its time grows with the text alone. Raises SchemaError."""
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


class _Part(NamedTuple):
    """A schema within a schema. `about`: the path of the one above, if both are about the same value."""

    path: Path
    schema: Schema
    about: Path | None


def _parts(schema: Any, path: Path, about: Path | None = None) -> Iterator[_Part]:
    """Every schema within a schema, itself first."""
    if not isinstance(schema, dict):
        return
    yield _Part(path, schema, about)
    for name, inner in schema.items():
        above = path if name in _SAME_VALUE else None
        if name in _MAPS and isinstance(inner, dict):
            for key, part in inner.items():
                yield from _parts(part, (*path, name, key), above)
        elif name in _LISTS and isinstance(inner, list):
            for place, part in enumerate(inner):
                yield from _parts(part, (*path, name, str(place)), above)
        elif name in _SINGLE:
            yield from _parts(inner, (*path, name), above)


def _check_part(part: _Part, parts: Mapping[Path, _Part]) -> None:
    for name, instead in _REFUSED.items():
        if name in part.schema:
            raise _rejected(f"uses {name}, which is not supported: {instead}", part.path)
    if part.path and "$id" in part.schema:
        raise _rejected("has a second $id, which is not supported", part.path)
    reference = part.schema.get("$ref", "#")
    if _target(reference) not in parts:
        said = f"refers to {str(reference)[:100]!r}: references must stay within the schema"
        raise _rejected(said, part.path)


def _check_patterns(parts: Iterable[_Part]) -> None:
    patterns = {part.schema.get("pattern"): part.path for part in parts if _has_pattern(part.schema)}
    if len(patterns) > MOST_PATTERNS:
        raise _rejected(f"has {len(patterns)} different patterns, the limit is {MOST_PATTERNS}")
    for pattern, path in patterns.items():
        try:
            _compile(str(pattern))
        except SchemaError:
            said = "has a pattern that is too large, or uses look-around or back-references"
            raise _rejected(f"{said}: {str(pattern)[:100]!r}", path) from None


def _has_pattern(schema: Schema) -> bool:
    return isinstance(schema.get("pattern"), str)


def _target(reference: Any) -> Path | None:
    """`#/$defs/a~1b` as the path it stands for."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    steps = reference[2:].split("/") if reference != "#" else []
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def _check_circles(parts: Mapping[Path, _Part]) -> None:
    """A list may hold lists like itself; a value cannot be checked by first checking that very value."""
    circles: TopologicalSorter[Path | None] = TopologicalSorter()
    for path, part in parts.items():
        if "$ref" in part.schema:
            circles.add(path, _target(part.schema["$ref"]))
        if part.about is not None:
            circles.add(part.about, path)
    try:
        circles.prepare()
    except CycleError:
        raise _rejected("contains a circular reference") from None


def _check_by_metaschema(schema: Schema) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema import SchemaError as BadSchema

    try:
        Draft202012Validator.check_schema(_without_dialect(schema))
    except BadSchema as error:
        path = tuple(map(str, error.absolute_path))
        raise _rejected(f"is not a valid JSON schema: {error.message[:LONGEST_FAULT]}", path) from None


def _without_dialect(schema: Schema) -> dict[str, Any]:
    """Every schema is read as one of the newest dialect, whatever it says of itself."""
    return {name: value for name, value in schema.items() if name != "$schema"}


def _levels(value: Any) -> int:
    """How deeply it is nested; a little more than is allowed is as good as any more."""
    level, inner = 0, [value]
    while inner and level <= MOST_LEVELS:
        level += 1
        nested = (
            one.values() if isinstance(one, dict) else one for one in inner if isinstance(one, dict | list)
        )
        inner = [each for values in nested for each in values]
    return level


def _rejected(said: str, path: Path = ()) -> Rejected:
    where = f" at {'/'.join(path)}"[:200] if path else ""
    message = f"schema {said}{where}"
    return Rejected(message, (("schema", message),))
