"""What models are asked and answer, for whoever has switched that on: on the span, as an event, or both."""

from __future__ import annotations

from typing import Any

import orjson
from opentelemetry import trace
from opentelemetry._logs import Logger, LogRecord
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext

from moot.kernel.values import Call, Request
from moot.settings.table import CapturedContent

EVENT = "gen_ai.client.inference.operation.details"


class Content:
    def __init__(self, captured: CapturedContent, logger: Logger | None) -> None:
        self.on_span = captured in ("SPAN_ONLY", "SPAN_AND_EVENT")
        self.on_event = captured in ("EVENT_ONLY", "SPAN_AND_EVENT")
        self._logger = logger

    def emit(self, span: SpanContext, attributes: dict[str, Any]) -> None:
        assert self._logger is not None
        inside = trace.set_span_in_context(NonRecordingSpan(span), Context())
        self._logger.emit(LogRecord(context=inside, event_name=EVENT, attributes=attributes))


def message_attributes(call: Call, request: Request) -> dict[str, str]:
    """The messages as the conventions have them, each a JSON text."""
    turns = [_message(one.role, one.content) for one in request.messages if one.role != "system"]
    system = [_part(one.content) for one in request.messages if one.role == "system"]
    said = [_part(call.reasoning, "reasoning")] if call.reasoning else []
    said += [_part(call.text)] if call.text else []
    reply = [{"role": "assistant", "parts": said, "finish_reason": call.finish_reason or "error"}]
    parts: dict[str, Any] = {"gen_ai.input.messages": turns, "gen_ai.output.messages": reply}
    if system:
        parts["gen_ai.system_instructions"] = system
    return {name: orjson.dumps(value).decode() for name, value in parts.items()}


def _message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [_part(content)]}


def _part(content: str, kind: str = "text") -> dict[str, str]:
    return {"type": kind, "content": content}
