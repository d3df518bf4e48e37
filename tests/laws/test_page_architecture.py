"""The law of the page: where its modules stand, and which way their imports point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from moot.modes import MODES

ROOT = Path(__file__).parents[2] / "web" / "src"
TESTS = Path(__file__).parents[1] / "page" / "modes"
LAYERS = (
    ("api", "ui"),  # the server's answers | what any page is made of
    ("run",),  # a run: its story, its turn on the page, what two modes' pictures share
    ("ask", "modes/*"),  # the form | each mode's half, which knows no other mode
    ("modes",),  # the list of modes
    ("pages",),
    ("main.tsx",),
)
"""From the ground up. A module imports from its own folder and from the rows below it, and from nothing else."""
MODE_FILES = {"index.ts", "picture.tsx", "wire.ts"}
IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*'(\.[^']*)'""")

Modules = Mapping[str, str]


def sources() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in sorted(ROOT.rglob("*"))
        if path.suffix in (".ts", ".tsx", ".css")
    }


def imports(module: str, modules: Modules) -> Iterator[str]:
    for target in IMPORT.findall(modules[module]):
        parts: list[str] = module.split("/")[:-1]
        for part in target.split("/"):
            if part == "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        path = "/".join(parts)
        endings = ("", ".ts", ".tsx", "/index.ts")
        yield next((path + ending for ending in endings if path + ending in modules), path)


def home(module: str) -> str:
    """The folder whose modules may import one another; each mode has one of its own."""
    rooms = module.split("/")
    return "/".join(rooms[:2]) if rooms[0] == "modes" and len(rooms) > 2 else rooms[0]


def row(module: str) -> int | None:
    room = "modes/*" if home(module).startswith("modes/") else home(module)
    return next((number for number, rooms in enumerate(LAYERS) if room in rooms), None)


def faults(modules: Modules) -> list[str]:
    """Everything in which these modules break the law."""
    return [*_strays(modules), *_imports_upward(modules), *_lonely(modules)]


def _strays(modules: Modules) -> Iterator[str]:
    for module in modules:
        if row(module) is None:
            yield f"{module} stands in no room of the page"


def _imports_upward(modules: Modules) -> Iterator[str]:
    for module in modules:
        for target in imports(module, modules):
            mine, other = row(module), row(target)
            if target not in modules:
                yield f"{module} imports {target}, which is not there"
            elif home(module) != home(target) and mine is not None and other is not None and other >= mine:
                yield f"{module} imports {target}, which is not below it"


def _lonely(modules: Modules) -> Iterator[str]:
    """What only one mode uses belongs into its folder."""
    users: dict[str, set[str]] = {}
    for module in modules:
        for target in imports(module, modules):
            users.setdefault(target, set()).add(home(module))
    for module in modules:
        rooms = users.get(module, set())
        if home(module) in ("ui", "run") and len(rooms) == 1 and next(iter(rooms)).startswith("modes/"):
            yield f"{module} is used by {next(iter(rooms))} alone"


def test_every_module_stands_in_a_room_and_imports_point_down() -> None:
    assert faults(sources()) == []


BREACHES = {
    "a module beside the rooms": ({"helpers.ts": ""}, "stands in no room"),
    "an import upward": ({"ui/bars.tsx": "import { Turn } from '../run/turn'"}, "not below it"),
    "an import across a row": ({"api/client.ts": "import { many } from '../ui/format'"}, "not below it"),
    "a lazy import upward": ({"run/story.ts": "void import('../modes/vote/picture')"}, "not below it"),
    "a mode that imports a mode": (
        {"modes/vote/picture.tsx": "import { part } from '../jury'"},
        "imports modes/jury/index.ts, which is not below it",
    ),
    "a mode that reads the list of modes": (
        {"modes/vote/picture.tsx": "import { partOf } from '..'"},
        "imports modes/index.ts, which is not below it",
    ),
    "a shared module of one mode": (
        {"ui/thermometer.tsx": "", "modes/vote/picture.tsx": "import '../../ui/thermometer'"},
        "used by modes/vote alone",
    ),
    "an import of what is not there": ({"run/story.ts": "import './tale'"}, "is not there"),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_the_law_notices(breach: str) -> None:
    change, complaint = BREACHES[breach]
    assert [fault for fault in faults({**sources(), **change}) if complaint in fault]


def test_every_mode_has_its_folder_with_the_standard_files_and_its_tests() -> None:
    folders = {path.name for path in (ROOT / "modes").iterdir() if path.is_dir()}
    assert folders == set(MODES)
    for mode in folders:
        files = {path.name for path in (ROOT / "modes" / mode).iterdir()}
        assert files >= MODE_FILES, f"{mode} lacks {MODE_FILES - files}"
        assert (TESTS / f"test_{mode}.py").is_file(), f"{mode} has no tests in a browser"
