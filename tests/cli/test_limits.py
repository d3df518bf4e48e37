"""moot limits, as a person types it."""

from __future__ import annotations

from tests.cli.command import QUICK, Command


def test_limits_are_set_shown_and_held(moot: Command) -> None:
    said = moot("limits", "set", "local", "--requests-per-day", "1", "--dollars-per-month", "2.5")
    assert said.code == 0, said.err
    assert ["questions", "per", "day", "1", "0", "1"] in [line.split() for line in said.out.splitlines()]
    ask = ("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK, "--chairman", "sim/dov", "--quiet")
    assert moot(*ask).code == 0
    refused = moot(*ask)
    assert (refused.code, refused.err) == (2, "moot: Your limit of 1 question per day is reached.\n")
    [seen] = moot("limits", "--json").lines
    assert {one["name"]: one["left"] for one in seen["limits"]}["requestsPerDay"] == 0
    assert seen["own"] == {"requestsPerDay": 1, "dollarsPerMonth": 2.5}
    assert moot("limits", "set", "local", "--preset", "default").code == 0
    assert moot(*ask).code == 0


def test_a_limit_that_is_none_is_refused(moot: Command) -> None:
    refused = moot("limits", "set", "local", "--requests-per-day", "many")
    assert (refused.code, refused.err) == (2, "moot: 'many' is neither a number nor `none`\n")
    assert moot("limits", "set", "local", "--runs-at-once", "1.5").code == 2
    assert moot("limits", "set", "local", "--preset", "lax").code == 2
