"""What stands above an answer, or in its place, wherever a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moot.history.safe_text import one_line

if TYPE_CHECKING:
    from moot.history.views import Deliberation

SIMULATED = "Simulated: no language model wrote this."
MISSING = "This answer is degraded: something is missing from it."


def notices(deliberation: Deliberation) -> list[str]:
    """Each failure in its provider's own words."""
    status, error = deliberation.record.status, one_line(deliberation.record.error or "", 4000)
    messages = [one_line(notice, 1000) for notice in deliberation.notices]
    match status:
        case "degraded":
            return [MISSING, *messages]
        case "failed" | "cancelled":
            # The error of a panel that fell silent already quotes every reason.
            rest = [notice for notice in messages if notice.partition(": ")[2] not in error]
            return [error or f"The run {status}.", *rest]
        case "running":
            return ["This run is not finished."]
    return messages
