"""A run as a trace: the workflow, in it every seat, in that the seat's calls.

    invoke_workflow vote
      invoke_agent seat 1
        chat openai/o3
        chat openai/o3
      chat openai/gpt-5-mini           the title, which is nobody's seat

Ids are drawn from the run's id, so that calls can be told under their seat and workflow long before these
have ended, and by whichever process makes them: a run that was taken over is one trace, without a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    format_span_id,
    format_trace_id,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from moot.kernel.status import Status as RunStatus
from moot.kernel.tracer import given_traceparent
from moot.kernel.values import Call, Request
from moot.settings.providers import Provider
from moot.store import RunRecord
from moot.telemetry.content import Content, message_attributes
from moot.telemetry.instruments import Instruments
from moot.transport.by_prefix import provider_name

Attributes = dict[str, Any]
_W3C = TraceContextTextMapPropagator()


class RunTracer:
    """See `moot.kernel.tracer`."""

    def __init__(
        self,
        provider: TracerProvider,
        ids: ChosenIds,
        instruments: Instruments,
        content: Content,
        providers: Mapping[str, Provider],
    ) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("moot")
        self._ids = ids
        self._instruments = instruments
        self._content = content
        self._providers = providers

    def traceparent(self) -> str | None:
        around = trace.get_current_span().get_span_context()
        if around.is_valid:  # a program that is traced itself asks through the library
            ids = format_trace_id(around.trace_id), format_span_id(around.span_id)
            return f"00-{ids[0]}-{ids[1]}-{around.trace_flags:02x}"
        given = given_traceparent.get()
        return given if given is not None and _parent_of(given) is not None else None

    def call(self, record: RunRecord, call: Call, request: Request) -> None:
        about = self._about_call(call)
        self._instruments.call(call, about)
        place = self._place(record)
        if not place.sampled:
            return
        more = _seat(call.seat)
        if request.temperature is not None:
            more["gen_ai.request.temperature"] = request.temperature
        if request.max_tokens is not None:
            more["gen_ai.request.max_tokens"] = request.max_tokens
        parent = place.workflow if call.seat is None else place.seat(call.seat)
        span = self._start(
            f"chat {call.model}",
            parent,
            _own_id(record.id, "call", call.step, call.seat, call.digest),
            record.started_at + call.started_ms,
            {**about, **more, "moot.run.id": record.id, "moot.step": call.step},
            SpanKind.CLIENT,
        )
        span.set_attributes(_outcome(call))
        if self._content.on_span:
            span.set_attributes(message_attributes(call, request))
        if self._content.on_event:
            self._content.emit(span.get_span_context(), {**about, **message_attributes(call, request)})
        self._end(span, record.started_at + call.ended_ms, call.kind)

    def run_ended(self, record: RunRecord, status: RunStatus, ended_ms: int, calls: Iterable[Call]) -> None:
        made = [call for call in calls if not call.inherited]
        place = self._place(record)
        self._instruments.run(record.mode, status, ended_ms / 1000)
        if not place.sampled:
            return
        about = {**_about_run(record), "moot.status": status, "moot.epoch": record.epoch}
        costs = [call.cost for call in made if call.cost is not None]
        if costs:
            about["moot.cost.usd"] = sum(costs)
        name = f"invoke_workflow {record.mode}"
        span = self._start(
            name, place.parent, place.workflow.span_id, record.started_at, about, trace_id=place.trace_id
        )
        self._end(span, record.started_at + ended_ms, status if status in ("failed", "cancelled") else None)
        for seat in sorted({call.seat for call in made if call.seat is not None}):
            self._seat(record, place, seat, [call for call in made if call.seat == seat])

    def _seat(self, record: RunRecord, place: Place, seat: int, calls: list[Call]) -> None:
        about = {
            **self._about_call(calls[0]),
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": f"seat {seat}",
            "moot.run.id": record.id,
            **_seat(seat),
        }
        began, ended = min(one.started_ms for one in calls), max(one.ended_ms for one in calls)
        span = self._start(
            f"invoke_agent seat {seat}",
            place.workflow,
            place.seat(seat).span_id,
            record.started_at + began,
            about,
        )
        failed = all(one.kind for one in calls)
        self._end(span, record.started_at + ended, calls[-1].kind if failed else None)

    def _start(
        self,
        name: str,
        parent: SpanContext | None,
        span_id: int,
        at_ms: int,
        attributes: Attributes,
        kind: SpanKind = SpanKind.INTERNAL,
        trace_id: int = 0,
    ) -> Span:
        """All that is known at the beginning is there at the beginning: samplers look at it."""
        self._ids.choose(trace_id, span_id)
        inside = (
            Context() if parent is None else trace.set_span_in_context(NonRecordingSpan(parent), Context())
        )
        return self._tracer.start_span(name, inside, kind, attributes, start_time=at_ms * 1_000_000)

    def _end(self, span: Span, at_ms: int, failure: str | None) -> None:
        if failure is not None:
            span.set_attribute("error.type", failure)
            span.set_status(Status(StatusCode.ERROR, failure))
        span.end(at_ms * 1_000_000)

    def _place(self, record: RunRecord) -> Place:
        parent = None if record.traceparent is None else _parent_of(record.traceparent)
        trace_id = parent.trace_id if parent else _own_id(record.id, "trace", bits=128)
        inside = None
        if parent is not None:
            inside = trace.set_span_in_context(NonRecordingSpan(parent), Context())
        name = f"invoke_workflow {record.mode}"
        decided = self._provider.sampler.should_sample(
            inside, trace_id, name, SpanKind.INTERNAL, _about_run(record)
        )
        return Place(record.id, trace_id, parent, decided.decision is Decision.RECORD_AND_SAMPLE)

    def _about_call(self, call: Call) -> Attributes:
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider_name(call.model, self._providers),
            "gen_ai.request.model": call.model,
        }


class Place:
    """Where a run's spans stand in its trace."""

    def __init__(self, run_id: str, trace_id: int, parent: SpanContext | None, sampled: bool) -> None:
        self._run_id = run_id
        self.trace_id = trace_id
        self.parent = parent
        self.sampled = sampled
        self.workflow = self._context("workflow")

    def seat(self, seat: int) -> SpanContext:
        return self._context("seat", seat)

    def _context(self, *names: object) -> SpanContext:
        flags = TraceFlags(TraceFlags.SAMPLED if self.sampled else TraceFlags.DEFAULT)
        return SpanContext(self.trace_id, _own_id(self._run_id, *names), is_remote=True, trace_flags=flags)


