"""What is shipped: the wheel holds all it needs, the image's recipe and the compose file are sound.

No image is built here, for which an engine and a registry would be needed. `make wheel` installs the wheel with all it depends
on into a clean environment and serves from it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from compose_spec import PyCompose

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [BIN / "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_page_and_everything_beside_the_code(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    ours = {
        str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "moot").rglob("*") if path.is_file()
    }
    assert {name for name in ours if "__pycache__" not in name} <= names
    assert "moot/web/static/index.html" in names
    assert any(name.startswith("moot/web/static/assets/") and name.endswith(".js") for name in names)
    assert not any(name.startswith(("tests/", "web/", "bench/")) for name in names)


def test_the_wheel_says_its_script_and_its_extras(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        about = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = archive.read(about).decode()
        scripts = archive.read(about.replace("METADATA", "entry_points.txt")).decode()
    assert "moot = moot.cli:main" in scripts
    assert "Provides-Extra: otel" in metadata


def test_the_wheel_runs_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(site)}

    def run(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(site) in run("-c", "import moot.http.page; print(moot.http.page.BUILT)")
    panel = ",".join(["sim/ada:latency=0:tps=0"] * 3)
    answer = run("-m", "moot", "ask", "Tabs or spaces?", "--mode", "vote", "--models", panel, "--quiet")
    assert "Simulated" in answer


def test_the_images_recipe_has_no_fault_that_hadolint_knows() -> None:
    done = subprocess.run(
        [BIN / "hadolint", "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_images_recipe_runs_as_nobody_and_asks_after_its_health() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert "USER 10001" in lines
    assert "VOLUME /data" in lines
    assert any("/readyz" in line for line in lines)


def test_the_compose_file_is_one() -> None:
    text = (ROOT / "compose.yaml").read_text()
    compose = PyCompose.from_yaml(text)
    assert compose.service_names() == ["moot", "database"]
    with pytest.raises(ValueError, match="condition"):
        PyCompose.from_yaml(text.replace("service_healthy", "healthy_enough"))
