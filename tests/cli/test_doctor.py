from __future__ import annotations

import random

import pytest

from moot.testing import ModelServerProcess
from tests.cli.command import QUICK, Command

CLOSED = "http://127.0.0.1:9"
KEY = "sk-very-secret"


def graded(out: str) -> dict[str, str]:
    """The grade of everything that was looked at."""
    return {line.split()[1]: line.split()[0] for line in out.splitlines()}


def test_a_fresh_installation_is_sound_and_says_that_answers_are_simulated(moot: Command) -> None:
    done = moot("doctor")
    assert done.code == 0
    assert graded(done.out) == {
        "settings": "ok",
        "database": "ok",
        "providers": "warning",
        "mode": "ok",
        "models": "ok",
        "embedder": "warning",
        "simulator": "ok",
    }
    assert "The built-in embedder is not installed: run `moot embedder install`. Dialectic uses" in done.out
    assert "Save a key with `moot keys set openrouter`, set OPENROUTER_API_KEY, or start Ollama." in done.out


def test_dead_default_models_are_found_and_no_key_is_shown(moot: Command) -> None:
    with ModelServerProcess({"models": {"alive": "x"}}) as models:
        environment = {"OPENAI_BASE_URL": models.url, "OPENAI_API_KEY": KEY}
        dead = moot("doctor", **environment, MOOT_DEFAULT_MODELS="openai/alive,openai/dead,other/one")
        alive = moot("doctor", **environment, MOOT_DEFAULT_MODELS="openai/alive:online,sim/ada")
    assert dead.code == 1
    assert (
        "ok       OpenAI       The key in OPENAI_API_KEY is set. It answers at http://127.0.0.1:" in dead.out
    )
    assert "problem  models       openai/dead is a default, but no provider offers it." in dead.out
    assert "problem  models       other/one is a default, but no provider offers it." in dead.out
    assert alive.code == 0
    assert "ok       models       All defaults exist: openai/alive:online, sim/ada." in alive.out
    assert KEY not in dead.out + dead.err + alive.out + alive.err


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({"OPENAI_BASE_URL": CLOSED}, "problem  OpenAI       Could not reach OpenAI at http://127.0.0.1:9"),
        (
            {"DATABASE_URL": "sqlite:////proc/no/moot.db"},
            "problem  database     /proc/no/moot.db cannot be used",
        ),
        ({"MOOT_DEFAULT_MODE": "guess"}, "problem  mode         There is no mode 'guess'"),
        ({"MOOT_PORT": "many"}, "problem  settings     MOOT_PORT must be a whole number."),
    ],
)
def test_a_problem_earns_one_and_says_what_to_do(
    moot: Command, environment: dict[str, str], line: str
) -> None:
    done = moot("doctor", **environment)
    assert done.code == 1
    assert line in done.out
    assert "Traceback" not in done.err


def test_the_password_of_a_database_is_not_shown(moot: Command) -> None:
    done = moot("doctor", DATABASE_URL=f"postgresql://ann:{KEY}@127.0.0.1:9/moot")
    assert done.code == 1
    assert "problem  database     postgresql://127.0.0.1/moot cannot be used" in done.out
    assert KEY not in done.out + done.err


def test_who_searches_and_embeds_is_said(moot: Command, postgres_url: str) -> None:
    done = moot("doctor", DATABASE_URL=postgres_url, MOOT_EMBEDDER="off")
    assert done.code == 0, done.out
    assert "can be opened and written. pgvector searches its vectors." in done.out
    assert "ok       embedder     It is off." in done.out


def test_a_damaged_page_in_the_middle_of_the_database_is_found(moot: Command) -> None:
    assert moot("ask", "Tabs or spaces?", "--models", QUICK).code == 0
    file = moot.home / "moot" / "moot.db"
    whole = moot("doctor")
    assert whole.code == 0
    assert f"ok       integrity    {file} was read in full and is intact." in whole.out
    with file.open("r+b") as pages:
        pages.seek(file.stat().st_size // 4096 // 2 * 4096)
        pages.write(random.Random(1).randbytes(4096))
    damaged = moot("doctor")
    assert damaged.code == 1
    assert f"problem  integrity    The database {file} is damaged: " in damaged.out
    assert f"with `sqlite3 {file} .recover | sqlite3 recovered.db`" in damaged.out
    assert "Traceback" not in damaged.err
