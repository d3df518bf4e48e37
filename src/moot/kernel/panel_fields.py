"""Where a mode's config names its models, read off its JSON schema: no mode is known here.

>>> with_models({"properties": {"judgeModel": {"format": "model"}}}, ["openai/o3"])
{'judgeModel': 'openai/o3'}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.kernel.errors import Rejected

Schema = Mapping[str, Any]


def with_models(schema: Schema, models: Sequence[str]) -> dict[str, Any]:
    """These models in the mode's list, whatever it is called; without one, in its roles in order."""
    lists = {name: shape for name, shape in _properties(schema).items() if _is_list_of_models(shape, schema)}
    if lists:
        name, shape = next(iter(lists.items()))
        inner = _model_field(resolved(shape.get("items", {}), schema))
        return {name: [model if inner is None else {inner: model} for model in models]}
    names = roles(schema)
    if len(models) > len(names):
        raise Rejected(f"this mode has {len(names)} roles ({', '.join(names)}), not {len(models)}")
    return dict(zip(names, models, strict=False))


def roles(schema: Schema) -> list[str]:
    """The fields that name a single model."""
    return [name for name, shape in _properties(schema).items() if _is_model(shape)]


def resolved(shape: Schema, schema: Schema) -> Schema:
    """A property without its indirections: a reference followed, `or null` left out."""
    reference = shape.get("$ref")
    if isinstance(reference, str):
        return resolved(schema.get("$defs", {}).get(reference.rpartition("/")[2], {}), schema)
    choices = [one for one in shape.get("anyOf", ()) if one.get("type") != "null"]
    return resolved(choices[0], schema) if len(choices) == 1 else shape


def _properties(schema: Schema) -> dict[str, Schema]:
    return {name: resolved(shape, schema) for name, shape in schema.get("properties", {}).items()}


def _is_list_of_models(shape: Schema, schema: Schema) -> bool:
    items = resolved(shape.get("items", {}), schema)
    return shape.get("type") == "array" and (_is_model(items) or _model_field(items) is not None)


def _model_field(items: Schema) -> str | None:
    """The field that names the model, in a list of objects."""
    fields = [name for name, shape in items.get("properties", {}).items() if _is_model(shape)]
    return fields[0] if len(fields) == 1 else None


def _is_model(shape: Schema) -> bool:
    return shape.get("format") == "model"
