from __future__ import annotations

from tests.cli.command import QUICK, Command

SIM = "sim/ada:latency=0:tps=0"


def test_insight_tells_what_was_spent_and_the_json_says_the_same(moot: Command) -> None:
    assert moot("ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK).code == 0
    done = moot("insight", "--days", "1", "--timezone", "UTC")
    [said] = moot("insight", "--days", "1", "--json").lines
    assert done.code == 0
    first, *lines = done.out.splitlines()
    assert "1 run (1 complete)" in first
    assert f"{said['totals']['calls']} calls" in first
    rows = [line.split() for line in lines]
    ada = next(one for one in said["byModel"] if one["model"] == SIM)
    assert [SIM, "(simulated)", "$0", str(ada["calls"])] in [row[:4] for row in rows]
    stages = [row[1] for row in rows if row and row[0] == "·"]
    assert stages == ["Answers", "Votes"], "by the names the page has for them"
    assert [stage["stage"] for stage in said["byMode"][0]["stages"]] == ["stage1", "vote_round"]


def test_insight_of_nothing_says_so_and_a_bad_time_zone_is_bad_use(moot: Command) -> None:
    assert moot("insight").out.endswith("no questions.\n")
    refused = moot("insight", "--timezone", "Mars")
    assert refused.code == 2
    assert "'Mars' is not a time zone" in refused.err
