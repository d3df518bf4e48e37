"""What a call costs when its provider does not say: from a price list, or not at all.

The list is that of the package `genai-prices`, loaded when the first call needs it. A model that
it does not know has no price here either: a figure is never invented.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import TYPE_CHECKING

from moot.providers import OLLAMA, Provider
from moot.wire import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

_unknown: set[tuple[str, str]] = set()


async def cost_of(provider: Provider, model: str, usage: Usage, cached_tokens: int = 0) -> float | None:
    """Dollars for one call, or None if its price or its tokens are not known."""
    known = usage.prompt_tokens is not None and usage.completion_tokens is not None
    if not known or provider.name == OLLAMA or (provider.name, model) in _unknown:
        return None
    if "genai_prices" not in sys.modules:
        # Its import takes a fifth of a second, which no other call should have to wait for.
        await asyncio.to_thread(importlib.import_module, "genai_prices")
    calculation = _calculation(provider, model, usage, cached_tokens)
    return None if calculation is None else float(calculation.total_price)


def _calculation(provider: Provider, model: str, usage: Usage, cached_tokens: int) -> PriceCalculation | None:
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
        _unknown.add((provider.name, model))
        return None
