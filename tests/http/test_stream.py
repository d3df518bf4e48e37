"""The stream of a run: its frames, its resumption, its readers."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from moot.http import stream
from moot.kernel.followers import Frame
from moot.testing import SILENCE
from tests.harness.chance import examples
from tests.harness.waiting import PATIENCE, until
from tests.http.door import QUESTION, Door, parse, script

MODES = {
    "council": {
        "stage1": "stage1_complete",
        "stage2": "stage2_complete",
        "stage3": "stage3_complete",
    },
    "vote": {
        "stage1": "stage1_complete",
        "voteRound": "vote_round_complete",
        "winner": "winner_declared",
    },
    "debate": {
        "round1": "round1_complete",
        "votes": "vote_complete",
        "winner": "winner_declared",
    },
}


@pytest.mark.parametrize("mode", MODES)
async def test_a_stored_result_read_back_equals_the_streamed_one(mode: str, store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        told = await door.ask(mode=mode)
        run = await door.get(f"/api/runs/{told.run_id}")
        conversation = await door.get(f"/api/conversations/{told.conversation_id}")

    result = run["result"]
    expected = {field: told.data(type) for field, type in MODES[mode].items()}
    assert {field: result[field] for field in expected} == expected
    assert result["title"] == told.data("title_complete")["title"]
    if mode == "council":
        metadata = next(frame for frame in told.frames if frame["type"] == "stage2_complete")["metadata"]
        assert result["stage2Metadata"] == metadata
    if mode == "debate":
        assert result["round1LabelMap"] == told.data("revision_start")["labelMap"]
        assert result["revisions"] == told.data("revision_complete")["revisions"]
        assert result["revisionSummary"] == told.data("revision_complete")["summary"]
        assert result["revisedLabelMap"] == told.data("vote_start")["revisedLabelMap"]
    message = conversation["messages"][-1]
    assert message["result"] == result
    assert message["events"] == run["events"] == len(told.sent)
    assert message["content"] == run["answer"]


@pytest.mark.parametrize("mode", MODES)
async def test_last_event_id_at_every_position_gives_exactly_the_rest(mode: str, store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        whole = await door.ask(mode=mode)
        path = f"/api/runs/{whole.run_id}/events"
        assert [sent.id for sent in whole.sent] == [str(number + 1) for number in range(len(whole.sent))]
        assert (await door.stream("GET", path)).text == whole.text
        for seen in range(len(whole.sent)):
            rest = await door.stream("GET", path, headers={"Last-Event-ID": str(seen)})
            assert rest.sent == whole.sent[seen:]
            rest = await door.stream("GET", path, params={"lastEventId": str(seen)})
            assert rest.sent == whole.sent[seen:]
        end = str(len(whole.sent))
        assert await door.call("GET", path, headers={"Last-Event-ID": end}) == (204, None)
        assert await door.call("GET", path, params={"lastEventId": end}) == (204, None)


async def test_the_header_is_newer_than_the_address() -> None:
    async with Door(script()) as door:
        whole = await door.ask(mode="vote")
        path = f"/api/runs/{whole.run_id}/events?lastEventId=1"
        rest = await door.stream("GET", path, headers={"Last-Event-ID": "5"})
    assert rest.sent == whole.sent[5:]


async def test_a_bad_last_event_id_is_refused() -> None:
    async with Door(script()) as door:
        path = f"/api/runs/{(await door.ask(mode='vote')).run_id}/events"
        for value in ("x", "-1", "1.5", "1 ", "", "9" * 30, "٣", "1\u00b2"):
            status, body = await door.call("GET", path, params={"lastEventId": value})
            assert status == 400, value
            assert body["error"] == f"Last-Event-ID must be the number of an event, not {value!r}"


async def test_a_run_cut_at_any_event_can_be_followed_to_its_end_while_it_goes_on() -> None:
    released = asyncio.Event()

    async with Door(_held(released)) as door:
        async with door.opened(mode="vote") as reader:
            seen = await reader.until("vote_round_start")
        run_id = seen[0]["runId"]
        path = f"/api/runs/{run_id}/events"
        following = [
            asyncio.create_task(door.stream("GET", path, headers={"Last-Event-ID": str(after)}))
            for after in range(5)
        ]
        await until(lambda: len(door.streams) == 5)
        released.set()
        rests = await asyncio.gather(*following)
        whole = await door.stream("GET", path)
    assert whole.frames[: len(seen)] == seen
    assert [rest.sent for rest in rests] == [whole.sent[after:] for after in range(5)]


def _held(released: asyncio.Event) -> Any:
    """Everybody answers; whoever votes waits until it is released."""

    class Held:
        def __init__(self) -> None:
            self._inner = script()

        async def stream(self, request: Any) -> Any:
            if "VOTE:" in request.messages[-1].content:
                await released.wait()
            async for chunk in self._inner.stream(request):
                yield chunk

    return Held()


async def test_the_headers_keep_proxies_from_holding_the_stream_back() -> None:
    async with Door(script()) as door:
        told = await door.ask(mode="vote")
    assert told.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert told.headers["Cache-Control"] == "no-store"
    assert told.headers["X-Accel-Buffering"] == "no"


async def test_tokens_come_only_when_asked_for_and_carry_no_id() -> None:
    async with Door(script()) as door:
        told = await door.ask(mode="vote", streamTokens=True)
        again = await door.stream("GET", f"/api/runs/{told.run_id}/events?streamTokens=true")
        bare = await door.stream("GET", f"/api/runs/{told.run_id}/events")
    live = {"call_start", "token", "call_complete"}
    assert live <= set(told.types)
    assert not live & set(bare.types)
    assert "call_complete" in again.types
    assert [frame for frame in told.frames if frame["type"] not in live] == bare.frames
    assert told.text.count("id: ") == len(bare.sent)
    pieces = [f["data"] for f in told.frames if f["type"] == "token" and f["data"]["step"] == "collect"]
    spoken = {seat: "".join(p["text"] for p in pieces if p["seat"] == seat) for seat in (1, 2, 3)}
    assert spoken == {answer["seat"]: answer["response"] for answer in told.data("stage1_complete")}


async def test_a_quiet_stream_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PING_SECONDS", 0.02)
    async with (
        Door(script(cyd=SILENCE)) as door,
        door.opened(mode="vote") as reader,
        asyncio.timeout(PATIENCE),
    ):
        await reader.until("stage1_start")
        assert await reader.response.content.readuntil(b": ping\n\n") == b"\n: ping\n\n"
        assert await reader.response.content.readuntil(b"\n\n") == b": ping\n\n"


async def test_a_reader_who_leaves_stops_nothing() -> None:
    async with Door(_held(released := asyncio.Event())) as door:
        async with door.opened(mode="vote") as reader:
            run_id = (await reader.until("vote_round_start"))[0]["runId"]
            reader.response.close()
        await until(lambda: len(door.streams) == 0)
        assert (await door.get(f"/api/runs/{run_id}"))["status"] == "running"
        released.set()
        whole = await door.stream("GET", f"/api/runs/{run_id}/events")
    assert whole.types[-1] == "complete"


async def test_a_stream_that_ends_just_as_the_process_stops_ends_once() -> None:
    async with Door(script()) as door:
        told = await door.ask(mode="vote")
        ends: list[Message] = []

        async def send(message: Message) -> None:
            if message.get("more_body") is False:
                ends.append(message)
                door.streams.close()

        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        await stream.EventStream(door.engine, door.streams, told.run_id)({"type": "http"}, receive, send)
    assert len(ends) == 1


async def test_a_storm_of_readers_that_come_and_go_leaves_nothing_behind() -> None:
    released = asyncio.Event()
    async with (
        Door(_held(released)) as door,
        door.opened(mode="vote", streamTokens=True) as reader,
    ):
        run_id = (await reader.until("vote_round_start"))[0]["runId"]
        live = door.engine.running[run_id].live
        tasks = len(asyncio.all_tasks())
        for _ in range(10):
            await asyncio.gather(*(_touch(door, f"/api/runs/{run_id}/events", n) for n in range(50)))
        await until(lambda: len(door.streams) == 1)
        await until(lambda: len(live._followers) == 1)
        await until(lambda: len(asyncio.all_tasks()) <= tasks + 1)
        released.set()
        assert (await reader.until("complete"))[-1]["type"] == "complete"


async def _touch(door: Door, path: str, how: int) -> None:
    """Connect and leave: before the answer, after a part of it, or with a reset."""
    host, port = door.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path}?streamTokens=true HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    await writer.drain()
    if how % 3:
        await reader.read(1 + how)
    if how % 3 == 2:
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    writer.close()


async def test_a_reader_that_never_reads_does_not_hold_up_the_others() -> None:
    words = " ".join(f"{number:04}" * 250 for number in range(2000))

    async with Door(script(ann=words, bob=words, cyd=words)) as door:
        host, port = door.url.removeprefix("http://").split(":")
        body = json.dumps({"question": QUESTION, "mode": "vote", "streamTokens": True})
        _, idle = await asyncio.open_connection(host, int(port))
        idle.write(
            f"POST /api/council/stream HTTP/1.1\r\nHost: {host}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        await until(lambda: len(door.engine.running) == 1)
        run_id = next(iter(door.engine.running))
        whole = await door.stream("GET", f"/api/runs/{run_id}/events")
        assert whole.types[-1] in ("complete", "error")
        assert (await door.get("/healthz"))["status"] == "ok"
        idle.close()
        await until(lambda: len(door.streams) == 0)


@given(text=st.text(), name=st.sampled_from(["token", "title_complete", "model_failed"]))
@examples(300)
def test_no_text_can_make_a_second_event(text: str, name: str) -> None:
    body = json.dumps({"data": {"title": text, "model": text}}, ensure_ascii=False)
    try:
        frame = Frame(7, name, 3, body.encode())
    except UnicodeEncodeError:
        return  # half a surrogate pair is no text; JSON from outside cannot bring one in
    (sent,) = parse(stream.sse(frame).decode())
    assert (sent.id, sent.event) == ("7", name)
    assert json.loads(sent.data)["data"] == {"title": text, "model": text}


async def test_line_ends_in_ids_questions_and_answers_stay_inside_their_event() -> None:
    evil = "x\r\n\r\nid: 99\nevent: complete\ndata: {}\n\n\u2028\x85\x0b"
    async with Door(script(ann=evil, title=evil)) as door:
        told = await door.ask(evil, mode="vote")
        assert [sent.id for sent in told.sent] == [str(n + 1) for n in range(len(told.sent))]
        assert told.types.count("complete") == 1
        assert told.data("stage1_complete")[0]["response"] == evil
        status, body = await door.call(
            "POST",
            "/api/council/stream",
            json={"question": "x", "mode": "vote", "modeConfig": {"councilModels": ["a\nid: 9", "b", "c"]}},
        )
    assert (status, body["error"]) == (
        400,
        "modeConfig.councilModels[0] must be a model id such as openai/o3",
    )
