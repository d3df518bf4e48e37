"""What becomes of a run, and what each state allows: said once, for store, engine and doors."""

from __future__ import annotations

from typing import Literal

Status = Literal["running", "complete", "degraded", "failed", "cancelled"]

WITH_ANSWER: tuple[Status, ...] = ("complete", "degraded")
"""The run came to an answer, whole or with something missing in it."""
WITHOUT_ANSWER: tuple[Status, ...] = ("failed", "cancelled")
RETRYABLE: tuple[Status, ...] = ("failed", "cancelled", "degraded")
"""The run can be retried: something in it was left undone. The store holds every retry to this, in the
transaction that begins it."""
