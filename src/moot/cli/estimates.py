"""What a run takes at most, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.kernel.call_estimate import RunEstimate


def estimate_text(estimate: RunEstimate) -> str:
    """
    debate: at most 10 calls to 3 models: sim/ada, sim/bo, sim/cleo
    at most 50,120 tokens read and 40,960 written
    at most $0.41, if no reply is longer than 4,096 tokens
    usually about 3 minutes, never more than 10
    """
    models = (
        f"{len(estimate.models)} model{'s' if len(estimate.models) > 1 else ''}: {', '.join(estimate.models)}"
    )
    return "\n".join(
        [
            f"{estimate.mode}: at most {estimate.calls} calls to {models}",
            f"at most {estimate.prompt_tokens:,} tokens read and {estimate.completion_tokens:,} written",
            _cost(estimate),
            _time(estimate),
            *_short_contexts(estimate),
        ]
    )


def _cost(estimate: RunEstimate) -> str:
    if estimate.simulated:
        return "costs nothing: the models are simulated"
    if estimate.cost is None:
        return f"cost unknown. {estimate.reason}"
    return f"at most {dollars(estimate.cost)}, if no reply is longer than {estimate.reply_tokens:,} tokens"


def _time(estimate: RunEstimate) -> str:
    if estimate.simulated:
        return "usually less than a minute"
    limit = "" if estimate.longest_ms is None else f", never more than {estimate.longest_ms / 60_000:.0f}"
    return f"usually about {estimate.duration_ms / 60_000:.1f} minutes{limit}".replace(".0 ", " ")


def _short_contexts(estimate: RunEstimate) -> list[str]:
    if not estimate.short_contexts:
        return []
    return [f"if replies are long, texts are shortened to fit {', '.join(estimate.short_contexts)}"]


def dollars(amount: float) -> str:
    return f"${amount:.4f}" if 0 < amount < 0.01 else f"${amount:.2f}"
