"""What this process counts, and what it sees of the fleet, for whoever watches it.

Figures are of this process alone, but for the queue and the processes, which are the same wherever one looks.
No label ever names a run, a person or a question.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import lru_cache

from moot.fleet import queries
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.seat_results import StageTime
from moot.kernel.status import Status
from moot.kernel.values import Call
from moot.metrics.exposition import MOST_SERIES, Counter, Histogram, gauge
from moot.store import DATABASE_ERRORS, queue
from moot.transport.by_prefix import provider_name

FIRST_TOKEN = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
STAGE = (0.5, 1, 2, 5, 10, 20, 40, 60, 120, 300, 600)
Series = dict[tuple[str, ...], float]
PRIORITIES = {queue.PEOPLE: "people", queue.BATCH: "batch"}


class Meters:
    """See `moot.kernel.meter`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        providers = engine.settings.known_providers()
        self._provider_of = lru_cache(MOST_SERIES)(lambda model: provider_name(model, providers))
        self.runs = Counter("moot_runs_total", "Runs that ended here.", ("mode", "status"))
        self.takeovers = Counter("moot_takeovers_total", "Runs taken over from another process.")
        self.calls = Counter("moot_calls_total", "Calls that ended here.", ("provider", "model", "outcome"))
        self.tokens = Counter("moot_tokens_total", "Tokens used.", ("provider", "model", "kind"))
        self.dollars = Counter("moot_dollars_total", "Dollars spent, where known.", ("provider", "model"))
        self.first_token = Histogram(
            "moot_first_token_seconds", "From sending a call to its first word.", ("provider",), FIRST_TOKEN
        )
        self.stages = Histogram("moot_stage_seconds", "How long stages took.", ("mode", "stage"), STAGE)

    def call(self, mode: str, call: Call) -> None:
        provider = self._provider_of(call.model)
        self.calls.add(provider, call.model, call.kind or "answered")
        for kind, count in (("prompt", call.usage.prompt_tokens), ("reply", call.usage.completion_tokens)):
            if count:
                self.tokens.add(provider, call.model, kind, value=count)
        if call.cost:
            self.dollars.add(provider, call.model, value=call.cost)
        if call.first_token_ms is not None:
            self.first_token.observe((call.first_token_ms - call.started_ms) / 1000, provider)

    def run_ended(self, mode: str, status: Status, stages: Sequence[StageTime]) -> None:
        self.runs.add(mode, status)
        for stage in stages:
            self.stages.observe(stage.took_ms / 1000, mode, stage.stage)

    def taken_over(self) -> None:
        self.takeovers.add()

    async def text(self, open_streams: int) -> str:
        """All of it, as Prometheus reads it."""
        counters = (self.runs, self.takeovers, self.calls, self.tokens, self.dollars)
        meters: tuple[Counter | Histogram, ...] = (*counters, self.first_token, self.stages)
        lines = [line for meter in meters for line in meter.lines()]
        running = len(self._engine.running)
        lines += gauge("moot_runs_running", "Runs this process is working on.", {(): running})
        lines += gauge("moot_open_streams", "Streams this process is sending.", {(): open_streams})
        lines += [line async for line in self._fleet()]
        return "\n".join([*lines, ""])

    async def _fleet(self) -> AsyncIterator[str]:
        store, now = self._engine.store, now_ms()
        if not store.is_shared:
            return
        try:
            waiting, members = await store.read(lambda db: (queue.waiting(db), queries.members(db, now)))
        except DATABASE_ERRORS:
            return  # what is missing at the moment cannot be told
        depth: Series = {(name,): 0.0 for name in PRIORITIES.values()}
        age = dict(depth)
        for one in waiting:
            place = (PRIORITIES.get(one.priority, "batch"),)
            depth[place] += one.runs
            age[place] = max(age[place], (now - one.since) / 1000)
        living = [member.kind for member in members if member.alive_until > now]
        kinds: Series = {(kind,): float(living.count(kind)) for kind in ("door", "worker", "both")}
        for line in _figures(depth, age, kinds):
            yield line


def _figures(depth: Series, age: Series, kinds: Series) -> Iterator[str]:
    yield from gauge("moot_queue_runs", "Runs waiting for a process.", depth, ("priority",))
    yield from gauge("moot_queue_seconds", "How long the oldest of them has waited.", age, ("priority",))
    yield from gauge("moot_processes", "Processes of the fleet that are running.", kinds, ("kind",))
