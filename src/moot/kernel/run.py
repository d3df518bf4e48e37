"""Run: the handle a mode's pipeline holds. Ask models, tell the world.

To resume a run is to call its pipeline again from the top. That is safe because all that a
pipeline does to the world goes through `ask…`, `once` and `emit`, and each writes under a natural
key: a call by step, seat and request; a decision by its step; an event by its type and, where it
may recur, a key. What happened before the crash is found, not repeated.

Writes are queued, not awaited: the next calls start while the commit is under way, and an event is
shown only after it. One queue per run keeps the order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from graphlib import TopologicalSorter
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import orjson

from moot.kernel.allowance import Allowance
from moot.kernel.budget import Budget
from moot.kernel.clock import now_ms
from moot.kernel.context_window import SMALLEST, ContextWindow
from moot.kernel.directions import NO_DIRECTIONS, WITHOUT_THEM, Directions
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import SHARED, Event, ModelFailed, WarningData, WarningEvent
from moot.kernel.fences import Filling, draw_nonce, fill
from moot.kernel.followers import FinishedCall, Followers, Frame, live_warning
from moot.kernel.labels import Deal, S
from moot.kernel.mode import C, Mode, ModeConfig
from moot.kernel.model_call import ModelCall
from moot.kernel.run_clock import RunClock
from moot.kernel.seat_results import stage_times
from moot.kernel.values import (
    Answer,
    Call,
    Failure,
    Message,
    Prompt,
    Request,
    Rewording,
    cut_off,
    json_bytes,
    messages_of,
)
from moot.store import Append, Ending, Hold, Journal, RunRecord, Store, StoredEvent
from moot.store.journal import encoded
from moot.store.spending import spent_by
from moot.transport import Transport

if TYPE_CHECKING:
    from moot.kernel.meter import Meter
    from moot.kernel.retriever import Retriever
    from moot.kernel.tracer import Tracer

T = TypeVar("T")
K = TypeVar("K")
CallKey = tuple[str, int | None, str]
"""Step, seat and digest of the request: what a call is stored under."""

LEAST_SECONDS = 5.0
"""With less time left than this, a call is not sent."""
STAGE_SECONDS = 60.0
"""So much time a later stage is left at least, where its calls may take that long."""
LONGEST_WAIT = 600.0
"""How long a call may wait for a free place at its provider when the run itself has no limit."""
RULES = 4
"""Grows when pipelines come to ask for something new. A run keeps to the rules it began with, so that one
which was cut off before an upgrade comes to the end it would have come to. 2: repairs in every mode. 3: what
has a stand-in, such as a confidence, is missing all the same, and degrades the result. 4: of a reply that was
cut off, the value it was cut off in is missing; sentences that are stored are worded anew (`Run.wording`)."""
SALVAGE = 200
"""So many characters that came before a call's time was up are kept: half an answer is worth more than none,
and who has paid for it should not pay again from the start."""
LITTLE_TEXT = 32_000
"""So many characters, of question, config and replies together, are worked on in a few milliseconds."""


class Run(Generic[C]):
    """What a pipeline may use: the public names. The engine makes it and reads `degraded` at the end.

    `retriever` finds reasoning templates; what it finds may differ the next time: ask it inside `once`.
    `context_of` tells how many tokens a model's context has, or None.
    """

    ending: Ending | None = None
    """How it ended."""

    def __init__(
        self,
        record: RunRecord,
        mode: Mode[C],
        *,
        transport: Transport,
        store: Store,
        journal: Journal,
        live: Followers,
        budget: Budget,
        allowance: Allowance | None = None,
        seconds: float | None,
        lease_ms: int,
        broken: Callable[[BaseException], None],
        retriever: Retriever | None = None,
        meter: Meter | None = None,
        context_of: Callable[[str], Awaitable[int | None]] | None = None,
        tracer: Tracer | None = None,
        strict: bool = False,
    ) -> None:
        self.id = record.id
        self.question = record.question
        self.seed = record.seed
        self.config = mode.config.model_validate_json(record.config)
        self.history = tuple(Message.model_validate(turn) for turn in orjson.loads(record.history))
        self.directions = (
            Directions.model_validate_json(record.directions) if record.directions else NO_DIRECTIONS
        )
        self.record = record
        self.mode = mode
        self.degraded = False
        self.live = live
        self.retriever = retriever
        self._transport = transport
        self._store = store
        self._calls = dict(journal.calls)
        self._decisions = dict(journal.decisions)
        self._asked: set[CallKey] = set()
        self._notes: list[tuple[tuple[int, ...], str]] = []
        self._place = Place(())
        self._heard = len(record.question) + len(record.config)
        self._budget = budget
        self._allowance = allowance
        self._seconds = seconds
        self._lease_ms = lease_ms
        self._broken = broken
        self._strict = strict
        self._bodies = {event.key: event.body for _, event in journal.events}
        self._story: dict[str, Event] = {
            event.key: mode.read_event(number, event.type, event.body) for number, event in journal.events
        }
        self._clock = RunClock(record.started_at, record.active_ms, _moments_of(journal))
        self._last_write: asyncio.Future[int | None] | None = None
        self._rules = _rules_of(journal)
        self._models_in_several_seats = _models_in_several_seats(self.config)
        self._calls_under_way = UnderWay()
        self._meter = meter
        self._context_of = context_of
        self._tracer = tracer
        self._moments = [(event.type, event.at) for _, event in journal.events]

    @property
    def conversation(self) -> tuple[Message, ...]:
        """The turns before, and the question as it was asked."""
        return (*self.history, Message(role="user", content=self.question))

    @property
    def started_on(self) -> date:
        """The date a prompt may name."""
        return datetime.fromtimestamp(self.record.started_at / 1000, UTC).date()

    @property
    def active_ms(self) -> int:
        """How long some process has worked on this run."""
        return self._clock.active_ms

    @property
    def seconds_left(self) -> float:
        """Of the pipeline's active time. It comes out differently each time: ask it inside `once`."""
        return float("inf") if self._seconds is None else self._seconds - self.active_ms / 1000

    def follows(self, rules: int) -> bool:
        """Whether the run began under these rules or later ones."""
        return self._rules >= rules

    def wording(self, current: str, *, original: str, since: int = 4) -> str:
        """A sentence that is stored, in the words of the rules this run began with: a run that was cut off
        before it was reworded comes to the story it would have come to. `since`: the rules it came with."""
        return current if self.follows(since) else original

    async def time_for(self, step: str, seconds: float) -> bool:
        """Whether the pipeline has that much time left, decided once for this step."""
        return bool(await self.once(f"{step}/time", lambda: self.seconds_left >= seconds))

    def seconds_for(self, stages: int) -> float:
        """What so many later stages need at least, to be kept by the calls before them: a call of up to a
        minute each, in a short pipeline no more than an equal share of its time."""
        share = float("inf") if self._seconds is None else self._seconds / (stages + 1)
        return stages * min(self.config.timeout_ms / 1000, STAGE_SECONDS, share)

    @property
    def tokens_used(self) -> int:
        """By all calls so far. It comes out differently each time: ask it inside `once`."""
        return self._budget.tokens

    @property
    def warnings(self) -> list[str]:
        """What was said of this run's shortcomings, in the order of the pipeline and its seats, whoever
        finished first."""
        return list(dict.fromkeys(message for _, message in sorted(self._notes)))

    @property
    def state(self) -> dict[str, Any]:
        """`degraded` and `warnings`, for a last event that always carries them."""
        return {"degraded": self.degraded, "warnings": tuple(self.warnings)}

    def fill(self, template: str, **fillings: Filling) -> str:
        """A prompt from a template; foreign text stands behind the run's fence."""
        return fill(template, self.seed, **fillings)

    def nonce(self, *texts: str) -> str:
        """The nonce of a prompt in which these texts are fenced, for a reply that must repeat it."""
        return draw_nonce(self.seed, texts)

    def deal(self, items: Sequence[S], deal: str = "1") -> Deal[S]:
        """Letters for anonymous answers; a second round takes a second deal."""
        return Deal(items, self.seed, deal)

    async def ask(
        self,
        step: str,
        model: str,
        prompt: Prompt,
        *,
        seat: int | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        reserve: float = 0.0,
        timeout_seconds: float | None = None,
        report_failure: bool = True,
        require_complete: bool = True,
        salvage: int = SALVAGE,
    ) -> Answer:
        """Put a prompt to one model, or find what came of it before. Raises NoAnswer.

        `reserve`: seconds that later stages need of the pipeline's time. `timeout_seconds`: a limit of its
        own in place of the config's. `report_failure=False`: the seat is not given up with this failure,
        another try follows; see `give_up`. `require_complete=False`: a reply that was cut off is the caller's
        to judge, by its `finish_reason`; else it degrades the result. `salvage`: of a call whose time is up,
        so many characters are a reply, with the finish reason `timeout`.
        """
        directions = NO_DIRECTIONS if step in WITHOUT_THEM else self.directions
        request = Request.of(
            model,
            directions.before(messages_of(prompt)),
            directions.temperature if temperature is None else temperature,
            max_tokens,
        )
        digest = _digest(request, prompt, directions)
        del prompt  # what is held while the model thinks is what it was asked, once
        refusal = self._budget.refusal()
        self._budget.reserve()
        key = (step, seat, digest)
        if self._strict and key in self._asked:
            raise AssertionError(f"seat {seat} was asked twice for {step!r}, with the same request")
        self._asked.add(key)
        window = await self._window(key, request)
        call = self._calls.get(key)
        if call is None:
            call = await self._send(key, window, request, reserve, timeout_seconds, refusal, salvage)
            self._calls[key] = call
        if not call.inherited:  # else it was charged to the run that paid for it
            self._budget.charge(call)
        self._heard += len(call.text or "")
        outcome = call.outcome()
        if isinstance(outcome, Failure):
            if report_failure:
                await self.give_up(outcome)
            raise NoAnswer(outcome)
        who = f"Participant {seat}" if self._hides(seat) else model
        if window is not None:
            await self.degrade(window.notice(who, request), "shortened", step, seat=seat)
        how = cut_off(call.finish_reason)
        if require_complete and how:
            await self.degrade(f"{who} was cut off {how}.", "truncated", step, seat=seat)
        if how and not self.follows(4):
            return outcome.model_copy(update={"read_to_its_end": True})
        return outcome

    async def _window(self, key: CallKey, request: Request) -> ContextWindow | None:
        """The model's context, if the prompt is too long for it: looked up once, and found again when the run
        is resumed, so that the same prompt is sent and the same is told. None if it fits."""
        step = "context/{}/{}/{}".format(*key)
        if step in self._decisions:
            return ContextWindow(await self.once(step, lambda: None))
        call = self._calls.get(key)
        paid = call is not None and not call.inherited
        if paid or self._context_of is None or SMALLEST.holds(request):
            return None
        tokens = await self._context_of(request.model)
        if tokens is None or ContextWindow(tokens).holds(request):
            return None
        return ContextWindow(await self.once(step, lambda: tokens))

    async def ask_all(
        self,
        step: str,
        seats: Mapping[int, str],
        prompt: Prompt | Callable[[int], Prompt],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        reserve: float = 0.0,
    ) -> list[Answer | Failure]:
        """Ask several seats at once, all the same or each by a function of its seat.

        What came of each, in seat order.
        """
        return await self.together(
            self.ask(
                step,
                model,
                prompt(seat) if callable(prompt) else prompt,
                seat=seat,
                temperature=temperature,
                max_tokens=max_tokens,
                reserve=reserve,
            )
            for seat, model in seats.items()
        )

    async def together(self, seats: Iterable[Coroutine[Any, Any, T]]) -> list[T | Failure]:
        """Let several seats work at once; a seat that raises NoAnswer comes back as its failure.

        A seat is what one participant does: ask, read, perhaps ask again, tell, return.
        """

        group = self._here().next()

        async def work(number: int, seat: Coroutine[Any, Any, T]) -> T | Failure:
            _PLACE.set(Place((*group, number)))
            try:
                return await seat
            except NoAnswer as silent:
                return silent.failure

        seats, working = list(seats), []
        try:
            async with asyncio.TaskGroup() as tasks:
                for number, seat in enumerate(seats):
                    working.append(tasks.create_task(work(number, seat)))
                    # Lets the first call leave while the others are still being put together.
                    await asyncio.sleep(0)
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            for seat in seats:
                seat.close()  # for those that never came to begin; to the others it does nothing
        return [task.result() for task in working]

    async def in_order(
        self, needs: Mapping[K, Collection[K]], work: Callable[[K], Coroutine[Any, Any, T]]
    ) -> dict[K, T | Failure]:
        """Work on each key as soon as all it needs is resolved, one way or the other. Raises ValueError
        if some need each other in a circle."""
        TopologicalSorter(needs).prepare()
        resolved = {key: asyncio.Event() for key in needs}

        async def one(key: K) -> T:
            for need in needs[key]:
                await resolved[need].wait()
            try:
                return await work(key)
            finally:
                resolved[key].set()

        outcomes = await self.together(one(key) for key in needs)
        return dict(zip(needs, outcomes, strict=True))

    async def once(self, step: str, make: Callable[[], Any | Awaitable[Any]]) -> Any:
        """A value that is no model's reply and could come out differently a second time: made once,
        journaled, found when the pipeline runs again. It must be JSON."""
        if step not in self._decisions:
            value = make()
            made = json_bytes(await value if isinstance(value, Awaitable) else value)
            self._decisions[step] = made
            self._append(decision=(step, made))
        return orjson.loads(self._decisions[step])

    async def aside(self, work: Callable[..., T], *values: Any) -> T:
        """A pure computation that may take long, done where it does not hold up the event loop. On a run
        that has heard little it takes less time than the way to another thread and back."""
        if self._heard <= LITTLE_TEXT:
            return work(*values)
        return await asyncio.to_thread(work, *values)

    async def emit(self, event: Event, key: str = "") -> None:
        """Tell an event: stored with the rows it stands for, then shown; once, however often it is said.

        Events that may recur take a key (a round, a seat, a step).
        """
        self._tell(event, key)

    async def give_up(self, failure: Failure) -> None:
        """A seat contributes nothing: tell so, once per step and seat. The result is degraded."""
        step = failure.step.partition("/")[0]
        reason = failure.reason
        if self._hides(failure.seat) and failure.model:
            reason = reason.replace(failure.model, f"Participant {failure.seat}")
            failure = failure.model_copy(update={"model": None, "reason": reason})
        named = failure.model_copy(update={"step": step})
        await self.emit(ModelFailed(data=named), key=f"{step}/{failure.seat}")
        said = reason if failure.model is None or failure.model in reason else f"{failure.model}: {reason}"
        self._note(self._with_seat(said, failure.seat))
        self.degraded = True

    def unreadable(self, answer: Answer, step: str, reason: str) -> Failure:
        """The failure of a seat whose reply could not be used."""
        return Failure(step=step, seat=answer.seat, model=answer.model, kind="unreadable", reason=reason)

    async def warn(
        self, message: str, code: str, step: str | None = None, *, seat: int | None = None
    ) -> None:
        """Advice for the reader; the result stays whole."""
        message = self._with_seat(message, seat)
        said = sha256(message.encode()).hexdigest()[:8]
        data = WarningData(message=message, code=code, step=step)
        await self.emit(WarningEvent(data=data), key=f"{code}/{step}/{seat or ''}/{said}")
        self._note(message)

    async def degrade(
        self, message: str, code: str, step: str | None = None, *, seat: int | None = None
    ) -> None:
        """A fallback replaced a model's work, or a limit cut something: say so, in the result too."""
        await self.warn(message, code, step, seat=seat)
        self.degraded = True

    @property
    def notice(self) -> dict[str, Any]:
        """`degraded` and `warnings`, for a last event that carries them only when they say something."""
        return {"degraded": True, "warnings": tuple(self.warnings)} if self.degraded else {}

    def _with_seat(self, message: str, seat: int | None) -> str:
        """A message that names a model which sits more than once says in which seat."""
        if seat is None or self._hides(seat):
            return message
        for model in self._models_in_several_seats:
            if model in message and f"{model} (seat " not in message:
                return message.replace(model, f"{model} (seat {seat})", 1)
        return message

    def _note(self, message: str) -> None:
        self._notes.append((self._here().next(), message))

    def _here(self) -> Place:
        return _PLACE.get() or self._place

    def _hides(self, seat: int | None) -> bool:
        """Whether the model in this seat must stay unknown."""
        return self.mode.hides(seat)

    def now(self) -> int:
        """Run time: milliseconds since the run started."""
        return self._clock.now

    @property
    def calls(self) -> list[Call]:
        """Every call so far, answered or failed, those included that were found."""
        return list(self._calls.values())

    @property
    def events(self) -> list[Event]:
        """The story so far, as this pipeline told it."""
        return list(self._story.values())

    def event(self, number: int) -> Event | None:
        """The one with this number, if this pipeline has come so far: they are numbered as they are told."""
        return next(islice(self._story.values(), number - 1, None), None)

    def tell_last(self, event: Event, ending: Ending) -> None:
        """The engine's: the event that ends the run, with what its last transaction changes."""
        self.ending = ending
        self._tell(event, "", replace(ending, spent=self.spent))
        if self._meter is not None:
            self._meter.run_ended(self.mode.id, ending.status, stage_times(self.mode, self._moments))
        if self._tracer is not None:
            self._tracer.run_ended(self.record, ending.status, self.now(), self.calls)

    @property
    def spent(self) -> float:
        """Dollars so far; where money is limited, what was sent and has no outcome counts as well."""
        kept = self._allowance
        return spent_by(self.calls, kept.holds, kept.lost) if kept else spent_by(self.calls, {})

    @property
    def paused(self) -> bool:
        return self._clock.paused

    def pause(self, reason: str) -> None:
        """The engine's: what this run has cannot be stored, so nobody is asked for more until it is."""
        if not self.paused:
            self._clock.pause()
            said = f"{reason} The run waits until it can be saved; finished answers are kept."
            self.live.notify(live_warning("storage", said, self.now()))

    def go_on(self) -> None:
        """The engine's: everything that was waiting is stored."""
        if self.paused:
            self._clock.go_on()
            said = "Everything answered so far is saved, and the run continues."
            self.live.notify(live_warning("storage_back", said, self.now()), over=True)

    async def park(self) -> None:
        """The engine's: ask nobody any more, and wait until whoever was asked has answered and all is stored.
        The run goes on in another process."""
        self._clock.pause()
        await self._calls_under_way.over()
        await self.settled()

    async def settled(self) -> None:
        """Wait until all that was queued is committed and shown."""
        if self._last_write is not None:
            await asyncio.wait([self._last_write])

    def _tell(self, event: Event, key: str, ending: Ending | None = None) -> None:
        stored = StoredEvent.of(event, self.now(), key)
        self._story.setdefault(stored.key, event)
        if stored.key in self._bodies:
            if self._strict and self._bodies[stored.key] != stored.body:
                raise AssertionError(f"{stored.key!r} was told before with other content")
            return
        self._bodies[stored.key] = stored.body
        self._moments.append((stored.type, stored.at))
        rows = () if isinstance(event, SHARED) else tuple(map(encoded, self.mode.rows(event)))
        written = self._append(event=stored, rows=rows, ending=ending)
        written.add_done_callback(lambda done: self._show(done, stored))

    def _append(self, **parts: Any) -> asyncio.Future[int | None]:
        if _RULES_STEP not in self._decisions and "decision" not in parts and self._rules > 1:
            # With the first that this run writes: it costs no commit of its own.
            self._decisions[_RULES_STEP] = made = json_bytes(self._rules)
            parts["decision"] = (_RULES_STEP, made)
        written = self._store.append(
            Append(self.id, self.record.epoch, self.active_ms, now_ms() + self._lease_ms, **parts)
        )
        written.add_done_callback(self._check)
        self._last_write = written
        return written

    def _check(self, done: asyncio.Future[int | None]) -> None:
        error = None if done.cancelled() else done.exception()
        if error is not None:
            self._broken(error)

    def _show(self, done: asyncio.Future[int | None], event: StoredEvent) -> None:
        number = None if done.cancelled() or done.exception() else done.result()
        if number is not None:
            self.live.tell(Frame.of(number, event))

    async def _send(
        self,
        key: CallKey,
        window: ContextWindow | None,
        request: Request,
        reserve: float,
        timeout_seconds: float | None,
        refusal: str | None,
        salvage: int,
    ) -> Call:
        """Make the call and queue its record: a failure is an outcome and is stored too, else a resumed
        run would ask again, and every later prompt would change and be paid for twice. A cancelled
        call leaves no trace."""
        await self._clock.going_on()
        step, seat, digest = key
        hidden = self._hides(seat)
        hold = None
        shortened = request if window is None else window.shortened(request)
        request = shortened or request
        if self._allowance is not None:
            request = self._allowance.bounded(request)
            hold = partial(self._hold, self._allowance, key, request)
        listening = ModelCall(self.live, self.now, step, seat, request, digest, hidden, hold)
        left = self.seconds_left - reserve
        if refusal is not None:
            call = listening.failed("budget", f"{request.model} was not asked: {refusal}")
        elif window is not None and shortened is None:
            call = listening.failed("too_long", window.refusal(request))
        elif left < LEAST_SECONDS:
            used_up = f"{request.model} was not asked: the run's time is used up."
            call = listening.failed("timeout", used_up)
        else:
            limit = timeout_seconds or self.config.timeout_ms / 1000
            wait = min(left, timeout_seconds or max(LONGEST_WAIT, limit))
            with self._calls_under_way.one():
                call = await listening.listen(self._transport, min(limit, left), wait, salvage)
        if self._meter is not None:
            self._meter.call(self.mode.id, call)
        if self._tracer is not None:
            self._tracer.call(self.record, call, request)
        finished = FinishedCall(call, hidden=hidden)
        release = None
        if self._allowance is not None and not listening.worked:
            release = Hold(step, seat, digest, -self._allowance.release(key))
        self._append(call=call, hold=release).add_done_callback(lambda _: self.live.call_completed(finished))
        return call

    async def _hold(self, allowance: Allowance, key: CallKey, request: Request, attempt: int) -> None:
        """Keep what this attempt may cost before it is sent, so that it is known though this process dies.
        What was kept for one that broke off stays: it has no reply that would say what it did cost."""
        step, seat, digest = key
        if attempt > 1:
            digest = f"{digest}/{attempt}"
        dollars = allowance.take((step, seat, digest), request, self.calls)
        await self._append(hold=Hold(step, seat, digest, dollars))


