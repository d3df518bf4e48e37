"""The prompts of the other modes, cut down to what they are known by, and the lines a reader needs."""

from __future__ import annotations

import re

import pytest

from moot.simulator.prompt import Prompt
from moot.simulator.skills import SKILLS
from moot.simulator.topic import Topic
from tests.simulator.asking import PANEL, QUESTION, ask, request

NONCE = "1a2b3c4d"
WORK = (
    "# Plan\n\nWe move the office to Lisbon in May. The budget is 40,000 euros. Staff choose their desks.\n\n"
    "Backups are taken weekly. The landlord was paid in 2023, because he asked."
)


def fenced(heading: str, text: str) -> str:
    return f"{heading}\n<<<{NONCE}\n{text}\n{NONCE}>>>\n"


def known_as(prompt: str) -> str | None:
    read = Prompt.read(request("sim/ada", prompt).messages)
    return next((skill.name for skill in SKILLS if skill.recognise(read)), None)


JUROR = (
    (
        "You are juror 1 of 3.\n"
        + fenced("TASK THE WORK WAS WRITTEN FOR", QUESTION)
        + fenced("WORK UNDER JUDGEMENT", WORK)
    )
    + "Answer with this layout only:\nSCORECARD\nACCURACY: <score> | <one sentence>\nACTIONABILITY: <score> | <x>"
)
FOREMAN = (
    "You are the foreman. The jury's verdict is REVISE. Report it.\n"
    + fenced("WORK", WORK)
    + fenced(
        "ASSESSMENTS (jurors are numbered; who they are is withheld)",
        "Juror 1\nVERDICT: APPROVE\n\nJuror 2\nVERDICT: REVISE\n\nJuror 3\nVERDICT: REVISE",
    )
    + "SUMMARY: <two sentences>\nDISSENT:\n- Juror <n> (<verdict>): <why>"
)
CLASSIFY = fenced("QUESTION", QUESTION) + "Reply with these lines only:\nTYPE: <NUMERIC or QUALITATIVE>"
CLASSIFY_NUMBER = (
    fenced("QUESTION", "What percentage of cars will be electric?") + "TYPE: <NUMERIC or QUALITATIVE>"
)
ESTIMATE = fenced("QUESTION", "How many tennis balls fit in a bus?") + "ESTIMATE: <number in balls>"
CHOOSE = (
    fenced("QUESTION", QUESTION)
    + "A) Microservices\nB) A monolith\nZ) Other: <say what>\nANSWER: <letter and option text>"
)
CODEBOOK = (
    fenced("ANSWERS", "1. Red\n2. Blue!\n3. red.") + "Return OPTION <letter>: <name> = <answer numbers>"
)
REPORT = "You facilitated a Delphi exercise: 2 round(s), ended because the panel agreed.\n" + fenced(
    "QUESTION", QUESTION
)
MATERIAL = "Prepare material for a hostile review.\n" + fenced("INPUT", WORK) + "=== MATERIAL ==="
ATTACK = "You are the red team.\n" + fenced("WORK UNDER ATTACK, version 1", WORK) + "FINDING 1: <short title>"
DEFENCE = (
    "This is your work and a list of attacks on it.\n"
    + fenced("YOUR WORK, version 1", WORK)
    + fenced("ATTACKS", "FINDING 1: No failover\nSeverity: HIGH\n\nFINDING 2: Weak key\nSeverity: LOW")
)
JUDGE = (
    "You are the judge.\n"
    + fenced("LATEST VERSION", WORK)
    + fenced("LEDGER: every finding", "R1-F1 HIGH\nR2-F1 LOW")
    + "=== HARDENED OUTPUT ==="
)
DRAFT = (
    "Write the first full version of what is asked.\n"
    + fenced("REQUEST", QUESTION)
    + f"BEGIN-{NONCE}\nEND-{NONCE}"
)
IMPROVE = (
    "You are editor 2 of 4. Your single task: Structure & Depth.\n"
    + fenced("REQUEST", QUESTION)
    + fenced("CURRENT VERSION (left by step 1)", WORK)
    + f"BEGIN-{NONCE}\n<the complete new version>\nEND-{NONCE}"
)
SPECIALIST = fenced("Assess the submission.", WORK) + (
    "### Key Findings\n### Risk Assessment\n| Criterion | Rating | Notes |\n|---|---|---|\n"
    "| Data Protection |  |  |\n| Attack Surface |  |  |\n### Top 3 Recommendations\n### Detailed Analysis"
)
CROSS_REVIEW = (
    fenced("YOUR REPORT", "r")
    + fenced("COLLEAGUES' FINDINGS", "S2.1 (Cost) a\nS2.2 (Cost) b\nS3.1 (UX) c")
    + "END OF CROSS-REVIEW"
)
PANEL_SYNTHESIS = (
    "You integrate a panel of 3 experts.\n"
    + fenced("SUBMISSION", WORK)
    + fenced("LEDGER: every finding", "S1.1 solo\nS2.1 solo")
)
OUTLINE = (
    "It must cover: context; parts; data; operation\n"
    + fenced("SOURCE (material)", WORK)
    + "DOCUMENT TITLE: a title"
)
SECTION = (
    "Write section 4 of the plan.\nYOUR SECTION 4: Data\nTopics, all of them: stops; trips\nLength: 200 to 500 words\n"
    + fenced("SOURCE", WORK)
)
ASSEMBLY = fenced("PLAN", "SECTION 1: A\nSECTION 2: B\nSECTION 3: C") + "END OF ASSEMBLY"
REVIEW = (
    fenced("WORK UNDER REVIEW", WORK)
    + "### Scores\n| Criterion | Score | Justification |\n|---|---|---|\n| Security |  |  |\n### Findings\n### Strengths"
)
CONSOLIDATION = (
    "DISPUTED CRITERIA: Security\n"
    + fenced("WORK", WORK)
    + fenced(
        "FINDINGS",
        "R1-F1 | MAJOR | Security | part 1 | No failover | d | r\nR2-F1 | MINOR | Cost | part 2 | No failover | d | r\nR2-F2 | MINOR | Cost | p | Dear | d | r",
    )
    + "ISSUE 1: title\nEND OF REPORT"
)
MATCH = (
    "Decide which one serves the person who asked better.\n"
    + fenced("QUESTION", QUESTION)
    + fenced("RESPONSE A", "a")
    + fenced("RESPONSE B", "b")
)
CONFIDENT = "Answer, then report how likely your answer is to be right.\n" + fenced("QUESTION", QUESTION)
WEIGHTED = (
    fenced("QUESTION", QUESTION)
    + fenced(
        "ANSWER label=A weight=64.20% stated_confidence=0.9", f"So {Topic.of(QUESTION).positions[0].claim}."
    )
    + fenced(
        "ANSWER label=B weight=35.80% stated_confidence=0.4", f"So {Topic.of(QUESTION).positions[1].claim}."
    )
    + "CONFIDENCE CALIBRATION NOTES:"
)
PLAN = (
    fenced("REQUEST", QUESTION)
    + "- Between 3 and 6 sub-tasks\nTASK task_1:\nTitle: <at most 8 words>\nEND OF PLAN"
)
PART = (
    "You are solving one part of a larger request.\n"
    + fenced("REQUEST", QUESTION)
    + fenced("YOUR_PART id=task_2 title=Costs", "Say what it costs.")
)
PARTS = (
    "Experts worked separately on parts of one request.\n"
    + fenced("REQUEST", QUESTION)
    + fenced("PLAN", "task_1: x, MISSING: timeout")
    + fenced("PART id=task_2", "The cost is low.")
)
IDEAS = (
    "Think up ideas for this challenge.\n"
    + fenced("CHALLENGE", "Less food waste")
    + "Give 6 to 10 ideas. At least a third should come from this angle: no money. The rest are free."
)
THEMES = (
    fenced("CHALLENGE", "Less food waste")
    + fenced(
        "IDEAS",
        "I1 | Pot | It helps with cost.\nI2 | Fund | It helps with cost.\nI3 | Day | It helps with time.",
    )
    + "- Make 2 to 4 themes.\nCLUSTER 1: <name>\nUNCLUSTERED: <codes or none>"
)
SCORES = (
    fenced("CHALLENGE", "Less food waste")
    + fenced("CLUSTER number=2 name=Bins", "x")
    + fenced("CLUSTER number=1 name=Prices", "y")
    + "Cluster 1: Novelty=3 Feasibility=4 Impact=2"
)
PROPOSAL = (
    "Turn this direction into a proposal.\n"
    + fenced("CHALLENGE", "Less food waste")
    + fenced("DIRECTION name=Bins", "x")
)
FACTS = "State checkable facts (names, dates), each in its own sentence where possible.\n" + fenced(
    "QUESTION", QUESTION
)
CLAIMS = fenced("TEXT", WORK) + "At most 30 claims.\nCLAIM 1: <self-contained statement>"
VERIFY = (
    fenced("CLAIM id=claim_1 type=DATE", "It was 2023.")
    + fenced("CLAIM id=claim_2 type=DATE", "It was 2024.")
    + "UNVERIFIABLE: you lack grounds either way.\nOne block per claim, all 2 of them"
)
COMMENTARY = (
    "Write the commentary of a fact-check report.\n"
    + fenced("CLAIMS", "claim_1 VERIFIED\nclaim_2 DISPUTED")
    + fenced("TEXT_CHECKED", WORK)
)

