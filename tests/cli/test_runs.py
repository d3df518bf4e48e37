from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from moot.testing import ModelServerProcess
from tests.cli.command import QUICK, Command
from tests.harness.waiting import PATIENCE, wait_until

MODELS = "a/ann,b/bob,c/cyd"
VOTING: dict[str, Any] = {
    "models": {"a/ann": ["tabs"], "b/bob": ["spaces"], "c/cyd": ["both"], "t/title": "A title"},
    "rules": [{"contains": "VOTE:", "reply": {"vote_for": "spaces"}}],
    "default": {"status": 500},
}


def scripted(moot: Command, models: ModelServerProcess) -> Command:
    return Command(moot.home, {**models.environment, "MOOT_TITLE_MODEL": "t/title", "MOOT_ATTEMPTS": "1"})


def wait_for_calls(models: ModelServerProcess, count: int) -> None:
    wait_until(lambda: len(models.requests()) >= count)


def test_ctrl_c_leaves_the_run_and_resume_goes_on_with_it(moot: Command) -> None:
    with ModelServerProcess({**VOTING, "hold_after": 5}) as models:
        command = scripted(moot, models)
        with command.started("ask", "Tabs or spaces?", "--mode", "vote", "--models", MODELS) as left:
            assert left.stderr is not None
            assert any(line == b"Votes\n" for line in left.stderr)
            wait_for_calls(models, 7)  # the title, three answers, three votes; two of them are held
            left.send_signal(signal.SIGINT)
            _, err = left.communicate(timeout=PATIENCE)
        assert left.returncode == 130
        assert b"Traceback" not in err
        [run] = command("runs", "--status", "running", "--json").lines
        assert f"`moot resume {run['runId'][:8]}` continues it" in err.decode()

        models.release()
        resumed = command("resume", run["runId"][:8], "--json")
        assert resumed.code == 0
        assert [line["type"] for line in resumed.lines][-3:] == [
            "winner_declared",
            "title_complete",
            "complete",
        ]
        # What was answered was not asked again.
        assert len(models.requests()) == 9
        again = command("resume", run["runId"], "--json")
        assert (again.code, again.out) == (0, resumed.out)


def test_resume_follows_a_run_that_another_process_works_on(moot: Command) -> None:
    with ModelServerProcess({**VOTING, "hold_after": 5}) as models:
        command = scripted(moot, models)
        with command.started("ask", "Tabs?", "--mode", "vote", "--models", MODELS, "--json") as first:
            wait_for_calls(models, 7)
            [run] = command("runs", "--json").lines
            with command.started("resume", run["runId"], "--json") as second:
                assert second.stdout is not None
                opening = second.stdout.readline()
                models.release()
                told, _ = first.communicate(timeout=PATIENCE)
                followed = opening + second.stdout.read()
        assert (first.returncode, second.wait(PATIENCE)) == (0, 0)
        assert told == followed
        assert len(models.requests()) == 7


def test_whoever_follows_goes_on_when_the_one_who_worked_is_killed(moot: Command) -> None:
    with ModelServerProcess({**VOTING, "hold_after": 5}) as models:
        command = scripted(moot, models)
        with command.started("ask", "Tabs?", "--mode", "vote", "--models", MODELS) as first:
            wait_for_calls(models, 7)
            [run] = command("runs", "--json").lines
            with command.started("resume", run["runId"], "--quiet") as second:
                models.script({**VOTING, "models": {"t/title": "A title"}})
                first.kill()
                first.wait(PATIENCE)  # a process nobody has waited for is not quite gone
                answer, _ = second.communicate(timeout=PATIENCE)
        assert (second.returncode, answer) == (0, b"spaces\n")
        assert len(models.requests()) == 9


def test_cancel_ends_a_run_that_another_process_works_on(moot: Command) -> None:
    with ModelServerProcess({**VOTING, "hold_after": 5}) as models:
        command = scripted(moot, models)
        with command.started("ask", "Tabs or spaces?", "--mode", "vote", "--models", MODELS) as asking:
            wait_for_calls(models, 7)
            [run] = command("runs", "--json").lines
            cancelled = command("cancel", run["runId"][:8])
            _, err = asking.communicate(timeout=PATIENCE)
        assert (cancelled.code, cancelled.out) == (0, f"Run {run['runId'][:8]} is cancelled.\n")
        assert asking.returncode == 1
        assert b"Cancelled." in err
        again = command("cancel", run["runId"])
        assert (again.code, again.err) == (2, "moot: The run is cancelled and cannot be cancelled\n")


def test_retry_pays_only_for_what_is_missing(moot: Command) -> None:
    script = {
        **VOTING,
        "models": {**VOTING["models"], "c/cyd": [{"status": 402, "message": "Empty."}, "both"]},
    }
    with ModelServerProcess(script) as models:
        command = scripted(moot, models)
        first = command("ask", "Tabs or spaces?", "--mode", "vote", "--models", MODELS, "--json")
        assert first.code == 3
        before = len(models.requests())
        retried = command("retry", first.lines[0]["runId"][:8], "--json")
        assert retried.code == 0
        assert retried.lines[0]["retryOf"] == first.lines[0]["runId"]
        collected = [
            call["model"] for call in models.requests()[before:] if "VOTE" not in json.dumps(call["body"])
        ]
        assert collected == ["c/cyd"]
        refused = command("retry", retried.lines[0]["runId"])
        assert refused.code == 2
        assert "only a failed, cancelled or degraded run can be retried" in refused.err


def test_lists_show_and_export_agree_on_what_happened(moot: Command) -> None:
    asked = moot("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK, "--json")
    opening = asked.lines[0]
    run, conversation = opening["runId"], opening["conversationId"]

    listed = moot("runs").out.splitlines()
    assert listed[1].startswith(run[:8])
    assert "vote  complete  Tabs or spaces?" in listed[1]
    assert moot("search", "tabs", "SPACES").out.splitlines()[1].startswith(conversation[:8])
    assert moot("search", "nothing-like-it").out == "No conversations found.\n"

    shown = moot("show", run[:8], "--full").out
    assert shown.startswith("> Tabs or spaces?\n")
    assert "1. sim/ada:latency=0:tps=0 · collect" in shown
    answer = next(line for line in asked.lines if line["type"] == "winner_declared")["data"]["winnerResponse"]
    assert answer in shown

    document = json.loads(moot("export", conversation, "--format", "json").out)
    assert [message["role"] for message in document["messages"]] == ["user", "assistant"]
    kept = moot("export", conversation[:8], "--output", "vote.md")
    assert (kept.code, kept.out) == (0, "")
    text = (moot.home / "vote.md").read_text()
    assert text == moot("export", run[:8]).out
    assert "**Simulated.**" in text
    assert moot("export", conversation, "-o", "no/such/folder.md").code == 2


@pytest.mark.parametrize("words", [["show", "0000"], ["cancel", "0"]])
def test_what_is_not_there_is_said_to_be_not_there(moot: Command, words: list[str]) -> None:
    done = moot(*words)
    assert (done.code, done.out) == (2, "")
    assert "There is no" in done.err
