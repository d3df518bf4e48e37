"""An author's answers and its revised work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import NOTHING_SHOWN, Shown
from moot.modes.red_team.defense import Defence, read_defence, refusal
from moot.modes.red_team.findings import AttackFinding, read_attack

BEFORE = "1. Keys\nmd5 is used for every password that we keep.\n2. Logs\nNobody reads them."
TITLES = ("Weak key in the password store", "Unread logs", "No rate limit on the login form")


def findings(*titles: str) -> list[AttackFinding]:
    blocks = [f"FINDING {n}: {title}\nSeverity: HIGH" for n, title in enumerate(titles or TITLES, 1)]
    return list(read_attack("\n\n".join(blocks), 1, "", (), NOTHING_SHOWN).findings)


def response(head: str, verdict: str, more: str = "Reasoning: So it is.\nRevision: N/A") -> str:
    return f"RESPONSE TO FINDING {head}\nVerdict: {verdict}\n{more}"


def revision(text: str, end: str = "\n=== END REVISED CONTENT ===") -> str:
    return f"=== REVISED CONTENT ===\n{text}{end}"


def defence(*parts: str, shown: Shown = NOTHING_SHOWN) -> Defence:
    return read_defence("\n\n".join(parts), findings(), shown)


def verdicts(read: Defence) -> list[str | None]:
    return [one.verdict for one in read.responses]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((response("2: b", "REBUT"), response("1: a", "ACCEPT")), ["ACCEPT", "REBUT", None]),
        ((response("1: a", "**Accepted.**"), response("#2 - b", "Rebuttal")), ["ACCEPT", "REBUT", None]),
        ((response(": Weak key in the password storage", "ACCEPT"),), ["ACCEPT", None, None]),
        ((response("9: Unread log", "REBUT"),), [None, "REBUT", None]),
        ((response("9: Something else entirely", "REBUT"),), [None, None, None]),
        ((response("R1-F2: b", "REBUT"),), [None, "REBUT", None]),
        ((response("1: a", "Partly"),), [None, None, None]),
        ((response("1: a", "<ACCEPT or REBUT>"),), [None, None, None]),
        ((response("1: a", "ACCEPT"), response("1: a", "REBUT")), ["REBUT", None, None]),
        (("I reject all of this.",), [None, None, None]),
    ],
)
def test_a_response_belongs_to_its_number_or_its_title(
    parts: tuple[str, ...], expected: list[str | None]
) -> None:
    assert verdicts(defence(*parts)) == expected


def test_a_defence_is_readable_if_it_answers_anything() -> None:
    assert defence(response("1: a", "Partly")).readable
    assert not defence(response("9: nothing like it", "ACCEPT")).readable
    assert not defence("").readable


def test_the_words_of_a_response_are_kept_and_no_revision_is_none() -> None:
    first, second, third = defence(
        response("1: a", "ACCEPT", "Reasoning: True.\nIt is md5.\nRevision: argon2"),
        response("2: b", "REBUT"),
    ).responses
    assert (first.finding_id, first.reasoning, first.revision) == ("R1-F1", "True.\nIt is md5.", "argon2")
    assert (second.reasoning, second.revision) == ("So it is.", None)
    assert (third.finding_title, third.reasoning) == (TITLES[2], None)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("N/A\n\n## DEFENSE SUMMARY\nAccepted: 1, rebutted: 2.", None),
        ("N/A\n\nDEFENSE SUMMARY\nAccepted: 1, rebutted: 2.", None),
        ("N/A\n---\n**Defence summary:** one accepted.", None),
        ("N/A\n\nAll in all the work stands.", None),
        ("None.\n\nOverall, I accept one finding.", None),
        ("argon2\n\nDEFENSE SUMMARY: one accepted.", "argon2"),
        ("argon2\n\n### Summary of the defense\nOne accepted.", "argon2"),
        ("### Keys\nargon2\n\n### Logs\nRead weekly.", "### Keys\nargon2\n\n### Logs\nRead weekly."),
        ("None of the keys\nis md5 any more.", "None of the keys\nis md5 any more."),
        ("\nargon2", "argon2"),
        ("\n```\nargon2\n```", "```\nargon2\n```"),
    ],
)
def test_a_revision_ends_where_the_author_sums_up(written: str, expected: str | None) -> None:
    last = response("3: c", "ACCEPT", f"Reasoning: True.\nRevision: {written}")
    read = defence(response("1: a", "REBUT"), last, revision(BEFORE)).responses[2]
    assert (read.reasoning, read.revision) == ("True.", expected)


ACCEPTANCE = response("1: a", "ACCEPT")


@pytest.mark.parametrize(
    ("parts", "cut_off", "reason"),
    [
        ((ACCEPTANCE, revision(BEFORE)), False, None),
        ((response("1: a", "REBUT"), revision("Changed.")), False, "no finding was accepted"),
        ((ACCEPTANCE,), False, "it is missing"),
        ((ACCEPTANCE, revision("")), False, "it is missing"),
        ((ACCEPTANCE, revision(BEFORE[:60], end="")), False, None),
        ((ACCEPTANCE, revision(BEFORE[:60], end="")), True, "it is cut off"),
        ((ACCEPTANCE, revision(BEFORE[:40], end="")), False, "it is cut off"),
        ((ACCEPTANCE, revision("1. Keys")), False, None),
        (
            (ACCEPTANCE, revision(BEFORE + "\n[rest unchanged]")),
            False,
            "it leaves something out ([rest unchanged])",
        ),
    ],
)
def test_a_revision_is_adopted_only_if_it_is_whole(
    parts: tuple[str, ...], cut_off: bool, reason: str | None
) -> None:
    assert refusal(defence(*parts), BEFORE, cut_off=cut_off) == reason


def test_a_revision_without_its_end_needs_three_fifths_of_the_version_before() -> None:
    before = "x" * 100
    for length, reason in ((60, None), (59, "it is cut off")):
        assert refusal(defence(ACCEPTANCE, revision("y" * length, end="")), before, cut_off=False) == reason


def test_a_work_with_rules_and_headings_like_ours_is_kept_whole() -> None:
    work = "1. A\n---\n```\n# REVISED CONTENT\n=== END REVISED CONTENT ===\n```\nend"
    read = defence(ACCEPTANCE, revision(work))
    assert read.revised is not None
    assert read.revised.text == work


def test_a_work_that_holds_responses_itself_does_not_speak_for_the_author() -> None:
    inside = response("1: a", "REBUT") + "\n=== REVISED CONTENT ===\nold"
    read = defence(ACCEPTANCE, revision(inside), shown=Shown([inside]))
    assert verdicts(read)[0] == "ACCEPT"
    assert read.revised is not None
    assert read.revised.text == inside


WORDS = [
    "RESPONSE TO FINDING 1:",
    "RESPONSE TO FINDING 3:",
    "RESPONSE TO FINDING:",
    "Unread logs",
    "Verdict:",
    "ACCEPT",
    "REBUT",
    "<ACCEPT or REBUT>",
    "Revision:",
    "N/A",
    "=== REVISED CONTENT ===",
    "=== END REVISED CONTENT ===",
    "[rest unchanged]",
    "```",
    "\n",
    "\n",
    "\n",
]


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join), st.booleans())
def test_whatever_an_author_writes_every_finding_has_one_answer_in_its_place(reply: str, cut: bool) -> None:
    read = read_defence(reply, findings(), Shown([BEFORE]))
    assert [one.finding_id for one in read.responses] == ["R1-F1", "R1-F2", "R1-F3"]
    assert {one.verdict for one in read.responses} <= {"ACCEPT", "REBUT", None}
    assert read.readable or verdicts(read) == [None, None, None]
    if refusal(read, BEFORE, cut_off=cut) is None:
        assert read.accepts
        assert read.revised is not None
        assert read.revised.text in reply.replace("\r\n", "\n").replace("\r", "\n")
        assert read.revised.closed or len(read.revised.text) * 10 >= 6 * len(BEFORE)
