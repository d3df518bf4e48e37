"""Red team: every row of its edge-case table, over real HTTP to a scripted model server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from moot.kernel.errors import Rejected
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.simulator.transport import Simulator
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held, assert_fenced, failed
from tests.harness.resuming import spend_time, stopped_and_resumed, until_stored
from tests.harness.telling import kept, story

AUTHOR, ATTACKER, JUDGE = "a/ann", "b/bob", "c/cyd"
WORK = "1. Keys\nPasswords are stored as md5 without a salt.\n2. Logs\nNobody reads the logs at all."
BETTER = WORK.replace("md5 without a salt", "argon2 with a salt")
BEST = BETTER.replace("Nobody reads", "Ann reads")
DOWN = Reply(status=500, message="the model is down")
NONE = "NO FINDINGS: it is sound"
CONFIG = {"generatorModel": AUTHOR, "attackerModel": ATTACKER, "synthesizerModel": JUDGE}


def material(text: str = WORK, kind: str = "WORK") -> str:
    return f"KIND: {kind}\n=== MATERIAL ===\n{text}\n=== END MATERIAL ==="


def finding(number: int, title: str, severity: str, relates: str = "NEW", evidence: str = "ABSENT") -> str:
    return (
        f"FINDING {number}: {title}\nSeverity: {severity}\nLocation: part {number}\nEvidence: {evidence}\n"
        f"Vulnerability: {title} is a fault.\nExploit Scenario: Somebody uses it.\nRelates To: {relates}"
    )


def report(*findings: str, risk: str = "It would break.") -> str:
    return "\n\n".join([*findings, f"SUMMARY:\nOverall risk: {risk}"])


def defence(*verdicts: str, revised: str | None = None, end: str = "=== END REVISED CONTENT ===") -> str:
    blocks = [
        f"RESPONSE TO FINDING {number}: it\nVerdict: {verdict}\nReasoning: Look at it.\nRevision: As told."
        for number, verdict in enumerate(verdicts, 1)
    ]
    return "\n\n".join([*blocks, *([f"=== REVISED CONTENT ===\n{revised}\n{end}"] if revised else [])])


def ruling(output: str = BEST, risks: str = "- Rain", **rulings: str) -> str:
    lines = [f"{id.replace('_', '-')}: {word} | So it is." for id, word in rulings.items()]
    return "\n".join(
        [
            "RULINGS:",
            *lines,
            f"=== HARDENED OUTPUT ===\n{output}\n=== END HARDENED OUTPUT ===",
            f"REMAINING RISKS:\n{risks}",
        ]
    )


ONE = report(finding(1, "Weak key", "CRITICAL", evidence='"stored as md5"'), finding(2, "Logs", "HIGH"))
TWO = report(finding(1, "No one reads", "HIGH", relates="R1-F2"), finding(2, "No limit", "MEDIUM"))
RULINGS = ruling(R1_F1="FIXED", R1_F2="DISMISSED", R2_F1="FIXED", R2_F2="OPEN")


def cast(**changes: Any) -> dict[str, Any]:
    lines = {
        "ann": [
            material(),
            defence("ACCEPT", "REBUT", revised=BETTER),
            defence("ACCEPT", "REBUT", revised=BEST),
        ],
        "bob": [ONE, TWO],
        "cyd": RULINGS,
        **changes,
    }
    return {f"{name[0]}/{name}": line for name, line in lines.items()}


async def review(models: dict[str, Any], question: str = WORK, **config: Any) -> Held:
    async with Chamber(models) as chamber:
        return await chamber.deliberate("red_team", question, **{**CONFIG, **config})


def all_data(held: Held, type: str) -> list[dict[str, Any]]:
    return [frame["data"] for frame in held.frames if frame["type"] == type]


ROUND = ["attack_start", "attack_complete", "defend_start", "defend_complete"]
OPENING = ["red_team_start", "generate_start", "generate_complete"]
ENDING = ["synthesize_start", "synthesize_complete", "complete"]


async def test_a_work_is_attacked_defended_and_judged() -> None:
    held = await review(cast())
    assert held.types == [*OPENING, *ROUND, *ROUND, *ENDING]
    assert held.event("red_team_start")["totalRounds"] == 2
    assert held.data("generate_complete") | {"responseTimeMs": 0} == snapshot(
        {
            "model": "a/ann",
            "structuredContent": """\
