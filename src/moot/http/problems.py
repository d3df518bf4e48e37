"""What goes wrong, said in one form.

    400  {"error": "Unknown mode: x", "details": [{"path": "mode", "message": "Unknown mode: x"}]}

The OpenAI-compatible door says it as its clients expect:

    400  {"error": {"message": "…", "type": "invalid_request_error", "param": "model", "code": null}}

A bad parameter is 400 like any other bad request. While the database cannot be had it is 503, which the store
has logged. What nobody foresaw is 500 and says nothing of its cause: that is in the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from moot.http.answer_headers import NO_STORE, answer_headers
from moot.kernel.errors import LimitReached, NoUser, Rejected, StoreUnavailable, TooMany
from moot.kernel.refusals import MOST_DETAILS, sentence
from moot.kernel.values import Maybe, Wire

RETRY_AFTER = "5"
OPENAI = "/v1/"
"""Where the OpenAI-compatible door begins."""
_TYPES = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    429: "rate_limit_error",
}
_CODES = {401: "invalid_api_key", 404: "not_found", 429: "rate_limit_exceeded"}


class Detail(Wire):
    path: str
    message: str


class Problem(Wire):
    """`error` is the first message; `details` are the first twenty, each with the field it is about. `limit`:
    with 429, which of your limits is reached; the header `Retry-After` says when to come back."""

    error: str
    details: list[Detail]
    limit: Maybe[str]


class TooLarge(Rejected):
    """The body has more bytes than the settings allow."""

    status = 413


def problem(
    status: int,
    details: Sequence[tuple[str, str]],
    error: str | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    limit: str | None = None,
    path: str = "",
) -> Response:
    """`path` is that of the request: each door has its own form."""
    content: dict[str, Any] = {
        "error": error or details[0][1],
        "details": [{"path": place, "message": message} for place, message in details],
    }
    if limit is not None:
        content["limit"] = limit
    if path.startswith(OPENAI):
        content = {"error": openai_error(status, error or details[0][1], details[0][0] or None)}
    return Response(orjson.dumps(content), status, headers, "application/json")


def openai_error(
    status: int, message: str, param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    """An error as OpenAI's clients read it."""
    kind = _TYPES.get(status) or ("invalid_request_error" if status < 500 else "api_error")
    return {"message": message, "type": kind, "param": param, "code": code or _CODES.get(status)}


def install(app: FastAPI) -> None:
    app.add_exception_handler(Rejected, _rejected)
    app.add_exception_handler(StoreUnavailable, _unavailable)
    app.add_exception_handler(RequestValidationError, _bad_parameter)
    app.add_exception_handler(HTTPException, _no_such_route)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _internal)


async def _rejected(request: Request, error: Exception) -> Response:
    assert isinstance(error, Rejected)
    return refusal(error, request.url.path)


def refusal(error: Rejected, path: str) -> Response:
    """What was refused, in its words; a program is told how to come in, or when to come again."""
    headers: dict[str, str] = {}
    if isinstance(error, NoUser):
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, TooMany):
        headers["retry-after"] = str(error.retry_after)
    limit = error.limit if isinstance(error, LimitReached) else None
    return problem(error.status, error.details, str(error), headers, limit=limit, path=path)


async def _unavailable(request: Request, error: Exception) -> Response:
    return unavailable(error, request.url.path)


def unavailable(error: Exception, path: str) -> Response:
    message = f"{error} Nothing was started; please try again later."
    return problem(503, [("", message)], headers={"retry-after": RETRY_AFTER}, path=path)


async def _bad_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    details = []
    for entry in error.errors()[:MOST_DETAILS]:
        name = ".".join(str(part) for part in entry["loc"][1:])
        details.append((name, sentence(entry, name)))
    return problem(400, details, path=request.url.path)


async def _no_such_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    messages = {404: f"There is nothing at {path}", 405: f"{path} does not accept {request.method}"}
    message = messages.get(error.status_code) or HTTPStatus(error.status_code).phrase
    return problem(error.status_code, [("", message)], headers=error.headers, path=path)


async def _gone(request: Request, error: Exception) -> Response:
    """Whoever sent the request left before its end: there is nobody to answer."""
    return Response(status_code=400)


async def _internal(request: Request, error: Exception) -> Response:
    response = problem(500, [("", "Internal error")], path=request.url.path)
    # It is given outside of the Guard, which would have said so.
    response.raw_headers += [*answer_headers(request.app.state.engine.settings), NO_STORE]
    return response
