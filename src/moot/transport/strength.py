"""Which of several models is the strongest, as far as their price, their size and their context tell.

>>> size_of("ollama/llama3.3:70b-instruct-q4_K_M"), size_of("lab/mixtral-8x7b"), size_of("openai/o3")
(70.0, 56.0, None)

The one place where models are compared. It is a guess, and only decides who gets a role that nobody has given
away: whoever names a judge gets that judge. The dearest comes first, for among models with a price it is the
best guess; then the largest, then the one with the longest context; then whoever was named first. What is not
known counts as nothing, so that a model with a price comes before those that run at home.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.transport.catalogue import ModelInfo

_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d{1,3})x)?e?(\d{1,5}(?:\.\d{1,3})?)([mbt])(?![a-z0-9])", re.I)
_BILLIONS = {"m": 0.001, "b": 1.0, "t": 1000.0}


def size_of(model: str) -> float | None:
    """Billions of parameters, where the id says so; all experts together."""
    sizes = [
        int(experts or 1) * float(number) * _BILLIONS[unit.lower()]
        for experts, number, unit in _SIZE.findall(model)
    ]
    return max(sizes, default=None)


def strongest_first(models: Iterable[ModelInfo]) -> list[ModelInfo]:
    """Models that are alike, or of which nothing is known, stay in their order."""
    return sorted(models, key=_strength, reverse=True)


def _strength(model: ModelInfo) -> tuple[float, float, int]:
    size = size_of(model.id) if model.parameter_count is None else model.parameter_count / 1e9
    return model.completion_price or 0.0, size or 0.0, model.context_length or 0