1. Keys
Passwords are stored as md5 without a salt.
2. Logs
Nobody reads the logs at all.\
""",
            "kind": "WORK",
            "truncated": False,
            "inputLength": 89,
            "responseTimeMs": 0,
        }
    )
    attack = all_data(held, "attack_complete")[0]
    assert attack | {"responseTimeMs": 0, "rawText": ""} == snapshot(
        {
            "round": 1,
            "model": "b/bob",
            "findings": [
                {
                    "id": "R1-F1",
                    "title": "Weak key",
                    "severity": "CRITICAL",
                    "severityParsed": True,
                    "location": "part 1",
                    "evidence": '"stored as md5"',
                    "evidenceVerified": True,
                    "vulnerability": "Weak key is a fault.",
                    "exploitScenario": "Somebody uses it.",
                    "repeatOf": None,
                },
                {
                    "id": "R1-F2",
                    "title": "Logs",
                    "severity": "HIGH",
                    "severityParsed": True,
                    "location": "part 2",
                    "evidence": "ABSENT",
                    "evidenceVerified": None,
                    "vulnerability": "Logs is a fault.",
                    "exploitScenario": "Somebody uses it.",
                    "repeatOf": None,
                },
            ],
            "summary": {"critical": 1, "high": 1, "medium": 0, "low": 0, "overallRisk": "It would break."},
            "noFlaws": False,
            "newFindings": 2,
            "parseSuccess": True,
            "rawText": "",
            "responseTimeMs": 0,
        }
    )
    answers = all_data(held, "defend_complete")[0]
    assert answers | {"responseTimeMs": 0, "rawText": ""} == snapshot(
        {
            "round": 1,
            "model": "a/ann",
            "responses": [
                {
                    "findingId": "R1-F1",
                    "findingTitle": "Weak key",
                    "verdict": "ACCEPT",
                    "reasoning": "Look at it.",
                    "revision": "As told.",
                },
                {
                    "findingId": "R1-F2",
                    "findingTitle": "Logs",
                    "verdict": "REBUT",
                    "reasoning": "Look at it.",
                    "revision": "As told.",
                },
            ],
            "accepted": 1,
            "rebutted": 1,
            "unaddressed": 0,
            "revisedContent": """\
1. Keys
Passwords are stored as argon2 with a salt.
2. Logs
Nobody reads the logs at all.\
""",
            "revisionAdopted": True,
            "parseSuccess": True,
            "rawText": "",
            "responseTimeMs": 0,
        }
    )
    assert held.data("synthesize_complete") | {"responseTimeMs": 0, "rawText": ""} == snapshot(
        {
            "degraded": False,
            "warnings": [],
            "totalFindings": 3,
            "repeats": 1,
            "totalAccepted": 2,
            "totalRebutted": 1,
            "acceptanceRate": 0.6667,
            "severityCounts": {"critical": 1, "high": 1, "medium": 1, "low": 0, "overallRisk": "CRITICAL"},
            "residualRisk": "MEDIUM",
            "inherent": 17,
            "residual": 2,
            "hardeningScore": 88,
            "hardeningConfidence": "High",
            "model": "c/cyd",
            "hardenedOutput": """\
1. Keys
Passwords are stored as argon2 with a salt.
2. Logs
Ann reads the logs at all.\
""",
            "auditSummary": """\
## Vulnerability Audit Summary

| # | Finding | Severity | Verdict | Status | Round |
|---|---|---|---|---|---|
| 1 | Weak key | CRITICAL | ACCEPT | fixed | 1 |
| 2 | Logs | HIGH | ACCEPT | fixed | 1, 2 |
| 3 | No limit | MEDIUM | REBUT | open | 2 |

- Hardening score: 88 of 100, confidence High
- Risk: 17 before, 2 after; highest still open: MEDIUM
- Findings: 3 in 2 rounds, 2 accepted, 1 rebutted, 1 raised again

### Remaining risks

- Rain\
""",
            "rulings": [
                {"id": "R1-F1", "ruling": "FIXED", "reason": "So it is.", "source": "judge"},
                {"id": "R1-F2", "ruling": "DISMISSED", "reason": "So it is.", "source": "judge"},
                {"id": "R2-F1", "ruling": "FIXED", "reason": "So it is.", "source": "judge"},
                {"id": "R2-F2", "ruling": "OPEN", "reason": "So it is.", "source": "judge"},
            ],
            "remainingRisks": ["Rain"],
            "selfJudged": False,
            "stopReason": "rounds_done",
            "totalRounds": 2,
            "rawText": "",
            "responseTimeMs": 0,
        }
    )
    assert held.record.status == "complete"


async def test_the_story_and_the_rows_of_a_review() -> None:
    held = await review(cast(bob=[ONE, DOWN, DOWN], cyd=ruling(R1_F1="FIXED")))
    assert story(held) == snapshot(
        [
            ("red_team_start", {"mode": "red_team", "totalRounds": 2}),
            "generate_start",
            (
                "generate_complete",
                {
                    "model": "a/ann",
                    "structuredContent": """\
1. Keys
Passwords are stored as md5 without a salt.
2. Logs
Nobody reads the logs at all.\
""",
                    "kind": "WORK",
                    "truncated": False,
                    "inputLength": 89,
                    "responseTimeMs": 0,
                },
            ),
            ("attack_start", {"round": 1}),
            (
                "attack_complete",
                {
                    "round": 1,
                    "model": "b/bob",
                    "findings": [
                        {
                            "id": "R1-F1",
                            "title": "Weak key",
                            "severity": "CRITICAL",
                            "severityParsed": True,
                            "location": "part 1",
                            "evidence": '"stored as md5"',
                            "evidenceVerified": True,
                            "vulnerability": "Weak key is a fault.",
                            "exploitScenario": "Somebody uses it.",
                            "repeatOf": None,
                        },
                        {
                            "id": "R1-F2",
                            "title": "Logs",
                            "severity": "HIGH",
                            "severityParsed": True,
                            "location": "part 2",
                            "evidence": "ABSENT",
                            "evidenceVerified": None,
                            "vulnerability": "Logs is a fault.",
                            "exploitScenario": "Somebody uses it.",
                            "repeatOf": None,
                        },
                    ],
                    "summary": {
                        "critical": 1,
                        "high": 1,
                        "medium": 0,
                        "low": 0,
                        "overallRisk": "It would break.",
                    },
                    "noFlaws": False,
                    "newFindings": 2,
                    "parseSuccess": True,
                    "rawText": "‹attack_round_1 of b/bob›",
                    "responseTimeMs": 0,
                },
            ),
            ("defend_start", {"round": 1}),
            (
                "defend_complete",
                {
                    "round": 1,
                    "model": "a/ann",
                    "responses": [
                        {
                            "findingId": "R1-F1",
                            "findingTitle": "Weak key",
                            "verdict": "ACCEPT",
                            "reasoning": "Look at it.",
                            "revision": "As told.",
                        },
                        {
                            "findingId": "R1-F2",
                            "findingTitle": "Logs",
                            "verdict": "REBUT",
                            "reasoning": "Look at it.",
                            "revision": "As told.",
                        },
                    ],
                    "accepted": 1,
                    "rebutted": 1,
                    "unaddressed": 0,
                    "revisedContent": """\
