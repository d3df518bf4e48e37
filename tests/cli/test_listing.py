from __future__ import annotations

from moot.modes import MODES
from moot.testing import ModelServerProcess
from tests.cli.command import Command

LISTED = {
    "id": "openai/o3",
    "name": "OpenAI: o3",
    "context_length": 200_000,
    "pricing": {"prompt": "0.000002", "completion": "0.000008"},
}


def test_modes_are_listed_in_their_order(moot: Command) -> None:
    rows = moot("modes").out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == list(MODES)


def test_modes_as_json_carry_the_schema_of_what_can_be_set(moot: Command) -> None:
    modes = {mode["id"]: mode for mode in moot("modes", "--json").lines}
    assert modes["vote"]["available"]
    assert modes["vote"]["configSchema"]["properties"]["councilModels"]["items"]["format"] == "model"


def test_models_have_context_and_prices(moot: Command) -> None:
    with ModelServerProcess({"listed": [LISTED, {"id": "a/other"}]}) as models:
        done = moot("models", "O3", **models.environment)
        as_json = moot("models", "o3", "--json", **models.environment)
    assert done.out.splitlines()[1].split() == [
        "openai/o3",
        "openrouter",
        "200,000",
        "2.00",
        "8.00",
        "OpenAI:",
        "o3",
    ]
    assert "a/other" not in done.out
    [model] = as_json.lines
    assert (model["contextLength"], model["promptPrice"], model["completionPrice"]) == (200_000, 2.0, 8.0)


def test_a_provider_that_gives_no_list_is_named_on_stderr(moot: Command) -> None:
    done = moot("models", OPENAI_BASE_URL="http://127.0.0.1:9")
    assert done.code == 0
    assert "sim/ada" in done.out
    assert "openai: Could not reach OpenAI at http://127.0.0.1:9" in done.err
