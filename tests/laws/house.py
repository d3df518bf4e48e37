"""The law of the house: which room every module belongs to, and whom it may know.

    values < settings < transport, store < kernel < deliberation < modes < features < doors

`breaches(source)` reads a tree of modules and says, one sentence each, where the law is broken.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "kernel.clock",
        "kernel.errors",
        "kernel.events",
        "kernel.limits",
        "kernel.log",
        "kernel.refusals",
        "kernel.status",
        "kernel.user",
        "kernel.values",
    ),
    ("settings",),
    ("transport", "store"),
    ("kernel",),
    ("deliberation",),
    ("simulator",),
    ("modes",),
    ("simulator.replies", "simulator.transport"),
    ("templates", "traces", "insights", "presets", "history", "accounts", "limits", "fleet", "keys"),
    ("metrics", "batches", "archive", "telemetry"),
    ("webhooks",),
    ("wiring",),
    ("__init__", "__main__", "library", "http", "cli", "mcp", "testing"),
)
"""From the ground up. A module belongs to the room with the longest name that fits, and may know its own room
and every room on a floor below."""
NEIGHBOURS = {
    "__init__",
    "__main__",
    "cli",
    "http",
    "kernel.clock",
    "kernel.errors",
    "kernel.events",
    "kernel.limits",
    "kernel.log",
    "kernel.refusals",
    "kernel.values",
    "simulator.transport",
    "traces",
}
"""Rooms that may know others of their floor."""
DOORS = ("library", "http", "cli", "mcp")
STANDARD_FILES = ("__init__", "config", "events", "narration", "pipeline", "prompts", "simulated")
PURE = {
    "__future__",
    "base64",
    "bisect",
    "collections",
    "dataclasses",
    "datetime",  # dates and durations only; ruff bans `datetime.now`
    "decimal",
    "difflib",
    "fractions",
    "functools",
    "graphlib",
    "hashlib",
    "importlib",  # resources that lie beside the module
    "itertools",
    "json",
    "json_repair",
    "math",
    "numpy",
    "operator",
    "orjson",
    "pydantic",
    "pydantic_core",
    "rapidfuzz",
    "re",
    "statistics",
    "string",
    "tomllib",
    "typing",
    "unicodedata",
}
"""What a mode may use besides moot: no clock, no dice, no tasks, no environment, no network."""
NOT_FOR_MODES = ("settings", "transport", "store", "kernel.clock", "kernel.engine", "kernel.leases")
EMPTY_NAMES = {
    "common",
    "constants",
    "handlers",
    "helpers",
    "manager",
    "managers",
    "misc",
    "services",
    "types",
    "util",
    "utils",
}


class House:
    """A tree of modules, by their dotted names below the package."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.files = {self._name(path): path for path in sorted(source.rglob("*.py"))}

    def _name(self, path: Path) -> str:
        name = ".".join(path.relative_to(self.source).with_suffix("").parts)
        return name.removesuffix(".__init__")

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """What each module imports, anywhere in it: ours by dotted name, others by a colon and their first."""
        return {name: set(self._imports(path)) for name, path in self.files.items()}

    def _imports(self, path: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (self._ours(alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = self._ours(f"{node.module}.{alias.name}")
                    yield inner if inner in self.files else self._ours(node.module)

    def _ours(self, module: str) -> str:
        if module == "moot":
            return "__init__"
        # A sign no name of ours has: the standard library has an `http` of its own.
        return module.removeprefix("moot.") if module.startswith("moot.") else f":{module.split('.')[0]}"


def room(name: str) -> tuple[int, str] | None:
    """The floor and the room of a module; None for a stray one."""
    fitting = [
        (len(each), floor, each)
        for floor, rooms in enumerate(LAYERS)
        for each in rooms
        if name == each or name.startswith(f"{each}.")
    ]
    return max(fitting)[1:] if fitting else None


def breaches(source: Path) -> list[str]:
    house = House(source)
    return [
        *_strays(house),
        *_upward_imports(house),
        *_modes_that_know_modes(house),
        *_impure(house),
        *_doors_to_the_store(house),
        *_lonely(house),
        *_missing_files(house),
        *_empty_names(house),
    ]


def _strays(house: House) -> Iterator[str]:
    return (f"{name} belongs to no room" for name in house.files if room(name) is None)


def _upward_imports(house: House) -> Iterator[str]:
    for name, imported in house.imports.items():
        here = room(name)
        for other in sorted(imported & house.files.keys()):
            there = room(other)
            if here is None or there is None or here[1] == there[1] or there[0] < here[0]:
                continue
            if there[0] == here[0] and here[1] in NEIGHBOURS:
                continue
            yield f"{name} imports {other}, which is not below it"


def _modes_that_know_modes(house: House) -> Iterator[str]:
    for name, imported in house.imports.items():
        mode = mode_of(name)
        for other in sorted(imported) if mode else ():
            if mode_of(other) not in (None, mode):
                yield f"{name} imports {other}: a mode never imports a mode"


def mode_of(name: str) -> str | None:
    """The mode a module is a part of."""
    parts = name.split(".")
    return parts[1] if parts[0] == "modes" and len(parts) > 1 and parts[1] != "skills" else None


def _impure(house: House) -> Iterator[str]:
    """Else a resumed run would not repeat itself."""
    for name, imported in house.imports.items():
        if mode_of(name) is None and not name.startswith("deliberation."):
            continue
        for other in sorted(imported):
            if other in house.files:
                simulated = other.startswith("simulator") and not name.endswith(".simulated")
                if simulated or any(other == one or other.startswith(f"{one}.") for one in NOT_FOR_MODES):
                    yield f"{name} imports {other}: it must be pure"
            elif other.removeprefix(":") not in PURE:
                yield f"{name} imports {other.removeprefix(':')}: it must be pure"


def _doors_to_the_store(house: House) -> Iterator[str]:
    for name, imported in house.imports.items():
        if name.split(".")[0] not in DOORS:
            continue
        for other in sorted(imported):
            if other == "store" or other.startswith("store."):
                yield f"{name} imports {other}: a door asks the engine or a feature"
        for node in ast.walk(ast.parse(house.files[name].read_text())):
            if isinstance(node, ast.Attribute) and node.attr == "store":
                yield f"{name}:{node.lineno} reaches for the store: a door asks the engine or a feature"


def _lonely(house: House) -> Iterator[str]:
    """What only one mode needs stands in that mode's folder."""
    modes = {mode for name in house.files if (mode := mode_of(name))}
    reach = {mode: _reach(house, mode) for mode in modes}
    for name in house.files:
        if name.startswith("deliberation."):
            users = sorted(mode for mode in modes if name in reach[mode])
            if len(users) < 2:
                yield f"{name} is shared by {users or 'nobody'}: what one mode needs stands in its folder"


def _reach(house: House, mode: str) -> set[str]:
    known: set[str] = set()
    open_ends = [name for name in house.files if mode_of(name) == mode]
    while open_ends:
        name = open_ends.pop()
        if name not in known:
            known.add(name)
            open_ends += [
                other
                for other in house.imports[name]
                if other.startswith("deliberation.") and other in house.files
            ]
    return known


def _missing_files(house: House) -> Iterator[str]:
    for mode in sorted({mode for name in house.files if (mode := mode_of(name))}):
        for file in STANDARD_FILES:
            if not (house.source / "modes" / mode / f"{file}.py").is_file():
                yield f"modes/{mode} has no {file}.py"


def _empty_names(house: House) -> Iterator[str]:
    for name in house.files:
        if name.split(".")[-1] in EMPTY_NAMES:
            yield f"{name} is named for what kind of thing it is, not for what it is about"
