"""The official client, at the door of a moot whose models are scripted and reached over real HTTP.

async with asking({"a/ann": ["tabs", Reply(vote_for="tabs")], …}) as (client, door, upstream):
    answer = await client.chat.completions.create(model="moot/vote", messages=[…])
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

from openai import AsyncOpenAI
from pydantic import SecretStr

from moot.settings import Settings
from moot.testing import ModelServer, Reply, Script
from moot.transport.build import transport_for
from tests.harness.waiting import PATIENCE
from tests.http.door import Door

PANEL = ["a/ann", "b/bob", "c/cyd"]
MOOT: dict[str, Any] = {"moot": {"models": PANEL}}
USAGE = '{"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.01}'


class Asking(NamedTuple):
    client: AsyncOpenAI
    door: Door
    upstream: ModelServer


def voters(**changes: Any) -> dict[str, Any]:
    """Three models that vote for Ann's answer; each call takes fifteen tokens and a cent."""
    lines: dict[str, Any] = {}
    for model in PANEL:
        name = model.partition("/")[2]
        answer = Reply(text=f"{name} says tabs", usage=USAGE)
        lines[model] = [answer, Reply(vote_for="ann says tabs", usage=USAGE)] * 4
    return {**lines, "t/title": Reply(text="A Title", usage="null"), **changes}


@asynccontextmanager
async def asking(models: Mapping[str, Any], **settings: Any) -> AsyncIterator[Asking]:
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(ModelServer(Script(models=models)))
        chosen = {
            "openrouter_base_url": upstream.url,
            "openrouter_api_key": SecretStr("sk-canary"),
            "title_model": "t/title",
            "attempts": 1,
            "connect_seconds": PATIENCE,
            **settings,
        }
        transport = transport_for(Settings(**chosen))
        stack.push_async_callback(transport.aclose)
        door = await stack.enter_async_context(Door(transport, **chosen))
        client = await stack.enter_async_context(
            AsyncOpenAI(base_url=f"{door.url}/v1", api_key="any", max_retries=2)
        )
        yield Asking(client, door, upstream)


def said(*texts: str) -> list[Any]:
    """Messages of a conversation: the user's and the assistant's in turn, the last one the user's."""
    roles = ["user", "assistant"]
    return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
