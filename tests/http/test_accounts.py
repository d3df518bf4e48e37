"""Coming in: the first administrator, invitations, sign-in and sign-out, passwords, tokens, proxies."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientPayloadError
from yarl import URL

from moot.accounts import throttle
from moot.accounts.links import first_link, invite
from moot.batches.driver import BEAT_SECONDS, driving
from moot.kernel.user import LOCAL_USER
from moot.testing import SILENCE, Scripted
from tests.harness.waiting import PATIENCE, until
from tests.http.door import Door, script
from tests.http.visitors import PASSWORD, Visitor, browser, visitors

WRONG = {
    "error": "The name or the password is wrong",
    "details": [{"path": "", "message": "The name or the password is wrong"}],
}


def house(**settings: Any) -> Door:
    transport: Scripted = settings.pop("transport", None) or script()
    return Door(transport, **{"accounts": "on", "embedder": "off", **settings})


async def test_on_this_machine_there_is_one_person_and_no_login() -> None:
    async with Door(script()) as door:
        session = await door.get("/api/session", headers={"Authorization": "Bearer sk-anything"})
        assert session == {
            "person": {"id": LOCAL_USER, "name": LOCAL_USER, "administrator": True},
            "via": "local",
            "accounts": False,
            "registration": "invitation",
            "retentionDays": None,
            "oidc": None,
        }
        status, _ = await door.call("POST", "/api/session", json={"name": "ann", "password": PASSWORD})
        assert status == 409


async def test_the_first_link_makes_the_first_administrator_and_works_once(store_url: str) -> None:
    async with house(database=store_url) as door, browser(door) as ann, browser(door) as eve:
        links = [await first_link(door.engine) for _ in range(2)]
        tokens = [link.token for link in links if link is not None]
        assert (await ann.call("GET", f"/api/links/{tokens[0]}"))[1]["kind"] == "setup"
        answers = await asyncio.gather(ann.use(tokens[0], "Ann"), eve.use(tokens[1], "Eve"))
        assert sorted(status for status, _ in answers) == [201, 404]
        assert await first_link(door.engine) is None
        for token in tokens:
            assert (await eve.call("GET", f"/api/links/{token}"))[0] == 404
        [session] = [answer for status, answer in answers if status == 201]
        assert session["person"]["administrator"]


@pytest.mark.parametrize("keep", [True, False])
async def test_the_first_administrator_may_keep_what_was_asked_before(tmp_path: Path, keep: bool) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    async with Door(script(), database=database) as door:
        told = await door.ask(mode="vote")
    async with house(database=database) as door, browser(door) as ann:
        link = await first_link(door.engine)
        assert link is not None
        assert (await ann.call("GET", f"/api/links/{link.token}"))[1]["localRuns"] == 1
        assert (await ann.use(link.token, "Ann", keepLocal=keep))[0] == 201
        status, _ = await ann.call("GET", f"/api/runs/{told.run_id}")
        assert status == (200 if keep else 404)
        assert (ann.id == LOCAL_USER) == keep


async def test_an_invitation_makes_one_account(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann") as (ann,), browser(door) as bob:
        made = await ann.send("POST", "/api/admin/invitations", note="for Bob", days=3)
        token = made["path"].removeprefix("/#/link/")
        assert [one["note"] for one in (await ann.send("GET", "/api/admin/invitations"))["invitations"]] == [
            "for Bob"
        ]
        assert (await bob.use(token, "ANN"))[0] == 409  # and the link is not used up by that
        assert (await bob.use(token, "  "))[0] == 400
        status, short = await bob.call(
            "POST", f"/api/links/{token}", json={"name": "bob", "password": "short"}
        )
        assert (status, short["error"]) == (400, "Choose a password of at least 10 characters")
        assert (await bob.use(token, "Bob"))[0] == 201
        assert (await bob.use(token, "Bob again"))[0] == 404
        assert (await bob.call("GET", "/api/session"))[1]["person"]["name"] == "Bob"
        assert (await ann.send("GET", "/api/admin/invitations"))["invitations"] == []


async def test_a_withdrawn_invitation_lets_nobody_in() -> None:
    async with house() as door, visitors(door, "ann") as (ann,), browser(door) as eve:
        made = await ann.send("POST", "/api/admin/invitations")
        await ann.send("DELETE", f"/api/admin/invitations/{made['id']}")
        assert (await eve.use(made["path"].removeprefix("/#/link/"), "eve"))[0] == 404


async def test_a_shared_preset_says_by_whom_it_is(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann", "bob") as (ann, bob):
        await ann.send("POST", "/api/presets", name="Ours", mode="vote", shared=True)
        [preset] = (await bob.send("GET", "/api/presets"))["presets"]
        assert (preset["owner"], preset["own"]) == ("ann", False)


async def test_who_may_register_is_a_setting() -> None:
    body = {"name": "bob", "password": PASSWORD}
    async with house() as door, visitors(door, "ann"), browser(door) as bob:
        assert (await bob.call("POST", "/api/registration", json=body))[0] == 403
    async with house(registration="open") as door, browser(door) as bob:
        assert (await bob.call("POST", "/api/registration", json=body))[0] == 400  # nobody administers it yet
        async with visitors(door, "ann"):
            assert (await bob.call("POST", "/api/registration", json=body))[0] == 201
            session = (await bob.call("GET", "/api/session"))[1]
            assert (session["person"]["name"], session["person"]["administrator"]) == ("bob", False)


async def test_signing_in_begins_a_new_session_and_signing_out_ends_it(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann") as (ann,):
        first = ann.cookie()
        assert (await ann.sign_in("  ANN "))[0] == 200
        second = ann.cookie()
        assert first
        assert first != second
        async with browser(door, Cookie=f"moot_session={first}") as old:
            assert (await old.call("GET", "/api/runs"))[0] == 401
        async with browser(door, Cookie=f"moot_session={second}") as copy:
            assert (await copy.call("GET", "/api/runs"))[0] == 200
            await ann.send("DELETE", "/api/session")
            assert ann.cookie() is None
            assert (await copy.call("GET", "/api/runs"))[0] == 401


async def test_a_session_that_somebody_else_chose_is_never_taken_up() -> None:
    async with house() as door, visitors(door, "ann"), browser(door) as victim:
        planted = "planted-by-somebody-else-0123456789abcdefghij"
        victim.session.cookie_jar.update_cookies({"moot_session": planted}, URL(door.url))
        assert (await victim.sign_in("ann"))[0] == 200
        assert victim.cookie() != planted
        async with browser(door, Cookie=f"moot_session={planted}") as thief:
            assert (await thief.call("GET", "/api/runs"))[0] == 401


async def test_the_cookie_is_for_this_host_and_no_script() -> None:
    async with house() as door, visitors(door, "ann") as (ann,):
        for headers, secure in (({}, False), ({"X-Forwarded-Proto": "https"}, True)):
            body = {"name": "ann", "password": PASSWORD}
            async with ann.session.post("/api/session", json=body, headers=headers) as response:
                cookies = response.headers.getall("Set-Cookie")
            assert len(cookies) == 2
            for cookie in cookies:
                assert {"httponly", "samesite=lax", "path=/"} <= set(cookie.lower().split("; "))
                assert "domain" not in cookie.lower()
                assert ("secure" in cookie.lower().split("; ")) == secure
                assert cookie.startswith("__Host-moot_") == secure


async def test_nobody_learns_whether_a_name_exists() -> None:
    async with house() as door, visitors(door, "ann", "bob") as (ann, bob), browser(door) as eve:
        await ann.send("PATCH", f"/api/admin/people/{bob.id}", disabled=True)
        assert await eve.sign_in("ann", "not the password") == (401, WRONG)
        assert await eve.sign_in("nobody", "not the password") == (401, WRONG)
        assert await eve.sign_in("bob", PASSWORD) == (401, WRONG)
        assert await eve.sign_in("ann", "x" * 999) == (401, WRONG)


async def test_an_unknown_name_takes_as_long_as_a_wrong_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: for either, one password is compared with one hash."""
    from moot.accounts import passwords

    compared: list[bool] = []
    verify = passwords._verify

    def counted(password: str, stored: str | None) -> bool:
        compared.append(stored is None)
        return verify(password, stored)

    monkeypatch.setattr(passwords, "_verify", counted)
    async with house() as door, visitors(door, "ann"), browser(door) as eve:
        await eve.sign_in("ann", "not the password")
        await eve.sign_in("nobody", "not the password")
    assert compared == [False, True]


