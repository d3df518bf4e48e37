"""Presets through the HTTP door, as two people use them, on both databases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from moot.presets import queries as kept
from tests.http.door import Door, script

HEADER = "X-User"
ANN, BOB = {HEADER: "ann"}, {HEADER: "bob"}
THREE = {"councilModels": ["ann", "bob", "ann"]}


async def save(door: Door, who: Mapping[str, str] = ANN, **preset: Any) -> dict[str, Any]:
    body = {"name": "Three", "mode": "vote", "config": THREE, **preset}
    status, saved = await door.call("POST", "/api/presets", json=body, headers=who)
    assert status == 201, saved
    return dict(saved)


async def seen(door: Door, who: Mapping[str, str], mode: str = "vote") -> list[str]:
    listed = await door.get("/api/presets", params={"mode": mode}, headers=who)
    return [one["name"] for one in listed["presets"]]


async def test_a_preset_is_saved_listed_changed_and_removed(store_url: str) -> None:
    async with Door(script(), database=store_url, user_header=HEADER) as door:
        saved = await save(door, name="  Three \n voters ")
        assert saved["name"] == "Three voters"
        assert saved["config"] == THREE
        assert (saved["own"], saved["owner"], saved["shared"], saved["isDefault"]) == (
            True,
            "ann",
            False,
            False,
        )
        path = f"/api/presets/{saved['id']}"
        status, changed = await door.call("PATCH", path, json={"name": "Two", "config": {}}, headers=ANN)
        assert (status, changed["name"], changed["config"], changed["shared"]) == (200, "Two", {}, False)
        assert await seen(door, ANN) == ["Two"]
        assert await seen(door, ANN, "council") == []
        assert (await door.call("DELETE", path, headers=ANN))[0] == 204
        assert await seen(door, ANN) == []
        status, refused = await door.call("DELETE", path, headers=ANN)
        assert (status, refused["error"]) == (404, f"There is no preset {saved['id']}")


async def test_what_one_shares_all_may_use_and_only_its_owner_changes(store_url: str) -> None:
    async with Door(script(), database=store_url, user_header=HEADER) as door:
        secret, shown = await save(door, name="Mine"), await save(door, name="Ours", shared=True)
        assert await seen(door, ANN) == ["Mine", "Ours"]
        await save(door, BOB, name="Bob's")
        assert await seen(door, BOB) == ["Bob's", "Ours"]
        [others] = [
            one for one in (await door.get("/api/presets", headers=BOB))["presets"] if one["name"] == "Ours"
        ]
        assert (others["own"], others["owner"]) == (False, "ann")
        path = f"/api/presets/{shown['id']}"
        for method, body in (("PATCH", {"name": "Stolen"}), ("DELETE", None)):
            status, refused = await door.call(method, path, json=body, headers=BOB)
            assert status == 409
            assert refused["error"] == "'Ours' belongs to ann: save it as a preset of your own to change it"
        assert (await door.call("PATCH", f"/api/presets/{secret['id']}", json={}, headers=BOB))[0] == 404
        await door.call("PATCH", path, json={"shared": False}, headers=ANN)
        assert await seen(door, BOB) == ["Bob's"]


async def test_each_begins_with_a_preset_of_their_own_choice(store_url: str) -> None:
    async def defaults(who: Mapping[str, str]) -> list[str]:
        listed = await door.get("/api/presets", headers=who)
        return [one["name"] for one in listed["presets"] if one["isDefault"]]

    async with Door(script(), database=store_url, user_header=HEADER) as door:
        first, second = await save(door, name="A", shared=True), await save(door, name="B")
        for one in (first, second):
            status, now = await door.call("PUT", f"/api/presets/{one['id']}/default", headers=ANN)
            assert (status, now["isDefault"]) == (200, True)
        await door.call("PUT", f"/api/presets/{first['id']}/default", headers=BOB)
        assert (await defaults(ANN), await defaults(BOB)) == (["B"], ["A"])
        # Not its default any more: to say so again changes nothing.
        await door.call("DELETE", f"/api/presets/{first['id']}/default", headers=ANN)
        assert await defaults(ANN) == ["B"]
        await door.call("DELETE", f"/api/presets/{second['id']}/default", headers=ANN)
        assert await defaults(ANN) == []
        await door.call("DELETE", f"/api/presets/{first['id']}", headers=ANN)
        assert await defaults(BOB) == []


@pytest.mark.parametrize(
    ("preset", "path", "message"),
    [
        ({"name": " "}, "name", "A preset needs a name"),
        ({"name": "x" * 81}, "name", "The name has 81 characters, the limit is 80"),
        ({"mode": "quarrel"}, "mode", "Unknown mode: quarrel"),
        (
            {"config": {"councilModels": ["ann"]}},
            "modeConfig.councilModels",
            "Vote mode requires at least 3 models",
        ),
        ({"config": {"modles": []}}, "modeConfig.modles", "Unknown field: modles"),
        ({"colour": "red"}, "colour", "Unknown field: colour"),
    ],
)
async def test_a_bad_preset_is_refused_in_the_words_of_its_mode(
    preset: dict[str, Any], path: str, message: str
) -> None:
    async with Door(script()) as door:
        body = {"name": "Three", "mode": "vote", **preset}
        status, refused = await door.call("POST", "/api/presets", json=body)
        assert status == 400
        assert refused == {"error": message, "details": [{"path": path, "message": message}]}


async def test_a_name_is_taken_once(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        await save(door, {})
        other = await save(door, {}, name="Other")
        for method, path in (("POST", "/api/presets"), ("PATCH", f"/api/presets/{other['id']}")):
            body = {"name": "Three", **({"mode": "vote"} if method == "POST" else {})}
            status, refused = await door.call(method, path, json=body)
            assert status == 409
            assert refused["details"] == [{"path": "name", "message": "You already have a preset 'Three'"}]


async def test_a_preset_that_its_mode_no_longer_takes_is_shown_with_the_reason(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        old = {"name": "Old", "mode": "vote", "config": {"voters": 9}, "shared": False}
        await door.engine.store.change(lambda db: kept.add_preset(db, "old", "local", old, 1))
        gone = {**old, "name": "Gone", "mode": "quarrel"}
        await door.engine.store.change(lambda db: kept.add_preset(db, "gone", "local", gone, 1))
        listed = (await door.get("/api/presets"))["presets"]
    assert [(one["name"], one["config"], one["problem"]) for one in listed] == [
        ("Gone", {"voters": 9}, "Unknown mode: quarrel"),
        ("Old", {"voters": 9}, "Unknown field: voters"),
    ]


async def test_where_a_proxy_names_people_each_has_their_own_and_nobody_is_nobody() -> None:
    async with Door(script(), user_header=HEADER) as door:
        told = await door.ask(mode="vote", headers=ANN)
        path = f"/api/conversations/{told.conversation_id}"
        assert (await door.get(path, headers=ANN))["mode"] == "vote"
        assert (await door.call("GET", path, headers=BOB))[0] == 404
        assert (await door.get("/api/runs", headers=BOB))["runs"] == []
        for headers in ({}, {HEADER: " "}, {HEADER: "x" * 201}):
            status, refused = await door.call("GET", "/api/presets", headers=headers)
            assert status == 401
            assert (
                refused["error"]
                == "The header X-User must say who is asking: come through the proxy that sets it"
            )
        twice = [(HEADER, "ann"), (HEADER, "bob")]
        assert (await door.call("GET", "/api/presets", headers=twice))[0] == 401


async def test_without_such_a_proxy_the_header_means_nothing() -> None:
    async with Door(script()) as door:
        await save(door, ANN)
        assert await seen(door, BOB) == ["Three"]
