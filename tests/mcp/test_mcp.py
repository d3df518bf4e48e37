"""The MCP door, used by the official client over both transports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from mcp import Client, StdioServerParameters
from moot.modes import MODES
from moot.testing import ModelServer, Reply, Script
from tests.cli.command import MOOT
from tests.harness.waiting import PATIENCE
from tests.http.openai.clients import PANEL, asking, voters

ASK = {"question": "Tabs or spaces?", "mode": "vote", "models": PANEL}
CALM = 5.0
"""Processor seconds that a test may take on a busy machine before it is called slow."""


@asynccontextmanager
async def over_http(models: Any, **settings: Any) -> AsyncIterator[tuple[Client, Any]]:
    async with asking(models, **settings) as asked, Client(f"{asked.door.url}/mcp") as client:
        yield client, asked


async def test_the_tools_have_schemas_and_what_they_give_keeps_to_them() -> None:
    async with over_http(voters()) as (client, _):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["deliberate", "get_run", "cancel_run", "list_modes"]
        assert all(tool.output_schema for tool in tools.values())
        modes = (await client.call_tool("list_modes", {})).structured_content
        assert [mode["id"] for mode in modes["modes"]] == list(MODES)
        result = await client.call_tool("deliberate", ASK)  # the client holds it to its schema
    run = result.structured_content
    assert (run["status"], run["answer"], run["calls"]) == ("complete", "ann says tabs", 7)
    assert run["cost"] == pytest.approx(0.06)
    assert [block.text for block in result.content] == ["ann says tabs"]  # type: ignore[union-attr]


async def test_an_answer_is_held_to_a_schema() -> None:
    schema = {"type": "object", "properties": {"choice": {"type": "string"}}, "required": ["choice"]}
    models = voters(**{"d/chair": Reply(text='{"choice": "tabs"}')})
    ask = {**ASK, "config": {"chairmanModel": "d/chair"}, "schema": schema}
    async with over_http(models) as (client, _):
        result = await client.call_tool("deliberate", ask)
        refused = await client.call_tool("deliberate", {**ask, "schema": {"$ref": "#/missing"}})
    run = result.structured_content
    assert (run["answer"], run["json_answer"]) == ("ann says tabs", {"choice": "tabs"})
    assert [block.text for block in result.content] == ['{"choice": "tabs"}']  # type: ignore[union-attr]
    assert refused.is_error


async def test_progress_is_told_in_sentences() -> None:
    told: list[str | None] = []

    async def told_of(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with over_http(voters()) as (client, _):
        await client.call_tool("deliberate", ASK, progress_callback=told_of)
    assert "Votes …" in told
    assert any((message or "").startswith("Votes: 1. a/ann voted for itself.") for message in told)


async def test_a_client_that_does_not_wait_finds_its_answer_later() -> None:
    async with over_http(voters()) as (client, asked):
        asked.upstream.script.hold_after = 0
        begun = (await client.call_tool("deliberate", {**ASK, "wait_seconds": 0})).structured_content
        assert begun["status"] == "running"
        assert begun["run_id"] in begun["next"]
        asked.upstream.release()
        found = (
            await client.call_tool("get_run", {"run_id": begun["run_id"], "wait_seconds": PATIENCE})
        ).structured_content
    assert (found["status"], found["answer"]) == ("complete", "ann says tabs")


async def test_a_run_goes_on_when_its_client_is_gone(tmp_path: Path) -> None:
    async with asking(voters(), database_url=f"sqlite:///{tmp_path / 'x.db'}") as asked:
        asked.upstream.script.hold_after = 0
        async with Client(f"{asked.door.url}/mcp") as client:
            begun = (await client.call_tool("deliberate", {**ASK, "wait_seconds": 0})).structured_content
        asked.upstream.release()
        async with Client(f"{asked.door.url}/mcp") as client:
            found = (
                await client.call_tool("get_run", {"run_id": begun["run_id"], "wait_seconds": PATIENCE})
            ).structured_content
    assert found["answer"] == "ann says tabs"


async def test_a_run_can_be_cancelled_and_a_failed_one_is_an_error() -> None:
    async with over_http(voters(**{model: Reply(status=402, message="no credit") for model in PANEL})) as (
        client,
        asked,
    ):
        failed = await client.call_tool("deliberate", ASK)
        assert failed.is_error
        assert "no credit" in failed.structured_content["error"]
        asked.upstream.script.hold_after = 0
        begun = (await client.call_tool("deliberate", {**ASK, "wait_seconds": 0})).structured_content
        cancelled = await client.call_tool("cancel_run", {"run_id": begun["run_id"]})
        assert cancelled.structured_content["status"] == "cancelled"
        missing = await client.call_tool("get_run", {"run_id": "nobody"})
        assert (missing.is_error, missing.content[0].text) == (True, "There is no run nobody")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("deliberate", {"question": "x", "mode": "nothing"}, "Unknown mode: nothing"),
        ("deliberate", {"question": " "}, "Question is required"),
        ("deliberate", {"question": "x", "model": "y"}, "Unknown argument: model"),
        ("deliberate", {"question": "x", "wait_seconds": -1}, "wait_seconds must be between 0 and 3600"),
        ("deliberate", {"question": "x", "mode": "vote", "models": ["a"]}, "at least 3 models"),
        ("get_run", {}, "run_id is required"),
        ("nothing", {}, "There is no tool 'nothing'"),
    ],
)
async def test_a_bad_call_gets_a_sentence_and_starts_nothing(
    tool: str, arguments: dict[str, Any], message: str
) -> None:
    async with over_http(voters()) as (client, asked):
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert message in result.content[0].text  # type: ignore[union-attr]
        assert asked.upstream.requests == []


async def test_modes_and_runs_are_resources_and_every_mode_is_a_prompt() -> None:
    async with over_http(voters()) as (client, _):
        run = (await client.call_tool("deliberate", ASK)).structured_content
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {f"moot://runs/{run['run_id']}", *(f"moot://modes/{mode}" for mode in MODES)}
        story: Any = (await client.read_resource(f"moot://runs/{run['run_id']}")).contents[0]
        assert "## Answer\n\nann says tabs" in story.text
        assert "- 2. b/bob voted for a/ann." in story.text
        mode: Any = (await client.read_resource("moot://modes/vote")).contents[0]
        assert "councilModels" in json.loads(mode.text)["configSchema"]["properties"]
        with pytest.raises(MCPError, match="There is no run nobody"):
            await client.read_resource("moot://runs/nobody")
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == list(MODES)
        asked: Any = (await client.get_prompt("jury", {"question": "Roses are red."})).messages[0].content
        assert asked.text.endswith("Roses are red.")


async def test_over_stdio_it_is_the_same_and_nothing_but_the_protocol_is_on_stdout(tmp_path: Path) -> None:
    async with ModelServer(Script(models=voters())) as upstream:
        environment = {**_environment(tmp_path), **upstream.environment}
        server = StdioServerParameters(command=MOOT, args=["mcp"], env=environment)
        async with Client(server) as client:
            begun = (await client.call_tool("deliberate", {**ASK, "wait_seconds": 0})).structured_content
        async with Client(server) as client:  # another process takes the run up
            found = (
                await client.call_tool("get_run", {"run_id": begun["run_id"], "wait_seconds": PATIENCE})
            ).structured_content
    assert (found["status"], found["answer"]) == ("complete", "ann says tabs")


def test_the_tools_are_listed_without_the_engine(tmp_path: Path) -> None:
    code = (
        "import resource, sys\n"
        "from moot.mcp.server import build_server\n"
        "loaded = [name for name in sys.modules if name.startswith(('moot.kernel.engine', 'moot.modes', "
        "'moot.store', 'sqlalchemy', 'numpy'))]\n"
        "print(loaded, resource.getrusage(resource.RUSAGE_SELF).ru_utime)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment(tmp_path)
    )
    loaded, _, seconds = done.stdout.strip().rpartition(" ")
    assert loaded == "[]"
    assert float(seconds) < CALM


def test_stray_output_does_not_reach_the_client(tmp_path: Path) -> None:
    """Every line on stdout is a message of the protocol, also when something prints at the wrong moment."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    server = subprocess.Popen(
        [MOOT, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**_environment(tmp_path), "MOOT_LOG_LEVEL": "debug"},
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        rest, errors = server.communicate()  # closes stdin: what is still under way then is not answered
    assert [answer["id"] for answer in answers] == [1, 2]
    assert (rest, server.returncode) == ("", 0), errors


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "MOOT_TEST_SEED") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "DATABASE_URL": f"sqlite:///{home / 'moot.db'}",
        "MOOT_TITLE_MODEL": "t/title",
    }
