"""Kill the server with SIGKILL after n calls of a four-seat debate and start it again: the same story."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from moot.testing import ModelServer, ModelServerProcess
from tests.harness.waiting import PATIENCE, wait_until

PANEL = ["a/ann", "b/bob", "c/cyd", "d/dee"]
CALLS = 13  # four answers, four revisions, four votes and the title
RULES = [
    {"contains": "VOTE:", "reply": "It is the best.\nVOTE: Response B"},
    {"contains": "DECISION:", "reply": "DECISION: REVISE\nREASONING: better\n\nREVISED RESPONSE:\nRevised."},
    {"contains": "brief title", "reply": "Tabs Or Spaces"},
]
TITLE = {"MOOT_TITLE_MODEL": "t/title", "MOOT_LEASE_SECONDS": "3600"}
TOLD = [
    "debate_start",
    "round1_start",
    "round1_complete",
    "revision_start",
    "revision_complete",
    "vote_start",
    "vote_complete",
    "winner_declared",
    "title_complete",
    "complete",
]


@contextmanager
def server(
    models: ModelServerProcess | ModelServer, folder: Path, **settings: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A moot server on this folder's database; yields its address."""
    environment = {
        **os.environ,
        **models.environment,
        "DATABASE_URL": f"sqlite:///{folder / 'moot.db'}",
        "XDG_CONFIG_HOME": str(folder),
        "MOOT_PORT": "0",
        **settings,
    }
    moot = str(Path(sys.executable).with_name("moot"))
    process = subprocess.Popen([moot, "serve"], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1], process
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


def ask(address: str, mode: str = "debate", **config: Any) -> str:
    """Start a deliberation and leave as soon as it has begun; the run's id."""
    body = {"question": "Tabs or spaces?", "mode": mode, "modeConfig": config or {"models": PANEL}}
    request = urllib.request.Request(f"{address}/api/council/stream", json.dumps(body).encode())
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=PATIENCE) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                return str(json.loads(line[6:])["runId"])
    raise AssertionError("the stream ended before it began")


def story(address: str, run_id: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{address}/api/runs/{run_id}/events", timeout=PATIENCE) as stream:
        return [json.loads(line[6:]) for line in stream if line.startswith(b"data: ")]


def numbers(address: str, run_id: str) -> list[int]:
    with urllib.request.urlopen(f"{address}/api/runs/{run_id}/events", timeout=PATIENCE) as stream:
        return [int(line[4:]) for line in stream if line.startswith(b"id: ")]


def committed(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "moot.db")) as database:
        return int(database.execute("SELECT count(*) FROM calls").fetchone()[0])


def wait_for(count: int, folder: Path, models: ModelServerProcess) -> None:
    def is_so() -> bool:
        held = sum(call["outcome"] == "held" for call in models.requests())
        return committed(folder) == count and bool(held or count == CALLS)

    wait_until(is_so)


def test_a_server_killed_after_n_calls_tells_the_same_story(killed_after: int, tmp_path: Path) -> None:
    script = {"rules": RULES, "default": "First answer.", "hold_after": killed_after}
    with ModelServerProcess(script) as models:
        with server(models, tmp_path, **TITLE) as (address, process):
            run_id = ask(address)
            wait_for(killed_after, tmp_path, models)
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
        models.release()
        with server(models, tmp_path, **TITLE) as (address, _):
            told = story(address, run_id)  # which comes to no end if it waits for the lease's
            assert numbers(address, run_id) == list(range(1, len(TOLD) + 1))
        requests = models.requests()

    assert [event["type"] for event in told] == TOLD
    assert told[4]["data"]["summary"]["revised"] == 4
    assert told[6]["data"]["validVoteCount"] == 4
    received = Counter(request["digest"] for request in requests)
    assert len(received) == CALLS
    finished = {request["digest"] for request in requests[:killed_after]}
    assert all(received[digest] == 1 for digest in finished), "a finished call was paid twice"
    assert max(received.values()) <= 2
