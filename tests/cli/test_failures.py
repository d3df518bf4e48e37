"""A person must be able to tell a dead model id from an empty account, at the terminal too."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from moot.testing import ModelServerProcess
from tests.cli.command import Command, Done

SCRIPT = {
    "models": {
        "a/wrong-key": {"status": 401, "message": "User not found."},
        "a/no-money": {"status": 402, "message": "Insufficient credits."},
        "a/dead": {"status": 404, "message": "No endpoints found for a/dead."},
        "a/busy": {"status": 429, "message": "Slow down."},
        "a/silent": {"hang": True},
    },
    "default": "A title",
}
MODELS = "a/wrong-key,a/no-money,a/dead,a/busy,a/silent,gone/away"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One question to six models, each of which fails in a way of its own."""
    home: Path = tmp_path_factory.mktemp("failures")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        port = closed.getsockname()[1]
        (home / "moot").mkdir()
        (home / "moot" / "moot.toml").write_text(
            f'[providers.gone]\nbase_url = "http://127.0.0.1:{port}/v1"\n'
        )
        with ModelServerProcess(SCRIPT) as models:
            environment = {**models.environment, "MOOT_ATTEMPTS": "1", "MOOT_TITLE_MODEL": "a/title"}
            moot = Command(home, environment)
            return moot("ask", "Tabs or spaces?", "--models", MODELS, "--set", "timeoutMs=10000")


def test_the_run_failed(done: Done) -> None:
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "sk-scripted" not in done.out + done.err


@pytest.mark.parametrize(
    "line",
    [
        "1. a/wrong-key failed: OpenRouter refused the key in OPENROUTER_API_KEY for a/wrong-key (401): User not found.",
        "2. a/no-money failed: OpenRouter says the account is out of credit (402) and did not run a/no-money: Insufficient credits.",
        '3. a/dead failed: OpenRouter has no model "a/dead" (404): No endpoints found for a/dead.',
        "4. a/busy failed: OpenRouter is rate limiting a/busy (429): Slow down.",
        "5. a/silent at OpenRouter did not answer within 10 s.",
        "6. gone/away failed: Could not reach gone at http://127.0.0.1:",
    ],
)
def test_each_failure_names_model_provider_and_cause(done: Done, line: str) -> None:
    assert line in done.err


def test_each_cause_is_told_once(done: Done) -> None:
    for cause in ("(401)", "(402)", "(404)", "(429)", "within 10 s", "Could not reach gone"):
        assert done.err.count(cause) == 1
    end = done.err.partition("\n\n")[2]
    assert end.startswith("At least 2 of 6 models must answer; 0 did.\n")
