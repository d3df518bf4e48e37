"""What a red-team review asks of its models."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.fences import Foreign, Part
from moot.kernel.run import Run
from moot.modes.red_team.config import RedTeamConfig
from moot.modes.red_team.findings import AttackFinding
from moot.modes.red_team.layouts import ATTACK_LAYOUT, DEFEND_LAYOUT, JUDGE_LAYOUT
from moot.modes.red_team.review import Entry, Review


def generate_prompt(run: Run[RedTeamConfig], source: str) -> str:
    return run.fill(GENERATE_PROMPT, input=Foreign(source))


def attack_prompt(run: Run[RedTeamConfig], number: int, review: Review) -> str:
    ledger: list[Part] = []
    if number > 1:
        ledger = [LEDGER_HEADING, Foreign(ledger_text(review.entries)), LATER_ROUNDS]
    return run.fill(
        ATTACK_PROMPT,
        version=str(number - 1),
        content=Foreign(review.content),
        ledger=ledger,
        layout=ATTACK_LAYOUT,
    )


def defend_prompt(
    run: Run[RedTeamConfig], number: int, review: Review, findings: Sequence[AttackFinding]
) -> str:
    return run.fill(
        DEFEND_PROMPT,
        version=str(number - 1),
        content=Foreign(review.content),
        findings=Foreign(findings_text(findings)),
        layout=DEFEND_LAYOUT,
    )


def judge_prompt(run: Run[RedTeamConfig], review: Review) -> str:
    return run.fill(
        JUDGE_PROMPT,
        rounds=str(review.rounds),
        original=Foreign(review.original),
        latest=Foreign(review.content),
        ledger=Foreign(ledger_text(review.entries)),
        layout=JUDGE_LAYOUT,
    )


def findings_text(findings: Sequence[AttackFinding]) -> str:
    """The findings of a round as the author sees them."""
    return "\n\n".join(
        f"FINDING {number}: {finding.title}\nSeverity: {finding.severity}\nLocation: {finding.location}\n"
        f"Evidence: {finding.evidence or 'none given'}\nVulnerability: {finding.vulnerability}\n"
        f"Exploit Scenario: {finding.exploit_scenario}"
        for number, finding in enumerate(findings, 1)
    )


def ledger_text(entries: Sequence[Entry]) -> str:
    """Every finding with the author's answer, as attacker and judge see them."""
    return "\n\n".join(_ledger_entry(entry) for entry in entries)


def _ledger_entry(entry: Entry) -> str:
    finding, response = entry.finding, entry.response
    again = f", repeats {finding.repeat_of}" if finding.repeat_of else ""
    quoted = {True: "found in the work", False: "NOT found in the work", None: "nothing is quoted"}
    lines = [
        f"{finding.id} {finding.severity}{again}: {finding.title}",
        f"Location: {finding.location}",
        f"Evidence ({quoted[finding.evidence_verified]}): {finding.evidence or 'none given'}",
        f"Vulnerability: {finding.vulnerability}",
        f"Exploit Scenario: {finding.exploit_scenario}",
        f"Author: {entry.verdict or 'UNADDRESSED'}",
    ]
    if response and response.reasoning:
        lines.append(f"Author's reasoning: {response.reasoning}")
    if response and response.revision:
        adopted = "adopted" if entry.adopted else "not adopted"
        lines.append(f"Author's revision ({adopted}): {response.revision}")
    return "\n".join(lines)


GENERATE_PROMPT = """\
Prepare material for a hostile review.
INPUT
{input}
If the input is a piece of work (code, plan, text, policy), reproduce all of it word for word and only add \
what makes it
citable: a short numbered heading before each part. Change, shorten and correct nothing, not even obvious \
mistakes.
If the input asks for something to be made, make it: complete, in numbered parts.
First line of your reply:  KIND: <WORK or TASK>
Then the material between these two lines and nothing after them:
=== MATERIAL ===
=== END MATERIAL ==="""

ATTACK_PROMPT = """\
You are the red team. You gain only by finding real faults; an invented fault counts against you.
WORK UNDER ATTACK, version {version}
{content}
{ledger}Look for: wrong facts or logic, security holes, unstated assumptions, missing cases, failure \
under load or misuse, cost, law, harm.
At most 12 findings, worst first. CRITICAL = breaks its purpose or does serious damage; HIGH = likely \
serious failure;
MEDIUM = real weakness with limited effect; LOW = minor.
One block per finding, fields in this order, plain text:
{layout}"""

LEDGER_HEADING = "LEDGER of earlier findings and the author's answers\n"

LATER_ROUNDS = """
Attack what is new in this version, faults that were missed, and answers that do not hold. Do not repeat a \
finding
that was accepted and repaired. If you re-raise one, name it under "Relates To" and bring a new argument.
"""

DEFEND_PROMPT = """\
This is your work and a list of attacks on it. Answer each attack once, by its number. Accept what is \
true, even if it hurts;
rebut what is not, with evidence from the work.
YOUR WORK, version {version}
{content}
ATTACKS
{findings}
{layout}"""

JUDGE_PROMPT = """\
You are the judge. An attacker and an author have exchanged {rounds} round(s) about a piece of work.
ORIGINAL
{original}
LATEST VERSION
{latest}
LEDGER: every finding, whether its quotation was found in the work, and the author's answer
{ledger}
Rule on every id. DISMISSED: the finding is not valid. FIXED: valid, and your output below removes it.
OPEN: valid, and it remains. Neither side has the benefit of the doubt; an accepted finding is FIXED only if \
you can point at the change.
Strengthen the latest version where the author's repair or rebuttal was weak. Keep its form, language and \
length class.
{layout}"""
