"""How a run ended, in words: what is missing, what failed, what it took and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moot.cli.event_table import count, seconds
from moot.cli.safe_text import one_line, safe_text
from moot.cli.session import DEGRADED, FAILED
from moot.cli.short_id import short_id
from moot.kernel.status import WITH_ANSWER

if TYPE_CHECKING:
    from moot.history.views import Deliberation, Totals

SIMULATED = "Simulated: no language model wrote this."
MISSING = "This answer is degraded: something is missing in it."


def exit_code(deliberation: Deliberation) -> int:
    return {"complete": 0, "degraded": DEGRADED}.get(deliberation.record.status, FAILED)


def answer(deliberation: Deliberation) -> str:
    return safe_text(deliberation.answer or "").strip()


def notices(deliberation: Deliberation) -> list[str]:
    """What stands above the answer, or in its place: each failure in its provider's own words."""
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


def summary(deliberation: Deliberation) -> str:
    """run 1f0c22aa · conversation 7be0194d · 12.3 s · 9 calls · 3,120 tokens · $0.0123"""
    from moot.history.views import Totals

    record = deliberation.record
    totals = Totals.of([call for call in deliberation.calls if not call.inherited])
    parts = [f"run {short_id(record.id)}"]
    if record.status in WITH_ANSWER:
        parts.append(f"conversation {short_id(record.conversation_id)}")
    parts += [seconds(deliberation.stored_events[-1][1].at), count(totals.calls, "call"), *_usage(totals)]
    return " · ".join(parts)


def _usage(totals: Totals) -> list[str]:
    tokens = (totals.prompt_tokens or 0) + (totals.completion_tokens or 0)
    if not tokens:
        return []
    if totals.cost is None:
        return [count(tokens, "token"), "cost not known"]
    return [count(tokens, "token"), ("at least " if totals.unpriced else "") + dollars(totals.cost)]


def dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount == 0 or amount >= 1 else f"${amount:.4f}"
