"""Allowance: what a run may spend where money is limited, drawn upon call by call.

    reserved 0.40   ├─ spent 0.11 ─┼─ held by calls under way 0.08 ─┼─ free 0.21 ─┤

Before a call is sent, what it may cost at most is held; once its reply is stored, what it did cost counts. A
call for which nothing is left is not sent. So that a call has a most, its reply is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import orjson

from moot.kernel.call_estimate import PlannedCalls, estimated
from moot.kernel.context_window import tokens_of
from moot.kernel.errors import Rejected, TransportError
from moot.kernel.limits import ROUNDING
from moot.kernel.values import Call, Request, json_bytes
from moot.store import Journal, Reservation
from moot.store.spending import CallKey, spent_by

if TYPE_CHECKING:
    from moot.kernel.mode import Mode, ModeConfig
    from moot.settings import Settings
    from moot.settings.providers import Provider
    from moot.transport.catalogue import ModelInfo


def reserved(
    mode: Mode[Any],
    config: ModeConfig,
    material: str,
    models: Iterable[ModelInfo],
    settings: Settings,
    providers: Mapping[str, Provider],
    *,
    after: Iterable[PlannedCalls] = (),
) -> Reservation:
    """What a run over this material reserves: all that it may cost. Raises Rejected if nobody knows that."""
    models = list(models)
    estimate = estimated(mode, config, material, models, settings, providers, after=after)
    if estimate.cost is None:
        advice = "Your spending is limited, so choose models whose price is known."
        raise Rejected(f"{estimate.reason} {advice}" if estimate.reason else advice)
    prices = {
        model.id: (model.prompt_price or 0.0, model.completion_price or 0.0, model.request_price or 0.0)
        for model in models
        if model.id in estimate.models
    }
    return Reservation(estimate.cost, json_bytes(prices))


class Allowance:
    """`prices`: by model, dollars per million tokens of prompt and of reply, and dollars per call."""

    def __init__(
        self,
        reserved: float,
        prices: Mapping[str, tuple[float, float, float]],
        reply_tokens: int,
        holds: Mapping[CallKey, float] | None = None,
        lost: float = 0.0,
    ) -> None:
        self.holds = dict(holds or {})
        self.lost = lost
        self._reserved = reserved
        self._prices = prices
        self._reply_tokens = reply_tokens

    @classmethod
    def of(cls, journal: Journal, reply_tokens: int) -> Self | None:
        """None where nobody limits the money."""
        kept = journal.reservation
        if kept is None:
            return None
        prices: dict[str, Any] = orjson.loads(kept.prices)
        return cls(kept.dollars, prices, reply_tokens, journal.holds, journal.lost)

    def bounded(self, request: Request) -> Request:
        """The request with a reply that is not longer than was reckoned with."""
        most = min(request.max_tokens or self._reply_tokens, self._reply_tokens)
        return replace(request, max_tokens=most)

    def take(self, key: CallKey, request: Request, calls: Iterable[Call]) -> float:
        """Hold what a call may cost, beside what `calls` did; how much. Raises TransportError if that is more
        than is left."""
        dollars = self._most(request)
        left = self._reserved - spent_by(calls, self.holds, self.lost)
        if dollars > left + ROUNDING:
            raise TransportError(
                "budget",
                f"{request.model} was not asked: it may cost ${dollars:.4f}, and of the "
                f"${self._reserved:.4f} reserved for this run ${max(left, 0.0):.4f} is left.",
            )
        self.holds[key] = self.holds.get(key, 0.0) + dollars
        return dollars

    def release(self, key: CallKey) -> float:
        """Nobody worked on this call: what was held for it is free again; how much that was."""
        return self.holds.pop(key, 0.0)

    def _most(self, request: Request) -> float:
        prompt, completion, fee = self._prices.get(request.model, (0.0, 0.0, 0.0))
        read = sum(tokens_of(message.content) for message in request.messages)
        return (read * prompt + (request.max_tokens or self._reply_tokens) * completion) / 1_000_000 + fee
