"""What Prometheus reads: every figure there, and nothing that names a run or a person."""

from __future__ import annotations

import re

from moot.metrics import exposition
from moot.metrics.exposition import Counter, Histogram
from tests.http.door import Door, script

LINE = re.compile(
    r'([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? (-?[0-9.e+-]+)'
)


def figures(text: str) -> dict[str, float]:
    """Every sample by its name and labels; fails where a line is not one."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("# "):
            match = LINE.fullmatch(line)
            assert match is not None, line
            found[match[1] + (match[2] or "")] = float(match[3])
    return found


async def test_a_run_is_counted_with_its_calls_times_and_tokens(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        told = await door.ask(mode="vote", modeConfig={"councilModels": ["ann", "bob", "cyd"]})
        async with door.session.get("/metrics") as response:
            assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
            text = await response.text()
    seen = figures(text)
    assert seen['moot_runs_total{mode="vote",status="complete"}'] == 1
    assert sum(value for name, value in seen.items() if name.startswith("moot_calls_total")) == 7
    assert seen['moot_calls_total{provider="none",model="ann",outcome="answered"}'] == 2
    assert seen['moot_first_token_seconds_count{provider="none"}'] == 7
    stages = {name for name in seen if name.startswith("moot_stage_seconds_count")}
    assert len(stages) >= 2
    assert seen["moot_runs_running"] == 0
    assert seen["moot_open_streams"] == 0
    assert ("moot_queue_runs" in text) == store_url.startswith("postgres")
    assert told.frames[0]["runId"] not in text


def test_buckets_count_all_that_took_at_most_so_long() -> None:
    times = Histogram("t", "Times.", ("mode",), (1, 2.5))
    for value in (0.5, 1, 2, 9):
        times.observe(value, "vote")
    assert list(times.lines())[2:] == [
        't_bucket{mode="vote",le="1"} 2',
        't_bucket{mode="vote",le="2.5"} 3',
        't_bucket{mode="vote",le="+Inf"} 4',
        't_sum{mode="vote"} 12.5',
        't_count{mode="vote"} 4',
    ]


def test_hostile_names_stay_in_their_quotes_and_do_not_grow_without_end() -> None:
    counter = Counter("c", "Counts.", ("model",))
    counter.add('a"} 1\nroot{x="\\')
    assert list(counter.lines())[2:] == ['c{model="a\\"} 1\\nroot{x=\\"\\\\"} 1']
    for number in range(exposition.MOST_SERIES + 50):
        counter.add(str(number))
    lines = list(counter.lines())
    assert len(lines) == exposition.MOST_SERIES + 3
    assert 'c{model="other"} 51' in lines
