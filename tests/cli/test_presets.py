"""moot presets, and asking with one, as a person types them."""

from __future__ import annotations

import json

from tests.cli.command import QUICK, Command


def test_a_preset_is_saved_used_shared_and_removed(moot: Command) -> None:
    saved = moot("presets", "save", "Quick", "--mode", "vote", "--models", QUICK, "--default")
    assert (saved.code, saved.out.split()) == (0, ["Quick", "vote", "default"])
    shared = moot("presets", "share", "Quick")
    assert shared.out.split() == ["Quick", "vote", "default,", "shared"]
    shown = json.loads(moot("presets", "show", "Quick").out)
    assert shown["config"] == {"councilModels": QUICK.split(",")}
    asked = moot("ask", "Tabs or spaces?", "--preset", "Quick", "--json")
    assert (asked.code, asked.lines[0]["type"]) == (0, "vote_start")
    again = moot("presets", "save", "Quick", "--mode", "vote", "--models", QUICK, "--set", "timeoutMs=60000")
    assert (again.code, again.out.split()) == (0, ["Quick", "vote", "default"])
    assert moot("presets", "default", "Quick", "--off").out.split() == ["Quick", "vote"]
    assert moot("presets", "delete", "Quick").code == 0
    assert moot("presets", "list").out == "No presets yet: `moot presets save` adds one.\n"


def test_what_is_said_beside_a_preset_wins(moot: Command) -> None:
    moot("presets", "save", "Quick", "--mode", "vote", "--models", QUICK, "--set", "timeoutMs=60000")
    more = ["--preset", "Quick", "--set", "timeoutMs=50000", "--chairman", "sim/dov", "--estimate", "--json"]
    [said] = moot("ask", "Tabs or spaces?", *more).lines
    assert said["models"] == [*QUICK.split(","), "sim/dov"]


def test_bad_presets_and_bad_names_are_refused(moot: Command) -> None:
    moot("presets", "save", "Quick", "--mode", "vote", "--models", QUICK)
    for words, message in (
        (
            ("presets", "save", "Few", "--mode", "vote", "--models", "sim/ada"),
            "Vote mode requires at least 3 models",
        ),
        (("presets", "save", "Quick", "--mode", "debate"), "You already have a preset 'Quick'"),
        (("ask", "Tabs?", "--preset", "Slow"), "There is no preset 'Slow'"),
        (
            ("ask", "Tabs?", "--preset", "Quick", "--mode", "debate"),
            "The preset 'Quick' is for the mode vote, not debate",
        ),
    ):
        done = moot(*words)
        assert (done.code, done.err) == (2, f"moot: {message}\n")


def test_an_estimate_says_what_it_takes_and_asks_nobody(moot: Command) -> None:
    done = moot("ask", "Tabs or spaces?", "--mode", "debate", "--models", QUICK, "--estimate")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == f"debate: at most 13 calls to 3 models: {', '.join(QUICK.split(','))}"
    assert lines[2:] == [
        "costs nothing: the models are simulated",
        "usually less than a minute",
    ]
    assert moot("runs", "--json").out == ""
    unknown = moot("ask", "Tabs?", "--mode", "debate", "--models", "x/a,x/b,sim/ada", "--estimate")
    assert unknown.out.splitlines()[2] == "cost unknown. No price is known for x/a, x/b."
    few = moot("ask", "Tabs?", "--mode", "debate", "--models", "x/a", "--estimate")
    assert (few.code, few.err) == (2, "moot: Debate mode requires at least 3 models\n")
