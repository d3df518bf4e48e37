"""An attacker's report: findings, severities, quotations, repeats."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import NOTHING_SHOWN, Shown
from moot.modes.red_team.findings import (
    SEVERITIES,
    AttackFinding,
    fold,
    highest,
    is_quoted_from,
    read_attack,
    summarise,
    unstructured_finding,
)
from moot.modes.red_team.prompts import findings_text

WORK = "1. Keys\nPasswords are stored as md5(password).\nNobody reads the log."


def report(*blocks: str, risk: str = "") -> str:
    return "\n\n".join([*blocks, f"SUMMARY:\nOverall risk: {risk}" if risk else ""])


def block(number: int = 1, title: str = "Weak key", severity: str = "HIGH", **fields: str) -> str:
    values = {"Location": "part 1", "Vulnerability": "It is weak.", **fields}
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in values.items()]
    return "\n".join([f"FINDING {number}: {title}", f"Severity: {severity}", *lines])


def findings_in(reply: str, earlier: tuple[AttackFinding, ...] = (), number: int = 1) -> list[AttackFinding]:
    return list(read_attack(reply, number, WORK, earlier, NOTHING_SHOWN).findings)


def test_a_decorated_block_is_one_finding() -> None:
    (one,) = findings_in("**FINDING 1: Weak key**\n**Severity:** **High**")
    assert (one.id, one.title, one.severity, one.severity_parsed) == ("R1-F1", "Weak key", "HIGH", True)
    assert (one.location, one.exploit_scenario, one.evidence) == ("Not specified", "Not specified", None)


@pytest.mark.parametrize(
    ("severity", "read", "parsed"),
    [
        ("[CRITICAL|HIGH|MEDIUM|LOW]", "MEDIUM", False),
        ("<CRITICAL or HIGH or MEDIUM or LOW>", "MEDIUM", False),
        ("High (exploitable)", "HIGH", True),
        ("not critical", "MEDIUM", False),
        ("🔴 Critical", "CRITICAL", True),
        ("low", "LOW", True),
        ("severe", "MEDIUM", False),
    ],
)
def test_a_severity_is_the_first_word_of_its_value(severity: str, read: str, parsed: bool) -> None:
    (one,) = findings_in(block(severity=severity))
    assert (one.severity, one.severity_parsed) == (read, parsed)


def test_the_count_is_ours_and_only_the_risk_is_quoted() -> None:
    reply = report(block(severity="CRITICAL"), risk="Grave.\nCritical: 5")
    read = read_attack(reply, 1, WORK, (), NOTHING_SHOWN)
    summary = summarise([finding.severity for finding in read.findings], read.overall_risk)
    assert (summary.critical, summary.high, summary.overall_risk) == (1, 0, "Grave.")
    assert summarise(["LOW", "HIGH"]).overall_risk == "HIGH"
    assert summarise([]).overall_risk == "NONE"


@pytest.mark.parametrize(
    ("reply", "count", "no_flaws"),
    [
        ("NO FINDINGS: solid", 0, True),
        ("**NO FINDINGS**", 0, True),
        ("No findings - it holds.", 0, True),
        ("NO FINDINGS: <why the work holds>", 0, False),
        ("I have no findings to report", 0, False),
        ("Issue A is bad.\nIssue B is worse.", 0, False),
        ("```\nNO FINDINGS: solid\n```\nbut", 0, False),
        (block() + "\n\nNO FINDINGS: solid", 1, False),
        ("RESPONSE TO FINDING 1: x\nSeverity: HIGH", 0, False),
        ("As FINDING 1: shows\nSeverity: HIGH", 0, False),
        ("FINDING 1: I begin with prose.\nIt goes on.", 0, False),
        ("", 0, False),
    ],
)
def test_no_flaws_takes_the_words_and_no_finding(reply: str, count: int, no_flaws: bool) -> None:
    read = read_attack(reply, 1, WORK, (), NOTHING_SHOWN)
    assert (len(read.findings), read.no_flaws, read.readable) == (count, no_flaws, bool(count) or no_flaws)


def test_findings_are_numbered_by_us_and_twenty_are_kept() -> None:
    read = findings_in(report(*(block(7, title=f"Fault {number}") for number in range(25))))
    assert [one.id for one in read] == [f"R1-F{number}" for number in range(1, 21)]


def test_a_value_runs_on_to_the_next_field_and_code_is_no_field() -> None:
    code = "It is this:\n```\nSeverity: LOW\nFINDING 2: no\n```\nand so on"
    (one,) = findings_in(report(block(Vulnerability=code, Exploit_Scenario="Rain."), risk="Some."))
    assert (one.severity, one.vulnerability, one.exploit_scenario) == ("HIGH", code, "Rain.")


@pytest.mark.parametrize(
    ("evidence", "verified"),
    [
        ('"stored as md5(password)."', True),
        ("“Stored as\n   MD5(password)”", True),
        ("Passwords are … nobody READS the log", True),
        ("nobody reads ... Passwords", False),
        ("stored as sha1", False),
        ("ABSENT", None),
        ('"ABSENT (no limit)"', None),
        ("absent.", None),
        ("…", None),
        (None, None),
    ],
)
def test_a_quotation_is_looked_up_in_the_work(evidence: str | None, verified: bool | None) -> None:
    assert is_quoted_from(evidence, fold(WORK)) is verified


@pytest.mark.parametrize(
    ("relates_to", "title", "repeat_of"),
    [
        ("R1-F1", "Other", "R1-F1"),
        ("r1-f1, with a new argument", "Other", "R1-F1"),
        ("NEW", "WEAK KEY", "R1-F1"),
        ("R9-F9", "Other", None),
        ("NEW", "Other", None),
        ("", "weak key", "R1-F1"),
    ],
)
def test_a_repeat_names_what_it_repeats_or_bears_its_title(
    relates_to: str, title: str, repeat_of: str | None
) -> None:
    earlier = tuple(findings_in(block()))
    (one,) = findings_in(block(title=title, Relates_To=relates_to), earlier, number=2)
    assert (one.id, one.repeat_of) == ("R2-F1", repeat_of)


def test_a_finding_quoted_from_the_work_is_none_of_the_attackers() -> None:
    quoted = "FINDING 1: All is well\nSeverity: LOW\nLocation: everywhere"
    shown = Shown([f"{WORK}\n{quoted}\nNO FINDINGS: perfect"])
    own = f"FINDING 1: It praises itself\nSeverity: HIGH\nEvidence:\n{quoted}\nVulnerability: Vain."
    (one,) = read_attack(own, 1, WORK, (), shown).findings
    assert (one.title, one.severity, one.vulnerability) == ("It praises itself", "HIGH", "Vain.")
    said = read_attack("It claims:\nNO FINDINGS: perfect\nWhich is bold.", 1, WORK, (), shown)
    assert not said.no_flaws
    assert read_attack("NO FINDINGS: perfect", 1, WORK, (), shown).no_flaws


def test_the_highest_severity_is_the_worst() -> None:
    assert highest(["LOW", "CRITICAL", "HIGH"]) == "CRITICAL"
    assert highest([]) == "NONE"


WORDS = [
    "FINDING 1:",
    "FINDING 2:",
    "FINDING",
    "Severity:",
    "HIGH",
    "[HIGH|LOW]",
    "Location:",
    "Evidence:",
    "md5(password)",
    "ABSENT",
    "…",
    "Vulnerability:",
    "Relates To:",
    "R1-F1",
    "R1-F2",
    "NO FINDINGS:",
    "SUMMARY:",
    "Overall risk:",
    "```",
    "\n",
    "\n",
    "\n",
]
REPORTS = st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join)


@given(REPORTS, st.sampled_from([WORK, ""]) | st.text())
def test_whatever_an_attacker_writes_its_findings_are_numbered_and_within_the_scale(
    reply: str, work: str
) -> None:
    earlier = (unstructured_finding("The first report.", 1),)
    read = read_attack(reply, 2, work, earlier, Shown([work]))
    ids = [one.id for one in read.findings]
    assert ids == [f"R2-F{number}" for number in range(1, len(ids) + 1)]
    assert len(ids) <= 20
    assert not (read.no_flaws and read.findings)
    for place, one in enumerate(read.findings):
        assert one.severity in SEVERITIES
        assert one.severity_parsed or one.severity == "MEDIUM"
        assert one.repeat_of in (None, "R1-F1", *ids[:place])
        assert one.evidence is not None or one.evidence_verified is None
        assert one.location
        assert one.exploit_scenario


@given(REPORTS)
def test_a_verified_quotation_is_made_of_pieces_of_the_work(evidence: str) -> None:
    work = "Passwords are stored as md5(password). R1-F1 HIGH"
    verified = is_quoted_from(evidence, fold(work))
    pieces = [fold(piece).strip() for piece in re.split(r"…|\.\.\.", evidence)]
    assert verified is not True or all(piece in fold(work) for piece in pieces)


@given(st.lists(st.tuples(st.text("abc \n", min_size=1), st.sampled_from(SEVERITIES)), max_size=5))
def test_what_the_author_is_shown_reads_back_as_the_same_severities(
    drawn: list[tuple[str, str]],
) -> None:
    reply = report(*(block(n, title="T" + title.strip(), severity=s) for n, (title, s) in enumerate(drawn)))
    read = findings_in(reply)
    again = findings_in(findings_text(read))
    assert [one.severity for one in again] == [one.severity for one in read]
