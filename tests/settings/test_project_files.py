"""The moot.toml of a project: a stranger may have written it, so it says nothing of where data or keys go."""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moot.settings import BadSetting, Configuration, Settings, Standing, documented, standing_of
from moot.settings.files import SettingsFile
from moot.settings.trust import TrustList
from tests.cli.hostile_repository import ATTEMPTS, CANARIES, attempts_on

NAMES = list(Settings.model_fields)
HARMLESS = {"default_mode"}
"""Whoever adds to these has thought of what a stranger could do with any value, in both directions."""
YOURS = """\
max_tokens = 100000
max_dollars = 2

[providers.lab]
base_url = "https://lab.example/v1"
api_key_env = "LAB_API_KEY"
"""


class Home:
    """A person's home, and a folder in it where somebody's repository lies."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "clone" / "moot.toml"
        self.user = folder / "config" / "moot" / "moot.toml"
        self.environ = {
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            **CANARIES,
        }
        self.project.parent.mkdir()
        self.user.parent.mkdir(parents=True)
        self.user.write_text(YOURS)

    def load(self, text: str = "", **variables: str) -> Configuration:
        self.project.write_text(text)
        return Configuration.load(environ={**self.environ, **variables}, folder=self.project.parent)

    def trust(self) -> None:
        file = SettingsFile.read(self.project)
        assert file is not None
        TrustList.load(self.environ).adding(file).save()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_every_setting_says_what_a_project_may_do_with_it() -> None:
    for name, setting in Settings.model_fields.items():
        declared = [one for one in setting.metadata if isinstance(one, Standing)]
        assert len(declared) == 1, f"{name} is not classified: see settings/table.py"
    assert {name for name in NAMES if standing_of(name) is Standing.HARMLESS} == HARMLESS
    assert [line.standing for line in documented()] == [standing_of(name) for name in NAMES[:-1]]


def hostile_files() -> Iterator[tuple[str, str]]:
    for name in NAMES:
        if name not in HARMLESS:
            yield from ((name, text) for text in attempts_on(name))


@pytest.mark.parametrize(("name", "text"), list(hostile_files()))
def test_a_strangers_file_changes_nothing_and_is_told_of(home: Home, name: str, text: str) -> None:
    found = home.load(text)
    assert found.settings == home.load().settings
    assert found.notice is not None
    assert name.split(".")[0] in found.notice
    assert found.notice.endswith("run `moot trust`.")
    assert "\n" not in found.notice
    assert str(home.project) not in found.origins.values()


@pytest.mark.parametrize("name", [name for name in NAMES if standing_of(name) is Standing.LOWER_ONLY])
def test_a_limit_may_be_lowered(home: Home, name: str) -> None:
    own = getattr(home.load().settings, name)
    least = 1000 if name == "timeout_ms" else 1
    found = home.load(f"{name} = {least}")
    assert getattr(found.settings, name) == least < own
    assert (found.notice, found.origins[name]) == (None, str(home.project))
    assert home.load(f"{name} = {own}").notice is None, "the same is no more"
    higher = home.load(f"{name} = {own}", **{f"MOOT_{name.upper()}": str(least)})
    assert getattr(higher.settings, name) == least, "the environment wins over every file"


def test_what_is_harmless_counts_beside_what_is_not(home: Home) -> None:
    found = home.load(
        'default_mode = "vote"\nmax_calls = 7\nport = 80\n[providers.evil]\nbase_url = "http://e/v1"'
    )
    assert (found.settings.default_mode, found.settings.max_calls) == ("vote", 7)
    assert found.notice == (
        "moot.toml in this folder also sets port and providers.evil. moot ignored these: a project file may "
        "only choose the mode and lower limits, not where data or keys go. To allow them, run `moot trust`."
    )


def entries() -> st.SearchStrategy[dict[str, object]]:
    scalars = st.one_of(
        st.integers(-(2**62), 2**62),
        st.floats(allow_nan=True, allow_infinity=True),
        st.booleans(),
        st.text(max_size=30),
        st.sampled_from(["http://127.0.0.1:9/v1", "postgresql://evil/x", "sqlite:///x", "evil/model", "7"]),
        st.lists(st.text(max_size=8), max_size=3),
    )
    return st.dictionaries(st.sampled_from(NAMES), scalars, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(entries())
def test_whatever_stands_in_it_only_the_mode_changes_and_limits_sink(
    home: Home, values: dict[str, object]
) -> None:
    before = home.load().settings
    text = "\n".join(f"{name} = {_toml(value)}" for name, value in values.items())
    try:
        after = home.load(text).settings
    except BadSetting:
        return
    for name in NAMES:
        old, new = getattr(before, name), getattr(after, name)
        if standing_of(name) is Standing.TRUSTED_ONLY:
            assert new == old
        elif standing_of(name) is Standing.LOWER_ONLY:
            assert new == old or (new is not None and (old is None or new < old))


def _toml(value: object) -> str:
    return (
        str(value)
        if isinstance(value, float) and value != value
        else json.dumps(value).replace("Infinity", "inf")
    )


def test_a_trusted_file_counts_whole_until_it_changes_or_moves(home: Home, tmp_path: Path) -> None:
    text = '[providers.lab]\nbase_url = "https://other.example/v1"\napi_key_env = "GITHUB_TOKEN"'
    assert home.load(text).settings.known_providers()["lab"].address == "https://lab.example"
    home.trust()
    found = home.load(text)
    lab = found.settings.known_providers()["lab"]
    assert (lab.address, found.notice) == ("https://other.example", None)
    assert found.origins["providers.lab"] == str(home.project)
    assert lab.key is not None
    assert lab.key.get_secret_value() == CANARIES["GITHUB_TOKEN"]

    changed = home.load(f"{text} ")
    assert changed.settings.known_providers()["lab"].address == "https://lab.example"
    assert changed.notice is not None
    assert changed.notice.startswith("moot.toml in this folder has changed since you trusted it, and sets")

    home.load(text)
    home.project.parent.rename(tmp_path / "elsewhere")
    moved = Configuration.load(environ=home.environ, folder=tmp_path / "elsewhere")
    assert moved.settings.known_providers()["lab"].address == "https://lab.example"


def test_the_table_of_a_trusted_file_never_meets_the_key_of_another(home: Home) -> None:
    home.load('[providers.lab]\nbase_url = "https://other.example/v1"')
    home.trust()
    assert home.load(home.project.read_text()).settings.known_providers()["lab"].key is None


def test_the_list_of_trusted_files_is_its_owners_only(home: Home) -> None:
    home.load("port = 1")
    home.trust()
    path = TrustList.load(home.environ).path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o666)
    with pytest.raises(BadSetting, match="can be changed by others on this machine: remove it"):
        home.load("port = 1")
    path.chmod(0o600)
    path.write_text("[]")
    with pytest.raises(BadSetting, match="is damaged: remove it"):
        home.load("port = 1")


def test_your_own_file_must_not_be_everyones_to_write(home: Home) -> None:
    home.user.chmod(0o666)
    with pytest.raises(BadSetting, match=f"run `chmod o-w {home.user}`"):
        home.load()
    home.user.chmod(0o664)
    assert home.load().settings.max_dollars == 2


def test_a_projects_file_may_be_anyones_for_it_can_do_no_harm(home: Home) -> None:
    home.project.touch()
    home.project.chmod(0o666)
    assert home.load("max_calls = 3").settings.max_calls == 3


def test_your_own_file_is_yours_also_from_its_own_folder_and_through_a_link(home: Home) -> None:
    home.user.write_text("port = 1234")
    inside = Configuration.load(environ=home.environ, folder=home.user.parent)
    assert (inside.settings.port, inside.notice, inside.project) == (1234, None, None)
    home.project.symlink_to(home.user)
    linked = Configuration.load(environ=home.environ, folder=home.project.parent)
    assert (linked.settings.port, linked.notice) == (1234, None)


def test_no_other_folder_is_searched(home: Home, tmp_path: Path) -> None:
    home.project.write_text("max_calls = 3")
    inner = home.project.parent / "src"
    inner.mkdir()
    assert Configuration.load(environ=home.environ, folder=inner).settings.max_calls == 500


def test_a_link_is_followed_and_trusts_what_it_leads_to(home: Home, tmp_path: Path) -> None:
    target = tmp_path / "shared.toml"
    target.write_text("port = 1")
    home.project.symlink_to(target)
    assert Configuration.load(environ=home.environ, folder=home.project.parent).settings.port == 8765
    home.trust()
    assert Configuration.load(environ=home.environ, folder=home.project.parent).settings.port == 1
    target.write_text("port = 2")
    assert Configuration.load(environ=home.environ, folder=home.project.parent).settings.port == 8765


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "a pipe", "a folder"])
def test_what_is_no_file_is_not_read(home: Home, device: str) -> None:
    if device == "a pipe":
        os.mkfifo(home.project)
    elif device == "a folder":
        home.project.mkdir()
    else:
        home.project.symlink_to(device)
    with pytest.raises(BadSetting, match=r"moot\.toml cannot be read"):
        Configuration.load(environ=home.environ, folder=home.project.parent)


def test_names_that_a_stranger_chose_cannot_drive_a_terminal_nor_fill_it(home: Home) -> None:
    tables = "\n".join(
        f'[providers."a{n}\\u001b[2J\\u202e{"x" * 500}"]\nbase_url = "http://e/v1"' for n in range(50)
    )
    notice = home.load(tables).notice
    assert notice is not None
    assert notice.isascii()
    assert notice.isprintable()
    assert len(notice) < 800
    assert "and 44 more" in notice


def test_a_program_that_uses_moot_finds_it_in_its_log(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    home.project.write_text("port = 1")
    with caplog.at_level(logging.WARNING):
        Settings.load(environ=home.environ, folder=home.project.parent)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "moot ignored this" in caplog.text


def test_a_setting_that_is_no_number_has_an_attempt_on_it() -> None:
    assert set(ATTEMPTS) <= set(NAMES)
    for name in set(NAMES) - HARMLESS:
        assert attempts_on(name)


def test_where_each_value_comes_from_is_known(home: Home) -> None:
    found = home.load("max_calls = 3", MOOT_PORT="1")
    assert found.origins == {
        "max_tokens": str(home.user),
        "max_dollars": str(home.user),
        "providers.lab": str(home.user),
        "max_calls": str(home.project),
        "port": "the environment",
        **{f"{name}_api_key": "the environment" for name in ("openrouter", "openai", "anthropic")},
    }


def test_a_variable_that_is_nearly_a_setting_is_noticed(home: Home) -> None:
    assert home.load(MOOT_MAX_DOLLAR="1", MOOT_TEST_POSTGRES="x").strays == {
        "MOOT_MAX_DOLLAR": "MOOT_MAX_DOLLARS"
    }
