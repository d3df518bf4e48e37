"""pydantic-ai: an agent a model, gathered stage by stage."""

from __future__ import annotations

from council import MODELS, TITLE_MODEL, council
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

AGENTS: dict[str, Agent] = {}


async def setup(base: str, folder: str) -> None:
    provider = OpenAIProvider(base_url=base, api_key="x")
    AGENTS.update(
        {model: Agent(OpenAIChatModel(model, provider=provider)) for model in {*MODELS, TITLE_MODEL}}
    )


async def ask(model: str, prompt: str) -> str:
    return str((await AGENTS[model].run(prompt)).output)


async def deliberate() -> str:
    return await council(ask)
