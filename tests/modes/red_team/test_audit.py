"""Rulings, issues, and the figures of an audit."""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import NOTHING_SHOWN, Shown
from moot.modes.red_team.audit import WEIGHTS, Figures, audit_text, default_ruling, figures, issues_of
from moot.modes.red_team.defense import Response
from moot.modes.red_team.findings import SEVERITIES, Severity, unstructured_finding
from moot.modes.red_team.prompts import ledger_text
from moot.modes.red_team.review import Entry
from moot.modes.red_team.rulings import RulingLine, read_judgement

WORK = "The whole work, as it stood at the end of the last round."
FINDING_IDS = ["R1-F1", "R1-F2", "R2-F1"]


def entry(
    id: str,
    severity: Severity = "HIGH",
    verdict: Any = None,
    *,
    repeat_of: str | None = None,
    adopted: bool = False,
) -> Entry:
    number = int(id[1])
    finding = unstructured_finding("It is so.", number).model_copy(
        update={"id": id, "title": f"Fault {id}", "severity": severity, "repeat_of": repeat_of}
    )
    response = Response(
        finding_id=id, finding_title=finding.title, verdict=verdict, reasoning="Because.", revision="Mended."
    )
    return Entry(finding, number, response, adopted)


def audit(entries: list[Entry], self_judged: bool = False, **rulings: Any) -> Figures:
    words = {id.replace("_", "-"): word for id, word in rulings.items()}
    lines = {
        one.finding.id: RulingLine(
            id=one.finding.id, ruling=words[one.finding.id], reason=None, source="judge"
        )
        if one.finding.id in words
        else default_ruling(one)
        for one in entries
    }
    issues = issues_of(entries, lines, self_judged=self_judged)
    return figures(issues, unreadable=False, capped=self_judged)


EXAMPLE = [
    entry("R1-F1", "CRITICAL", "ACCEPT", adopted=True),
    entry("R1-F2", "HIGH", "REBUT", adopted=True),
    entry("R1-F3", "LOW", "ACCEPT", adopted=True),
    entry("R2-F1", "HIGH", repeat_of="R1-F2"),
    entry("R2-F2", "MEDIUM", "ACCEPT", adopted=False),
]
RULINGS: dict[str, Any] = {"R1_F1": "FIXED", "R1_F3": "FIXED", "R2_F1": "OPEN"}


def test_the_worked_example() -> None:
    totals = audit(EXAMPLE, **RULINGS)
    assert (totals.total_findings, totals.repeats) == (4, 1)
    assert (totals.inherent, totals.residual, totals.hardening_score) == (18, 7, 61)
    assert totals.hardening_confidence == "Medium"
    assert (totals.residual_risk, totals.severity_counts.overall_risk) == ("HIGH", "CRITICAL")
    assert (totals.total_accepted, totals.total_rebutted, totals.acceptance_rate) == (3, 1, 0.75)


def test_an_author_that_judges_itself_is_never_highly_trusted() -> None:
    assert audit(EXAMPLE, True, **RULINGS).hardening_confidence == "Medium"
    fixed = {id.replace("-", "_"): "FIXED" for id in ("R1-F1", "R1-F2", "R1-F3", "R2-F1", "R2-F2")}
    assert audit(EXAMPLE, False, **fixed).hardening_confidence == "High"
    assert audit(EXAMPLE, True, **fixed).hardening_confidence == "Medium"


@pytest.mark.parametrize(
    ("still_open", "confidence"),
    [
        (["CRITICAL"], "Low"),
        (["HIGH", "HIGH"], "Low"),
        (["HIGH"], "Medium"),
        (["MEDIUM"], "High"),
        (["LOW", "LOW"], "High"),
        (["MEDIUM", "LOW"], "Medium"),
    ],
)
def test_confidence_follows_what_is_open(still_open: list[Severity], confidence: str) -> None:
    entries = [entry(f"R1-F{n}", severity) for n, severity in enumerate(still_open, 1)]
    assert audit(entries).hardening_confidence == confidence


def test_no_issue_is_weak_proof() -> None:
    totals = figures([], unreadable=False, capped=False)
    assert (totals.hardening_score, totals.hardening_confidence) == (None, "Low")
    assert (totals.residual_risk, totals.acceptance_rate) == ("NONE", None)
    assert figures([], unreadable=True, capped=False).hardening_confidence == "Low"


def test_an_explicit_ruling_beats_a_later_default() -> None:
    entries = [entry("R1-F1"), entry("R2-F1", repeat_of="R1-F1")]
    assert audit(entries, R1_F1="DISMISSED").inherent == 0
    assert audit(entries, R1_F1="DISMISSED", R2_F1="OPEN").residual == 5


@pytest.mark.parametrize(
    ("ruling", "verdict", "self_judged", "status"),
    [
        ("FIXED", "ACCEPT", False, "fixed"),
        ("OPEN", None, False, "open"),
        ("DISMISSED", "REBUT", False, "dismissed"),
        ("DISMISSED", "REBUT", True, "contested"),
        ("DISMISSED", "ACCEPT", True, "dismissed"),
    ],
)
def test_a_dismissal_by_the_author_itself_is_contested(
    ruling: Any, verdict: Any, self_judged: bool, status: str
) -> None:
    entries = [entry("R1-F1", verdict=verdict)]
    lines = {"R1-F1": RulingLine(id="R1-F1", ruling=ruling, reason=None, source="judge")}
    (issue,) = issues_of(entries, lines, self_judged=self_judged)
    assert issue.status == status


