"""What a call costs when its provider does not say: from a price list, or not at all.

The list is that of the package `genai-prices`, loaded when the first call needs it. A model that
it does not know has no price here either: a figure is never invented.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moot.kernel.values import Usage
from moot.settings.providers import OLLAMA, Provider

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

_unknown: set[tuple[str, str]] = set()


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens."""

    prompt: float
    completion: float
    context_length: int | None


async def cost_of(provider: Provider, model: str, usage: Usage, cached_tokens: int = 0) -> float | None:
    """Dollars for one call, or None if its price or its tokens are not known."""
    known = usage.prompt_tokens is not None and usage.completion_tokens is not None
    if not known or provider.name == OLLAMA or (provider.base_url, model) in _unknown:
        return None
    await _load()
    calculation = _calculation(provider, model, usage, cached_tokens)
    return None if calculation is None else float(calculation.total_price)


async def listed(provider: Provider, models: Iterable[str]) -> dict[str, Price]:
    """The prices of those models that have one."""
    if provider.name == OLLAMA:
        return {}
    await _load()
    thousand = Usage(prompt_tokens=1000, completion_tokens=1000)
    found = {model: _calculation(provider, model, thousand) for model in models}
    return {
        model: Price(
            prompt=float(calculation.input_price) * 1000,
            completion=float(calculation.output_price) * 1000,
            context_length=calculation.model.context_window,
        )
        for model, calculation in found.items()
        if calculation is not None
    }


async def _load() -> None:
    # The import takes a fifth of a second, which no other call should have to wait for.
    if "genai_prices" not in sys.modules:
        await asyncio.to_thread(importlib.import_module, "genai_prices")


def _calculation(
    provider: Provider, model: str, usage: Usage, cached_tokens: int = 0
) -> PriceCalculation | None:
    import genai_prices

    try:
        return genai_prices.calc_price(
            genai_prices.Usage(
                input_tokens=usage.prompt_tokens,
                output_tokens=usage.completion_tokens,
                cache_read_tokens=cached_tokens,
            ),
            provider.own_name(model),
            provider_api_url=provider.base_url,
        )
    except (LookupError, ValueError):
        _unknown.add((provider.base_url, model))
        return None
