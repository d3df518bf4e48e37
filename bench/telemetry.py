"""What OpenTelemetry costs: off, over the same code without it; and on, over off.

    python -m bench.telemetry --write       make telemetry-cost

The code without it is a copy of the package in which every branch that asks for a tracer is cut out. All
three servers are measured in turn, so that what else the machine does meets them alike.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from statistics import median
from textwrap import fill
from threading import Thread
from typing import Any

from bench.council import cpu_ms, many
from bench.pages import rewrite
from bench.processes import configure, moot_server, upstream

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "opentelemetry.md"
ROUNDS = 15
SERVERS = "off", "without", "on"


class WithoutTracer(ast.NodeTransformer):
    """Cuts out `if … tracer is not None: …`, and takes what stands for `tracer is None`."""

    def __init__(self) -> None:
        self.cuts = 0

    def visit_If(self, node: ast.If) -> Any:
        if not _asks_for_tracer(node.test, ast.IsNot) or node.orelse:
            return self.generic_visit(node)
        self.cuts += 1
        return ast.Pass()

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if not _asks_for_tracer(node.test, ast.Is):
            return self.generic_visit(node)
        self.cuts += 1
        return node.body


def _asks_for_tracer(test: ast.expr, kind: type[ast.cmpop]) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], kind)
        and isinstance(test.left, ast.Attribute)
        and test.left.attr.lstrip("_") == "tracer"
    )


def cut_out(folder: Path) -> int:
    """Put a copy of the package without the tracer into this folder; how many places were cut."""
    shutil.copytree(ROOT / "src" / "moot", folder / "moot", ignore=shutil.ignore_patterns("__pycache__"))
    cuts = 0
    for file in sorted((folder / "moot").rglob("*.py")):
        text = file.read_text("utf-8")
        if "tracer" in text:
            cutter = WithoutTracer()
            changed = ast.fix_missing_locations(cutter.visit(ast.parse(text)))
            file.write_text(ast.unparse(changed), "utf-8")
            cuts += cutter.cuts
    return cuts


@contextmanager
def sink() -> Iterator[str]:
    """A collector that takes everything and keeps nothing."""

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *words: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def measure(count: int) -> dict[str, list[float]]:
    """Milliseconds of processor time for one council, at each server, round by round."""
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder, upstream() as base, sink() as collector:
        copy = Path(folder) / "without"
        cuts = cut_out(copy)
        print(f"{cuts} places ask for a tracer", flush=True)
        more = {
            "off": {},
            "without": {"PYTHONPATH": str(copy)},
            "on": {"MOOT_TELEMETRY": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": collector},
        }
        configure(base, chunk_words=1000)
        folders = {name: tempfile.mkdtemp(dir=folder) for name in SERVERS}
        with (
            moot_server(base, folders["off"], more["off"]) as off,
            moot_server(base, folders["without"], more["without"]) as without,
            moot_server(base, folders["on"], more["on"]) as on,
        ):
            servers = {"off": off, "without": without, "on": on}
            for address, _ in servers.values():
                many(address, 100, 20)
            found: dict[str, list[float]] = {name: [] for name in servers}
            for turn in range(ROUNDS):
                names = SERVERS[turn % 3 :] + SERVERS[: turn % 3]
                for name in names:
                    found[name].append(cpu_ms(*servers[name], count))
        return found


def told(found: dict[str, list[float]]) -> str:
    off, on = _ratios(found["off"], found["without"]), _ratios(found["on"], found["off"])
    sentences = (
        "Nothing of OpenTelemetry is imported while it is off, and a call costs one comparison more.",
        f"Measured by `make telemetry-cost` over {ROUNDS} rounds, a council takes {median(off):.3f} times",
        "the processor time that it takes in the same code with these comparisons cut out",
        f"(between {min(off):.2f} and {max(off):.2f}). Switched on, it takes {median(on):.2f} times what it",
        f"takes off (between {min(on):.2f} and {max(on):.2f}; with opentelemetry-sdk",
        f"{version('opentelemetry-sdk')}).",
    )
    return fill(" ".join(sentences), 120, break_on_hyphens=False)


def _ratios(mine: list[float], yardstick: list[float]) -> list[float]:
    return [one / other for one, other in zip(mine, yardstick, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.telemetry", description=__doc__)
    parser.add_argument("--deliberations", type=int, default=40, help="in each round, at each server")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/opentelemetry.md")
    chosen = parser.parse_args()
    found = measure(chosen.deliberations)
    for name, rounds in found.items():
        print(f"{name:<8} {median(rounds):.2f} ms a council")
    print(told(found))
    if chosen.write:
        rewrite(PAGE, "telemetry-cost", told(found))


if __name__ == "__main__":
    main()
