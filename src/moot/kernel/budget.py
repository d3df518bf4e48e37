"""Budget: calls, tokens, money of one run. Asked before every call, charged from replies."""

from __future__ import annotations

from dataclasses import dataclass, field

from moot.kernel.values import Call


@dataclass
class Budget:
    """Found replies are charged like fresh ones, so the budget is right after a resume."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_dollars: float | None = None
    calls: int = field(default=0, init=False)
    tokens: int = field(default=0, init=False)
    dollars: float = field(default=0.0, init=False)

    def refusal(self) -> str | None:
        """Why the next call may not be sent, or None if it may."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return f"The budget of {self.max_calls} model calls is used up."
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            return f"The budget of {self.max_tokens} tokens is used up."
        if self.max_dollars is not None and self.dollars >= self.max_dollars:
            return f"The budget of ${self.max_dollars:g} is used up."
        return None

    def reserve(self) -> None:
        self.calls += 1

    def charge(self, call: Call) -> None:
        self.tokens += (call.usage.prompt_tokens or 0) + (call.usage.completion_tokens or 0)
        self.dollars += call.cost or 0.0
