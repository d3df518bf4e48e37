"""Two people and a stranger at every route, stream, export and link: nobody sees what is another's.

The routes are those that the application has. Each needs a line in `ROUTES`, which says what the three get:

    OPEN      everyone gets the same, and needs no login
    SIGNED_IN whoever is signed in gets an answer that is theirs alone; a stranger gets 401
    OWN       the path names something of Ann's: Ann gets it, Bob gets 404, a stranger 401
    ADMIN     Ann, who administers, may; Bob gets 403, a stranger 401
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from starlette.routing import Mount, Route
from yarl import URL

from moot.http.access import Access, access_of
from tests.http.door import Door, script
from tests.http.visitors import Visitor, browser, visitors

SECRET = "marmalade"
"""A word of Ann's: it is in all that is hers."""
TEMPLATE = {
    "name": f"By {SECRET}",
    "whenToUse": "When the question is like one that is already answered.",
    "steps": ["Find it.", "Compare.", "Carry over."],
    "checks": ["It fits."],
    "exampleQuestions": ["Is it so?", "Is it that?"],
}
VOTE = {"councilModels": ["ann", "bob", "cyd"]}
QUESTION = f"Is {SECRET} better?"
ASKING = {"question": "Tabs or spaces?", "mode": "vote", "modeConfig": VOTE}


class Kind(Enum):
    OPEN = "open"
    SIGNED_IN = "signed in"
    OWN = "own"
    ADMIN = "admin"


OPEN, SIGNED_IN, OWN, ADMIN = Kind.OPEN, Kind.SIGNED_IN, Kind.OWN, Kind.ADMIN


@dataclass(frozen=True)
class Line:
    kind: Kind
    body: Mapping[str, Any] | None = None


