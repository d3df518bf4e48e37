"""moot keys, as a person types it."""

from __future__ import annotations

import stat
from pathlib import Path

from moot.testing import ModelServerProcess
from tests.cli.command import Command
from tests.cli.pseudo_terminal import on_terminal
from tests.keys.servers import LINES, PANEL

KEY = "sk-typed-0123456789abcd"


def test_a_key_is_saved_listed_tested_used_and_removed(moot: Command, tmp_path: Path) -> None:
    with ModelServerProcess({"models": LINES}) as models:
        saved = moot("keys", "set", "lab", "--url", models.url, stdin=f"{KEY}\n")
        assert saved.code == 0, saved.err
        file = tmp_path / "moot" / "secret.key"
        assert f"encrypted with the secret key in {file}" in saved.out.replace("\n", " ")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        listed = {one["name"]: one for one in moot("keys", "list", "--json").lines}
        assert (listed["lab"]["hint"], listed["lab"]["source"]) == ("abcd", "person")
        assert KEY not in moot("keys", "list").out
        tested = moot("keys", "test")
        assert (tested.code, "It works and lists 3 models." in tested.out) == (0, True)
        ask = ("ask", "Tabs?", "--mode", "vote", "--models", ",".join(PANEL), "--chairman", PANEL[0], "-q")
        assert moot(*ask).code == 0
        assert {call["headers"]["authorization"] for call in models.requests()} == {f"Bearer {KEY}"}
        assert "lab/ann" in moot("models", "lab").out
        assert "ok       lab" in moot("doctor").out
        other = moot("doctor", MOOT_SECRET_KEY="another secret key of 32 characters")
        assert "ok       lab" in other.out  # the file still counts
        file.unlink()
        lost = moot("doctor", MOOT_DEFAULT_MODELS="lab/ann,lab/bob")
        assert lost.code == 1
        assert "encrypted with another secret key" in lost.out
        assert "no provider offers it" not in lost.out
        assert "These defaults could not be checked: lab/ann, lab/bob" in " ".join(lost.out.split())
        assert moot("keys", "test", "lab").code == 1
        assert moot("keys", "remove", "lab").code == 0
        assert moot("keys", "remove", "lab").code == 2
        assert moot("doctor").code == 0


def test_a_key_that_is_typed_is_not_shown(moot: Command) -> None:
    shown = on_terminal(moot, "keys", "set", "openrouter", typed=f"{KEY}\n".encode(), typed_at=b"Key for")
    assert shown.code == 0, shown.text
    assert "Saved openrouter" in shown.text
    assert KEY not in shown.text
    [line] = [one for one in moot("keys", "list", "--json").lines if one["name"] == "openrouter"]
    assert (line["hint"], line["hasKey"]) == ("abcd", True)


def test_what_the_environment_sets_wins_and_is_listed_so(moot: Command) -> None:
    saved = moot("keys", "set", "openrouter", stdin=KEY, OPENROUTER_API_KEY="sk-of-the-environment")
    assert "environment sets it too, and wins" in saved.err
    table = moot("keys", "list", "--server", OPENROUTER_API_KEY="sk-of-the-environment").out
    assert "the environment" in table
    assert "sk-of" not in table


def test_a_key_that_is_missing_is_asked_for_in_words(moot: Command) -> None:
    refused = moot("keys", "set", "openrouter")
    assert (refused.code, refused.err) == (2, "moot: A key is needed\n")
    assert moot("keys", "set", "lab", stdin=KEY).code == 2
