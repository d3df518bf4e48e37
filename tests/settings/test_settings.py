"""Settings: five places, one value, clear words when something is wrong, and no key in sight."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from moot.settings import BadSetting, Settings, data_folder, documented
from moot.settings.providers import ollama_address

KEY = "sk-canary-7f3a90c1d2e4b5a6"
Load = Callable[..., Settings]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load from a project and a home that have these files."""

    def loading(
        project: str = "", user: str = "", overrides: dict[str, Any] | None = None, **environ: str
    ) -> Settings:
        config = tmp_path / "config" / "moot"
        config.mkdir(parents=True, exist_ok=True)
        for text, path in ((project, tmp_path / "moot.toml"), (user, config / "moot.toml")):
            path.write_text(text, encoding="utf-8")
        home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data")}
        return Settings.load(overrides, environ={**home, **environ}, folder=tmp_path)

    return loading


def test_each_place_wins_over_the_next(load: Load) -> None:
    assert load().port == 8765
    assert load(user="port = 1").port == 1
    assert load(user="port = 1", MOOT_PORT="3").port == 3
    assert load(overrides={"port": 4}, MOOT_PORT="3").port == 4
    assert load(user="default_mode = 'vote'", project="default_mode = 'jury'").default_mode == "jury"
    assert load(project="default_mode = 'jury'", MOOT_DEFAULT_MODE="debate").default_mode == "debate"


def test_an_option_that_was_not_given_is_no_override(load: Load) -> None:
    assert load(overrides={"port": None}, MOOT_PORT="3").port == 3


def test_an_empty_variable_is_not_set(load: Load) -> None:
    settings = load(OPENROUTER_API_KEY="", MOOT_PORT=" ")
    assert settings.openrouter_api_key is None
    assert settings.port == 8765


def test_the_well_known_variables_are_read(load: Load) -> None:
    settings = load(
        OPENROUTER_API_KEY=f" {KEY}\n",
        OPENAI_BASE_URL="http://gateway.example/v1/",
        OLLAMA_HOST="gpu:8080",
        DATABASE_URL="postgresql://moot@db/moot",
        MOOT_DEFAULT_MODELS="a/b, c/d,",
        MOOT_MAX_DOLLARS="2.5",
    )
    assert settings.openrouter_api_key is not None
    assert settings.openrouter_api_key.get_secret_value() == KEY
    assert settings.openai_base_url == "http://gateway.example/v1"
    assert settings.ollama_host == "http://gpu:8080"
    assert settings.database_url == "postgresql://moot@db/moot"
    assert settings.default_models == ("a/b", "c/d")
    assert settings.max_dollars == 2.5


def test_the_database_lies_in_the_data_folder_unless_told_otherwise(load: Load, tmp_path: Path) -> None:
    assert load().database_url == f"sqlite:///{tmp_path}/data/moot/moot.db"
    assert data_folder({"XDG_DATA_HOME": "relative"}) == Path.home() / ".local/share/moot"


def test_endpoints_of_your_own_are_known_with_their_keys(load: Load) -> None:
    settings = load(
        user='[providers.home]\nbase_url = "http://nas:8000/v1"\n'
        '[providers.lab]\nbase_url = "https://lab.example/v1"\napi_key_env = "LAB_KEY"\nconcurrency = 3',
        LAB_KEY=KEY,
    )
    providers = settings.known_providers()
    home, lab = providers["home"], providers["lab"]
    assert (home.base_url, home.key, home.missing) == ("http://nas:8000/v1", None, None)
    assert (lab.base_url, lab.concurrency, lab.kind) == ("https://lab.example/v1", 3, "openai")
    assert lab.key is not None
    assert lab.key.get_secret_value() == KEY


def test_an_endpoint_whose_variable_is_empty_says_what_is_missing(load: Load) -> None:
    settings = load(user='[providers.lab]\nbase_url = "https://lab.example/v1"\napi_key_env = "LAB_KEY"')
    assert settings.known_providers()["lab"].missing == "LAB_KEY"


