"""Every command that lists or shows, one after the other, for `test_golden_commands` to read.

python -m tests.cli.every_command: on the terminal it is started on, in the home it is given.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from pathlib import Path

from moot.cli import app
from tests.cli.command import QUICK
from tests.cli.test_golden import same_seed

HEAD = "$ moot "
PREPARE = (
    ["ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK, "--quiet"],
    ["presets", "save", "Our three", "--mode", "debate", "--models", "sim/ada,sim/bo,sim/cleo", "--default"],
)
COMMANDS = (
    "modes",
    "models",
    "presets list",
    "presets show OurThree",
    "runs",
    "show ID",
    "search tabs",
    "insight",
    "limits",
    "fleet",
    "accounts list",
    "tokens list",
    "config",
    "trust",
    "doctor",
    "templates list",
    "templates show root-cause-analysis",
    "traces list",
    "traces stats",
    "embedder status",
    "ask Tabs? --mode debat",
    "show nothing-like-this",
    "aks",
)


def run(words: list[str]) -> int | str | None:
    try:
        app(words, prog_name="moot")
    except SystemExit as exit:
        return exit.code
    return 0


def newest_run() -> str:
    with sqlite3.connect(Path(os.environ["XDG_DATA_HOME"], "moot", "moot.db")) as database:
        (run_id,) = database.execute("SELECT id FROM runs").fetchone()
    return str(run_id)


if __name__ == "__main__":
    secrets.token_hex = same_seed
    for words in PREPARE:
        run(words)
    for command in COMMANDS:
        if command == "trust":
            Path("moot.toml").write_text('default_mode = "vote"\nhost = "0.0.0.0"\n')
        words = command.replace("ID", newest_run()).split()
        print(f"{HEAD}{command}", flush=True)
        code = run([word.replace("OurThree", "Our three") for word in words])
        print(f"exit code {code}", flush=True)
