"""`make bench`: what deliberating costs, as ratios to a bare script in one run; writes docs/benchmarks.md.

The critical path is the sum of the slowest call of each stage: three times the models' latency.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench import insight, modes, openai_door, page, report
from bench.council import bare, cpu_ms, many, most_memory
from bench.figures import Figure, printed, ratio
from bench.processes import configure, cpu_seconds, moot_server, resident_mb, upstream

ONE_PIECE = 1000


def overhead(base: str, address: str, latency_ms: int, count: int) -> Iterator[Figure]:
    path = 3 * latency_ms / 1000
    goals = {(50, ONE_PIECE): 1.05, (50, 1): 1.06, (1000, ONE_PIECE): 1.01}
    for words in (ONE_PIECE, 1):
        configure(base, latency_ms=latency_ms, chunk_words=words)
        timings, _ = many(address, count, 1)
        by_hand = bare(base, count, 1)["median_s"] / path
        how = "one piece" if words == ONE_PIECE else "word by word"
        name = f"wall over critical path, council, {latency_ms} ms a call, {how}"
        value = median(timing.wall for timing in timings) / path
        yield Figure(name, value, goals.get((latency_ms, words)), beside=f"bare script {by_hand:.3f}")


def cost(base: str, address: str, pid: int, count: int) -> Iterator[Figure]:
    """Processor time of a deliberation, over that of the bare script."""
    for words, goal in ((ONE_PIECE, 3.5), (1, 6.0)):
        configure(base, chunk_words=words)
        many(address, 20, 20)
        against, mine, by_hand = ratio(
            lambda: cpu_ms(address, pid, count), lambda: bare(base, count, 20, whole=True)["cpu_ms"]
        )
        chunks = "one piece" if words == ONE_PIECE else "300 chunks a reply"
        name = f"CPU a deliberation over the bare unstreamed script, {chunks}"
        yield Figure(name, against, goal, beside=f"{mine:.2f} / {by_hand:.2f} ms")
    against, mine, by_hand = ratio(
        lambda: cpu_ms(address, pid, count), lambda: bare(base, count, 20)["cpu_ms"]
    )
    name = "CPU a deliberation over the bare streaming script, 300 chunks a reply"
    yield Figure(name, against, 0.6, beside=f"{mine:.2f} / {by_hand:.2f} ms")


def chunks(base: str, address: str, pid: int) -> Iterator[Figure]:
    """Twenty councils whose models speak 200 words a second, each read token by token."""
    configure(base, tps=200)
    a_council = bare(base, 20, 20)["chunks"]
    against, mine, by_hand = ratio(
        lambda: cpu_ms(address, pid, 20, tokens=True) * 1000 / a_council,
        lambda: bare(base, 20, 20)["cpu_ms"] * 1000 / a_council,
    )
    name = "CPU a chunk, through to the reader, 200 a second, over the bare script"
    yield Figure(name, against, 1.2, beside=f"{mine:.1f} / {by_hand:.1f} µs")


def load(base: str, address: str, pid: int, count: int) -> Iterator[Figure]:
    for words, goal in ((ONE_PIECE, 1.08), (1, 1.15)):
        configure(base, latency_ms=3000, chunk_words=words)
        timings, wall = many(address, count, count)
        failed = sum(not timing.ok for timing in timings)
        by_hand = bare(base, count, count)["wall_s"]
        how = "one piece" if words == ONE_PIECE else "word by word"
        name = f"{count} at once, 3 s a call, {how}: wall over the bare script's"
        beside = f"{wall:.1f} / {by_hand:.1f} s, {failed} failed"
        yield Figure(name, wall / by_hand if not failed else float("inf"), goal, beside=beside)


def memory(base: str, folder: str, counts: tuple[int, ...]) -> Iterator[Figure]:
    """Each on a fresh server that has seen a few runs: what memory a process has had, it keeps."""
    configure(base, latency_ms=2000, chunk_words=ONE_PIECE)
    for count in counts:
        with moot_server(base, tempfile.mkdtemp(dir=folder)) as (address, pid):
            many(address, 20, 20)
            before, most, timings, _ = most_memory(address, pid, count)
        failed = sum(not timing.ok for timing in timings)
        kilobytes = (most - before) * 1024 / count
        yield Figure(
            f"kB a deliberation in flight, {count} at once", kilobytes, 150, beside=f"{failed} failed"
        )


def growth(base: str, address: str, pid: int, runs: int) -> Iterator[Figure]:
    """After the first thousand; deliberations of a kilobyte or two, twenty at once."""
    configure(base, tokens=60, chunk_words=ONE_PIECE)
    many(address, 1000, 20)
    before = resident_mb(pid)
    many(address, runs, 20)
    kilobytes = max((resident_mb(pid) - before) * 1024 / runs, 0.0)
    yield Figure(f"growth over {runs} runs after the first thousand, kB a run", kilobytes, 0.1)


def start_up(address: str, pid: int, ready: float, idle: float) -> Iterator[Figure]:
    yield Figure("CPU of `import moot`", _cpu(sys.executable, "-c", "import moot"), 0.1, "s")
    moot = str(Path(sys.executable).with_name("moot"))
    yield Figure("CPU of `moot --help`", _cpu(moot, "--help"), 0.3, "s")
    yield Figure("CPU of `moot serve` until ready", ready, 0.7, "s")
    yield Figure("resident memory of an idle server", idle, 70, "MB")


def first_event(base: str, address: str) -> Iterator[Figure]:
    configure(base, latency_ms=50)
    timings, _ = many(address, 30, 1)
    yield Figure("request to first event", median(one.first for one in timings) * 1000, 2, "ms")


def _cpu(*command: str) -> float:
    def used() -> float:
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    spent = []
    for _ in range(5):
        before = used()
        subprocess.run(command, capture_output=True, check=True)
        spent.append(used() - before)
    return median(spent)


def every_mode(folder: str) -> Iterator[Figure]:
    for mode, value, end in modes.table(folder):
        name = f"wall over critical path, {mode}, 50 ms a call"
        yield Figure(name, value if end == "complete" else float("inf"), 1.07)


def on_the_page(base: str, address: str) -> Iterator[Figure]:
    with page.browser() as opened:
        if opened is None:
            print("the page is not measured: there is no chromium", flush=True)
            return
        yield Figure("first paint of the page, nothing cached", page.first_paint(opened, address), 1000, "ms")
        frames = page.smoothness(opened, base, address)
        name = f"longest frame of the page, {frames.columns} seats at 50 words a second"
        yield Figure(
            name, frames.slowest_ms, None, "ms", f"{frames.a_second:.1f} frames a second, at least 50"
        )


def insights(folder: str) -> Iterator[Figure]:
    found = insight.measure(folder)
    name = f"insight over {insight.DELIBERATIONS} deliberations"
    yield Figure(name, found.median * 1000, 300, "ms", f"first time {found.first:.1f} s")


def measured(folder: str, chosen: argparse.Namespace) -> Iterator[Figure]:
    with upstream() as base:
        with moot_server(base, folder):
            pass  # makes the database: what is measured is a start on one that is there
        with moot_server(base, folder) as (address, pid):
            yield from start_up(address, pid, cpu_seconds(pid), resident_mb(pid))
            yield from first_event(base, address)
            yield from overhead(base, address, 50, 40)
            if not chosen.short:
                yield from overhead(base, address, 1000, 5)
            yield from cost(base, address, pid, chosen.deliberations)
            yield from chunks(base, address, pid)
            yield from openai_door.figures(base, address, pid, chosen.deliberations)
            yield from growth(base, address, pid, chosen.growth)
            yield from on_the_page(base, address)
        with moot_server(base, tempfile.mkdtemp(dir=folder)) as (address, pid):
            yield from load(base, address, pid, chosen.at_once)
        yield from memory(base, folder, (200, chosen.at_once))
    yield from every_mode(tempfile.mkdtemp(dir=folder))
    if not chosen.short:
        yield from insights(tempfile.mkdtemp(dir=folder))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--at-once", type=int, default=1000)
    parser.add_argument("--deliberations", type=int, default=100, help="for each of five rounds")
    parser.add_argument("--growth", type=int, default=4000, help="runs over which growth is measured")
    parser.add_argument("--short", action="store_true", help="leave out what takes longest")
    chosen = parser.parse_args()
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        figures = list(printed(measured(folder, chosen)))
    report.keep("ours", [figure.as_json() for figure in figures], load_before)
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
