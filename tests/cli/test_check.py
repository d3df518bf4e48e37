"""A panel's judgement as an exit code: 0 pass, 1 fail, 2 usage error, 3 unclear."""

from __future__ import annotations

import json
from typing import Any

import pytest

from moot.testing import ModelServerProcess
from tests.cli.command import Command
from tests.modes.fact_check.test_pipeline import CHECKERS, CLAIMS, COMMENTARY, EXTRACTOR, block, listing
from tests.modes.fact_check.test_pipeline import TEXT as TOWER
from tests.modes.jury.test_pipeline import FOREMAN, JURORS, REPORT, card

TEXT = "We move the office to Lisbon in May."
PANEL = ("--models", ",".join(JURORS), "--chairman", FOREMAN)
BEFORE = {FOREMAN: REPORT, "t/title": "Lisbon"}


def judged(moot: Command, verdicts: list[str], *words: str) -> Any:
    script = {name: card(6, 6, 6, 6, 6, verdict=one) for name, one in zip(JURORS, verdicts, strict=True)}
    with ModelServerProcess({"models": {**script, **BEFORE}}) as models:
        command = Command(moot.home, {**models.environment, "MOOT_TITLE_MODEL": "t/title"})
        return command("check", "-", *PANEL, *words, stdin=TEXT)


@pytest.mark.parametrize(
    ("verdicts", "code", "first"),
    [
        (["APPROVE", "APPROVE", "REVISE"], 0, "PASS: APPROVE"),
        (["REJECT", "REJECT", "APPROVE"], 1, "FAIL: REJECT"),
        (["perhaps", "perhaps", "perhaps"], 1, "FAIL: REVISE"),  # what the scores say counts
    ],
)
def test_the_majority_of_a_jury_decides(moot: Command, verdicts: list[str], code: int, first: str) -> None:
    done = judged(moot, verdicts)
    assert (done.code, done.out.splitlines()[0]) == (code, first)
    assert "Jurors" in done.err


def test_a_jury_that_cannot_be_had_is_unclear(moot: Command) -> None:
    down = {juror: {"status": 402, "message": "Empty."} for juror in JURORS}
    with ModelServerProcess({"models": {**down, **BEFORE}}) as models:
        command = Command(moot.home, {**models.environment, "MOOT_TITLE_MODEL": "t/title"})
        done = command("check", "-", *PANEL, stdin=TEXT)
    assert done.code == 3
    assert done.out.startswith("UNCLEAR")
    assert "Empty." in done.out


def test_the_verdict_names_who_disagrees_and_why(moot: Command) -> None:
    verdict = json.loads(judged(moot, ["APPROVE", "APPROVE", "REVISE"], "--json").out)
    assert (verdict["outcome"], verdict["passed"], verdict["agreement"]) == ("APPROVE", True, 0.6667)
    assert verdict["dissent"] == [
        {"seat": 3, "model": "c/cyd", "position": "REVISE", "reason": "No dates"},
    ]
    assert verdict["status"] == "complete"


def test_of_several_files_each_is_judged_and_the_worst_counts(moot: Command) -> None:
    good, bad, empty = (moot.home / name for name in ("good.md", "bad.md", "empty.md"))
    good.write_text(TEXT)
    bad.write_text("We close the office.")
    empty.write_text("\n")
    cards = [card(8, 8, 8, 8, 8, verdict="APPROVE"), card(2, 2, 2, 2, 2, verdict="REJECT")]
    script = dict.fromkeys(JURORS, cards)
    with ModelServerProcess({"models": {**script, **BEFORE}}) as models:
        command = Command(moot.home, {**models.environment, "MOOT_TITLE_MODEL": "t/title"})
        done = command("check", "--skip-empty", *map(str, (good, empty, bad)), *PANEL)
    assert done.code == 1
    assert [line for line in done.out.splitlines() if "PASS" in line or "FAIL" in line] == [
        f"{good}: PASS: APPROVE",
        f"{bad}: FAIL: REJECT",
    ]
    assert f"{empty} is empty: there is nothing to judge." in done.err


@pytest.mark.parametrize(
    ("words", "stdin", "message"),
    [
        (["no-such-file"], "", "moot: no-such-file cannot be read: No such file or directory"),
        (["-"], " \n", "moot: There is nothing to judge: the text is empty"),
        (
            ["-", "--mode", "vote"],
            TEXT,
            "moot: Vote cannot judge a text: use jury, peer_review, fact_check or red_team",
        ),
        (["-", "--mode", "red-team", "--brief", "x"], TEXT, "moot: --brief needs --mode jury"),
    ],
)
def test_bad_use_starts_nothing(moot: Command, words: list[str], stdin: str, message: str) -> None:
    done = moot("check", *words, stdin=stdin)
    assert (done.code, done.out, done.err) == (2, "", f"{message}\n")


def test_a_fact_check_says_which_claims_are_disputed_and_which_nobody_could_decide(moot: Command) -> None:
    checks = "\n\n".join(block(f"claim_{number}", code) for number, code in enumerate(("VH", "DH", "UH"), 1))
    script = {
        **dict.fromkeys(CHECKERS, checks),
        EXTRACTOR: [listing(CLAIMS[:3]), COMMENTARY],
        "t/title": "A tower",
    }
    roles = ("--set", f"extractorModel={EXTRACTOR}", "--set", f"reporterModel={EXTRACTOR}")
    with ModelServerProcess({"models": script}) as models:
        command = Command(moot.home, {**models.environment, "MOOT_TITLE_MODEL": "t/title"})
        done = command(
            "check", "-", "--mode", "fact_check", "--models", ",".join(CHECKERS), *roles, stdin=TOWER
        )
    assert (done.code, done.out.splitlines()) == (
        1,
        [
            "FAIL: 1 verified, 1 disputed, 1 unverifiable",
            "  Disputed:",
            "  - The Eiffel Tower is 330 m high.",
            "  Agreed:",
            "  - The Eiffel Tower opened in 1887.",
            "  Undecided:",
            "  - Nobody liked the Eiffel Tower.",
        ],
    )
