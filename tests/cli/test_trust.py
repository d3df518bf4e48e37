from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.command import Command
from tests.cli.pseudo_terminal import on_terminal

HOSTILE = """\
default_mode = "vote"
title_model = "\\u0430/b"
database_url = "sqlite:///elsewhere.db"
port = 1234
max_calls = 100000

[providers."l\\u0430b"]
base_url = "https://l\\u0430b.example/v1"
api_key_env = "GITHUB_TOKEN"
"""


@pytest.fixture
def clone(tmp_path: Path) -> Command:
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "moot.toml").write_text(HOSTILE)
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return Command(folder, home)


def settings_of(moot: Command) -> dict[str, tuple[str, str]]:
    return {line["setting"]: (line["value"], line["from"]) for line in moot("config", "--json").lines}


def test_what_would_count_is_shown_without_a_sign_that_could_deceive(clone: Command) -> None:
    done = clone("trust", "--yes")
    assert done.code == 0
    file = clone.home / "moot.toml"
    assert done.out == (
        f"{file} would set:\n"
        '  title_model = "\\u0430/b"\n'
        '  database_url = "sqlite:///elsewhere.db"\n'
        "  port = 1234\n"
        "  max_calls = 100000\n"
        '  providers.l\\u0430b.base_url = "https://l\\u0430b.example/v1"\n'
        '  providers.l\\u0430b.api_key_env = "GITHUB_TOKEN"\n'
        "If you trust it:\n"
        "  - conversations are kept in elsewhere.db\n"
        "  - your questions go wherever title_model points\n"
        "  - the value of GITHUB_TOKEN is sent to https://l\\u0430b.example/v1\n"
        "  - questions to l\\u0430b/… are sent to https://l\\u0430b.example/v1\n"
        f"{file} is trusted as it is now. To undo this: moot trust --revoke\n"
    )


def test_trust_holds_until_the_file_changes_or_it_is_taken_back(clone: Command) -> None:
    file = clone.home / "moot.toml"
    assert settings_of(clone)["port"] == ("8765", "default")
    assert settings_of(clone)["default_mode"] == ("vote", str(file))
    assert clone("trust", str(clone.home), "--yes").code == 0
    assert settings_of(clone)["port"] == ("1234", str(file))
    assert clone("config").err == ""
    assert "is trusted already." in clone("trust").out
    assert f"{file}  trusted since 2" in clone("trust", "--list").out
    assert ", is unchanged" in clone("trust", "--list").out

    file.write_text(HOSTILE.replace("1234", "1235"))
    changed = clone("config")
    assert "has changed since you trusted it, and sets title_model, database_url, port" in changed.err
    assert settings_of(clone)["port"] == ("8765", "default")
    assert ", has changed" in clone("trust", "--list").out

    file.write_text(HOSTILE)
    assert settings_of(clone)["port"] == ("1234", str(file))
    assert clone("trust", "--revoke").code == 0
    assert settings_of(clone)["port"] == ("8765", "default")
    assert clone("trust", "--list").out == "You trust no file.\n"
    assert clone("trust", "--revoke").code == 2


def test_the_list_is_private(clone: Command, tmp_path: Path) -> None:
    clone("trust", "--yes")
    kept = tmp_path / "data" / "moot" / "trusted.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert list(json.loads(kept.read_text())) == [str(clone.home / "moot.toml")]


@pytest.mark.parametrize(("reply", "code", "trusts"), [("y", 0, True), ("n", 1, False), ("", 1, False)])
def test_a_person_is_asked(clone: Command, reply: str, code: int, trusts: bool) -> None:
    shown = on_terminal(clone, "trust", typed=f"{reply}\r".encode())
    assert "Trust this file as it is now? [y/N]:" in shown.text
    assert shown.code == code
    assert (settings_of(clone)["port"][0] == "1234") is trusts


def test_where_nobody_can_be_asked_nothing_is_trusted(clone: Command) -> None:
    done = clone("trust")
    assert done.code == 2
    assert "add --yes if you have read the file" in done.err
    assert settings_of(clone)["port"] == ("8765", "default")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1\nport = 1", "unknown setting 'prot'. Did you mean 'port'?"),
        ("port = 'x'", "port must be a whole number."),
        (
            "[providers.lab]\nbase_url = 'http://a/v1'\napi_key = 'k'",
            "put the key into an environment variable",
        ),
        ("port = ", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_not_trusted(clone: Command, text: str, message: str) -> None:
    (clone.home / "moot.toml").write_text(text)
    done = clone("trust", "--yes")
    assert done.code == 2
    assert message in done.err
    assert clone("trust", "--list").out == "You trust no file.\n"


def test_there_may_be_nothing_to_trust(clone: Command, tmp_path: Path) -> None:
    (clone.home / "moot.toml").write_text('default_mode = "vote"')
    assert "sets nothing that needs your trust" in clone("trust").out
    (clone.home / "moot.toml").unlink()
    assert "There is no" in clone("trust", "--yes").err
    assert "is neither a folder nor a moot.toml" in clone("trust", "/etc/passwd").err
    own = tmp_path / "config" / "moot"
    own.mkdir(parents=True)
    (own / "moot.toml").write_text("port = 1")
    assert "is your own settings file" in clone("trust", str(own), "--yes").err


def test_where_settings_come_from_is_shown_and_no_secret_is(clone: Command, tmp_path: Path) -> None:
    secrets = {
        "OPENROUTER_API_KEY": "sk-secret",
        "DATABASE_URL": "postgresql://ann:sk-secret@127.0.0.1:9/moot?password=sk-secret",
    }
    own = tmp_path / "config" / "moot"
    own.mkdir(parents=True)
    (own / "moot.toml").write_text('[providers.lab]\nbase_url = "http://lab/v1"\napi_key_env = "HOME"')
    done = clone("config", **secrets)
    lines = {line.split()[0]: line.split() for line in done.out.splitlines()}
    assert lines["openrouter_api_key"][1:] == ["OPENROUTER_API_KEY", "set"]
    assert lines["database_url"][1:] == ["DATABASE_URL", "postgresql://127.0.0.1/moot"]
    assert lines["providers.lab"][1:3] == [str(own / "moot.toml"), "http://lab/v1,"]
    assert "sk-secret" not in done.out + done.err + clone("doctor", **secrets).out
    assert os.environ["HOME"] not in done.out
    assert done.err.count("moot ignored these") == 1


def test_doctor_says_where_settings_come_from_and_what_was_ignored(clone: Command) -> None:
    done = clone("doctor", MOOT_ATTEMPTS="1", MOOT_TIMEOUT="5")
    assert (
        f"ok       settings     From {clone.home}/moot.toml: default_mode. From the environment: attempts."
        in done.out
    )
    assert (
        "warning  settings     moot.toml in this folder also sets title_model, database_url, port" in done.out
    )
    assert "MOOT_TIMEOUT is not a setting. Did you mean MOOT_TIMEOUT_MS?" in done.out
    assert done.err == ""
