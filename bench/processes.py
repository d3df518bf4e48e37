"""Processes under measurement: started on loopback, measured from outside, ended by us."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import orjson


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far, by Linux's clock of another process."""
    return time.clock_gettime((~pid << 3) | 2)


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@contextlib.contextmanager
def process(arguments: list[str], ready: str, environment: dict[str, str] | None = None) -> Iterator[int]:
    """A process that answers at `ready`; yields its id."""
    started = subprocess.Popen(
        arguments,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("BENCH_LOUD") else subprocess.DEVNULL,
    )
    try:
        _await(ready)
        yield started.pid
    finally:
        started.terminate()
        try:
            started.wait(10)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def _await(url: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1) as reply:
            if reply.status == 200:
                return
        time.sleep(0.02)
    raise SystemExit(f"nothing answers at {url}")


@contextlib.contextmanager
def upstream() -> Iterator[str]:
    """The scripted models; yields their base address."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    arguments = [sys.executable, str(Path(__file__).with_name("upstream.py")), "--port", str(port)]
    with process(arguments, f"{base}/__stats"):
        yield base


def configure(base: str, **behaviour: object) -> None:
    body = orjson.dumps({"default": behaviour})
    request = urllib.request.Request(f"{base}/__config", data=body, method="PUT")
    urllib.request.urlopen(request, timeout=5).close()


@contextlib.contextmanager
def moot_server(base: str, folder: str, more: dict[str, str] | None = None) -> Iterator[tuple[str, int]]:
    """`moot serve` on a fresh database, with the scripted models as its OpenRouter."""
    port = free_port()
    environment = {
        "OPENROUTER_API_KEY": "bench",
        "OPENROUTER_BASE_URL": f"{base}/v1",
        "DATABASE_URL": f"sqlite:///{folder}/bench.db",
        "MOOT_CONCURRENCY": "20000",
        "XDG_CONFIG_HOME": folder,
        "MOOT_LOG_LEVEL": "error",
        **(more or {}),
    }
    arguments = [str(Path(sys.executable).with_name("moot")), "serve", "--port", str(port)]
    address = f"http://127.0.0.1:{port}"
    with process(arguments, f"{address}/healthz", environment) as pid:
        yield address, pid
