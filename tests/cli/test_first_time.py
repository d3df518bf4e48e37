"""The README followed to the letter, on a machine that has never seen moot, without a key and with one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from moot.testing.process import ModelServerProcess
from tests.cli.command import Command
from tests.harness.willing_models import WILLING

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
REAL = ("openai/o3", "google/gemini-2.5-pro")


def commands() -> list[list[str]]:
    """What the README has somebody type, save what installs moot."""
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.M | re.S)
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in lines if words and words[0] == ".venv/bin/moot"]


def is_real(words: list[str]) -> bool:
    return any(model in word for word in words for model in REAL)


def test_without_a_key_every_command_of_the_readme_answers(tmp_path: Path) -> None:
    lines = [words for words in commands() if not is_real(words)]
    assert ["ask", "Should a team of five use microservices?", "--mode", "debate"] in lines
    moot = Command(tmp_path)
    for words in lines:
        done = moot(*words)
        assert done.code == 0, (words, done.err)
        assert "Traceback" not in done.err


def test_with_a_key_every_command_of_the_readme_answers_with_real_models(tmp_path: Path) -> None:
    lines = commands()
    assert any(is_real(words) for words in lines)
    with ModelServerProcess(WILLING) as models:
        moot = Command(tmp_path, models.environment)
        for words in lines:
            done = moot(*words)
            assert done.code == 0, (words, done.out, done.err)
            assert "Traceback" not in done.err
            if words[0] == "ask" and "--preset" not in words:
                assert "imulated" not in done.out + done.err, words
        assert len(models.requests()) > 10
