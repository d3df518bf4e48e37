"""Which models can be asked, and the panel a question gets that names none."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from moot.kernel.values import SEED_PANEL
from moot.settings import Settings
from moot.testing import ModelServer
from moot.testing.connection import Connection, HTTPRequest
from moot.transport.catalogue import SIMULATED_PANEL, Catalogue, ModelInfo, default_panel
from tests.harness.waiting import PATIENCE

LISTED = [
    {
        "id": "openai/o3",
        "name": "OpenAI: o3",
        "context_length": 200000,
        "pricing": {"prompt": "0.000002", "completion": "0.000008"},
    },
    {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
    {"no": "id"},
    "nonsense",
]


def without_simulated(models: tuple[ModelInfo, ...]) -> list[ModelInfo]:
    return [model for model in models if model.provider != "sim"]


async def test_openrouters_models_come_with_context_and_price() -> None:
    async with ModelServer(listed=LISTED) as server:
        listed = await Catalogue(Settings(openrouter_base_url=server.url)).models()
    assert without_simulated(listed.models) == [
        ModelInfo(
            id="openai/o3",
            provider="openrouter",
            name="OpenAI: o3",
            context_length=200000,
            prompt_price=2.0,
            completion_price=8.0,
        ),
        ModelInfo(id="openrouter/auto", provider="openrouter"),
    ]
    assert listed.unavailable == ()
    assert [model.id for model in listed.models[-6:]] == list(SIMULATED_PANEL)


async def test_models_of_other_providers_carry_their_prefix_and_only_chat_models_are_listed() -> None:
    models = {"llama3.3": "x", "nomic-embed-text": "x"}
    async with ModelServer(models=models) as server:
        settings = Settings.model_validate(
            {"ollama_host": server.url, "providers": {"lab": {"base_url": server.url, "kind": "anthropic"}}}
        )
        listed = await Catalogue(settings).models()
    assert [model.id for model in without_simulated(listed.models)] == ["lab/llama3.3", "ollama/llama3.3"]


async def test_a_provider_that_fails_is_named_and_the_others_are_listed() -> None:
    async with ModelServer(models={"llama3.3": "x"}) as server:
        settings = Settings.model_validate(
            {"ollama_host": server.url, "providers": {"lab": {"base_url": "http://127.0.0.1:9/v1"}}}
        )
        listed = await Catalogue(settings).models()
    assert [model.id for model in without_simulated(listed.models)] == ["ollama/llama3.3"]
    assert [(each.provider, each.reason) for each in listed.unavailable] == [
        (
            "lab",
            "Could not reach lab at http://127.0.0.1:9: connection refused. Is it running? "
            "The call was for its list of models.",
        )
    ]


async def test_who_asks_for_a_list_while_it_is_fetched_waits_for_the_same_one() -> None:
    async with ModelServer(listed=LISTED) as server:
        catalogue = Catalogue(Settings(openrouter_base_url=server.url))
        first, *others = await asyncio.gather(*(catalogue.models() for _ in range(3)))
        assert all(other == first for other in others)
        assert server.connections == 1


async def test_lists_are_kept_for_some_minutes() -> None:
    async with ModelServer(models={"a": "x"}) as server:
        catalogue = Catalogue(Settings(ollama_host=server.url))
        await catalogue.models()
        server.script.models = {"b": "x"}
        assert [model.id for model in without_simulated((await catalogue.models()).models)] == ["ollama/a"]
        impatient = Catalogue(Settings(ollama_host=server.url, models_cache_seconds=0))
        assert [model.id for model in without_simulated((await impatient.models()).models)] == ["ollama/b"]


async def test_a_key_that_openrouter_does_not_take_is_a_problem() -> None:
    async def refuse(request: HTTPRequest, connection: Connection) -> None:
        status = 401 if request.path == "/v1/key" else 200
        connection.send_document(status, b'{"data": [], "error": {"message": "No such key"}}')

    refusing = await asyncio.get_running_loop().create_server(
        lambda: Connection(refuse, set()), "127.0.0.1", 0
    )
    async with refusing:
        port = refusing.sockets[0].getsockname()[1]
        settings = Settings(
            openrouter_base_url=f"http://127.0.0.1:{port}/v1", openrouter_api_key=SecretStr("sk-test")
        )
        catalogue = Catalogue(settings)
        assert (await catalogue.models()).unavailable == ()  # the list is public
        problem = await catalogue.problem_with(settings.known_providers()["openrouter"])
    assert problem == (
        "OpenRouter refused the key in OPENROUTER_API_KEY for its list of models (401): No such key."
    )


async def test_what_answers_has_no_problem_and_what_does_not_has_one() -> None:
    async with ModelServer(listed=LISTED) as server:
        settings = Settings(openrouter_base_url=server.url, ollama_host="http://127.0.0.1:9")
        catalogue, known = Catalogue(settings), settings.known_providers()
        assert await catalogue.problem_with(known["openrouter"]) is None
        assert "connection refused" in (await catalogue.problem_with(known["ollama"]) or "")
        assert await catalogue.problem_with(known["openai"]) == "OpenAI needs a key: set OPENAI_API_KEY."


@pytest.mark.parametrize(
    ("settings", "panel"),
    [
        (Settings(openrouter_base_url="http://127.0.0.1:9/v1"), SEED_PANEL),
        (Settings(), SIMULATED_PANEL),
        (Settings(default_models=("x/y", "x/z")), ("x/y", "x/z")),
        (Settings(ollama_host="http://127.0.0.1:9"), ()),
    ],
)
async def test_the_panel_is_drawn_from_what_is_configured(settings: Settings, panel: tuple[str, ...]) -> None:
    assert await default_panel(settings, Catalogue(settings)) == panel


async def test_direct_keys_and_local_models_make_one_panel() -> None:
    async with ModelServer(models={"llama3.3": "x", "qwen3": "x"}) as server:
        settings = Settings.model_validate(
            {
                "openai_base_url": "http://127.0.0.1:9/v1",
                "anthropic_base_url": "http://127.0.0.1:9",
                "ollama_host": server.url,
            }
        )
        panel = await default_panel(settings, Catalogue(settings))
    assert panel[:2] == ("anthropic/claude-opus-4-6", "anthropic/claude-sonnet-4-6")
    assert panel[4] == "openai/o3"
    assert panel[-2:] == ("ollama/llama3.3", "ollama/qwen3")


async def test_an_ollama_nobody_spoke_of_is_looked_for_quickly_and_only_if_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moot.transport.catalogue.PROBE_SECONDS", PATIENCE)
    async with ModelServer(models={"llama3.3": "x"}) as server:
        port = int(server.url.split(":")[2].split("/")[0])
        monkeypatch.setattr("moot.settings.providers.OLLAMA_PORT", port)
        settings = Settings()
        assert await default_panel(settings, Catalogue(settings)) == SIMULATED_PANEL
        assert await default_panel(settings, Catalogue(settings), probe=True) == ("ollama/llama3.3",)
    assert await default_panel(settings, Catalogue(settings), probe=True) == SIMULATED_PANEL
    assert (await Catalogue(settings).models(probe=True)).unavailable == ()
    # Nobody waits for it as for a provider.
    monkeypatch.setattr("moot.transport.catalogue.PROBE_SECONDS", 0.05)
    monkeypatch.setattr("moot.transport.catalogue.LIST_SECONDS", 10 * PATIENCE)
    with socket.create_server(("127.0.0.1", port)):  # which says nothing
        assert await default_panel(settings, Catalogue(settings), probe=True) == SIMULATED_PANEL


OLLAMA: dict[str, Any] = {
    "/v1/models": {"data": [{"id": "tiny:1b"}, {"id": "big:latest"}, {"id": "set:latest"}]},
    "/api/tags": {
        "models": [
            {"name": "tiny:1b", "details": {"parameter_size": "999.89M"}},
            {"name": "big:latest", "details": {"parameter_size": "70.6B"}},
            {"name": "set:latest", "details": {"parameter_size": "?"}},
        ]
    },
    "/api/ps": {"models": [{"name": "tiny:1b", "context_length": 4096}]},
    "big:latest": {"model_info": {"llama.context_length": 131072}, "parameters": 'stop "<|eot_id|>"'},
    "set:latest": {"model_info": {"qwen2.context_length": 32768}, "parameters": "num_ctx    8192\ntop_k 40"},
}


@asynccontextmanager
async def an_ollama() -> AsyncIterator[Settings]:
    async def answer(request: HTTPRequest, connection: Connection) -> None:
        key = json.loads(request.body)["model"] if request.path == "/api/show" else request.path
        connection.send_document(200 if key in OLLAMA else 404, json.dumps(OLLAMA.get(key)).encode())

    serving = await asyncio.get_running_loop().create_server(
        lambda: Connection(answer, set()), "127.0.0.1", 0
    )
    async with serving:
        yield Settings(ollama_host=f"http://127.0.0.1:{serving.sockets[0].getsockname()[1]}")


async def test_ollama_says_how_large_its_models_are_and_the_largest_is_the_first_of_the_panel() -> None:
    async with an_ollama() as settings:
        panel = await default_panel(settings, Catalogue(settings))
    assert panel == ("ollama/big:latest", "ollama/tiny:1b", "ollama/set:latest")


@pytest.mark.parametrize(
    ("model", "context"),
    [("tiny:1b", 4096), ("set:latest", 8192), ("big:latest", 131072), ("gone:1b", None)],
)
async def test_ollamas_context_is_what_is_loaded_or_set_or_else_the_models_own(
    model: str, context: int | None
) -> None:
    async with an_ollama() as settings:
        assert await Catalogue(settings).context_of(f"ollama/{model}") == context


async def test_the_context_of_local_servers_is_the_one_they_serve_with() -> None:
    listed: list[dict[str, Any]] = [
        {"id": "llama", "meta": {"n_ctx": 8192, "n_ctx_train": 32768, "n_params": 1543714304}},
        {"id": "vllm", "max_model_len": 16384},
        {"id": "silent", "meta": {"n_ctx": 0}},
    ]
    async with ModelServer(listed=listed) as server:
        settings = Settings.model_validate({"providers": {"lab": {"base_url": server.url}}})
        catalogue = Catalogue(settings)
        models = {model.id: model for model in (await catalogue.models()).models}
        contexts = [await catalogue.context_of(f"lab/{name}") for name in ("llama", "vllm", "silent", "none")]
        assert await catalogue.context_of("nobody") is None
    assert contexts == [8192, 16384, None, None]
    assert models["lab/llama"].parameter_count == 1543714304


async def test_of_a_server_that_is_away_no_context_is_known() -> None:
    settings = Settings.model_validate({"providers": {"lab": {"base_url": "http://127.0.0.1:9/v1"}}})
    assert await Catalogue(settings).context_of("lab/llama") is None
