"""Every mode of moot as a model of LLM: its own command line and its Python API, at scripted models."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llm
import pytest
from click.testing import CliRunner, Result
from llm.cli import cli

from llm_moot.catalogue import FOLLOW_UPS, JUDGES, MODES
from moot.testing import ModelServerProcess

BIN = Path(sys.executable).parent
ANSWER = "Tabs, for their width is yours."
SCRIPT = {
    "models": {"x/402": {"status": 402}, "x/slow": {"text": ANSWER, "latency": 30}},
    "rules": [
        {"contains": "You are a chairman", "reply": ANSWER},
        {
            "contains": "FINAL RANKING",
            "reply": "FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n4. Response D",
        },
        {"contains": "DECISION:", "reply": "DECISION: STAND\nREASONING: Fine."},
        {"contains": "VOTE:", "reply": "VOTE: Response A"},
    ],
    "default": ANSWER,
}
GOOD = "good/ann,good/bob,good/cyd"


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServerProcess]:
    with ModelServerProcess(SCRIPT) as server:
        yield server


@pytest.fixture
def home(models: ModelServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home: their moot and their LLM, in this process and in those it starts."""
    models.reset()
    models.script(SCRIPT)
    environment = {
        **models.environment,
        "LLM_USER_PATH": str(tmp_path / "llm"),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}",
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
        "MOOT_DEFAULT_MODELS": GOOD,
        "MOOT_TITLE_MODEL": "good/title",
        "MOOT_ATTEMPTS": "1",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for name in ("MOOT_URL", "MOOT_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*words: str, code: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [BIN / words[0], *words[1:]], capture_output=True, text=True, input=stdin, timeout=60
    )
    assert done.returncode == code, done
    return done


def run_llm(*words: str) -> Result:
    """LLM's command line, in this process: what it imports takes seconds."""
    return CliRunner().invoke(cli, words)


def statuses(home: Path) -> list[str]:
    with sqlite3.connect(home / "moot.db") as database:
        return [status for (status,) in database.execute("SELECT status FROM runs ORDER BY started_at")]


def prompts(models: ModelServerProcess) -> list[str]:
    return [
        json.dumps(call["body"]["messages"]) for call in models.requests() if "title" not in call["model"]
    ]


def test_every_mode_of_moot_is_a_model_and_what_it_takes_is_known() -> None:
    from moot.modes import MODES as MOOTS

    assert set(MODES) == set(MOOTS)
    assert {mode.id for mode in MOOTS.values() if mode.entry.supports_multi_turn} == FOLLOW_UPS
    assert {mode.id: mode.judges for mode in MOOTS.values() if mode.judges} == JUDGES
    assert all(llm.get_model(f"moot-{mode.replace('_', '-')}") for mode in MODES)
    assert all(llm.get_async_model(f"moot-{mode}") for mode in MODES)


def test_llm_starts_without_importing_moots_engine() -> None:
    check = (
        "import sys, llm; llm.get_models(); print([name for name in sys.modules if 'moot.kernel' in name])"
    )
    assert subprocess.check_output([sys.executable, "-c", check], text=True).strip() == "[]"


def test_the_command_line_prints_the_answer_and_tells_the_stages_apart(home: Path) -> None:
    done = command("llm", "-m", "moot-vote", "Tabs or spaces?")
    assert done.stdout.strip() == ANSWER
    assert "### Answers" in done.stderr
    assert "### Votes" in done.stderr
    logged = json.loads(run_llm("logs", "--json", "-n", "1").stdout)[0]
    assert logged["input_tokens"] > 0
    assert logged["output_tokens"] > 0
    assert logged["response_json"]["moot"]["status"] == "complete"
    assert logged["response_json"]["moot"]["run_id"]
    assert len(logged["response_json"]["moot"]["seats"]) == 3
    assert statuses(home) == ["complete"]


def test_usage_and_cost_are_those_of_all_calls(home: Path, models: ModelServerProcess) -> None:
    models.script({**SCRIPT, "default": {"text": ANSWER, "cost": 0.25}})
    response = llm.get_model("moot-vote").prompt("Tabs or spaces?")
    assert response.text() == ANSWER
    assert response.usage().details["cost"] == pytest.approx(1.0)  # three answers and the title
    assert response.usage().input > 3


