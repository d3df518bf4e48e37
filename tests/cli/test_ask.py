from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import QUICK, Command

FAILING = "sim/eli:latency=0:tps=0:fail=1:fail_as=credit"
ESCAPE = "\x1b"


def stored_events(home: Path, run_id: str) -> list[dict[str, Any]]:
    with sqlite3.connect(home / "moot" / "moot.db") as db:
        found = db.execute("SELECT type, at, body FROM events WHERE run_id = ? ORDER BY number", (run_id,))
        return [{"type": type, "at": at, **json.loads(body)} for type, at, body in found]


def test_the_answer_goes_to_stdout_and_what_happens_to_stderr(moot: Command) -> None:
    done = moot("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK)
    assert done.code == 0
    assert done.out.startswith("*Simulated answer: no language model wrote this.*")
    stages, _, rest = done.err.partition("\n\n")
    headings = [line for line in stages.splitlines() if not line.startswith(" ")]
    assert headings == ["Answers", "Votes", "Winner"]
    assert "1. sim/ada:latency=0:tps=0 voted for" in stages
    assert "█" in stages
    assert rest.startswith("Simulated: no language model wrote this.\n")
    assert "7 calls" in rest.splitlines()[-1]
    assert ESCAPE not in done.out + done.err


def test_json_is_the_stored_story_word_for_word(moot: Command) -> None:
    done = moot("ask", "Tabs or spaces?", "--mode", "debate", "--models", QUICK, "--json")
    assert done.code == 0
    assert done.lines == stored_events(moot.home, done.lines[0]["runId"])
    assert done.lines[-1]["type"] == "complete"
    shown = moot("show", done.lines[0]["runId"], "--json")
    assert shown.out == done.out


def test_json_with_tokens_has_the_text_of_every_call(moot: Command) -> None:
    done = moot("ask", "Tabs or spaces?", "--models", QUICK, "--json", "--tokens")
    spoken = [line["data"]["text"] for line in done.lines if line["type"] == "token"]
    assert "Simulated answer" in "".join(spoken)
    assert sum(line["type"] == "call_complete" for line in done.lines) == 8


def test_quiet_prints_the_answer_alone(moot: Command) -> None:
    done = moot("ask", "Tabs or spaces?", "--models", QUICK, "--quiet")
    assert done.code == 0
    assert done.out.startswith("*Simulated answer: no language model wrote this.*")
    assert "calls" not in done.out
    assert done.err == "Simulated: no language model wrote this.\n"


def test_with_a_schema_stdout_is_json_that_is_valid_against_it(moot: Command, tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"choice": {"enum": ["tabs", "spaces"]}},
        "required": ["choice"],
    }
    file = tmp_path / "choice.json"
    file.write_text(json.dumps(schema))
    done = moot("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK, "--schema", str(file))
    assert (done.code, json.loads(done.out)) == (0, {"choice": "tabs"})
    assert "8 calls" in done.err
    inline = moot("ask", "Tabs or spaces?", "--models", QUICK, "--schema", json.dumps(schema), "--verdict")
    assert json.loads(inline.out)["jsonAnswer"] == {"choice": "tabs"}


def test_a_schema_that_cannot_be_kept_leaves_stdout_empty(moot: Command) -> None:
    nothing = json.dumps({"type": "string", "pattern": "^[0-9]{40}$"})
    done = moot("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK, "--schema", nothing)
    assert (done.code, done.out) == (1, "")
    assert "could not put it into the schema." in done.err
    refused = moot("ask", "Tabs or spaces?", "--schema", '{"$ref": "https://example.org"}')
    assert (refused.code, refused.out) == (2, "")
    assert "references must stay within the schema" in refused.err
    assert "cannot be read" in moot("ask", "Tabs or spaces?", "--schema", "missing.json").err


@pytest.mark.parametrize("words", [["-"], []])
def test_the_question_can_be_piped_in(moot: Command, words: list[str]) -> None:
    done = moot("ask", *words, "--models", QUICK, "--json", stdin="Tabs\nor spaces?\n")
    assert done.code == 0
    [run] = moot("runs", "--json").lines
    assert run["question"] == "Tabs\nor spaces?"


def test_a_degraded_answer_stands_below_its_notice_and_earns_three(moot: Command) -> None:
    models = f"{QUICK},{FAILING}"
    done = moot("ask", "Tabs or spaces?", "--models", models)
    assert done.code == 3
    reason = done.err.index(f"  ✗ 4. {FAILING} (simulator): the account is empty")
    notice = done.err.index("This answer is degraded: something is missing from it.")
    assert reason < notice
    assert done.err.count("the account is empty") == 1
    assert done.out.startswith("*Simulated answer:")
    quiet = moot("ask", "Tabs or spaces?", "--models", models, "--quiet")
    assert quiet.code == 3
    assert quiet.err.startswith("This answer is degraded")
    assert quiet.out.startswith("*Simulated answer:")


def test_a_failed_run_says_why_and_earns_one(moot: Command) -> None:
    done = moot("ask", "Tabs or spaces?", "--models", f"{FAILING},{FAILING}")
    assert done.code == 1
    failed = [line for line in done.err.splitlines() if line.startswith("  ✗")]
    assert len(failed) == 2
    assert f"1. {FAILING} (simulator): the account is empty" in failed[0]
    assert done.out == ""
    quiet = moot("ask", "Tabs or spaces?", "--models", f"{FAILING},{FAILING}", "--quiet")
    assert (quiet.code, quiet.out) == (1, "")
    assert quiet.err.startswith("At least 2 of 2 models must answer; 0 did.")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x", "--mode", "xyzzy"], "moot: Unknown mode: xyzzy. `moot modes` lists them."),
        (["x", "--mode", "debat"], "moot: Unknown mode: debat. Did you mean debate?"),
        (["x", "--set", "timeout=5"], "moot: Unknown field: timeout. Did you mean timeoutMs?"),
        (["x", "--mode", "vote", "--models", "a/x,b/y"], "moot: Vote mode requires at least 3 models"),
        (["x", "--set", "typo=5"], "moot: Unknown field: typo. The fields are "),
        (["x", "--config", "{"], "moot: --config: this is not JSON"),
        ([], "moot: Question is required"),
        (["-", "--config", "-"], "moot: Only one of the question, --config and --schema"),
        (["x", "--tokens"], "--tokens needs --json"),
    ],
)
def test_bad_use_earns_two_and_a_sentence(moot: Command, words: list[str], message: str) -> None:
    done = moot("ask", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_bytes_that_are_no_text_are_refused(moot: Command) -> None:
    done = moot("ask", "-", stdin="caf\udce9")
    assert (done.code, done.err) == (2, "moot: The question is not valid UTF-8 text\n")


def test_a_bad_setting_earns_two_and_names_its_place(moot: Command) -> None:
    done = moot("ask", "x", MOOT_PORT="many")
    assert done.code == 2
    assert "MOOT_PORT" in done.err


def test_a_follow_up_needs_neither_mode_nor_models(moot: Command) -> None:
    first = moot("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK, "--json").lines[0]
    second = moot("ask", "And in Makefiles?", "--conversation", first["conversationId"][:8], "--json")
    assert second.code == 0
    assert second.lines[0]["mode"] == "vote"
    assert second.lines[0]["conversationId"] == first["conversationId"]
    both = moot("show", first["conversationId"][:8])
    assert "> Tabs or spaces?" in both.out
    assert "> And in Makefiles?" in both.out


def test_the_whole_config_reaches_the_run(moot: Command) -> None:
    config = json.dumps({"council-models": QUICK.split(","), "chairman_model": "sim/ada:latency=0:tps=0"})
    done = moot("ask", "x", "--config", config, "--set", "timeout-ms=20000", "--quiet")
    assert done.code == 0
    with sqlite3.connect(moot.home / "moot" / "moot.db") as db:
        [(stored,)] = db.execute("SELECT config FROM runs")
    assert json.loads(stored) == {
        "timeoutMs": 20000,
        "councilModels": QUICK.split(","),
        "chairmanModel": "sim/ada:latency=0:tps=0",
    }


def test_the_noise_of_libraries_goes_to_stderr_at_the_level_of_the_settings(moot: Command) -> None:
    loud = moot("ask", "x", "--models", QUICK, "--quiet", MOOT_LOG_LEVEL="debug")
    assert "INFO alembic" in loud.err
    assert "INFO" not in loud.out
    quiet = moot("ask", "x", "--models", QUICK, "--quiet", XDG_DATA_HOME=str(moot.home / "new"))
    assert quiet.err == "Simulated: no language model wrote this.\n"
