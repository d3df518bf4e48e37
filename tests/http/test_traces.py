"""Traces, templates and the first clients' envelope, through the HTTP door."""

from __future__ import annotations

import io
import json
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import select

from moot.kernel.errors import TransportError
from moot.store import tables
from moot.testing import SILENCE, Scripted
from tests.http.door import Door

LONG = "Tabs, because each reader sets their width, and nobody has to count. " * 4
ROLES = {"proposerModel": "ann", "skepticModel": "bob", "synthesizerModel": "cyd", "judgeModel": "dee"}
RED = "🔴 C1 | The premise | line 1\nwhy\nScore: 4/10"
READY = "✅ RESOLVED C1 - gone\nScore: 9/10\nReady for Synthesis ✅"
GRADE = "Correctness: 9\nCompleteness: 9\nClarity: 9\nDepth: 9\nScore: 9\nJustification: Good."
OWN = {
    "name": "Zebra comparison",
    "whenToUse": "Questions about zebras and their stripes, of any kind.",
    "steps": ["Count the stripes", "Compare them", "Conclude"],
    "exampleQuestions": ["How many stripes has a zebra?", "Why do zebras have stripes?"],
}


def skeptic(request: Any) -> str:
    return RED if "Provide a thorough critique" in request.messages[-1].content else READY


def debaters(**more: Any) -> Scripted:
    lines: dict[str, Any] = {
        "title": "A Short Title",
        "ann": lambda r: (
            f"## Answer\n{'First, something short about tabs.' if 'Round 1 of' in r.messages[-1].content else LONG}"
        ),
        "bob": skeptic,
        "cyd": f"## Answer\n{LONG}",
        "dee": GRADE,
    }
    return Scripted({**lines, **more})


def argue(question: str = "Tabs or spaces?", **config: Any) -> dict[str, Any]:
    return {
        "question": question,
        "mode": "dialectic",
        "modeConfig": {**ROLES, "useTemplates": False, **config},
    }


async def asked(door: Door, question: str = "Tabs or spaces?", **config: Any) -> str:
    story = await door.stream("POST", "/api/council/stream", json=argue(question, **config))
    assert story.types[-1] == "complete"
    return story.run_id


async def test_a_trace_is_listed_and_read(store_url: str) -> None:
    async with Door(debaters(), database=store_url, embedder="off") as door:
        ids = [await asked(door, question) for question in ("Tabs?", "Spaces?", "100% both?")]
        page = await door.get("/api/traces?limit=2")
        rest = await door.get(f"/api/traces?limit=2&cursor={page['nextCursor']}")
        assert [one["id"] for one in page["traces"] + rest["traces"]] == ids[::-1]
        assert rest["nextCursor"] is None
        for query, found in (
            ("search=SPACES", {ids[1]}),
            ("search=100%25", {ids[2]}),
            ("minQuality=9.5", set()),
            ("minQuality=9", set(ids)),
            ("eligible=true", set(ids)),
            ("eligible=false", set()),
            ("to=1000", set()),
            ("from=1000", set(ids)),
        ):
            assert {one["id"] for one in (await door.get(f"/api/traces?{query}"))["traces"]} == found, query
        trace = await door.get(f"/api/traces/{ids[0]}")
        stats = await door.get("/api/traces/stats")
        assert (await door.call("GET", "/api/traces/nothing"))[0] == 404
        assert (await door.call("GET", "/api/traces?limit=101"))[0] == 400
    assert (trace["id"], trace["query"], trace["total_rounds"]) == (ids[0], "Tabs?", 2)
    assert trace["final_answer"] == LONG.strip()
    assert [one["skeptic"] for one in trace["rounds"]] == [RED, READY]
    assert trace["models"] == {"proposer": "ann", "skeptic": "bob", "synthesizer": "cyd", "embedding": "off"}
    assert set(trace["timing"]) == {"total_ms", "rag_ms", "rounds_ms", "synthesis_ms"}
    assert (trace["quality_score"], trace["user_rating"], trace["auto_score"]) == (9.0, None, 9.0)
    assert (trace["ext"]["judge"], trace["ext"]["stop_reason"]) == ("dee", "ready_signal")
    assert stats == {"total": 3, "avgQuality": 9.0, "eligible": 3}


