"""What every command shows on a terminal, as files to be read, at 80 and at 140 columns.

`moot ask` is in `test_golden.py`; the help of every command is in docs/cli.md, which is executed. Write them
anew with `pytest tests/cli/test_golden_commands.py --write-golden`, and read what has changed.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.command import Command
from tests.cli.every_command import HEAD
from tests.cli.pseudo_terminal import on_terminal

GOLDEN = Path(__file__).parent / "golden" / "commands"
ROOT = Path(__file__).parents[2]
DEFAULT = re.compile(r"^[a-z_]+ +default +\S.*\n", re.M)
"""A setting nobody has set: a new one is no change to how the list reads."""
VARYING = (
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "01234567-89ab-4cde-8f01-23456789abcd"),
    (re.compile(r"\b[0-9a-f]{8}\b"), "01234567"),
    (re.compile(r"\b[A-Z][a-z]{2} \d\d \d\d:\d\d\b"), "Jan 01 12:00"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT[\d:.]+Z"), "2026-01-01T12:00:00.000Z"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "2026-01-01"),
    (re.compile(r'"id": "[0-9a-f]{16}"'), '"id": "0123456789abcdef"'),
    (re.compile(r"\b\d\.\d s\b"), "1.0 s"),
)


@pytest.mark.parametrize("columns", [80, 140])
def test_every_command_reads_as_it_did(columns: int, request: pytest.FixtureRequest) -> None:
    home = Path(tempfile.mkdtemp(prefix="moot-", dir="/tmp"))  # a path as long as any other time
    try:
        moot = Command(home, {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "MOOT_TIMEOUT_MS": "90000"})
        program = (sys.executable, "-m", "tests.cli.every_command")
        shown = on_terminal(moot, columns=columns, program=program, typed=b"n\n").text.replace(
            str(home), "/tmp/moot-abcdefgh"
        )
    finally:
        shutil.rmtree(home)
    for pattern, same in VARYING:
        shown = pattern.sub(same, shown)
    shown = DEFAULT.sub("", shown)
    assert "Traceback" not in shown
    file = GOLDEN / f"{columns}.txt"
    drawn = "\n".join(line.rstrip() for line in shown[shown.index(HEAD) :].splitlines()) + "\n"
    if request.config.getoption("--write-golden"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(drawn)
    assert drawn == file.read_text()
    assert max(cell_len(line) for line in drawn.splitlines()) <= columns
