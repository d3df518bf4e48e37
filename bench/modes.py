"""Overhead of every mode: wall time over the time in which some call was under way.

That time is the critical path: the slowest call of each stage, one after the other; in a task graph its
longest chain. Calls take 50 ms each, from the moment the model server got them to the moment it replied; its
timer counts whole milliseconds, so it may be 51.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import orjson

from bench.processes import free_port, moot_server, process

NAMES = ("ada", "bo", "cleo", "dov", "eli", "fay")
QUESTION = """Should a small team move its web shop to microservices?

The shop was founded in 2012 and serves 40,000 customers in three countries. Its monolith has 120,000 lines, \
and a release takes two days. Five developers work on it; two of them know the payment code."""
ROUNDS = 9


@contextmanager
def simulated(latency_ms: float) -> Iterator[str]:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "bench.simulated", "--port", str(port), "--latency-ms", str(latency_ms)]
    with process(command, f"{base}/__calls"):
        yield base


def under_way(calls: Sequence[tuple[float, float]]) -> float:
    """How long at least one call was being answered."""
    total, until = 0.0, 0.0
    for came, sent in sorted(calls):
        total += max(0.0, sent - max(came, until))
        until = max(until, sent)
    return total


class Client:
    """One kept connection, so that opening it is no part of what is measured."""

    def __init__(self, address: str) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=60)

    def fetch(self, path: str, body: Any = None) -> bytes:
        method = "GET" if body is None else "POST"
        self._connection.request(method, path, None if body is None else orjson.dumps(body))
        return self._connection.getresponse().read()


def measure(mode: str, moot: Client, models: Client) -> tuple[float, float, str]:
    """Wall time, critical path, and how the run ended."""
    models.fetch("/__reset", {})
    started = time.perf_counter()
    stream = moot.fetch("/api/council/stream", {"question": QUESTION, "mode": mode})
    wall = time.perf_counter() - started
    ended = stream.rsplit(b"event: ", 1)[1].split(b"\n", 1)[0].decode()
    return wall, under_way(orjson.loads(models.fetch("/__calls"))), ended


def table(folder: str, latency_ms: float = 50) -> Iterator[tuple[str, float, str]]:
    """Each mode with its median ratio and how its runs ended, after one warm-up run."""
    from moot.modes import MODES

    panel = {"MOOT_DEFAULT_MODELS": ",".join(f"x/{name}" for name in NAMES)}
    with simulated(latency_ms) as base, moot_server(base, folder, panel) as (address, _):
        moot, models = Client(address), Client(base)
        for mode in MODES:
            measure(mode, moot, models)
            runs = [measure(mode, moot, models) for _ in range(ROUNDS)]
            yield mode, statistics.median(wall / path for wall, path, _ in runs), runs[-1][2]
