"""moot accounts and moot tokens, as whoever runs the server types them; what they make opens the server."""

from __future__ import annotations

import json
import signal
import urllib.request
from urllib.error import HTTPError
from zipfile import ZipFile

import pytest

from tests.cli.command import QUICK, Command
from tests.harness.waiting import PATIENCE

PASSWORD = "correct horse battery\n"
KEY = "sk-hidden-9f3b7c2d1e4a"


def status(address: str, token: str, path: str = "/api/runs") -> int:
    request = urllib.request.Request(address + path, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return int(response.status)
    except HTTPError as error:
        error.close()
        return error.code


def test_accounts_are_made_listed_disabled_and_given_rights(moot: Command) -> None:
    assert moot("accounts", "list").out == "No accounts yet: `moot accounts invite` adds the first person.\n"
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
    assert (refused.code, "At least one administrator must remain" in refused.err) == (2, True)
    assert moot("accounts", "reset", "nobody").err == "moot: There is no account called 'nobody'\n"


def test_all_of_somebody_is_written_to_a_file_and_deleted(moot: Command) -> None:
    moot("accounts", "add", "Ann", "--admin", stdin=PASSWORD)
    moot("accounts", "add", "bob", stdin=PASSWORD)
    assert moot("keys", "set", "openai", stdin=f"{KEY}\n").code == 0
    assert moot("ask", "Is marmalade better?", "--mode", "vote", "--models", QUICK).code == 0
    for words, person, asked in (((), "local", True), (("bob", "-o", "bob.zip"), "bob", False)):
        file = moot.home / (words[-1] if words else "moot-data.zip")
        assert moot("accounts", "export", *words).out == f"Saved to {file.name}.\n"
        with ZipFile(file) as archive:
            assert json.loads(archive.read("person.json"))["name"] == person
            everything = b"".join(archive.read(name) for name in archive.namelist())
        assert (b"marmalade" in everything) is asked
        assert KEY.encode() not in everything
    nowhere = moot("accounts", "export", "-o", "no/such/folder.zip")
    assert (nowhere.code, nowhere.err) == (
        2,
        "moot: no/such/folder.zip cannot be written: No such file or directory\n",
    )

    kept = moot("accounts", "delete", "bob", stdin="n\n")
    assert kept.code != 0
    assert "Traceback" not in kept.err
    assert [
        one["name"] for one in moot("accounts", "list", "--json").lines if one["standing"] == "person"
    ] == ["bob"]
    assert moot("accounts", "delete", "bob", "--yes").out == "bob has been deleted.\n"
    assert moot("accounts", "delete", "bob", "--yes").err == "moot: There is no account called 'bob'\n"
    last = moot("accounts", "delete", "ann", "--yes")
    assert (last.code, "At least one administrator must remain" in last.err) == (2, True)


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
        server.communicate(timeout=PATIENCE)
