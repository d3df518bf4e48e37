"""Kill the server with SIGKILL in any phase of a dialectic and start it again: the same story, and one trace."""

from __future__ import annotations

import json
import signal
import sqlite3
import urllib.request
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moot.testing import ModelServerProcess
from tests.harness.waiting import PATIENCE, wait_until
from tests.laws.test_kill import TITLE, ask, server, story, wait_for

ROLES = {
    "proposerModel": "a/ann",
    "skepticModel": "b/bob",
    "synthesizerModel": "c/cyd",
    "judgeModel": "d/dee",
}
CALLS = 7  # two rounds of two, the synthesis, the grade and the title
SCRIPT: dict[str, Any] = {
    "models": {
        "a/ann": "## Answer\nTabs.",
        "b/bob": "🔴 C1 | The premise | line 1\nScore: 4/10",
        "c/cyd": "## Answer\nTabs, finally.",
        "d/dee": "Score: 7",
    },
    "default": "A Short Title",
}


ROUND = ["round_start", "proposer_complete", "skeptic_complete", "round_complete"]
TOLD = [
    "dialectic_start",
    "rag_start",
    "rag_complete",
    *ROUND,
    *ROUND,
    "synthesis_start",
    "synthesis_complete",
    "trace_saved",
    "score_complete",
    "title_complete",
    "complete",
]


def traces(address: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{address}/api/traces", timeout=PATIENCE) as answer:
        found: list[dict[str, Any]] = json.load(answer)["traces"]
    return found


@pytest.mark.parametrize(
    "answered",
    [
        pytest.param(0, id="in the first proposal"),
        pytest.param(2, id="in the first critique"),
        pytest.param(3, id="in the second proposal"),
        pytest.param(4, id="in the second critique"),
        pytest.param(5, id="in the synthesis"),
        pytest.param(6, id="while it is graded"),
    ],
)
def test_a_server_killed_in_any_phase_leaves_one_trace(answered: int, tmp_path: Path) -> None:
    with ModelServerProcess({**SCRIPT, "hold_after": answered}) as models:
        with server(models, tmp_path, **TITLE) as (address, process):
            run_id = ask(address, "dialectic", **ROLES, maxRounds=2, useTemplates=False)
            wait_for(answered, tmp_path, models)
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
        models.release()
        with server(models, tmp_path, **TITLE) as (address, _):
            told = [event["type"] for event in story(address, run_id)]
            [trace] = traces(address)
        received = Counter(request["digest"] for request in models.requests())
        finished = {request["digest"] for request in models.requests()[:answered]}

    assert told == TOLD
    assert (trace["id"], trace["total_rounds"], trace["auto_score"]) == (run_id, 2, 7.0)
    assert len(received) == CALLS
    assert all(received[digest] == 1 for digest in finished), "a finished call was paid twice"
    assert max(received.values()) <= 2


def test_a_server_killed_while_it_looks_for_templates_looks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_EMBEDDER", "e/embed")
    silent = {**SCRIPT, "models": {**SCRIPT["models"], "e/embed": {"hang": True}}}
    with ModelServerProcess(silent) as models:
        with server(models, tmp_path) as (address, process):
            run_id = ask(address, "dialectic", **ROLES, maxRounds=2, minSimilarity=0.1)
            until_committed("SELECT 1 FROM events WHERE type = 'rag_start'", tmp_path)
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
        models.script(SCRIPT)
        with server(models, tmp_path) as (address, _):
            events = story(address, run_id)
            [trace] = traces(address)
    assert [event["type"] for event in events] == TOLD
    assert events[2]["data"]["templates"]
    assert trace["templates_used"] == [one["id"] for one in events[2]["data"]["templates"]]


def until_committed(query: str, folder: Path) -> None:
    def is_so() -> bool:
        with closing(sqlite3.connect(folder / "moot.db")) as database:
            return database.execute(query).fetchone() is not None

    wait_until(is_so)
