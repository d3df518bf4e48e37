"""moot batch in a process of its own, killed and started again."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from moot.testing import ModelServer
from moot.testing.replies import Rule, Script
from tests.cli.command import QUICK, Command
from tests.harness.waiting import PATIENCE

PANEL = "a/ann,b/bob,c/cyd"
CALLS = 7
WORDS = ("batch", "questions.jsonl", "--mode", "vote", "--models")


def write(home: Path, *lines: str) -> None:
    (home / "questions.jsonl").write_text("".join(f"{line}\n" for line in lines))


def test_outcomes_go_to_stdout_and_progress_to_stderr(tmp_path: Path) -> None:
    write(tmp_path, '"Tabs or spaces?"', "", '{"id": "q2", "question": "Vim or Emacs?", "mode": "chain"}')
    done = Command(tmp_path)(*WORDS, QUICK, MOOT_DEFAULT_MODELS=QUICK)
    assert done.code == 0, done.err
    found = sorted(done.lines, key=lambda one: int(one["line"]))
    assert [(one["line"], one["id"], one["mode"], one["status"]) for one in found] == [
        (1, None, "vote", "complete"),
        (3, "q2", "chain", "complete"),
    ]
    assert all(one["answer"] and one["simulated"] for one in found)
    assert "2 of 2 answered" in done.err


def test_a_bad_line_is_named_and_nothing_is_asked(tmp_path: Path) -> None:
    write(tmp_path, '"Tabs or spaces?"', '{"question": "Vim?", "mode": "vot"}', "Emacs?")
    moot = Command(tmp_path)
    done = moot(*WORDS, QUICK)
    assert done.code == 2
    assert done.err.startswith("moot: Line 2: Unknown mode: vot\nLine 3: This is not JSON")
    assert done.out == ""
    assert moot("runs", "--json").out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.jsonl",), "'nowhere.jsonl' cannot be read: No such file or directory"),
        (("questions.jsonl", "--budget", "0"), "--budget must be more than 0"),
        (
            ("questions.jsonl", "-o", "other.txt"),
            "--output: 'other.txt' contains something other than outcomes",
        ),
        (("questions.jsonl", "-o", "no/such/folder"), "--output: 'no/such/folder' cannot be written"),
    ],
)
def test_bad_use_is_said_and_nothing_is_lost(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    write(tmp_path, '"Tabs or spaces?"')
    (tmp_path / "other.txt").write_text("a shopping list\n")
    done = Command(tmp_path)("batch", *words, "--models", QUICK)
    assert done.code == 2
    assert said in done.err
    assert (tmp_path / "other.txt").read_text() == "a shopping list\n"


async def test_killed_and_started_again_it_pays_nothing_twice_and_writes_every_outcome_once(
    tmp_path: Path,
) -> None:
    rules = [
        Rule(contains="VOTE:", reply="VOTE: Response A"),
        Rule(contains="brief title", reply="A Title"),
    ]
    write(tmp_path, *(f'{{"id": "q{n}", "question": "Question {n}?"}}' for n in range(6)))
    written = tmp_path / "outcomes.jsonl"
    words = (*WORDS, PANEL, "--at-once", "2", "--output", str(written))
    async with ModelServer(Script(rules=rules, default="An answer.", hold_after=18)) as models:
        moot = Command(tmp_path, models.environment)
        with moot.started(*words) as process:
            async with asyncio.timeout(PATIENCE):
                while len(models.requests) < 19 or not written.exists() or not written.read_bytes():
                    assert process.poll() is None
                    await asyncio.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
        with written.open("ab") as file:
            file.write(b'{"line": 4, "id": "q')  # what a killed process may leave of a line
        answered = {request.digest for request in models.requests[:18]}
        models.release()
        done = await asyncio.to_thread(moot, *words)
        assert done.code == 0, done.err
        again = await asyncio.to_thread(moot, *words)
        on_stdout = await asyncio.to_thread(moot, *WORDS, PANEL)
    outcomes = [json.loads(line) for line in written.read_text().splitlines()]
    assert sorted(one["id"] for one in outcomes) == [f"q{n}" for n in range(6)]
    assert (again.code, again.out) == (0, "")
    assert sorted(one["id"] for one in on_stdout.lines) == [f"q{n}" for n in range(6)]
    received = Counter(request.digest for request in models.requests)
    assert len(received) == 6 * CALLS
    assert all(received[digest] == 1 for digest in answered), "a finished call was paid twice"
