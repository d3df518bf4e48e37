"""Progress that a person can read, while a tool waits for a run: some clients give up on a silent server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

from mcp.server.context import ServerRequestContext

from moot.history.safe_text import one_line
from moot.kernel.clock import monotonic
from moot.kernel.engine import Engine
from moot.kernel.events import Event, ModelFailed
from moot.kernel.followers import Frame
from moot.kernel.mode import Mode
from moot.kernel.narration import seat_name

PING_SECONDS = 8.0
LONGEST = 300
SENTENCES = 3


class Messages:
    """What to say of a run's frames."""

    def __init__(self, mode: Mode[Any]) -> None:
        self._mode = mode
        self._story: list[Event] = []
        self._began = monotonic()
        self._stage = mode.entry.name

    def waiting(self) -> str:
        return f"{self._stage}: waiting for the models, {monotonic() - self._began:.0f} s so far"

    def of(self, frame: Frame) -> str | None:
        """One sentence, or None if the frame has nothing for a person."""
        narration = self._mode.narration
        if frame.number is None:
            return None
        event = self._mode.read_event(frame.number, frame.type, frame.body)
        self._story.append(event)
        if isinstance(event, ModelFailed):
            who = seat_name(event.data.seat, event.data.model)
            return one_line(f"{who} failed: {event.data.reason}", LONGEST)
        stage = narration.stage(frame.type) if narration is not None else None
        if stage is not None and frame.number > 1:
            self._stage = stage
            return f"{stage} …"
        passage = narration.tell(event, self._story) if narration is not None else None
        if passage is None:
            return None
        said = " ".join(passage.sentences[:SENTENCES])
        return one_line(f"{passage.heading}: {said}" if said else passage.heading, LONGEST)


async def watch(
    engine: Engine, run_id: str, mode: str, context: ServerRequestContext[Any, Any], seconds: float
) -> None:
    """Follow a run for so long, or to its end, and tell the client of it. It goes on whoever leaves."""
    messages = Messages(engine.modes[mode])
    number = 0
    try:
        async with (
            asyncio.timeout(seconds),
            aclosing(engine.follow(run_id, ping=PING_SECONDS)) as batches,  # type: ignore[type-var]
        ):
            async for batch in batches:
                said = [text for frame in batch if (text := messages.of(frame))]
                for text in said or [messages.waiting()]:
                    number += 1
                    await context.session.report_progress(number, message=text)
    except TimeoutError:
        return