1. Keys
Passwords are stored as argon2 with a salt.
2. Logs
Nobody reads the logs at all.\
""",
                    "revisionAdopted": True,
                    "parseSuccess": True,
                    "rawText": "‹defend_round_1 of a/ann›",
                    "responseTimeMs": 0,
                },
            ),
            ("attack_start", {"round": 2}),
            (
                "model_failed",
                {
                    "step": "attack_round_2",
                    "seat": None,
                    "model": "b/bob",
                    "kind": "other",
                    "reason": "OpenRouter failed on b/bob (500): the model is down.",
                },
            ),
            (
                "attack_complete",
                {
                    "round": 2,
                    "model": "b/bob",
                    "findings": [],
                    "summary": None,
                    "noFlaws": False,
                    "newFindings": 0,
                    "parseSuccess": False,
                    "failed": True,
                    "error": "OpenRouter failed on b/bob (500): the model is down.",
                    "rawText": "",
                    "responseTimeMs": 0,
                },
            ),
            "synthesize_start",
            (
                "warning",
                {
                    "message": "The judge did not rule on R1-F2, so default rulings apply.",
                    "code": "no_ruling",
                    "step": "synthesis",
                },
            ),
            (
                "synthesize_complete",
                {
                    "degraded": True,
                    "warnings": [
                        "OpenRouter failed on b/bob (500): the model is down.",
                        "The judge did not rule on R1-F2, so default rulings apply.",
                    ],
                    "totalFindings": 2,
                    "repeats": 0,
                    "totalAccepted": 1,
                    "totalRebutted": 1,
                    "acceptanceRate": 0.5,
                    "severityCounts": {
                        "critical": 1,
                        "high": 1,
                        "medium": 0,
                        "low": 0,
                        "overallRisk": "CRITICAL",
                    },
                    "residualRisk": "HIGH",
                    "inherent": 15,
                    "residual": 5,
                    "hardeningScore": 67,
                    "hardeningConfidence": "Medium",
                    "model": "c/cyd",
                    "hardenedOutput": """\
1. Keys
Passwords are stored as argon2 with a salt.
2. Logs
Ann reads the logs at all.\
""",
                    "auditSummary": """\
## Vulnerability Audit Summary

| # | Finding | Severity | Verdict | Status | Round |
|---|---|---|---|---|---|
| 1 | Weak key | CRITICAL | ACCEPT | fixed | 1 |
| 2 | Logs | HIGH | REBUT | open | 1 |

- Hardening score: 67 of 100, confidence Medium
- Risk: 15 before, 5 after; highest still open: HIGH
- Findings: 2 in 1 round, 1 accepted, 1 rebutted, 0 raised again

### Remaining risks

- Rain\
""",
                    "rulings": [
                        {"id": "R1-F1", "ruling": "FIXED", "reason": "So it is.", "source": "judge"},
                        {"id": "R1-F2", "ruling": "OPEN", "reason": None, "source": "default"},
                    ],
                    "remainingRisks": ["Rain"],
                    "selfJudged": False,
                    "stopReason": "attack_failed",
                    "totalRounds": 1,
                    "rawText": "‹synthesis of c/cyd›",
                    "responseTimeMs": 0,
                },
            ),
            "complete",
        ]
    )
    assert kept(held) == snapshot(
        [
            (
                0,
                "generate",
                None,
                "a/ann",
                "generator",
                """\
1. Keys
Passwords are stored as md5 without a salt.
2. Logs
Nobody reads the logs at all.\
""",
                {"kind": "WORK", "truncated": False, "inputLength": 89, "outputLength": 89},
            ),
            (
                1,
                "attack_round_1",
                None,
                "b/bob",
                "attacker",
                "‹attack_round_1 of b/bob›",
                "= attack_complete without model, rawText, responseTimeMs",
            ),
            (
                2,
                "defend_round_1",
                None,
                "a/ann",
                "defender",
                "‹defend_round_1 of a/ann›",
                {
                    "round": 1,
                    "responses": [
                        {
                            "findingId": "R1-F1",
                            "findingTitle": "Weak key",
                            "verdict": "ACCEPT",
                            "reasoning": "Look at it.",
                            "revision": "As told.",
                        },
                        {
                            "findingId": "R1-F2",
                            "findingTitle": "Logs",
                            "verdict": "REBUT",
                            "reasoning": "Look at it.",
                            "revision": "As told.",
                        },
                    ],
                    "accepted": 1,
                    "rebutted": 1,
                    "unaddressed": 0,
                    "revisedContent": """\
