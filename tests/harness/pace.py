"""Bounds on time that hold on a slow machine, and on one that is shared.

    with used() as work: …
    assert work.seconds < on_this_machine(2)

What is meant is never so many seconds, but that work is not quadratic. So it is processor time that is measured,
and a bound grows where the processor is slower than the one it was set on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

USUAL = 0.045
"""Seconds that `_piece_of_work` takes on the machine for which the bounds were set."""
_WORD = re.compile(r"\w+")


@dataclass
class Used:
    """Seconds of processor time."""

    seconds: float = 0.0


@contextmanager
def used() -> Iterator[Used]:
    work, began = Used(), time.process_time()
    yield work
    work.seconds = time.process_time() - began


def on_this_machine(seconds: float) -> float:
    """What so many seconds of the usual machine are here and now; never less."""
    with used() as work:
        _piece_of_work()
    return seconds * max(1.0, work.seconds / USUAL)


def _piece_of_work() -> None:
    text = "the quick brown fox jumps over the lazy dog " * 50
    for _ in range(600):
        counts: dict[str, int] = {}
        for word in _WORD.findall(text):
            counts[word] = counts.get(word, 0) + 1
        sorted(counts.items())