@pytest.mark.parametrize(
    ("user", "environ", "message"),
    [
        ("prot = 1", {}, "{user}: unknown setting 'prot'. Did you mean 'port'?"),
        ("maxCalls = 1", {}, "{user}: unknown setting 'maxCalls'. Did you mean 'max_calls'?"),
        (
            "MOOT_LOG_LEVEL = 'info'",
            {},
            "{user}: unknown setting 'MOOT_LOG_LEVEL'. Did you mean 'log_level'?",
        ),
        ("colour = 1", {}, "{user}: unknown setting 'colour'. docs/settings.md has them all."),
        ("port = 'x'", {}, "{user}: port must be a whole number."),
        ("port = true", {}, "{user}: port: a number is needed, not true or false."),
        ("port = 99999", {}, "{user}: port must be at most 65535."),
        ("timeout_ms = 10", {}, "{user}: timeout_ms must be at least 1000."),
        ("max_dollars = 0", {}, "{user}: max_dollars must be more than 0."),
        ("max_dollars = inf", {}, "{user}: max_dollars must be a finite number."),
        ("max_dollars = nan", {}, "{user}: max_dollars must be"),
        ("max_dollars = []", {}, "{user}: max_dollars must be a number."),
        ("title_model = 3", {}, "{user}: title_model must be a text in quotes."),
        ("default_models = 3", {}, "{user}: default_models must be a list, such as"),
        ("default_models = [3]", {}, "{user}: default_models.0 must be a text in quotes."),
        ("[providers.lab]\nurl = 'x'", {}, "{user}: providers.lab.base_url is required."),
        (
            "[providers.lab]\nbase_url = 'http://a/v1'\napi_key_evn = 'x'",
            {},
            "{user}: unknown setting 'providers.lab.api_key_evn'. Did you mean 'providers.lab.api_key_env'?",
        ),
        (
            "[providers.lab]\nbase_url = 'lab.example'",
            {},
            "{user}: providers.lab.base_url: 'lab.example' is not an address; "
            "it should look like https://host/v1.",
        ),
        (
            "[providers.openai]\nbase_url = 'http://a/v1'",
            {},
            "{user}: providers: the name 'openai' is taken by moot itself; choose another.",
        ),
        (
            "[providers.'a/b']\nbase_url = 'http://a/v1'",
            {},
            "{user}: providers: 'a/b' cannot begin a model id; use letters, digits, hyphens and underscores.",
        ),
        (
            "[providers.lab]\nbase_url = 'http://a/v1'\napi_key = 'x'",
            {},
            "{user}: providers.lab.api_key: put the key into an environment variable "
            "and its name into api_key_env.",
        ),
        ("providers = 3", {}, "{user}: providers must be a table, such as [providers.lab]."),
        ("providers.lab = 3", {}, "{user}: providers.lab must be a table"),
        ("port = ", {}, "{user} cannot be read: Invalid value (at end of document)"),
        ("port = 1" + "0" * 5000, {}, "{user} cannot be read: "),
        ("a = " + "[" * 5000, {}, "{user} cannot be read: it is nested too deeply."),
        ("a" + ".a" * 32_000 + " = 1", {}, "{user} cannot be read: it is nested too deeply."),
        ("#" * 70_000, {}, "{user} cannot be read: it has more than 65536 bytes."),
        ("", {"MOOT_PORT": "x"}, "MOOT_PORT must be a whole number."),
        ("", {"MOOT_MAX_DOLLARS": "much"}, "MOOT_MAX_DOLLARS must be a number."),
        ("", {"MOOT_MAX_DOLLARS": "nan"}, "MOOT_MAX_DOLLARS must be"),
        (
            "",
            {"MOOT_LOG_LEVEL": "loud"},
            "MOOT_LOG_LEVEL must be debug, info, warning or error.",
        ),
        (
            "",
            {"MOOT_USER_HEADER": "x user"},
            "MOOT_USER_HEADER: the name of a header is made of letters, digits and hyphens.",
        ),
        (
            "",
            {"OPENROUTER_API_KEY": "two words"},
            "OPENROUTER_API_KEY: a key may only contain printable ASCII characters, without spaces.",
        ),
        (
            "",
            {"OPENAI_BASE_URL": "https://user:pw@host/v1"},
            "OPENAI_BASE_URL: an address holds no user or password",
        ),
        (
            "",
            {"DATABASE_URL": "mysql://x"},
            "DATABASE_URL: write sqlite:///path or",
        ),
    ],
)
def test_a_wrong_setting_is_named_with_its_place(
    load: Load, tmp_path: Path, user: str, environ: dict[str, str], message: str
) -> None:
    with pytest.raises(BadSetting) as caught:
        load(user=user, **environ)
    assert str(caught.value).startswith(message.replace("{user}", str(tmp_path / "config/moot/moot.toml")))


def test_the_place_that_is_named_is_the_one_that_counts(load: Load, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=rf"^{tmp_path}/moot.toml: max_calls must be a whole number"):
        load(user="max_calls = 3", project="max_calls = 'few'")
    assert load(user="max_calls = 'few'", MOOT_MAX_CALLS="3").max_calls == 3


def test_no_key_and_no_password_is_ever_shown(load: Load) -> None:
    settings = load(
        user='[providers.lab]\nbase_url = "https://lab.example/v1"\napi_key_env = "LAB_KEY"',
        OPENROUTER_API_KEY=KEY,
        OPENAI_API_KEY=KEY,
        ANTHROPIC_API_KEY=KEY,
        LAB_KEY=KEY,
        DATABASE_URL=f"postgresql://moot:{KEY}@db/moot",
    )
    without_database = settings.model_dump_json(exclude={"database_url"})
    shown = f"{settings!r} {settings} {settings.known_providers()} {without_database}"
    assert KEY not in shown
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate({"openrouter_api_key": f"{KEY} {KEY}"})
    assert KEY not in str(caught.value)


def test_a_bad_key_is_not_quoted(load: Load) -> None:
    with pytest.raises(BadSetting) as caught:
        load(OPENAI_API_KEY=f"{KEY} {KEY}")
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


def test_settings_are_frozen_and_travel_to_other_processes() -> None:
    settings = Settings(port=1)
    with pytest.raises(ValidationError):
        settings.port = 2
    assert pickle.loads(pickle.dumps(settings)) == settings


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("[::]:8080", "http://127.0.0.1:8080"),
        ("[::1]", "http://[::1]:11434"),
        (":8080", "http://127.0.0.1:8080"),
        ("gpu", "http://gpu:11434"),
        ("http://gpu:8080/", "http://gpu:8080"),
        ("https://gpu.example/v1", "https://gpu.example"),
        ("https://gpu.example/ollama", "https://gpu.example/ollama"),
    ],
)
def test_where_ollama_is_for_a_client(host: str, address: str) -> None:
    assert ollama_address(host) == address


def test_every_setting_is_documented_with_a_variable_of_its_own() -> None:
    lines = documented()
    assert all(line.description.endswith((".", "…")) for line in lines)
    assert len({line.variable for line in lines}) == len(lines) == len(Settings.model_fields) - 1


def test_importing_settings_is_cheap() -> None:
    code = "import sys, moot.settings; print({'aiohttp', 'genai_prices', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
