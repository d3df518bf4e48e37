"""Which model is the strongest, as far as size, price and context tell."""

from __future__ import annotations

import pytest

from moot.transport.catalogue import ModelInfo, by_strength
from moot.transport.strength import size_of, strongest_first


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("ollama/llama3.3:70b-instruct-q4_K_M", 70),
        ("lab/Qwen2.5-Coder-1.5B-Instruct", 1.5),
        ("mistralai/mixtral-8x7b-instruct", 56),
        ("lab/SmolLM2-135M", 0.135),
        ("qwen/qwen3-235b-a22b", 235),
        ("moonshotai/kimi-k2-1t", 1000),
        ("ollama/gemma3n:e4b", 4),
        ("openai/o3", None),
        ("openai/gpt-4.1", None),
        ("lab/phi-4", None),
        ("lab/llama-4bit", None),
        ("lab/model-Q8_0", None),
        ("lab/v2.5beta", None),
    ],
)
def test_a_size_is_read_off_an_id(model: str, size: float | None) -> None:
    assert size_of(model) == (pytest.approx(size) if size is not None else None)


def test_the_dearest_comes_first_then_the_largest_then_the_longest_context() -> None:
    models = [
        ModelInfo(id="lab/unknown", provider="lab"),
        ModelInfo(id="lab/small-3b", provider="lab", context_length=128_000),
        ModelInfo(id="lab/large", provider="lab", parameter_count=70_000_000_000),
        ModelInfo(id="lab/long", provider="lab", context_length=32_000),
        ModelInfo(id="openai/dear", provider="openai", completion_price=10.0),
    ]
    assert [model.id for model in strongest_first(models)] == [
        "openai/dear",
        "lab/large",
        "lab/small-3b",
        "lab/long",
        "lab/unknown",
    ]


def test_models_of_which_nothing_is_known_stay_in_their_order() -> None:
    assert by_strength(("b/two", "a/one", "c/three")) == ("b/two", "a/one", "c/three")
