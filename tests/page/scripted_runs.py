"""Runs whose every word is known, one per mode or way to go wrong: what the pictures must show is known too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from moot.modes.specialist_panel.roles import ROLES

LONG = "a-model-whose-maker-could-not-stop-naming-it-preview-2026-11-16-thinking"
HEBREW = "תה עדיף בבוקר כי הוא עדין יותר."
DOWN = {"status": 402, "message": "Insufficient credits"}


@dataclass(frozen=True)
class ScriptedRun:
    mode: str
    question: str
    config: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, Any] = field(default_factory=dict)
    """What each model says, call by call or always; simulated ones need no lines."""


COUNCIL = ScriptedRun(
    "council",
    "Tea or coffee?",
    {
        "councilModels": ["council/ann", "council/bob", f"council/{LONG}", "council/dan"],
        "chairmanModel": "council/cyd",
    },
    {
        "council/ann": ["Tea.", {"rank": [HEBREW, "Tea.", "Coffee."]}],
        "council/bob": ["Coffee.", {"rank": ["Coffee.", HEBREW, "Tea."]}],
        f"council/{LONG}": [HEBREW, "They are all good."],
        "council/dan": [DOWN] * 4,
        "council/cyd": ["Tea in the morning."],
    },
)
VOTE = ScriptedRun(
    "vote",
    "Tea or coffee?",
    {"councilModels": ["vote/ann", "vote/bob", "vote/cyd", "vote/dan"], "chairmanModel": "vote/eve"},
    {
        "vote/ann": ["Tea.", {"vote_for": "Coffee."}],
        "vote/bob": ["Coffee.", {"vote_for": "Tea."}],
        "vote/cyd": ["Cocoa.", "Nobody deserves it.", "Nobody at all."],
        "vote/dan": ["Water.", *[DOWN] * 4],
        "vote/eve": [{"vote_for": "Tea."}],
    },
)
POOLED = ScriptedRun(
    "vote",
    "Tea or coffee?",
    {"councilModels": ["same/ann", "same/bob", "same/cyd"], "chairmanModel": "same/eve"},
    {
        "same/ann": ["Tea.", "VOTE: Response A"],
        "same/bob": ["Tea.", "VOTE: Response A"],
        "same/cyd": ["Tea.", "VOTE: Response B"],
        "same/eve": ["VOTE: Response A"],
    },
)
"""All say the same, and their votes fall on two letters."""
NO_VOTES = ScriptedRun(
    "debate",
    "Tea or coffee?",
    {"models": ["mute/ann", "mute/bob", "mute/cyd"]},
    {
        name: ["Tea.", "DECISION: STAND\nREASONING: None better.", "No.", "No."]
        for name in ("mute/ann", "mute/bob", "mute/cyd")
    },
)
DEBATE = ScriptedRun(
    "debate",
    "Tea or coffee?",
    {"models": ["debate/ann", "debate/bob", "debate/cyd", f"debate/{LONG}"]},
    {
        "debate/ann": [
            "Green tea keeps one awake.",
            "DECISION: REVISE\nREASONING: Responses A, B, C and D all speak of sleep.\n\nREVISED RESPONSE:\n"
            "Black tea keeps one awake and lets one sleep.",
            {"vote_for": "Black tea keeps"},
        ],
        "debate/bob": [
            "Coffee wakes faster.",
            "DECISION: STAND\nREASONING: Nothing new.",
            {"vote_for": "Black tea keeps"},
        ],
        "debate/cyd": [
            "Cocoa calms.",
            "DECISION: MERGE\nREASONING: Both are right.\n\nREVISED RESPONSE:\nCocoa calms at night, tea by day.",
            {"vote_for": "Cocoa calms at"},
        ],
        f"debate/{LONG}": [HEBREW, DOWN, DOWN, DOWN, DOWN, {"vote_for": "Black tea keeps"}],
    },
)


def scorecard(scores: str, verdict: str) -> str:
    names = ("ACCURACY", "COMPLETENESS", "CLARITY", "RELEVANCE", "ACTIONABILITY")
    lines = (f"{name}: {score} | seen" for name, score in zip(names, scores.split(), strict=True))
    return "\n".join(["SCORECARD", *lines, "STRENGTHS", "- It is short.", f"VERDICT: {verdict}"])


JURY = ScriptedRun(
    "jury",
    "The bridge holds 40 tons.",
    {
        "jurorModels": [f"jury/{name}" for name in ("ann", "bob", "cyd", "dan", "eve")],
        "foremanModel": "jury/foreman",
    },
    {
        "jury/ann": [scorecard("9 6 8 9 7", "APPROVE")],
        "jury/bob": [scorecard("5 4 7 8 3", "REVISE")],
        "jury/cyd": [scorecard("6 5 8 n/a 5", "APPROVE")],
        "jury/dan": [scorecard("8 7 9 9 8", "REVISE")],
        "jury/eve": [DOWN] * 4,
        "jury/foreman": ["SUMMARY: It is nearly there.\nSTRENGTHS\n- Short [1, 2]\nVERDICT: APPROVE"] * 2,
    },
)


def estimate(value: float, confidence: str = "HIGH") -> str:
    return f"ESTIMATE: {value}\nCONFIDENCE: {confidence}\nREASONING: I counted."


def numeric(name: str, scale: str, answers: dict[str, list[Any]], **config: Any) -> ScriptedRun:
    return ScriptedRun(
        "delphi",
        f"How many tons does the bridge of {name} hold?",
        {
            "panelistModels": [f"{name}/{one}" for one in answers],
            "facilitatorModel": f"{name}/lead",
            **config,
        },
        {
            f"{name}/lead": [
                f"TYPE: NUMERIC\nSCALE: {scale}\nUNIT: tons\nREASONING: A weight.",
                *["The panel has spoken."] * 2,
            ],
            **{
                f"{name}/{one}": [line if isinstance(line, dict) else estimate(line) for line in lines]
                for one, lines in answers.items()
            },
        },
    )


DELPHI = numeric("delphi", "RATIO", {"ann": [30, 38], "bob": [40, 41], "cyd": [44, 44], LONG: [90, 52]})
DELPHI_POWERS = numeric(
    "powers",
    "MAGNITUDE",
    {"ann": [10, 10], "bob": [1000, 1000], "cyd": [100000, *[DOWN] * 4], "dan": [1000, 1000]},
    maxRounds=2,
)
DELPHI_SHARES = ScriptedRun(
    "delphi",
    "Tea or coffee?",
    {
        "panelistModels": [f"shares/{name}" for name in ("ann", "bob", "cyd", "dan")],
        "facilitatorModel": "shares/lead",
        "questionType": "qualitative",
        "options": ["Tea", "Coffee", HEBREW],
    },
    {
        "shares/lead": ["The panel has spoken."] * 2,
        "shares/ann": ["ANSWER: Tea\nCONFIDENCE: HIGH\nREASONING: Mild."] * 3,
        "shares/bob": ["ANSWER: Tea\nCONFIDENCE: HIGH\nREASONING: Warm."] * 3,
        "shares/cyd": [
            "ANSWER: Coffee\nCONFIDENCE: LOW\nREASONING: Fast.",
            *["ANSWER: Tea\nCONFIDENCE: LOW\nREASONING: They are right."] * 2,
        ],
        "shares/dan": [f"ANSWER: {HEBREW}\nCONFIDENCE: HIGH\nREASONING: So."] * 3,
    },
)

WORK = "1. Keys\nPasswords are stored as md5 without a salt.\n2. Logs\nNobody reads the logs at all."
BETTER = WORK.replace("md5 without a salt", "argon2 with a salt")
BEST = BETTER.replace("Nobody reads", "Ann reads")


def finding(number: int, title: str, severity: str, relates: str = "NEW", evidence: str = "ABSENT") -> str:
    return (
        f"FINDING {number}: {title}\nSeverity: {severity}\nLocation: part {number}\nEvidence: {evidence}\n"
        f"Vulnerability: {title} is a fault.\nExploit Scenario: Somebody uses it.\nRelates To: {relates}"
    )


def response(number: int, verdict: str) -> str:
    return f"RESPONSE TO FINDING {number}: it\nVerdict: {verdict}\nReasoning: Look at it."


RED_TEAM = ScriptedRun(
    "red_team",
    WORK,
    {"generatorModel": "red/ann", "attackerModel": "red/bob", "synthesizerModel": "red/cyd"},
    {
        "red/ann": [
            f"KIND: WORK\n=== MATERIAL ===\n{WORK}\n=== END MATERIAL ===",
            "\n\n".join(
                [
                    response(1, "ACCEPT"),
                    response(2, "REBUT"),
                    response(3, "ACCEPT"),
                    f"=== REVISED CONTENT ===\n{BETTER}\n=== END REVISED CONTENT ===",
                ]
            ),
            "\n\n".join([response(1, "REBUT")]),
        ],
        "red/bob": [
            "\n\n".join(
                [
                    finding(1, "Weak key", "CRITICAL", evidence='"stored as md5"'),
                    finding(2, "Unread logs", "HIGH", evidence='"nobody ever looks"'),
                    finding(3, "No date", "LOW"),
                ]
            ),
            "\n\n".join([finding(1, "Unread logs again", "HIGH", "R1-F2"), finding(2, "No limit", "MEDIUM")]),
        ],
        "red/cyd": [
            "RULINGS:\nR1-F1: FIXED | argon2 now\nR1-F3: DISMISSED | needless\nR2-F1: OPEN | it remains\nR2-F2: OPEN | never answered\n"
            f"=== HARDENED OUTPUT ===\n{BEST}\n=== END HARDENED OUTPUT ===\nREMAINING RISKS:\n- Nobody reads the logs"
        ],
    },
)

DRAFT = "Steep green tea for two minutes."
CHAIN = ScriptedRun(
    "chain",
    "How does one make tea?",
    {
        "steps": [
            {"model": "chain/ann", "mandate": "draft"},
            {"model": f"chain/{LONG}", "mandate": "structure_depth"},
            {"model": "chain/cyd", "mandate": "accuracy_completeness"},
            {"model": "chain/dan", "mandate": "custom", "customMandate": "Say it as if to a child of seven"},
        ]
    },
    {
        "chain/ann": [DRAFT],
        f"chain/{LONG}": [DOWN] * 4,
        "chain/cyd": [
            "NOTE: I took out the haste.\n\n"
            + DRAFT.replace("two minutes", "three minutes at eighty degrees")
        ],
        "chain/dan": ["Steep black tea for three minutes at eighty degrees, little one."],
    },
)


def expertise(role: str, ratings: str, *findings: str) -> str:
    rows = zip(ROLES[role].criteria, ratings.split(), strict=True)
    return "\n".join(
        [
            "### Key Findings",
            *(f"{number}. {text}" for number, text in enumerate(findings, 1)),
            "### Risk Assessment\n| Criterion | Rating | Notes |\n|---|---|---|",
            *(f"| {criterion} | {rating} | seen |" for criterion, rating in rows),
            "### Top 3 Recommendations\n1. Rotate the tokens\n2. Add a server\n3. Ask again",
            "### Detailed Analysis\nThe long view.",
        ]
    )


PANEL = ScriptedRun(
    "specialist_panel",
    "One server, tokens that never expire, 900 euros a month.",
    {
        "specialists": [
            {"roleId": "security_expert", "model": "panel/ann"},
            {"roleId": "scalability_architect", "model": "panel/bob"},
            {"roleId": "cost_analyst", "model": f"panel/{LONG}"},
            {"roleId": "ux_designer", "model": "panel/dan"},
        ],
        "synthesizerModel": "panel/eve",
    },
    {
        "panel/ann": [
            expertise("security_expert", "3 4 2 n/a 2", "Tokens never expire", HEBREW),
            "REACTION S2.1: SUPPORT - seen too\nRESCORE Data Protection: 2 - after S2.1\nEND OF CROSS-REVIEW",
        ],
        "panel/bob": [
            expertise("scalability_architect", "4 2 3 3 5", "One server is no server"),
            "REACTION S1.1: SUPPORT - load shows it\nREACTION S3.1: CHALLENGE - not this year\nEND OF CROSS-REVIEW",
        ],
        f"panel/{LONG}": [
            expertise("cost_analyst", "2 2 3 4 2", "The price doubles in a year"),
            "REACTION S1.1: EXTEND - it costs too\nEND OF CROSS-REVIEW",
        ],
        "panel/dan": [DOWN] * 4,
        "panel/eve": [
            "### Convergent Findings\n- Tokens live too long [S1.1, S2.1]\n### Divergent Findings\nNone.\n### Consolidated Risk Matrix\n"
            "| Domain | Risk Level | Key Concern | Recommended Action | Source Specialists |\n|---|---|---|---|---|\n| Access | High | tokens never expire | rotate | S1 |\n"
            "| Load | Medium | one server | a second one | S2 |\n### Unified Recommendations\n1. Rotate tokens [S1.1]\n### Executive Summary\nIt works, but not for long."
        ],
    },
)

RUNS = {
    "council": COUNCIL,
    "vote": VOTE,
    "pooled": POOLED,
    "no votes": NO_VOTES,
    "debate": DEBATE,
    "jury": JURY,
    "delphi": DELPHI,
    "delphi powers": DELPHI_POWERS,
    "delphi shares": DELPHI_SHARES,
    "red_team": RED_TEAM,
    "chain": CHAIN,
    "specialist_panel": PANEL,
}


def slowly(text: str) -> dict[str, Any]:
    return {"text": text, "latency": 2.5}


SLOW_JURY = ScriptedRun(
    "jury",
    "The bridge holds 40 tons.",
    {"jurorModels": [f"slow/{name}" for name in ("ann", "bob", "cyd")], "foremanModel": "slow/foreman"},
    {
        "slow/ann": [scorecard("9 6 8 9 7", "APPROVE")],
        "slow/bob": [scorecard("5 4 7 8 3", "REVISE")],
        "slow/cyd": [slowly(scorecard("6 5 8 8 5", "REVISE"))],
        "slow/foreman": ["SUMMARY: It is nearly there.\nVERDICT: REVISE"] * 2,
    },
)
SLOW_DELPHI = numeric("later", "RATIO", {"ann": [40, 40], "bob": [41, 41], "cyd": [42, 42]})
SLOW_DELPHI.lines["later/lead"][1] = slowly("The panel has spoken.")
WATCHED = (SLOW_JURY, SLOW_DELPHI)


def script(*more: ScriptedRun) -> dict[str, Any]:
    """What the model server needs to say all of them."""
    runs = (*RUNS.values(), *WATCHED, *more)
    models: dict[str, Any] = {name: lines for run in runs for name, lines in run.lines.items()}
    return {"models": {**models, "title/model": "Tea and other things"}}
