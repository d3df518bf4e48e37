"""openai-agents: `Runner.run` a call, gathered stage by stage, tracing off."""

from __future__ import annotations

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from council import MODELS, TITLE_MODEL, council
from openai import AsyncOpenAI

AGENTS: dict[str, Agent] = {}


async def setup(base: str, folder: str) -> None:
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=base, api_key="x", max_retries=0)
    for model in {*MODELS, TITLE_MODEL}:
        AGENTS[model] = Agent(name=model, model=OpenAIChatCompletionsModel(model=model, openai_client=client))


async def ask(model: str, prompt: str) -> str:
    return str((await Runner.run(AGENTS[model], prompt)).final_output)


async def deliberate() -> str:
    return await council(ask)