CASES = [
    (
        JUROR,
        "juror",
        [
            r"^ACCURACY: \d+ \| .+$",
            r"^ACTIONABILITY: \d+ \|",
            r"^VERDICT: (APPROVE|REVISE|REJECT)$",
            r"^RECOMMENDATIONS$",
        ],
    ),
    (
        FOREMAN,
        "foreman",
        [r"^SUMMARY: .+REVISE", r"^- .+ \[1, 2\]$", r"^- Juror 1 \(APPROVE\): ", r"^VERDICT: REVISE$"],
    ),
    (
        CLASSIFY,
        "delphi classify",
        [r"^TYPE: QUALITATIVE$", r"^SCALE: NONE$", r"^- A monolith$", r"^- Microservices$"],
    ),
    (
        CLASSIFY_NUMBER,
        "delphi classify",
        [r"^TYPE: NUMERIC$", r"^SCALE: BOUNDED$", r"^BOUNDS: 0 to 100$", r"^UNIT: %$"],
    ),
    (
        ESTIMATE,
        "delphi estimate",
        [r"^ESTIMATE: [\d.]+$", r"^CONFIDENCE: (LOW|MEDIUM|HIGH)$", r"^REASONING: "],
    ),
    (CHOOSE, "delphi choice", [r"^ANSWER: (A\) Microservices|B\) A monolith)$", r"^CONFIDENCE: "]),
    (CODEBOOK, "delphi codebook", [r"^OPTION A: red = 1, 3$", r"^OPTION B: blue = 2$"]),
    (
        REPORT,
        "delphi report",
        [r"^### Final Consensus$", r"^### Reliability Assessment$", "because the panel agreed"],
    ),
    (
        MATERIAL,
        "red team material",
        [
            r"^KIND: WORK$",
            r"^=== MATERIAL ===$",
            r"^The landlord|Backups are taken",
            r"^=== END MATERIAL ===$",
        ],
    ),
    (ATTACK, "red team attack", [r"^FINDING 1: |^NO FINDINGS: "]),
    (
        DEFENCE,
        "red team defence",
        [
            r"^RESPONSE TO FINDING 1: No failover\nVerdict: (ACCEPT|REBUT)$",
            r"^RESPONSE TO FINDING 2",
            r"^=== END REVISED CONTENT ===$",
        ],
    ),
    (
        JUDGE,
        "red team judge",
        [
            r"^R1-F1: (FIXED|DISMISSED|OPEN) \| ",
            r"^R2-F1: ",
            r"^=== HARDENED OUTPUT ===$",
            r"^REMAINING RISKS:\n- ",
        ],
    ),
    (DRAFT, "chain draft", [rf"^BEGIN-{NONCE}$", rf"^END-{NONCE}$"]),
    (
        IMPROVE,
        "chain improvement",
        [r"^NOTE: ", rf"^BEGIN-{NONCE}\n# Plan$", r"^## Structure & Depth", rf"^END-{NONCE}$"],
    ),
    (
        SPECIALIST,
        "specialist",
        [r"^### Key Findings\n1\. ", r"^\| Data Protection \| [1-5] \| ", r"^\| Attack Surface \| [1-5] \|"],
    ),
    (
        CROSS_REVIEW,
        "cross-review",
        [r"^REACTION S[23]\.\d: (SUPPORT|CHALLENGE|EXTEND) - ", r"^END OF CROSS-REVIEW$"],
    ),
    (
        PANEL_SYNTHESIS,
        "panel synthesis",
        [r"^### Convergent Findings$", r"\[S1\.1, S2\.1\]$", r"^### Executive Summary$", r"\| High \|"],
    ),
    (
        OUTLINE,
        "blueprint plan",
        [
            r"^DOCUMENT TITLE: ",
            r"^SECTION 4: Operation$",
            r"^Length: (Short|Medium|Long)$",
            r"^Total sections: 4$",
        ],
    ),
    (SECTION, "blueprint section", [r"\A## Section 4: Data$", r"^### "]),
    (
        ASSEMBLY,
        "blueprint assembly",
        [r"^END SUMMARY$", r"^TRANSITION 2: ", r"^TRANSITION 3: ", r"^END OF ASSEMBLY$"],
    ),
    (
        REVIEW,
        "review",
        [
            r"^\| Security \| [1-5] \| ",
            r"^### Strengths\n- ",
            r"^(FINDING 1: .+\nCategory: Security$|NO FINDINGS$)",
        ],
    ),
    (
        CONSOLIDATION,
        "review consolidation",
        [r"^Findings: R1-F1, R2-F1$", r"^Findings: R2-F2$", r"^DISPUTE: Security \| ", r"^END OF REPORT$"],
    ),
    (MATCH, "match", [r"^SCORE A: \d$", r"^SCORE B: \d$", r"^WINNER: Response [AB]\Z"]),
    (
        CONFIDENT,
        "answer with confidence",
        [r"\ARESPONSE:$", r"^CONFIDENCE: 0\.\d\d$", r"^CONFIDENCE_REASONING: "],
    ),
    (
        WEIGHTED,
        "weighted synthesis",
        [
            r"\ASYNTHESIS:$",
            r"the better choice is a monolith",
            r"^Answer A: (FAIR|UNDERCONFIDENT) - ",
            r"^Answer B: ",
        ],
    ),
    (
        PLAN,
        "decompose plan",
        [r"^TASK task_3:\nTitle: .+\nDescription: .+\nDependencies: (none|task_[12])", r"^END OF PLAN$"],
    ),
    (PART, "decompose part", [r"\A\*\*Costs\*\*"]),
    (PARTS, "decompose assembly", ["is not covered here"]),
    (IDEAS, "ideas", [r"^IDEA 1: .+\n.+$", r"^IDEA 6: "]),
    (
        THEMES,
        "themes",
        [
            r"^CLUSTER 1: ",
            r"^Ideas: I1, I2$",
            r"^Ideas: I3$",
            r"^Promise: (HIGH|MEDIUM|LOW)$",
            r"^UNCLUSTERED: none$",
        ],
    ),
    (SCORES, "theme scores", [r"^Cluster 1: Novelty=\d Feasibility=\d Impact=\d$", r"^Cluster 2: "]),
    (PROPOSAL, "proposal", [r"^## Proposal: Bins$", r"^### Risks & Mitigations$", r"^### Next Steps\n1\. "]),
    (FACTS, "facts", [r"\d{4}"]),
    (
        CLAIMS,
        "claims",
        [
            r"^CLAIM 1: The budget is 40,000 euros\.\nQuote: The budget is 40,000 euros\.\nType: STATISTIC$",
            r"^Type: DATE$",
        ],
    ),
    (
        VERIFY,
        "verification",
        [r"^VERIFICATION claim_1: (VERIFIED|DISPUTED|UNVERIFIABLE)\nEvidence: ", r"^VERIFICATION claim_2: "],
    ),
    (
        COMMENTARY,
        "fact-check commentary",
        [r"^SUMMARY: ", r"^VERIFIED:\n- claim_1", r"^DISPUTED:\n- claim_2"],
    ),
]


