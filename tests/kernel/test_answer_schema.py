"""A caller's JSON schema: what may be asked for, and whether a value keeps to it, in bounded time whoever wrote them."""

from __future__ import annotations

from typing import Any

import pytest

from moot.kernel.answer_schema import MOST_BYTES, MOST_PATTERNS, check_schema, faults
from moot.kernel.errors import Rejected
from moot.kernel.schema_step import json_in
from tests.harness.pace import on_this_machine, used

TREE: dict[str, Any] = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "inner": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


REFUSED: list[tuple[Any, str]] = [
    ([], "must be a JSON schema"),
    ("object", "must be a JSON schema"),
    ({"type": "obj"}, "is not a valid JSON schema: 'obj' is not valid"),
    ({"properties": {"a": {"type": 3}}}, "at properties/a/type"),
    ({"$ref": "https://example.org/schema.json"}, "refers to 'https://example.org/schema.json'"),
    ({"$ref": "file:///etc/passwd"}, "references must stay within the schema"),
    ({"items": {"$ref": "#/$defs/missing"}}, "refers to '#/$defs/missing'"),
    ({"$ref": "#/const", "const": {"type": "string"}}, "refers to '#/const'"),
    ({"$ref": "#"}, "contains a circular reference"),
    ({"anyOf": [{"type": "string"}, {"$ref": "#"}]}, "contains a circular reference"),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"$ref": "#/$defs/a"}}},
        "circular reference",
    ),
    ({"$dynamicRef": "#x"}, "uses $dynamicRef, which is not supported"),
    (
        {"patternProperties": {"(a+)+$": {}}},
        "uses patternProperties, which is not supported: name the properties",
    ),
    ({"properties": {"a": {"$id": "https://example.org/a"}}}, "has a second $id"),
    ({"pattern": "(?=a)b"}, "look-around or back-references"),
    ({"pattern": r"(a)\1"}, "look-around or back-references"),
    ({"pattern": r"(\w{100}){100}"}, "too large"),
    (
        {"anyOf": [{"pattern": "a" * n} for n in range(1, MOST_PATTERNS + 2)]},
        "different patterns, the limit is",
    ),
    ({"description": "x" * MOST_BYTES}, "the limit is 64000"),
    (deep(100), "is nested more than"),
]


@pytest.mark.parametrize(("schema", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_schema_that_cannot_be_used_is_refused_with_the_reason(schema: Any, said: str) -> None:
    with pytest.raises(Rejected) as refused:
        check_schema(schema)
    assert said in str(refused.value)
    assert refused.value.details[0][0] == "schema"


ACCEPTED: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    TREE,
    {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"a": {"type": "string"}},
        "$ref": "#/definitions/a",
    },
    {
        "$id": "https://example.org/answer",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"type": "null"}},
    },
    # A field may be called like a keyword.
    {
        "properties": {
            "$ref": {"type": "string"},
            "pattern": {"type": "string"},
            "not": {"$ref": "#/properties/pattern"},
        }
    },
    {"const": {"$ref": "https://example.org"}},
    {"$defs": {"a/b~c": {"type": "string"}}, "items": {"$ref": "#/$defs/a~1b~0c"}},
]


@pytest.mark.parametrize("schema", ACCEPTED, ids=range(len(ACCEPTED)))
def test_schemas_as_people_and_their_libraries_write_them_are_accepted(schema: dict[str, Any]) -> None:
    check_schema(schema)


FAULTS: list[tuple[dict[str, Any], Any, str | None]] = [
    ({"type": "object"}, {}, None),
    ({"type": "object"}, [], "[] is not of type 'object'"),
    ({"required": ["a"]}, {}, "'a' is a required property"),
    ({"properties": {"a": {"enum": ["x"]}}}, {"a": "y"}, "a: 'y' is not one of ['x']"),
    ({"items": {"type": "integer"}}, [1, "2"], "[1]: '2' is not of type 'integer'"),
    ({"pattern": "^[a-z]+$"}, "tabs", None),
    ({"pattern": "^[a-z]+$"}, "Tabs", "'Tabs' does not match '^[a-z]+$'"),
    ({"uniqueItems": True}, [{"a": 1}, {"a": 1.0}], "It has the same element twice"),
    ({"uniqueItems": True}, [1, True, "1", [1], {"a": 1}], None),
    ({"format": "date"}, "2026-02-30", "'2026-02-30' is not a 'date'"),
    (TREE, {"name": "a", "inner": [{"name": "b"}]}, None),
    (TREE, {"name": "a", "inner": [{"title": "b"}]}, "inner[0]: "),
    ({}, deep(70), "It is nested more than 64 levels deep."),
]


@pytest.mark.parametrize(("schema", "value", "said"), FAULTS, ids=range(len(FAULTS)))
def test_a_value_is_valid_or_it_is_said_where_it_is_not(
    schema: dict[str, Any], value: Any, said: str | None
) -> None:
    found = faults(schema, value)
    assert found == [] if said is None else said in found[0]


def test_no_schema_and_no_value_makes_a_check_take_long() -> None:
    doubling: dict[str, Any] = {"$defs": {"0": {"type": "string"}}, "$ref": "#/$defs/40"}
    for n in range(1, 41):
        doubling["$defs"][str(n)] = {"anyOf": [{"$ref": f"#/$defs/{n - 1}"}] * 2}
    backtracking = {"pattern": "^(a+)+$"}
    for schema in (doubling, backtracking):
        check_schema(schema)
    with used() as work:
        assert faults(doubling, 1) == ["It takes too long to check against the schema."]
        assert len(faults(backtracking, "a" * 50_000 + "!")) == 1
        assert faults({"uniqueItems": True}, [{"a": n} for n in range(20_000)]) == []
    assert work.seconds < on_this_machine(4)


def test_a_long_list_of_faults_is_cut() -> None:
    found = faults({"items": {"type": "integer"}}, ["x" * 1000] * 50)
    assert len(found) == 10
    assert all(len(fault) < 400 for fault in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('  {"a": 12345678901234567890123}\n', '{"a": 12345678901234567890123}'),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('Here it is: {"a": {"b": "}"}} I hope it helps.', '{"a": {"b": "}"}}'),
        ("The list:\n[1, 2]\n", "[1, 2]"),
        ("42", "42"),
        ('"tabs"', '"tabs"'),
        ("null", "null"),
        ('{"a": 1', None),
        ('{"a": 1} and {"b": 2}', None),
        ("Tabs.", None),
        ("", None),
        ("[" * 5000 + "]" * 5000, None),
        ("{" * 5000, None),
    ],
)
def test_json_is_found_in_a_reply_and_left_as_it_was_written(text: str, expected: str | None) -> None:
    assert json_in(text) == expected
