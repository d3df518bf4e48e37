"""Whatever is sent, the server has an answer of its own: 4xx with words, never 500. On both databases."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from moot.testing import Reply, Rule
from tests.harness.chamber import TITLE_MODEL, Chamber
from tests.http.door import Door, script

PANEL = ["ann", "bob", "cyd"]
VOTE = {"councilModels": PANEL}
VALUES = (
    *(str(number) for number in (-1, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400)),
    *("nan", "inf", "-0", "1e400", "", " ", "null", "\u0000", "a\u0000b", "\u202e", "\U0010ffff", "x" * 5000),
    *("%", "'", '"', "';--", "../..", "{}", "[]", "1.2.3", "0x10", "１", "true"),
)
HOSTILE: tuple[str, ...] = (
    *("null", "true", "0", "-1", "1.5", "1e400", "[]", "{}", '""', '" "'),
    *(str(number) for number in (2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400)),
    *(r'"\u0000"', r'"a\u0000b"', r'"\ud800"', r'"\udfff x"', r'["\u0000"]', r'{"\u0000": "\u0000"}'),
    *(r'"\u202e\u2028"', '"\U0010ffff"', f'"{"x" * 3000}"', "[" * 300 + "]" * 300, "NaN", "Infinity"),
)
TEMPLATE = {
    "name": "By analogy",
    "whenToUse": "When the question is like one that is already answered.",
    "steps": ["Find it.", "Compare.", "Carry over."],
    "checks": ["It fits."],
    "exampleQuestions": ["Is it so?", "Is it that?"],
}
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/api/council/stream"): {"question": "Tabs?", "mode": "vote", "modeConfig": VOTE},
    ("POST", "/api/estimate"): {"question": "Tabs?", "mode": "vote", "modeConfig": {**VOTE, "timeoutMs": 9}},
    ("POST", "/v1/chat/completions"): {
        "model": "moot/vote",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Tabs?"}]}],
        "stop": ["x"],
        "stream_options": {"include_usage": True},
        "moot": {"config": VOTE, "models": VOTE["councilModels"]},
    },
    ("POST", "/v1/responses"): {
        "model": "moot/vote",
        "input": [{"role": "user", "content": "Tabs?"}],
        "instructions": "Be brief.",
        "moot": {"config": VOTE},
    },
    ("POST", "/api/presets"): {"name": "Mine", "mode": "vote", "config": VOTE, "shared": False},
    ("PATCH", "/api/presets/{preset}"): {"name": "Yours", "config": VOTE, "shared": True},
    ("PATCH", "/api/conversations/{conversation}"): {"title": "Another"},
    ("POST", "/api/templates"): TEMPLATE,
    ("PUT", "/api/templates/{template}"): TEMPLATE,
    ("POST", "/api/traces/none/rate"): {"rating": 5, "note": "Good."},
    ("POST", "/api/traces/export"): {"format": "chat", "filters": {"search": "x", "since": 1, "until": 2}},
}


def mutations(body: Any) -> Iterator[str]:
    """The body with each of its values replaced by something hostile, as JSON text; and with a key more."""
    if isinstance(body, dict):
        for key, value in body.items():
            rest = {name: json.dumps(other) for name, other in body.items() if name != key}
            for mutated in mutations(value):
                parts = [*(f'"{name}": {other}' for name, other in rest.items()), f'"{key}": {mutated}']
                yield "{" + ", ".join(parts) + "}"
        yield json.dumps({**body, "\u0000": "\u0000"})
    elif isinstance(body, list) and body:
        for mutated in mutations(body[0]):
            yield "[" + ", ".join([mutated, *map(json.dumps, body[1:])]) + "]"
    yield from HOSTILE


class Rig:
    """A door with something behind it, and a careful look at every answer."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.wrong: list[str] = []

    async def __aenter__(self) -> Rig:
        told = await self.door.ask(mode="vote", modeConfig=VOTE)
        _, preset = await self.door.call(
            "POST", "/api/presets", json={"name": "Kept", "mode": "vote", "config": VOTE}
        )
        _, template = await self.door.call("POST", "/api/templates", json=TEMPLATE)
        self.there = {
            "preset": preset["id"],
            "template": template["id"],
            "conversation": told.conversation_id,
            "run": told.run_id,
        }
        return self

    async def __aexit__(self, *error: object) -> None:
        if error[0] is None:
            assert self.wrong == []

    async def send(self, method: str, path: str, body: str | None = None) -> int:
        headers = {} if body is None else {"content-type": "application/json"}
        data = None if body is None else body.encode("utf-8", "surrogatepass")
        async with self.door.session.request(method, path, data=data, headers=headers) as response:
            text = (await response.read()).decode("utf-8", "replace")  # an export is a zip
            said = f"{method} {path[:200]} {(body or '')[:200]}: {response.status} {text[:200]}"
            if response.status >= 500:
                self.wrong.append(said)
            elif response.status >= 400 and not _sentence(json.loads(text)["error"]).strip():
                self.wrong.append(f"{said} (without words)")
        return response.status


