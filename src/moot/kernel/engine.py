"""Engine: starts, resumes, cancels, retries and follows runs. All doors open onto it.

    POST ─▶ start ─▶ begin (conversation, messages, run, opening event: one transaction)
                  └▶ a task of this process: pipeline ─▶ title ─▶ complete
    GET  ─▶ follow ─▶ the story so far, then the live edge

A run belongs to the process that holds its lease, not to a request: who leaves does not stop it.
The work itself is `run_task.py`, following it `followers.py`; what other processes leave behind is taken up
by `leases.py`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

import orjson

from moot.kernel.allowance import Allowance, reserved
from moot.kernel.budget import Budget
from moot.kernel.call_estimate import RunEstimate, estimated
from moot.kernel.clock import now_ms
from moot.kernel.directions import NO_DIRECTIONS, Directions
from moot.kernel.elsewhere import Elsewhere
from moot.kernel.errors import Conflict, LimitReached, NotFound, Rejected
from moot.kernel.events import Event
from moot.kernel.followers import Batch, Followers, Frame, follow, follow_here, replay
from moot.kernel.key_book import KeyBook
from moot.kernel.leases import LeaseKeeper
from moot.kernel.limit_book import LimitBook
from moot.kernel.limits import ROUNDING
from moot.kernel.lookout import Lookout
from moot.kernel.meter import Meter
from moot.kernel.mode import Mode, ModeConfig, Panel, models_of
from moot.kernel.pages import EventPages
from moot.kernel.process_id import new_owner
from moot.kernel.request import AskRequest, find_mode, read_config, require_follow_ups
from moot.kernel.retriever import Retriever
from moot.kernel.run import Run
from moot.kernel.run_task import RunTask
from moot.kernel.schema_step import planned_after
from moot.kernel.title import first_title
from moot.kernel.tracer import Tracer
from moot.kernel.user import LOCAL_USER
from moot.kernel.values import is_simulated, json_bytes
from moot.kernel.webhook_book import WebhookBook
from moot.settings import Settings
from moot.settings.providers import Provider
from moot.store import DATABASE_ERRORS, Journal, NewRun, RunRecord, Store, StoredEvent, conversations, runs
from moot.store.queue import BATCH, PEOPLE
from moot.store.runs import Sight
from moot.transport import Transport
from moot.transport.by_prefix import ByPrefix

if TYPE_CHECKING:
    from moot.transport.catalogue import Catalogue, ModelInfo

TURNS_AHEAD = 2
"""How often the event loop goes round before a start is answered: the first calls leave before that."""
OPENING_SECONDS = 5.0
"""How long it is remembered with which event a run began that somebody else is to work on."""
CLOSING_SECONDS = 2.0
"""How long to wait for the end of runs that wait for the database."""


class Engine:
    def __init__(
        self,
        store: Store,
        transport: Transport,
        panel: Panel,
        settings: Settings,
        *,
        modes: Mapping[str, Mode[Any]],
        retriever: Retriever | None = None,
        catalogue: Catalogue | None = None,
        draw_panel: Callable[[Mapping[str, Provider]], Awaitable[Panel]] | None = None,
        adopts: bool = True,
        deliberates: bool = True,
        strict: bool = False,
    ) -> None:
        """`draw_panel`: the models from which defaults are drawn for somebody who has these providers, if not
        `panel`. `adopts`: also work on what others left or what waits. `deliberates`: work on runs that
        begin here; else they wait for another process."""
        self.store = store
        self.panel = panel
        self.modes = modes
        self.settings = settings
        self.retriever = retriever
        self.pages = EventPages(store)
        self.lookout = Lookout(self)
        self.catalogue = catalogue
        self.limits = LimitBook(store, settings)
        self.keys = KeyBook(store, settings)
        self._draw_panel = draw_panel
        self.webhooks = WebhookBook(store, settings)
        self._transport = transport
        self._strict = strict
        self._owner = new_owner()
        self._lease_ms = int(settings.lease_seconds * 1000)
        self._working: dict[str, RunTask] = {}
        self._beginning: set[asyncio.Task[RunRecord]] = set()
        self._openings: dict[str, StoredEvent] = {}
        self._closing = False
        self._draining = False
        self._look = asyncio.Event()
        self._unstorable: str | None = None
        self.elsewhere: Elsewhere | None = None
        self.meter: Meter | None = None
        self.tracer: Tracer | None = None
        self._deliberates = deliberates
        self._keeper = LeaseKeeper(self, adopts)
        self._keeping: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self.store.open()
        self.store.availability.watch(self._storage_changed)
        self._keeping = [asyncio.create_task(work) for work in self._keeper.work()]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop working; tell nothing, lose nothing: the next process takes the runs up."""
        self._closing = True
        await self.lookout.close()
        for keeping in self._keeping:
            keeping.cancel()
            await asyncio.wait([keeping])
        if self._beginning:
            await asyncio.wait(self._beginning)
        for work in self._working.values():
            work.stop("shutdown")
        works = [work.task for work in self._working.values()]
        await self._ended(works)
        try:
            await self._keeper.release()
        finally:
            await self.store.close()
        if works:  # those that waited for a database that could not be written have an end now
            await asyncio.wait(works)

    async def drain(self, seconds: float) -> None:
        """Let calls that are under way come to their end and be stored, and begin no other, for so long at
        most: whoever takes the runs up repeats nothing."""
        self._draining = True
        parked = [asyncio.create_task(work.run.park()) for work in self._working.values()]
        if parked:
            _, late = await asyncio.wait(parked, timeout=seconds)
            for parking in late:
                parking.cancel()

    @property
    def transport(self) -> Transport:
        """The way to every model that the settings name."""
        return self._transport

    def transport_of(self, user: str) -> Transport:
        """The way to every model, with the keys that this person may use."""
        if not isinstance(self._transport, ByPrefix):
            return self._transport
        return self._transport.with_providers(partial(self.keys.of, user), partial(self.keys.kept, user))

    async def panel_of(self, user: str) -> Panel:
        """The models from which this person's defaults are drawn."""
        if self._draw_panel is None:
            return self.panel
        providers = await self.keys.of(user)
        if providers is self.keys.standing:
            return self.panel
        return await self._draw_panel(providers)

    async def _context_of(self, user: str, model: str) -> int | None:
        assert self.catalogue is not None
        return await self.catalogue.context_of(model, await self.keys.of(user))

    async def _read_keys(self, user: str) -> None:
        """Before a run begins: they may have saved a key a moment ago, at another server."""
        if isinstance(self._transport, ByPrefix):
            await self.keys.refresh(user)

    @property
    def owner(self) -> str:
        return self._owner

    @property
    def closing(self) -> bool:
        """Whether it works on nothing any more."""
        return self._closing

    def reaches(self, sight: Sight) -> bool:
        """Whether a run is worked on by another process that can be followed there."""
        if self.elsewhere is None or sight.address is None or sight.owner == self._owner:
            return False
        return self.elsewhere.reaches(sight.address)

    def run_task(self, run_id: str) -> RunTask | None:
        """The work on a run, if this engine does it."""
        return self._working.get(run_id)

    async def wait_for_take_up(self) -> None:
        """Wait until this engine works on the runs that it has just taken from the queue."""
        await self._keeper.wait_for_take_up()

    def opening_of(self, run_id: str) -> StoredEvent | None:
        """The first event of a run that began here a moment ago, to be worked on by another process."""
        return self._openings.get(run_id)

    @property
    def running(self) -> Mapping[str, Run[Any]]:
        """The runs this engine works on."""
        return {run_id: work.run for run_id, work in self._working.items()}

    async def start(
        self,
        ask: AskRequest,
        *,
        user: str = LOCAL_USER,
        key: str | None = None,
        batch: bool = False,
        run_id: str | None = None,
        dollars: float | None = None,
    ) -> RunRecord:
        """Check the request, store it as a run with its opening event, and set to work or leave it to others.

        The same key again gives the run that it named. A run of a `batch` lets those of people go before it,
        where runs can wait. `run_id`: the id it is to have. `dollars`: what it may cost at most. Raises
        Rejected.
        """
        mode_id = ask.mode or self.settings.default_mode
        mode = find_mode(mode_id, self.modes)
        given = ask.given_config(mode_id)
        mode.question.check(ask.question, self.settings.max_question_chars)
        earlier: dict[str, Any] | None = None
        directions = ask.given_directions(self.settings)
        history = ask.given_history(mode, self.settings)
        if ask.conversation_id is not None:
            earlier, history, before = await self._follow_up(ask.conversation_id, user, mode)
            directions = directions.after(before)
        await self._read_keys(user)
        panel = await self.panel_of(user)
        inherits = given is None and earlier is not None
        given = earlier if inherits else given
        config = read_config(mode, given or {}, panel, ask.question, self.settings, stored=inherits)
        record = self._record(
            mode, user, ask.question, config.model_dump_json().encode(), json_bytes(history)
        )
        if not directions.is_empty:
            record = replace(record, directions=directions.model_dump_json().encode())
        if ask.conversation_id is not None:
            record = replace(record, conversation_id=ask.conversation_id, new_conversation=False)
        if batch and self.store.is_shared:
            record = replace(record, owner=None, lease_until=0)
        if run_id is not None:
            record = replace(record, id=run_id)
        webhook = None if ask.webhook is None else self.webhooks.check(ask.webhook.url, "webhook.url")
        digest = None if key is None else _digest(ask)
        return await self._begin(
            record, mode, config, key, digest, BATCH if batch else PEOPLE, dollars, webhook
        )

    async def _with_limits(
        self, opening: NewRun, mode: Mode[Any], config: ModeConfig, dollars: float | None
    ) -> NewRun:
        """The opening with its person's limits and, where money is limited, what it reserves. Raises Rejected
        if nobody knows what it may cost, LimitReached if that is more than these dollars."""
        limits = await self.limits.of(opening.user_id)
        if limits.any:
            opening = replace(opening, limits=limits)
        if not limits.in_dollars and dollars is None:
            return opening
        providers = await self.keys.of(opening.user_id)
        listed = (await self.catalogue.models(providers)).models if self.catalogue is not None else ()
        material = opening.question + (opening.history + (opening.directions or b"")).decode()
        directions = Directions.model_validate_json(opening.directions or b"{}")
        after = planned_after(mode, config, directions)
        reservation = reserved(mode, config, material, listed, self.settings, providers, after=after)
        if dollars is not None and reservation.dollars > dollars + ROUNDING:
            cost, left = reservation.dollars, max(dollars, 0.0)
            said = f"The next question may cost up to ${cost:.4f}, and ${left:.4f} of the budget is left."
            raise LimitReached(said, "budget", retry_after=1)
        return replace(opening, reservation=reservation)

    def check(self, ask: AskRequest, panel: Panel) -> None:
        """Raises Rejected if such a question could not be asked, in a conversation of its own."""
        mode_id = ask.mode or self.settings.default_mode
        mode = find_mode(mode_id, self.modes)
        mode.question.check(ask.question, self.settings.max_question_chars)
        ask.given_directions(self.settings)
        ask.given_history(mode, self.settings)
        read_config(mode, ask.given_config(mode_id) or {}, panel, ask.question, self.settings)

    async def estimate(
        self, ask: AskRequest, models: Iterable[ModelInfo], *, user: str = LOCAL_USER
    ) -> RunEstimate:
        """What such a run would take at most; the request is checked as if it were asked, save that its
        question may still be missing. `models` have the prices. Raises Rejected."""
        mode_id = ask.mode or self.settings.default_mode
        mode = find_mode(mode_id, self.modes)
        if ask.question.strip():
            mode.question.check(ask.question, self.settings.max_question_chars)
        panel, providers = await self.panel_of(user), await self.keys.of(user)
        config = read_config(mode, ask.given_config(mode_id) or {}, panel, ask.question, self.settings)
        directions = ask.given_directions(self.settings)
        material = ask.question + directions.model_dump_json()
        after = planned_after(mode, config, directions)
        return estimated(mode, config, material, models, self.settings, providers, after=after)

    async def retry(self, run_id: str, *, user: str = LOCAL_USER) -> RunRecord:
        """A new run over the same question that pays only for what is missing. Raises Conflict unless the
        run is in a state for it, which the store says."""
        old = await self.run(run_id, user)
        mode = find_mode(old.mode, self.modes)
        await self._read_keys(user)
        record = replace(
            old,
            id=_draw(1)[0],
            retry_of=old.id,
            status="running",
            error=None,
            started_at=now_ms(),
            finished_at=None,
            active_ms=0,
            epoch=1,
            cancel_requested=False,
            owner=self._first_owner(),
            lease_until=now_ms() + self._lease_ms,
            traceparent=None if self.tracer is None else self.tracer.traceparent(),
        )
        return await self._begin(record, mode, mode.config.model_validate_json(old.config))

    async def run(self, run_id: str, user: str = LOCAL_USER) -> RunRecord:
        record = await self.store.read(lambda db: runs.run(db, run_id, user_id=user))
        if record is None:
            raise NotFound(f"There is no run {run_id}")
        return record

    async def problem(self, seconds: float) -> str | None:
        """Why this engine cannot work at the moment, found out within so many seconds; None if it can."""
        if self.store.availability.trouble is not None:
            return self.store.availability.trouble
        try:
            async with asyncio.timeout(seconds):
                await self.store.read(runs.check_readable)
        except DATABASE_ERRORS:  # too late is one of them
            return "The database does not answer."
        return None

    async def story(self, record: RunRecord) -> list[Event]:
        """All events of a run as objects."""
        events = await self.store.read(lambda db: runs.events_after(db, record.id, 0))
        mode = find_mode(record.mode, self.modes)
        return [mode.read_event(number, event.type, event.body) for number, event in events]

    async def cancel(self, run_id: str, *, user: str = LOCAL_USER) -> None:
        """Stop a run for good, wherever it is worked on."""
        record = await self.run(run_id, user)
        if record.status != "running":
            raise Conflict(f"The run is {record.status} and cannot be cancelled")
        # Asked for in the database too: should this process end before it could say so, the next one will.
        await self.store.change(lambda db: runs.request_cancel(db, run_id))
        if run_id not in self._working:
            await self._keeper.adopt(run_id)
        if run_id in self._working:
            work = self._working[run_id]
            work.stop("cancelled")
            await self._ended([work.task])
        elif self.elsewhere is not None:
            await self.elsewhere.cancel(run_id)

    async def resume(self, run_id: str, *, user: str = LOCAL_USER) -> bool:
        """Take up a run that nobody works on; whether this engine works on it now."""
        await self.run(run_id, user)
        return run_id in self._working or await self._keeper.adopt(run_id)

    def follow(
        self, run_id: str, *, after: int = 0, tokens: bool = False, ping: float | None = None
    ) -> AsyncIterator[Batch]:
        """The story after event number `after`, in batches, to its end. An empty batch is a ping: nothing
        happened for so many seconds."""
        return follow(self, run_id, after, tokens, ping)

    def follow_here(
        self, run_id: str, after: int, tokens: bool, ping: float | None
    ) -> AsyncIterator[list[Frame]]:
        """The same of a run this engine works on, until it ends or goes elsewhere."""
        return follow_here(self._working[run_id].run, after, tokens, ping)

    async def stop_here(self, run_id: str) -> None:
        """Somebody who may has asked, in the database and now by word, for this run to be cancelled."""
        work = self._working.get(run_id)
        if work is not None:
            work.stop("cancelled")
            await self._ended([work.task])

    async def has_more(self, record: RunRecord, after: int) -> bool:
        """Whether a run has events after this number, or may yet have."""
        if record.status == "running" or after == 0:
            return True
        return bool(await self.store.read(lambda db: runs.events_after(db, record.id, after, limit=1)))

    async def finished(self, run_id: str) -> RunRecord:
        """Wait for a run's end, wherever it is worked on."""
        async for _ in self.follow(run_id):
            pass
        record = await self.store.read(lambda db: runs.run(db, run_id))
        assert record is not None
        return record

    def take_up(self, record: RunRecord, journal: Journal) -> None:
        """Work on a run whose lease this engine holds: fresh or found, it is the same."""
        mode = self.modes[record.mode]
        run = Run(
            record,
            mode,
            transport=self.transport_of(record.user_id),
            store=self.store,
            journal=journal,
            live=Followers(replay(journal.events, journal.calls.values(), mode)),
            budget=Budget(self.settings.max_calls, self.settings.max_tokens, self.settings.max_dollars),
            allowance=Allowance.of(journal, self.settings.reply_tokens),
            seconds=self.settings.pipeline_seconds if mode.timed else None,
            lease_ms=self._lease_ms,
            # By its id: a run that knew who works on it would keep both in memory after its end.
            broken=partial(self._fail, record.id),
            retriever=self.retriever,
            meter=self.meter,
            context_of=None if self.catalogue is None else partial(self._context_of, record.user_id),
            tracer=self.tracer,
            strict=self._strict,
        )
        work = self._working[record.id] = RunTask(run, mode, self.settings)
        work.task.add_done_callback(lambda _: self._drop(record.id))
        if self._unstorable is not None:
            work.pause(self._unstorable)

    def _storage_changed(self, reason: str | None) -> None:
        """What runs have cannot be stored for this reason; with None, it is."""
        self._unstorable = reason
        for work in self._working.values():
            if reason is None:
                work.go_on()
            else:
                work.pause(reason)

    def lost(self, run_id: str) -> None:
        """Another process has taken this run over."""
        self._working[run_id].stop("broken")

    def stop_cancelled(self, run_id: str) -> None:
        """Somebody asked, through the database, for this run to be cancelled."""
        self._working[run_id].stop("cancelled")

    async def _follow_up(
        self, conversation_id: str, user: str, mode: Mode[Any]
    ) -> tuple[dict[str, Any] | None, list[dict[str, str]], Directions]:
        """The config of the conversation's last run, its last turns as messages, and its directions."""
        found = await self.store.read(
            lambda db: (
                conversations.conversation(db, user, conversation_id),
                runs.last_config(db, conversation_id),
                conversations.history(db, conversation_id),
                runs.last_directions(db, conversation_id),
            )
        )
        conversation, config, turns, before = found
        if conversation is None:
            raise NotFound(f"There is no conversation {conversation_id}")
        if conversation.mode != mode.id:
            raise Rejected(f"The conversation is in the mode {conversation.mode}, not {mode.id}")
        require_follow_ups(mode)
        history = [
            {"role": role, "content": content}
            for question, answer in turns
            for role, content in (("user", question), ("assistant", answer))
        ]
        directions = Directions.model_validate_json(before) if before else NO_DIRECTIONS
        return orjson.loads(config) if config else None, history, directions

    def _record(self, mode: Mode[Any], user: str, question: str, config: bytes, history: bytes) -> RunRecord:
        run_id, conversation_id, user_message_id, message_id = _draw(4)
        return RunRecord(
            id=run_id,
            user_id=user,
            conversation_id=conversation_id,
            user_message_id=user_message_id,
            message_id=message_id,
            mode=mode.id,
            question=question,
            config=config,
            history=history,
            seed=secrets.token_hex(16),
            status="running",
            error=None,
            retry_of=None,
            new_conversation=True,
            directions=None,
            started_at=now_ms(),
            finished_at=None,
            active_ms=0,
            owner=self._first_owner(),
            lease_until=now_ms() + self._lease_ms,
            epoch=1,
            cancel_requested=False,
            traceparent=None if self.tracer is None else self.tracer.traceparent(),
        )

    def _first_owner(self) -> str | None:
        """Who is to work on a run that begins: this process, or whoever takes it from the queue."""
        if not self.store.is_shared:
            return self._owner
        return self._owner if self._deliberates and self.room > 0 else None

    async def next_hand(self, seconds: float) -> None:
        """Wait until there may be a run to take from the queue, and room for it; so long at most."""
        if self.room <= 0:
            self._look.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._look.wait()
        elif self._look.is_set():
            self._look.clear()
        else:
            await self.store.run_waits(seconds)

    def look_again(self) -> None:
        """There may be more to take, or room for it."""
        self._look.set()

    @property
    def room(self) -> int:
        """How many more runs this process may work on."""
        return 0 if self._draining else self.settings.runs_at_once - len(self._working)

    async def _begin(
        self,
        record: RunRecord,
        mode: Mode[Any],
        config: ModeConfig,
        key: str | None = None,
        digest: str | None = None,
        priority: int = PEOPLE,
        dollars: float | None = None,
        webhook: str | None = None,
    ) -> RunRecord:
        """Store the run and set to work: both or neither, though whoever asked may leave meanwhile."""
        beginning = asyncio.create_task(
            self._open(record, mode, config, key, digest, priority, dollars, webhook)
        )
        self._beginning.add(beginning)
        beginning.add_done_callback(self._beginning.discard)
        return await asyncio.shield(beginning)

    async def _open(
        self,
        record: RunRecord,
        mode: Mode[Any],
        config: ModeConfig,
        key: str | None,
        digest: str | None,
        priority: int,
        dollars: float | None,
        webhook: str | None,
    ) -> RunRecord:
        opening = mode.opening(
            conversation_id=record.conversation_id,
            message_id=record.message_id,
            mode=mode.id,
            run_id=record.id,
            retry_of=record.retry_of,
            simulated=any(map(is_simulated, models_of(config))) or None,
            **mode.opening_extras(config),
        )
        stored = StoredEvent.of(opening, at=0)
        title = first_title(mode, config, record.question)
        opening_run = new_run(record, stored, title, key, digest, priority)
        opening_run = await self._with_limits(opening_run, mode, config, dollars)
        deliveries = await self.webhooks.deliveries_for(record.user_id, record.id, webhook)
        if deliveries:
            opening_run = replace(opening_run, deliveries=deliveries)
        begun = await self.store.begin(opening_run)
        if not begun.is_new:
            return await self.run(begun.run_id, record.user_id)
        if record.owner is None:
            self._openings[record.id] = stored
            asyncio.get_running_loop().call_later(OPENING_SECONDS, self._openings.pop, record.id, None)
            return record
        journal = Journal(events=[(1, stored)], reservation=opening_run.reservation)
        if record.retry_of is not None:
            journal = await self.store.read(lambda db: runs.recall(db, record.id))
        self.take_up(record, journal)
        for _ in range(TURNS_AHEAD):
            await asyncio.sleep(0)
        return record

    def _fail(self, run_id: str, error: BaseException) -> None:
        """A write of this run was refused."""
        if run_id in self._working:
            self._working[run_id].fail(error)

    def _drop(self, run_id: str) -> None:
        work = self._working.pop(run_id, None)
        if work is not None:
            work.run.live.close()
            self.look_again()

    async def _ended(self, tasks: Iterable[asyncio.Task[None]]) -> None:
        """Wait for the end of these; not for long while they wait for a database that cannot be written."""
        waiting = set(tasks)
        while waiting:
            _, waiting = await asyncio.wait(waiting, timeout=CLOSING_SECONDS)
            if self._unstorable is not None:
                return


def new_run(
    record: RunRecord,
    opening: StoredEvent,
    title: str,
    key: str | None,
    digest: str | None,
    priority: int,
) -> NewRun:
    """What a run's first transaction inserts."""
    return NewRun(
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
        owner=record.owner,
        lease_until=record.lease_until if record.owner else 0,
        priority=priority,
        opening=opening,
        title=title,
        new_conversation=record.new_conversation,
        directions=record.directions,
        traceparent=record.traceparent,
        retry_of=record.retry_of,
        idempotency_key=key,
        request_digest=digest,
    )


def _digest(ask: AskRequest) -> str:
    """By which a request is known when its key comes again."""
    return sha256(orjson.dumps(ask.model_dump(), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _draw(count: int) -> list[str]:
    """So many ids that nobody can guess. Every draw from the system lets go of the interpreter, which the
    writer may then hold for milliseconds: all are drawn at once."""
    drawn = os.urandom(16 * count).hex()
    return [drawn[at : at + 32] for at in range(0, len(drawn), 32)]