async def test_a_rating_counts_before_the_judges_score_and_can_be_taken_back(store_url: str) -> None:
    async with Door(debaters(), database=store_url, embedder="off") as door:
        id = await asked(door)
        path = f"/api/traces/{id}/rate"
        assert (await door.call("POST", path, json={"rating": 3, "note": "wrong"}))[1]["quality_score"] == 3.0
        status, rated = await door.call("POST", path, json={"rating": 7})
        assert (status, rated["user_rating"], rated["quality_score"], rated["rating_note"]) == (
            200,
            7,
            7.0,
            None,
        )
        assert (rated["eligible"], rated["reasons"]) == (False, ["low_quality"])
        assert (await door.get(f"/api/traces/{id}"))["quality_score"] == 7.0
        assert (await door.get("/api/traces/stats"))["eligible"] == 0
        _, back = await door.call("DELETE", path)
        assert (back["user_rating"], back["quality_score"], back["eligible"]) == (None, 9.0, True)
        for body, message in (
            ({"rating": 11}, "rating must be between 1 and 10"),
            ({"rating": 0}, "rating must be between 1 and 10"),
            ({"rating": "nine"}, "rating must be a whole number from 1 to 10"),
            ({"rating": 9.5}, "rating must be a whole number from 1 to 10"),
            ({"rating": True}, "rating must be a whole number from 1 to 10"),
            ({"rating": 5, "note": "x" * 2001}, "note must have at most 2000 characters"),
            ({}, "rating is required"),
        ):
            assert await door.call("POST", path, json=body) == (
                400,
                {
                    "error": message,
                    "details": [{"path": "rating" if "rating" in message else "note", "message": message}],
                },
            )
        assert (await door.call("POST", "/api/traces/other/rate", json={"rating": 5}))[0] == 404
        assert (await door.call("DELETE", "/api/traces/other/rate"))[0] == 404


async def test_a_trace_is_graded_later() -> None:
    grades = iter(["no number", GRADE, "still none"])
    async with Door(debaters(dee=lambda request: next(grades)), embedder="off") as door:
        id = await asked(door)
        first = await door.get(f"/api/traces/{id}")
        assert first["auto_score"] is None
        _, graded = await door.call("POST", f"/api/traces/{id}/score")
        assert (graded["auto_score"], graded["score_error"]) == (9.0, None)
        assert (await door.get(f"/api/traces/{id}"))["ext"]["score_detail"]["justification"] == "Good."
        _, again = await door.call("POST", f"/api/traces/{id}/score")
        assert again["auto_score"] is None
        assert "no score that could be read" in again["score_error"]
        assert (await door.call("POST", "/api/traces/other/score"))[0] == 404


async def test_a_trace_goes_with_its_conversation() -> None:
    async with Door(debaters(), embedder="off") as door:
        story = await door.stream("POST", "/api/council/stream", json=argue())
        assert (await door.call("DELETE", f"/api/conversations/{story.conversation_id}"))[0] == 204
        assert (await door.get("/api/traces"))["traces"] == []
        left = await door.engine.store.read(
            lambda db: [db.execute(select(t)).all() for t in (tables.reasoning_traces, tables.trace_scores)]
        )
    assert left == [[], []]


async def exported(door: Door, **wish: Any) -> tuple[bytes, dict[str, list[dict[str, Any]]], dict[str, Any]]:
    async with door.session.post("/api/traces/export", json=wish) as response:
        content = await response.read()
        assert response.status == 200, content
        assert response.headers["content-type"] == "application/zip"
    with ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    lines = {
        name: [json.loads(line) for line in content.splitlines()]
        for name, content in files.items()
        if name.endswith("l")
    }
    return content, lines, json.loads(files["manifest.json"])


async def test_good_traces_are_exported_and_the_others_accounted_for(store_url: str) -> None:
    async with Door(debaters(), database=store_url, embedder="off") as door:
        good = await asked(door, "Tabs or spaces?")
        await asked(door, "tabs OR spaces")
        poor = await asked(door, "Vim or Emacs?")
        short = await asked(door, "One round?", maxRounds=1)
        await door.call("POST", f"/api/traces/{poor}/rate", json={"rating": 4})
        content, lines, manifest = await exported(door, format="chat")
        assert (await exported(door, format="chat"))[0] == content, "the same traces give the same bytes"
        _, pairs, of_pairs = await exported(door, format="dpo")
        _, every, _ = await exported(door, format="raw", filters={"minQuality": 1})
        bad = await door.call("POST", "/api/traces/export", json={"format": "xml"})
    assert {good, poor, short}
    assert manifest["traces"] == 4
    assert manifest["exported"] == 1
    assert manifest["excluded"] == {"duplicate": 1, "low_quality": 1, "too_few_rounds": 1}
    assert manifest["deduplicated_by"] == "exact text alone: The setting embedder is off."
    assert manifest["warnings"] == ["Fewer than 50 examples."]
    [record] = lines["train.jsonl"] + lines["validation.jsonl"]
    assert record["messages"][2]["content"] == LONG.strip()
    assert of_pairs["records"] == {"train": 0, "validation": 0}
    assert of_pairs["excluded"]["no_pair"] == 1, "the two answers differ too much in length"
    assert pairs == {"train.jsonl": [], "validation.jsonl": []}
    assert sum(map(len, every.values())) == 2
    assert bad[0] == 400


