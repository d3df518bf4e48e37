"""All that is a person's: taken away as a file, deleted with them, deleted for its age."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import AsyncExitStack
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import Connection, select, text, update

from moot.accounts import deletion
from moot.batches.driver import BEAT_SECONDS, driving
from moot.kernel import housekeeping
from moot.kernel.clock import now_ms
from moot.store import retention
from moot.store.tables import conversations, deletions, runs, share_links, spending
from moot.testing import SILENCE
from tests.harness.waiting import PATIENCE, until
from tests.http.door import Door, script
from tests.http.visitors import PASSWORD, Visitor, browser, visitors

CANARY = "canary7531"
KEY = "sk-hidden-9f3b7c2d1e4a"
SECRETS = {"secret_key": "k" * 32, "webhook_secret": "w" * 32}
TEMPLATE = {
    "name": f"By {CANARY}",
    "whenToUse": f"When {CANARY} is meant, and only then.",
    "steps": ["Find it.", "Compare.", "Carry over."],
    "checks": ["It fits."],
    "exampleQuestions": ["Is it so?", "Is it that?"],
}
VOTE = {"councilModels": ["ann", "bob", "cyd"]}
DAY_MS = 86_400_000


def house(database: str, **settings: Any) -> Door:
    models = settings.pop("models", {})
    return Door(
        script(**models),
        **{"database": database, "accounts": "on", "embedder": "off", **SECRETS, **settings},
    )


async def furnish(who: Visitor) -> dict[str, str]:
    """Something of everything, with a canary in it."""
    webhook = await who.send("POST", "/api/webhooks", url=f"https://{CANARY}.example/ended")
    told = await who.ask(f"Is {CANARY} better?", mode="vote", modeConfig=VOTE)
    argued = await who.ask(f"Why {CANARY}?", mode="dialectic", modeConfig={"useTemplates": False})
    await who.ask(f"And {CANARY}?", mode="council", modeConfig={**VOTE, "chairmanModel": "ann"})
    await who.send("POST", f"/api/traces/{argued.run_id}/rate", rating=7, note=CANARY)
    preset = await who.send("POST", "/api/presets", name=CANARY, mode="vote", config=VOTE, shared=True)
    await who.send("PUT", f"/api/presets/{preset['id']}/default")
    await who.send("POST", "/api/templates", **TEMPLATE)
    token = await who.send("POST", "/api/account/tokens", name=CANARY)
    share = await who.send("POST", f"/api/runs/{told.run_id}/shares")
    batch = {"name": CANARY, "questions": [f"{CANARY} in a batch?"], "mode": "vote", "modeConfig": VOTE}
    await who.send("POST", "/api/batches", **batch)
    await who.send("PUT", "/api/account/keys/openai", key=KEY)
    await who.send("PUT", f"/api/account/keys/{CANARY}", key=KEY, baseUrl=f"https://{CANARY}.example/v1")
    await who.send("GET", "/api/insight")
    return {
        "run": told.run_id,
        "conversation": told.conversation_id,
        "token": token["token"],
        "share": share["path"].rpartition("/")[2],
        "preset": preset["id"],
        "webhook": webhook["secret"],
    }


TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
}
"""Whatever is there, not what we think is there: with the parts of SQLite's index of words."""


async def leftovers(door: Door, *words: str) -> list[str]:
    """Every place in the whole database where one of these stands."""

    def read(db: Connection) -> list[str]:
        found = []
        for (table,) in db.execute(text(TABLES[db.dialect.name])).all():
            for row in db.execute(text(f'SELECT * FROM "{table}"')):
                for name, value in row._mapping.items():
                    content = value if isinstance(value, bytes) else str(value).encode()
                    found += [f"{table}.{name}: {word}" for word in words if word.encode() in content]
        return found

    return await door.engine.store.read(read)


async def end_of_lingering(door: Door) -> None:
    """As if it were a while later."""
    await door.engine.store.change(lambda db: db.execute(update(deletions).values(requested_at=0)))
    await housekeeping.continue_deletions(door.engine)


