"""A collector: receives OTLP over HTTP as OpenTelemetry's own protocol buffers say, and draws what it got.

async with Collector() as collector:
    …run moot with collector.environment…
    print(collector.tree())
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

REQUESTS: dict[str, Any] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}


@dataclass(frozen=True)
class ReceivedSpan:
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    start: int
    end: int
    status: int
    message: str
    attributes: dict[str, Any]


class Collector:
    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.spans: list[ReceivedSpan] = []
        self.metrics: dict[str, list[dict[str, Any]]] = {}
        self.events: list[dict[str, Any]] = []
        self.resource: dict[str, Any] = {}

    async def __aenter__(self) -> Self:
        app = web.Application()
        for path in REQUESTS:
            app.router.add_post(path, self._receive)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "MOOT_TELEMETRY": "true",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }

    async def _receive(self, request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers.get("content-encoding") == "gzip" and body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        self.bodies.append(body)
        message = REQUESTS[request.path]()
        message.ParseFromString(body)
        getattr(self, f"_take_{request.path.rsplit('/', 1)[1]}")(message)
        return web.Response(content_type="application/x-protobuf")

    def _take_traces(self, message: Any) -> None:
        for part in message.resource_spans:
            self.resource = _attributes(part.resource.attributes)
            for span in (span for scope in part.scope_spans for span in scope.spans):
                self.spans.append(
                    ReceivedSpan(
                        name=span.name,
                        trace_id=span.trace_id.hex(),
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex(),
                        kind=span.kind,
                        start=span.start_time_unix_nano,
                        end=span.end_time_unix_nano,
                        status=span.status.code,
                        message=span.status.message,
                        attributes=_attributes(span.attributes),
                    )
                )

    def _take_metrics(self, message: Any) -> None:
        for metric in (m for r in message.resource_metrics for s in r.scope_metrics for m in s.metrics):
            points = metric.histogram.data_points or metric.sum.data_points
            found = [
                {"count": getattr(point, "count", None), **_attributes(point.attributes)} for point in points
            ]
            self.metrics[metric.name] = found

    def _take_logs(self, message: Any) -> None:
        for one in (o for r in message.resource_logs for s in r.scope_logs for o in s.log_records):
            self.events.append(
                {"name": one.event_name, "span": one.span_id.hex(), **_attributes(one.attributes)}
            )

    def tree(self) -> str:
        """The spans as they hang together, in the order they began: seats, steps and models, no times."""
        return "\n".join(self._lines("", ""))

    def _lines(self, parent: str, indent: str) -> Iterable[str]:
        ids = {span.span_id for span in self.spans}
        here = [s for s in self.spans if s.parent_id == parent or (not parent and s.parent_id not in ids)]
        for span in sorted(here, key=lambda s: (s.attributes.get("moot.seat", 99), s.start, s.name)):
            yield f"{indent}{span.name}  {_shown(span)}".rstrip()
            yield from self._lines(span.span_id, indent + "  ")


def _shown(span: ReceivedSpan) -> str:
    names = {
        "status": "moot.status",
        "step": "moot.step",
        "provider": "gen_ai.provider.name",
        "error": "error.type",
    }
    found = {short: span.attributes.get(name) for short, name in names.items()}
    return " ".join(f"{short}={value}" for short, value in found.items() if value is not None)


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, str(kind))
