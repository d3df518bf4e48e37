"""The prompts of the other modes are answered with the lines that a reader needs."""

from __future__ import annotations

import re

import pytest

from moot.modes.skills import SKILLS
from moot.simulator.prompt import Prompt
from moot.simulator.topic import Topic
from tests.simulator import prompts
from tests.simulator.asking import PANEL, QUESTION, ask, debate_vote_prompt, request, vote_prompt


def known_as(prompt: str) -> str | None:
    read = Prompt.read(request("sim/ada", prompt).messages)
    return next((skill.name for skill in SKILLS if skill.recognise(read)), None)


CASES = [
    (
        prompts.JUROR,
        "juror",
        [
            r"^ACCURACY: \d+ \| .+$",
            r"^ACTIONABILITY: \d+ \|",
            r"^VERDICT: (APPROVE|REVISE|REJECT)$",
            r"^RECOMMENDATIONS$",
        ],
    ),
    (
        prompts.FOREMAN,
        "foreman",
        [r"^SUMMARY: .+REVISE", r"^- .+ \[1, 2\]$", r"^- Juror 1 \(APPROVE\): ", r"^VERDICT: REVISE$"],
    ),
    (prompts.JUROR_AGAIN, "juror", [r"^ACCURACY: \d+ \| .+$", r"^VERDICT: (APPROVE|REVISE|REJECT)$"]),
    (prompts.FOREMAN_AGAIN, "foreman", [r"^SUMMARY: .+", r"^VERDICT: REVISE$"]),
    (
        prompts.CLASSIFY,
        "delphi classify",
        [r"^TYPE: QUALITATIVE$", r"^SCALE: NONE$", r"^- A monolith$", r"^- Microservices$"],
    ),
    (
        prompts.CLASSIFY_NUMBER,
        "delphi classify",
        [r"^TYPE: NUMERIC$", r"^SCALE: BOUNDED$", r"^BOUNDS: 0 to 100$", r"^UNIT: %$"],
    ),
    (
        prompts.ESTIMATE,
        "delphi estimate",
        [r"^ESTIMATE: [\d.]+$", r"^CONFIDENCE: (LOW|MEDIUM|HIGH)$", r"^REASONING: "],
    ),
    (prompts.CHOOSE, "delphi choice", [r"^ANSWER: (A\) Microservices|B\) A monolith)$", r"^CONFIDENCE: "]),
    (prompts.CHOOSE_AGAIN, "delphi choice", [r"^ANSWER: \S", r"^CONFIDENCE: "]),
    (prompts.CODEBOOK, "delphi codebook", [r"^OPTION A: red = 1, 3$", r"^OPTION B: blue = 2$"]),
    (
        prompts.REPORT,
        "delphi report",
        [r"^### Final Consensus$", r"^### Reliability Assessment$", "because the panel agreed"],
    ),
    (
        prompts.MATERIAL,
        "red team material",
        [
            r"^KIND: WORK$",
            r"^=== MATERIAL ===$",
            r"^The landlord|Backups are taken",
            r"^=== END MATERIAL ===$",
        ],
    ),
    (prompts.ATTACK, "red team attack", [r"^FINDING 1: |^NO FINDINGS: "]),
    (
        prompts.DEFENCE,
        "red team defence",
        [
            r"^RESPONSE TO FINDING 1: No failover\nVerdict: (ACCEPT|REBUT)$",
            r"^RESPONSE TO FINDING 2",
            r"^=== END REVISED CONTENT ===$",
        ],
    ),
    (
        prompts.JUDGE,
        "red team judge",
        [
            r"^R1-F1: (FIXED|DISMISSED|OPEN) \| ",
            r"^R2-F1: ",
            r"^=== HARDENED OUTPUT ===$",
            r"^REMAINING RISKS:\n- ",
        ],
    ),
    (prompts.DRAFT, "chain draft", [r"^BEGIN-[0-9a-f]{8}$", r"^END-[0-9a-f]{8}$"]),
    (
        prompts.IMPROVE,
        "chain improvement",
        [
            r"^NOTE: ",
            r"^BEGIN-[0-9a-f]{8}\n# Plan$",
            r"^## Structure & Depth",
            r"^END-[0-9a-f]{8}$",
        ],
    ),
    (
        prompts.SPECIALIST,
        "specialist",
        [r"^### Key Findings\n1\. ", r"^\| Data Protection \| [1-5] \| ", r"^\| Attack Surface \| [1-5] \|"],
    ),
    (
        prompts.CROSS_REVIEW,
        "cross-review",
        [r"^REACTION S[23]\.\d: (SUPPORT|CHALLENGE|EXTEND) - ", r"^END OF CROSS-REVIEW$"],
    ),
    (
        prompts.PANEL_SYNTHESIS,
        "panel synthesis",
        [r"^### Convergent Findings$", r"\[S1\.1, S2\.1\]$", r"^### Executive Summary$", r"\| High \|"],
    ),
    (
        prompts.OUTLINE,
        "blueprint plan",
        [
            r"^DOCUMENT TITLE: ",
            r"^SECTION 4: Operation$",
            r"^Length: (Short|Medium|Long)$",
            r"^Total sections: 4$",
        ],
    ),
    (prompts.SECTION, "blueprint section", [r"\A## Section 4: Data$", r"^### "]),
    (
        prompts.ASSEMBLY,
        "blueprint assembly",
        [r"^END SUMMARY$", r"^TRANSITION 2: ", r"^TRANSITION 3: ", r"^END OF ASSEMBLY$"],
    ),
    (
        prompts.REVIEW,
        "review",
        [
            r"^\| Security \| [1-5] \| ",
            r"^### Strengths\n- ",
            r"^(FINDING 1: .+\nCategory: Security$|NO FINDINGS$)",
        ],
    ),
    (
        prompts.CONSOLIDATION,
        "review consolidation",
        [
            r"^Findings: R1-F1, R2-F1$",
            r"^Findings: R2-F2$",
            r"^DISPUTE: Security \| ",
            r"^END OF REPORT$",
        ],
    ),
    (prompts.MATCH, "match", [r"^SCORE A: \d$", r"^SCORE B: \d$", r"^WINNER: Response [AB]\Z"]),
    (prompts.MATCH_AGAIN, "match again", [r"^\*Simulated verdict\.\*\nWINNER: Response [AB]\Z"]),
    (
        prompts.CONFIDENT,
        "answer with confidence",
        [r"\ARESPONSE:$", r"^CONFIDENCE: 0\.\d\d$", r"^CONFIDENCE_REASONING: "],
    ),
    (
        prompts.WEIGHTED,
        "weighted synthesis",
        [
            r"\ASYNTHESIS:$",
            r"the better choice is a monolith",
            r"^Answer A: (FAIR|UNDERCONFIDENT) - ",
            r"^Answer B: ",
        ],
    ),
    (
        prompts.PLAN,
        "decompose plan",
        [
            r"^TASK task_3:\nTitle: .+\nDescription: .+\nDependencies: (none|task_[12])",
            r"^END OF PLAN$",
        ],
    ),
    (prompts.PART, "decompose part", [r"\A\*\*Costs\*\*"]),
    (prompts.PARTS, "decompose assembly", ["is not covered here"]),
    (prompts.IDEAS, "ideas", [r"^IDEA 1: .+\n.+$", r"^IDEA 6: "]),
    (
        prompts.THEMES,
        "themes",
        [
            r"^CLUSTER 1: ",
            r"^Ideas: I1, I2$",
            r"^Ideas: I3$",
            r"^Promise: (HIGH|MEDIUM|LOW)$",
            r"^UNCLUSTERED: none$",
        ],
    ),
    (prompts.PLACING, "leftover ideas", [r"^CLUSTER 1: ", r"^Ideas: I2, I3$"]),
    (prompts.SCORES, "theme scores", [r"^Cluster 1: Novelty=\d Feasibility=\d Impact=\d$", r"^Cluster 2: "]),
    (
        prompts.PROPOSAL,
        "proposal",
        [r"^## Proposal: Bins$", r"^### Risks & Mitigations$", r"^### Next Steps\n1\. "],
    ),
    (prompts.FACTS, "facts", [r"\d{4}"]),
    (
        prompts.CLAIMS,
        "claims",
        [
            r"^CLAIM 1: The budget is 40,000 euros\.\nQuote: The budget is 40,000 euros\.\nType: STATISTIC$",
            r"^Type: DATE$",
        ],
    ),
    (
        prompts.VERIFY,
        "verification",
        [r"^VERIFICATION claim_1: (VERIFIED|DISPUTED|UNVERIFIABLE)\nEvidence: ", r"^VERIFICATION claim_2: "],
    ),
    (
        prompts.COMMENTARY,
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


def test_the_ballots_of_a_vote_and_of_a_debate_are_told_apart() -> None:
    responses = {"Response A": "a", "Response B": "b"}
    assert known_as(vote_prompt(responses)) == "vote"
    assert known_as(debate_vote_prompt(responses)) == "vote on revised answers"


def test_a_refused_version_is_handed_in_again_whole() -> None:
    text = ask("sim/ada", prompts.IMPROVE, "BEGIN-x", prompts.REFUSED)
    [(begin, body, end)] = re.findall(r"BEGIN-(\w+)\n(.*)\nEND-(\w+)\Z", text, re.DOTALL)
    assert (begin == end, body) == (True, prompts.WORK)


def test_panelists_move_towards_the_median_as_far_as_they_conform() -> None:
    prompt = (
        prompts.ESTIMATE
        + "\nYour last answer: 10 balls, confidence LOW.\nPanel of 4: median 20; middle half 5 to 30;"
    )
    assert "ESTIMATE: 10\n" in ask("sim/x:conformity=0", prompt)
    assert "ESTIMATE: 20\n" in ask("sim/x:conformity=1", prompt)


def test_estimates_scatter_less_the_more_accurate_they_are() -> None:
    def spread(accuracy: float) -> float:
        texts = (
            ask(f"sim/x:seed={seed}:accuracy={accuracy}:error_correlation=0", prompts.ESTIMATE)
            for seed in range(40)
        )
        figures = sorted(float(re.findall(r"ESTIMATE: ([\d.]+)", text)[0]) for text in texts)
        return figures[30] / figures[10]

    assert spread(1.0) < 1.2 < spread(0.2)


def test_quotations_are_exact_words_of_the_work() -> None:
    for seed in range(20):
        text = ask(f"sim/ada:accuracy=1:seed={seed}", prompts.ATTACK)
        assert all(quote in prompts.WORK for quote in re.findall(r'Evidence: "(.+)"', text))


@pytest.mark.parametrize("model", PANEL)
def test_a_prompt_nobody_has_taught_gets_its_layout_filled_in(model: str) -> None:
    text = ask(model, prompts.UNTAUGHT)
    assert known_as(prompts.UNTAUGHT) is None
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
    text = ask("sim/ada", "Say what you think of this.\n" + prompts.fenced("QUESTION", QUESTION))
    assert text.startswith("*Simulated answer")
    assert Topic.of(QUESTION).stance(text)