async def test_like_questions_are_told_by_their_vectors() -> None:
    from moot.testing import ModelServer

    async with ModelServer() as server:
        lab = {"lab": {"base_url": server.url}}
        async with Door(debaters(), embedder="lab/embed", providers=lab) as door:
            for question in (
                "Should a small team with one product start with tabs or with spaces in its code?",
                "Should a small team with one product begin with tabs or with spaces in its code?",
                "Why is the sky blue?",
            ):
                await asked(door, question)
            _, _, manifest = await exported(door, format="alpaca")
    assert manifest["deduplicated_by"] == "lab/embed"
    assert (manifest["exported"], manifest["excluded"]) == (2, {"duplicate": 1})


async def test_own_templates_are_added_changed_and_removed(store_url: str) -> None:
    async with Door(debaters(), database=store_url) as door:
        assert len((await door.get("/api/templates"))["templates"]) == 42
        status, added = await door.call("POST", "/api/templates", json=OWN)
        assert (status, added["own"], added["name"]) == (201, True, "Zebra comparison")
        path = f"/api/templates/{added['id']}"
        assert (await door.get(path))["steps"] == OWN["steps"]
        _, changed = await door.call("PUT", path, json={**OWN, "checks": ["stripes counted"]})
        assert changed["checks"] == ["stripes counted"]
        assert len((await door.get("/api/templates"))["templates"]) == 43
        status, refused = await door.call("POST", "/api/templates", json={**OWN, "steps": ["one"]})
        assert (status, refused["error"]) == (400, "A template needs at least 3 steps")
        assert (await door.call("PUT", "/api/templates/threat-model", json={}))[0] == 409
        assert (await door.call("DELETE", "/api/templates/threat-model"))[0] == 409
        assert (await door.call("DELETE", path))[0] == 204
        assert (await door.call("DELETE", path))[0] == 404
        assert (await door.call("PUT", path, json=OWN))[0] == 404
        assert (await door.call("GET", path))[0] == 404
        assert (await door.get("/api/templates/threat-model"))["own"] is False


async def test_for_everybody_else_ones_traces_and_templates_are_not_there() -> None:
    ann, bob = {"X-User": "ann"}, {"X-User": "bob"}
    async with Door(debaters(), embedder="off", user_header="X-User") as door:
        story = await door.stream("POST", "/api/council/stream", json=argue(), headers=ann)
        _, added = await door.call("POST", "/api/templates", json=OWN, headers=ann)
        trace, template = f"/api/traces/{story.run_id}", f"/api/templates/{added['id']}"
        for method, path, body in (
            ("GET", trace, None),
            ("POST", f"{trace}/rate", {"rating": 1}),
            ("DELETE", f"{trace}/rate", None),
            ("POST", f"{trace}/score", None),
            ("GET", template, None),
            ("PUT", template, OWN),
            ("DELETE", template, None),
        ):
            assert (await door.call(method, path, json=body, headers=bob))[0] == 404, (method, path)
        assert (await door.get("/api/traces", headers=bob))["traces"] == []
        assert (await door.get("/api/traces/stats", headers=bob))["total"] == 0
        assert len((await door.get("/api/templates", headers=bob))["templates"]) == 42
        assert len((await door.get("/api/templates", headers=ann))["templates"]) == 43
        assert (await door.get(trace, headers=ann))["user_rating"] is None


