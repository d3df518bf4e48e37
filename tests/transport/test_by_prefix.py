"""Which provider a model id leads to, with what is configured."""

from __future__ import annotations

from typing import Any

import pytest

from moot.kernel.errors import TransportError
from moot.settings import Settings
from moot.testing import Scripted
from moot.transport.build import transport_for
from moot.transport.by_prefix import provider_of
from tests.transport.asking import a_request, failure, hear

LAB = {"lab": {"base_url": "https://lab.example/v1", "api_key_env": "LAB_KEY", "api_key": "k"}}
OPENROUTER = {"openrouter_api_key": "k"}
OPENAI = {"openai_api_key": "k"}
ANTHROPIC = {"anthropic_api_key": "k"}


@pytest.mark.parametrize(
    ("settings", "model", "provider", "own_name"),
    [
        (OPENROUTER, "openai/o3", "openrouter", "openai/o3"),
        (OPENROUTER, "meta-llama/llama-3.3:free", "openrouter", "meta-llama/llama-3.3:free"),
        (OPENROUTER, "openrouter/auto", "openrouter", "openrouter/auto"),
        (OPENROUTER | OPENAI | ANTHROPIC, "openai/o3", "openrouter", "openai/o3"),
        (
            OPENROUTER | OPENAI | ANTHROPIC,
            "anthropic/claude-opus-4-6",
            "openrouter",
            "anthropic/claude-opus-4-6",
        ),
        (OPENAI, "openai/o3", "openai", "o3"),
        (OPENAI | ANTHROPIC, "anthropic/claude-opus-4-6", "anthropic", "claude-opus-4-6"),
        ({"openai_base_url": "http://127.0.0.1:1/v1"}, "openai/qwen", "openai", "qwen"),
        ({"openrouter_base_url": "http://127.0.0.1:1/v1"}, "openai/o3", "openrouter", "openai/o3"),
        ({}, "ollama/llama3.3", "ollama", "llama3.3"),
        (OPENROUTER, "ollama/hf.co/org/model:q4", "ollama", "hf.co/org/model:q4"),
        (OPENROUTER | {"providers": LAB}, "lab/qwen/qwen3", "lab", "qwen/qwen3"),
    ],
)
def test_a_model_id_leads_to_a_provider(
    settings: dict[str, Any], model: str, provider: str, own_name: str
) -> None:
    found = provider_of(model, Settings(**settings).known_providers())
    assert (found.name, found.own_name(model)) == (provider, own_name)


@pytest.mark.parametrize(
    ("settings", "model", "kind", "reason"),
    [
        (
            {},
            "openai/o3",
            "auth",
            "openai/o3 needs an OpenRouter key: set OPENROUTER_API_KEY or OPENAI_API_KEY.",
        ),
        (
            OPENAI,
            "google/gemini",
            "auth",
            "google/gemini needs an OpenRouter key: set OPENROUTER_API_KEY.",
        ),
        (
            OPENAI,
            "anthropic/claude-opus-4-6",
            "auth",
            "anthropic/claude-opus-4-6 needs an OpenRouter key: set OPENROUTER_API_KEY or ANTHROPIC_API_KEY.",
        ),
        (
            {"providers": {"lab": {"base_url": "https://lab.example/v1", "api_key_env": "LAB_KEY"}}},
            "lab/qwen3",
            "auth",
            "lab/qwen3 needs a lab key: set LAB_KEY.",
        ),
        (
            OPENROUTER,
            "o3",
            "not_found",
            "'o3' is not a model that can be asked: an id looks like openai/o3 or ollama/llama3.3.",
        ),
        (
            OPENROUTER,
            "sim/ada",
            "not_found",
            "'sim/ada' cannot be asked: there is no simulator here.",
        ),
    ],
)
async def test_a_model_nobody_serves_fails_at_once_with_advice(
    settings: dict[str, Any], model: str, kind: str, reason: str
) -> None:
    transport = transport_for(Settings(**settings))
    stream = transport.stream(a_request(model))  # a stream like any other: it fails when it is read
    with pytest.raises(TransportError) as caught:
        await anext(stream)
    assert (caught.value.kind, caught.value.reason) == (kind, reason)


async def test_simulated_models_go_to_the_simulator() -> None:
    transport = transport_for(Settings(), Scripted({"sim/ada": "Tabs."}))
    assert (await hear(transport, a_request("sim/ada"))).text == "Tabs."


async def test_an_endpoint_without_a_key_is_asked_without_one() -> None:
    settings = Settings.model_validate(
        {"providers": {"lab": {"base_url": "http://127.0.0.1:9/v1"}}, "attempts": 1}
    )
    transport = transport_for(settings)
    error = await failure(transport, a_request("lab/qwen3"))
    await transport.aclose()
    assert error.reason.startswith("Could not reach lab at http://127.0.0.1:9: connection refused.")
