"""Engine: starts, resumes, cancels, retries and follows runs. All doors open onto it.

    POST ─▶ start ─▶ begin (conversation, messages, run, opening event: one transaction)
                  └▶ a task of this process: pipeline ─▶ title ─▶ complete
    GET  ─▶ follow ─▶ the story so far, then the live edge

A run belongs to the process that holds its lease, not to a request: who leaves does not stop it.
This is the only place that creates long-lived tasks and that turns exceptions into events.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, Literal, Self

import orjson

from moot.asking import Ask, find_mode, read_config
from moot.budget import Budget
from moot.clock import now_ms
from moot.errors import Conflict, LeaseLost, NoAnswer, NotFound, Rejected, RunFailed
from moot.events import Complete, Error, Event, TitleComplete, TitleData
from moot.keeper import Keeper
from moot.live import Frame, Live, call_complete
from moot.mode import Mode, Panel, models_of
from moot.modes import MODES
from moot.owner import this_process
from moot.run import Run
from moot.settings import Settings
from moot.store import Ending, Journal, Opening, RunRecord, Status, Store, Told, conversations, runs
from moot.title import make_title, trimmed
from moot.transport import Transport

log = logging.getLogger(__name__)

GRACE_SECONDS = 30.0
"""After the pipeline's time, calls fail at once; this much later it is stopped outright."""
POLL_SECONDS = 0.2
"""How often the story of a run in another process is read."""

Stop = Literal["cancelled", "shutdown", "broken"]


