"""autogen: a GraphFlow of answerers, rankers and a chairman, and a title asked for alongside."""

from __future__ import annotations

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from council import CHAIRMAN, MODELS, QUESTION, TITLE_MODEL, title_prompt

CLIENTS: dict[str, OpenAIChatCompletionClient] = {}
ABILITIES = {
    "vision": False,
    "function_calling": False,
    "json_output": False,
    "family": "unknown",
    "structured_output": False,
}


async def setup(base: str, folder: str) -> None:
    for model in {*MODELS, TITLE_MODEL}:
        CLIENTS[model] = OpenAIChatCompletionClient(
            model=model, base_url=base, api_key="x", model_info=ABILITIES, max_retries=0
        )


def flow() -> GraphFlow:
    said = "Answer the question."
    answerers = [AssistantAgent(f"answer{n}", CLIENTS[m], system_message=said) for n, m in enumerate(MODELS)]
    said = 'You are an expert evaluator. Rank the responses. End with "FINAL RANKING:".'
    rankers = [AssistantAgent(f"rank{n}", CLIENTS[m], system_message=said) for n, m in enumerate(MODELS)]
    said = "You are a chairman synthesizing the best answer."
    chairman = AssistantAgent("chairman", CLIENTS[CHAIRMAN], system_message=said)
    graph = DiGraphBuilder()
    for agent in (*answerers, *rankers, chairman):
        graph.add_node(agent)
    for ranker in rankers:
        for answerer in answerers:
            graph.add_edge(answerer, ranker)
        graph.add_edge(ranker, chairman)
    return GraphFlow(participants=graph.get_participants(), graph=graph.build())


async def deliberate() -> str:
    message = UserMessage(content=title_prompt(), source="user")
    title = asyncio.create_task(CLIENTS[TITLE_MODEL].create([message]))
    result = await flow().run(task=QUESTION)
    await title
    answers = [str(said.to_text()) for said in result.messages if said.source == "chairman"]
    return answers[-1]
