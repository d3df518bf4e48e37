"""Runs: listed, read, stopped, tried again."""

from __future__ import annotations

from moot.kernel.errors import TransportError
from moot.testing import SILENCE, Scripted
from tests.harness.waiting import until
from tests.http.door import QUESTION, Door, script

THREE = {"councilModels": ["ann", "bob", "cyd"]}
BROKE = TransportError("credit", "cyd could not be asked: OpenRouter has no credit left.")


async def test_a_run_tells_its_calls_and_what_they_used(store_url: str) -> None:
    async with Door(script(cyd=BROKE), database=store_url) as door:
        told = await door.ask(mode="vote", modeConfig=THREE)
        run = await door.get(f"/api/runs/{told.run_id}")
    assert run["status"] == "degraded"
    assert run["warnings"] == [f"cyd: {BROKE.reason}"]
    assert run["config"]["councilModels"] == THREE["councilModels"]
    assert run["error"] is None
    assert "retryOf" not in run
    assert run["startedAt"] <= run["finishedAt"]
    failed = [call for call in run["calls"] if call["failure"]]
    assert [(call["step"], call["seat"], call["model"]) for call in failed] == [("collect", 3, "cyd")]
    assert failed[0]["failure"] == {"kind": "credit", "reason": BROKE.reason}
    assert {"collect", "vote", "title"} <= {call["step"] for call in run["calls"]}
    read = [call["usage"]["promptTokens"] for call in run["calls"] if not call["failure"]]
    assert run["totals"]["promptTokens"] == sum(read)
    assert run["totals"]["calls"] == len(run["calls"])
    assert run["totals"]["failed"] == 1
    assert run["totals"]["cost"] is None
    assert run["totals"]["unpriced"] == len(run["calls"])


async def test_simulated_runs_say_so() -> None:
    sims = ["sim/ada", "sim/bo", "sim/cleo"]
    async with Door(Scripted(dict.fromkeys([*sims, "title"], "spaces. VOTE: Response A"))) as door:
        told = await door.ask(mode="vote", modeConfig={"councilModels": sims})
        run = await door.get(f"/api/runs/{told.run_id}")
        conversation = await door.get(f"/api/conversations/{told.conversation_id}")
    assert told.frames[0]["simulated"] is True
    assert run["simulated"] is True
    assert conversation["messages"][1]["simulated"] is True


async def test_runs_are_listed_newest_first_in_pages_and_by_status(store_url: str) -> None:
    async with Door(script(cyd=BROKE), database=store_url) as door:
        whole = ["ann", "bob", "dee"]
        for models in (whole, THREE["councilModels"], whole, whole, THREE["councilModels"]):
            await door.ask(mode="vote", modeConfig={"councilModels": models})
        every = (await door.get("/api/runs"))["runs"]
        pages, cursor = [], None
        for _ in range(3):
            page = await door.get(f"/api/runs?limit=2{f'&cursor={cursor}' if cursor else ''}")
            pages.append(page["runs"])
            cursor = page["nextCursor"]
        degraded = (await door.get("/api/runs?status=degraded"))["runs"]
        assert (await door.call("GET", "/api/runs?status=asleep"))[0] == 400
    assert [run["startedAt"] for run in every] == sorted((run["startedAt"] for run in every), reverse=True)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [run for page in pages for run in page] == every
    assert cursor is None
    assert degraded == [run for run in every if run["status"] == "degraded"]
    assert len(degraded) == 2


async def test_bad_parameters_are_400_like_any_bad_request() -> None:
    statuses = "'running', 'complete', 'degraded', 'failed' or 'cancelled'"
    async with Door(script()) as door:
        for query, path, message in (
            ("limit=0", "limit", "limit must be at least 1"),
            ("limit=201", "limit", "limit must be at most 200"),
            ("limit=many", "limit", "limit must be a whole number"),
            ("cursor=x", "", "Unknown cursor 'x': use the one that came with the page before."),
            ("status=x", "status", f"status must be {statuses}"),
        ):
            status, problem = await door.call("GET", f"/api/runs?{query}")
            assert status == 400
            assert problem == {"error": message, "details": [{"path": path, "message": message}]}


