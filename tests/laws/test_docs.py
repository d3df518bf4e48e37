"""What the docs say is generated or executed, and nothing is left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from moot.modes import MODES
from moot.settings import documented
from tests.harness.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/modes").glob("*.md")),
]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL), 1)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_python_block_runs(block: str, tmp_path: Path) -> None:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH", "MOOT_TEST_SEED") if name in os.environ},
        "HOME": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}",
        "MOOT_DEFAULT_MODELS": "sim/ada:latency=1:tps=9999,sim/bo:latency=1:tps=9999,sim/cleo:latency=1:tps=9999",
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr


def test_the_generated_tables_are_up_to_date() -> None:
    cog = str(Path(sys.executable).with_name("cog"))
    done = subprocess.run(
        [cog, "--check", "-P", *map(str, GENERATED)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"run `make docs`: {done.stdout} {done.stderr}"


def test_every_mode_setting_event_and_route_is_documented() -> None:
    settings = (ROOT / "docs/settings.md").read_text()
    assert all(setting.variable in settings for setting in documented())
    readme = (ROOT / "README.md").read_text()
    for mode in MODES.values():
        assert f"docs/modes/{mode.id}.md" in readme
        page = (ROOT / "docs" / "modes" / f"{mode.id}.md").read_text()
        assert all(f"`{event.type}`" in page for event in mode.events)


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs/modes").glob("*.md"))], ids=lambda page: page.name
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_a_percent_sign_follows_its_number_closely() -> None:
    """In the docs and on the page; the terminal's sentences are read in `test_narration`."""
    texts = [*PAGES, *(ROOT / "docs").rglob("*.md"), *(ROOT / "web/src").rglob("*.ts*")]
    apart = [path.name for path in texts if re.search(r"[\d}] %", path.read_text())]
    assert apart == []