async def test_a_deleted_person_leaves_nothing_behind(store_url: str) -> None:
    async with (
        house(store_url) as door,
        visitors(door, "ann", f"{CANARY} bob") as (ann, bob),
        browser(door) as stranger,
    ):
        ids = await furnish(bob)
        await ann.send("PATCH", f"/api/admin/people/{bob.id}/limits", requestsPerDay=1000)
        await ann.send("POST", f"/api/admin/people/{bob.id}/reset")
        theirs = await ann.ask("Mine?", mode="vote", modeConfig=VOTE)
        await ann.send("PUT", f"/api/presets/{ids['preset']}/default")
        places = {place.partition(".")[0] for place in await leftovers(door, CANARY, bob.id)}
        assert len(places) > 15, places  # or the furniture would be too sparse to show anything
        assert places >= {"provider_keys", "api_tokens", "webhooks", "webhook_deliveries", "batches"}

        await ann.send("DELETE", f"/api/admin/people/{bob.id}")
        assert set(await leftovers(door, CANARY, bob.id, ids["share"])) <= {f"deletions.user_id: {bob.id}"}
        await end_of_lingering(door)
        assert await leftovers(door, CANARY, bob.id, ids["conversation"]) == []

        assert (await bob.call("GET", "/api/runs"))[0] == 401
        assert (await bob.sign_in(f"{CANARY} bob"))[0] == 401
        bearer = {"Authorization": f"Bearer {ids['token']}"}
        assert (await stranger.call("GET", "/api/runs", headers=bearer))[0] == 401
        assert (await stranger.call("GET", f"/api/shared/{ids['share']}"))[0] == 404
        assert (await ann.call("GET", f"/api/runs/{theirs.run_id}"))[0] == 200
        assert (await ann.call("DELETE", f"/api/admin/people/{bob.id}"))[0] == 404
        people = (await ann.send("GET", "/api/admin/people"))["people"]
        spent = [(one["name"], one["spend"]["runs"]) for one in people]
        assert spent == [("ann", 1), ("people who were deleted", 3)]  # as nobody's


async def test_who_deletes_themselves_needs_their_password_and_is_out(store_url: str) -> None:
    async with house(store_url) as door, visitors(door, "ann", "bob") as (ann, bob):
        await furnish(bob)
        status, answer = await bob.call("POST", "/api/account/deletion", json={"password": "a wrong one"})
        assert (status, answer["error"]) == (403, "That is not your password")
        assert (await bob.call("GET", "/api/runs"))[0] == 200
        await bob.send("POST", "/api/account/deletion", password=PASSWORD)
        assert not bob.cookie()
        await end_of_lingering(door)
        assert await leftovers(door, CANARY, bob.id) == []
        # The last one to administer stays.
        status, answer = await ann.call("POST", "/api/account/deletion", json={"password": PASSWORD})
        assert (status, answer["error"]) == (409, deletion.LAST_ADMINISTRATOR)
        assert (await ann.call("GET", "/api/runs"))[0] == 200


async def test_nobody_guesses_at_length_at_the_password_for_a_deletion() -> None:
    async with house("sqlite://") as door, visitors(door, "ann", "bob") as (_, bob):
        answers = [
            (await bob.call("POST", "/api/account/deletion", json={"password": f"wrong one {n}"}))[0]
            for n in range(7)
        ]
    assert answers == [403] * 5 + [429] * 2


async def test_what_runs_is_stopped_before_it_is_deleted(store_url: str) -> None:
    async with (
        house(store_url, models={"ann": SILENCE}) as door,
        visitors(door, "ann", "bob") as (ann, bob),
    ):
        body = {"question": f"Is it {CANARY}?", "mode": "vote", "modeConfig": VOTE}
        async with bob.session.post("/api/council/stream", json=body) as response:
            await response.content.readline()
            await until(lambda: len(door.engine.running) == 1)
            await ann.send("DELETE", f"/api/admin/people/{bob.id}")
            await response.read()  # the stream comes to its end
        assert door.engine.running == {}
        await end_of_lingering(door)
        assert await leftovers(door, CANARY, bob.id) == []


