"""Batches over HTTP: sent, seen, taken away, stopped."""

from __future__ import annotations

import json
from typing import Any

import aiohttp

from moot.batches.driver import driving
from tests.http.door import Door, script

VOTE = {"councilModels": ["ann", "bob", "cyd"]}
BATCH: dict[str, Any] = {
    "questions": ["Tabs or spaces?", {"id": "b", "question": "Vim or Emacs?"}],
    "mode": "vote",
    "modeConfig": VOTE,
    "name": "editors",
}


async def test_a_batch_is_sent_followed_to_its_end_and_listed(store_url: str) -> None:
    async with (
        Door(script(), database=store_url) as door,
        driving(door.engine),
        aiohttp.ClientSession(door.url) as http,
    ):
        async with http.post("/api/batches", json=BATCH) as response:
            assert response.status == 201
            batch = await response.json()
        assert (batch["status"], batch["questions"], batch["atOnce"]) == ("running", 2, 4)
        async with http.get(f"/api/batches/{batch['id']}/outcomes?follow=true") as response:
            assert response.content_type == "application/jsonl"
            lines = [json.loads(line) for line in (await response.text()).splitlines()]
        assert sorted((one["line"], one["id"], one["status"]) for one in lines) == [
            (1, None, "complete"),
            (2, "b", "complete"),
        ]
        async with http.get("/api/batches") as response:
            (listed,) = (await response.json())["batches"]
        assert (listed["status"], listed["complete"], listed["name"]) == ("complete", 2, "editors")
        async with http.post(f"/api/batches/{batch['id']}/cancel") as response:
            assert response.status == 409
            assert (await response.json())["error"] == "The batch is complete and cannot be cancelled"


async def test_what_is_wrong_with_a_batch_is_said_before_anything_is_asked() -> None:
    async with Door(script()) as door, aiohttp.ClientSession(door.url) as http:
        for body, error in [
            (
                {**BATCH, "questions": ["Why?", {"question": "How?", "mode": "vot"}]},
                "Question 2: Unknown mode: vot",
            ),
            ({**BATCH, "questions": []}, "questions must have at least 1 entry"),
            ({**BATCH, "budget": 0}, "budget must be more than 0"),
            ({**BATCH, "atOnce": 501}, "atOnce must be at most 500"),
            ({**BATCH, "priority": 0}, "Unknown field: priority"),
        ]:
            async with http.post("/api/batches", json=body) as response:
                assert response.status == 400
                assert (await response.json())["error"] == error
        async with http.get("/api/runs") as response:
            assert (await response.json())["runs"] == []


async def test_the_same_key_and_body_give_the_same_batch() -> None:
    async with Door(script()) as door, aiohttp.ClientSession(door.url) as http:
        ids = []
        for body, status in ((BATCH, 201), (BATCH, 201), ({**BATCH, "atOnce": 9}, 422)):
            async with http.post("/api/batches", json=body, headers={"Idempotency-Key": "k"}) as response:
                assert response.status == status
                ids.append((await response.json()).get("id"))
        assert ids[0] == ids[1]
