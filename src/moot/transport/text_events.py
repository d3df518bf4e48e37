"""Events of a chat completion that say nothing but a piece of the text, read together without parsing each.

    data: {"id":"gen-1","choices":[{"delta":{"content":"Ta"},"finish_reason":null}]}      head  Ta   tail
    data: {"id":"gen-1","choices":[{"delta":{"content":"bs."},"finish_reason":null}]}     head  bs.  tail

Within a reply most events differ in nothing but their text. Once one of them is known, a whole read of such
events is cut at what they share, and what is left between is one JSON string: 0.2 µs an event, where parsing
each takes 1.5.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

_CONTENT = re.compile(rb'"content": ?"')
_REST_OF_STRING = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*')
_PROBE = "probe"
_LINE_BREAK = ord("\n")


class TextEvents(NamedTuple):
    """What these events share, from `data: ` to the blank line."""

    head: bytes
    tail: bytes

    @classmethod
    def like(cls, event: bytes) -> TextEvents | None:
        """Those like this one; None if it says more than a piece of the text."""
        begins = _CONTENT.search(event)
        if begins is None:
            return None
        ends = _REST_OF_STRING.match(event, begins.end())
        assert ends is not None
        head, tail = event[: begins.end()], event[ends.end() :]
        try:
            probe = orjson.loads(b"%b%b%b" % (head.removeprefix(b"data: "), _PROBE.encode(), tail))
        except orjson.JSONDecodeError:
            return None
        return cls(head, tail) if _says_text_only(probe) else None

    def cut(self, events: bytes) -> tuple[bytes, str, bytes] | None:
        """What comes before the first of these, the text of all of them, and what comes after the last; None
        if that cannot be told for sure."""
        start, end = events.find(self.head), events.rfind(self.tail)
        if start < 0 or end < start + len(self.head) or (start and events[start - 1] != _LINE_BREAK):
            return None
        run = events[start + len(self.head) : end]
        # A backslash before the tail may belong to its quotation mark.
        if b"\\" + self.tail in events:
            return None
        try:
            # No event but these can be inside: the line break before it is no part of a JSON string.
            text = orjson.loads(b'"%b"' % run.replace(self.tail + self.head, b""))
        except orjson.JSONDecodeError:
            return None
        return events[:start], text, events[end + len(self.tail) :]


def _says_text_only(event: Any) -> bool:
    if not isinstance(event, dict) or event.get("error") or event.get("usage"):
        return False
    match event.get("choices"):
        case [{"delta": {"content": str(text), **more}, **choice}]:
            plain = all(not value or name == "role" for name, value in more.items())
            return text == _PROBE and plain and not choice.get("finish_reason")
    return False
