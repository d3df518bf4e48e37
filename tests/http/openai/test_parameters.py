"""Every parameter that the official client knows is obeyed, without effect and documented so, or refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import completion_create_params as chat_parameters
from openai.types.responses import response_create_params as response_parameters

from moot.http.openai import chat, responses
from moot.http.openai.parameters import WITHOUT_EFFECT
from tests.http.openai.clients import asking, said, voters

DOCS = (Path(__file__).parents[3] / "docs/openai-api.md").read_text()

CHAT = chat_parameters.CompletionCreateParamsBase.__annotations__.keys() | {"stream"}
RESPONSE = response_parameters.ResponseCreateParamsBase.__annotations__.keys() | {"stream"}

TOOL: dict[str, Any] = {"type": "function", "name": "f", "function": {"name": "f"}}
REFUSED: dict[str, list[Any]] = {
    "access_programs": [{"cyber": True}],
    "audio": [{"voice": "ash", "format": "mp3"}],
    "context_management": [[{"type": "compaction"}]],
    "conversation": ["conv_1"],
    "frequency_penalty": [0.5],
    "function_call": [{"name": "f"}],
    "functions": [[{"name": "f"}]],
    "image": [{"detail": "high"}],
    "include": [["message.output_text.logprobs"]],
    "logit_bias": [{"50256": -100}],
    "logprobs": [True, 1],
    "max_completion_tokens": [100],
    "max_output_tokens": [100],
    "max_tokens": [100],
    "max_tool_calls": [1],
    "modalities": [["text", "audio"]],
    "moderation": [{"model": "omni-moderation-latest"}],
    "n": [2, True],
    "prediction": [{"type": "content", "content": "Tabs"}],
    "presence_penalty": [0.5],
    "prompt": [{"id": "pmpt_1"}],
    "reasoning_effort": ["high"],
    "seed": [7],
    "service_tier": ["flex"],
    "store": [False, "no"],
    "tool_choice": ["required"],
    "tools": [[TOOL]],
    "top_logprobs": [3],
    "top_p": [0.5],
    "truncation": ["auto"],
    "verbosity": ["low"],
    "web_search_options": [{}],
}
"""Values that would have to change something."""

PARTS: dict[str, Any] = {
    "metadata": "team",
    "moot": 3,
    "stream": "yes",
    "stream_options": {"include_obfuscation": True},
    "temperature": "hot",
}
"""Parameters that are obeyed, with values that cannot be."""


@pytest.mark.parametrize(
    ("path", "documented", "own", "question"),
    [
        ("/chat/completions", CHAT, chat.OWN, {"messages": said("Tabs or spaces?")}),
        ("/responses", RESPONSE, responses.OWN, {"input": "Tabs or spaces?"}),
    ],
)
async def test_every_documented_parameter_is_obeyed_or_refused_by_name(
    path: str, documented: set[str], own: frozenset[str], question: dict[str, Any]
) -> None:
    assert documented - own - WITHOUT_EFFECT <= REFUSED.keys()
    assert not own & WITHOUT_EFFECT
    wrong = [(name, value) for name in documented - own - WITHOUT_EFFECT for value in REFUSED[name]]
    async with asking(voters()) as (client, door, upstream):
        for name, value in [*wrong, *((name, PARTS[name]) for name in PARTS.keys() & own)]:
            with pytest.raises(openai.BadRequestError) as refused:
                await client.post(path, body={"model": "moot/vote", **question, name: value}, cast_to=object)
            assert name in str(refused.value.param), name
            assert name in refused.value.message, name
            assert "Unknown parameter" not in refused.value.message, name
        assert (await door.get("/api/runs"))["runs"] == []
    assert upstream.requests == []


def test_the_docs_name_what_is_taken_without_effect() -> None:
    assert [name for name in WITHOUT_EFFECT if f"`{name}`" not in DOCS] == []
