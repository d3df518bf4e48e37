"""The bodies of requests: described in the API's schema, read and checked by us, refused in our own words."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request

from moot.kernel.request import parse
from moot.kernel.values import Wire

W = TypeVar("W", bound=Wire)


def body_schema(model: type[Wire]) -> dict[str, Any]:
    """What a route says of its body in the API's schema: FastAPI does not see what we read ourselves."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}


async def read_body(request: Request, model: type[W], *, empty: bytes = b"") -> W:
    """The body as its model; `empty` stands in for one that is missing. Raises Rejected."""
    return parse(model, await request.body() or empty)
