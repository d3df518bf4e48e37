"""An answer in a caller's schema: the smallest value that is valid against most schemas people write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from moot.kernel.schema_step import PROMPT
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks

DEEPEST = 12
_FORMATS = {
    "date": "2000-01-01",
    "email": "sim@example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "00000000-0000-0000-0000-000000000000",
}


def _in_schema(prompt: Prompt, mind: Mind) -> str:
    schema = orjson.loads(prompt.under("JSON schema"))
    words = f"Simulated: {' '.join(prompt.under('Answer').split())}"
    return orjson.dumps(Values(schema, words).of(schema), option=orjson.OPT_INDENT_2).decode()


class Values:
    """Of the schemas within a schema. `words` is what a text says."""

    def __init__(self, root: Mapping[str, Any], words: str) -> None:
        self._root = root
        self._words = words

    def of(self, schema: Any, level: int = 0) -> Any:
        if not isinstance(schema, Mapping) or level > DEEPEST:
            return None
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        return self._of_kind(schema, level + 1)

    def _resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """What it refers to, and the first of what it may be, as one."""
        for _ in range(DEEPEST):
            first = [*schema.get("allOf", ()), *(schema.get("anyOf") or schema.get("oneOf") or ())[:1]]
            if "$ref" in schema:
                first.append(self._at(schema["$ref"]))
            if not first:
                break
            rest = {
                key: each for key, each in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")
            }
            schema = {key: each for one in [*first, rest] for key, each in one.items()}
        return schema

    def _at(self, reference: str) -> Mapping[str, Any]:
        place: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            place = place[
                int(step) if isinstance(place, list) else step.replace("~1", "/").replace("~0", "~")
            ]
        return place if isinstance(place, Mapping) else {}

    def _of_kind(self, schema: Mapping[str, Any], level: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else "string")
        match kind[0] if isinstance(kind, list) else kind:
            case "object":
                wanted: dict[str, Any] = {name: {} for name in schema.get("required", ())} | dict(
                    schema.get("properties", {})
                )
                return {name: self.of(inner, level) for name, inner in wanted.items()}
            case "array":
                return [self.of(schema.get("items", {}), level) for _ in range(schema.get("minItems", 1))]
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return True
            case "null":
                return None
        text = _FORMATS.get(schema.get("format", ""), self._words)[: schema.get("maxLength")]
        return text.ljust(schema.get("minLength", 0), ".")


def _number(schema: Mapping[str, Any]) -> Any:
    lowest = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    return min(lowest, schema.get("maximum", lowest))


SKILLS = (Skill("schema", asks(PROMPT), _in_schema),)
