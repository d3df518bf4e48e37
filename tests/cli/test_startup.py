from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

from tests.cli.command import MOOT, Command

COMMANDS = [
    "ask",
    "check",
    "batch",
    "resume",
    "retry",
    "cancel",
    "runs",
    "show",
    "search",
    "export",
    "insight",
    "modes",
    "models",
    "serve",
    "mcp",
    "worker",
    "fleet",
    "migrate",
    "doctor",
    "config",
    "trust",
    "keys",
    "limits",
    "accounts",
    "tokens",
    "webhooks",
    "presets",
    "traces",
    "templates",
    "embedder",
]


def test_help_costs_little(moot: Command) -> None:
    figures = []
    for _ in range(3):
        before = os.times()
        subprocess.run([MOOT, "--help"], env=moot.whole_environment, stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        figures.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    print(f"moot --help: {min(figures):.2f} s of CPU")
    assert min(figures) < 0.6


def test_help_imports_nothing_heavy() -> None:
    heavy = "{'sqlalchemy', 'fastapi', 'aiohttp', 'rich', 'numpy', 'pydantic'}"
    code = f"import moot.cli, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_command(moot: Command) -> None:
    done = moot("--help")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.partition("Commands:\n")[2].splitlines()] == COMMANDS


def test_the_version_is_that_of_the_distribution(moot: Command) -> None:
    assert moot("--version").out == f"moot {version('moot')}\n"
