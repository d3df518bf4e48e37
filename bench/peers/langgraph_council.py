"""LangGraph: a node a call, fanned out with `Send`; with SAVER=sqlite its checkpoints are kept."""

from __future__ import annotations

import operator
import os
from itertools import count
from typing import Annotated, Any, TypedDict

from council import CHAIRMAN, MODELS, QUESTION, TITLE_MODEL, ranking_prompt, synthesis_prompt, title_prompt
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

GRAPH: Any = None
THREADS = count()


class State(TypedDict, total=False):
    model: str
    prompt: str
    answers: Annotated[list[str], operator.add]
    rankings: Annotated[list[str], operator.add]
    title: str
    final: str


async def setup(base: str, folder: str) -> None:
    global GRAPH
    models = {
        model: ChatOpenAI(model=model, base_url=base, api_key="x", max_retries=0)
        for model in {*MODELS, TITLE_MODEL}
    }

    async def answer(state: State) -> State:
        return {"answers": [(await models[state["model"]].ainvoke(state["prompt"])).content]}

    async def rank(state: State) -> State:
        return {"rankings": [(await models[state["model"]].ainvoke(state["prompt"])).content]}

    async def title(state: State) -> State:
        return {"title": (await models[TITLE_MODEL].ainvoke(title_prompt())).content}

    async def join(state: State) -> State:
        return {}

    async def synthesize(state: State) -> State:
        prompt = synthesis_prompt(state["answers"], state["rankings"])
        return {"final": (await models[CHAIRMAN].ainvoke(prompt)).content}

    def fan_out(node: str, prompt: str) -> list[Send]:
        return [Send(node, {"model": model, "prompt": prompt}) for model in MODELS]

    graph = StateGraph(State)
    nodes = {"answer": answer, "rank": rank, "join": join, "synthesize": synthesize, "name": title}
    for name, node in nodes.items():
        graph.add_node(name, node)
    graph.add_conditional_edges(
        START, lambda _: [*fan_out("answer", QUESTION), Send("name", {})], ["answer", "name"]
    )
    graph.add_edge("answer", "join")
    graph.add_conditional_edges(
        "join", lambda state: fan_out("rank", ranking_prompt(state["answers"])), ["rank"]
    )
    graph.add_edge("rank", "synthesize")
    graph.add_edge("synthesize", END)
    graph.add_edge("name", END)
    GRAPH = graph.compile(checkpointer=await _saver(folder))


async def _saver(folder: str) -> Any:
    if os.environ.get("SAVER") != "sqlite":
        return None
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    return AsyncSqliteSaver(await aiosqlite.connect(f"{folder}/langgraph.db"))


async def deliberate() -> str:
    config = {"configurable": {"thread_id": str(next(THREADS))}}
    return str((await GRAPH.ainvoke({}, config))["final"])
