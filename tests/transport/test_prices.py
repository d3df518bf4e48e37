"""What a call costs when its provider does not say."""

from __future__ import annotations

import pytest

from moot.kernel.values import Usage
from moot.settings.providers import Provider
from moot.testing import ModelServer, Reply
from moot.transport import prices
from tests.transport.asking import client, hear

OPENAI = Provider.openai(None, None, 1)
ANTHROPIC = Provider.anthropic(None, None, 1)
USAGE = Usage(prompt_tokens=1000, completion_tokens=100)


@pytest.mark.parametrize(
    ("provider", "model", "usage", "cached", "cost"),
    [
        (OPENAI, "openai/o3", USAGE, 0, 0.0028),
        (OPENAI, "openai/o3", USAGE, 1000, 0.0013),
        (ANTHROPIC, "anthropic/claude-opus-4-6", USAGE, 0, 0.0075),
        (OPENAI, "openai/o3", Usage(prompt_tokens=1000), 0, None),
        (OPENAI, "openai/gpt-999", USAGE, 0, None),
        (Provider.ollama(None, 1), "ollama/llama3.3", USAGE, 0, None),
        (Provider("lab", "lab", "https://lab.example/v1"), "lab/o3", USAGE, 0, None),
        (
            Provider("g", "g", "https://api.groq.com/openai/v1"),
            "g/llama-3.3-70b-versatile",
            USAGE,
            0,
            0.000669,
        ),
    ],
)
async def test_a_price_is_known_or_missing_and_never_invented(
    provider: Provider, model: str, usage: Usage, cached: int, cost: float | None
) -> None:
    found = await prices.cost_of(provider, model, usage, cached)
    assert found == (None if cost is None else pytest.approx(cost))


async def test_a_price_per_million_tokens() -> None:
    listed = await prices.listed(OPENAI, ["openai/o3", "openai/gpt-999"])
    assert listed["openai/o3"].prompt == pytest.approx(2)
    assert listed["openai/o3"].completion == pytest.approx(8)
    assert "openai/gpt-999" not in listed


async def test_the_providers_own_figure_wins_over_the_list() -> None:
    async with ModelServer(default=Reply(text="Tabs.", cost=0.5)) as server, client(server) as transport:
        assert (await hear(transport)).last.cost == 0.5


async def test_without_figure_and_price_the_cost_is_not_known() -> None:
    async with ModelServer(default="Tabs.") as server, client(server) as transport:
        assert (await hear(transport)).last.cost is None