def _sentence(error: Any) -> str:
    """Of either form: the OpenAI-compatible door has its own."""
    return str(error["message"] if isinstance(error, dict) else error)


async def test_no_parameter_makes_the_server_fail(store_url: str) -> None:
    async with Door(script(), database=store_url) as door, Rig(door) as rig:
        document = await door.get("/api/openapi.json")
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                for parameter in operation.get("parameters", ()):
                    name = parameter["name"]
                    for value in VALUES:
                        there = path.format(run_id=rig.there["run"], **{"preset_id": "x"}, **_other_ids(path))
                        if parameter["in"] == "path":
                            hostile = path.format_map({**_ids(path), name: quote(value or "%", safe="")})
                            await rig.send(method.upper(), hostile)
                        elif parameter["in"] == "query":
                            await rig.send(method.upper(), f"{there}?{quote(name)}={quote(value, safe='')}")


def _ids(path: str) -> dict[str, str]:
    return {part[1:-1]: "x" for part in path.split("/") if part.startswith("{")}


def _other_ids(path: str) -> dict[str, str]:
    return {name: "x" for name in _ids(path) if name not in ("run_id", "preset_id")}


@pytest.mark.parametrize("route", BODIES, ids=lambda route: f"{route[0]} {route[1]}")
async def test_no_body_makes_the_server_fail(store_url: str, route: tuple[str, str]) -> None:
    method, path = route
    async with Door(script(), database=store_url) as door, Rig(door) as rig:
        for body in ("", "{", "null", "[]", "\u0000", '{"a": "\u0000"}', *mutations(BODIES[route])):
            await rig.send(method, path.format(**rig.there), body)


@pytest.mark.parametrize("route", BODIES, ids=lambda route: f"{route[0]} {route[1]}")
async def test_a_null_character_in_a_text_is_refused_with_words(
    store_url: str, route: tuple[str, str]
) -> None:
    method, path = route
    body = BODIES[route]
    texts = [key for key, value in body.items() if isinstance(value, str) and key not in ("mode", "format")]
    async with Door(script(), database=store_url) as door, Rig(door) as rig:
        for key in texts:
            hostile = {**body, key: f"{body[key]}\u0000"}
            status, problem = await door.call(method, path.format(**rig.there), json=hostile)
            said = f"{key} contains a null character, which is not allowed"
            details = problem.get("details") or [
                {"path": problem["error"]["param"], "message": problem["error"]["message"]}
            ]
            assert (status, details) == (400, [{"path": key, "message": said}])


async def test_a_refusal_names_twenty_faults_however_many_there_are() -> None:
    many = {f"unknown{number}": number for number in range(5_000)}
    async with Door(script()) as door:
        for body in ({"question": "Tabs?", **many}, {"question": "Tabs?", "modeConfig": {**VOTE, **many}}):
            status, problem = await door.call("POST", "/api/council/stream", json=body)
            assert status == 400
            assert problem["error"] == problem["details"][0]["message"] == "Unknown field: unknown0"
            assert len(problem["details"]) == 20