@pytest.mark.parametrize(
    ("prompt", "skill", "lines"), CASES, ids=[f"{case[1]} {n}" for n, case in enumerate(CASES)]
)
@pytest.mark.parametrize("model", PANEL)
def test_a_prompt_of_another_mode_is_answered_in_its_layout(
    model: str, prompt: str, skill: str, lines: list[str]
) -> None:
    text = ask(model, prompt)
    assert known_as(prompt) == skill
    assert "simulated" in text.casefold()
    for line in lines:
        assert re.search(line, text, re.MULTILINE), (line, text)


def test_a_refused_version_is_handed_in_again_whole() -> None:
    text = ask(
        "sim/ada",
        IMPROVE,
        "BEGIN-x",
        f"Your version cannot be used: truncated. BEGIN-{NONCE} and END-{NONCE}.",
    )
    assert text.endswith(f"BEGIN-{NONCE}\n{WORK}\nEND-{NONCE}")


def test_panelists_move_towards_the_median_as_far_as_they_conform() -> None:
    prompt = (
        ESTIMATE
        + "\nYour last answer: 10 balls, confidence LOW.\nPanel of 4: median 20; middle half 5 to 30;"
    )
    assert "ESTIMATE: 10\n" in ask("sim/x:conformity=0", prompt)
    assert "ESTIMATE: 20\n" in ask("sim/x:conformity=1", prompt)


