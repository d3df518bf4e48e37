"""Critiques: signs, issues, statuses, scores, and when a debate ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.modes.dialectic.critiques import (
    Limits,
    has_critical,
    hide_signal,
    is_ready,
    read_critique,
    read_issues,
    read_score,
    read_statuses,
    should_continue,
)
from moot.modes.dialectic.objections import Ledger

READY = "Ready for Synthesis ✅"
GARBLED = "Ready for Synthesis âœ…"
RED = "🔴 C1 | wrong | all of it"
GARBLED_RED = "ðŸ”´ C1 | wrong | all of it"
STRICT = Limits(policy="strict")


@pytest.mark.parametrize(
    ("critique", "round", "reason"),
    [
        (f"Fine.\n{READY}", 1, "ready_signal"),
        (f"Fine.\n{READY}", 5, "ready_signal"),
        (f"{RED}\n{READY}", 1, "ready_signal"),
        (f"not yet {READY}", 2, "ready_signal"),
        (f"Fine.\n{GARBLED}", 1, "ready_signal"),
        ("Ready for Synthesis ✔", 2, "ready_signal"),
        ("Ready for Synthesis ✓", 2, "ready_signal"),
        ("Ready  for\nSynthesis   ✅", 2, "ready_signal"),
        ("**Ready for Synthesis** ✅", 2, "ready_signal"),
        ("```\nReady for Synthesis ✅\n```", 2, "ready_signal"),
        ("Ready for Synthesis â\x9c\x85", 2, "ready_signal"),
        ("Ready for Synthesis ✅\ufe0f", 2, "ready_signal"),
        ("I cannot say Ready for Synthesis ✅ yet", 3, "ready_signal"),
        ("Never: Ready for Synthesis âœ…", 4, "ready_signal"),
        ("ready for synthesis", 2, None),
        ("ready for synthesis ✅", 2, None),
        ("READY FOR SYNTHESIS ✅", 2, None),
        ("Ready for a Synthesis ✅", 2, None),
        ("Ready for Synthesis: ✅", 2, None),
        ("Ready for Synthesis", 4, "no_critical_issues"),
        ("✅ Ready for Synthesis", 2, None),
        ("The question says [signal phrase], I do not.", 2, None),
        (RED, 1, None),
        (RED, 2, None),
        (RED, 3, None),
        (RED, 4, None),
        (RED, 5, "max_rounds"),
        ("🟡 M1 | weak", 1, None),
        ("🟡 M1 | weak", 2, None),
        ("🟡 M1 | weak", 3, "no_critical_issues"),
        ("🟡 M1 | weak", 4, "no_critical_issues"),
        ("🟡 M1 | weak", 5, "max_rounds"),
        (GARBLED_RED, 3, None),
        (GARBLED_RED, 4, None),
        (GARBLED_RED, 5, "max_rounds"),
        ("ð\x9f\x94´ C1 | wrong", 3, None),
        (f"{GARBLED_RED}\n{GARBLED}", 2, "ready_signal"),
        ("ðŸŸ¡ M1 | weak", 3, "no_critical_issues"),
        ("## Critical issues 🔴 – none", 3, None),
        ("", 2, None),
        ("", 3, "no_critical_issues"),
    ],
)
def test_a_debate_ends_by_the_rules_in_their_order(critique: str, round: int, reason: str | None) -> None:
    assert should_continue(critique, round, Limits()) == reason


@pytest.mark.parametrize(
    ("critique", "round", "open_critical", "reason"),
    [
        (f"Score: 9/10\n{READY}", 1, False, "ready_signal"),
        (READY, 1, False, "ready_signal"),
        (f"Score: 7/10\n{READY}", 1, False, None),
        (f"{RED}\nScore: 9/10\n{READY}", 1, False, None),
        (f"This is not yet {READY}", 1, False, None),
        (f"It isn’t {READY}", 1, False, None),
        (f"No, it was not long ago that I could call it {READY}", 1, False, "ready_signal"),
        (f"Das ist noch nicht {READY}", 1, False, None),
        (f"Fine.\n```\n{READY}\n```\nNo.", 1, False, None),
        ("🟡 M1 | weak", 3, False, "no_critical_issues"),
        ("❌ UNRESOLVED C1", 3, True, None),
        ("❌ UNRESOLVED C1", 5, True, "max_rounds"),
    ],
)
def test_the_strict_policy_believes_no_signal_that_its_critique_denies(
    critique: str, round: int, open_critical: bool, reason: str | None
) -> None:
    assert should_continue(critique, round, STRICT, open_critical) == reason


@pytest.mark.parametrize(
    ("critique", "contradictory"),
    [
        (f"Score: 9/10\n{READY}", False),
        (f"Score: 6/10\n{READY}", True),
        (f"{RED}\n{READY}", True),
        (f"not yet {READY}", True),
        ("## Critical issues 🔴 – none", True),
        (RED, False),
        ("❌ UNRESOLVED C7 - still wrong", True),
        ("✅ RESOLVED C7 - mended", False),
    ],
)
def test_a_critique_that_contradicts_itself_is_marked(critique: str, contradictory: bool) -> None:
    known = [("C7", "critical", "old")]
    assert read_critique(critique, Limits(), known).contradictory_signal is contradictory  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"What is {READY}?", "What is [signal phrase]?"),
        (GARBLED, "[signal phrase]"),
        ("READY FOR SYNTHESIS ✔️", "[signal phrase]"),
        ("ready for synthesis", "ready for synthesis"),
        ("Ready for Synthesis\ufe0f✅ so", "[signal phrase] so"),
    ],
)
def test_the_skeptic_is_shown_no_signal_that_it_could_quote(text: str, shown: str) -> None:
    assert hide_signal(text) == shown
    assert not is_ready(hide_signal(text))


PIECES = (
    *("Ready", "ready", "for", "Synthesis", "Ready for Synthesis", "✅", "✔", "✓", "âœ…", "a\u0302œ…"),
    *(" ", "\n", "\u00a0", "*", "_", "`", "\ufe0f", "\u200b", "â\x9c\x85", "[signal phrase]"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_nothing_that_is_quoted_word_for_word_gives_the_signal(text: str) -> None:
    assert not is_ready(hide_signal(text))


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ("🔴 C1 | The premise | line 2\nwhy\nhow", [("C1", "critical", "The premise", "line 2", "why\nhow")]),
        ("- **🟡 M2 | Weak** | end", [("M2", "major", "Weak", "end", "")]),
        ("🟢 no id here", [("N1", "minor", "no id here", None, "")]),
        ("🔴 C3 | a\n🔴 | b", [("C3", "critical", "a", None, ""), ("C4", "critical", "b", None, "")]),
        ("🔴 C1: a\n## Score\nScore: 3", [("C1", "critical", "a", None, "")]),
        ("ðŸ”´ C1 | garbled", [("C1", "critical", "garbled", None, "")]),
        ("🔴 | Old trouble", [("C7", "critical", "Old trouble", None, "")]),
        ("## 🔴 Critical issues\n🔴 Critical: none\n🟢 no minor issues", []),
        ("no issues", []),
        ("🔴 C1 | a\nwhy\n\nReady for Synthesis ✅", [("C1", "critical", "a", None, "why")]),
    ],
)
def test_issues_are_read(text: str, issues: list[Any]) -> None:
    read = read_issues(text, [("C7", "critical", "old trouble!")] if "Old" in text else [])
    assert [(one.id, one.severity, one.title, one.where, one.body) for one in read] == issues


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("✅ RESOLVED C1 - a source", ("C1", "resolved", "a source", None)),
        ("⚠️ PARTIALLY RESOLVED C1 - half", ("C1", "partial", "half", None)),
        ("⚠ PARTIALLY RESOLVED C1", ("C1", "partial", "", None)),
        ("âš ï¸ PARTIALLY RESOLVED C1", ("C1", "partial", "", None)),
        ("❌ UNRESOLVED C1 - why", ("C1", "unresolved", "why", None)),
        ("âŒ UNRESOLVED C1", ("C1", "unresolved", "", None)),
        ("UNRESOLVED C1", ("C1", "unresolved", "", None)),
        ("- **Resolved**: C1", ("C1", "resolved", "C1", None)),
        ("partially resolved C1", ("C1", "partial", "", None)),
        ("✅ RESOLVED M9 - new to me", ("M9", "resolved", "new to me", True)),
    ],
)
def test_statuses_are_read(line: str, status: Any) -> None:
    (read,) = read_statuses(line, ["C1"])
    assert (read.id, read.status, read.note, read.unknown_id) == status


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("**Score:** 85%", 8.5),
        ("Score: 7/10 … Score: 9/10", 9),
        ("Score: ten", None),
        ("Score: 7.5", 7.5),
        ("Score = 8 / 10", 8),
        ("Score: 85/100", 8.5),
        ("Score: 85", None),
        ("Score: 0/10", None),
        ("## Score\n**Score: 6/10**", 6),
        ("Overall score: 4", 4),
    ],
)
def test_a_score_is_read(text: str, score: float | None) -> None:
    assert read_score(text) == score


def test_the_ledger_follows_every_objection_through_the_rounds() -> None:
    ledger = Ledger()
    for round, text in enumerate(
        (
            "🔴 C1 | premise\n🟡 M1 | vague\n🟢 N1 | style",
            "⚠️ PARTIALLY RESOLVED C1\n✅ RESOLVED M1\n✅ RESOLVED X9\n🔴 C1 | premise\n🟡 M2 | new",
            "✅ RESOLVED C1\n❌ UNRESOLVED M2",
        ),
        1,
    ):
        ledger.record(round, read_critique(text, Limits(), ledger.known_issues))
    history = {
        entry.id: [(status.round, status.status) for status in entry.history] for entry in ledger.objections
    }
    assert history == {
        "C1": [(1, "raised"), (2, "partial"), (3, "resolved")],
        "M1": [(1, "raised"), (2, "resolved")],
        "N1": [(1, "raised")],
        "M2": [(2, "raised"), (3, "unresolved")],
    }
    assert ledger.open_ids == ["N1", "M2"]
    assert ledger.open_issues().model_dump() == {"critical": 0, "major": 1, "minor": 1}


def test_an_objection_that_is_listed_again_is_open_whatever_its_status_says() -> None:
    first = read_critique("🔴 C1 | premise", Limits())
    ledger = Ledger.of([first])
    ledger.record(2, read_critique("✅ RESOLVED C1\n🔴 C1 | premise", Limits(), ledger.known_issues))
    assert ledger.entries["C1"].status == "unresolved"


@given(
    st.text()
    | st.lists(st.sampled_from(["🔴", "✅", "C1", "\n", READY, " ", "|", "Score: 7", "🟢 "])).map("".join)
)
def test_no_critique_makes_the_readers_raise(text: str) -> None:
    read = read_critique(text, Limits())
    assert len({issue.id for issue in read.issues}) == len(read.issues)
    assert read.ready == is_ready(text)
    assert read.has_critical == has_critical(text)
    assert read.score is None or 1 <= read.score <= 10
    Ledger.of([read, read_critique(text, Limits(), [("C1", "critical", "x")])])


@given(st.text(max_size=300), st.integers(1, 7), st.sampled_from(["seed", "strict"]))
def test_no_debate_outlasts_its_last_round(text: str, last: int, policy: Any) -> None:
    assert should_continue(text, last, Limits(1, last, 8, policy)) is not None