async def test_a_text_that_only_speaks_of_a_null_character_is_taken() -> None:
    async with Door(script()) as door:
        told = await door.ask("What does \\u0000 mean in JSON?", mode="vote", modeConfig=VOTE)
        assert told.types[-1] == "complete"


async def test_every_reference_of_the_openapi_document_leads_somewhere() -> None:
    async with Door(script()) as door:
        document = await door.get("/api/openapi.json")

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for inner in value.values():
                yield from references(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from references(inner)

    found = set(references(document))
    assert found
    for reference in found:
        place: Any = document
        assert reference.startswith("#/")
        for part in reference[2:].split("/"):
            assert part in place, f"{reference} leads nowhere"
            place = place[part]


async def test_those_who_save_presets_at_once_all_get_an_answer_and_one_preset_is_there(
    store_url: str,
) -> None:
    async with Door(script(), database=store_url) as door, Rig(door) as rig:
        body = json.dumps({"name": "Raced", "mode": "vote", "config": VOTE})
        for _ in range(5):
            statuses = await asyncio.gather(*(rig.send("POST", "/api/presets", body) for _ in range(12)))
            assert sorted(statuses) == [201, *[409] * 11]
            raced = [one for one in (await door.get("/api/presets"))["presets"] if one["name"] == "Raced"]
            removed = await asyncio.gather(
                *(rig.send("DELETE", f"/api/presets/{raced[0]['id']}") for _ in range(4))
            )
            assert set(removed) <= {204, 404}


async def test_those_who_rename_choose_and_remove_presets_at_once_all_get_an_answer(store_url: str) -> None:
    async with Door(script(), database=store_url) as door, Rig(door) as rig:
        for turn in range(6):
            made = [
                await door.call(
                    "POST", "/api/presets", json={"name": f"{turn} {n}", "mode": "vote", "config": VOTE}
                )
                for n in range(6)
            ]
            ids = [body["id"] for _, body in made]
            await asyncio.gather(
                *(rig.send("PATCH", f"/api/presets/{id}", f'{{"name": "one {turn}"}}') for id in ids),
                *(rig.send("PUT", f"/api/presets/{id}/default") for id in ids for _ in range(2)),
                *(rig.send("DELETE", f"/api/presets/{id}/default") for id in ids[:2]),
                *(rig.send("DELETE", f"/api/presets/{id}") for id in ids[:3]),
            )
            listed = (await door.get("/api/presets"))["presets"]
            assert len([one for one in listed if one["name"] == f"one {turn}"]) <= 1
            assert len([one for one in listed if one["isDefault"]]) <= 1


async def test_a_null_character_in_a_reply_is_kept_as_a_sign_that_every_database_can_hold(
    store_url: str,
) -> None:
    models = {
        "a/ann": Reply(text="a\x00b", reasoning="c\x00d", finish_reason="st\x00op"),
        "b/bob": Reply(status=400, message="no\x00pe"),
        "c/cyd": "whole",
    }
    rules = [Rule(contains="VOTE:", reply="VOTE: Response A\x00")]
    lines: dict[str, Any] = {model: [line] for model, line in models.items()}
    async with Chamber({**lines, TITLE_MODEL: "A\x00Title"}, rules=rules, database=store_url) as chamber:
        held = await chamber.deliberate("vote", councilModels=list(models))
        assert held.record.status == "degraded"
        kept = {(call.model, call.step): call for call in held.calls}
        ann = kept["a/ann", "collect"]
        assert (ann.text, ann.reasoning, ann.finish_reason) == ("a\ufffdb", "c\ufffdd", "st\ufffdop")
        assert "\x00" not in (kept["b/bob", "collect"].reason or "")
        assert held.data("stage1_complete")[0]["response"] == "a\ufffdb"
        assert held.data("title_complete")["title"] == "A\ufffdTitle"
        assert "\x00" not in json.dumps(held.frames, ensure_ascii=False)
