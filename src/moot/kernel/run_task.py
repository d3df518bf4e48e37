"""A run in the hands of this process, from the moment it is taken up to its end.

take up ─▶ pipeline ─▶ title ─▶ complete
              └────────────────▶ error        whatever goes wrong is turned into an event here
"""

from __future__ import annotations

import asyncio
import logging
from traceback import clear_frames
from typing import Any, Literal

from moot.kernel.errors import LeaseLost, NoAnswer, RunFailed, StoreUnavailable
from moot.kernel.events import Complete, Error, Event, TitleComplete, TitleData
from moot.kernel.log import RUNS, identify_person, run_id
from moot.kernel.mode import Mode
from moot.kernel.request import usual_timeout
from moot.kernel.run import Run
from moot.kernel.schema_step import put_in_schema
from moot.kernel.status import Status
from moot.kernel.title import first_title, make_title
from moot.settings import Settings
from moot.store import Ending

log = logging.getLogger(__name__)
runs_log = logging.getLogger(RUNS)

GRACE_SECONDS = 30.0
"""After the pipeline's time, calls fail at once; this much later it is stopped outright."""
MOST_LIVES = 20
"""A run that was taken up so often and never ended is broken in a way no further try will mend."""

Stop = Literal["cancelled", "shutdown", "broken", "refused"]
"""`broken`: the run is another process's; `refused`: the store will not have what the run wants to keep."""


class RunTask:
    """The task of one run. `stop` may come at any moment, even before the task has begun."""

    def __init__(self, run: Run[Any], mode: Mode[Any], settings: Settings) -> None:
        self.run = run
        self._mode = mode
        self._title_model = settings.title_model
        self._timeout_ms = settings.timeout_ms
        self._why: Stop | None = None
        self._begun = False
        self._limit: asyncio.Timeout | None = None
        self.task = asyncio.create_task(self._work(), name=f"run {run.id}")

    def stop(self, why: Stop) -> None:
        """The first reason stands; only a run that cannot be stored is stopped for that whatever else."""
        final = ("broken", "refused")
        if self.task.done() or self._why in final or (self._why is not None and why not in final):
            return
        self._why = why
        # A task that is cancelled before its first step never runs, and could not say how it ended.
        if self._begun:
            self.task.cancel()

    def fail(self, error: BaseException) -> None:
        """A write was refused: this process must not go on with the run."""
        if isinstance(error, LeaseLost | StoreUnavailable):
            self.stop("broken")
            return
        # To take it up again would be to pay again, and to fail again.
        log.error("run %s cannot be stored", self.run.id, exc_info=error)
        self.stop("refused")

    def pause(self, reason: str) -> None:
        """What the run has cannot be stored at the moment: nobody is asked until it is."""
        self.run.pause(reason)
        self._set_limit()

    def go_on(self) -> None:
        self.run.go_on()
        self._set_limit()

    async def _work(self) -> None:
        """Whatever ends the pipeline becomes the run's last event here, and nowhere else."""
        self._begun = True
        run_id.set(self.run.id)
        identify_person(self.run.record.user_id)
        runs_log.info(
            "run taken up", extra={"fields": {"mode": self._mode.id, "epoch": self.run.record.epoch}}
        )
        try:
            if self._why is not None:
                raise asyncio.CancelledError
            await self._deliberate()
        except (Exception, asyncio.CancelledError) as error:
            await self._end(error)
            empty_frames(error)
        await self.run.settled()

    async def _end(self, error: BaseException) -> None:
        match error:
            case NoAnswer():
                await self._error(error.failure.reason)
            case RunFailed():
                await self._error(str(error))
            case TimeoutError():
                await self._error("The deliberation took too long and was stopped.")
            case asyncio.CancelledError():
                if self._why == "cancelled":
                    await self._error("Cancelled.", "cancelled")
                elif self._why == "refused":
                    self._tell_last(*_internal_error(self.run.id))
            case LeaseLost():
                pass
            case _:
                log.error("run %s failed", self.run.id, exc_info=error)
                self._tell_last(*_internal_error(self.run.id))

    def _tell_last(self, event: Event, ending: Ending) -> None:
        self.run.tell_last(event, ending)
        fields = {"mode": self._mode.id, "status": ending.status, "duration_ms": self.run.active_ms}
        runs_log.info("run ended", extra={"fields": fields})

    async def _tell_limit(self) -> None:
        """A mode may allow its calls less time than the settings do: that is said, not done in silence."""
        allowed = usual_timeout(self._mode, self._timeout_ms)
        if self.run.config.timeout_ms == allowed < self._timeout_ms:
            wanted = f"{self._timeout_ms / 1000:g} s as in the settings"
            said = f"A call may take {allowed / 1000:g} s here, not {wanted}."
            await self.run.warn(said, "limit")

    async def _deliberate(self) -> None:
        run = self.run
        if run.record.epoch > MOST_LIVES:
            raise RunFailed(f"The run was taken up {MOST_LIVES} times and never finished.")
        await self._tell_limit()
        title = self._start_title()
        try:
            async with asyncio.timeout(None) as self._limit:
                self._set_limit()
                await self._mode.pipeline(run)
            if run.directions.answer_schema is not None:
                await put_in_schema(run, run.directions.answer_schema)
            if title is not None:
                await run.emit(TitleComplete(data=TitleData(title=await title)))
            self._complete()
        finally:
            self._limit = None
            if title is not None:
                title.cancel()
                await asyncio.wait([title])

    def _set_limit(self) -> None:
        """The hard stop, which no pause brings nearer."""
        if self._limit is None or self._limit.expired():
            return
        seconds = float("inf") if self.run.paused else self.run.seconds_left + GRACE_SECONDS
        now = asyncio.get_running_loop().time()
        self._limit.reschedule(None if seconds == float("inf") else now + seconds)

    def _start_title(self) -> asyncio.Task[str] | None:
        run, mode = self.run, self._mode
        if not run.record.new_conversation:
            return None
        model = self._title_model or mode.title_model(run.config)
        return asyncio.create_task(make_title(run, model, mode.title_text(run.config, run.question)))

    def _complete(self) -> None:
        story = self.run.events
        title = next((event.data.title for event in story if isinstance(event, TitleComplete)), None)
        status: Status = "degraded" if self.run.degraded else "complete"
        ending = Ending(
            status=status,
            content=self._mode.answer(story) or "",
            title=title,
            instead_of=first_title(self._mode, self.run.config, self.run.question),
        )
        self._tell_last(Complete(), ending)

    async def _error(self, message: str, status: Status = "failed") -> None:
        story = self.run.events
        kept = self._mode.is_viable(story)
        for event in self._mode.closing_events(self.run, status) if kept else ():
            await self.run.emit(event)
        content = (self._mode.answer(story) or "") if kept else ""
        self._tell_last(
            Error(message=message), Ending(status=status, content=content, error=message, erase=not kept)
        )


def _internal_error(run_id: str) -> tuple[Error, Ending]:
    message = f"Internal error (run {run_id})."
    return Error(message=message), Ending(status="failed", error=message)


def empty_frames(error: BaseException | None) -> None:
    """Let go of what the functions held that an exception came through. asyncio's groups hold the exception
    itself, which holds them: with them the whole run would stay in memory."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__context__
