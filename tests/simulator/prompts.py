"""Prompts of the other modes, filled in with little; those of the jury cut down to what they are known by and to
what they show."""

from __future__ import annotations

from moot.deliberation.retries import REPAIR_PROMPT
from moot.kernel.fences import Filling, Foreign, draw_nonce, fill
from moot.modes.blueprint import layouts as blueprint_layouts
from moot.modes.blueprint import prompts as blueprint
from moot.modes.brainstorm import layouts as brainstorm_layouts
from moot.modes.brainstorm import prompts as brainstorm
from moot.modes.chain import prompts as chain
from moot.modes.confidence_weighted import layouts
from moot.modes.confidence_weighted import prompts as confidence_weighted
from moot.modes.decompose import prompts as decompose
from moot.modes.delphi import layouts as delphi_layouts
from moot.modes.delphi import prompts as delphi
from moot.modes.fact_check import prompts as fact_check
from moot.modes.jury import prompts as jury
from moot.modes.peer_review import layouts as peer_review_layouts
from moot.modes.peer_review import prompts as peer_review
from moot.modes.red_team import layouts as red_team_layouts
from moot.modes.red_team import prompts as red_team
from moot.modes.specialist_panel import prompts as specialist_panel
from moot.modes.tournament import prompts as tournament
from moot.simulator.topic import Topic
from tests.simulator.asking import QUESTION, SEED

NONCE = "1a2b3c4d"
WORK = (
    "# Plan\n\nWe move the office to Lisbon in May. The budget is 40,000 euros. Staff choose their desks.\n\n"
    "Backups are taken weekly. The landlord was paid in 2023, because he asked."
)


def fenced(heading: str, text: str) -> str:
    return f"{heading}\n<<<{NONCE}\n{text}\n{NONCE}>>>\n"


def prompt(template: str, **fillings: Filling) -> str:
    return fill(template, SEED, **fillings)


