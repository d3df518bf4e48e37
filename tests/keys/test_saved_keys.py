"""Keys that people save: used for their runs and nobody else's, at once, and never shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from moot.keys.saved_keys import rotate_keys
from moot.testing import ModelServer, Reply
from tests.http.visitors import browser, visitors
from tests.keys.servers import LINES, SECRET_KEY, VOTE, Served, keys_at

ANNS, BOBS, SERVERS = "sk-anns-0123456789abcd", "sk-bobs-0123456789abcd", "sk-servers-0123456789"
ASKING: dict[str, Any] = {"mode": "vote", "modeConfig": VOTE}


def view(answer: Any, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in answer["keys"] if one["name"] == name)
    return found


async def test_a_question_right_after_saving_uses_the_key(store_url: str) -> None:
    async with ModelServer(models=LINES) as models, Served(store_url) as door:
        refused = await door.ask(**ASKING)
        assert refused.types[-1] == "error"
        status, saved = await door.call(
            "PUT", "/api/account/keys/lab", json={"key": ANNS, "baseUrl": models.url}
        )
        assert (status, saved["hint"], saved["inUse"], saved["source"]) == (200, "abcd", True, "person")
        assert (await door.ask(**ASKING)).types[-1] == "complete"
        assert keys_at(models) == {ANNS}
        status, tested = await door.call("POST", "/api/account/keys/lab/test")
        assert tested == {"problem": None, "models": 3}
        listed = await door.get("/api/models")
        assert {"lab/ann", "lab/bob"} <= {one["id"] for one in listed["models"]}
        assert listed["panel"] == ["lab/ann", "lab/bob", "lab/cyd"]  # no restart needed
        models.reset()
        await door.call("PUT", "/api/account/keys/lab", json={"key": BOBS, "baseUrl": models.url})
        await door.ask(**ASKING)
        assert keys_at(models) == {BOBS}
        assert (await door.call("DELETE", "/api/account/keys/lab"))[0] == 204
        assert (await door.ask(**ASKING)).types[-1] == "error"
        assert (await door.call("DELETE", "/api/account/keys/lab"))[0] == 404


async def test_a_persons_key_is_used_for_their_runs_only(store_url: str) -> None:
    async with (
        ModelServer(models=LINES) as models,
        ModelServer(models={**LINES, "only-bobs": "x"}) as other,
        Served(store_url, accounts="on") as door,
        visitors(door, "ann", "bob") as (ann, bob),
        browser(door) as stranger,
    ):
        await ann.send("PUT", "/api/account/keys/lab", key=ANNS, baseUrl=models.url)
        assert (await bob.ask(**ASKING)).types[-1] == "error"
        assert (await ann.ask(**ASKING)).types[-1] == "complete"
        assert keys_at(models) == {ANNS}
        models.reset()
        # The same name, another endpoint: lists of models, prices and panels are kept apart.
        await bob.send("PUT", "/api/account/keys/lab", key=BOBS, baseUrl=other.url)
        assert (await bob.ask(**ASKING)).types[-1] == "complete"
        assert (keys_at(models), keys_at(other)) == (set(), {BOBS})
        hers = {one["id"] for one in (await ann.call("GET", "/api/models"))[1]["models"]}
        his = {one["id"] for one in (await bob.call("GET", "/api/models"))[1]["models"]}
        assert his - hers == {"lab/only-bobs"}
        missing = (await ann.call("POST", "/api/estimate", json=ASKING))[1]["missingKeys"]
        assert missing == []
        assert (await stranger.call("GET", "/api/account/keys"))[0] == 401
        assert BOBS[-4:] not in json.dumps((await ann.call("GET", "/api/admin/people"))[1])
        # What is for everyone is used by those who have none of their own.
        await bob.send("DELETE", "/api/account/keys/lab")
        await ann.send("PUT", "/api/admin/keys/lab", key=SERVERS, baseUrl=other.url)
        other.reset()
        assert (await bob.ask(**ASKING)).types[-1] == "complete"
        assert keys_at(other) == {SERVERS}
        await ann.ask(**ASKING)
        assert keys_at(models) == {ANNS}
        seen = view((await bob.call("GET", "/api/account/keys"))[1], "lab")
        assert (seen["source"], seen["hint"], seen["baseUrl"]) == ("server", None, None)
        assert (await bob.call("PUT", "/api/admin/keys/lab", json={"baseUrl": models.url}))[0] == 403


async def test_one_persons_trouble_with_a_provider_is_not_anothers(store_url: str) -> None:
    """Ann's key is told to slow down: Bob's calls to the same provider go on."""
    slow = Reply(status=429, retry_after="50", message="slow down")
    async with (
        ModelServer(models={**LINES, "ann": slow, "bob": slow, "cyd": slow}) as hers,
        ModelServer(models=LINES) as his,
        Served(store_url, accounts="on") as door,
        visitors(door, "ann", "bob") as (ann, bob),
    ):
        await ann.send("PUT", "/api/account/keys/lab", key=ANNS, baseUrl=hers.url)
        await bob.send("PUT", "/api/account/keys/lab", key=BOBS, baseUrl=his.url)
        assert (await ann.ask(**ASKING)).types[-1] == "error"
        quotas = door.engine.transport.quotas  # type: ignore[attr-defined]  # the real one has them
        assert {provider for provider, _ in quotas.slow()} == {f"lab@{ann.id}"}
        assert (await bob.ask(**ASKING)).types[-1] == "complete"


async def test_the_environment_wins_and_says_so(store_url: str) -> None:
    async with (
        ModelServer(models={f"x/{name}": line for name, line in LINES.items()}) as models,
        Served(store_url, openrouter_api_key="sk-of-the-environment", openrouter_base_url=models.url) as door,
    ):
        saved = await door.call("PUT", "/api/account/keys/openrouter", json={"key": ANNS})
        assert saved[1]["inUse"] is False
        assert "environment sets it too, and wins" in saved[1]["note"]
        config = {"councilModels": ["x/ann", "x/bob", "x/cyd"], "chairmanModel": "x/ann"}
        assert (await door.ask(mode="vote", modeConfig=config)).types[-1] == "complete"
        assert keys_at(models) == {"sk-of-the-environment"}
        await door.call("DELETE", "/api/account/keys/openrouter")
        assert view(await door.get("/api/account/keys"), "openrouter")["source"] == "environment"


async def test_a_lost_secret_key_is_said_and_nothing_else_breaks(store_url: str) -> None:
    async with ModelServer(models=LINES) as models:
        async with Served(store_url) as door:
            await door.call("PUT", "/api/account/keys/lab", json={"key": ANNS, "baseUrl": models.url})
        async with Served(store_url, secret_key="another one also long enough to count") as door:
            seen = view(await door.get("/api/account/keys"), "lab")
            assert "cannot be read" in seen["problem"]
            assert "MOOT_SECRET_KEY" in seen["problem"]
            story = await door.ask(**ASKING)
            assert story.types[-1] == "error"
            assert "MOOT_SECRET_KEY" in story.text
            assert models.requests == []
            simulated = {"councilModels": ["sim/ada:latency=0", "sim/bo:latency=0", "sim/cleo:latency=0"]}
            simulated["chairmanModel"] = "sim/dov:latency=0"  # type: ignore[assignment]
            assert (await door.ask(mode="vote", modeConfig=simulated)).types[-1] == "complete"
            tested = await door.call("POST", "/api/account/keys/lab/test")
            assert "MOOT_SECRET_KEY" in tested[1]["problem"]
            again = {"key": BOBS, "baseUrl": models.url}
            assert (await door.call("PUT", "/api/account/keys/lab", json=again))[0] == 200
            assert (await door.ask(**ASKING)).types[-1] == "complete"


async def test_keys_are_encrypted_anew_when_the_secret_key_is_rotated(store_url: str) -> None:
    new = "a new one which is put before the old"
    async with ModelServer(models=LINES) as models:
        async with Served(store_url) as door:
            await door.call("PUT", "/api/account/keys/lab", json={"key": ANNS, "baseUrl": models.url})
        async with Served(store_url, secret_key=f"{new},{SECRET_KEY}") as door:
            assert (await door.ask(**ASKING)).types[-1] == "complete"
            assert await rotate_keys(door.engine) == (1, 0)
            assert await rotate_keys(door.engine) == (0, 0)
        async with Served(store_url, secret_key=new) as door:
            assert (await door.ask(**ASKING)).types[-1] == "complete"
        assert keys_at(models) == {ANNS}


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("lab", {"key": "k"}, "An address is needed"),
        ("lab", {"baseUrl": "ftp://lab.example"}, "is not an address"),
        ("lab", {"baseUrl": "http://ann:pw@lab.example/v1"}, "holds no user or password"),
        ("lab", {"baseUrl": "http://lab.example\\@127.0.0.1/v1"}, "is not an address"),
        ("lab", {"baseUrl": "http://lab.example/v1?x=1"}, "has a ? or # part"),
        ("openrouter", {}, "A key is needed"),
        ("openrouter", {"key": "with blanks"}, "printable ASCII"),
        ("openrouter", {"key": "k" * 5000}, "4000"),
        ("sim", {"baseUrl": "https://lab.example/v1"}, "taken by moot itself"),
        ("OpenAI", {"baseUrl": "https://lab.example/v1"}, "taken by moot itself"),
        ("a b", {"baseUrl": "https://lab.example/v1"}, "up to 40 letters"),
        ("lab", {"baseUrl": "https://lab.example/v1", "kind": "grpc"}, "kind"),
    ],
)
async def test_bad_input_is_refused_and_nothing_is_saved(name: str, body: dict[str, Any], words: str) -> None:
    async with Served("sqlite:///:memory:") as door:
        status, answer = await door.call("PUT", f"/api/account/keys/{name}", json=body)
        assert status == 400
        assert words in json.dumps(answer)
        keys = (await door.get("/api/account/keys"))["keys"]
        assert [one["source"] for one in keys] == [None] * 4


async def test_a_key_does_not_follow_to_another_address() -> None:
    async with Served("sqlite:///:memory:") as door:
        lab = {"key": ANNS, "baseUrl": "https://lab.example/v1"}
        assert (await door.call("PUT", "/api/account/keys/lab", json=lab))[0] == 200
        moved = {"baseUrl": "https://attacker.example/v1"}
        status, answer = await door.call("PUT", "/api/account/keys/lab", json=moved)
        assert (status, answer["details"][0]["path"]) == (400, "key")
        kept = {"baseUrl": "https://lab.example/v1"}
        assert (await door.call("PUT", "/api/account/keys/lab", json=kept))[1]["hint"] == ANNS[-4:]