class ChosenIds(IdGenerator):
    """The ids that the next span is to have."""

    def __init__(self) -> None:
        self._trace = self._span = 0

    def choose(self, trace_id: int, span_id: int) -> None:
        self._trace, self._span = trace_id, span_id

    def generate_trace_id(self) -> int:
        return self._trace

    def generate_span_id(self) -> int:
        return self._span


def _own_id(run_id: str, *names: object, bits: int = 64) -> int:
    digest = sha256("/".join(map(str, (run_id, *names))).encode()).digest()
    return int.from_bytes(digest[: bits // 8]) or 1


def _parent_of(traceparent: str) -> SpanContext | None:
    found = trace.get_current_span(_W3C.extract({"traceparent": traceparent}, Context())).get_span_context()
    return found if found.is_valid else None


def _about_run(record: RunRecord) -> Attributes:
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": record.mode,
        "gen_ai.conversation.id": record.conversation_id,
        "moot.run.id": record.id,
    }


def _seat(seat: int | None) -> Attributes:
    return {} if seat is None else {"moot.seat": seat}


def _outcome(call: Call) -> Attributes:
    """What is known only afterwards. Of `gen_ai.usage`, backends take the keys they know and stumble over
    others."""
    usage = call.usage
    known = {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
        "gen_ai.response.finish_reasons": None if call.finish_reason is None else [call.finish_reason],
        "gen_ai.response.time_to_first_chunk": _seconds(call.started_ms, call.first_token_ms),
        "moot.cost.usd": call.cost,
        "moot.attempts": call.attempts,
    }
    return {name: value for name, value in known.items() if value is not None}


def _seconds(began: int, ended: int | None) -> float | None:
    return None if ended is None else (ended - began) / 1000
