"""The action's script as a job runs it: in a repository, with its inputs as variables."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Job:
    """How it ended: what it printed, its outputs, and what the models were asked."""

    code: int
    printed: str
    outputs: str
    prompts: str


def job(moot: Command, folder: Path, verdict: str, **inputs: str) -> Job:
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
        prompts = json.dumps(models.requests())
    return Job(done.returncode, done.stdout, outputs.read_text() if outputs.exists() else "", prompts)


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
    approved = job(moot, repository, "APPROVE", base="HEAD")
    assert approved.code == 0
    assert '"outcome":"APPROVE"' in approved.printed
    assert '"passed":true' in approved.outputs


def test_a_diff_that_the_panel_rejects_fails(moot: Command, repository: Path) -> None:
    (repository / "plan.md").write_text("We move to Lisbon in May.\n")
    assert job(moot, repository, "REJECT", base="HEAD").code == 1


def test_nothing_changed_is_nothing_to_judge(moot: Command, repository: Path) -> None:
    unchanged = job(moot, repository, "REJECT", base="HEAD")
    assert (unchanged.code, unchanged.printed) == (0, "Nothing has changed: nothing to judge.\n")


def test_a_base_that_is_none_is_a_usage_error(moot: Command, repository: Path) -> None:
    assert job(moot, repository, "APPROVE", base="no-such-branch; touch owned").code == 2
    assert not (repository / "owned").exists()


def test_a_repository_cannot_hide_its_change_by_calling_it_binary(moot: Command, repository: Path) -> None:
    (repository / ".gitattributes").write_text("* -diff\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Attributes")
    (repository / "plan.md").write_text("We move to Lisbon in May.\n")
    rejected = job(moot, repository, "REJECT", base="HEAD")
    assert rejected.code == 1
    assert "+We move to Lisbon" in rejected.prompts


def test_a_repository_does_not_set_up_the_moot_that_judges_it(moot: Command, repository: Path) -> None:
    (repository / "moot.toml").write_text('default_models = "stranger/one,stranger/two,stranger/three"\n')
    (repository / "plan.md").write_text("We move to Lisbon in May.\n")
    approved = job(moot, repository, "APPROVE", base="HEAD")
    assert approved.code == 0
    assert "stranger/" not in approved.printed


@pytest.mark.parametrize("way", ["key", "folder/key", "git/config"])
def test_a_link_in_a_repository_leads_to_nothing_outside_of_it(
    moot: Command, repository: Path, tmp_path: Path, way: str
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("sk-secret")
    (repository / "key").symlink_to(secret / "key")
    (repository / "folder").symlink_to(secret)
    (repository / "git").symlink_to(".git")
    refused = job(moot, repository, "APPROVE", file=way)
    assert (refused.code, refused.printed, refused.outputs, refused.prompts) == (2, "", "", "[]")


def test_a_file_of_the_repository_is_judged_as_it_is(moot: Command, repository: Path) -> None:
    (repository / "docs").mkdir()
    (repository / "docs" / "-m.md").write_text("We stay.\n")
    assert job(moot, repository, "APPROVE", file="docs/-m.md").code == 0
    assert job(moot, repository, "REJECT", file=str(repository / "plan.md")).code == 1


def test_a_file_outside_that_the_job_names_is_judged(moot: Command, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("All is well.\n")
    assert job(moot, repository, "APPROVE", file=str(tmp_path / "report.md")).code == 0
