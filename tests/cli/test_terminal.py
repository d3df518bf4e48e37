from __future__ import annotations

import re

from rich.cells import cell_len

from tests.cli.command import QUICK, Command
from tests.cli.pseudo_terminal import on_terminal

SPOKEN = ",".join(f"sim/{name}:latency=50:tps=900" for name in ("ada", "bo", "cleo"))
LATE = "sim/dov:latency=300:fail=1:fail_as=credit"


def test_every_seat_speaks_in_a_panel_of_its_own(moot: Command) -> None:
    shown = on_terminal(moot, "ask", "Tabs or spaces?", "--mode", "vote", "--models", SPOKEN)
    assert shown.code == 0
    for number, name in enumerate(("ada", "bo", "cleo"), 1):
        assert f"─ {number}. sim/{name}:latency=50:tps=900 ─" in shown.text
    assert re.search(
        r"vote · Answers · \d\.\d s · \d calls? · [\d,]+ tokens? · \$0\.00 · simulated", shown.text
    )
    assert "vote · Votes ·" in shown.text
    assert "better choice" in shown.text


def test_stages_stay_and_the_answer_comes_last_as_markdown(moot: Command) -> None:
    shown = on_terminal(moot, "ask", "Tabs or spaces?", "--mode", "vote", "--models", QUICK)
    kept = [
        shown.text.index(part) for part in ("● Answers", "● Votes", "█", "● Winner", "Answer (simulated)")
    ]
    assert kept == sorted(kept)
    answer = shown.text.partition("─ Answer (simulated)")[2]
    assert "Simulated: no language model wrote this." in answer
    assert "**" not in answer
    assert re.search(r"run [0-9a-f]{8} · conversation [0-9a-f]{8} · \d+\.\d s · 7 calls", answer)


def test_a_failure_is_shown_where_it_happens_and_above_the_answer(moot: Command) -> None:
    shown = on_terminal(moot, "ask", "Tabs or spaces?", "--models", f"{SPOKEN},{LATE}")
    assert shown.code == 3
    failure = f"✗ 4. {LATE}"
    text = " ".join(shown.text.split())
    notice, answer = "This answer is degraded: something is missing from it.", "Simulated answer: no language"
    places = [text.index("● Answers"), text.index(failure), text.rindex(notice), text.rindex(answer)]
    assert places == sorted(places)


def test_eighty_columns_are_enough(moot: Command) -> None:
    shown = on_terminal(moot, "ask", "Tabs or spaces? " * 20, "--models", f"{SPOKEN},{LATE}", columns=80)
    assert max(cell_len(line) for line in shown.text.splitlines()) <= 80
    for words in (["runs"], ["modes"]):
        listed = on_terminal(moot, *words, columns=80)
        assert listed.code == 0
        assert max(cell_len(line) for line in listed.text.splitlines()) <= 80


def test_a_small_terminal_shows_what_fits(moot: Command) -> None:
    shown = on_terminal(moot, "ask", "Tabs or spaces?", "--models", SPOKEN, columns=40, rows=8)
    assert shown.code == 0
    assert "● Synthesis" in shown.text


def test_no_color_is_respected(moot: Command) -> None:
    colour = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|9[0-7]|38;)[0-9;]*m")
    words = ("ask", "Tabs or spaces?", "--models", QUICK)
    assert colour.search(on_terminal(moot, *words).raw)
    assert not colour.search(on_terminal(moot, *words, NO_COLOR="1").raw)


def test_a_dumb_terminal_and_plain_get_lines(moot: Command) -> None:
    words = ("ask", "Tabs or spaces?", "--models", QUICK)
    for shown in (on_terminal(moot, *words, TERM="dumb"), on_terminal(moot, *words, "--plain")):
        assert "\nAnswers\n" in f"\n{shown.text}"
        assert b"\x1b" not in shown.raw


def test_ctrl_c_takes_the_panels_away_and_says_how_to_go_on(moot: Command) -> None:
    slow = ",".join(f"sim/{name}:latency=0:tps=5" for name in ("ada", "bo"))
    shown = on_terminal(moot, "ask", "Tabs or spaces?", "--models", slow, interrupt_at=b"1. sim/ada")
    assert shown.code == 130
    assert re.search(r"`moot resume [0-9a-f]{8}`\s+continues\s+it", shown.text)
    assert b"\x1b[?25h" in shown.raw.rpartition(b"\x1b[?25l")[2], "the cursor is shown again"
    [run] = moot("runs", "--json").lines
    assert run["status"] == "running"