def test_the_panel_and_the_config_come_from_the_options(home: Path, models: ModelServerProcess) -> None:
    panel = "other/one, other/two,other/three,other/four"
    options = {"models": panel, "config": '{"timeoutMs": 20000}', "temperature": 0.5}
    response = llm.get_model("moot-vote").prompt("Tabs?", system="Be brief.", options=options)
    assert response.text() == ANSWER
    asked = [call for call in models.requests() if call["model"].startswith("other/")]
    assert {call["model"] for call in asked} == {f"other/{n}" for n in ("one", "two", "three", "four")}
    assert all(call["body"]["temperature"] == 0.5 for call in asked)
    assert all("Be brief." in json.dumps(call["body"]["messages"][0]) for call in asked)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-o", "config", "{"), "it must be JSON"),
        (("-o", "config", "[1]"), "valid dictionary"),
        (("-o", "config", '{"colour": "red"}'), "colour"),
        (("-o", "models", "good/ann"), "at least"),
        (("-o", "panel", "x"), "panel"),
    ],
)
def test_options_that_cannot_be_used_are_refused_by_name(
    home: Path, options: tuple[str, ...], words: str
) -> None:
    done = run_llm("-m", "moot-vote", *options, "Tabs?")
    assert done.exit_code == 1
    assert words in done.stderr
    assert not (home / "moot.db").exists() or statuses(home) == []


def test_a_preset_is_a_model_as_soon_as_it_was_read(home: Path, models: ModelServerProcess) -> None:
    command("moot", "presets", "save", "trio", "--mode", "vote", "--models", "mine/a,mine/b,mine/c")
    assert run_llm("moot", "refresh").stdout == "moot-trio  (vote)\n"
    assert run_llm("-m", "moot-trio", "Tabs?").stdout.strip() == ANSWER
    assert {"mine/a", "mine/b", "mine/c"} <= {call["model"] for call in models.requests()}
    command("moot", "presets", "save", "duel", "--mode", "debate")
    llm.get_model("moot-vote").prompt("Tabs?").text()
    assert not llm.get_model("moot-duel").supports_conversation


def test_a_follow_up_is_asked_with_what_was_said_before(home: Path, models: ModelServerProcess) -> None:
    run_llm("-m", "moot-vote", "Tabs or spaces?")
    models.reset()
    assert run_llm("-c", "And in Makefiles?").stdout.strip() == ANSWER
    first = models.requests()[0]["body"]["messages"]
    assert [turn["content"] for turn in first] == ["Tabs or spaces?", ANSWER, "And in Makefiles?"]


def test_a_mode_without_follow_ups_refuses_one(home: Path) -> None:
    conversation = llm.get_model("moot-debate").conversation()
    assert conversation.prompt("Tabs or spaces?").text()
    with pytest.raises(llm.ConversationNotSupported):
        conversation.prompt("And in Makefiles?")


@pytest.mark.parametrize("given", ["fragment", "attachment"])
def test_a_text_to_be_judged_stands_apart_from_the_question(
    home: Path, models: ModelServerProcess, given: str
) -> None:
    text, question = "The width of a tab is eight.", "Is this correct?"
    attachment = llm.Attachment(type="text/plain", content=text.encode())
    more: dict[str, Any] = {"fragments": [text]} if given == "fragment" else {"attachments": [attachment]}
    assert (
        "This answer is degraded" in llm.get_model("moot-jury").prompt(question, **more).text()
    )  # jurors of few words
    with sqlite3.connect(home / "moot.db") as database:
        asked, config = database.execute("SELECT question, config FROM runs").fetchone()
    assert asked == question
    assert json.loads(config)["content"] == text


def test_a_fragment_for_other_modes_is_part_of_the_question(home: Path, models: ModelServerProcess) -> None:
    notes = llm.Attachment(type="text/markdown", content=b"Tabs are wide.")
    llm.get_model("moot-vote").prompt("Tabs?", fragments=["We use Go."], attachments=[notes]).text()
    assert "We use Go." in prompts(models)[0]
    assert "Tabs are wide." in prompts(models)[0]


def test_a_failed_seat_is_said_at_the_head_of_the_answer(home: Path) -> None:
    response = llm.get_model("moot-vote").prompt("Tabs?", models=f"{GOOD},x/402")
    assert response.text().startswith("> This answer is degraded")
    assert "x/402" in response.text()
    assert response.response_json["moot"]["degraded"] is True


