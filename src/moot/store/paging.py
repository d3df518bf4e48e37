"""Paging by place, not by count: what is added or removed meanwhile neither repeats nor skips a line.

page = runs.runs_list(connection, "ann", limit=50)
page = runs.runs_list(connection, "ann", limit=50, cursor=page.next_cursor)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from moot.kernel.errors import Rejected

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """`next_cursor` is None on the last one."""

    items: Sequence[T]
    next_cursor: str | None


def page_of(found: Sequence[T], limit: int, cursor: Callable[[T], str]) -> Page[T]:
    """A page of `limit` items; `found` was asked for one more, to know whether there is a next page."""
    items = found[:limit]
    return Page(items, cursor(items[-1]) if len(found) > limit and items else None)


def cursor_of(at: int, id: str) -> str:
    return f"{at}.{id}"


def place_of(cursor: str) -> tuple[int, str]:
    at, dot, id = cursor.partition(".")
    if not dot or not at.isascii() or not at.isdigit() or len(at) > 18:
        raise Rejected(f"Unknown cursor {cursor!r}: use the one that came with the page before.")
    return int(at), id
