"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import moot
from moot.kernel.registry import REGISTRY
from moot.modes import MODES

SOURCE = Path(moot.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
MODE_FILES = sorted((SOURCE / "modes").glob("[a-z]*.py"))
PURE = {
    "__future__",
    "collections",
    "dataclasses",
    "decimal",
    "fractions",
    "functools",
    "itertools",
    "json",
    "math",
    "moot",
    "pydantic",
    "re",
    "statistics",
    "typing",
}
BELOW_MODES = {
    "http",
    "cli",
    "library",
    "engine",
    "keeper",
    "store",
    "transport",
    "live",
    "listening",
    "clock",
    "settings",
}
EMPTY_NAMES = {
    "utils",
    "util",
    "helpers",
    "common",
    "misc",
    "manager",
    "managers",
    "handlers",
    "services",
    "types",
    "constants",
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def name(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("path", MODE_FILES, ids=lambda path: path.stem)
def test_a_mode_is_pure_but_for_its_run(path: Path) -> None:
    """No clock, no dice, no tasks, no network: else a resumed run would not repeat itself."""
    assert {module.split(".")[0] for module in imports(path)} <= PURE
    ours = {module.split(".")[1] for module in imports(path) if module.startswith("moot.")}
    assert not ours & BELOW_MODES
    assert not any(module.startswith("moot.modes") for module in imports(path)), "a mode never imports a mode"


def test_every_mode_file_is_registered_with_a_page_and_a_test_of_its_own() -> None:
    root = SOURCE.parent.parent
    built = {path.stem for path in MODE_FILES}
    assert built == set(MODES)
    assert set(MODES) <= set(REGISTRY)
    for mode in built:
        assert (root / "docs" / "modes" / f"{mode}.md").exists(), f"{mode} has no page"
        assert (root / "tests" / "modes" / f"test_{mode}.py").exists(), f"{mode} has no tests"


def test_event_types_are_unique_within_a_mode_and_the_first_opens_it() -> None:
    for mode in MODES.values():
        types = [event.type for event in mode.events]
        assert len(types) == len(set(types))
        assert mode.opening.type == ("stage1_start" if mode.id == "council" else f"{mode.id}_start")


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_functions_and_modules_stay_within_the_wall(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= 500
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, f"{node.name} is too long"


def test_no_module_is_named_for_what_kind_of_thing_it_is() -> None:
    assert not [name(path) for path in MODULES if path.stem in EMPTY_NAMES]


def test_only_whoever_ends_or_keeps_runs_catches_everything() -> None:
    broad = {
        name(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    }
    assert broad <= {"working.py", "keeper.py"}


def test_the_public_names_are_sorted_and_there() -> None:
    assert moot.__all__ == sorted(moot.__all__)
    assert all(hasattr(moot, public) for public in moot.__all__)


def test_importing_moot_imports_nothing_heavy() -> None:
    heavy = "{'sqlalchemy', 'fastapi', 'aiohttp', 'rich', 'numpy', 'pydantic'}"
    code = f"import moot, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
