"""Tracer: tells what an engine does as spans of a trace. A port; `moot.telemetry` is its adapter."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moot.kernel.status import Status
    from moot.kernel.values import Call, Request
    from moot.store import RunRecord

given_traceparent: ContextVar[str | None] = ContextVar("given_traceparent", default=None)
"""What a request said of the trace it belongs to, in W3C's words."""


class Tracer(Protocol):
    def traceparent(self) -> str | None:
        """The trace to which a run that begins now belongs, beyond its own; None if there is no other. It is
        kept with the run: whoever takes it up goes on with the same trace."""

    def call(self, record: RunRecord, call: Call, request: Request) -> None:
        """A call has come to its end, one way or the other."""

    def run_ended(self, record: RunRecord, status: Status, ended_ms: int, calls: Iterable[Call]) -> None:
        """`calls` are all that the run made, whoever worked on it. `ended_ms` is run time."""
