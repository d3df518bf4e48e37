"""Metrics of the GenAI conventions: how long calls took, when their first word came, what they used."""

from __future__ import annotations

from typing import Any

from opentelemetry.metrics import Meter

from moot.kernel.status import Status
from moot.kernel.values import Call

SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
RUN_SECONDS = [1, 2, 5, 10, 20, 40, 60, 120, 300, 600, 1800]


class Instruments:
    """No attribute ever names a run, a person or a question."""

    def __init__(self, meter: Meter) -> None:
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "How long calls took.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._first_chunk = meter.create_histogram(
            "gen_ai.client.operation.time_to_first_chunk",
            "s",
            "From sending a call to its first word.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", "{token}", "Tokens used.", explicit_bucket_boundaries_advisory=TOKENS
        )
        self._cost = meter.create_counter("moot.cost", "{USD}", "Dollars spent, where known.")
        self._runs = meter.create_histogram(
            "moot.run.duration", "s", "How long runs took.", explicit_bucket_boundaries_advisory=RUN_SECONDS
        )

    def call(self, call: Call, about: dict[str, Any]) -> None:
        failure = {} if call.kind is None else {"error.type": call.kind}
        self._duration.record(call.response_time_ms / 1000, {**about, **failure})
        if call.first_token_ms is not None:
            self._first_chunk.record((call.first_token_ms - call.started_ms) / 1000, about)
        for kind, count in (("input", call.usage.prompt_tokens), ("output", call.usage.completion_tokens)):
            if count is not None:
                self._tokens.record(count, {**about, "gen_ai.token.type": kind})
        if call.cost:
            self._cost.add(call.cost, about)

    def run(self, mode: str, status: Status, seconds: float) -> None:
        self._runs.record(seconds, {"gen_ai.workflow.name": mode, "moot.status": status})
