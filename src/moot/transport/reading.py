"""A reply being read: bytes in, as they arrive, chunks out. Knows a dialect's frame, not the network.

feed(b'data: {"choices":[{"delta":{"content":"Ta')      → None
feed(b'bs."}}]}\\n\\n')                                    → Chunk(text="Tabs.")
feed(b'data: [DONE]\\n\\n')                               → None, and `done`
end()                                                   → Chunk(usage=…, finish_reason="stop")
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

import orjson

from moot.kernel.values import Usage, is_withheld
from moot.settings.providers import Provider
from moot.transport import Chunk
from moot.transport.failures import broken_off, unreadable, withheld
from moot.transport.provider_message import words_in
from moot.transport.sse_lines import Lines
from moot.transport.text_events import TextEvents
from moot.transport.think_tags import Thoughts

_BLANK = b"\xef\xbb\xbf \t\r\n"
_FIELDS = (b":", b"event", b"id", b"retry")
_DONE = b"data: [DONE]\n\n"


class Reading(ABC):
    """What both dialects share. A dialect says what an event (`take`) and a whole document (`take_whole`)
    mean; everything that arrived in one read becomes one chunk."""

    def __init__(self, provider: Provider, model: str) -> None:
        self.provider = provider
        self.model = model
        self.done = False
        self.usage: Usage | None = None
        self.cached_tokens = 0
        self.cost: float | None = None
        self.finish_reason: str | None = None
        self.refusal = ""
        self._lines = Lines()
        self._begun = False
        self._document: list[bytes] | None = None
        self._partial: list[bytes] = []
        self._stray = b""
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._has_text = False
        self._half_sign = ""
        self._thoughts = Thoughts()
        self._shared: TextEvents | None = None
        self._parsed = 0
        self._look_at = 2

    @abstractmethod
    def take(self, event: Any) -> None:
        """Read one event of the stream."""

    @abstractmethod
    def take_whole(self, document: Any) -> None:
        """Read a completion that came as one JSON document."""

    def add(self, text: str) -> None:
        self._text.append(text)

    def add_reasoning(self, text: str) -> None:
        self._reasoning.append(text)

    def feed(self, data: bytes) -> Chunk | None:
        if not self._begun:
            data = data.lstrip(_BLANK)
            if not data:
                return None
            self._begun = True
            # Whatever the header says: a stream begins with a field's name, a document with a bracket.
            if data[:1] in (b"{", b"[", b"<"):
                self._document = []
        if self._document is not None:
            self._document.append(data)
            return None
        if not self._read_whole(data):
            self._read(self._lines.feed(data))
        return self._arrived()

    def end(self) -> Chunk:
        """The last chunk, when no more bytes come. Raises if what came is not an answer."""
        if self._document is not None:
            self._read_document(b"".join(self._document))
        self._read(self._lines.end())
        self._event_over()
        arrived = self._arrived(final=True) or Chunk()
        if not self.done and self.finish_reason is None:
            if self._stray:
                stray = self._stray.decode("utf-8", "replace")
                raise unreadable(self.provider, self.model, "no completion", stray)
            raise broken_off(self.provider, self.model, "the stream ended without a finish reason")
        if not self._has_text and (self.refusal or is_withheld(self.finish_reason)):
            raise withheld(self.provider, self.model, self.finish_reason or "refusal", self.refusal)
        return arrived._replace(usage=self.usage, cost=self.cost, finish_reason=self.finish_reason)

    def _read_whole(self, data: bytes) -> bool:
        """The usual read: nothing but whole events, each one line of JSON. What is only text is cut out, the
        rest parsed as one list; whatever looks different is read line by line."""
        events = data.removesuffix(_DONE)
        if self._partial or self._lines.is_within_line or not events.startswith(b"data: {"):
            return False
        if not events.endswith(b"}\n\n") or b"\r" in events:
            return False
        before, text, after = self._cut(events) or (events, "", b"")
        found = _listed(before), _listed(after)
        if found[0] is None or found[1] is None:
            return False
        for event in found[0]:
            self._take(event, None)
        if text:
            self.add(text)
        for event in found[1]:
            self._take(event, None)
        self.done = self.done or len(events) < len(data)
        return True

    def _cut(self, events: bytes) -> tuple[bytes, str, bytes] | None:
        """See `text_events.py`. What the events share is looked for again after four times as many."""
        cut = None if self._shared is None else self._shared.cut(events)
        if cut is not None:
            return cut
        self._parsed += events.count(b"\n\n")
        if self._parsed < self._look_at:
            return None
        self._look_at = 4 * self._parsed
        second = events.find(b"\n\n") + 2  # the first of a reply says who speaks
        start = second if second < len(events) else 0
        self._shared = TextEvents.like(events[start : events.index(b"\n\n", start) + 2])
        return None if self._shared is None else self._shared.cut(events)

    def _read(self, lines: list[bytes]) -> None:
        for line in lines:
            if line.startswith(b"data:"):
                self._read_event(line[5:].strip())
            elif not line.strip():
                self._event_over()
            elif not self._stray and not line.startswith(_FIELDS):
                self._stray = line[:2000]

    def _read_event(self, payload: bytes) -> None:
        if self._partial:
            self._partial.append(payload)
            return
        try:
            event = orjson.loads(payload)
        except orjson.JSONDecodeError:
            event = self._forgiving(payload)
            if event is None:
                return
        self._take(event, payload)

    def _take(self, event: Any, payload: bytes | None) -> None:
        try:
            self.take(event)
        except (AttributeError, IndexError, KeyError, TypeError):
            words = (orjson.dumps(event) if payload is None else payload).decode("utf-8", "replace")
            raise unreadable(self.provider, self.model, "an event that is not a completion", words) from None

    def _forgiving(self, payload: bytes) -> Any:
        """What orjson rightly refuses and servers send nevertheless: NaN, half an emoji, broken UTF-8.
        None if the event is no JSON, or goes on in the next line."""
        if payload in (b"", b"[DONE]"):
            self.done = self.done or bool(payload)
            return None
        try:
            return json.loads(payload.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            self._partial.append(payload)
            return None

    def _event_over(self) -> None:
        """A blank line ends an event; only here is one of several lines put together."""
        if not self._partial:
            return
        payload = b"\n".join(self._partial)
        self._partial.clear()
        text = payload.decode("utf-8", "replace")
        try:
            event = json.loads(text)
        except (ValueError, RecursionError):
            raise unreadable(self.provider, self.model, "an event that is not JSON", text) from None
        self._take(event, payload)

    def _read_document(self, body: bytes) -> None:
        text = body.decode("utf-8", "replace")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            # Cut in the middle of a word, it may be whole the next time; a web page will not.
            if text.startswith("{"):
                raise broken_off(self.provider, self.model, "the JSON is not complete") from None
            raise unreadable(self.provider, self.model, "no JSON", words_in(body)) from None
        try:
            self.take_whole(document)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise unreadable(self.provider, self.model, "no completion", text) from None
        self.done = True

    def _arrived(self, *, final: bool = False) -> Chunk | None:
        if not self._text and not self._reasoning and not final:
            return None
        text, reasoning = "".join(self._text), "".join(self._reasoning)
        self._text.clear()
        self._reasoning.clear()
        if self._half_sign or not (text.isascii() or _encodable(text)):
            text = self._whole_signs(text, final)
        if not (reasoning.isascii() or _encodable(reasoning)):
            reasoning = _mended(reasoning)
        if not self._thoughts.over:
            text, reasoning = self._apart(text, reasoning, final)
        self._has_text = self._has_text or bool(text and not text.isspace())
        return Chunk(text=text, reasoning=reasoning) if text or reasoning else None

    def _apart(self, text: str, reasoning: str, final: bool) -> tuple[str, str]:
        answer, thoughts = self._thoughts.part(text)
        reasoning += thoughts
        if final and not self._thoughts.over:
            rest = self._thoughts.rest()
            return answer + rest.answer, reasoning + rest.reasoning
        return answer, reasoning

    def _whole_signs(self, text: str, final: bool) -> str:
        """Emoji cut in two surrogates are joined, also across reads; a half without its other is replaced."""
        text, self._half_sign = self._half_sign + text, ""
        if "\ud800" <= text[-1:] <= "\udbff" and not final:
            text, self._half_sign = text[:-1], text[-1]
        return _mended(text)


def _listed(events: bytes) -> list[Any] | None:
    """Whole events, each one line of JSON, parsed as one list; None if they are something else."""
    if not events:
        return []
    try:
        found: list[Any] = orjson.loads(b"[%b]" % events[6:-2].replace(b"\n\ndata: ", b","))
    except orjson.JSONDecodeError:
        return None
    return found if len(found) == events.count(b"\n\ndata: ") + 1 else None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mended(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokens(value: Any) -> int | None:
    """A count of tokens one can believe; None for what is missing, negative, huge or no number."""
    return int(value) if _believable(value, 1e9) else None


def dollars(value: Any) -> float | None:
    return float(value) if _believable(value, 1e5) else None


def _believable(value: Any, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
