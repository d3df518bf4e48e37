"""The console script on a terminal of its own, and what it wrote there.

shown = on_terminal(moot, "ask", "Tabs or spaces?")
assert "╭─ 1. sim/ada" in shown.text
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.cli.command import MOOT, Command, hear_ctrl_c
from tests.harness.waiting import PATIENCE

OURS = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
"""What rich writes: styles, cursor movements, erased lines."""


@dataclass(frozen=True)
class Shown:
    code: int
    raw: bytes

    @property
    def text(self) -> str:
        """All that was drawn, in the order it was, without what moved the cursor."""
        return OURS.sub(b"", self.raw).decode().replace("\r\n", "\n").replace("\r", "\n")


def on_terminal(
    moot: Command,
    *words: str,
    columns: int = 80,
    rows: int = 24,
    interrupt_at: bytes | None = None,
    typed: bytes = b"",
    typed_at: bytes = b"",
    program: Sequence[str] = (MOOT,),
    **environment: str,
) -> Shown:
    """`interrupt_at`: press Ctrl-C once this has been drawn. `typed`: on the keyboard, before it is
    asked for, or once `typed_at` has been drawn."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    whole = {**moot.whole_environment, "TERM": "xterm-256color", **environment}
    whole.pop("COLUMNS")
    process = subprocess.Popen(
        [*program, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=moot.home,
        env=whole,
        preexec_fn=hear_ctrl_c,
    )
    os.close(theirs)
    if not typed_at:
        os.write(ours, typed)
    raw = b""
    deadline = time.monotonic() + PATIENCE
    try:
        while piece := _read(ours, deadline):
            raw += piece
            if typed_at and typed_at in raw:
                os.write(ours, typed)
                typed_at = b""
            if interrupt_at is not None and interrupt_at in raw:
                process.send_signal(signal.SIGINT)
                interrupt_at = None
        return Shown(process.wait(PATIENCE), raw)
    finally:
        process.kill()
        process.wait(PATIENCE)
        os.close(ours)


def _read(terminal: int, deadline: float) -> bytes:
    """What came, or nothing if the other side is closed."""
    ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        raise TimeoutError(f"The command was still running after {PATIENCE:g} s.")
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the last writer has gone
        return b""
