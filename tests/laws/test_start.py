"""What a start must not load: it is needed by few, or later, and costs everybody time and memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.command import Command

LATER = (
    "aiohttp",
    "alembic",
    "cryptography",
    "genai_prices",
    "joserfc",
    "mcp",
    "numpy",
    "opentelemetry.sdk",
    "rapidfuzz",
    "rich",
)
START = f"""
import os, signal, sys
from moot.http.serve import run
from moot.settings import Settings

def started(address):
    print([name for name in {LATER} if name in sys.modules])
    os.kill(os.getpid(), signal.SIGTERM)

run(Settings.load(), announce=started, welcome=print)
"""


def test_a_server_starts_without_what_it_may_never_need(tmp_path: Path) -> None:
    moot = Command(tmp_path)
    assert moot("migrate").code == 0
    environment = {**moot.whole_environment, "MOOT_PORT": "0"}
    done = subprocess.run(
        [sys.executable, "-c", START],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[]", done.stderr
