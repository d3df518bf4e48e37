"""Kill the server with SIGKILL in any phase of a dialectic and start it again: the same story, and one trace."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from moot.testing import ModelServerProcess
from tests.test_kill import TITLE, ask, server, story, wait_for

ROLES = {
    "proposerModel": "a/ann",
    "skepticModel": "b/bob",
    "synthesizerModel": "c/cyd",
    "judgeModel": "d/dee",
}
CALLS = 7  # two rounds of two, the synthesis, the grade and the title
SCRIPT = {
    "models": {
        "a/ann": "## Answer\nTabs.",
        "b/bob": "🔴 C1 | The premise | line 1\nScore: 4/10",
        "c/cyd": "## Answer\nTabs, finally.",
        "d/dee": "Score: 7",
    },
    "default": "A Short Title",
}


@pytest.mark.parametrize("answered", [0, 2, 3, 4, 6])
def test_a_server_killed_in_any_phase_leaves_one_trace(answered: int, tmp_path: Path) -> None:
    with ModelServerProcess({**SCRIPT, "hold_after": answered}) as models:
        with server(models, tmp_path, **TITLE) as (address, process):
            run_id = ask(address, "dialectic", **ROLES, maxRounds=2, useTemplates=False)
            wait_for(answered, tmp_path, models)
            process.send_signal(signal.SIGKILL)
            process.wait(10)
        models.release()
        with server(models, tmp_path, **TITLE) as (address, _):
            told = [event["type"] for event in story(address, run_id)]
            with urllib.request.urlopen(f"{address}/api/traces", timeout=10) as answer:
                [trace] = json.load(answer)["traces"]
        received = Counter(request["digest"] for request in models.requests())
        finished = {request["digest"] for request in models.requests()[:answered]}

    round = ["round_start", "proposer_complete", "skeptic_complete", "round_complete"]
    ending = [
        "synthesis_start",
        "synthesis_complete",
        "trace_saved",
        "score_complete",
        "title_complete",
        "complete",
    ]
    assert told == ["dialectic_start", "rag_start", "rag_complete", *round, *round, *ending]
    assert (trace["id"], trace["total_rounds"], trace["auto_score"]) == (run_id, 2, 7.0)
    assert len(received) == CALLS
    assert all(received[digest] == 1 for digest in finished), "a finished call was paid twice"
    assert max(received.values()) <= 2
