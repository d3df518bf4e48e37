"""More runs whose every word is known: work that is reviewed, judged, weighed and divided."""

from __future__ import annotations

from tests.page.scripted_runs import DOWN, LONG, ScriptedRun

WORK = """We put a cache in front of the ledger. Every balance is kept for 60 seconds.

The cache is one process on the primary host.
If it fails, all reads go to the database."""
CRITERIA = ("Scalability", "Security", "Maintainability", "Cost Efficiency", "Reliability", "Performance")


def review(scores: str, findings: str) -> str:
    rows = "\n".join(
        f"| {name} | {score} | so it seems |" for name, score in zip(CRITERIA, scores.split(), strict=True)
    )
    table = f"### Scores\n| Criterion | Score | Justification |\n|---|---|---|\n{rows}"
    return f"{table}\n\n### Findings\n{findings}\n\n### Strengths\n- It is short.\n\n### Summary\nAs said."


def finding(number: int, title: str, severity: str, quote: str) -> str:
    return (
        f"FINDING {number}: {title}\nCategory: Reliability\nSeverity: {severity}\nLocation: the second part\n"
        f"Quote: {quote}\nDescription: {title} harms.\nImpact: It stops.\nRecommendation: Mend it.\n"
    )


PEER_REVIEW = {
    "review/ann": review(
        "4 2 3 5 4 4",
        finding(
            1, "One process is too few", "CRITICAL", "The cache is one process on the primary host. If it"
        ),
    ),
    "review/bob": review(
        "4 5 3 3 4 4",
        finding(1, "Only one process", "MAJOR", "The cache is one process")
        + finding(2, "No alarm is named", "CRITICAL", "an alarm rings at all times"),
    ),
    f"review/{LONG}": DOWN,
    "review/boss": (
        "ISSUE 1: A single process\nFindings: R1-F1, R2-F1\nDescription: One process.\nAction: Run two.\n"
        "Effort: Medium\n\nISSUE 2: No alarm\nFindings: R2-F2\nDescription: No alarm.\nAction: Add one.\n"
        "Effort: Low\nCredibility: sound - there is none\n\n"
        "DISPUTE: Security | R1 sees gaps | R2 sees none | the work is silent\n\n"
        "EXECUTIVE SUMMARY:\nRun two.\nEND OF REPORT"
    ),
}
"""Two reviewers agree on one defect; one quotes what is not there; a third never answers."""

TOURNAMENT = {
    **{f"cup/{name}": f"The answer of {name}." for name in ("ann", "bob", "cyd", "dan", "eve")},
    "cup/fay": DOWN,
    "cup/judge": "REASONING: The first is firmer.\nSCORE A: 8\nSCORE B: 6\nWINNER: Response A",
}
"""The judge always prefers what it reads first: every match is split and goes to the better seed."""


def sure(confidence: str) -> str:
    return f"RESPONSE:\nTea.\n\nCONFIDENCE: {confidence}\nCONFIDENCE_REASONING: I am that sure."


CONFIDENCE = {
    "sure/ann": sure("0.97"),
    "sure/bob": sure("0.85"),
    "sure/cyd": sure("0.60"),
    "sure/dan": "RESPONSE:\nTea, whatever you say.",
    f"sure/{LONG}": DOWN,
    "sure/sum": (
        "SYNTHESIS:\nTea.\n\nCONFIDENCE CALIBRATION NOTES:\nAnswer A: OVERCONFIDENT - nothing is that certain.\n"
        "Answer B: FAIR - it says why.\nAnswer C: FAIR - it says why.\nAnswer D: FAIR - it says nothing of itself."
    ),
}
"""The example of the sheet, in which one number is missing, and one seat that does not answer."""


def task(number: int, title: str, needs: str, complexity: str) -> str:
    return (
        f"TASK task_{number}:\nTitle: {title}\nDescription: Do {title}.\nDependencies: {needs}\n"
        f"Complexity: {complexity}\nExpertise: general\n"
    )


DECOMPOSE = {
    "plan/chief": "\n".join(
        [
            task(1, "The first step", "none", "LOW"),
            task(2, "The hard part with a name that is far too long for its box", "none", "HIGH"),
            task(3, "The second step", "task_1", "MEDIUM"),
            task(4, "The third step", "task_3", "MEDIUM"),
            task(5, "The last", "task_2, task_4", "LOW"),
            "END OF PLAN",
        ]
    ),
    "plan/ann": "Here is my part.",
    "plan/bob": DOWN,
    "plan/sum": "All parts together.",
}
"""The plan of the sheet's example; one of the two workers is down, so that its tasks go to the other."""

WORKS = {
    "peer_review": ScriptedRun(
        "peer_review",
        WORK,
        {
            "reviewerModels": ["review/ann", "review/bob", f"review/{LONG}"],
            "consolidatorModel": "review/boss",
        },
        PEER_REVIEW,
    ),
    "tournament": ScriptedRun(
        "tournament",
        "Tea or coffee?",
        {
            "contestantModels": [f"cup/{name}" for name in ("ann", "bob", "cyd", "dan", "eve", "fay")],
            "judgeModel": "cup/judge",
            "seeding": "listed",
        },
        TOURNAMENT,
    ),
    "confidence_weighted": ScriptedRun(
        "confidence_weighted",
        "Tea or coffee?",
        {
            "models": ["sure/ann", "sure/bob", "sure/cyd", "sure/dan", f"sure/{LONG}"],
            "synthesisModel": "sure/sum",
        },
        CONFIDENCE,
    ),
    "decompose": ScriptedRun(
        "decompose",
        "Tea or coffee?",
        {
            "plannerModel": "plan/chief",
            "workerModels": ["plan/ann", "plan/bob"],
            "assemblerModel": "plan/sum",
        },
        DECOMPOSE,
    ),
}