def test_a_failed_run_is_an_error_with_its_reason(home: Path) -> None:
    done = run_llm("-m", "moot-vote", "-o", "models", "x/402,x/402,x/402", "Tabs?")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "scripted 402" in done.stderr


def test_text_of_models_cannot_drive_the_terminal(home: Path, models: ModelServerProcess) -> None:
    models.script({**SCRIPT, "default": "\x1b]0;owned\x07Tabs\x1b[31m!"})
    response = llm.get_model("moot-vote").prompt("Tabs?")
    events = list(response.stream_events())
    assert response.text() == "Tabs!"
    assert "\x1b" not in "".join(event.chunk for event in events)


async def test_the_async_model_streams_reasoning_then_text(home: Path) -> None:
    response = llm.get_async_model("moot-council").prompt("Tabs or spaces?")
    events = [event async for event in response.astream_events()]
    kinds = [event.type for event in events]
    assert kinds == sorted(kinds)
    assert "### " in "".join(event.chunk for event in events if event.type == "reasoning")
    assert await response.text() == ANSWER
    assert (await response.usage()).input > 0


async def test_two_questions_at_once_get_their_own_answers(home: Path) -> None:
    model = llm.get_async_model("moot-vote")
    assert await asyncio.gather(model.prompt("Tabs?").text(), model.prompt("Spaces?").text()) == [ANSWER] * 2


async def test_a_stream_that_is_closed_early_stops_the_run(home: Path, models: ModelServerProcess) -> None:
    events = llm.get_async_model("moot-vote").prompt("Tabs?", models="x/slow,x/slow,x/slow").astream_events()
    assert (await anext(events)).type == "reasoning"
    await asyncio.to_thread(until, lambda: len(models.requests()) >= 3)
    await events.aclose()
    assert statuses(home) == ["cancelled"]


def test_a_loop_that_is_left_early_stops_the_run(home: Path, models: ModelServerProcess) -> None:
    events = llm.get_model("moot-vote").prompt("Tabs?", models="x/slow,x/slow,x/slow").stream_events()
    assert next(events).type == "reasoning"
    until(lambda: len(models.requests()) >= 3)
    events.close()
    assert statuses(home) == ["cancelled"]


def test_ctrl_c_stops_the_run(home: Path, models: ModelServerProcess) -> None:
    words = [BIN / "llm", "-m", "moot-vote", "-o", "models", "x/slow,x/slow,x/slow", "Tabs?"]
    hear = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    asking = subprocess.Popen(words, stderr=subprocess.PIPE, preexec_fn=hear)
    until(lambda: len(models.requests()) >= 3)
    asking.send_signal(signal.SIGINT)
    asking.communicate(timeout=20)
    assert asking.returncode != 0
    assert statuses(home) == ["cancelled"]


def test_a_server_is_asked_where_one_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(MOOT_ACCOUNTS="on") as url:
        monkeypatch.setenv("MOOT_URL", url)
        assert "Sign in first" in run_llm("-m", "moot-vote", "Tabs?").stderr
        command("moot", "accounts", "add", "ada", stdin="a long pass phrase of hers\n")
        monkeypatch.setenv("MOOT_TOKEN", command("moot", "tokens", "create", "llm").stdout.split()[-1])
        monkeypatch.setenv(
            "DATABASE_URL", "sqlite:////nowhere/moot.db"
        )  # this process has no moot of its own
        assert command("llm", "-m", "moot-vote", "Tabs?").stdout.strip() == ANSWER
        assert run_llm("moot", "refresh").stdout == ""
    assert statuses(home) == ["complete"]
    assert f"moot at {url} cannot be reached" in run_llm("-m", "moot-vote", "Tabs?").stderr


@contextmanager
def serving(**environment: str) -> Iterator[str]:
    server = subprocess.Popen(
        [BIN / "moot", "serve", "--port", "0"],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield next(word for word in server.stdout.readline().split() if word.startswith("http://"))
    finally:
        server.terminate()
        server.communicate(timeout=20)


def until(true: Any, seconds: float = 30) -> None:
    for _ in range(int(seconds / 0.02)):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError(f"not true after {seconds} s")