def test_estimates_scatter_less_the_more_accurate_they_are() -> None:
    def spread(accuracy: float) -> float:
        texts = (
            ask(f"sim/x:seed={seed}:accuracy={accuracy}:error_correlation=0", ESTIMATE) for seed in range(40)
        )
        figures = sorted(float(re.findall(r"ESTIMATE: ([\d.]+)", text)[0]) for text in texts)
        return figures[30] / figures[10]

    assert spread(1.0) < 1.2 < spread(0.2)


def test_quotations_are_exact_words_of_the_work() -> None:
    for seed in range(20):
        text = ask(f"sim/ada:accuracy=1:seed={seed}", ATTACK)
        assert all(quote in WORK for quote in re.findall(r'Evidence: "(.+)"', text))


UNTAUGHT = (
    "Weigh the plan below.\n"
    + fenced("PLAN TO WEIGH", WORK)
    + """Answer in this layout:
RISK 1: <short title>
Weight: <HIGH or LOW>
Reason: <one sentence>

SCORE: <1-10>
CHOICE: [KEEP|DROP]
=== NEW PLAN ===
=== END NEW PLAN ===
VERDICT: <APPROVE or REVISE or REJECT>"""
)


@pytest.mark.parametrize("model", PANEL)
def test_a_prompt_nobody_has_taught_gets_its_layout_filled_in(model: str) -> None:
    text = ask(model, UNTAUGHT)
    assert known_as(UNTAUGHT) is None
    assert "Simulated: " in text
    for line in (
        r"^RISK 3: .+\nWeight: (HIGH|LOW)\nReason: .+\.$",
        r"^SCORE: (6|7|8|9|10)$",
        r"^CHOICE: (KEEP|DROP)$",
        r"^=== NEW PLAN ===\n.+",
        r"^VERDICT: (APPROVE|REVISE|REJECT)\Z",
    ):
        assert re.search(line, text, re.MULTILINE), (line, text)


def test_an_untaught_prompt_without_a_layout_gets_prose() -> None:
    text = ask("sim/ada", "Say what you think of this.\n" + fenced("QUESTION", QUESTION))
    assert text.startswith("*Simulated answer")
    assert Topic.of(QUESTION).stance(text)
