"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import moot
from moot.modes import MODES
from tests.laws.house import breaches

SOURCE = Path(moot.__file__).parent
ROOT = SOURCE.parent.parent
MODULES = sorted(SOURCE.rglob("*.py"))


def name(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def test_the_house_keeps_its_law() -> None:
    assert breaches(SOURCE) == []


@pytest.mark.parametrize(
    ("file", "text", "breach"),
    [
        ("odds.py", "", "odds belongs to no room"),
        (
            "kernel/peek.py",
            "from moot.modes import MODES\n",
            "kernel.peek imports modes, which is not below it",
        ),
        (
            "deliberation/whim.py",
            "",
            "deliberation.whim is shared by nobody: what one mode needs stands in its folder",
        ),
        (
            "modes/vote/peek.py",
            "from moot.modes.jury import MODE\n",
            "modes.vote.peek imports modes.jury: a mode never imports a mode",
        ),
        ("modes/vote/dice.py", "import random\n", "modes.vote.dice imports random: it must be pure"),
        (
            "http/peek.py",
            "from moot.store import runs\n",
            "http.peek imports store.runs: a door asks the engine or a feature",
        ),
        ("modes/quarrel/__init__.py", "", "modes/quarrel has no pipeline.py"),
    ],
)
def test_the_law_notices_a_breach(tmp_path: Path, file: str, text: str, breach: str) -> None:
    source = tmp_path / "moot"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__", "static"))
    added = source / file
    added.parent.mkdir(exist_ok=True)
    added.write_text(text)
    assert breach in breaches(source)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_a_page_of_docs_and_a_folder_of_tests(mode: str) -> None:
    for file in (f"docs/modes/{mode}.md", f"tests/modes/{mode}/test_pipeline.py"):
        assert (ROOT / file).is_file(), f"{mode} has no {file}"


def test_every_mode_folder_is_among_the_modes() -> None:
    assert {path.parent.name for path in SOURCE.glob("modes/*/pipeline.py")} == set(MODES)


def test_event_types_are_unique_within_a_mode_and_the_first_opens_it() -> None:
    for mode in MODES.values():
        types = [event.type for event in mode.events]
        assert len(types) == len(set(types))
        assert mode.opening.type == ("stage1_start" if mode.id == "council" else f"{mode.id}_start")


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_functions_stay_within_the_wall(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, f"{node.name} is too long"


def test_only_whoever_ends_or_keeps_what_must_go_on_catches_everything() -> None:
    broad = {
        name(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    }
    assert broad <= {"kernel/run_task.py", "kernel/leases.py", "webhooks/delivery.py"}


def test_the_public_names_are_sorted_and_there() -> None:
    assert moot.__all__ == sorted(moot.__all__)
    assert all(hasattr(moot, public) for public in moot.__all__)


def test_importing_moot_imports_nothing_heavy() -> None:
    heavy = "{'sqlalchemy', 'fastapi', 'aiohttp', 'rich', 'numpy', 'pydantic'}"
    code = f"import moot, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_module_stands_in_the_way_of_a_public_name() -> None:
    """Python would put the module in its place as soon as somebody imports it."""
    modules = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules & set(moot.__all__) == set()
