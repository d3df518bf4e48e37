"""How a run ended, in words: what is missing, what failed, what it took and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moot.cli.session import DEGRADED, FAILED
from moot.cli.short_id import short_id
from moot.history.notices import notices
from moot.history.safe_text import one_line, safe_json, safe_text
from moot.kernel.status import WITH_ANSWER

if TYPE_CHECKING:
    from moot.history.views import Deliberation, Totals


def exit_code(deliberation: Deliberation) -> int:
    return {"complete": 0, "degraded": DEGRADED}.get(deliberation.record.status, FAILED)


def answer(deliberation: Deliberation) -> str:
    """In the caller's schema, if there was one."""
    if deliberation.wants_schema:
        return safe_json(deliberation.json_answer or "")
    return safe_text(deliberation.answer or "").strip()


def headline(deliberation: Deliberation) -> list[str]:
    """What stands above the answer where every cause has already been told, stage by stage."""
    from moot.kernel.events import ModelFailed

    if deliberation.record.status == "complete":
        return []
    whole = head = notices(deliberation)[0]
    for event in deliberation.story:
        if isinstance(event, ModelFailed):
            head = head.replace(one_line(event.data.reason, 4000), "")
    return [" ".join(head.split()) or whole]


def summary(deliberation: Deliberation) -> str:
    """run 1f0c22aa · conversation 7be0194d · 12.3 s · 9 calls · 3,120 tokens · $0.0123"""
    from moot.history.views import Totals
    from moot.kernel.narration import count, seconds

    record = deliberation.record
    totals = Totals.of([call for call in deliberation.calls if not call.inherited])
    parts = [f"run {short_id(record.id)}"]
    if record.status in WITH_ANSWER:
        parts.append(f"conversation {short_id(record.conversation_id)}")
    parts += [seconds(deliberation.stored_events[-1][1].at), count(totals.calls, "call"), *_usage(totals)]
    return " · ".join(parts)


def _usage(totals: Totals) -> list[str]:
    from moot.kernel.narration import count

    tokens = (totals.prompt_tokens or 0) + (totals.completion_tokens or 0)
    if not tokens:
        return []
    if totals.cost is None:
        return [count(tokens, "token"), "cost unknown"]
    return [count(tokens, "token"), ("at least " if totals.unpriced else "") + dollars(totals.cost)]


def dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount == 0 or amount >= 1 else f"${amount:.4f}"