async def test_a_list_of_passwords_is_throttled_and_the_real_person_still_gets_in(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann") as (ann,), browser(door) as thief:
        await ann.send("DELETE", "/api/session")
        guesses = [f"password number {number}" for number in range(60)]
        answers = [
            status
            for start in range(0, 60, 20)
            for status, _ in await asyncio.gather(
                *(thief.sign_in("ann", one) for one in guesses[start : start + 20])
            )
        ]
        assert answers.count(401) == throttle.PER_NAME_AND_ADDRESS
        assert answers.count(429) == 60 - throttle.PER_NAME_AND_ADDRESS
        # Even the right one, by now; and the same for a name that there is not.
        async with thief.session.post("/api/session", json={"name": "ann", "password": PASSWORD}) as response:
            assert response.status == 429
            assert 0 < int(response.headers["Retry-After"]) <= 900
            assert (await response.json())["error"] == "Too many attempts. Try again in 15 minutes."
        # Ann has been here before with this browser, and comes from the same address.
        assert (await ann.sign_in("ann"))[0] == 200


async def test_nobody_tries_one_password_on_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "PER_ADDRESS", 7)  # each attempt costs a password's hash
    async with house() as door, visitors(door, "ann"), browser(door) as thief:
        answers = [(await thief.sign_in(f"name {number}", "password1234"))[0] for number in range(12)]
        assert answers == [401] * 7 + [429] * 5


