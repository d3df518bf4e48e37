"""Runs as traces: received over real OTLP/HTTP, whole though a worker is killed, and silent about secrets."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.kernel.errors import RunFailed
from moot.settings import Settings
from moot.testing import ModelServerProcess, Reply, Rule, Script
from moot.testing.model_server import ModelServer
from tests.harness.waiting import until
from tests.telemetry.collector import Collector, ReceivedSpan
from tests.telemetry.tree import BEGIN, END, PAGE, drawn_tree

KEY = "sk-very-secret-key"
GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
KNOWN_USAGE = {
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.reasoning.output_tokens",
}
MOOT = str(Path(sys.executable).parent / "moot")


@asynccontextmanager
async def traced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **more: Any) -> AsyncIterator[Collector]:
    """Scripted models, a collector, and the environment of a moot that sends its traces there."""
    script = Script(
        models={"x/402": Reply(status=402)},
        rules=[Rule("VOTE:", Reply(text="VOTE: Response A", cost=0.25))],
        default="Tabs, they say.",
    )
    async with ModelServer(script) as models, Collector() as collector:
        own = {
            **collector.environment,
            "OPENROUTER_BASE_URL": models.url,
            "OPENROUTER_API_KEY": KEY,
            "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}",
            "MOOT_TITLE_MODEL": "good/title",
            "MOOT_ATTEMPTS": "1",
            **more,
        }
        for name, value in own.items():
            monkeypatch.setenv(name, value)
        yield collector


def named(spans: list[ReceivedSpan], start: str) -> list[ReceivedSpan]:
    return [span for span in spans if span.name.startswith(start)]


async def test_a_backend_that_takes_no_metrics_is_sent_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
    async with traced(monkeypatch, tmp_path) as collector:
        config = {"councilModels": ["good/ann", "good/bob", "good/cyd"]}
        await moot.deliberate("Tabs or spaces?", "vote", config=config)
        assert named(collector.spans, "invoke_workflow vote")
        assert collector.metrics == {}


async def test_a_run_is_a_workflow_with_its_seats_and_their_calls(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with traced(monkeypatch, tmp_path) as collector:
        config = {"councilModels": ["good/ann", "good/bob", "good/cyd"]}
        outcome = await moot.deliberate("Tabs or spaces?", "vote", config=config)
        [workflow] = named(collector.spans, "invoke_workflow vote")
        seats, chats = named(collector.spans, "invoke_agent"), named(collector.spans, "chat")
        assert {span.trace_id for span in collector.spans} == {workflow.trace_id}
        assert [span.parent_id for span in seats] == [workflow.span_id] * 3
        by_id = {span.span_id: span for span in collector.spans}
        assert len(by_id) == len(collector.spans)
        for chat in chats:
            parent = by_id[chat.parent_id]
            assert parent.start <= chat.start <= chat.end <= parent.end
            assert parent is workflow or parent.attributes["moot.seat"] == chat.attributes["moot.seat"]
            assert chat.attributes["gen_ai.operation.name"] == "chat"
            assert chat.attributes["gen_ai.provider.name"] == "openrouter"
            assert chat.name == f"chat {chat.attributes['gen_ai.request.model']}"
            assert {name for name in chat.attributes if ".usage." in name} <= KNOWN_USAGE
            assert chat.attributes["gen_ai.usage.input_tokens"] > 0
            assert chat.attributes["gen_ai.response.finish_reasons"] == ["stop"]
        assert workflow.attributes["gen_ai.workflow.name"] == "vote"
        assert workflow.attributes["gen_ai.conversation.id"] == outcome.conversation_id
        assert workflow.attributes["moot.run.id"] == outcome.run_id
        assert workflow.attributes["moot.status"] == outcome.status
        assert workflow.attributes["moot.cost.usd"] == pytest.approx(
            sum(chat.attributes.get("moot.cost.usd", 0) for chat in chats)
        )
        assert collector.resource["service.name"] == "moot"
        assert sum(point["count"] for point in collector.metrics["gen_ai.client.operation.duration"]) == len(
            chats
        )
        assert {p["gen_ai.token.type"] for p in collector.metrics["gen_ai.client.token.usage"]} == {
            "input",
            "output",
        }
        assert not any(b"Tabs" in body for body in collector.bodies), "content is off"


async def test_a_failure_is_a_status_with_its_class_and_no_key_leaves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with traced(monkeypatch, tmp_path) as collector:
        with pytest.raises(RunFailed):
            await moot.deliberate("Tabs?", "vote", config={"councilModels": ["x/402"] * 3})
        [workflow] = named(collector.spans, "invoke_workflow")
        assert (workflow.status, workflow.attributes["error.type"]) == (2, "failed")
        for span in (*named(collector.spans, "chat x/402"), *named(collector.spans, "invoke_agent")):
            assert (span.status, span.message, span.attributes["error.type"]) == (2, "credit", "credit")
        failed = [p for p in collector.metrics["gen_ai.client.operation.duration"] if "error.type" in p]
        assert failed[0]["error.type"] == "credit"
        assert not any(KEY.encode() in body for body in collector.bodies)


async def test_content_is_told_only_where_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
    async with traced(monkeypatch, tmp_path, **{name: "span_and_event"}) as collector:
        await moot.deliberate("Tabs or spaces?", "vote", config={"councilModels": ["good/ann"] * 3})
        chats = named(collector.spans, "chat")
        asked = json.loads(chats[0].attributes["gen_ai.input.messages"])
        assert asked[-1]["role"] == "user"
        assert asked[-1]["parts"][0]["type"] == "text"
        said = json.loads(chats[0].attributes["gen_ai.output.messages"])
        assert said[0]["parts"][0]["content"] == "Tabs, they say."
        assert {event["name"] for event in collector.events} == {"gen_ai.client.inference.operation.details"}
        assert {event["span"] for event in collector.events} == {chat.span_id for chat in chats}
        assert not any(KEY.encode() in body for body in collector.bodies)


async def test_a_killed_workers_run_goes_on_in_the_same_trace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    vote = {"contains": "VOTE:", "reply": "VOTE: Response A"}
    script = {"default": "Tabs, they say.", "rules": [vote], "hold_after": 4}
    async with traced(monkeypatch, tmp_path) as collector:
        with ModelServerProcess(script) as models:
            environment = {**os.environ, **models.environment, "MOOT_LEASE_SECONDS": "2"}
            first = await serving(environment)
            config = {"councilModels": ["good/ann", "good/bob", "good/cyd"]}
            asking = await asyncio.create_subprocess_exec(
                "curl", "-sN", f"{first.url}/api/council/stream", "-H", f"traceparent: {GIVEN}",
                "-H", "content-type: application/json",
                "-d", json.dumps({"question": "Tabs?", "mode": "vote", "modeConfig": config}),
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
            await until(lambda: len(named(collector.spans, "chat")) >= 4)
            os.kill(first.process.pid, signal.SIGKILL)
            await asyncio.gather(first.process.wait(), asking.wait())
            models.release()
            second = await serving(environment)
            await until(lambda: bool(named(collector.spans, "invoke_workflow")))
            second.process.terminate()
            await second.process.wait()
        [workflow] = named(collector.spans, "invoke_workflow")
        assert (workflow.trace_id, workflow.parent_id) == (GIVEN[3:35], GIVEN[36:52])
        assert workflow.attributes["moot.epoch"] == 2
        assert {span.trace_id for span in collector.spans} == {workflow.trace_id}
        ids = [span.span_id for span in collector.spans]
        assert len(ids) == len(set(ids)), "nothing is told twice"
        assert {span.parent_id for span in collector.spans} <= {*ids, workflow.parent_id}, (
            "nothing hangs in the air"
        )
        assert len(named(collector.spans, "invoke_agent")) == 3
        assert len(named(collector.spans, "chat")) == 7


async def test_a_trace_that_is_not_sampled_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with traced(monkeypatch, tmp_path, OTEL_TRACES_SAMPLER="always_off") as collector:
        await moot.deliberate("Tabs?", "vote", config={"councilModels": ["good/ann"] * 3})
        assert collector.spans == []
        assert collector.metrics["moot.run.duration"][0]["count"] == 1


async def test_a_dead_collector_holds_up_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with traced(monkeypatch, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9") as _:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        outcome = await moot.deliberate("Tabs?", "vote", config={"councilModels": ["good/ann"] * 3})
        assert outcome.answer


def test_nothing_of_opentelemetry_is_imported_while_it_is_off(tmp_path: Path) -> None:
    program = (
        "import sys, moot; moot.deliberate_sync('Tabs?', 'vote', settings=moot.Settings("
        f"database_url='sqlite:///{tmp_path}/moot.db', default_models=('sim/ada:latency=0:tps=0',) * 3));"
        "print([name for name in sys.modules if 'opentelemetry' in name]); import moot.http;"
        "print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'moot.telemetry'))])"
    )  # the MCP SDK behind moot.http brings OpenTelemetry's names along, and nothing that does anything
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == ["[]", "[]"]


def test_without_its_packages_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys, moot; sys.modules['opentelemetry.sdk.trace'] = None; moot.deliberate_sync('Tabs?', 'vote', "
        f"settings=moot.Settings(database_url='sqlite:///{tmp_path}/moot.db', telemetry=True))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'moot[otel]'" in done.stderr


def test_content_that_is_no_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="capture_message_content"):
        Settings(capture_message_content="everything")


async def test_the_tree_in_the_docs_is_what_a_collector_received() -> None:
    page = PAGE.read_text()
    shown = page.partition(BEGIN)[2].partition(END)[0]
    assert shown.strip() == await drawn_tree(), "run `make trace-tree`"


class Serving:
    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process = process
        self.url = url


async def serving(environment: dict[str, str]) -> Serving:
    process = await asyncio.create_subprocess_exec(
        MOOT, "serve", "--port", "0", env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    words = (await process.stdout.readline()).decode().split()
    return Serving(process, next(word for word in words if word.startswith("http://")))
