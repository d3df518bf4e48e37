"""A run as one Markdown text that grows, a headed block for each stage: for clients that show no more.

    ### Votes

    - 1. openai/o3 voted for google/gemini-2.5-pro.
    - google/gemini-2.5-pro: 2 votes

First the mode's own narration of an event, then in full what models wrote. It is read off the events, so that
a stored run reads as it did live, block for block. The last block waits for what follows it: the answer is
not told twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from moot.history.safe_text import one_line, safe_text
from moot.kernel.events import Event, ModelFailed, WarningEvent
from moot.kernel.followers import Frame
from moot.kernel.mode import Mode
from moot.kernel.narration import Passage, seat_name
from moot.kernel.run import Run

LONGEST_LINE = 1000
SHORT = 60
"""A text up to this long, on one line, is a value: the narration tells it."""
NO_TEXTS = frozenset({"conversationId", "messageId", "runId", "mode", "labelToSeat", "warnings", "rawText"})
"""Fields with texts that stand elsewhere: in the head of a run, above its answer, or beside what was read out
of them."""
ENDINGS = frozenset({"complete", "error", "schema_complete", "title_complete"})
REPLY = "response"
"""A reply is told however short it is."""
_HOLDERS = (dict, list, str)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=\d)")


class Text(NamedTuple):
    """Something a model wrote: who, as what."""

    title: str
    text: str


class StoryText:
    """`take` every frame of a run in order, then `finish` with its answer. `run`: the run itself, where this
    process works on it; its events need not be read again."""

    def __init__(self, mode: Mode[Any], run: Run[Any] | None = None) -> None:
        self._mode = mode
        self._run = run
        self._story: list[Event] = []
        self._head = ""
        self._pending: tuple[Passage, list[Text]] | None = None

    def take(self, frame: Frame) -> str:
        """What can be told now; often nothing. Frames that are not stored are passed over."""
        if frame.number is None or frame.type in ENDINGS:
            return ""
        event = self._run.event(frame.number) if self._run is not None else None
        if event is None:
            event = self._mode.read_event(frame.number, frame.type, frame.body)
        self._story.append(event)
        return self._flush() + self._told(event, frame)

    def finish(self, answer: str | None) -> str:
        """The rest, without the answer itself."""
        return self._flush(answer)

    def _told(self, event: Event, frame: Frame) -> str:
        match event:
            case ModelFailed(data=failure):
                who_failed = seat_name(failure.seat, failure.model)
                said = f"{who_failed} failed in {failure.step}: {failure.reason}"
                return f"- ✗ {one_line(said, LONGEST_LINE)}\n\n"
            case WarningEvent(data=warning):
                return f"- ! {one_line(warning.message, LONGEST_LINE)}\n\n"
        if frame.type.endswith("_start"):
            return self._headed(self._stage(frame))
        narration = self._mode.narration
        passage = narration.tell(event, self._story) if narration is not None else None
        texts = list(_texts(orjson.loads(frame.body), "", {}))
        if passage is not None or texts:
            self._pending = (passage or Passage(self._head), texts)
        return ""

    def _stage(self, frame: Frame) -> str:
        if frame.type == f"{self._mode.id}_start" and frame.number == 1:
            return ""
        narration = self._mode.narration
        return (narration.stage(frame.type) or "") if narration is not None else ""

    def _flush(self, answer: str | None = None) -> str:
        if self._pending is None:
            return ""
        (passage, texts), self._pending = self._pending, None
        known = (answer or "").strip()
        body = [*_lines(passage), *(_block(text) for text in texts if text.text.strip() != known)]
        return self._headed(passage.heading) + "".join(f"{part}\n\n" for part in body)

    def _headed(self, head: str) -> str:
        head = one_line(head, LONGEST_LINE)
        if not head or head == self._head:
            return ""
        self._head = head
        return f"### {head}\n\n"


def _lines(passage: Passage) -> Iterator[str]:
    lines = [*passage.sentences, *(f"{bar.name}: {bar.text}" for bar in passage.bars)]
    if lines:
        yield "\n".join(f"- {one_line(line, LONGEST_LINE)}" for line in lines)
    if passage.drawing:
        yield "\n".join(["```", *(safe_text(line) for line in passage.drawing), "```"])


def _block(text: Text) -> str:
    said = safe_text(text.text).strip()
    return f"**{text.title}**\n\n{said}" if text.title else said


def _texts(value: Any, name: str, owner: Mapping[str, Any]) -> Iterator[Text]:
    if isinstance(value, dict):
        for key, inner in value.items():
            # Few values are texts or hold any: the others are not looked into.
            if key not in NO_TEXTS and isinstance(inner, _HOLDERS):
                yield from _texts(inner, key, value)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name, inner if isinstance(inner, dict) else owner)
    elif isinstance(value, str) and (name == REPLY or len(value) > SHORT or "\n" in value.strip()):
        named = "" if name == REPLY else _words(name)
        yield Text(" – ".join(part for part in (_writer(owner), named) if part), value)


def _writer(owner: Mapping[str, Any]) -> str:
    seat, model = owner.get("seat"), owner.get("model")
    return "" if seat is None and model is None else one_line(seat_name(seat, model), LONGEST_LINE)


def _words(name: str) -> str:
    """A wire name as people say it: `averageRank` is "average rank"."""
    return _HUMP.sub(" ", name).replace("_", " ").lower()


def story_text(mode: Mode[Any], frames: Iterable[Frame], answer: str | None) -> str:
    """The whole story of a run that has ended."""
    text = StoryText(mode)
    return "".join([*map(text.take, frames), text.finish(answer)]).strip()