ROUTES: dict[str, Line] = {
    "POST /api/council/stream": Line(SIGNED_IN, ASKING),
    "GET /api/runs": Line(SIGNED_IN),
    "GET /api/runs/{run_id}": Line(OWN),
    "GET /api/runs/{run_id}/verdict": Line(OWN),
    "GET /api/runs/{run_id}/events": Line(OWN),
    "POST /api/runs/{run_id}/cancel": Line(OWN),
    "POST /api/runs/{run_id}/retry": Line(OWN),
    "POST /api/runs/{run_id}/shares": Line(OWN),
    "POST /api/batches": Line(
        SIGNED_IN, {"questions": ["Tabs or spaces?"], "mode": "vote", "modeConfig": VOTE}
    ),
    "GET /api/batches": Line(SIGNED_IN),
    "GET /api/batches/{batch_id}": Line(OWN),
    "GET /api/batches/{batch_id}/outcomes": Line(OWN),
    "POST /api/batches/{batch_id}/cancel": Line(OWN),
    "GET /api/conversations": Line(SIGNED_IN),
    "GET /api/conversations/{conversation_id}": Line(OWN),
    "PATCH /api/conversations/{conversation_id}": Line(OWN, {"title": f"All of {SECRET}"}),
    "DELETE /api/conversations/{conversation_id}": Line(OWN),
    "GET /api/conversations/{conversation_id}/export": Line(OWN),
    "GET /api/insight": Line(SIGNED_IN),
    "GET /api/modes": Line(SIGNED_IN),
    "GET /api/events/schema": Line(SIGNED_IN),
    "GET /api/models": Line(SIGNED_IN),
    "POST /api/estimate": Line(SIGNED_IN, ASKING),
    "GET /api/estimates": Line(SIGNED_IN),
    "GET /api/limits": Line(SIGNED_IN),
    "GET /api/webhooks": Line(SIGNED_IN),
    "POST /api/webhooks": Line(SIGNED_IN, {"url": "https://127.0.0.1:9/another"}),
    "GET /api/webhooks/deliveries": Line(SIGNED_IN),
    "POST /api/webhooks/{webhook_id}/test": Line(OWN),
    "DELETE /api/webhooks/{webhook_id}": Line(OWN),
    "POST /api/account/webhook-secret": Line(SIGNED_IN),
    "GET /api/presets": Line(SIGNED_IN),
    "POST /api/presets": Line(SIGNED_IN, {"name": "Another", "mode": "vote", "config": VOTE}),
    "PATCH /api/presets/{preset_id}": Line(OWN, {"name": f"More {SECRET}"}),
    "PUT /api/presets/{preset_id}/default": Line(OWN),
    "DELETE /api/presets/{preset_id}/default": Line(OWN),
    "DELETE /api/presets/{preset_id}": Line(OWN),
    "GET /api/traces": Line(SIGNED_IN),
    "GET /api/traces/stats": Line(SIGNED_IN),
    "GET /api/traces/{trace_id}": Line(OWN),
    "POST /api/traces/{trace_id}/rate": Line(OWN, {"rating": 5}),
    "DELETE /api/traces/{trace_id}/rate": Line(OWN),
    "POST /api/traces/{trace_id}/score": Line(OWN),
    "POST /api/traces/export": Line(SIGNED_IN, {"format": "raw"}),
    "GET /api/templates": Line(SIGNED_IN),
    "POST /api/templates": Line(SIGNED_IN, {**TEMPLATE, "name": "By analogy"}),
    "GET /api/templates/{template_id}": Line(OWN),
    "PUT /api/templates/{template_id}": Line(OWN, TEMPLATE),
    "DELETE /api/templates/{template_id}": Line(OWN),
    "GET /api/shares": Line(SIGNED_IN),
    "DELETE /api/shares/{share_id}": Line(OWN),
    "GET /api/shared/{token}": Line(OPEN),
    "GET /api/shared/{token}/events": Line(OPEN),
    "GET /api/session": Line(OPEN),
    "POST /api/session": Line(OPEN, {"name": "nobody", "password": "no password"}),
    "DELETE /api/session": Line(OPEN),
    "POST /api/registration": Line(OPEN, {"name": "nobody", "password": "a long password"}),
    "POST /api/oidc/start": Line(OPEN),
    "GET /api/oidc/callback": Line(OPEN),
    "GET /api/account/oidc": Line(SIGNED_IN),
    "DELETE /api/account/oidc": Line(SIGNED_IN),
    "GET /api/links/{token}": Line(OPEN),
    "POST /api/links/{token}": Line(OPEN, {"name": "nobody", "password": "a long password"}),
    "POST /api/account/password": Line(
        SIGNED_IN, {"password": "not the right one", "newPassword": "a long password"}
    ),
    "GET /api/account/tokens": Line(SIGNED_IN),
    "GET /api/account/export": Line(SIGNED_IN),
    "POST /api/account/deletion": Line(SIGNED_IN, {"password": "not the right one"}),
    "POST /api/account/tokens": Line(SIGNED_IN, {"name": "program"}),
    "DELETE /api/account/tokens/{token_id}": Line(OWN),
    "GET /api/account/keys": Line(SIGNED_IN),
    "POST /api/account/keys/{provider}/test": Line(OWN),
    "DELETE /api/account/keys/{provider}": Line(OWN),
    "PUT /api/account/keys/{provider}": Line(SIGNED_IN, {"baseUrl": "http://127.0.0.1:9/v1"}),
    "GET /api/admin/keys": Line(ADMIN),
    "PUT /api/admin/keys/{provider}": Line(ADMIN, {"baseUrl": "http://127.0.0.1:9/v1"}),
    "POST /api/admin/keys/{provider}/test": Line(ADMIN),
    "DELETE /api/admin/keys/{provider}": Line(ADMIN),
    "GET /api/admin/people": Line(ADMIN),
    "PATCH /api/admin/people/{person_id}": Line(ADMIN, {"administrator": False}),
    "DELETE /api/admin/people/{person_id}": Line(ADMIN),
    "POST /api/admin/people/{person_id}/reset": Line(ADMIN),
    "GET /api/admin/people/{person_id}/limits": Line(ADMIN),
    "PATCH /api/admin/people/{person_id}/limits": Line(ADMIN, {"requestsPerDay": 1000}),
    "GET /api/admin/invitations": Line(ADMIN),
    "POST /api/admin/invitations": Line(ADMIN),
    "DELETE /api/admin/invitations/{invitation_id}": Line(ADMIN),
    "GET /api/admin/runs": Line(ADMIN),
    "POST /api/admin/runs/{run_id}/stop": Line(ADMIN),
    "GET /v1/models": Line(SIGNED_IN),
    "GET /v1/models/moot/{model}": Line(OWN),
    "POST /v1/chat/completions": Line(
        SIGNED_IN,
        {
            "model": "moot/vote",
            "messages": [{"role": "user", "content": "Tabs or spaces?"}],
            "moot": {"config": VOTE},
        },
    ),
    "POST /v1/responses": Line(SIGNED_IN, {"model": "moot/vote", "input": "Tabs?", "moot": {"config": VOTE}}),
    "GET /v1/responses/{response_id}": Line(OWN),
    "POST /v1/responses/{response_id}/cancel": Line(OWN),
    "POST /mcp": Line(SIGNED_IN, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    "GET /healthz": Line(OPEN),
    "GET /readyz": Line(OPEN),
    "GET /metrics": Line(ADMIN),
    "GET /api/openapi.json": Line(OPEN),
}
PAGE = {"/", "/assets"}
"""The page's own files, which are the same for everyone."""

TOKENS = {Access.READ: "read", Access.ASK: "ask", Access.ADMIN: "admin"}


def routes_of(door: Door) -> list[str]:
    """Every method and path that the application answers, but for the page's files."""
    return [line for route in door.app.routes for line in _lines(route, "")]


def _lines(route: Any, prefix: str) -> Iterator[str]:
    router = getattr(route, "original_router", None)  # one that FastAPI has included
    if router is not None:
        for inner in router.routes:
            yield from _lines(inner, prefix + route.include_context.prefix)
        return
    path = prefix + route.path
    if path in PAGE or (isinstance(route, Route) and "." in path and not path.startswith("/api")):
        return
    methods = {"*"} if isinstance(route, Mount) else (getattr(route, "methods", None) or {"*"}) - {"HEAD"}
    yield from (f"{method} {path}" for method in sorted(methods))


async def test_every_route_has_a_line_that_says_who_gets_what() -> None:
    async with Door(script()) as door:
        found = routes_of(door)
    assert len(found) > 40
    for route in found:
        assert route in ROUTES, (
            f"{route!r} is new: say in ROUTES of tests/http/test_tenancy.py whether it is OPEN to strangers, "
            "for whoever is SIGNED_IN, about something of one's OWN that its path names, or for ADMIN. If it is "
            "OPEN, say so in http/access.py too; else it needs `user: User` and must look for that user's things."
        )
    gone = set(ROUTES) - set(found)
    assert not gone, f"take these lines out of ROUTES: {sorted(gone)}"


@pytest.mark.parametrize("route", ROUTES)
def test_the_gate_agrees_with_the_table(route: str) -> None:
    method, _, path = route.partition(" ")
    access = access_of(method, path.replace("{", "").replace("}", ""))
    kind = ROUTES[route].kind
    assert (access is Access.OPEN) == (kind is OPEN), route
    assert (access is Access.ADMIN) == (kind is ADMIN), route


async def test_no_character_at_the_end_of_an_address_leads_around_the_gate() -> None:
    async with (
        Door(script(), accounts="on", embedder="off") as door,
        visitors(door, "ann", "bob") as (_, bob),
    ):
        for route in (route for route, line in ROUTES.items() if line.kind is ADMIN):
            method, _, path = route.partition(" ")
            for character in ("%0A", "%0D", "%09", "%7F"):
                address = URL(door.url + path.replace("{", "").replace("}", "") + character, encoded=True)
                status, answer = await bob.call(method, address, json=dict(ROUTES[route].body or {}))
                assert status == 400, (route, character, answer)


@dataclass
class Household:
    """Ann with something of everything, and Bob, who has nothing."""

    ann: Visitor
    bob: Visitor
    stranger: Visitor
    ids: dict[str, str]

    async def send(self, who: Visitor, route: str, **headers: str) -> tuple[int, Any]:
        method, _, path = route.partition(" ")
        body = ROUTES[route].body
        options = {} if body is None else {"json": body}
        return await who.call(method, path.format(**self.ids), headers=headers, **options)


async def furnish(ann: Visitor, bob: Visitor, stranger: Visitor) -> Household:
    told = await ann.ask(QUESTION, mode="vote", modeConfig=VOTE)
    argued = await ann.ask(f"Why {SECRET}?", mode="dialectic", modeConfig={"useTemplates": False})
    preset = await ann.send("POST", "/api/presets", name=f"With {SECRET}", mode="vote", config=VOTE)
    template = await ann.send("POST", "/api/templates", **TEMPLATE)
    token = await ann.send("POST", "/api/account/tokens", name=SECRET)
    share = await ann.send("POST", f"/api/runs/{told.run_id}/shares")
    invitation = await ann.send("POST", "/api/admin/invitations", note=SECRET)
    batch = await ann.send(
        "POST", "/api/batches", name=SECRET, questions=[QUESTION], modeConfig=VOTE, mode="vote"
    )
    webhook = await ann.send("POST", "/api/webhooks", url=f"https://127.0.0.1:9/{SECRET}")
    ids = {
        "webhook_id": webhook["id"],
        "run_id": told.run_id,
        "response_id": f"resp_{told.run_id}",
        "conversation_id": told.conversation_id,
        "trace_id": argued.run_id,
        "preset_id": preset["id"],
        "template_id": template["id"],
        "model": preset["id"],
        "token_id": token["id"],
        "share_id": share["id"],
        "token": share["path"].rpartition("/")[2],
        "person_id": bob.id,
        "invitation_id": invitation["id"],
        "batch_id": batch["id"],
        "provider": "lab",
    }
    await ann.send("PUT", "/api/account/keys/lab", baseUrl=f"http://127.0.0.1:9/{SECRET}")
    return Household(ann, bob, stranger, ids)


async def test_nobody_gets_what_is_anothers(store_url: str) -> None:
    async with (
        Door(
            script(), database=store_url, accounts="on", embedder="off", webhook_secret="0123456789abcdef"
        ) as door,
        visitors(door, "ann", "bob") as (ann, bob),
        browser(door) as stranger,
    ):
        house = await furnish(ann, bob, stranger)
        theirs = {SECRET, *(house.ids[name] for name in house.ids if name not in ("person_id", "provider"))}
        wrong: list[str] = []
        for route, line in ROUTES.items():
            if line.kind is OPEN:
                continue
            status, answer = await house.send(stranger, route)
            if status != 401:
                wrong.append(f"{route}: a stranger gets {status}")
            status, answer = await house.send(bob, route)
            if line.kind is not SIGNED_IN and status != (404 if line.kind is OWN else 403):
                wrong.append(f"{route}: Bob gets {status}")
            spilled = [one for one in theirs if one in str(answer)]
            if spilled and not _repeats(route, answer):
                wrong.append(f"{route}: Bob sees {spilled} in {str(answer)[:200]}")
        assert wrong == []
        await _ann_has_all(house)


def _repeats(route: str, answer: Any) -> bool:
    """A refusal may repeat the id that Bob himself has sent."""
    return "{" in route and isinstance(answer, dict) and set(answer) in ({"error", "details"}, {"error"})


async def _ann_has_all(house: Household) -> None:
    """Whatever Bob and the stranger tried, all of it is still there; and the ids were the right ones."""
    order = ("GET", "PATCH", "PUT", "POST", "DELETE")
    # With all its runs; with all that was theirs.
    last = ("DELETE /api/conversations/{conversation_id}", "DELETE /api/admin/people/{person_id}")
    for route in sorted(ROUTES, key=lambda one: (one in last, order.index(one.split()[0]), -len(one))):
        if ROUTES[route].kind is OPEN:
            continue
        status, answer = await house.send(house.ann, route)
        done = route.endswith(("/cancel", "/retry", "/stop", "/score"))
        assert status < 300 or (done and status == 409) or route.endswith(("/password", "/deletion")), (
            route,
            status,
            answer,
        )


async def test_a_token_opens_what_its_scopes_say_and_no_door_for_people(store_url: str) -> None:
    async with (
        Door(
            script(), database=store_url, accounts="on", embedder="off", webhook_secret="0123456789abcdef"
        ) as door,
        visitors(door, "ann", "bob") as (ann, bob),
        browser(door) as stranger,
    ):
        house = await furnish(ann, bob, stranger)
        bearers = {
            scope: {
                "Authorization": "Bearer "
                + (await ann.send("POST", "/api/account/tokens", name=scope, scopes=[scope]))["token"]
            }
            for scope in ("read", "ask", "admin")
        }
        for route, line in ROUTES.items():
            method, _, path = route.partition(" ")
            access = access_of(method, path.format(**house.ids))
            if line.kind is OPEN or method == "DELETE":
                continue
            for scope, headers in bearers.items():
                status, _ = await house.send(stranger, route, **headers)
                assert (status == 403) == (TOKENS.get(access) != scope), (route, scope, status)
                assert status not in (401, 404), (route, scope, status)


async def test_a_shared_run_is_read_by_anyone_and_gone_when_it_is_revoked(store_url: str) -> None:
    async with (
        Door(
            script(), database=store_url, accounts="on", embedder="off", webhook_secret="0123456789abcdef"
        ) as door,
        visitors(door, "ann", "bob") as (ann, bob),
        browser(door) as stranger,
    ):
        house = await furnish(ann, bob, stranger)
        path = f"/api/shared/{house.ids['token']}"
        for reader in (ann, bob, stranger):
            status, shared = await reader.call("GET", path)
            assert (status, shared["question"], shared["status"]) == (200, QUESTION, "complete")
            status, events = await reader.call("GET", f"{path}/events")
            assert status == 200
            assert "event: complete" in events
            assert house.ids["trace_id"] not in events
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert (await stranger.call(method, path))[0] in (401, 405)
        await ann.send("DELETE", f"/api/shares/{house.ids['share_id']}")
        for reader in (ann, bob, stranger):
            assert (await reader.call("GET", path))[0] == 404
            assert (await reader.call("GET", f"{path}/events"))[0] == 404