async def test_the_real_person_gets_in_from_another_address_while_one_is_throttled() -> None:
    """As a trusted proxy tells them apart; what the thief says of himself does not count."""
    async with house() as door, visitors(door, "ann"), browser(door) as thief, browser(door) as ann:
        for number in range(8):
            forged = {"X-Forwarded-For": f"198.51.100.{number}, 203.0.113.9"}
            status, _ = await thief.sign_in("ann", "not the password", headers=forged)
            assert status == (401 if number < throttle.PER_NAME_AND_ADDRESS else 429)
        assert (await ann.sign_in("ann", headers={"X-Forwarded-For": "203.0.113.10"}))[0] == 200


async def test_a_browser_that_somebody_knows_is_throttled_too() -> None:
    async with house() as door, visitors(door, "ann") as (ann,):
        answers = [(await ann.sign_in("ann", "not the password"))[0] for _ in range(15)]
        assert answers == [401] * throttle.PER_DEVICE + [429] * 5


async def test_a_new_password_ends_every_other_session(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann") as (ann,), browser(door) as phone:
        assert (await phone.sign_in("ann"))[0] == 200
        change = {"password": "not this one", "newPassword": "another password"}
        status, refused = await ann.call("POST", "/api/account/password", json=change)
        assert (status, refused["details"][0]["path"]) == (403, "password")
        await ann.send("POST", "/api/account/password", password=PASSWORD, newPassword="another password")
        assert (await ann.call("GET", "/api/runs"))[0] == 200
        assert (await phone.call("GET", "/api/runs"))[0] == 401
        assert (await phone.sign_in("ann"))[0] == 401
        assert (await phone.sign_in("ann", "another password"))[0] == 200


async def test_an_administrator_gives_a_link_for_a_forgotten_password() -> None:
    async with house() as door, visitors(door, "ann", "bob") as (ann, bob), browser(door) as laptop:
        old = (await ann.send("POST", f"/api/admin/people/{bob.id}/reset"))["path"].removeprefix("/#/link/")
        made = await ann.send("POST", f"/api/admin/people/{bob.id}/reset")
        token = made["path"].removeprefix("/#/link/")
        assert (await laptop.call("GET", f"/api/links/{old}"))[0] == 404  # the newer one replaces it
        seen = (await laptop.call("GET", f"/api/links/{token}"))[1]
        assert (seen["kind"], seen["name"]) == ("reset", "bob")
        assert (await bob.call("GET", "/api/runs"))[0] == 200
        assert (await laptop.use(token, None, password="yet another one"))[0] == 201
        assert laptop.id == bob.id
        assert (await bob.call("GET", "/api/runs"))[0] == 401
        assert (await laptop.use(token, None))[0] == 404


async def test_who_is_disabled_is_out_at_once_and_their_things_stay() -> None:
    async with house() as door, visitors(door, "ann", "bob") as (ann, bob):
        told = await bob.ask(mode="vote")
        token = (await bob.send("POST", "/api/account/tokens", name="program"))["token"]
        await ann.send("PATCH", f"/api/admin/people/{bob.id}", disabled=True)
        async with browser(door, Authorization=f"Bearer {token}") as program:
            assert (await program.call("GET", "/api/runs"))[0] == 401
            assert (await bob.call("GET", "/api/runs"))[0] == 401
            await ann.send("PATCH", f"/api/admin/people/{bob.id}", disabled=False)
            assert (await program.call("GET", f"/api/runs/{told.run_id}"))[0] == 200


async def test_who_is_disabled_hears_no_more_and_their_batch_rests(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.http.gate.LOOK_AGAIN_SECONDS", 0.1)
    monkeypatch.setattr("moot.http.stream.PING_SECONDS", 0.05)
    async with (
        Door(script(ann=SILENCE), database=store_url, accounts="on") as door,
        visitors(door, "ann", "bob") as (ann, bob),
        driving(door.engine),
    ):
        body = {"mode": "vote", "modeConfig": {"councilModels": ["ann", "bob", "cyd"]}}
        async with bob.session.post("/api/council/stream", json={**body, "question": "Tabs?"}) as begun:
            await until(lambda: len(door.engine.running) == 1)
            await bob.send("POST", "/api/batches", **body, questions=["One?", "Two?", "Three?"], atOnce=1)
            await until(lambda: len(door.engine.running) == 2)
            await ann.send("PATCH", f"/api/admin/people/{bob.id}", disabled=True)
            with pytest.raises(ClientPayloadError):
                await asyncio.wait_for(begun.read(), PATIENCE)
        assert len(door.engine.running) == 2  # which go on
        for one in (await ann.send("GET", "/api/admin/runs"))["runs"]:
            await ann.send("POST", f"/api/admin/runs/{one['id']}/stop")
        await asyncio.sleep(2 * BEAT_SECONDS)  # a turn in which the batch's next question would begin
        assert door.engine.running == {}
        await ann.send("PATCH", f"/api/admin/people/{bob.id}", disabled=False)
        await until(lambda: len(door.engine.running) == 1)


async def test_somebody_always_administers(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann", "bob") as (ann, bob):
        for change in ({"administrator": False}, {"disabled": True}):
            status, refused = await ann.call("PATCH", f"/api/admin/people/{ann.id}", json=change)
            assert (status, refused["error"][:33]) == (409, "At least one administrator must r")
        await ann.send("PATCH", f"/api/admin/people/{bob.id}", administrator=True)
        both = await asyncio.gather(
            ann.call("PATCH", f"/api/admin/people/{bob.id}", json={"administrator": False}),
            bob.call("PATCH", f"/api/admin/people/{ann.id}", json={"administrator": False}),
        )
        assert sorted(status for status, _ in both) in ([204, 403], [204, 409])


async def test_a_token_is_shown_once_and_can_be_revoked(store_url: str) -> None:
    async with house(database=store_url) as door, visitors(door, "ann", "bob") as (ann, bob):
        made = await ann.send("POST", "/api/account/tokens", name="CI", scopes=["read"], days=30)
        assert re.fullmatch(r"moot_[\w-]{43}", made["token"])
        [listed] = (await ann.send("GET", "/api/account/tokens"))["tokens"]
        assert made["token"] not in str(listed)
        assert (listed["name"], listed["scopes"], listed["usedAt"]) == ("CI", ["read"], None)
        async with browser(door, Authorization=f"Bearer {made['token']}") as program:
            assert (await program.call("GET", "/api/runs"))[0] == 200
            assert (await ann.send("GET", "/api/account/tokens"))["tokens"][0]["usedAt"] is not None
            await ann.send("DELETE", f"/api/account/tokens/{made['id']}")
            assert (await program.call("GET", "/api/runs"))[0] == 401
        assert (await bob.call("POST", "/api/account/tokens", json={"name": "x", "scopes": ["admin"]}))[
            0
        ] == 403


async def test_an_administrators_token_administers_no_longer_than_its_person() -> None:
    async with house() as door, visitors(door, "ann", "bob") as (ann, bob):
        await ann.send("PATCH", f"/api/admin/people/{bob.id}", administrator=True)
        token = (await bob.send("POST", "/api/account/tokens", name="x", scopes=["read", "admin"]))["token"]
        async with browser(door, Authorization=f"Bearer {token}") as program:
            assert (await program.call("GET", "/api/admin/people"))[0] == 200
            await ann.send("PATCH", f"/api/admin/people/{bob.id}", administrator=False)
            assert (await program.call("GET", "/api/admin/people"))[0] == 403
            assert (await program.call("GET", "/api/runs"))[0] == 200


async def test_what_has_expired_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with house() as door, visitors(door, "ann") as (ann,), browser(door) as eve:
        told = await ann.ask(mode="vote")
        token = (await ann.send("POST", "/api/account/tokens", name="x", days=1))["token"]
        share = await ann.send("POST", f"/api/runs/{told.run_id}/shares", days=1)
        link = await invite(door.engine, days=1)
        path = f"/api/shared/{share['path'].rpartition('/')[2]}"
        async with browser(door, Authorization=f"Bearer {token}") as program:
            assert (await program.call("GET", "/api/runs"))[0] == (await eve.call("GET", path))[0] == 200
            await _years_pass(door)
            assert (await program.call("GET", "/api/runs"))[0] == 401
        assert (await ann.call("GET", "/api/runs"))[0] == 401
        assert (await eve.call("GET", path))[0] == 404
        assert (await eve.use(link.token, "eve"))[0] == 404


async def _years_pass(door: Door) -> None:
    def age(db: Any) -> None:
        for table in ("sessions", "api_tokens", "share_links", "one_time_links"):
            db.exec_driver_sql(f"UPDATE {table} SET expires_at = 1")

    await door.engine.store.change(age)


async def test_the_proxy_says_who_is_asking_and_nobody_else() -> None:
    header = {"X-User": "ann"}
    async with Door(script(), user_header="X-User", administrators="ann") as door, browser(door) as visitor:
        assert (await visitor.call("GET", "/api/runs"))[0] == 401
        assert (await visitor.call("GET", "/api/admin/people", headers=header))[0] == 200
        assert (await visitor.call("GET", "/api/admin/people", headers={"X-User": "bob"}))[0] == 403
    async with (
        Door(script(), user_header="X-User", trusted_proxies="203.0.113.0/24") as door,
        browser(door) as visitor,
    ):
        status, refused = await visitor.call("GET", "/api/runs", headers=header)
        assert (status, refused["error"]) == (
            401,
            "The header X-User must say who is asking: come through the proxy that sets it",
        )


@pytest.mark.parametrize("name", ["local", "deleted"])
async def test_no_proxy_makes_somebody_the_person_at_this_machine(name: str) -> None:
    async with Door(script(), user_header="X-User", administrators=(name,)) as door:
        assert (await door.call("GET", "/api/runs", headers={"X-User": name}))[0] == 403


async def test_a_page_of_another_site_cannot_use_somebodys_cookie() -> None:
    async with house() as door, visitors(door, "ann") as (ann,):
        cookie = f"moot_session={ann.cookie()}"
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site", "Origin": door.url},
            {},  # it does not say which page it is
        ):
            for path in ("/api/council/stream", "/api/account/tokens", "/api/admin/invitations"):
                status, _ = await door.call("POST", path, json={}, headers={**headers, "Cookie": cookie})
                assert status == 403, (headers, path)
        status, _ = await door.call(
            "POST", "/api/account/tokens", json={"name": "x"}, headers={"Origin": door.url, "Cookie": cookie}
        )
        assert status == 201


async def test_behind_tls_the_page_may_send_from_its_public_address() -> None:
    async with house(public_url="https://moot.example") as door, browser(door) as visitor:
        body = {"name": "ann", "password": PASSWORD}
        for origin, status in (("https://moot.example", 401), ("https://evil.example", 403)):
            sent = await visitor.call("POST", "/api/session", json=body, headers={"Origin": origin})
            assert sent[0] == status
        async with visitor.session.get("/healthz") as response:
            assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
        assert (await visitor.call("GET", "/healthz", headers={"Host": "evil.example"}))[0] == 403


async def test_who_is_asking_is_found_out_before_the_body_is_read() -> None:
    async with house() as door:
        host, port = door.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            b"POST /api/council/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
        )
        async with asyncio.timeout(PATIENCE):
            assert (await reader.readline()).split()[1] == b"401"  # of a body that never comes
        writer.close()


async def test_no_password_token_or_session_reaches_the_log_or_the_database(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "moot.db"
    password = "canary-password-7531"
    with caplog.at_level(logging.DEBUG):
        async with (
            house(database=f"sqlite:///{database}") as door,
            visitors(door, "ann", "bob") as (ann, bob),
        ):
            await ann.send("POST", "/api/account/password", password=PASSWORD, newPassword=password)
            assert (await ann.sign_in("ann", password))[0] == 200
            await ann.call(
                "POST", "/api/account/password", json={"password": password, "newPassword": password[:5]}
            )
            token = (await ann.send("POST", "/api/account/tokens", name="x"))["token"]
            reset = (await ann.send("POST", f"/api/admin/people/{bob.id}/reset"))["path"].rpartition("/")[2]
            session, device = ann.cookie(), ann.cookie("moot_device")
            async with browser(door, Authorization=f"Bearer {token}") as program:
                await program.call("GET", "/api/runs")
    kept = await asyncio.to_thread(_bytes_in, tmp_path)
    said = "\n".join(record.getMessage() for record in caplog.records)
    for secret in (password, PASSWORD, token, reset, session, device):
        assert secret
        assert secret.encode() not in kept
        assert secret not in said


def _bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_an_administrator_sees_spend_and_running_runs_but_not_what_they_ask() -> None:
    async with house(transport=script(ann=SILENCE)) as door, visitors(door, "ann", "bob") as (ann, bob):
        ids = await _begin(bob)
        [running] = (await ann.send("GET", "/api/admin/runs"))["runs"]
        assert (running["id"], running["name"], running["mode"]) == (ids["runId"], "bob", "vote")
        assert "Tabs" not in str(running)
        people = (await ann.send("GET", "/api/admin/people"))["people"]
        assert [(one["name"], one["spend"]["runs"]) for one in people] == [("ann", 0), ("bob", 1)]
        await ann.send("POST", f"/api/admin/runs/{ids['runId']}/stop")
        assert (await ann.send("GET", "/api/admin/runs"))["runs"] == []
        assert (await bob.send("GET", f"/api/runs/{ids['runId']}"))["status"] == "cancelled"


async def _begin(who: Visitor) -> dict[str, Any]:
    """Ask, and leave after the first event."""
    body = {"question": "Tabs?", "mode": "vote", "modeConfig": {"councilModels": ["ann", "bob", "cyd"]}}
    async with who.session.post("/api/council/stream", json=body) as response:
        while True:
            line = (await response.content.readline()).decode()
            if line.startswith("data: "):
                return dict(json.loads(line.removeprefix("data: ")))
