"""The log: lines for whoever looks after a server, with who, which request and which run, never with what.

    {"time": "2026-01-05T10:00:00.000Z", "level": "info", "logger": "moot.runs", "event": "run ended",
     "run_id": "3f…", "person_id": "9a…", "request_id": "c1…", "status": "complete", "duration_ms": 5120}

What people ask, what models answer, names, keys, passwords, tokens and cookies never stand in a line:

- our own lines hold ids and figures, and name a route as it is declared, not as it was called;
- of an exception they hold its type and the places it came through, not its words, unless those can only be
  about code or a machine;
- what other people's code says is given by its place alone: its words may repeat what it was given.
"""

from __future__ import annotations

import logging
import re
import sqlite3
from contextvars import ContextVar
from hashlib import sha256
from traceback import extract_tb
from types import TracebackType
from typing import Any

import orjson

from moot.kernel.clock import iso
from moot.kernel.user import LOCAL_USER

REQUESTS = "moot.requests"
RUNS = "moot.runs"
"""Loggers of what goes on all the time: every request, every run. As text they speak at level debug only."""

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
person_id: ContextVar[str | None] = ContextVar("person_id", default=None)
run_id: ContextVar[str | None] = ContextVar("run_id", default=None)
_CONTEXT = (run_id, request_id, person_id)

_PLAIN_SPEAKERS = ("moot", "uvicorn", "alembic")
"""Loggers whose words are known: nothing of a request stands in them."""
_PLAIN_ERRORS = (
    OSError,
    sqlite3.Error,
    AttributeError,
    ImportError,
    IndexError,
    MemoryError,
    NameError,
    RecursionError,
    TypeError,
    ZeroDivisionError,
)
"""Exceptions whose words are about code or a machine."""
_OUR_ID = re.compile(r"[0-9a-f]{32}")
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def identify_person(id: str | None) -> None:
    """From here on, lines of this request or run say whose it is. A name by which a proxy knows somebody is
    told by its digest."""
    known = id is None or id == LOCAL_USER or _OUR_ID.fullmatch(id)
    person_id.set(id if known else sha256(str(id).encode("utf-8", "surrogatepass")).hexdigest()[:16])


class TextLines(logging.Formatter):
    """For the person at the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{record.levelname} {record.name}: {_event(record)}"
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        trace = _error(record.exc_info) if record.exc_info else []
        return "\n".join([f"{line} ({fields})" if fields else line, *(f"  {place}" for place in trace)])


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": iso(int(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
            **_fields(record),
        }
        if record.exc_info:
            line["error"] = _error(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def _event(record: logging.LogRecord) -> str:
    if record.name.split(".")[0] in _PLAIN_SPEAKERS:
        return record.getMessage().strip()
    return f"{record.module}:{record.lineno} in {record.funcName}"


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Where the line comes from, as far as that is known; then what it says of itself."""
    context = {one.name: one.get() for one in _CONTEXT}
    own: dict[str, Any] = getattr(record, "fields", {})
    return {name: value for name, value in {**context, **own}.items() if value is not None}


def _error(info: _ExcInfo) -> list[str]:
    """The exception and what led to it, the last first, each with the places it came through."""
    lines: list[str] = []
    error, seen = info[1], set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        said = f": {error}" if isinstance(error, _PLAIN_ERRORS) else ""
        lines.append(f"{type(error).__module__}.{type(error).__qualname__}{said}")
        lines += [
            f"{place.filename}:{place.lineno} in {place.name}" for place in extract_tb(error.__traceback__)
        ]
        if isinstance(error, BaseExceptionGroup) and error.exceptions:
            error = error.exceptions[0]
        else:
            error = error.__cause__ or error.__context__
    return lines
