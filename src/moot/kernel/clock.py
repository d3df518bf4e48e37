"""The one place that looks at the clock; a pipeline never does."""

from __future__ import annotations

import time
from datetime import UTC, datetime

monotonic = time.monotonic
LATEST = 253_402_300_799_999
"""The last millisecond of the year 9999: no calendar here, and no database, goes further."""


def now_ms() -> int:
    """Milliseconds since 1970, UTC: how every moment is stored."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
