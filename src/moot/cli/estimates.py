"""What a run takes at most, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.kernel.call_estimate import RunEstimate


def estimate_text(said: RunEstimate) -> str:
    """
    debate: at most 10 calls to 3 models: sim/ada, sim/bo, sim/cleo
    at most 50,120 tokens read and 40,960 written
    at most $0.41, if no reply is longer than 4,096 tokens
    usually about 3 minutes, never more than 10
    """
    models = f"{len(said.models)} model{'s' if len(said.models) > 1 else ''}: {', '.join(said.models)}"
    return "\n".join(
        [
            f"{said.mode}: at most {said.calls} calls to {models}",
            f"at most {said.prompt_tokens:,} tokens read and {said.completion_tokens:,} written",
            _cost(said),
            _time(said),
        ]
    )


def _cost(said: RunEstimate) -> str:
    if said.simulated:
        return "costs nothing: the models are simulated"
    if said.cost is None:
        return f"what it costs is not known. {said.reason}"
    return f"at most {dollars(said.cost)}, if no reply is longer than {said.reply_tokens:,} tokens"


def _time(said: RunEstimate) -> str:
    limit = "" if said.longest_ms is None else f", never more than {said.longest_ms / 60_000:.0f}"
    return f"usually about {said.duration_ms / 60_000:.1f} minutes{limit}".replace(".0 ", " ")


def dollars(amount: float) -> str:
    return f"${amount:.4f}" if 0 < amount < 0.01 else f"${amount:.2f}"