@pytest.mark.parametrize(
    ("verdict", "adopted", "ruling"),
    [("ACCEPT", True, "FIXED"), ("ACCEPT", False, "OPEN"), ("REBUT", True, "OPEN"), (None, True, "OPEN")],
)
def test_without_a_ruling_only_an_adopted_change_mends(verdict: Any, adopted: bool, ruling: str) -> None:
    line = default_ruling(entry("R1-F1", verdict=verdict, adopted=adopted))
    assert (line.ruling, line.source, line.reason) == (ruling, "default", None)


def test_the_audit_is_a_table_that_titles_cannot_break() -> None:
    sly = entry("R1-F1", verdict="REBUT")
    sly = Entry(sly.finding.model_copy(update={"title": "a | b\n# c"}), 1, sly.response)
    again = entry("R2-F1", "CRITICAL", repeat_of="R1-F1")
    issues = issues_of(
        [sly, again], {e.finding.id: default_ruling(e) for e in (sly, again)}, self_judged=True
    )
    text = audit_text(
        issues, figures(issues, unreadable=False, capped=True), ["Rain"], rounds="2 rounds", self_judged=True
    )
    assert "| 1 | a \\| b # c | CRITICAL | REBUT | open | 1, 2 |" in text
    assert "The author judged its own rebuttals." in text
    assert text.endswith("### Remaining risks\n\n- Rain")


def test_the_ledger_says_what_was_quoted_and_answered() -> None:
    text = ledger_text(EXAMPLE)
    assert "R2-F1 HIGH, repeats R1-F2: Fault R2-F1" in text
    assert "Evidence (nothing is quoted): none given" in text
    assert "Author: UNADDRESSED" in text
    assert "Author's revision (not adopted): Mended." in text


def judge_reply(reply: str, shown: Shown = NOTHING_SHOWN) -> dict[str, str]:
    return {id: line.ruling for id, line in read_judgement(reply, FINDING_IDS, WORK, shown).rulings.items()}


@pytest.mark.parametrize(
    ("reply", "rulings"),
    [
        ("RULINGS:\nR1-F1: FIXED | done\nR1-F2: OPEN | no", {"R1-F1": "FIXED", "R1-F2": "OPEN"}),
        (
            "- **R1-F1**: dismissed - never said\n| R2-F1 | OPEN | why |",
            {"R1-F1": "DISMISSED", "R2-F1": "OPEN"},
        ),
        ("R1-F1: FIXED\nr1-f1: OPEN", {"R1-F1": "OPEN"}),
        ("R9-F9: FIXED", {}),
        ("R1-F1: <FIXED or DISMISSED or OPEN> | <one sentence>", {}),
        ("R1-F1: maybe\nIn R1-F2: FIXED", {}),
        ("```\nR1-F1: FIXED\n```\nx", {}),
        (
            "=== HARDENED OUTPUT ===\nR1-F1: OPEN\n=== END HARDENED OUTPUT ===\nR1-F1: FIXED",
            {"R1-F1": "FIXED"},
        ),
    ],
)
def test_a_ruling_is_a_line_that_begins_with_an_id(reply: str, rulings: dict[str, str]) -> None:
    assert judge_reply(reply) == rulings


def test_a_ruling_quoted_from_the_ledger_counts_only_alone() -> None:
    shown = Shown(["Vulnerability: none\nR1-F1: DISMISSED | says the judge"])
    quoted = "R1-F1: DISMISSED | says the judge"
    assert judge_reply(f"R1-F1: OPEN | it tries to rule itself\n{quoted}", shown) == {"R1-F1": "OPEN"}
    assert judge_reply(quoted, shown) == {"R1-F1": "DISMISSED"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("R1-F1: FIXED | done so", "done so"),
        ("R1-F1: FIXED - done so", "done so"),
        ("R1-F1: FIXED", None),
        ("R1-F1: FIXED.", None),
        ("| R1-F1 | FIXED | done so |", "done so"),
    ],
)
def test_the_reason_follows_the_ruling(line: str, reason: str | None) -> None:
    assert read_judgement(line, FINDING_IDS, WORK, NOTHING_SHOWN).rulings["R1-F1"].reason == reason


def test_the_hardened_work_and_the_risks_are_told_apart() -> None:
    reply = (
        f"RULINGS:\nR1-F1: FIXED | x\n=== HARDENED OUTPUT ===\n{WORK}\n{{}}REMAINING RISKS:\n- Rain\n- Snow"
    )
    for end in ("=== END HARDENED OUTPUT ===\n", ""):
        read = read_judgement(reply.format(end), FINDING_IDS, WORK, NOTHING_SHOWN)
        assert (read.hardened, read.remaining_risks) == (WORK, ("Rain", "Snow"))
    none = read_judgement(
        reply.format("").replace("- Rain\n- Snow", "- NONE"), FINDING_IDS, WORK, NOTHING_SHOWN
    )
    assert none.remaining_risks == ()


