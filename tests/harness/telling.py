"""A deliberation as it is compared with a snapshot: all that was told and kept, but keys and times.

What a model said stands as `‹vote of a/ann›`, a payload that a row repeats as `= vote_complete`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from tests.harness.chamber import Held

KEYS = {"at", "conversationId", "messageId", "runId", "type"}
LONG = 40
"""A reply of fewer characters stands as it is."""


def story(held: Held, *as_each_finishes: str) -> list[Any]:
    """Every event but the title's: its type alone, or with its content (of the opening, its fields).

    Events of these types, failures and warnings come in any order among themselves, and are put into one.
    """
    free = {*as_each_finishes, "model_failed", "warning"}
    runs = [(is_free, list(run)) for is_free, run in groupby(_events(held), lambda told: told[0] in free)]
    told = [event for is_free, run in runs for event in (sorted(run, key=json.dumps) if is_free else run)]
    shown = _Shown(held)
    return [(type, shown(data)) if data else type for type, data in told]


def kept(held: Held) -> list[tuple[Any, ...]]:
    """Every stored row: order, type, seat, model, role, content and parsed data."""
    shown, payloads = _Shown(held), [(type, _timeless(data)) for type, data in _events(held)]

    def parsed(data: Any) -> Any:
        return next(_repeated(_timeless(data), payloads), None) or shown(data)

    return [
        (
            row.stage_order,
            row.stage_type,
            row.seat,
            row.model,
            row.role,
            shown(row.content),
            parsed(row.parsed_data),
        )
        for row in held.rows
    ]


def _events(held: Held) -> Iterator[tuple[str, Any]]:
    for frame in held.frames:
        if frame["type"] != "title_complete":
            fields = {key: value for key, value in frame.items() if key not in KEYS}
            yield frame["type"], fields.get("data", fields)


def _repeated(data: Any, payloads: list[tuple[str, Any]]) -> Iterator[str]:
    """The event whose payload these data are, all of it or but for a few fields."""
    for type, payload in payloads:
        if isinstance(payload, dict) and isinstance(data, dict) and len(data) > 2:
            left_out = [key for key in payload if key not in data]
            same = all(key in payload and payload[key] == data[key] for key in data)
            if same and len(left_out) <= 3:
                yield f"= {type}" + (f" without {', '.join(left_out)}" if left_out else "")


class _Shown:
    """Values with the texts of the models and the answer named instead of repeated."""

    def __init__(self, held: Held) -> None:
        long = [call for call in held.calls if len(call.text or "") > LONG]
        by_seat = sorted(long, key=lambda call: (call.step, call.seat or 0), reverse=True)
        said = {call.text: f"‹{call.step} of {call.model}›" for call in by_seat}
        self._named = {held.answer: "‹answer›", **said} if len(held.answer or "") > LONG else said

    def __call__(self, value: Any) -> Any:
        return self._named_in(_timeless(value))

    def _named_in(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._named_in(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._named_in(each) for each in value]
        return self._named.get(value, value) if isinstance(value, str) else value


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: 0 if key.endswith("Ms") and isinstance(each, int) else _timeless(each)
            for key, each in value.items()
        }
    return [_timeless(each) for each in value] if isinstance(value, list | tuple) else value
