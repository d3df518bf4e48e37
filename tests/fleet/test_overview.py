"""moot fleet and moot doctor: who is there, what waits, and what is wrong."""

from __future__ import annotations

from pathlib import Path

from moot.testing import ModelServer
from tests.cli.command import Command
from tests.fleet.test_workers import ASK, script
from tests.harness.fleet import Fleet


async def test_the_fleet_is_listed_with_what_it_holds_and_what_waits(
    postgres_url: str, tmp_path: Path
) -> None:
    async with ModelServer(script(0)) as models, Fleet(postgres_url, models.environment) as fleet:
        moot = Command(tmp_path, {"DATABASE_URL": postgres_url})
        door = await fleet.door()
        await fleet.ask(door, ASK, until="vote_start")
        [before] = moot("fleet", "--json").lines
        findings = moot("doctor").out
        await fleet.worker("--runs", "7")
        await fleet.ask(door, {**ASK, "question": "Again?"}, until="vote_start")
        shown = moot("fleet").out
        [after] = moot("fleet", "--json").lines
    assert [(one["kind"], one["alive"], one["runs"]) for one in before["processes"]] == [("door", True, 0)]
    assert before["waiting"] == 1
    assert "nothing is working on them: start `moot worker`" in findings
    assert [(one["kind"], one["runsAtOnce"]) for one in after["processes"]] == [("door", 0), ("worker", 7)]
    assert after["processes"][1]["runs"] + after["waiting"] == 2
    assert "alive" in shown
    assert abs(after["clockMs"]) < 10_000


def test_without_postgres_there_is_no_fleet(tmp_path: Path) -> None:
    done = Command(tmp_path)("fleet")
    assert done.code == 1
    assert "SQLite stays on one machine" in done.err