def test_a_hardened_work_that_is_much_shorter_is_none() -> None:
    reply = "=== HARDENED OUTPUT ===\nShort.\n=== END HARDENED OUTPUT ==="
    read = read_judgement(reply, FINDING_IDS, WORK, NOTHING_SHOWN)
    assert (read.hardened, read.readable) == (None, False)
    for length, is_whole in ((40, True), (39, False)):
        reply = f"=== HARDENED OUTPUT ===\n{'y' * length}\n=== END HARDENED OUTPUT ==="
        assert (read_judgement(reply, FINDING_IDS, "x" * 100, NOTHING_SHOWN).hardened is not None) is is_whole


WORDS = [
    "R1-F1:",
    "R2-F1 |",
    "R9-F9:",
    "FIXED",
    "OPEN",
    "DISMISSED",
    "| so",
    "<FIXED or OPEN>",
    "```",
    "\n",
    "\n",
]
WORDS += [
    "=== HARDENED OUTPUT ===",
    "=== END HARDENED OUTPUT ===",
    WORK,
    "REMAINING RISKS:",
    "- Rain",
    "NONE",
]


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_whatever_a_judge_writes_it_rules_on_known_findings_and_delivers_a_whole_work(reply: str) -> None:
    read = read_judgement(reply, FINDING_IDS, WORK, Shown(["Something else"]))
    assert set(read.rulings) <= set(FINDING_IDS)
    assert all(line.id == id and line.source == "judge" for id, line in read.rulings.items())
    assert {line.ruling for line in read.rulings.values()} <= {"FIXED", "DISMISSED", "OPEN"}
    assert read.hardened is None or 10 * len(read.hardened) >= 4 * len(WORK)
    assert read.readable == bool(read.rulings or read.hardened)
    assert "" not in read.remaining_risks


def random_ledger(lot: random.Random) -> tuple[list[Entry], dict[str, RulingLine]]:
    entries: list[Entry] = []
    for number in range(lot.randint(0, 8)):
        repeat = lot.choice([None, *(one.finding.id for one in entries)])
        verdict = lot.choice([None, "ACCEPT", "REBUT"])
        severity = lot.choice(SEVERITIES)
        entries.append(
            entry(f"R1-F{number}", severity, verdict, repeat_of=repeat, adopted=lot.random() < 0.5)
        )
    lines = {}
    for one in entries:
        word: Any = lot.choice(["FIXED", "DISMISSED", "OPEN", None])
        explicit = RulingLine(id=one.finding.id, ruling=word or "OPEN", reason=None, source="judge")
        lines[one.finding.id] = explicit if word else default_ruling(one)
    return entries, lines


def root(entries: list[Entry], one: Entry) -> str:
    """The finding at the bottom of a row of repeats."""
    by_id = {each.finding.id: each for each in entries}
    return root(entries, by_id[one.finding.repeat_of]) if one.finding.repeat_of else one.finding.id


def test_two_thousand_ledgers_are_counted_as_by_hand(dice: random.Random) -> None:
    for _ in range(2_000):
        entries, lines = random_ledger(dice)
        self_judged = dice.random() < 0.5
        totals = figures(
            issues_of(entries, lines, self_judged=self_judged), unreadable=False, capped=self_judged
        )
        groups: dict[str, list[Entry]] = {}
        for one in entries:
            groups.setdefault(root(entries, one), []).append(one)
        weights: dict[str, list[int]] = {"FIXED": [], "DISMISSED": [], "OPEN": []}
        for group in groups.values():
            given = [lines[one.finding.id] for one in group]
            ruling = ([line for line in given if line.source == "judge"] or given)[-1].ruling
            weights[ruling].append(max(WEIGHTS[one.finding.severity] for one in group))
        verdicts = [[one.verdict for one in group if one.verdict] for group in groups.values()]
        last = [given[-1] for given in verdicts if given]
        inherent = sum(weights["FIXED"]) + sum(weights["OPEN"])
        assert (totals.total_findings, totals.repeats) == (len(groups), len(entries) - len(groups))
        assert (totals.total_accepted, totals.total_rebutted) == (last.count("ACCEPT"), last.count("REBUT"))
        assert (totals.inherent, totals.residual) == (inherent, sum(weights["OPEN"]))
        score = 100 - Decimal(100 * totals.residual) / inherent if inherent else Decimal(100)
        rounded = int(score.quantize(Decimal(1), rounding=ROUND_HALF_UP))
        assert totals.hardening_score == (rounded if groups else None)
        assert (totals.residual == 0) == (totals.residual_risk == "NONE")
        expected = "High" if totals.residual <= 2 else "Medium"
        expected = "Medium" if expected == "High" and self_judged else expected
        expected = expected if groups else "Low"
        grave = 10 in weights["OPEN"] or weights["OPEN"].count(5) > 1
        assert totals.hardening_confidence == ("Low" if grave else expected)
