"""The action's script as a job runs it: in a repository, with its inputs as variables."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from moot.testing import ModelServerProcess
from tests.cli.command import MOOT, Command
from tests.cli.test_check import BEFORE
from tests.modes.jury.test_pipeline import FOREMAN, JURORS, card

SCRIPT = Path(__file__).parents[2] / "integrations" / "github-action" / "check.sh"


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def job(moot: Command, folder: Path, verdict: str, **inputs: str) -> tuple[int, str, str]:
    """Exit code, what the job printed, and its outputs."""
    outputs = folder.parent / "outputs"
    script = dict.fromkeys(JURORS, card(6, 6, 6, 6, 6, verdict=verdict))
    with ModelServerProcess({"models": {**script, **BEFORE}}) as models:
        environment = {
            **moot.whole_environment,
            **models.environment,
            "PATH": f"{Path(MOOT).parent}{os.pathsep}{os.environ['PATH']}",
            "MOOT_TITLE_MODEL": "t/title",
            "MOOT_DEFAULT_MODELS": ",".join([*JURORS, FOREMAN]),
            "GITHUB_OUTPUT": str(outputs),
            "MOOT_ACTION_MODE": "jury",
            **{f"MOOT_ACTION_{name.upper()}": value for name, value in inputs.items()},
        }
        done = subprocess.run(
            ["bash", str(SCRIPT)], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    return done.returncode, done.stdout, outputs.read_text() if outputs.exists() else ""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "plan.md").write_text("We move in May.\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Plan")
    return folder


def test_a_diff_that_the_panel_approves_passes_with_its_verdict(moot: Command, repository: Path) -> None:
    (repository / "plan.md").write_text("We move to Lisbon in May.\n")
    code, printed, outputs = job(moot, repository, "APPROVE", base="HEAD")
    assert code == 0
    assert '"outcome":"APPROVE"' in printed
    assert '"passed":true' in outputs


def test_a_diff_that_the_panel_rejects_fails(moot: Command, repository: Path) -> None:
    (repository / "plan.md").write_text("We move to Lisbon in May.\n")
    assert job(moot, repository, "REJECT", base="HEAD")[0] == 1


def test_nothing_changed_is_nothing_to_judge(moot: Command, repository: Path) -> None:
    assert job(moot, repository, "REJECT", base="HEAD")[:2] == (
        0,
        "Nothing has changed: nothing to judge.\n",
    )


def test_a_base_that_is_none_is_a_usage_error(moot: Command, repository: Path) -> None:
    assert job(moot, repository, "APPROVE", base="no-such-branch; touch owned")[0] == 2
    assert not (repository / "owned").exists()