def _digest(request: Request, prompt: Prompt, directions: Directions) -> str:
    """By which a call is known: a prompt that was reworded, by the words it was first asked in."""
    if not isinstance(prompt, Rewording):
        return request.digest()
    first = directions.before(messages_of(prompt.original))
    return request.with_messages(first).digest()


def _models_in_several_seats(config: ModeConfig) -> list[str]:
    """The ids that occur more than once in one of the config's lists, the longest first: one may begin like
    another."""
    lists = [value for value in dict(config).values() if isinstance(value, tuple)]
    several = {one for value in lists for one in value if isinstance(one, str) and value.count(one) > 1}
    return sorted(several, key=len, reverse=True)


def _moments_of(journal: Journal) -> list[int]:
    """When something happened, in run time."""
    return [
        *(event.at for _, event in journal.events),
        *(call.ended_ms for call in journal.calls.values()),
    ]


_RULES_STEP = "rules"


def _rules_of(journal: Journal) -> int:
    """The rules a run began with. Before they were written down, there were only the first."""
    if _RULES_STEP in journal.decisions:
        return int(orjson.loads(journal.decisions[_RULES_STEP]))
    began = len(journal.events) > 1 or any(not call.inherited for call in journal.calls.values())
    return 1 if began else RULES


class UnderWay:
    """How many calls are under way."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def one(self) -> Iterator[None]:
        self._count += 1
        self._none.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._none.set()

    async def over(self) -> None:
        await self._none.wait()


class Place:
    """Where in the pipeline something is said: the seats of each group count from its own place."""

    def __init__(self, prefix: tuple[int, ...]) -> None:
        self._prefix = prefix
        self._count = 0

    def next(self) -> tuple[int, ...]:
        self._count += 1
        return (*self._prefix, self._count)


_PLACE: ContextVar[Place | None] = ContextVar("place", default=None)


def answered(outcomes: Iterable[T | Failure]) -> list[T]:
    """Those of the outcomes that are no failure, in order."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Failure)]


def enough(outcomes: Sequence[T | Failure], need: int, message: str = "") -> list[T]:
    """Those who answered; RunFailed, with every reason once, if they are fewer than `need`."""
    good = answered(outcomes)
    if len(good) < need:
        said = message or f"At least {need} of {len(outcomes)} models must answer; {len(good)} did."
        reasons = [outcome.reason for outcome in outcomes if isinstance(outcome, Failure)]
        raise RunFailed(" ".join([said, *dict.fromkeys(reasons)]))
    return good


def seats(models: Sequence[str]) -> dict[int, str]:
    """Seat numbers for a config's list of models, from 1."""
    return dict(enumerate(models, 1))
