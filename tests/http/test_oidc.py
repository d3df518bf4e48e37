"""Signing in elsewhere: at a real provider in a process of its own, and at one that lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from yarl import URL

from moot.accounts.oidc import oidc_provider
from moot.accounts.oidc_people import fits
from moot.settings import BadSetting, Settings
from tests.http.door import Door, script
from tests.http.oidc_provider import HostileProvider, real_provider
from tests.http.visitors import Visitor, browser, visitors


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with real_provider() as found:
        yield found


def house(issuer: str, **settings: Any) -> Door:
    return Door(
        script(),
        **{
            "oidc_issuer": issuer,
            "oidc_client_id": "moot",
            "oidc_client_secret": "a-secret",
            "embedder": "off",
            **settings,
        },
    )


async def leave(who: Visitor, **body: Any) -> str:
    """Off to the provider; its address."""
    return str((await who.send("POST", "/api/oidc/start", **body))["url"])


async def consent(url: str, **form: str) -> str:
    """Sign in there, as a person would on its page; the way back."""
    async with (
        aiohttp.ClientSession() as provider,
        provider.post(url, data=form, allow_redirects=False) as response,
    ):
        assert response.status == 302, await response.text()
        return response.headers["location"]


async def come_back(who: Visitor, url: str) -> str:
    """Where the browser ends up."""
    parts = urlsplit(url)
    async with who.session.get(f"{parts.path}?{parts.query}", allow_redirects=False) as response:
        await response.read()
        assert response.status == 303
        return response.headers["location"]


async def sign_in(who: Visitor, sub: str, **body: Any) -> str:
    return await come_back(who, await consent(await leave(who, **body), sub=sub))


async def name_of(who: Visitor) -> str | None:
    person = (await who.send("GET", "/api/session"))["person"]
    return None if person is None else str(person["name"])


async def test_who_signs_in_there_is_let_in_here_with_a_new_session(issuer: str, store_url: str) -> None:
    async with (
        house(issuer, database=store_url, oidc_people=("*",), oidc_name="Example") as door,
        visitors(door, "root"),
        browser(door) as bob,
    ):
        assert (await bob.send("GET", "/api/session"))["oidc"] == "Example"
        bob.session.cookie_jar.update_cookies({"moot_session": "chosen-by-somebody-else"}, URL(door.url))
        url = await leave(bob)
        asked = parse_qs(urlsplit(url).query)
        assert (asked["response_type"], asked["code_challenge_method"]) == (["code"], ["S256"])
        assert asked["redirect_uri"] == [f"{door.url}/api/oidc/callback"]
        assert await sign_in(bob, "bob-2") == "/"
        assert await name_of(bob) == "Bob"
        first = bob.cookie()
        assert first not in (None, "chosen-by-somebody-else")
        assert not bob.cookie("moot_oidc")
        await bob.send("DELETE", "/api/session")
        assert await name_of(bob) is None
        assert await sign_in(bob, "bob-2") == "/"
        assert bob.cookie() != first
        people = (await bob.send("GET", "/api/session"))["person"]
        assert people["administrator"] is False
        told = await bob.ask(mode="vote")
        assert (await bob.call("GET", f"/api/runs/{told.run_id}"))[0] == 200


async def test_a_code_state_or_cookie_works_once_and_in_its_own_browser(issuer: str) -> None:
    async with (
        house(issuer, oidc_people=("*",)) as door,
        visitors(door, "root"),
        browser(door) as bob,
        browser(door) as eve,
    ):
        back = await consent(await leave(bob), sub="bob-2")
        assert await come_back(eve, back) == "/#/sign-in/expired"  # who never set out
        await leave(eve)
        assert await come_back(eve, back) == "/#/sign-in/expired"  # who set out for somebody else
        forged = back.replace("state=", "state=x")
        assert await come_back(bob, forged) == "/#/sign-in/expired"
        back = await consent(await leave(bob), sub="bob-2")
        assert await come_back(bob, back) == "/"
        assert await come_back(bob, back) == "/#/sign-in/expired"
        assert await name_of(eve) is None


async def test_no_other_site_can_send_somebody_off(issuer: str) -> None:
    async with house(issuer) as door, browser(door) as bob:
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            status, _ = await bob.call("POST", "/api/oidc/start", json={}, headers=headers)
            assert status == 403


async def test_who_refuses_there_is_told_so_here(issuer: str) -> None:
    async with house(issuer) as door, visitors(door, "root"), browser(door) as bob:
        back = await consent(await leave(bob), action="deny")
        assert await come_back(bob, back) == "/#/sign-in/refused"
        assert await name_of(bob) is None


async def test_only_those_the_settings_name_get_an_account(issuer: str) -> None:
    async with (
        house(issuer, oidc_people=("email=ann@example.org", "email=bob@example.org")) as door,
        visitors(door, "root"),
        browser(door) as one,
    ):
        assert await sign_in(one, "max-4") == "/#/sign-in/stranger"
        assert await sign_in(one, "bob-2") == "/#/sign-in/stranger"  # whose address nobody has checked
        assert await sign_in(one, "eve-3") == "/#/sign-in/stranger"  # who says that hers is Ann's
        assert await sign_in(one, "ann-1") == "/"


async def test_a_namesake_gets_an_account_of_their_own(issuer: str) -> None:
    async with (
        house(issuer, oidc_people=("*",)) as door,
        visitors(door, "root", "Ann") as (_, ann),
        browser(door) as other,
    ):
        assert await sign_in(other, "ann-1") == "/"
        assert await name_of(other) == "Ann 2"
        assert (await other.send("GET", "/api/session"))["person"]["id"] != ann.id


async def test_an_account_is_connected_by_its_person_and_by_nobody_else(issuer: str, store_url: str) -> None:
    async with (
        house(issuer, database=store_url) as door,
        visitors(door, "root", "ann") as (root, ann),
        browser(door) as elsewhere,
    ):
        assert await sign_in(elsewhere, "ann-1") == "/#/sign-in/stranger"
        assert (await elsewhere.call("POST", "/api/oidc/start", json={"link": True}))[0] == 401
        assert await sign_in(ann, "ann-1", link=True) == "/#/account"
        assert (await ann.send("GET", "/api/account/oidc"))["linked"]
        assert await sign_in(elsewhere, "ann-1") == "/"
        assert await name_of(elsewhere) == "ann"
        assert await sign_in(root, "ann-1", link=True) == "/#/account/taken"
        # Begun by one person, ended in the session of another.
        url = await leave(root, link=True)
        assert (await root.sign_in("ann"))[0] == 200
        assert await come_back(root, await consent(url, sub="max-4")) == "/#/account/expired"
        await ann.send("DELETE", "/api/account/oidc")
        await elsewhere.send("DELETE", "/api/session")
        assert await sign_in(elsewhere, "ann-1") == "/#/sign-in/stranger"


async def test_who_is_disabled_or_deleted_does_not_come_in_this_way(issuer: str) -> None:
    async with (
        house(issuer, oidc_people=("*",)) as door,
        visitors(door, "root") as (root,),
        browser(door) as bob,
    ):
        await sign_in(bob, "bob-2")
        person = (await bob.send("GET", "/api/session"))["person"]["id"]
        await root.send("PATCH", f"/api/admin/people/{person}", disabled=True)
        assert (await bob.call("GET", "/api/runs"))[0] == 401
        assert await sign_in(bob, "bob-2") == "/#/sign-in/disabled"
        await root.send("PATCH", f"/api/admin/people/{person}", disabled=False)
        assert await sign_in(bob, "bob-2") == "/"
        # Without a password: a fresh sign-in is the sign that they mean it.
        assert (await bob.call("DELETE", "/api/account/oidc"))[0] == 409
        await bob.send("POST", "/api/account/deletion", password="")
        assert await name_of(bob) is None
        assert await sign_in(bob, "bob-2") == "/"
        assert (await bob.send("GET", "/api/session"))["person"]["id"] != person


async def test_the_provider_may_say_who_administers_but_somebody_always_does(issuer: str) -> None:
    rules = {"oidc_people": ("*",), "oidc_administrators": ("email=ann@example.org",)}
    async with house(issuer, **rules) as door, browser(door) as bob, browser(door) as ann:
        assert await sign_in(bob, "bob-2") == "/#/sign-in/no_administrator"
        assert await sign_in(ann, "ann-1") == "/"
        assert (await ann.send("GET", "/api/session"))["person"]["administrator"]
        await sign_in(bob, "bob-2")
        person = (await bob.send("GET", "/api/session"))["person"]["id"]
        await ann.send("PATCH", f"/api/admin/people/{person}", administrator=True)
        await sign_in(bob, "bob-2")
        assert not (await bob.send("GET", "/api/session"))["person"]["administrator"]


async def test_a_provider_that_is_away_is_named_in_plain_words() -> None:
    async with house("http://127.0.0.1:9", oidc_name="Example") as door, browser(door) as bob:
        status, answer = await bob.call("POST", "/api/oidc/start", json={})
        assert (status, answer["error"]) == (503, "Example cannot be reached at the moment: try again later")


LIES: dict[str, tuple[dict[str, Any], str]] = {
    "another issuer": ({"iss": "https://evil.example"}, "rs256"),
    "no issuer": ({"iss": None}, "rs256"),
    "another audience": ({"aud": "somebody-else"}, "rs256"),
    "two audiences, for the other": ({"aud": ["moot", "x"], "azp": "x"}, "rs256"),
    "two audiences, for nobody": ({"aud": ["moot", "x"]}, "rs256"),
    "expired": ({"exp": 1_000_000_000}, "rs256"),
    "no end": ({"exp": None}, "rs256"),
    "from the future": ({"iat": 4_000_000_000}, "rs256"),
    "another nonce": ({"nonce": "replayed"}, "rs256"),
    "no nonce": ({"nonce": None}, "rs256"),
    "no subject": ({"sub": ""}, "rs256"),
    "a subject that is a list": ({"sub": ["mallory"]}, "rs256"),
    "unsigned": ({}, "none"),
    "signed with the public key": ({}, "hs256"),
    "signed by another key": ({}, "stranger"),
    "signed by an algorithm it does not offer": ({}, "es256"),
    "no token": ({}, "garbage"),
    "a refused code": ({}, "refuse"),
}


async def test_a_token_counts_only_if_all_of_it_is_right() -> None:
    async with (
        HostileProvider().served() as provider,
        house(provider.issuer, oidc_people=("*",)) as door,
        visitors(door, "root"),
        browser(door) as eve,
    ):

        async def attempt(changes: dict[str, Any], how: str) -> str:
            provider.changes, provider.how = changes, how
            asked = parse_qs(urlsplit(await leave(eve)).query)
            provider.nonce = asked["nonce"][0]
            return await come_back(eve, f"/api/oidc/callback?code=c&state={asked['state'][0]}")

        for lie, (changes, how) in LIES.items():
            assert await attempt(changes, how) == "/#/sign-in/provider", lie
            assert await name_of(eve) is None, lie
        assert await attempt({}, "rs256") == "/"  # so that it was the lie each time
        form, headers = provider.received[-1]
        assert form["grant_type"] == "authorization_code"
        assert len(form["code_verifier"]) >= 43
        assert headers["authorization"].startswith("Basic ")
        assert "client_secret" not in form

        provider.key = type(provider.key).generate_key(2048, {"kid": "two"}, private=True)
        assert await attempt({}, "rs256") == "/"  # a new key is fetched


@pytest.mark.parametrize(
    ("discovery", "userinfo", "place"),
    [
        ({"issuer": "https://evil.example"}, None, None),
        ({"token_endpoint": "file:///etc/passwd"}, None, "/#/sign-in/provider"),
        ({}, {"sub": "somebody-else"}, "/#/sign-in/provider"),
        ({}, {"sub": "mallory", "groups": ["research"]}, "/"),
    ],
)
async def test_what_surrounds_the_token_is_looked_at_too(
    discovery: dict[str, Any], userinfo: dict[str, Any] | None, place: str | None
) -> None:
    provider = HostileProvider()
    provider.discovery, provider.userinfo = discovery, userinfo
    async with (
        provider.served(),
        house(provider.issuer, oidc_people=("groups=research",)) as door,
        visitors(door, "root"),
        browser(door) as eve,
    ):
        if place is None:
            assert (await eve.call("POST", "/api/oidc/start", json={}))[0] == 503
            return
        asked = parse_qs(urlsplit(await leave(eve)).query)
        provider.nonce = asked["nonce"][0]
        state = asked["state"][0]
        assert await come_back(eve, f"/api/oidc/callback?code=c&state={state}") == place


async def test_another_issuers_answer_is_not_taken(issuer: str) -> None:
    async with house(issuer, oidc_people=("*",)) as door, visitors(door, "root"), browser(door) as bob:
        back = await consent(await leave(bob), sub="bob-2")
        assert await come_back(bob, f"{back}&iss=https://evil.example") == "/#/sign-in/provider"


def test_a_rule_is_a_claim_and_its_value() -> None:
    claims = {"groups": ["a", "b"], "hd": "example.org", "email": "x@example.org", "n": 1}
    assert fits(claims, ("groups=b",))
    assert fits(claims, ("hd=example.org",))
    assert not fits(claims, ("groups=c", "email=x@example.org", "n=1", "missing="))
    assert fits({**claims, "email_verified": True}, ("email=x@example.org",))
    assert not fits({**claims, "email_verified": "true"}, ("email=x@example.org",))
    assert not fits({}, ())


def test_what_is_missing_in_the_settings_is_said() -> None:
    with pytest.raises(BadSetting, match="MOOT_OIDC_CLIENT_ID"):
        oidc_provider(Settings(oidc_issuer="https://login.example"))
    assert Settings(oidc_issuer="https://login.example").identification == "accounts"
    with pytest.raises(ValueError, match="is not a rule"):
        Settings(oidc_people=("research",))


async def test_on_a_public_name_the_address_must_be_set(issuer: str) -> None:
    async with house(issuer, host="0.0.0.0") as door, browser(door) as bob:
        status, answer = await bob.call(
            "POST",
            "/api/oidc/start",
            json={},
            headers={"Host": "evil.example", "Origin": "http://evil.example"},
        )
        assert (status, answer["error"].split(":")[0]) == (
            409,
            "Set MOOT_PUBLIC_URL to the address of this server",
        )