JUROR = prompt(
    jury.JUROR_PROMPT,
    seat="1",
    jurorCount="3",
    task=["TASK THE WORK WAS WRITTEN FOR\n", Foreign(QUESTION), "\n"],
    brief="",
    content=Foreign(WORK),
    aim="on the task",
    layout=jury.JUROR_LAYOUT,
)
JUROR_AGAIN = prompt(
    REPAIR_PROMPT,
    problem="it holds no score and no verdict",
    matter="judgement",
    layout=jury.JUROR_LAYOUT,
    reply=Foreign("A fine piece of work."),
)
FOREMAN = prompt(
    jury.FOREMAN_PROMPT,
    jurorCount="3",
    tallyLine="1 APPROVE, 2 REVISE, 0 REJECT",
    verdictLine=jury.VERDICT_LINE.format(verdict="REVISE"),
    dimensionTable="| Dimension | Average | Lowest | Highest | Agreement |",
    content=Foreign(WORK),
    assessments=[
        "Juror 1\n",
        Foreign("VERDICT: APPROVE"),
        "\nJuror 2\n",
        Foreign("VERDICT: REVISE"),
        "\nJuror 3\n",
        Foreign("VERDICT: REVISE"),
        "\n",
    ],
    layout=jury.FOREMAN_LAYOUT,
)
FOREMAN_AGAIN = prompt(
    REPAIR_PROMPT,
    problem="it has none of the sections",
    matter="judgement",
    layout=jury.FOREMAN_LAYOUT,
    reply=Foreign("It is fine."),
)
CLASSIFY = prompt(delphi.CLASSIFY_PROMPT, question=Foreign(QUESTION), layout=delphi_layouts.CLASSIFY_LAYOUT)
CLASSIFY_NUMBER = prompt(
    delphi.CLASSIFY_PROMPT,
    question=Foreign("What percentage of cars will be electric?"),
    layout=delphi_layouts.CLASSIFY_LAYOUT,
)
ESTIMATE = prompt(
    delphi.FIRST_NUMERIC,
    n="4",
    question=Foreign("How many tennis balls fit in a bus?"),
    in_unit=" in balls",
    within="",
    layout=delphi_layouts.ANSWER_LAYOUT.format(line="ESTIMATE: <number in balls>", why="two sentences"),
)
CHOICE_LAYOUT = delphi_layouts.ANSWER_LAYOUT.format(line=delphi_layouts.CHOICE_LINE, why="two sentences")
CHOOSE = prompt(
    delphi.FIRST_CHOICE,
    n="4",
    question=Foreign(QUESTION),
    options=delphi.letter_options(["Microservices", "A monolith"]),
    layout=CHOICE_LAYOUT,
)
CHOOSE_AGAIN = prompt(
    REPAIR_PROMPT,
    problem="it has no ANSWER line",
    matter="answer",
    layout=CHOICE_LAYOUT,
    reply=Foreign("A monolith, I should think."),
)
CODEBOOK = prompt(
    delphi.CODEBOOK_PROMPT, question=Foreign(QUESTION), answers=Foreign("1. Red\n2. Blue!\n3. red.")
)
REPORT = prompt(
    delphi.REPORT_PROMPT,
    rounds="2",
    n="4",
    reason="the panel agreed",
    question=Foreign(QUESTION),
    table="| Round |",
    line="The panel agreed.",
)
MATERIAL = prompt(red_team.GENERATE_PROMPT, input=Foreign(WORK))
ATTACK = prompt(
    red_team.ATTACK_PROMPT,
    version="1",
    content=Foreign(WORK),
    ledger="",
    layout=red_team_layouts.ATTACK_LAYOUT,
)
DEFENCE = prompt(
    red_team.DEFEND_PROMPT,
    version="1",
    content=Foreign(WORK),
    findings=Foreign("FINDING 1: No failover\nSeverity: HIGH\n\nFINDING 2: Weak key\nSeverity: LOW"),
    layout=red_team_layouts.DEFEND_LAYOUT,
)
JUDGE = prompt(
    red_team.JUDGE_PROMPT,
    rounds="2",
    original=Foreign(WORK),
    latest=Foreign(WORK),
    ledger=Foreign("R1-F1 HIGH\nR2-F1 LOW"),
    layout=red_team_layouts.JUDGE_LAYOUT,
)
DRAFT = prompt(chain.DRAFT_PROMPT, later="3", request=Foreign(QUESTION), weight="")
IMPROVE = prompt(
    chain.IMPROVE_PROMPT,
    step="2",
    total="4",
    mandate="Structure & Depth",
    instruction="Put the parts in order.",
    request=Foreign(QUESTION),
    accepted="1",
    previous=Foreign(WORK),
    applied="",
    skipped="",
)
REFUSED = chain.REFUSAL_PROMPT.format(reason="truncated", nonce=draw_nonce(SEED, [QUESTION, WORK]))
SPECIALIST = prompt(
    specialist_panel.SPECIALIST_PROMPT,
    submission=Foreign(WORK),
    criterionRows="| Data Protection |  |  |\n| Attack Surface |  |  |",
)
CROSS_REVIEW = prompt(
    specialist_panel.CROSS_REVIEW_PROMPT,
    ownReport=Foreign("r"),
    findingLines=Foreign("S2.1 (Cost) a\nS2.2 (Cost) b\nS3.1 (UX) c"),
)
PANEL_SYNTHESIS = prompt(
    specialist_panel.SYNTHESIS_PROMPT,
    n="3",
    missingRolesOrNone="none",
    submission=Foreign(WORK),
    reportsByRole="",
    ledgerLines=Foreign("S1.1 solo\nS2.1 solo"),
)
OUTLINE = prompt(
    blueprint.OUTLINE_PROMPT,
    again="",
    typeLabel="Plan",
    mustCover="context; parts; data; operation",
    source=Foreign(WORK),
)
SECTION = prompt(
    blueprint.SECTION_PROMPT,
    n="4",
    typeLabel="Plan",
    documentTitle="The Move",
    renderedPlan=Foreign("SECTION 4: Data"),
    terms="none",
    title="Data",
    description="",
    keyTopics=Foreign("stops; trips"),
    excludes="nothing",
    minWords="200",
    maxWords="500",
    source=Foreign(WORK),
)
ASSEMBLY = prompt(
    blueprint.ASSEMBLY_PROMPT,
    documentTitle="The Move",
    renderedPlan=Foreign("SECTION 1: A\nSECTION 2: B\nSECTION 3: C"),
    numberedParagraphs=["SECTION 1: A\n", Foreign("[1.1] We move."), "\n"],
    failedSectionsOrNone="none",
    uncoveredTopics="none",
    layout=blueprint_layouts.ASSEMBLY_LAYOUT,
    cutOnly=blueprint_layouts.CUT_ONLY,
)
REVIEW = prompt(
    peer_review.REVIEW_PROMPT,
    rubricName="Plan Review",
    rubricDescription="Whether it can be done.",
    work=Foreign(WORK),
    criteriaLines="- Security (weight 5): threats",
    criterionRows="| Security |  |  |",
    findingLayout=peer_review_layouts.FINDING_LAYOUT,
)
CONSOLIDATION = prompt(
    peer_review.CONSOLIDATION_PROMPT,
    n="2",
    work=Foreign(WORK),
    scoreTable="| Criterion |",
    disputedOrNone="Security",
    findingLines=Foreign(
        "R1-F1 | MAJOR | Security | part 1 | No failover | d | r\n"
        "R2-F1 | MINOR | Cost | part 2 | No failover | d | r\n"
        "R2-F2 | MINOR | Cost | p | Dear | d | r"
    ),
    unread="",
    task=peer_review.ISSUES_TASK.format(issueLayout=peer_review_layouts.ISSUE_LAYOUT),
)
MATCH = prompt(
    f"{tournament.MATERIAL}\n{tournament.JUDGE_PROMPT}",
    question=Foreign(QUESTION),
    first=Foreign("a"),
    second=Foreign("b"),
)
MATCH_AGAIN = prompt(
    f"{tournament.MATERIAL}\n{tournament.STRICT_PROMPT}",
    question=Foreign(QUESTION),
    first=Foreign("a"),
    second=Foreign("b"),
)
CONFIDENT = prompt(
    confidence_weighted.ANSWER_PROMPT,
    question=Foreign(QUESTION),
    layout=layouts.ANSWER_LAYOUT,
)
WEIGHTED = prompt(
    confidence_weighted.SYNTHESIS_PROMPT,
    question=Foreign(QUESTION),
    layout=layouts.SYNTHESIS_LAYOUT,
    answers=[
        "ANSWER label=A weight=64.20% stated_confidence=0.9\n",
        Foreign(f"So {Topic.of(QUESTION).positions[0].claim}."),
        "\n\nANSWER label=B weight=35.80% stated_confidence=0.4\n",
        Foreign(f"So {Topic.of(QUESTION).positions[1].claim}."),
        "\n\n",
    ],
)
PLAN = prompt(decompose.PLAN_PROMPT, question=Foreign(QUESTION), max_tasks="6")
PART = prompt(
    decompose.WORKER_PROMPT,
    question=Foreign(QUESTION),
    id="task_2",
    part=Foreign("Costs\n\nSay what it costs."),
    results="",
)
PARTS = prompt(
    decompose.ASSEMBLY_PROMPT,
    question=Foreign(QUESTION),
    plan=Foreign("task_1: x, MISSING: timeout"),
    parts=["PART id=task_2\n", Foreign("The cost is low."), "\n"],
)
CHALLENGE = Foreign("Less food waste")
IDEAS = prompt(
    brainstorm.IDEAS_PROMPT,
    question=CHALLENGE,
    minIdeas="6",
    lens="no money",
    layout=brainstorm_layouts.IDEAS_LAYOUT,
)
THEMES = prompt(
    brainstorm.CLUSTER_PROMPT,
    n="3",
    question=CHALLENGE,
    ideas=Foreign(
        "I1 | Pot | It helps with cost.\nI2 | Fund | It helps with cost.\nI3 | Day | It helps with time."
    ),
    minK="2",
    maxK="4",
)
PLACING = prompt(
    brainstorm.PLACE_PROMPT,
    n="2",
    question=CHALLENGE,
    themes=["CLUSTER 1\n", Foreign("Bins"), "\n"],
    ideas=Foreign("I2 | Fund | It helps with cost.\nI3 | Day | It helps with time."),
)
SCORES = prompt(
    brainstorm.SCORE_PROMPT,
    question=CHALLENGE,
    clusters=["CLUSTER number=2\n", Foreign("Bins\nx"), "\nCLUSTER number=1\n", Foreign("Prices\ny"), "\n"],
    clusterCount="2",
    layout=brainstorm_layouts.SCORE_LAYOUT,
)
PROPOSAL = prompt(
    brainstorm.REFINE_PROMPT,
    question=CHALLENGE,
    directions=["DIRECTION novelty=3.7 feasibility=4.0 impact=4.3\n", Foreign("Bins\nx"), "\n"],
    level="",
)
FACTS = prompt(fact_check.GENERATE_PROMPT, question=Foreign(QUESTION))
CLAIMS = prompt(
    fact_check.EXTRACT_PROMPT,
    content=Foreign(WORK),
    question=Foreign("All of it."),
    maxClaims="30",
    layout=fact_check.EXTRACT_LAYOUT,
)
VERIFY = prompt(
    fact_check.VERIFY_PROMPT,
    date="2026-05-01",
    claims=[
        *("CLAIM id=claim_1 type=DATE\n", Foreign("It was 2023.")),
        *("\nCONTEXT of=claim_1\n", Foreign("He said it was 2023.")),
        *("\nCLAIM id=claim_2 type=DATE\n", Foreign("It was 2024."), "\n"),
    ],
    n="2",
)
COMMENTARY = prompt(
    fact_check.COMMENTARY_PROMPT,
    score="66 of 100 (mixed)",
    verified="1",
    disputed="1",
    unverifiable="0",
    checkerCount="3",
    claims=[
        *("claim_1: VERIFIED, agreement 100 %\n", Foreign("Claim: x")),
        *("\nclaim_2: DISPUTED, agreement 67 %\n", Foreign("Claim: y"), "\n"),
    ],
    content=Foreign(WORK),
)

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