async def test_a_cancelled_run_ends_with_an_error_and_can_be_tried_again(store_url: str) -> None:
    transport = script(cyd=[SILENCE, "cyd says spaces", "VOTE: Response A"])
    async with Door(transport, database=store_url) as door:
        async with door.opened(mode="vote", modeConfig=THREE) as reader:
            opening = (await reader.until("stage1_start"))[0]
            run_id = opening["runId"]
            await until(lambda: len(transport.requests) == 4)
            status, run = await door.call("POST", f"/api/runs/{run_id}/cancel")
            assert (status, run["status"], run["error"]) == (200, "cancelled", "Cancelled.")
            assert (await reader.until("error"))[-1]["message"] == "Cancelled."
        stopped = await door.get(f"/api/conversations/{opening['conversationId']}")
        listed = (await door.get("/api/conversations"))["conversations"]

        again = await door.stream("POST", f"/api/runs/{run_id}/retry?streamTokens=true")
        run = await door.get(f"/api/runs/{again.run_id}")
        conversation = await door.get(f"/api/conversations/{opening['conversationId']}")
    question, nothing = stopped["messages"]
    assert (question["content"], nothing["status"], nothing["runId"]) == (QUESTION, "cancelled", run_id)
    assert [(one["id"], one["status"], one["runId"]) for one in listed] == [
        (opening["conversationId"], "cancelled", run_id)
    ]
    first = again.frames[0]
    assert (first["retryOf"], first["messageId"]) == (run_id, opening["messageId"])
    assert first["runId"] != run_id
    assert again.types[-1] == "complete"
    assert "call_complete" in again.types
    assert [sent.id for sent in again.sent if sent.event == "complete"] == [str(run["events"])]
    assert run["retryOf"] == run_id
    inherited = {(call["step"], call["seat"]) for call in run["calls"] if call["inherited"]}
    assert {("collect", 1), ("collect", 2)} <= inherited
    assert ("collect", 3) not in inherited
    assert run["totals"]["calls"] == len(run["calls"]) - len(inherited)
    assert conversation["messages"][1]["runId"] == again.run_id


async def test_what_cannot_be_cancelled_or_retried() -> None:
    async with Door(script()) as door:
        told = await door.ask(mode="vote")
        path = f"/api/runs/{told.run_id}"
        said = [
            await door.call("POST", f"{path}/cancel"),
            await door.call("POST", f"{path}/retry"),
            await door.call("POST", "/api/runs/nowhere/cancel"),
            await door.call("POST", "/api/runs/nowhere/retry"),
            await door.call("GET", "/api/runs/nowhere"),
            await door.call("GET", "/api/runs/nowhere/events"),
        ]
    assert [(status, problem["error"]) for status, problem in said] == [
        (409, "The run is complete and cannot be cancelled"),
        (409, "The run is complete: only a failed, cancelled or degraded run can be retried"),
        *[(404, "There is no run nowhere")] * 4,
    ]


async def test_a_run_without_an_honest_result_is_kept_though_its_messages_are_not(store_url: str) -> None:
    async with Door(script(bob=BROKE, cyd=BROKE), database=store_url) as door:
        told = await door.ask(mode="vote", modeConfig=THREE)
        run = await door.get(f"/api/runs/{told.run_id}")
        listed = await door.get("/api/conversations")
        again = await door.stream("GET", f"/api/runs/{told.run_id}/events")
    assert told.types[-1] == "error"
    assert run["status"] == "failed"
    assert run["error"] == told.frames[-1]["message"]
    assert BROKE.reason in run["error"]
    assert run["answer"] is None
    (entry,) = listed["conversations"]
    assert (entry["status"], entry["runId"], entry["title"]) == ("failed", told.run_id, QUESTION)
    assert again.sent == told.sent