1. Keys
Passwords are stored as argon2 with a salt.
2. Logs
Nobody reads the logs at all.\
""",
                    "revisionAdopted": True,
                    "parseSuccess": True,
                    "revisedContentLength": 89,
                },
            ),
            (
                3,
                "attack_round_2",
                None,
                "b/bob",
                "attacker",
                "",
                {
                    "round": 2,
                    "findings": [],
                    "summary": None,
                    "noFlaws": False,
                    "newFindings": 0,
                    "parseSuccess": False,
                    "error": "OpenRouter failed on b/bob (500): the model is down.",
                },
            ),
            (
                99,
                "synthesis",
                None,
                "c/cyd",
                "synthesizer",
                "‹answer›",
                {
                    "degraded": True,
                    "warnings": [
                        "OpenRouter failed on b/bob (500): the model is down.",
                        "The judge did not rule on R1-F2, so default rulings apply.",
                    ],
                    "totalFindings": 2,
                    "repeats": 0,
                    "totalAccepted": 1,
                    "totalRebutted": 1,
                    "acceptanceRate": 0.5,
                    "severityCounts": {
                        "critical": 1,
                        "high": 1,
                        "medium": 0,
                        "low": 0,
                        "overallRisk": "CRITICAL",
                    },
                    "residualRisk": "HIGH",
                    "inherent": 15,
                    "residual": 5,
                    "hardeningScore": 67,
                    "hardeningConfidence": "Medium",
                    "rulings": [
                        {"id": "R1-F1", "ruling": "FIXED", "reason": "So it is.", "source": "judge"},
                        {"id": "R1-F2", "ruling": "OPEN", "reason": None, "source": "default"},
                    ],
                    "remainingRisks": ["Rain"],
                    "selfJudged": False,
                    "stopReason": "attack_failed",
                    "totalRounds": 1,
                    "rawText": "‹synthesis of c/cyd›",
                },
            ),
        ]
    )


async def test_the_answer_is_the_hardened_work_and_its_audit() -> None:
    held = await review(cast())
    assert held.answer == snapshot("""\
1. Keys
Passwords are stored as argon2 with a salt.
2. Logs
Ann reads the logs at all.

## Vulnerability Audit Summary

| # | Finding | Severity | Verdict | Status | Round |
|---|---|---|---|---|---|
| 1 | Weak key | CRITICAL | ACCEPT | fixed | 1 |
| 2 | Logs | HIGH | ACCEPT | fixed | 1, 2 |
| 3 | No limit | MEDIUM | REBUT | open | 2 |

- Hardening score: 88 of 100, confidence High
- Risk: 17 before, 2 after; highest still open: MEDIUM
- Findings: 3 in 2 rounds, 2 accepted, 1 rebutted, 1 raised again

### Remaining risks

