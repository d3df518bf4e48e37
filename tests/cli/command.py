"""The console script in a process of its own, with a home of its own.

moot = Command(tmp_path)
done = moot("ask", "Tabs or spaces?", "--models", QUICK)
assert done.code == 0
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.waiting import PATIENCE

MOOT = str(Path(sys.executable).parent / "moot")
QUICK = ",".join(f"sim/{name}:latency=0:tps=0" for name in ("ada", "bo", "cleo"))


def hear_ctrl_c() -> None:
    """Who runs the tests in the background may have had it ignored, which a child inherits."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Every line of stdout, read as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Command:
    """`home` holds the database and the user's file, and is the folder in which the command runs."""

    home: Path
    environment: Mapping[str, str] | None = None

    @property
    def whole_environment(self) -> dict[str, str]:
        names = ("PATH", "HOME", "LANG", "PYTHONPATH", "MOOT_TEST_SEED")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        own = {"XDG_DATA_HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home)}
        return {**kept, **own, "COLUMNS": "80", **(self.environment or {})}

    def __call__(self, *words: str, stdin: str = "", **environment: str) -> Done:
        done = subprocess.run(
            [MOOT, *words],
            input=stdin.encode(errors="surrogateescape"),
            capture_output=True,
            cwd=self.home,
            env={**self.whole_environment, **environment},
            timeout=PATIENCE,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """Without waiting for its end; what still runs on leaving is killed."""
        with subprocess.Popen(
            [MOOT, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.home,
            env=self.whole_environment,
            preexec_fn=hear_ctrl_c,
        ) as process:
            try:
                yield process
            finally:
                process.kill()
