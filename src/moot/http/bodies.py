"""The bodies of requests: described in the API's schema, read and checked by us, refused in our own words."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request

from moot.kernel.request import parse
from moot.kernel.values import Wire

W = TypeVar("W", bound=Wire)


def body_schema(model: type[Wire]) -> dict[str, Any]:
    """What a route says of its body in the API's schema: FastAPI does not see what we read ourselves. All
    that the schema refers to stands in it, for the document has no other place for it."""
    schema = model.model_json_schema(mode="validation")
    inner = schema.pop("$defs", {})
    content = {"application/json": {"schema": _whole(schema, inner)}}
    return {"requestBody": {"required": True, "content": content}}


async def read_body(request: Request, model: type[W], *, empty: bytes = b"") -> W:
    """The body as its model; `empty` stands in for one that is missing. Raises Rejected."""
    return parse(model, await request.body() or empty)


def _whole(schema: Any, inner: dict[str, Any]) -> Any:
    """The schema with what it refers to in place of each reference."""
    if isinstance(schema, list):
        return [_whole(part, inner) for part in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {name: _whole(part, inner) for name, part in schema.items() if name != "$ref"}
    if "$ref" not in schema:
        return rest
    return {**_whole(inner[schema["$ref"].rpartition("/")[2]], inner), **rest}
