"""The way out: spans, metrics and events to an OTLP endpoint, as the variables OTEL_… say.

Everything is handed to threads of the SDK, which send it in batches and drop what a slow collector does not
take: a deliberation never waits for its trace.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from moot.kernel.errors import MootError
from moot.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk.resources import Resource

    from moot.telemetry.tracing import RunTracer

MISSING = "Telemetry is switched on, but its packages are missing: pip install 'moot[otel]'"


@asynccontextmanager
async def open_tracer(settings: Settings) -> AsyncIterator[RunTracer]:
    """What is still to be sent is sent at the end. Raises MootError without the packages it needs."""
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MootError(MISSING) from None
    from moot.telemetry.content import Content
    from moot.telemetry.instruments import Instruments
    from moot.telemetry.tracing import ChosenIds, RunTracer

    resource = Resource.create()
    if str(resource.attributes["service.name"]).startswith("unknown_service"):  # nobody has named it
        resource = resource.merge(Resource({"service.name": "moot", "service.version": version("moot")}))
    ids = ChosenIds()
    tracing = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
    tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    measures = settings.metrics_exporter != "none"
    readers = [PeriodicExportingMetricReader(OTLPMetricExporter())] if measures else []
    metering = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
    captured = settings.capture_message_content
    logging = _events(resource) if captured in ("EVENT_ONLY", "SPAN_AND_EVENT") else None
    content = Content(captured, None if logging is None else logging.get_logger("moot"))
    instruments = Instruments(metering.get_meter("moot"))
    try:
        yield RunTracer(tracing, ids, instruments, content, settings.known_providers())
    finally:
        for ending in (tracing, metering, logging):
            if ending is not None:
                await asyncio.to_thread(ending.shutdown)


def _events(resource: Resource) -> LoggerProvider:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

    events = LoggerProvider(resource=resource, shutdown_on_exit=False)
    events.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    return events