class Engine:
    def __init__(
        self,
        store: Store,
        transport: Transport,
        panel: Panel,
        settings: Settings,
        *,
        modes: Mapping[str, Mode[Any]] = MODES,
        strict: bool = False,
    ) -> None:
        self.store = store
        self.panel = panel
        self.modes = modes
        self.settings = settings
        self._transport = transport
        self._strict = strict
        self._owner = this_process()
        self._lease_ms = int(settings.lease_seconds * 1000)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._runs: dict[str, Run[Any]] = {}
        self._stops: dict[str, Stop] = {}
        self._keeper = Keeper(self)
        self._keeping: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.store.open()
        self._keeping = asyncio.create_task(self._keeper.keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop working; tell nothing, lose nothing: the next process takes the runs up."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
        for run_id in list(self._tasks):
            self._stop(run_id, "shutdown")
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()))
        await self._keeper.release()
        await self.store.close()

    @property
    def owner(self) -> str:
        return self._owner

    @property
    def running(self) -> Mapping[str, Run[Any]]:
        """The runs this process works on."""
        return self._runs

    async def start(self, ask: Ask, *, user: str = "local", key: str | None = None) -> RunRecord:
        """Check the request, store it as a run with its opening event, and set to work.

        The same key again gives the run that it named. Raises Rejected.
        """
        mode_id = ask.mode or self.settings.default_mode
        mode = find_mode(mode_id, self.modes)
        given = ask.given_config(mode_id)
        if len(ask.question) > self.settings.max_question_chars:
            limit = self.settings.max_question_chars
            raise Rejected(f"The question has {len(ask.question)} characters, the limit is {limit}")
        history: list[dict[str, str]] = []
        if ask.conversation_id is not None:
            earlier, history = await self._follow_up(ask.conversation_id, user, mode)
            given = earlier if given is None else given
        config = read_config(
            mode, {"timeoutMs": self.settings.timeout_ms, **(given or {})}, self.panel, ask.question
        )
        record = self._record(
            mode, user, ask.question, config.model_dump_json().encode(), orjson.dumps(history)
        )
        if ask.conversation_id is not None:
            record = replace(record, conversation_id=ask.conversation_id, new_conversation=False)
        digest = sha256(orjson.dumps(ask.model_dump(), option=orjson.OPT_SORT_KEYS)).hexdigest()
        return await self._begin(record, mode, key, digest)

    async def retry(self, run_id: str, *, user: str = "local") -> RunRecord:
        """A new run over the same question that pays only for what is missing."""
        old = await self.run(run_id, user)
        if old.status not in ("failed", "cancelled", "degraded"):
            raise Conflict(
                f"The run is {old.status}: only a failed, cancelled or degraded run can be retried"
            )
        mode = find_mode(old.mode, self.modes)
        record = replace(
            old,
            id=uuid.uuid4().hex,
            retry_of=old.id,
            started_at=now_ms(),
            owner=self._owner,
            lease_until=now_ms() + self._lease_ms,
        )
        return await self._begin(record, mode)

    async def run(self, run_id: str, user: str = "local") -> RunRecord:
        record = await self.store.read(lambda db: runs.run(db, run_id, user_id=user))
        if record is None:
            raise NotFound(f"There is no run {run_id}")
        return record

    async def story(self, record: RunRecord) -> list[Event]:
        """All events of a run as objects."""
        told = await self.store.read(lambda db: runs.events_after(db, record.id, 0))
        mode = find_mode(record.mode, self.modes)
        return [mode.read_event(number, event.type, event.body) for number, event in told]

    async def cancel(self, run_id: str, *, user: str = "local") -> None:
        """Stop a run for good, wherever it is worked on."""
        record = await self.run(run_id, user)
        if record.status != "running":
            raise Conflict(f"The run is {record.status} and cannot be cancelled")
        if run_id not in self._tasks:
            await self.store.change(lambda db: runs.request_cancel(db, run_id))
            await self._keeper.adopt(run_id)
        if run_id in self._tasks:
            self._stop(run_id, "cancelled")
            await asyncio.wait([self._tasks[run_id]])

    async def follow(
        self, run_id: str, *, after: int = 0, tokens: bool = False, ping: float | None = None
    ) -> AsyncIterator[list[Frame]]:
        """The story after event number `after`, in batches, to its end. An empty batch is a ping: nothing
        happened for so many seconds."""
        quiet = 0.0
        while True:
            run = self._runs.get(run_id)
            if run is not None:
                async for batch in self._follow_here(run, after, tokens, ping):
                    yield batch
                    after = max([after, *(frame.number or 0 for frame in batch)])
                if run.live.ended:
                    return
                continue
            frames, running = await self._stored(run_id, after, tokens)
            if frames:
                yield frames
                after = max(frame.number or 0 for frame in frames)
            if not running:
                return
            await asyncio.sleep(POLL_SECONDS)
            quiet = 0.0 if frames else quiet + POLL_SECONDS
            if ping is not None and quiet >= ping:
                quiet = 0.0
                yield []

    async def finished(self, run_id: str) -> RunRecord:
        """Wait for a run's end, wherever it is worked on."""
        async for _ in self.follow(run_id):
            pass
        record = await self.store.read(lambda db: runs.run(db, run_id))
        assert record is not None
        return record

    def take_up(self, record: RunRecord, journal: Journal) -> None:
        """Work on a run whose lease this process holds: fresh or found, it is the same."""
        mode = self.modes[record.mode]
        live = Live(Frame.of(number, told) for number, told in journal.events)
        run = Run(
            record,
            mode,
            transport=self._transport,
            store=self.store,
            journal=journal,
            live=live,
            budget=Budget(self.settings.max_calls, self.settings.max_tokens, self.settings.max_dollars),
            lease_ms=self._lease_ms,
            broken=lambda error: self._break(record.id, error),
            strict=self._strict,
        )
        self._runs[record.id] = run
        task = asyncio.create_task(self._work(run, mode), name=f"run {record.id}")
        self._tasks[record.id] = task
        task.add_done_callback(lambda _: self._drop(record.id))

    def lost(self, run_id: str) -> None:
        """Another process has taken this run over."""
        self._stop(run_id, "broken")

    def stop_cancelled(self, run_id: str) -> None:
        """Another process asked for this run to be cancelled."""
        self._stop(run_id, "cancelled")

    async def _follow_up(
        self, conversation_id: str, user: str, mode: Mode[Any]
    ) -> tuple[dict[str, Any] | None, list[dict[str, str]]]:
        """The config of the conversation's last run, and its last turns as messages."""
        found = await self.store.read(
            lambda db: (
                conversations.conversation(db, user, conversation_id),
                runs.last_config(db, conversation_id),
                conversations.history(db, conversation_id),
            )
        )
        conversation, config, turns = found
        if conversation is None:
            raise NotFound(f"There is no conversation {conversation_id}")
        if conversation.mode != mode.id:
            raise Rejected(f"The conversation is of the mode {conversation.mode}, not {mode.id}")
        if not mode.entry.supports_multi_turn:
            raise Rejected(f"{mode.entry.name} takes no follow-up questions: start a new conversation")
        history = [
            {"role": role, "content": content}
            for question, answer in turns
            for role, content in (("user", question), ("assistant", answer))
        ]
        return orjson.loads(config) if config else None, history

    def _record(self, mode: Mode[Any], user: str, question: str, config: bytes, history: bytes) -> RunRecord:
        return RunRecord(
            id=uuid.uuid4().hex,
            user_id=user,
            conversation_id=uuid.uuid4().hex,
            user_message_id=uuid.uuid4().hex,
            message_id=uuid.uuid4().hex,
            mode=mode.id,
            question=question,
            config=config,
            history=history,
            seed=secrets.token_hex(16),
            status="running",
            error=None,
            retry_of=None,
            new_conversation=True,
            started_at=now_ms(),
            finished_at=None,
            active_ms=0,
            owner=self._owner,
            lease_until=now_ms() + self._lease_ms,
            epoch=1,
            cancel_requested=False,
        )

    async def _begin(
        self, record: RunRecord, mode: Mode[Any], key: str | None = None, digest: str | None = None
    ) -> RunRecord:
        record = replace(
            record,
            status="running",
            error=None,
            finished_at=None,
            active_ms=0,
            epoch=1,
            cancel_requested=False,
        )
        config = mode.config.model_validate_json(record.config)
        opening = mode.opening(
            conversation_id=record.conversation_id,
            message_id=record.message_id,
            mode=mode.id,
            run_id=record.id,
            retry_of=record.retry_of,
            simulated=any(model.startswith("sim/") for model in models_of(config)) or None,
            **mode.opening_extras(config),
        )
        told = Told(opening.type, opening.type, 0, opening.model_dump_json().encode())
        begun = await self.store.begin(
            Opening(
                run_id=record.id,
                user_id=record.user_id,
                conversation_id=record.conversation_id,
                user_message_id=record.user_message_id,
                message_id=record.message_id,
                mode=record.mode,
                question=record.question,
                config=record.config,
                history=record.history,
                seed=record.seed,
                started_at=record.started_at,
                owner=self._owner,
                lease_until=record.lease_until,
                told=told,
                title=trimmed(
                    mode.title_text(mode.config.model_validate_json(record.config), record.question)
                ),
                new_conversation=record.new_conversation,
                retry_of=record.retry_of,
                idempotency_key=key,
                request_digest=digest,
            )
        )
        if not begun.is_new:
            return await self.run(begun.run_id, record.user_id)
        journal = Journal(events=[(1, told)])
        if record.retry_of is not None:
            journal = await self.store.read(lambda db: runs.recall(db, record.id))
        self.take_up(record, journal)
        return record

    async def _work(self, run: Run[Any], mode: Mode[Any]) -> None:
        """The life of a run in this process; whatever ends it ends here."""
        title = self._start_title(run, mode)
        try:
            seconds = run.seconds_left + GRACE_SECONDS
            async with asyncio.timeout(None if seconds == float("inf") else seconds):
                await mode.pipeline(run)
            if title is not None:
                await run.emit(TitleComplete(data=TitleData(title=await title)))
            status: Status = "degraded" if run.degraded else "complete"
            self._end(run, mode, Complete(), status)
        except (RunFailed, NoAnswer) as failure:
            reason = failure.failure.reason if isinstance(failure, NoAnswer) else str(failure)
            self._end(run, mode, Error(message=reason), "failed")
        except TimeoutError:
            self._end(run, mode, Error(message="The deliberation took too long and was stopped."), "failed")
        except asyncio.CancelledError:
            if self._stops.get(run.id) != "cancelled":
                return
            self._end(run, mode, Error(message="Cancelled."), "cancelled")
        except LeaseLost:
            return
        except Exception:
            log.exception("run %s failed", run.id)
            self._end(run, mode, Error(message=f"Internal error (run {run.id})."), "failed")
        finally:
            if title is not None:
                title.cancel()
                await asyncio.wait([title])
        await run.settled()

    def _start_title(self, run: Run[Any], mode: Mode[Any]) -> asyncio.Task[str] | None:
        if not run.record.new_conversation:
            return None
        model = self.settings.title_model or mode.title_model(run.config)
        return asyncio.create_task(make_title(run, model, mode.title_text(run.config, run.question)))

    def _end(self, run: Run[Any], mode: Mode[Any], event: Event, status: Status) -> None:
        story = run.events
        title = next((told.data.title for told in story if isinstance(told, TitleComplete)), None)
        failed = isinstance(event, Error)
        viable = any(isinstance(told, mode.viable_after) for told in story)
        ending = Ending(
            status=status,
            content=mode.answer(story) or "",
            error=event.message if isinstance(event, Error) else None,
            title=title,
            erase=failed and not viable,
        )
        run.tell_last(event, ending)

    def _stop(self, run_id: str, why: Stop) -> None:
        task = self._tasks.get(run_id)
        if task is not None and not task.done() and self._stops.get(run_id) != "broken":
            self._stops[run_id] = why
            task.cancel()

    def _break(self, run_id: str, error: BaseException) -> None:
        """A write was refused or failed: this process must not go on with the run."""
        if not isinstance(error, LeaseLost):
            log.error("run %s could not be stored, it will be taken up again: %s", run_id, error)
        self._stop(run_id, "broken")

    def _drop(self, run_id: str) -> None:
        self._tasks.pop(run_id, None)
        run = self._runs.pop(run_id, None)
        self._stops.pop(run_id, None)
        if run is not None:
            run.live.close()

    async def _follow_here(
        self, run: Run[Any], after: int, tokens: bool, ping: float | None
    ) -> AsyncIterator[list[Frame]]:
        follower = run.live.follow(after, tokens, run.now())
        try:
            async for batch in follower.batches(ping):
                yield batch
        finally:
            run.live.leave(follower)

    async def _stored(self, run_id: str, after: int, tokens: bool) -> tuple[list[Frame], bool]:
        """The frames after `after`, and whether the run is still going on."""

        def read(db: Any) -> tuple[RunRecord | None, list[tuple[int, Told]], list[Any]]:
            calls = runs.calls_of(db, run_id) if tokens else []
            return runs.run(db, run_id), runs.events_after(db, run_id, after), calls

        record, told, calls = await self.store.read(read)
        frames = [Frame.of(number, event) for number, event in told]
        if frames and calls and record is not None:
            hidden = self.modes[record.mode].anonymous_until is not None
            first = frames[0].at if after else 0
            made = [call_complete(call, anonymous=hidden) for call in calls if call.ended_ms >= first]
            # A stable sort by time puts a call before the event that tells of it, the opening first.
            frames = sorted([*made, *frames], key=lambda frame: (frame.at, frame.number != 1))
        return frames, record is not None and record.status == "running"