async def test_the_first_clients_envelope_has_six_events_and_five_keys() -> None:
    async with Door(debaters(), embedder="off") as door:
        live = await door.stream("POST", "/api/council/stream?format=debate_event", json=argue())
        runs = (await door.get("/api/runs"))["runs"]
        path = f"/api/runs/{runs[0]['runId']}/events?format=debate_event"
        replayed = await door.stream("GET", path)
    for story in (live, replayed):
        assert set(story.types) == {"debate_event"}
        frames = story.frames
        assert all(list(frame) == ["type", "event", "round", "content", "metadata"] for frame in frames)
        assert all(list(frame["metadata"]) == ["model", "role", "tokens_so_far"] for frame in frames)
        said: dict[tuple[str, int], str] = {}
        for frame in frames:
            key = (frame["event"], frame["round"])
            said[key] = said.get(key, "") + frame["content"]
        assert said == {
            ("round_start", 1): "",
            ("proposer_chunk", 1): "## Answer\nFirst, something short about tabs.",
            ("skeptic_chunk", 1): RED,
            ("round_start", 2): "",
            ("proposer_chunk", 2): f"## Answer\n{LONG}",
            ("skeptic_chunk", 2): READY,
            ("synthesis_start", 2): "",
            ("synthesis_chunk", 2): f"## Answer\n{LONG}",
            ("complete", 2): LONG.strip(),
        }
    assert len(replayed.frames) == 9, "a finished call is one chunk"
    assert len(live.frames) > 9
    assert replayed.frames[1]["metadata"] == {"model": "ann", "role": "proposer", "tokens_so_far": 11}


async def enveloped(door: Door) -> list[list[dict[str, Any]]]:
    """A debate as it is told while it is held, and as it is told again."""
    live = await door.stream("POST", "/api/council/stream?format=debate_event", json=argue())
    runs = (await door.get("/api/runs"))["runs"]
    replayed = await door.stream("GET", f"/api/runs/{runs[0]['runId']}/events?format=debate_event")
    return [live.frames, replayed.frames]


async def test_the_envelope_ends_with_an_error_where_the_proposer_is_dead() -> None:
    async with Door(debaters(ann=TransportError("not_found", "ann is gone.")), embedder="off") as door:
        for frames in await enveloped(door):
            assert [frame["event"] for frame in frames] == ["round_start", "error"]
            assert list(frames[-1]) == ["type", "event", "round", "content", "metadata"]
            assert frames[-1]["metadata"] == {
                "model": "ann",
                "role": "proposer",
                "tokens_so_far": 0,
                "error": "The proposer gave no first answer. ann is gone.",
            }


async def test_the_envelope_says_who_stands_in_for_a_dead_synthesizer() -> None:
    async with Door(debaters(cyd=TransportError("not_found", "cyd is gone.")), embedder="off") as door:
        for frames in await enveloped(door):
            *_, chunk, complete = frames
            assert (chunk["event"], chunk["content"]) == ("synthesis_chunk", LONG.strip())
            assert chunk["metadata"]["model"] == "ann"
            assert (complete["event"], complete["content"]) == ("complete", LONG.strip())
            assert complete["metadata"] == {
                "model": "ann",
                "role": "synthesizer",
                "tokens_so_far": chunk["metadata"]["tokens_so_far"],
                "degraded": True,
                "warnings": [
                    "cyd is gone.",
                    "No model wrote the synthesis, so the proposer's last answer is used unchanged.",
                ],
            }


async def test_the_envelope_goes_on_after_the_last_event_that_was_seen() -> None:
    async with Door(debaters(), embedder="off") as door:
        id = await asked(door)
        path = f"/api/runs/{id}/events?format=debate_event"
        whole = await door.stream("GET", path)
        for place, sent in enumerate(whole.sent[:-1]):
            rest = await door.stream("GET", path, headers={"Last-Event-ID": sent.id})
            assert rest.sent == [one for one in whole.sent if int(one.id) > int(sent.id)], place


async def test_who_joins_in_the_middle_of_a_call_gets_the_text_so_far() -> None:
    async with Door(debaters(bob=SILENCE), embedder="off") as door:
        async with door.opened(**{**argue(), "question": "Tabs?"}) as reader:
            told = await reader.until("proposer_complete")
            id = told[0]["runId"]
            async with door.session.get(f"/api/runs/{id}/events?format=debate_event") as response:
                text = ""
                while "proposer_chunk" not in text:
                    text += (await response.content.readline()).decode()
        await door.call("POST", f"/api/runs/{id}/cancel")
    assert "First, something short about tabs." in text


@pytest.mark.parametrize("mode", ["vote", None])
async def test_the_envelope_is_for_dialectic_alone(mode: str | None) -> None:
    body = {"question": "Tabs?", **({"mode": mode} if mode else {})}
    async with Door(debaters(), embedder="off") as door:
        status, problem = await door.call("POST", "/api/council/stream?format=debate_event", json=body)
        assert (await door.get("/api/runs"))["runs"] == []
        assert (await door.call("POST", "/api/council/stream?format=other", json=argue()))[0] == 400
    assert status == 400
    assert problem["error"] == f"format=debate_event is for dialectic, not for {mode or 'council'}"
