"""`make bench-peers`: the same council on other people's work; writes its part of docs/benchmarks.md.

Each is installed from PyPI into an environment of its own, kept in build/bench-peers for the next time.
One that cannot be installed, or does not run, is reported as such.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench import report
from bench.council import cpu_ms, many
from bench.processes import configure, moot_server, upstream

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / "build" / "bench-peers"
LATENCY_MS = 50
PATH_SECONDS = 3 * LATENCY_MS / 1000
SECONDS = 300


class Peer(NamedTuple):
    """`saver`: what LangGraph keeps its checkpoints in."""

    name: str
    what: str
    adapter: str
    packages: tuple[str, ...]
    saver: str = ""


BY_HAND = ("aiohttp", "orjson", "uvloop")
LANGGRAPH = ("langgraph", "langchain-openai", "langgraph-checkpoint-sqlite")
PEERS = (
    Peer("bare asyncio", "a protocol by hand; stores nothing, serves nobody", "bare_asyncio", BY_HAND),
    Peer("bare aiohttp", "a script by hand; stores nothing, serves nobody", "bare_aiohttp", BY_HAND),
    Peer("LangGraph", "in process; stores nothing", "langgraph_council", LANGGRAPH),
    Peer("LangGraph, saver", "in process; checkpoints in SQLite", "langgraph_council", LANGGRAPH, "sqlite"),
    Peer("DBOS", "in process; durable steps in SQLite", "dbos_council", ("dbos", "aiohttp", "orjson")),
    Peer("llm-council-core", "in process; makes no title", "council_core", ("llm-council-core",)),
    Peer("pydantic-ai", "in process; stores nothing", "pydantic_ai_council", ("pydantic-ai-slim[openai]",)),
    Peer("openai-agents", "in process; stores nothing", "openai_agents_council", ("openai-agents",)),
    Peer(
        "autogen",
        "in process; stores nothing",
        "autogen_council",
        ("autogen-agentchat", "autogen-ext[openai]"),
    ),
)


class NotMeasured(Exception):
    """Why a peer has no figures."""


def environment(peer: Peer) -> Path:
    """The interpreter of its environment, which is made if it is not there."""
    folder = ENVIRONMENTS / "-".join(package.partition("[")[0] for package in peer.packages[:1])
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        command = [str(python), "-m", "pip", "install", "-q", *peer.packages]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
        if done.returncode:
            raise NotMeasured(f"cannot be installed ({_last_line(done.stderr)})")
        (folder / "installed").touch()
    return python


def versions(python: Path, packages: tuple[str, ...]) -> str:
    names = [package.partition("[")[0] for package in packages]
    found = f"[n + ' ' + version(n) for n in {names}]"
    code = f"from importlib.metadata import version; print(', '.join({found}))"
    return subprocess.run(
        [str(python), "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def measure(peer: Peer, base: str, folder: str) -> dict[str, Any]:
    python = environment(peer)
    with tempfile.TemporaryFile("w+") as errors:
        worker = subprocess.Popen(
            [str(python), str(HERE / "worker.py"), peer.adapter, f"{base}/v1", folder],
            env={**os.environ, "SAVER": peer.saver, "HOME": folder, "OPENAI_API_KEY": "x"},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            configure(base, latency_ms=LATENCY_MS)
            wall = _answer(worker, "one by one", errors)["wall_s"]
            configure(base)
            spent = _answer(worker, "together", errors)["cpu_ms"]
        finally:
            worker.kill()
            worker.wait()
    return {"over_path": wall / PATH_SECONDS, "cpu_ms": spent, "versions": versions(python, peer.packages)}


def _answer(worker: subprocess.Popen[str], command: str, errors: Any) -> dict[str, float]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        worker.stdin.write(f"{command}\n")
        worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        errors.seek(0)
        raise NotMeasured(f"does not run ({_last_line(errors.read())})")
    return dict(json.loads(line))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "no reason given"


def ourselves(base: str, folder: str) -> dict[str, Any]:
    with moot_server(base, folder) as (address, pid):
        configure(base, latency_ms=LATENCY_MS, chunk_words=1000)
        many(address, 3, 1)
        timings, _ = many(address, 15, 1)
        configure(base, chunk_words=1000)
        spent = median(cpu_ms(address, pid, 12, 16) for _ in range(5))
    wall = median(timing.wall for timing in timings)
    return {"over_path": wall / PATH_SECONDS, "cpu_ms": spent, "versions": ""}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    options.add_argument("--only", default="", help="names, comma-separated")
    only = {name.strip() for name in options.parse_args().only.split(",") if name.strip()}
    load = os.getloadavg()[0]
    rows: list[dict[str, Any]] = []
    with upstream() as base:
        with tempfile.TemporaryDirectory(prefix="moot-peers-") as folder:
            what = "HTTP, server-sent events, SQLite `FULL` before anyone is told"
            rows.append({"name": "moot", "what": what, **ourselves(base, folder)})
        for peer in PEERS:
            if only and peer.name not in only:
                continue
            row: dict[str, Any] = {"name": peer.name, "what": peer.what}
            try:
                with tempfile.TemporaryDirectory(prefix="moot-peers-") as folder:
                    row |= measure(peer, base, folder)
            except (NotMeasured, subprocess.SubprocessError) as error:
                row["problem"] = str(error)
            rows.append(row)
            print(row, flush=True)
    report.keep("peers", rows, load)


if __name__ == "__main__":
    main()
