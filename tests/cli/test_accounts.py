"""moot accounts and moot tokens, as whoever runs the server types them; what they make opens the server."""

from __future__ import annotations

import signal
import urllib.request
from urllib.error import HTTPError

import pytest

from tests.cli.command import Command

PASSWORD = "correct horse battery\n"


def status(address: str, token: str, path: str = "/api/runs") -> int:
    request = urllib.request.Request(address + path, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return int(response.status)
    except HTTPError as error:
        error.close()
        return error.code


def test_accounts_are_made_listed_disabled_and_given_rights(moot: Command) -> None:
    assert moot("accounts", "list").out == "Nobody yet: see `moot accounts invite`.\n"
    assert moot("accounts", "add", "Ann", "--admin", stdin=PASSWORD).out == "Ann can sign in.\n"
    assert moot("accounts", "add", "bob", stdin=PASSWORD).code == 0
    twice = moot("accounts", "add", "BOB", stdin=PASSWORD)
    assert (twice.code, twice.err) == (2, "moot: The name 'BOB' is taken\n")
    short = moot("accounts", "add", "cyd", stdin="short\n")
    assert (short.code, short.err) == (2, "moot: Choose a password of at least 10 characters\n")
    assert moot("accounts", "disable", "bob").code == 0
    listed = moot("accounts", "list", "--json").lines
    assert [(one["name"], one["standing"]) for one in listed] == [
        ("Ann", "administrator"),
        ("bob", "disabled"),
    ]
    moot("accounts", "enable", "bob")
    moot("accounts", "admin", "bob")
    moot("accounts", "admin", "ann", "--off")
    standings = [one["standing"] for one in moot("accounts", "list", "--json").lines]
    assert standings == ["person", "administrator"]
    refused = moot("accounts", "disable", "bob")
    assert (refused.code, "Somebody must be left" in refused.err) == (2, True)
    assert moot("accounts", "reset", "nobody").err == "moot: Nobody here is called 'nobody'\n"


@pytest.mark.parametrize("words", [("invite", "--note", "Bob"), ("reset", "ann")])
def test_links_begin_with_the_public_address(moot: Command, words: tuple[str, ...]) -> None:
    moot("accounts", "add", "Ann", "--admin", stdin=PASSWORD)
    link = moot("accounts", *words, MOOT_PUBLIC_URL="https://moot.example").out
    assert link.startswith("https://moot.example/#/link/")


def test_a_token_made_here_opens_the_server_until_it_is_revoked(moot: Command) -> None:
    refused = moot("tokens", "create", "script")
    assert refused.err == "moot: There are no accounts yet: `moot accounts invite` adds the first person.\n"
    moot("accounts", "add", "Ann", "--admin", stdin=PASSWORD)
    token = moot("tokens", "create", "script", "--scope", "read", "--scope", "admin").out.strip()
    assert moot("tokens", "create", "x", "--scope", "all").code == 2
    [listed] = moot("tokens", "list", "--json").lines
    assert (listed["name"], listed["scopes"]) == ("script", ["read", "admin"])
    with moot.started("serve", "--host", "0.0.0.0", "--port", "0") as server:
        assert server.stdout is not None
        address = server.stdout.readline().decode().split()[-1]
        assert status(address, token) == status(address, token, "/api/admin/people") == 200
        assert moot("tokens", "revoke", listed["id"]).code == 0
        assert status(address, token) == 401
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)