- Rain\
""")
    assert held.message is not None
    assert held.message.content == held.answer


async def test_the_stored_result_is_the_streamed_one() -> None:
    held = await review(cast())
    rounds = held.result["rounds"]
    assert [one["roundNumber"] for one in rounds] == [1, 2]
    assert [one["attack"] for one in rounds] == all_data(held, "attack_complete")
    assert [one["defense"] for one in rounds] == all_data(held, "defend_complete")
    assert held.result["generate"] == held.data("generate_complete")
    synthesis = held.data("synthesize_complete")
    assert held.result["synthesis"] == synthesis
    assert {key: held.result[key] for key in synthesis if key in held.result} == {
        key: value for key, value in synthesis.items() if key in held.result
    }
    assert held.result["title"] == "A Short Title"


async def test_everything_foreign_is_fenced() -> None:
    held = await review(cast())
    assert_fenced(held, [WORK, BETTER, BEST, "Weak key is a fault.", "Look at it."])
    later = held.prompts(ATTACKER)[1]
    assert "WORK UNDER ATTACK, version 1" in later
    assert "LEDGER of earlier findings and the author's answers" in later
    assert "LEDGER" not in held.prompts(ATTACKER)[0]
    judge = held.prompts(JUDGE)[0]
    assert "exchanged 2 round(s)" in judge
    assert 'Evidence (found in the work): "stored as md5"' in judge


REAL_NONE = "NO FINDINGS: The work does not contain any real faults."
"""What a real model of 1.5 billion parameters said of a plan that keeps the only backup beside the data."""


async def test_no_findings_of_two_models_end_the_run_without_a_score() -> None:
    held = await review(cast(bob=[REAL_NONE], cyd=NONE))
    assert held.types == [*OPENING, "attack_start", "attack_complete", *ENDING]
    synthesis = held.data("synthesize_complete")
    assert (synthesis["model"], synthesis["hardenedOutput"], synthesis["rulings"]) == (None, WORK, [])
    assert (synthesis["hardeningScore"], synthesis["hardeningConfidence"], synthesis["stopReason"]) == (
        None,
        "Low",
        "no_flaws",
    )
    audit = synthesis["auditSummary"]
    assert (
        f"The attacker, {ATTACKER}, found nothing. {JUDGE} was asked too and found nothing either." in audit
    )
    assert "Hardening score: none, because nothing was found" in audit
    attack = held.data("attack_complete")
    assert attack["secondOpinion"] == {"firstModel": ATTACKER, "model": JUDGE, "agrees": True}
    assert held.prompts(JUDGE) == held.prompts(ATTACKER)
    assert [call.step for call in held.calls if call.model == JUDGE] == ["attack_round_1/second"]
    assert held.record.status == "complete"
    assert held.result["rounds"][0]["defense"] is None


async def test_what_a_second_model_finds_is_defended_and_judged_and_told_as_its_own() -> None:
    found = ruling(R1_F1="FIXED", R1_F2="OPEN")
    held = await review(cast(bob=[REAL_NONE], cyd=[ONE, found]), rounds=1)
    attack = held.data("attack_complete")
    assert (attack["model"], len(attack["findings"]), attack["noFlaws"]) == (JUDGE, 2, False)
    assert attack["secondOpinion"]["agrees"] is False
    synthesis = held.data("synthesize_complete")
    assert (synthesis["totalFindings"], synthesis["stopReason"]) == (2, "rounds_done")
    assert f"{ATTACKER} found nothing: the findings are by {JUDGE}." in synthesis["warnings"]
    assert held.record.status == "degraded"


async def test_a_second_opinion_is_told_with_its_own_round_alone() -> None:
    ruled = ruling(R1_F1="FIXED", R1_F2="OPEN")
    held = await review(cast(bob=[REAL_NONE, NONE], cyd=[ONE, ruled]))
    first, second = all_data(held, "attack_complete")
    assert first["secondOpinion"]["agrees"] is False
    assert "secondOpinion" not in second


@pytest.mark.parametrize("second", [DOWN, "It looks fine to me."])
async def test_a_clean_bill_that_nobody_confirms_is_told_as_unconfirmed(second: Any) -> None:
    held = await review(cast(bob=[REAL_NONE], cyd=second))
    synthesis = held.data("synthesize_complete")
    assert held.data("attack_complete")["secondOpinion"]["agrees"] is None
    assert f"{JUDGE} was asked too, but its reply could not be read." in synthesis["auditSummary"]
    assert (held.record.status, synthesis["hardeningScore"]) == ("degraded", None)


async def test_no_findings_later_go_to_the_judge() -> None:
    held = await review(cast(bob=[ONE, NONE], cyd=ruling(R1_F1="FIXED", R1_F2="OPEN")))
    assert held.types == [*OPENING, *ROUND, "attack_start", "attack_complete", *ENDING]
    assert held.data("synthesize_complete")["stopReason"] == "no_flaws"
    assert held.data("synthesize_complete")["totalRounds"] == 2


async def test_old_findings_alone_end_the_exchange() -> None:
    again = report(finding(1, "Still weak", "HIGH", relates="R1-F1"))
    held = await review(cast(bob=[ONE, again], cyd=ruling(R1_F1="FIXED", R1_F2="OPEN", R2_F1="OPEN")))
    assert held.types == [*OPENING, *ROUND, "attack_start", "attack_complete", *ENDING]
    synthesis = held.data("synthesize_complete")
    assert (synthesis["stopReason"], synthesis["totalFindings"], synthesis["repeats"]) == (
        "no_new_findings",
        2,
        1,
    )
    assert all_data(held, "attack_complete")[1]["newFindings"] == 0


async def test_the_attacker_fails_at_first() -> None:
    held = await review(cast(bob=DOWN))
    assert failed(held) == "Red team requires at least one completed attack; the attacker model failed."
    assert held.types == [*OPENING, "attack_start", "model_failed", "error"]
    assert held.stages == [(0, "generate")]
    assert held.message is not None
    assert held.message.status == "failed"
    assert len(held.prompts(ATTACKER)) == 2


async def test_author_and_attacker_both_fail_and_nothing_is_kept() -> None:
    held = await review(cast(ann=DOWN, bob=DOWN))
    assert failed(held) == "Red team requires at least one completed attack; the attacker model failed."
    assert (held.rows, held.message) == ([], None)


async def test_the_attacker_fails_later() -> None:
    held = await review(cast(bob=[ONE, DOWN, DOWN], cyd=ruling(R1_F1="FIXED", R1_F2="FIXED")))
    assert held.types == [*OPENING, *ROUND, "attack_start", "model_failed", "attack_complete", *ENDING]
    attack = held.data("attack_complete")
    assert (attack["failed"], attack["summary"], attack["noFlaws"]) == (True, None, False)
    assert "the model is down" in held.rows[3].parsed_data["error"]
    synthesis = held.data("synthesize_complete")
    assert (synthesis["stopReason"], synthesis["hardeningConfidence"], synthesis["totalRounds"]) == (
        "attack_failed",
        "Medium",
        1,
    )
    assert held.record.status == "degraded"


async def test_the_defender_fails_and_the_findings_stay_unaddressed() -> None:
    held = await review(
        cast(ann=[material(), DOWN, DOWN, defence("ACCEPT", "ACCEPT", revised=BETTER)], bob=[ONE, TWO])
    )
    assert held.types == [
        *OPENING,
        *ROUND[:3],
        "model_failed",
        ROUND[3],
        *ROUND,
        *ENDING,
    ]
    first = all_data(held, "defend_complete")[0]
    assert (first["failed"], first["unaddressed"], first["revisedContent"]) == (True, 2, WORK)
    assert [one["verdict"] for one in first["responses"]] == [None, None]
    assert "the model is down" in held.rows[2].parsed_data["error"]
    assert WORK in held.prompts(ATTACKER)[1]
    assert held.record.status == "degraded"


async def test_the_judge_fails_and_defaults_stand_in() -> None:
    held = await review(cast(cyd=DOWN))
    synthesis = held.data("synthesize_complete")
    assert (synthesis["model"], synthesis["hardenedOutput"]) == (None, BEST)
    assert [(line["id"], line["ruling"], line["source"]) for line in synthesis["rulings"]] == [
        ("R1-F1", "FIXED", "default"),
        ("R1-F2", "OPEN", "default"),
        ("R2-F1", "FIXED", "default"),
        ("R2-F2", "OPEN", "default"),
    ]
    assert synthesis["degraded"]
    assert "The judge failed, so the last version is used, with default rulings." in synthesis["warnings"]
    assert held.types[-2:] == ["synthesize_complete", "complete"]


async def test_all_findings_rebutted_leave_the_work_as_it_is() -> None:
    held = await review(
        cast(ann=[material(), defence("REBUT", "REBUT", revised=WORK), defence("REBUT", "REBUT")])
    )
    assert [one["revisedContent"] for one in all_data(held, "defend_complete")] == [WORK, WORK]
    assert "Author: REBUT" in held.prompts(ATTACKER)[1]
    assert held.record.status == "complete"
    assert held.data("synthesize_complete")["warnings"] == []


async def test_a_change_without_an_accepted_finding_is_not_adopted() -> None:
    held = await review(cast(ann=[material(), defence("REBUT", "REBUT", revised=BETTER)]), rounds=1)
    answers = held.data("defend_complete")
    assert (answers["revisionAdopted"], answers["revisedContent"]) == (False, WORK)
    message = "The revised work of round 1 was not adopted: no finding was accepted."
    assert message in held.data("synthesize_complete")["warnings"]


async def test_an_abbreviated_revision_is_not_adopted() -> None:
    short = defence("ACCEPT", "REBUT", revised=BETTER + "\n[rest unchanged]")
    held = await review(cast(ann=[material(), short]), rounds=1)
    answers = held.data("defend_complete")
    assert (answers["accepted"], answers["revisionAdopted"], answers["revisedContent"]) == (1, False, WORK)
    synthesis = held.data("synthesize_complete")
    assert synthesis["degraded"]
    assert any("it leaves something out ([rest unchanged])" in warning for warning in synthesis["warnings"])


async def test_an_unreadable_defence_is_repaired_once_and_then_counts_for_nothing() -> None:
    held = await review(cast(ann=[material(), "I agree with some.", "Still not in layout."]), rounds=1)
    answers = held.data("defend_complete")
    assert (answers["parseSuccess"], answers["unaddressed"], answers["revisedContent"]) == (False, 2, WORK)
    assert [one["verdict"] for one in answers["responses"]] == [None, None]
    assert held.prompts(AUTHOR)[2].startswith("Text between a line")
    assert_fenced(held, ["I agree with some."])
    message = "The author's answers in round 1 could not be read, so no finding was addressed."
    assert message in held.data("synthesize_complete")["warnings"]
    assert "it answers no finding by its number" in held.prompts(AUTHOR)[2]
    assert held.record.status == "degraded"


async def test_a_verdict_that_is_neither_leaves_the_finding_unaddressed() -> None:
    held = await review(cast(ann=[material(), defence("Partly", "ACCEPT", revised=BETTER)]), rounds=1)
    answers = held.data("defend_complete")
    assert (answers["accepted"], answers["rebutted"], answers["unaddressed"]) == (1, 0, 1)


async def test_an_unreadable_attack_is_one_finding_and_no_clean_bill() -> None:
    prose = "Issue A: the key.\nIssue B: the logs."
    held = await review(
        cast(ann=[material(), defence("REBUT")], bob=[prose, prose + " Again."]),
        rounds=1,
        synthesizerModel=JUDGE,
    )
    attack = held.data("attack_complete")
    assert (attack["noFlaws"], attack["parseSuccess"], len(attack["findings"])) == (False, False, 1)
    assert (attack["findings"][0]["title"], attack["findings"][0]["vulnerability"]) == (
        "Unstructured attack report",
        prose,
    )
    assert attack["findings"][0]["severity"] == "MEDIUM"
    assert_fenced(held, [prose])
    assert "could not: it holds no finding and does not say that there is none." in held.prompts(ATTACKER)[1]
    message = "The attack report of round 1 could not be read, so it counts as one finding."
    assert message in held.data("synthesize_complete")["warnings"]
    assert held.data("synthesize_complete")["hardeningConfidence"] == "Low"
    assert held.record.status == "degraded"
    assert [call.step for call in held.calls if call.model == ATTACKER] == [
        "attack_round_1",
        "attack_round_1/repair",
    ]


async def test_a_repaired_attack_is_read() -> None:
    held = await review(
        cast(bob=["Issue A: the key.", ONE], ann=[material(), defence("REBUT", "REBUT")]), rounds=1
    )
    attack = held.data("attack_complete")
    assert (attack["parseSuccess"], len(attack["findings"])) == (True, 2)


async def test_the_worked_example() -> None:
    one = report(finding(1, "A", "CRITICAL"), finding(2, "B", "HIGH"), finding(3, "C", "LOW"))
    two = report(finding(1, "D", "HIGH", relates="R1-F2"), finding(2, "E", "MEDIUM"))
    author = [
        material(),
        defence("ACCEPT", "REBUT", "ACCEPT", revised=BETTER),
        defence("Hm", "ACCEPT", revised=BETTER[:30], end=""),
    ]
    rulings = ruling(R1_F1="FIXED", R1_F3="FIXED", R2_F1="OPEN")
    for judge, confidence in ((JUDGE, "Medium"), (AUTHOR, "Medium")):
        models = cast(ann=[*author, rulings], bob=[one, two], cyd=rulings)
        held = await review(models, synthesizerModel=judge)
        synthesis = held.data("synthesize_complete")
        assert (synthesis["totalFindings"], synthesis["inherent"], synthesis["residual"]) == (4, 18, 7)
        assert (synthesis["hardeningScore"], synthesis["hardeningConfidence"]) == (61, confidence)
        assert synthesis["selfJudged"] is (judge == AUTHOR)
        assert synthesis["rulings"][-1] == {
            "id": "R2-F2",
            "ruling": "OPEN",
            "reason": None,
            "source": "default",
        }


async def test_an_author_that_judges_itself_contests_what_it_rebutted() -> None:
    verdicts = ruling(R1_F1="FIXED", R1_F2="DISMISSED")
    held = await review(
        cast(ann=[material(), defence("ACCEPT", "REBUT", revised=BETTER), verdicts]),
        rounds=1,
        synthesizerModel=AUTHOR,
    )
    synthesis = held.data("synthesize_complete")
    assert (synthesis["selfJudged"], synthesis["hardeningConfidence"], synthesis["residual"]) == (
        True,
        "Medium",
        0,
    )
    assert "| 2 | Logs | HIGH | REBUT | contested | 1 |" in synthesis["auditSummary"]


async def test_a_hardened_work_that_is_a_stub_gives_way_to_the_last_version() -> None:
    held = await review(cast(cyd=ruling("Stub.", R1_F1="FIXED", R1_F2="OPEN")), rounds=1)
    synthesis = held.data("synthesize_complete")
    assert (synthesis["hardenedOutput"], synthesis["degraded"]) == (BETTER, True)
    assert synthesis["warnings"] == ["The judge sent no complete version, so the last one is used."]
    assert synthesis["model"] == JUDGE


async def test_an_unreadable_judge_is_asked_to_keep_to_the_layout() -> None:
    held = await review(
        cast(
            ann=[material(), defence("ACCEPT", "REBUT", revised=BETTER)],
            cyd=["All good.", ruling(R1_F1="FIXED", R1_F2="OPEN")],
        ),
        rounds=1,
    )
    assert held.data("synthesize_complete")["hardenedOutput"] == BEST
    assert "could not: it holds neither a ruling nor the complete work." in held.prompts(JUDGE)[1]
    assert held.record.status == "complete"


async def test_a_long_input_is_cut_at_a_line_end() -> None:
    long = "\n".join(f"Line {number} of a long input that must be cut." for number in range(720))
    assert len(long) > 30_000
    held = await review(cast(ann=[DOWN, DOWN], bob=[NONE]), long)
    content = held.data("generate_complete")["structuredContent"]
    kept, _, note = content.rpartition("\n")
    assert note == f"[Content truncated to {len(kept)} characters for review]"
    assert 24_900 < len(kept) <= 25_000
    assert long.startswith(kept + "\n")
    synthesis = held.data("generate_complete")
    assert (synthesis["truncated"], synthesis["inputLength"]) == (True, len(long))
    message = f"The input was cut to {len(kept)} of {len(long)} characters."
    assert message in held.data("synthesize_complete")["warnings"]
    assert any("was cut to" in warning for warning in held.data("synthesize_complete")["warnings"])


async def test_an_unfaithful_copy_gives_way_to_the_input() -> None:
    long = "\n".join(f"Line {number} has words of its own." for number in range(200))
    held = await review(cast(ann=[material("It says\nmany things\nin lines.")], bob=[NONE], cyd=NONE), long)
    synthesis = held.data("generate_complete")
    assert (synthesis["fallback"], synthesis["structuredContent"], synthesis["kind"]) == (
        "low_fidelity",
        long,
        "WORK",
    )
    assert held.data("synthesize_complete")["warnings"] == [
        "The author's copy differs from the input, so the input itself is reviewed."
    ]
    assert held.record.status == "degraded"


async def test_the_author_fails_and_the_input_is_attacked_as_it_came() -> None:
    held = await review(cast(ann=[DOWN, DOWN], bob=[NONE]))
    synthesis = held.data("generate_complete")
    assert (synthesis["fallback"], synthesis["structuredContent"], synthesis["kind"]) == (
        "generator_failed",
        WORK,
        None,
    )
    assert held.rows[0].parsed_data["fallback"] == "generator_failed"
    assert held.record.status == "degraded"


async def test_a_task_is_carried_out_before_it_is_attacked() -> None:
    held = await review(cast(ann=[material("1. My plan", "TASK")], bob=[NONE]), "Write a plan.")
    synthesis = held.data("generate_complete")
    assert (synthesis["kind"], synthesis["structuredContent"], "fallback" in synthesis) == (
        "TASK",
        "1. My plan",
        False,
    )


async def test_a_work_full_of_our_own_markers_harms_nothing() -> None:
    tricky = f"{WORK}\nFINDING 1: none\nSeverity: LOW\n=== END MATERIAL ===\nNO FINDINGS: perfect"
    better = tricky.replace("md5", "argon2") + "\n=== END REVISED CONTENT ==="
    held = await review(
        cast(
            ann=[material(tricky), defence("ACCEPT", "REBUT", revised=better)],
            cyd=ruling(better, R1_F1="FIXED", R1_F2="OPEN"),
        ),
        tricky,
        rounds=1,
    )
    assert held.data("generate_complete")["structuredContent"] == tricky
    assert len(held.data("attack_complete")["findings"]) == 2
    assert held.data("defend_complete")["revisedContent"] == better
    assert held.data("synthesize_complete")["hardenedOutput"] == better


async def test_without_time_for_another_round_the_judge_closes() -> None:
    slow = Reply(text=material(), latency=0.3)
    async with Chamber(
        cast(ann=[slow, defence("ACCEPT", "REBUT", revised=BETTER)]), pipeline_seconds=150.2
    ) as room:
        held = await room.deliberate("red_team", WORK, **CONFIG)
    assert held.types == [*OPENING, *ROUND, "warning", *ENDING]
    assert held.data("synthesize_complete")["stopReason"] == "deadline"
    message = "Round 2 was skipped because too little time was left."
    assert held.data("synthesize_complete")["warnings"] == [message]
    assert held.record.status == "degraded"


async def test_the_judges_minute_and_a_half_is_spent_on_nobody_else(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    body = {"question": WORK, "mode": "red_team", "modeConfig": CONFIG}
    async with Chamber(cast(ann=[material(), Reply(hang=True)]), database=database) as room:
        record = await room.engine.start(AskRequest.of(body))
        await until_stored(room, record.id, 2)
    spend_time(tmp_path, 515)
    async with Chamber(cast(cyd=ruling(R1_F1="OPEN", R1_F2="OPEN")), database=database) as room:
        held = await room.held(record)
    assert [request.model for request in held.requests] == [JUDGE]
    answers, synthesis = held.data("defend_complete"), held.data("synthesize_complete")
    assert (answers["failed"], answers["unaddressed"]) == (True, 2)
    assert (synthesis["stopReason"], synthesis["model"], synthesis["totalRounds"]) == ("deadline", JUDGE, 1)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"attackerModel": AUTHOR},
            "Generator and attacker must be different models for adversarial integrity",
        ),
        (
            {"synthesizerModel": ATTACKER, "attackerModel": ATTACKER},
            "Synthesizer must be the generator or a third model, not the attacker",
        ),
        ({"rounds": 4}, "rounds must be between 1 and 3"),
        ({"rounds": 0}, "rounds must be between 1 and 3"),
        ({"timeoutMs": 29_999}, "timeoutMs must be between 30000 and 180000"),
        ({"timeoutMs": 180_001}, "timeoutMs must be between 30000 and 180000"),
        ({"maxInputLength": 999}, "maxInputLength must be between 1000 and 50000"),
        ({"maxInputLength": 50_001}, "maxInputLength must be between 1000 and 50000"),
    ],
)
async def test_a_bad_config_is_refused(config: dict[str, Any], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("red_team", WORK, **config)
    assert str(refused.value) == message


async def test_a_review_of_nothing_and_a_follow_up_are_refused() -> None:
    async with Chamber(cast(bob=[NONE])) as chamber:
        with pytest.raises(Rejected, match="Content for review is required"):
            await chamber.deliberate("red_team", " ", **CONFIG)
        held = await chamber.deliberate("red_team", WORK, **CONFIG)
        with pytest.raises(Rejected, match="takes no follow-up questions"):
            await chamber.deliberate("red_team", WORK, conversation=held.record.conversation_id)


async def test_the_defaults_are_the_first_two_models_and_the_author_judges() -> None:
    async with Chamber(cast(bob=[NONE])) as chamber:
        held = await chamber.deliberate("red_team", WORK)
    config = json.loads(held.record.config)
    assert [config[key] for key in CONFIG] == ["a/ann", "b/bob", "a/ann"]
    assert (config["rounds"], config["maxInputLength"], config["timeoutMs"]) == (2, 25_000, 120_000)
    assert (
        MODES["red_team"].defaults(Panel(("x/x", "y/y")), {"generatorModel": "y/y"})["attackerModel"] == "x/x"
    )


@pytest.mark.parametrize("stop", range(7))
async def test_a_review_that_is_stopped_goes_on_where_it_was(tmp_path: Path, stop: int) -> None:
    def voice(received: Received) -> str:
        prompt = received.prompt
        if "Prepare material" in prompt:
            return material()
        if "You are the red team" in prompt:
            return TWO if "LEDGER of earlier" in prompt else ONE
        if "You are the judge" in prompt:
            return RULINGS
        return defence("ACCEPT", "REBUT", revised=BEST if BETTER in prompt else BETTER)

    held = await stopped_and_resumed(tmp_path, "red_team", voice, stop, calls=6, question=WORK, **CONFIG)
    assert held.record.status == "complete"


SIMULATED = {"generatorModel": "sim/ada", "attackerModel": "sim/bo", "synthesizerModel": "sim/cleo"}


@pytest.mark.parametrize("question", ["How should a small team plan its week?", WORK])
async def test_the_simulator_knows_the_prompts(question: str) -> None:
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate("red_team", question, **SIMULATED)
    assert held.record.status == "complete", held.result["warnings"]
    assert all(attack["parseSuccess"] for attack in all_data(held, "attack_complete"))
    assert "imulated" in (held.answer or "")


async def test_a_simulated_attacker_that_fails_fails_the_review() -> None:
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate("red_team", WORK, **{**SIMULATED, "attackerModel": "sim/bo:fail=1"})
    assert failed(held).startswith("Red team requires at least one completed attack")