async def test_a_batch_that_is_being_asked_stops_with_its_person(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        house(store_url, models={"ann": SILENCE}) as door,
        visitors(door, "ann", "bob") as (ann, bob),
        driving(door.engine),
    ):
        questions = [f"{CANARY} {number}?" for number in range(12)]
        await bob.send("POST", "/api/batches", questions=questions, mode="vote", modeConfig=VOTE, atOnce=3)
        await until(lambda: len(door.engine.running) == 3)
        await ann.send("DELETE", f"/api/admin/people/{bob.id}")
        await asyncio.sleep(2 * BEAT_SECONDS)  # a turn in which the next would begin
        assert door.engine.running == {}
        await end_of_lingering(door)
        assert await leftovers(door, CANARY, bob.id) == []
        people = (await ann.send("GET", "/api/admin/people"))["people"]
        assert [one["spend"]["runs"] for one in people if not one["account"]] == [3]
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_deletion_that_was_cut_off_is_finished_by_whoever_comes_next(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    async with house(store_url) as door, visitors(door, "ann", "bob") as (_, bob):
        await furnish(bob)
        monkeypatch.setattr(deletion, "delete_all_of", die)
        with pytest.raises(asyncio.CancelledError):
            await deletion.delete_person(door.engine, bob.id)
        assert (await bob.call("GET", "/api/runs"))[0] == 401  # out from the first moment
        assert await leftovers(door, CANARY) != []
        await door.engine.store.change(lambda db: db.execute(update(deletions).values(requested_at=0)))
    async with house(store_url) as door:
        async with asyncio.timeout(PATIENCE):  # it begins by itself
            while await leftovers(door, CANARY, bob.id):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def test_a_question_that_was_under_way_when_its_person_went_is_found_too(store_url: str) -> None:
    async with house(store_url) as door, visitors(door, "ann", "bob") as (ann, bob):
        await bob.ask(CANARY, mode="vote", modeConfig=VOTE)
        await ann.send("DELETE", f"/api/admin/people/{bob.id}")
        late = await ann.ask(CANARY, mode="vote", modeConfig=VOTE)

        def make_it_theirs(db: Connection) -> None:
            """As if it had passed the gate before, and was stored after."""
            db.execute(
                update(conversations).values(user_id=bob.id).where(conversations.c.id == late.conversation_id)
            )
            db.execute(update(runs).values(user_id=bob.id).where(runs.c.id == late.run_id))

        await door.engine.store.change(make_it_theirs)
        await end_of_lingering(door)
        assert await leftovers(door, CANARY) == []


async def test_a_person_without_an_account_can_be_deleted_too(store_url: str) -> None:
    async with Door(
        script(), database=store_url, user_header="X-User", administrators=("ann",), embedder="off"
    ) as door:
        bob, ann = {"X-User": CANARY}, {"X-User": "ann"}
        await door.ask(CANARY, mode="vote", modeConfig=VOTE, headers=bob)
        assert (await door.call("DELETE", f"/api/admin/people/{CANARY}", headers=ann))[0] == 204
        assert await leftovers(door, CANARY) == []
        assert (await door.call("DELETE", f"/api/admin/people/{CANARY}", headers=ann))[0] == 404


async def archive_of(who: Visitor) -> ZipFile:
    async with who.session.get("/api/account/export") as response:
        assert response.status == 200
        assert response.headers["Content-Disposition"] == 'attachment; filename="moot-my-data.zip"'
        return ZipFile(io.BytesIO(await response.read()))


async def test_an_archive_holds_all_that_is_a_persons_and_nothing_that_opens_a_door(store_url: str) -> None:
    async with house(store_url) as door, visitors(door, "ann", "bob") as (ann, bob):
        ids = await furnish(bob)
        await ann.ask("Is marmalade better?", mode="vote", modeConfig=VOTE)
        archive = await archive_of(bob)
        secrets = [ids["token"], ids["share"], ids["webhook"], bob.cookie() or "?", PASSWORD, "argon2", KEY]
    files = {name: archive.read(name) for name in archive.namelist()}
    everything = b"".join(files.values())
    assert b"marmalade" not in everything
    assert not [one for one in secrets if one.encode() in everything]
    person = json.loads(files["person.json"])
    assert (person["format"], person["id"], person["name"]) == ("moot.person.1", bob.id, "bob")
    assert len([name for name in files if name.endswith(".md")]) >= 3
    assert f"Is {CANARY} better?" in files[f"conversations/{ids['conversation']}.md"].decode()
    document = json.loads(files[f"conversations/{ids['conversation']}.json"])
    assert document["format"] == "moot.conversation.1"
    for table, count in person["rows"].items():
        assert len([json.loads(line) for line in files[f"tables/{table}.jsonl"].splitlines()]) == count, table
    filled = {table for table, count in person["rows"].items() if count}
    assert filled >= {
        *("people", "sessions", "api_tokens", "share_links", "conversations", "messages", "runs", "calls"),
        *("events", "reasoning_traces", "presets", "preset_defaults", "reasoning_templates", "spending"),
        *("batches", "batch_questions", "provider_keys", "webhooks", "webhook_deliveries"),
    }


async def test_an_archive_is_whole_however_many_rows_there_are(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.archive.PAGE", 2)
    async with house(store_url) as door, visitors(door, "ann") as (ann,):
        for _ in range(3):
            await ann.ask(mode="vote", modeConfig=VOTE)
        archive = await archive_of(ann)
        stored = await door.engine.store.read(
            lambda db: db.execute(text("SELECT run_id, number FROM events")).all()
        )
    rows = [json.loads(line) for line in archive.read("tables/events.jsonl").splitlines()]
    assert sorted((row["run_id"], row["number"]) for row in rows) == sorted(tuple(row) for row in stored)
    assert len([name for name in archive.namelist() if name.endswith(".md")]) == 3


async def make_older(door: Door, days: int, *conversation_ids: str) -> None:
    then = now_ms() - days * DAY_MS

    def change(db: Connection) -> None:
        for id in conversation_ids:
            db.execute(update(conversations).where(conversations.c.id == id).values(updated_at=then))
            db.execute(update(runs).where(runs.c.conversation_id == id).values(started_at=then))

    await door.engine.store.change(change)


async def test_conversations_that_nobody_adds_to_are_deleted_for_their_age(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    async with house(store_url, retention_days=30) as door, visitors(door, "ann") as (ann,):
        old = [await ann.ask(f"{CANARY} {n}?", mode="vote", modeConfig=VOTE) for n in range(5)]
        nobody = {"councilModels": ["nobody", "no-one", "none"]}
        failed = await ann.ask(CANARY, mode="vote", modeConfig=nobody)  # of which only the run is left
        young = await ann.ask("Still wanted?", mode="vote", modeConfig=VOTE)
        share = await ann.send("POST", f"/api/runs/{old[0].run_id}/shares")
        await make_older(door, 31, *(one.conversation_id for one in (*old, failed)))
        await make_older(door, 29, young.conversation_id)
        assert await housekeeping.delete_outdated(door.engine) == 6
        listed = (await ann.send("GET", "/api/conversations"))["conversations"]
        assert [one["id"] for one in listed] == [young.conversation_id]
        assert (await ann.call("GET", f"/api/shared/{share['path'].rpartition('/')[2]}"))[0] == 404
        assert await door.engine.store.read(lambda db: db.execute(select(share_links)).all()) == []
        places = await leftovers(door, old[0].run_id, CANARY)
        assert {place.partition(".")[0] for place in places} <= {"spending"}, places
        spent = await door.engine.store.read(lambda db: db.execute(select(spending.c.run_id)).all())
        assert len(spent) == 7  # what was spent stays known
        assert await housekeeping.delete_outdated(door.engine) == 0
        assert (await ann.send("GET", "/api/session"))["retentionDays"] == 30


async def test_what_is_old_but_goes_on_is_not_deleted(store_url: str) -> None:
    async with (
        house(store_url, models={"ann": SILENCE}, retention_days=1) as door,
        visitors(door, "ann") as (ann,),
    ):
        body = {"question": CANARY, "mode": "vote", "modeConfig": VOTE}
        async with ann.session.post("/api/council/stream", json=body) as response:
            await response.content.readline()
            await until(lambda: len(door.engine.running) == 1)
            [run] = door.engine.running.values()
            await make_older(door, 400, run.record.conversation_id)
            assert await housekeeping.delete_outdated(door.engine) == 0
            await ann.send("POST", f"/api/runs/{run.id}/cancel")
            await response.read()
        await make_older(door, 400, run.record.conversation_id)
        assert await housekeeping.delete_outdated(door.engine) == 1


async def test_nothing_is_deleted_for_its_age_unless_somebody_says_so(store_url: str) -> None:
    async with house(store_url) as door, visitors(door, "ann") as (ann,):
        told = await ann.ask(mode="vote", modeConfig=VOTE)
        await make_older(door, 5000, told.conversation_id)
        assert await housekeeping.delete_outdated(door.engine) == 0
        assert (await ann.call("GET", f"/api/runs/{told.run_id}"))[0] == 200


async def test_in_a_fleet_one_process_at_a_time_deletes_what_is_old(postgres_url: str) -> None:
    async with AsyncExitStack() as stack:
        first, second = [
            await stack.enter_async_context(house(postgres_url, retention_days=1)) for _ in range(2)
        ]
        [ann] = await stack.enter_async_context(visitors(first, "ann"))
        told = await ann.ask(mode="vote", modeConfig=VOTE)
        await make_older(first, 2, told.conversation_id)
        found, before = [(ann.id, told.conversation_id)], now_ms() - DAY_MS
        async with first.engine.store._engine.begin() as at_it:  # type: ignore[attr-defined]
            await at_it.execute(retention.ONE_AT_A_TIME)
            gone = await second.engine.store.change(
                lambda db: retention.delete_outdated(db, found, before, now_ms())
            )
            assert gone == 0
        assert await housekeeping.delete_outdated(second.engine) == 1
