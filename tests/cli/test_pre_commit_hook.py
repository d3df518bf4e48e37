"""The hook's line as pre-commit puts it together: its entry, its arguments, then the names of the staged files."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import yaml  # type: ignore[import-untyped]  # it carries no types

from moot.testing import ModelServerProcess
from tests.cli.command import MOOT, Command, Done
from tests.cli.test_check import BEFORE
from tests.cli.test_github_action import git
from tests.modes.jury.test_pipeline import FOREMAN, JURORS, card

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


def commit(moot: Command, folder: Path, verdict: str) -> tuple[Done, str]:
    """What the hook says to the staged files, and what the models were asked."""
    [hook] = yaml.safe_load(HOOKS.read_text())
    staged = subprocess.run(
        ["git", "diff", "--staged", "--name-only", "--no-ext-diff", "-z"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    mode, jury = ["--mode", "peer_review"], ["--mode", "jury", "--models", ",".join(JURORS)]
    assert hook["args"][:2] == mode
    with ModelServerProcess(
        {"models": {**dict.fromkeys(JURORS, card(6, 6, 6, 6, 6, verdict=verdict)), **BEFORE}}
    ) as models:
        done = subprocess.run(
            [*shlex.split(hook["entry"]), *jury, *hook["args"][2:], *staged.stdout.split("\0")[:-1]],
            cwd=folder,
            env={
                **moot.whole_environment,
                **models.environment,
                "PATH": f"{Path(MOOT).parent}{os.pathsep}{os.environ['PATH']}",
                "MOOT_TITLE_MODEL": "t/title",
                "MOOT_DEFAULT_MODELS": ",".join([*JURORS, FOREMAN]),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        prompts = json.dumps(models.requests())
    return Done(done.returncode, done.stdout, done.stderr), prompts


def test_each_staged_file_is_judged_whatever_it_is_called_and_empty_ones_are_passed_over(
    moot: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "--config=evil.toml").write_text("We close the office.\n")
    (folder / "evil.toml").write_text('councilModels = ["stranger/one", "stranger/two"]\n')
    (folder / "moot.toml").write_text('default_models = "stranger/one,stranger/two,stranger/three"\n')
    (folder / "a plan.md").write_text("We move to Lisbon in May.\n")
    (folder / "empty.md").write_text("")
    git(folder, "add", ".")
    approved, prompts = commit(moot, folder, "APPROVE")
    judged = [line for line in approved.out.splitlines() if ": PASS" in line]
    assert judged == [
        f"{name}: PASS: APPROVE" for name in ("--config=evil.toml", "a plan.md", "evil.toml", "moot.toml")
    ]
    assert "empty.md is empty: there is nothing to judge." in approved.err
    assert approved.code == 0
    assert "We close the office." in prompts
    assert '"model": "stranger/' not in prompts
    rejected, _ = commit(moot, folder, "REJECT")
    assert rejected.code == 1
