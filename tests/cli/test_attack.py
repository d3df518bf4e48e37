"""What models, providers and people write cannot drive the terminal, by whichever door it comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.testing import ModelServerProcess
from tests.cli.command import Command
from tests.cli.pseudo_terminal import OURS, on_terminal

EVIL = (
    "\x1b[2J\x1b[31mred \x1b]0;owned\x07\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\"
    "\x1b]52;c;cm0gLXJm\x07 \x9b5mC1 \u202edesrever\u202c [bold red]markup[/] :smile:\r{word}\x08\x07"
    " &#8238;entity &#27;[5mentity"
)
MODELS = "a/ann,b/bob,c/cyd"
SCRIPT = {
    "models": {
        "a/ann": [EVIL.format(word="ann")],
        "b/bob": [EVIL.format(word="bob")],
        "c/cyd": [{"status": 402, "message": EVIL.format(word="cyd")}],
        "t/title": EVIL.format(word="title"),
    },
    "rules": [{"contains": "VOTE:", "reply": EVIL.format(word="ballot") + "\nVOTE: Response A"}],
}
FORBIDDEN = ("\x07", "\x08", "\x9b", "\x9d", "\u202e", "\u202c", "\x1b]", "\x1b[2J", "\x1b[5m")


@pytest.fixture
def asked(tmp_path: Path) -> Command:
    with ModelServerProcess(SCRIPT) as models:
        moot = Command(tmp_path, {**models.environment, "MOOT_TITLE_MODEL": "t/title", "MOOT_ATTEMPTS": "1"})
        done = moot("ask", EVIL.format(word="question"), "--mode", "vote", "--models", MODELS)
        assert done.code == 3
        assert_tame(done.out + done.err)
        assert "\x1b" not in done.out + done.err
        assert (
            "[bold red]markup[/] :smile:\nann" in done.out or "[bold red]markup[/] :smile:\nbob" in done.out
        )
        models.script(SCRIPT)
        shown = on_terminal(moot, "ask", EVIL.format(word="question"), "--mode", "vote", "--models", MODELS)
        assert shown.code == 3
        assert_tame(shown.raw.decode())
        assert b"\x1b" not in OURS.sub(b"", shown.raw)
        assert "[bold red]markup[/] :smile:" in shown.text
        return moot


def assert_tame(text: str) -> None:
    assert not [sign for sign in FORBIDDEN if sign in text]


def test_no_command_lets_a_control_sequence_through(asked: Command) -> None:
    [_, run] = asked("runs", "--json").lines
    for words in (
        ["runs"],
        ["show", run["runId"], "--full"],
        ["show", run["conversationId"]],
        ["export", run["conversationId"]],
        ["resume", run["runId"], "--quiet"],
    ):
        done = asked(*words)
        assert_tame(done.out + done.err)
        assert "\x1b" not in done.out + done.err
    for words in (["search"], ["show", run["runId"], "--full"]):
        assert_tame(on_terminal(asked, *words).raw.decode())
    # JSON keeps every character, escaped.
    for words in (["show", run["runId"]], ["resume", run["runId"], "--tokens"], ["runs"], ["search"]):
        lines = asked(*words, "--json")
        assert_tame(lines.out)
        assert {sign for sign in lines.out if not sign.isprintable()} == {"\n"}
    events = asked("show", run["runId"], "--json")
    assert "\x1b" not in events.out
    [collected] = [line for line in events.lines if line["type"] == "stage1_complete"]
    assert collected["data"][0]["response"] == EVIL.format(word="ann")
    assert_tame(on_terminal(asked, "show", run["runId"], "--json").raw.decode())
