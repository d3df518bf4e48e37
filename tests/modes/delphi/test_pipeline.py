"""Delphi: every row of its edge-case table, over real HTTP to a scripted model server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from inline_snapshot import snapshot

from moot.kernel.clock import now_ms
from moot.kernel.errors import Rejected
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.simulator.transport import Simulator
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held, assert_fenced, failed
from tests.harness.resuming import spend_time, stopped_and_resumed, until_stored
from tests.harness.telling import kept, story

QUESTION = "How many tabs does a project need?"
PANEL = ["a/ann", "b/bob", "c/cyd", "d/dee"]
FACILITATOR = "e/eve"
DOWN = Reply(status=500, message="the model is down")
NUMERIC = "TYPE: NUMERIC\nSCALE: RATIO\nBOUNDS: NONE\nUNIT: tabs\nOPTIONS:\nREASONING: It is a count."
COLOURS = "TYPE: QUALITATIVE\nSCALE: NONE\nBOUNDS: NONE\nUNIT: NONE\nOPTIONS:\n- Red\n- Green\n- Blue\nREASONING: A choice."
REPORT = "## Delphi Consensus Report\n### Final Consensus\nIt is so."
OPENING = ["delphi_start", "classify_start", "classify_complete"]
ROUND = ["round_start", "round_complete"]
ENDING = ["synthesis_start", "synthesis_complete", "complete"]


def estimate(number: object, confidence: str = "MEDIUM", why: str = "I counted them.") -> str:
    return f"Well.\nESTIMATE: {number}\nCONFIDENCE: {confidence}\nREASONING: {why}"


def choice(option: str, confidence: str = "MEDIUM") -> str:
    return f"ANSWER: {option}\nCONFIDENCE: {confidence}\nREASONING: I like it."


def facilitator(
    classification: Any = NUMERIC, report: Any = REPORT, codebook: Any = None
) -> Callable[[Received], Any]:
    def reply(received: Received) -> Any:
        prompt = received.prompt
        if "You facilitated" in prompt:
            return report
        line = codebook if "OPTION <letter>" in prompt else classification
        return line(received) if callable(line) else line

    return reply


def panel(*replies: Any, leader: Any = None) -> dict[str, Any]:
    """Each panelist's replies round by round; one that is not in a list answers every round."""
    return {**dict(zip(PANEL, replies, strict=False)), FACILITATOR: leader or facilitator()}


def numbers(*rounds: tuple[object, ...], leader: Any = None) -> dict[str, Any]:
    """Rounds of estimates, a number for each panelist."""
    return panel(*([estimate(n) for n in own] for own in zip(*rounds, strict=True)), leader=leader)


async def hold(models: dict[str, Any], panelists: list[str] | None = None, **config: Any) -> Held:
    async with Chamber(models) as chamber:
        panelist_models = panelists or [model for model in PANEL if model in models]
        return await chamber.deliberate(
            "delphi", QUESTION, panelistModels=panelist_models, facilitatorModel=FACILITATOR, **config
        )


def all_data(held: Held, type: str) -> list[Any]:
    return [frame["data"] for frame in held.frames if frame["type"] == type]


def of(held: Held, model: str) -> int:
    """The index under which a model took part."""
    participants = held.data("synthesis_complete")["participants"]
    return int(next(one["participantIndex"] for one in participants if one["model"] == model))


def by_model(held: Held, round: int, field: str) -> dict[str, Any]:
    estimates = {e["participantIndex"]: e for e in all_data(held, "round_complete")[round - 1]["estimates"]}
    participants = held.data("synthesis_complete")["participants"]
    return {
        one["model"]: estimates[one["participantIndex"]].get(field)
        for one in participants
        if one["participantIndex"] in estimates
    }


async def test_the_worked_example() -> None:
    held = await hold(numbers((30, 40, 44, 90), (38, 41, 44, 52)))
    assert held.types == [*OPENING, *ROUND, *ROUND, "convergence_reached", *ENDING]
    first, second = (one["stats"] for one in all_data(held, "round_complete"))
    assert {k: round(v, 4) if isinstance(v, float) else v for k, v in first.items()} | {
        "outliers": 0
    } == snapshot(
        {
            "mean": 51.0,
            "median": 42.0,
            "stdDev": 23.0868,
            "min": 30.0,
            "max": 90.0,
            "q1": 37.5,
            "q3": 55.5,
            "cv": 0.4527,
            "dispersionKind": "RATIO",
            "outliers": 0,
            "highVariance": False,
            "confidenceCounts": {"low": 0, "medium": 4, "high": 0},
            "changedCount": 0,
            "towardMedianCount": 0,
            "freshCount": 4,
        }
    )
    assert first["outliers"] == [of(held, "d/dee")]
    assert {k: round(v, 4) if isinstance(v, float) else v for k, v in second.items()} == snapshot(
        {
            "mean": 43.75,
            "median": 42.5,
            "stdDev": 5.2142,
            "min": 38.0,
            "max": 52.0,
            "q1": 40.25,
            "q3": 46.0,
            "cv": 0.1192,
            "dispersionKind": "RATIO",
            "outliers": [],
            "highVariance": False,
            "confidenceCounts": {"low": 0, "medium": 4, "high": 0},
            "changedCount": 3,
            "towardMedianCount": 3,
            "freshCount": 4,
        }
    )
    assert held.data("convergence_reached") == {"round": 2, "stats": second}
    synthesis = held.data("synthesis_complete")
    assert [round(end, 2) for end in synthesis["ci95"]] == [34.17, 53.33]
    assert {
        k: synthesis[k] for k in synthesis if k not in ("ci95", "participants", "responseTimeMs")
    } == snapshot(
        {
            "degraded": False,
            "warnings": [],
            "facilitatorModel": "e/eve",
            "report": """\
## Delphi Consensus Report
### Final Consensus
It is so.\
""",
            "resultLine": "The panel agreed in round 2: 42.5 tabs; the middle half lies between 40.25 and 46.",
            "totalRounds": 2,
            "converged": True,
            "convergenceRound": 2,
            "stopReason": "converged",
            "finalValue": 42.5,
            "interval": [40.25, 46.0],
        }
    )
    assert held.record.status == "complete"
    assert held.event("delphi_start")["questionType"] is None


@pytest.mark.usefixtures("same_seed")
async def test_the_story_and_the_rows_of_an_exercise() -> None:
    replies = panel(
        [estimate("20–40"), estimate(38)],
        [estimate(40, "HIGH"), DOWN],
        [estimate(44), "No idea.", "None."],
        [estimate(90, "quite"), estimate(52)],
    )
    held = await hold(replies, maxRounds=2)
    assert story(held) == snapshot(
        [
            ("delphi_start", {"mode": "delphi", "questionType": None}),
            "classify_start",
            (
                "classify_complete",
                {
                    "type": "numeric",
                    "options": None,
                    "scale": "RATIO",
                    "unit": "tabs",
                    "bounds": None,
                    "reasoning": "It is a count.",
                    "source": "facilitator",
                    "model": "e/eve",
                    "rawText": "‹classify of e/eve›",
                    "responseTimeMs": 0,
                },
            ),
            ("round_start", {"round": 1}),
            (
                "round_complete",
                {
                    "round": 1,
                    "estimates": [
                        {
                            "participantIndex": 1,
                            "estimate": 44.0,
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I counted them.",
                            "rawText": "‹round_1 of c/cyd›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 2,
                            "estimate": 40.0,
                            "confidence": "HIGH",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I counted them.",
                            "rawText": "‹round_1 of b/bob›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 3,
                            "estimate": 30.0,
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I counted them.",
                            "rangeGiven": True,
                            "rawText": "‹round_1 of a/ann›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 4,
                            "estimate": 90.0,
                            "confidence": "MEDIUM",
                            "confidenceParsed": False,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I counted them.",
                            "rawText": "‹round_1 of d/dee›",
                            "responseTimeMs": 0,
                        },
                    ],
                    "failed": [],
                    "stats": {
                        "mean": 51.0,
                        "median": 42.0,
                        "stdDev": 23.08679276123039,
                        "min": 30.0,
                        "max": 90.0,
                        "q1": 37.5,
                        "q3": 55.5,
                        "cv": 0.4526822110045175,
                        "dispersionKind": "RATIO",
                        "outliers": [4],
                        "highVariance": False,
                        "confidenceCounts": {"low": 0, "medium": 3, "high": 1},
                        "changedCount": 0,
                        "towardMedianCount": 0,
                        "freshCount": 4,
                    },
                    "converged": False,
                },
            ),
            ("round_start", {"round": 2}),
            (
                "model_failed",
                {
                    "step": "round_2",
                    "seat": 1,
                    "model": None,
                    "kind": "unreadable",
                    "reason": "The answer of participant 1 could not be read.",
                },
            ),
            (
                "model_failed",
                {
                    "step": "round_2",
                    "seat": 2,
                    "model": None,
                    "kind": "other",
                    "reason": "OpenRouter failed on Participant 2 (500): the model is down.",
                },
            ),
            (
                "round_complete",
                {
                    "round": 2,
                    "estimates": [
                        {
                            "participantIndex": 1,
                            "estimate": 44.0,
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": True,
                            "previousEstimate": 44.0,
                            "reasoning": None,
                            "parseFailed": True,
                            "error": "The answer of participant 1 could not be read.",
                            "rawText": "No idea.",
                            "responseTimeMs": None,
                        },
                        {
                            "participantIndex": 2,
                            "estimate": 40.0,
                            "confidence": "HIGH",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": True,
                            "previousEstimate": 40.0,
                            "reasoning": None,
                            "error": "OpenRouter failed on Participant 2 (500): the model is down.",
                            "rawText": "",
                            "responseTimeMs": None,
                        },
                        {
                            "participantIndex": 3,
                            "estimate": 38.0,
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": True,
                            "carriedForward": False,
                            "previousEstimate": 30.0,
                            "reasoning": "I counted them.",
                            "rawText": "‹round_2 of a/ann›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 4,
                            "estimate": 52.0,
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": True,
                            "carriedForward": False,
                            "previousEstimate": 90.0,
                            "reasoning": "I counted them.",
                            "rawText": "‹round_2 of d/dee›",
                            "responseTimeMs": 0,
                        },
                    ],
                    "failed": [],
                    "stats": {
                        "mean": 43.5,
                        "median": 42.0,
                        "stdDev": 5.361902647381804,
                        "min": 38.0,
                        "max": 52.0,
                        "q1": 39.5,
                        "q3": 46.0,
                        "cv": 0.12326212982486906,
                        "dispersionKind": "RATIO",
                        "outliers": [],
                        "highVariance": False,
                        "confidenceCounts": {"low": 0, "medium": 3, "high": 1},
                        "changedCount": 2,
                        "towardMedianCount": 2,
                        "freshCount": 2,
                    },
                    "converged": True,
                },
            ),
            (
                "convergence_reached",
                {
                    "round": 2,
                    "stats": {
                        "mean": 43.5,
                        "median": 42.0,
                        "stdDev": 5.361902647381804,
                        "min": 38.0,
                        "max": 52.0,
                        "q1": 39.5,
                        "q3": 46.0,
                        "cv": 0.12326212982486906,
                        "dispersionKind": "RATIO",
                        "outliers": [],
                        "highVariance": False,
                        "confidenceCounts": {"low": 0, "medium": 3, "high": 1},
                        "changedCount": 2,
                        "towardMedianCount": 2,
                        "freshCount": 2,
                    },
                },
            ),
            "synthesis_start",
            (
                "synthesis_complete",
                {
                    "degraded": True,
                    "warnings": [
                        "The answer of participant 1 could not be read.",
                        "OpenRouter failed on Participant 2 (500): the model is down.",
                    ],
                    "facilitatorModel": "e/eve",
                    "report": "‹synthesis of e/eve›",
                    "resultLine": "The panel agreed in round 2: 42 tabs; the middle half lies between 39.5 and 46.",
                    "totalRounds": 2,
                    "converged": True,
                    "convergenceRound": 2,
                    "stopReason": "converged",
                    "finalValue": 42.0,
                    "interval": [39.5, 46.0],
                    "ci95": [33.64949552899277, 53.35050447100723],
                    "participants": [
                        {"participantIndex": 1, "model": "c/cyd"},
                        {"participantIndex": 2, "model": "b/bob"},
                        {"participantIndex": 3, "model": "a/ann"},
                        {"participantIndex": 4, "model": "d/dee"},
                    ],
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
                "classify",
                None,
                "e/eve",
                "facilitator",
                "‹classify of e/eve›",
                "= classify_complete without model, rawText, responseTimeMs",
            ),
            (
                1,
                "round_1",
                1,
                "c/cyd",
                "panelist",
                "‹round_1 of c/cyd›",
                {
                    "round": 1,
                    "type": "numeric",
                    "participantIndex": 1,
                    "estimate": 44.0,
                    "confidence": "MEDIUM",
                    "confidenceParsed": True,
                    "changed": False,
                    "carriedForward": False,
                    "reasoning": "I counted them.",
                },
            ),
            (
                1,
                "round_1",
                2,
                "b/bob",
                "panelist",
                "‹round_1 of b/bob›",
                {
                    "round": 1,
                    "type": "numeric",
                    "participantIndex": 2,
                    "estimate": 40.0,
                    "confidence": "HIGH",
                    "confidenceParsed": True,
                    "changed": False,
                    "carriedForward": False,
                    "reasoning": "I counted them.",
                },
            ),
            (
                1,
                "round_1",
                3,
                "a/ann",
                "panelist",
                "‹round_1 of a/ann›",
                {
                    "round": 1,
                    "type": "numeric",
                    "participantIndex": 3,
                    "estimate": 30.0,
                    "confidence": "MEDIUM",
                    "confidenceParsed": True,
                    "changed": False,
                    "carriedForward": False,
                    "reasoning": "I counted them.",
                    "rangeGiven": True,
                },
            ),
            (
                1,
                "round_1",
                4,
                "d/dee",
                "panelist",
                "‹round_1 of d/dee›",
                {
                    "round": 1,
                    "type": "numeric",
                    "participantIndex": 4,
                    "estimate": 90.0,
                    "confidence": "MEDIUM",
                    "confidenceParsed": False,
                    "changed": False,
                    "carriedForward": False,
                    "reasoning": "I counted them.",
                },
            ),
            (
                2,
                "round_1_stats",
                None,
                None,
                "stats",
                "Round 1: median 42, middle half 37.5 to 55.5, relative spread 0.4527",
                {
                    "round": 1,
                    "type": "stats",
                    "statistics": {
                        "mean": 51.0,
                        "median": 42.0,
                        "stdDev": 23.08679276123039,
                        "min": 30.0,
                        "max": 90.0,
                        "q1": 37.5,
                        "q3": 55.5,
                        "cv": 0.4526822110045175,
                        "dispersionKind": "RATIO",
                        "outliers": [4],
                        "highVariance": False,
                        "confidenceCounts": {"low": 0, "medium": 3, "high": 1},
                        "changedCount": 0,
                        "towardMedianCount": 0,
                        "freshCount": 4,
                    },
                    "converged": False,
                },
            ),
            (
                3,
                "round_2",
                1,
                "c/cyd",
                "panelist",
                "No idea.",
                {
                    "round": 2,
                    "type": "numeric",
                    "participantIndex": 1,
                    "estimate": 44.0,
                    "confidence": "MEDIUM",
                    "confidenceParsed": True,
                    "changed": False,
                    "carriedForward": True,
                    "previousEstimate": 44.0,
                    "reasoning": None,
                    "parseFailed": True,
                    "error": "The answer of participant 1 could not be read.",
                },
            ),
            (
                3,
                "round_2",
                2,
                "b/bob",
                "panelist",
                "",
                {
                    "round": 2,
                    "type": "numeric",
                    "participantIndex": 2,
                    "estimate": 40.0,
                    "confidence": "HIGH",
                    "confidenceParsed": True,
                    "changed": False,
                    "carriedForward": True,
                    "previousEstimate": 40.0,
                    "reasoning": None,
                    "error": "OpenRouter failed on Participant 2 (500): the model is down.",
                },
            ),
            (
                3,
                "round_2",
                3,
                "a/ann",
                "panelist",
                "‹round_2 of a/ann›",
                {
                    "round": 2,
                    "type": "numeric",
                    "participantIndex": 3,
                    "estimate": 38.0,
                    "confidence": "MEDIUM",
                    "confidenceParsed": True,
                    "changed": True,
                    "carriedForward": False,
                    "previousEstimate": 30.0,
                    "reasoning": "I counted them.",
                },
            ),
            (
                3,
                "round_2",
                4,
                "d/dee",
                "panelist",
                "‹round_2 of d/dee›",
                {
                    "round": 2,
                    "type": "numeric",
                    "participantIndex": 4,
                    "estimate": 52.0,
                    "confidence": "MEDIUM",
                    "confidenceParsed": True,
                    "changed": True,
                    "carriedForward": False,
                    "previousEstimate": 90.0,
                    "reasoning": "I counted them.",
                },
            ),
            (
                4,
                "round_2_stats",
                None,
                None,
                "stats",
                "Round 2: median 42, middle half 39.5 to 46, relative spread 0.1233",
                {
                    "round": 2,
                    "type": "stats",
                    "statistics": {
                        "mean": 43.5,
                        "median": 42.0,
                        "stdDev": 5.361902647381804,
                        "min": 38.0,
                        "max": 52.0,
                        "q1": 39.5,
                        "q3": 46.0,
                        "cv": 0.12326212982486906,
                        "dispersionKind": "RATIO",
                        "outliers": [],
                        "highVariance": False,
                        "confidenceCounts": {"low": 0, "medium": 3, "high": 1},
                        "changedCount": 2,
                        "towardMedianCount": 2,
                        "freshCount": 2,
                    },
                    "converged": True,
                },
            ),
            (
                99,
                "synthesis",
                None,
                "e/eve",
                "facilitator",
                "‹synthesis of e/eve›",
                {
                    "totalRounds": 2,
                    "converged": True,
                    "convergenceRound": 2,
                    "stopReason": "converged",
                    "finalValue": 42.0,
                    "interval": [39.5, 46.0],
                    "ci95": [33.64949552899277, 53.35050447100723],
                    "participants": [
                        {"participantIndex": 1, "model": "c/cyd"},
                        {"participantIndex": 2, "model": "b/bob"},
                        {"participantIndex": 3, "model": "a/ann"},
                        {"participantIndex": 4, "model": "d/dee"},
                    ],
                },
            ),
        ]
    )


@pytest.mark.usefixtures("same_seed")
async def test_the_story_of_a_choice_without_options() -> None:
    bare = "TYPE: QUALITATIVE\nOPTIONS:\nREASONING: A matter of taste."
    answers = [
        [choice("Tabs"), choice("Tabs")],
        [choice("tabs it is"), choice("Other: a mixture of both")],
        [choice("Blanks"), choice("Spaces", "LOW")],
    ]
    held = await hold(panel(*answers, leader=facilitator(bare, codebook=_coding)), maxRounds=2)
    assert story(held) == snapshot(
        [
            ("delphi_start", {"mode": "delphi", "questionType": None}),
            "classify_start",
            (
                "warning",
                {
                    "message": "The facilitator named no options, so the panel finds its own.",
                    "code": "open",
                    "step": "classify",
                },
            ),
            (
                "classify_complete",
                {
                    "type": "qualitative",
                    "options": None,
                    "scale": None,
                    "unit": None,
                    "bounds": None,
                    "reasoning": "A matter of taste.",
                    "source": "facilitator",
                    "model": "e/eve",
                    "rawText": "‹classify of e/eve›",
                    "responseTimeMs": 0,
                },
            ),
            ("round_start", {"round": 1}),
            (
                "round_complete",
                {
                    "round": 1,
                    "estimates": [
                        {
                            "participantIndex": 1,
                            "answer": "Spaces",
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I like it.",
                            "rawText": "‹round_1 of c/cyd›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 2,
                            "answer": "Tabs",
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I like it.",
                            "rawText": "‹round_1 of b/bob›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 3,
                            "answer": "Tabs",
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "reasoning": "I like it.",
                            "rawText": "‹round_1 of a/ann›",
                            "responseTimeMs": 0,
                        },
                    ],
                    "failed": [],
                    "codebook": {
                        "options": ["Tabs", "Spaces"],
                        "assignment": [
                            {"participantIndex": 1, "option": "Spaces"},
                            {"participantIndex": 2, "option": "Tabs"},
                            {"participantIndex": 3, "option": "Tabs"},
                        ],
                        "model": "e/eve",
                        "rawText": "‹codebook of e/eve›",
                    },
                    "stats": {
                        "distribution": [
                            {"answer": "Tabs", "count": 2, "percentage": 67},
                            {"answer": "Spaces", "count": 1, "percentage": 33},
                        ],
                        "agreementPercentage": 67,
                        "mode": "Tabs",
                        "modeTied": False,
                        "entropy": 0.9182958340544894,
                        "confidenceCounts": {"low": 0, "medium": 3, "high": 0},
                        "changedCount": 0,
                        "freshCount": 3,
                    },
                    "converged": False,
                },
            ),
            ("round_start", {"round": 2}),
            (
                "round_complete",
                {
                    "round": 2,
                    "estimates": [
                        {
                            "participantIndex": 1,
                            "answer": "Spaces",
                            "confidence": "LOW",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "previousAnswer": "Spaces",
                            "reasoning": "I like it.",
                            "rawText": "‹round_2 of c/cyd›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 2,
                            "answer": "Other: a mixture of both",
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": True,
                            "carriedForward": False,
                            "previousAnswer": "Tabs",
                            "reasoning": "I like it.",
                            "rawText": "‹round_2 of b/bob›",
                            "responseTimeMs": 0,
                        },
                        {
                            "participantIndex": 3,
                            "answer": "Tabs",
                            "confidence": "MEDIUM",
                            "confidenceParsed": True,
                            "changed": False,
                            "carriedForward": False,
                            "previousAnswer": "Tabs",
                            "reasoning": "I like it.",
                            "rawText": "‹round_1 of a/ann›",
                            "responseTimeMs": 0,
                        },
                    ],
                    "failed": [],
                    "stats": {
                        "distribution": [
                            {"answer": "Tabs", "count": 1, "percentage": 33},
                            {"answer": "Spaces", "count": 1, "percentage": 33},
                            {"answer": "Other: a mixture of both", "count": 1, "percentage": 33},
                        ],
                        "agreementPercentage": 33,
                        "mode": "Tabs",
                        "modeTied": True,
                        "entropy": 0.9999999999999998,
                        "confidenceCounts": {"low": 1, "medium": 2, "high": 0},
                        "changedCount": 1,
                        "freshCount": 3,
                    },
                    "converged": False,
                },
            ),
            (
                "max_rounds_reached",
                {
                    "round": 2,
                    "stats": {
                        "distribution": [
                            {"answer": "Tabs", "count": 1, "percentage": 33},
                            {"answer": "Spaces", "count": 1, "percentage": 33},
                            {"answer": "Other: a mixture of both", "count": 1, "percentage": 33},
                        ],
                        "agreementPercentage": 33,
                        "mode": "Tabs",
                        "modeTied": True,
                        "entropy": 0.9999999999999998,
                        "confidenceCounts": {"low": 1, "medium": 2, "high": 0},
                        "changedCount": 1,
                        "freshCount": 3,
                    },
                    "reason": "max_rounds",
                },
            ),
            "synthesis_start",
            (
                "synthesis_complete",
                {
                    "degraded": True,
                    "warnings": ["The facilitator named no options, so the panel finds its own."],
                    "facilitatorModel": "e/eve",
                    "report": "‹synthesis of e/eve›",
                    "resultLine": "The panel did not agree after 2 rounds: Tabs (1), Spaces (1), Other: a mixture of both (1).",
                    "totalRounds": 2,
                    "converged": False,
                    "convergenceRound": None,
                    "stopReason": "max_rounds",
                    "finalValue": "Tabs",
                    "participants": [
                        {"participantIndex": 1, "model": "c/cyd"},
                        {"participantIndex": 2, "model": "b/bob"},
                        {"participantIndex": 3, "model": "a/ann"},
                    ],
                    "responseTimeMs": 0,
                },
            ),
            "complete",
        ]
    )


async def test_the_stored_result_is_the_streamed_one() -> None:
    held = await hold(numbers((30, 40, 44, 90), (38, 41, 44, 52)))
    synthesis = held.data("synthesis_complete")
    assert held.result["classification"] == held.data("classify_complete")
    for stored, round_ in zip(held.result["rounds"], all_data(held, "round_complete"), strict=True):
        assert stored == {
            "roundNumber": round_["round"],
            **{key: round_[key] for key in ("estimates", "stats", "converged")},
        }
    shared = held.result.keys() & synthesis.keys()
    assert {key: held.result[key] for key in shared} == {key: synthesis[key] for key in shared}
    assert len(shared) == 10
    assert held.result["title"] == "A Short Title"
    assert held.answer == f"**{synthesis['resultLine']}**\n\n{REPORT}"
    assert held.message is not None
    assert held.message.content == held.answer


async def test_nobody_is_named_before_the_report() -> None:
    replies = panel([DOWN], *(estimate(n) for n in (40, 44, 90)))
    async with Chamber(replies) as room:
        config = {"panelistModels": PANEL, "facilitatorModel": FACILITATOR, "maxRounds": 2}
        body = {"question": QUESTION, "mode": "delphi", "modeConfig": config}
        record = await room.engine.start(AskRequest.of(body))
        batch_frames = [f async for batch in room.engine.follow(record.id, tokens=True) for f in batch]
        frames = [orjson.loads(frame.json()) for frame in batch_frames]
    types = [frame["type"] for frame in frames]
    before = frames[: types.index("synthesis_complete")]
    assert {"call_start", "token", "call_complete", "model_failed"} <= set(types)
    assert not [frame for frame in before if any(model in json.dumps(frame) for model in PANEL)]
    absent = next(frame["data"] for frame in frames if frame["type"] == "model_failed")
    assert (absent["model"], absent["step"]) == (None, "round_1")
    (departure,) = next(frame["data"]["failed"] for frame in frames if frame["type"] == "round_complete")
    assert (departure["participantIndex"], departure["model"]) == (absent["seat"], None)
    assert {one["model"] for one in frames[types.index("synthesis_complete")]["data"]["participants"]} == set(
        PANEL
    )
    assert not any(
        "ann" in warning for warning in frames[types.index("synthesis_complete")]["data"]["warnings"]
    )


async def test_seats_are_dealt_anew_in_every_run() -> None:
    async with Chamber(panel(*[estimate(5)] * 4)) as room:
        config: Any = {"panelistModels": PANEL, "facilitatorModel": FACILITATOR}
        orders = set()
        for _ in range(8):
            held = await room.deliberate("delphi", QUESTION, **config)
            orders.add(tuple(one["model"] for one in held.data("synthesis_complete")["participants"]))
    assert len(orders) > 1


async def test_later_rounds_show_figures_and_never_the_words_of_others() -> None:
    replies = {
        model: [estimate(n, why=f"secret of {model}"), estimate(n, why=f"secret of {model}")]
        for model, n in zip(PANEL, (30, 40, 44, 90), strict=True)
    }
    held = await hold({**replies, FACILITATOR: facilitator()})
    later = [prompt for model in PANEL for prompt in held.prompts(model)[1:]]
    assert len(later) == 4
    for prompt in later:
        assert "secret of" not in prompt
        assert not any(model in prompt for model in (*PANEL, FACILITATOR))
        assert "median 42; middle half 37.5 to 55.5; lowest 30; highest 90;" in prompt
        assert "relative spread 0.4527. Confidence: 0 low, 4 medium, 0 high." in prompt
    assert "Your last answer: 90 tabs, confidence MEDIUM." in held.prompts("d/dee")[1]
    assert "Your answer lies far outside the panel." in held.prompts("d/dee")[1]
    assert "far outside" not in held.prompts("a/ann")[1]
    assert_fenced(held, [QUESTION])
    report = held.prompts(FACILITATOR)[-1]
    assert "2 round(s), 4 participants, ended because nobody changed an answer any more." in report
    assert "| 1 | 42 | 37.5 to 55.5 | 30 | 90 | 51 | 23.0868 | 0.4527 | 0/4/0 | 0 | 1 |" in report


async def test_who_stays_repeats_the_figure_it_was_shown() -> None:
    def stays(first: str) -> Callable[[Received], str]:
        def reply(received: Received) -> str:
            shown = re.search(r"Your last answer: (\S+) tabs", received.prompt)
            return estimate(shown[1] if shown else first)

        return reply

    guesses = ("33.3333333333", "0.000123456789", "1234567.891234", "4.25e21")
    held = await hold(panel(*map(stays, guesses)))
    assert by_model(held, 2, "changed") == dict.fromkeys(PANEL, False)
    assert held.data("max_rounds_reached")["reason"] == "stable"


async def test_identical_answers_agree_at_once() -> None:
    held = await hold(numbers((5, 5, 5, 5)))
    assert held.types == [*OPENING, *ROUND, "convergence_reached", *ENDING]
    synthesis = held.data("synthesis_complete")
    assert (synthesis["totalRounds"], synthesis["convergenceRound"], synthesis["finalValue"]) == (1, 1, 5)
    assert "The panel agreed in round 1: 5 tabs" in synthesis["resultLine"]


async def test_a_panel_that_stays_is_not_asked_again() -> None:
    held = await hold(numbers((30, 40, 44, 90), (30, 40, 44, 90)))
    ending = held.data("max_rounds_reached")
    assert (ending["round"], ending["reason"]) == (2, "stable")
    synthesis = held.data("synthesis_complete")
    assert (synthesis["converged"], synthesis["convergenceRound"], synthesis["stopReason"]) == (
        False,
        None,
        "stable",
    )
    assert held.record.status == "complete"


async def test_the_last_round_ends_the_exercise() -> None:
    held = await hold(numbers((30, 40, 44, 90), (31, 40, 44, 90), (32, 40, 44, 90)), maxRounds=3)
    assert held.data("max_rounds_reached")["reason"] == "max_rounds"
    assert held.data("synthesis_complete")["totalRounds"] == 3
    stats = all_data(held, "round_complete")[1]["stats"]
    assert (stats["changedCount"], stats["towardMedianCount"], stats["freshCount"]) == (1, 1, 4)


async def test_a_participant_that_fails_later_keeps_its_last_answer_and_its_place() -> None:
    held = await hold(
        panel([estimate(30), estimate(31)], [estimate(60), DOWN], [estimate(90), estimate(91)]), maxRounds=2
    )
    index = of(held, "b/bob")
    second = all_data(held, "round_complete")[1]
    carried = next(e for e in second["estimates"] if e["participantIndex"] == index)
    assert (carried["estimate"], carried["carriedForward"], carried["changed"]) == (60, True, False)
    assert "the model is down" in carried["error"]
    assert second["stats"]["freshCount"] == 2
    assert [e["participantIndex"] for e in second["estimates"]] == [1, 2, 3]
    row = next(r for r in held.rows if r.stage_type == "round_2" and r.seat == index)
    assert (row.content, row.model, row.parsed_data["previousEstimate"]) == ("", "b/bob", 60)
    assert held.record.status == "degraded"


async def test_a_participant_that_fails_at_first_leaves_and_nobody_is_renumbered() -> None:
    held = await hold(panel(DOWN, *(estimate(n) for n in (10, 50, 90))), maxRounds=2)
    absent = of(held, "a/ann")
    for round_ in all_data(held, "round_complete"):
        assert [e["participantIndex"] for e in round_["estimates"]] == [
            n for n in (1, 2, 3, 4) if n != absent
        ]
    first = all_data(held, "round_complete")[0]
    assert [(f["participantIndex"], f["kind"]) for f in first["failed"]] == [(absent, "other")]
    assert len(held.prompts("a/ann")) == 1
    assert "Panel of 3 in round 1" in held.prompts("b/bob")[1]
    row = next(r for r in held.rows if r.seat == absent)
    assert (row.content, row.model) == ("", "a/ann")
    assert "the model is down" in row.parsed_data["error"]


async def test_all_fail_at_first_and_nothing_is_kept() -> None:
    held = await hold(panel(DOWN, DOWN, DOWN))
    assert failed(held) == "Delphi mode requires at least 3 successful panelists in Round 1, got 0."
    assert held.types == [*OPENING, "round_start", *["model_failed"] * 3, "error"]
    assert (held.rows, held.message) == ([], None)


async def test_too_few_answer_at_first_and_the_rows_are_kept() -> None:
    held = await hold(panel(DOWN, DOWN, estimate(5), estimate(6)))
    assert failed(held) == "Delphi mode requires at least 3 successful panelists in Round 1, got 2."
    assert held.data("round_complete")["stats"] is None
    assert [row.stage_type for row in held.rows] == ["classify", *["round_1"] * 4]
    assert held.message is not None
    assert held.message.status == "failed"


@pytest.mark.parametrize(("down", "reason", "round"), [(2, "max_rounds", 2), (3, "attrition", 1)])
async def test_half_the_panel_must_answer_for_a_round_to_count(down: int, reason: str, round: int) -> None:
    replies = [
        [estimate(n), DOWN if place < down else estimate(n + 1)] for place, n in enumerate((10, 40, 60, 90))
    ]
    held = await hold(panel(*replies), maxRounds=2)
    ending = held.data("max_rounds_reached")
    assert (ending["reason"], ending["round"]) == (reason, round)
    assert ending["stats"] == all_data(held, "round_complete")[round - 1]["stats"]
    synthesis = held.data("synthesis_complete")
    assert (synthesis["totalRounds"], synthesis["finalValue"]) == (2, ending["stats"]["median"])
    assert len(held.stages) == 12


async def test_a_lost_round_does_not_converge() -> None:
    held = await hold(
        panel([estimate(10), DOWN], [estimate(12), DOWN], [estimate(14), DOWN], [estimate(30), estimate(12)])
    )
    assert held.data("max_rounds_reached")["reason"] == "attrition"
    assert [one["converged"] for one in all_data(held, "round_complete")] == [False, False]


async def test_the_report_fails_and_the_server_writes_it() -> None:
    held = await hold(numbers((5, 5, 5, 5), leader=facilitator(report=DOWN)))
    synthesis = held.data("synthesis_complete")
    assert (synthesis["facilitatorModel"], synthesis["degraded"]) == (None, True)
    assert synthesis["warnings"][-1] == "The facilitator failed, so the report contains the figures alone."
    assert synthesis["report"] == snapshot("""\
## Delphi Consensus Report

The panel agreed in round 1: 5 tabs; the middle half lies between 5 and 5.

| Round | Median | Middle half | Lowest | Highest | Mean | Standard deviation | Relative spread | Confidence low/medium/high | Changed | Far outside |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | 5 | 5 to 5 | 5 | 5 | 5 | 0 | 0 | 0/4/0 | 0 | 0 |

The exercise ended because the panel agreed.\
""")
    assert held.rows[-1].model is None
    assert held.record.status == "degraded"


async def test_an_unreadable_estimate_is_asked_for_once_more() -> None:
    vague = "By 2030 I expect 50000 at most, or 60000"
    held = await hold(panel([vague, estimate(50)], *(estimate(n) for n in (50, 51, 52))))
    assert sorted(call.step for call in held.calls if call.model == "a/ann") == ["round_1", "round_1/repair"]
    assert "it has no ESTIMATE line with a number" in held.prompts("a/ann")[1]
    assert_fenced(held, [vague])
    assert by_model(held, 1, "estimate")["a/ann"] == 50
    assert held.record.status == "complete"


async def test_an_estimate_that_stays_unreadable_is_missing() -> None:
    held = await hold(panel(["No idea.", "Really none."], *(estimate(n) for n in (50, 51, 52))))
    (absent,) = held.data("round_complete")["failed"]
    assert (absent["kind"], absent["rawText"], absent["parseFailed"]) == ("unreadable", "No idea.", True)
    row = next(r for r in held.rows if r.seat == absent["participantIndex"])
    assert (row.model, row.content, row.parsed_data["parseFailed"]) == ("a/ann", "No idea.", True)
    assert held.record.status == "degraded"


async def test_an_unclear_confidence_is_medium_and_said_to_be_unclear() -> None:
    held = await hold(panel(estimate("40–60", "not high"), *(estimate(50, "high") for _ in range(3))))
    first = held.data("round_complete")["estimates"]
    unclear = next(e for e in first if e["participantIndex"] == of(held, "a/ann"))
    assert (unclear["confidence"], unclear["confidenceParsed"], unclear["rangeGiven"]) == (
        "MEDIUM",
        False,
        True,
    )
    assert held.data("round_complete")["stats"]["confidenceCounts"] == {"low": 0, "medium": 1, "high": 3}


async def test_a_mean_of_zero_is_valid_json_and_no_agreement() -> None:
    held = await hold(numbers((-10, 0, 10), (-10, 0, 10)))
    stats = held.data("max_rounds_reached")["stats"]
    assert (stats["cv"], held.data("synthesis_complete")["converged"]) == (None, False)
    assert "relative spread not defined" in held.prompts("a/ann")[1]


async def test_years_do_not_agree_only_for_being_years() -> None:
    dates = NUMERIC.replace("RATIO", "DATE").replace("tabs", "year")
    year = datetime.fromtimestamp(now_ms() / 1000, UTC).year
    guesses = (year + 3, year + 5, year + 8)
    held = await hold(numbers(guesses, guesses, leader=facilitator(dates)))
    first = held.data("round_complete")["stats"]
    assert (first["dispersionKind"], held.data("synthesis_complete")["converged"]) == ("DATE", False)


async def test_bounds_are_told_and_kept() -> None:
    rating = NUMERIC.replace("RATIO", "BOUNDED").replace("BOUNDS: NONE", "BOUNDS: 1 to 10")
    held = await hold(
        panel([estimate(11), estimate(11)], *(estimate(n) for n in (6, 6, 7)), leader=facilitator(rating))
    )
    assert "commit to one number in tabs, from 1 to 10." in held.prompts("b/bob")[0]
    assert held.data("round_complete")["failed"][0]["kind"] == "unreadable"


async def test_without_time_for_another_round_the_report_closes(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    config = {"panelistModels": PANEL[:3], "facilitatorModel": FACILITATOR}
    body = {"question": QUESTION, "mode": "delphi", "modeConfig": config}
    replies = panel(*([estimate(n), estimate(n + 1)] for n in (50, 90)), [estimate(30), Reply(hang=True)])
    async with Chamber(replies, database=database) as room:
        record = await room.engine.start(AskRequest.of(body))
        await until_stored(room, record.id, 6)  # all but one answer of the second round
    spend_time(tmp_path, 520)
    async with Chamber(panel(DOWN, DOWN, estimate(31)), database=database) as room:
        held = await room.held(record)
    assert held.types == [*OPENING, *ROUND, *ROUND, "warning", "max_rounds_reached", *ENDING]
    assert held.data("max_rounds_reached")["reason"] == "deadline"
    warnings = held.data("synthesis_complete")["warnings"]
    assert warnings == ["Round 3 was skipped because too little time was left."]
    assert held.record.status == "degraded"


async def test_a_choice_is_made_among_the_facilitators_options() -> None:
    held = await hold(
        panel(*(choice(c) for c in ("Red", "red!", "Red", "Blue")), leader=facilitator(COLOURS))
    )
    assert held.types == [*OPENING, *ROUND, "convergence_reached", *ENDING]
    assert held.data("round_complete")["stats"] == snapshot(
        {
            "distribution": [
                {"answer": "Red", "count": 3, "percentage": 75},
                {"answer": "Blue", "count": 1, "percentage": 25},
            ],
            "agreementPercentage": 75,
            "mode": "Red",
            "modeTied": False,
            "entropy": 0.5118595071429147,
            "confidenceCounts": {"low": 0, "medium": 4, "high": 0},
            "changedCount": 0,
            "freshCount": 4,
        }
    )
    synthesis = held.data("synthesis_complete")
    assert (synthesis["finalValue"], "interval" in synthesis, "ci95" in synthesis) == ("Red", False, False)
    classification = held.data("classify_complete")
    assert (classification["type"], classification["options"], classification["scale"]) == (
        "qualitative",
        ["Red", "Green", "Blue"],
        None,
    )


async def test_each_seat_has_its_own_order_and_its_letters_mean_its_options() -> None:
    held = await hold(panel(*[choice("A)")] * 4, leader=facilitator(COLOURS)), maxRounds=2)
    colours = ["Red", "Green", "Blue"]
    for model, answer in by_model(held, 1, "answer").items():
        index = of(held, model)
        assert answer == colours[index % 3]
        assert f"A) {answer}\n" in held.prompts(model)[0]
        assert "Z) Other: <say what>" in held.prompts(model)[0]
    later = held.prompts("a/ann")[1]
    assert re.search(r"Panel of 4 in round 1:\n\w+ [12] of 4 \((25|50) %\)\n", later)
    assert f"Your last answer: {by_model(held, 1, 'answer')['a/ann']}, confidence MEDIUM." in later


async def test_answers_beside_the_options_are_counted_and_not_quoted() -> None:
    replies = [
        choice("Z) Other: a secret shade"),
        choice("Other: A secret shade!"),
        choice("Red"),
        choice("Blue"),
    ]
    held = await hold(panel(*replies, leader=facilitator(COLOURS)), maxRounds=2)
    first = all_data(held, "round_complete")[0]["stats"]["distribution"]
    assert first[0]["count"] == 2
    assert first[0]["answer"].casefold().startswith("other: a secret shade")
    assert "Other 2 of 4 (50 %)" in held.prompts("c/cyd")[1]
    assert "secret" not in held.prompts("c/cyd")[1]


async def test_three_panelists_agree_only_if_all_do() -> None:
    replies = panel(*(choice(c) for c in ("Red", "Red", "Blue")), leader=facilitator(COLOURS))
    held = await hold(replies)
    assert all_data(held, "round_complete")[0]["stats"]["agreementPercentage"] == 67
    assert held.data("max_rounds_reached")["reason"] == "stable"


async def test_two_camps_are_both_named() -> None:
    replies = panel(
        *(choice(c, s) for c, s in (("Red", "LOW"), ("Red", "LOW"), ("Blue", "HIGH"), ("Blue", "LOW"))),
        leader=facilitator(COLOURS),
    )
    held = await hold(replies)
    synthesis = held.data("synthesis_complete")
    stats = held.data("max_rounds_reached")["stats"]
    assert (stats["mode"], stats["modeTied"], synthesis["converged"], synthesis["finalValue"]) == (
        "Blue",
        True,
        False,
        "Blue",
    )
    assert synthesis["resultLine"] == "The panel did not agree after 2 rounds: Red (2), Blue (2)."
    assert "Red (2), Blue (2)" in held.prompts(FACILITATOR)[-1]


async def test_a_run_from_before_says_what_it_stores_in_the_words_of_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a run that was cut off would store the same warning twice, in two wordings."""
    replies = panel(
        choice("Red", "LOW"),
        choice("Blue", "HIGH"),
        choice("Blue", "LOW"),
        leader=facilitator(COLOURS, report=DOWN),
    )
    monkeypatch.setattr("moot.kernel.run.RULES", 3)
    synthesis = (await hold(replies)).data("synthesis_complete")
    assert synthesis["resultLine"] == "The panel did not agree after 2 round(s): Blue (2), Red (1)."
    assert "| 67 % |" in synthesis["report"]
    assert "The facilitator failed: the report is the server's, figures alone." in synthesis["warnings"]

    monkeypatch.setattr("moot.kernel.run.RULES", 4)
    synthesis = (await hold(replies)).data("synthesis_complete")
    assert synthesis["resultLine"] == "The panel did not agree after 2 rounds: Blue (2), Red (1)."
    assert "| 67% |" in synthesis["report"]
    assert "The facilitator failed, so the report contains the figures alone." in synthesis["warnings"]


async def test_options_of_the_request_need_no_facilitator_at_first() -> None:
    held = await hold(panel(*[choice("Tabs")] * 3), options=["Tabs", "Spaces"])
    assert held.types == ["delphi_start", "classify_complete", *ROUND, "convergence_reached", *ENDING]
    assert held.event("delphi_start")["questionType"] == "qualitative"
    classification = held.data("classify_complete")
    assert (classification["source"], classification["options"]) == ("request", ["Tabs", "Spaces"])
    assert held.rows[0].model is None
    assert len(held.prompts(FACILITATOR)) == 1


async def test_options_of_a_numeric_question_are_ignored() -> None:
    held = await hold(
        numbers((5, 5, 5), leader=facilitator(COLOURS)),
        options=["Tabs", "Spaces"],
        questionType="numeric",
    )
    classification = held.data("classify_complete")
    assert (classification["type"], classification["options"], classification["scale"]) == (
        "numeric",
        None,
        "RATIO",
    )
    assert "commit to one number." in held.prompts("a/ann")[0]
    assert held.data("synthesis_complete")["warnings"] == [
        "A numeric question has no options: they are ignored."
    ]
    assert held.event("delphi_start")["questionType"] == "numeric"
    assert held.record.status == "complete"


async def test_a_fixed_type_needs_no_facilitator_to_be_kept() -> None:
    held = await hold(numbers((5, 5, 5), leader=facilitator(DOWN)), questionType="numeric")
    classification = held.data("classify_complete")
    assert (classification["type"], classification["scale"], classification["source"]) == (
        "numeric",
        "RATIO",
        "fallback",
    )
    assert "The question could not be classified." in held.data("synthesis_complete")["warnings"]
    assert "commit to one number." in held.prompts("a/ann")[0]
    assert held.record.status == "degraded"


async def test_a_fixed_type_keeps_the_facilitators_unit_and_scale() -> None:
    says = COLOURS.replace("UNIT: NONE", "UNIT: year").replace("SCALE: NONE", "SCALE: DATE")
    held = await hold(numbers((2030, 2030, 2030), leader=facilitator(says)), questionType="numeric")
    classification = held.data("classify_complete")
    assert (classification["type"], classification["scale"], classification["unit"]) == (
        "numeric",
        "DATE",
        "year",
    )
    assert "commit to one number in year." in held.prompts("a/ann")[0]


@pytest.mark.usefixtures("same_seed")
async def test_the_facilitator_codes_unsigned_answers_behind_a_fence() -> None:
    answers = ("Tabs, says ann", "Tabs, by all means", "Blanks for me", "Dots, if any")
    held = await hold(
        panel(*([choice(a), choice("Tabs")] for a in answers), leader=facilitator(DOWN, codebook=_coding))
    )
    coding = next(prompt for prompt in held.prompts(FACILITATOR) if "OPTION <letter>" in prompt)
    assert not any(model in coding for model in PANEL)
    assert "I like it." not in coding
    by_seat = [answers[PANEL.index(one["model"])] for one in held.data("synthesis_complete")["participants"]]
    answers_shown = re.findall(r"^\d\. (.+)$", coding, re.MULTILINE)
    assert sorted(answers_shown) == sorted(answers)
    assert answers_shown != by_seat
    assert_fenced(held, [QUESTION, *answers])


async def test_an_unclassified_question_is_answered_openly_and_coded() -> None:
    models = panel(
        *(choice(a) for a in ("Tabs", "tabs it is", "The tab", "Blanks")),
        leader=facilitator("No.", codebook=_coding),
    )
    held = await hold(models)
    classification = held.data("classify_complete")
    assert (classification["type"], classification["source"], classification["options"]) == (
        "qualitative",
        "fallback",
        None,
    )
    assert "ANSWER: <at most 12 words>" in held.prompts("a/ann")[0]
    assert "could not: it has no TYPE, or fewer than two OPTIONS." in held.prompts(FACILITATOR)[1]
    assert held.data("synthesis_complete")["warnings"] == ["The question could not be classified."]
    first = held.data("round_complete")
    assert first["codebook"]["options"] == ["Tabs", "Spaces"]
    assert by_model(held, 1, "answer") == {
        "a/ann": "Tabs",
        "b/bob": "Tabs",
        "c/cyd": "Tabs",
        "d/dee": "Spaces",
    }
    row = next(r for r in held.rows if r.stage_type == "codebook")
    assert (row.stage_order, row.model, sorted(row.parsed_data)) == (
        1,
        FACILITATOR,
        ["assignment", "options"],
    )
    assert held.record.status == "degraded"


def _coding(received: Received) -> str:
    answers_shown = re.findall(r"^(\d)\. (.+)$", received.prompt, re.MULTILINE)
    tabs = [number for number, answer in answers_shown if "tab" in answer.casefold()]
    rest = [number for number, answer in answers_shown if number not in tabs]
    return f"OPTION A: Tabs = {', '.join(tabs)}\nOPTION B: Spaces = {', '.join(rest)}"


async def test_a_choice_without_options_is_answered_openly() -> None:
    bare = "TYPE: QUALITATIVE\nOPTIONS:\nREASONING: A matter of taste."
    models = panel(*[choice("Tabs")] * 3, leader=facilitator(bare, codebook="OPTION A: Tabs = 1, 2, 3"))
    held = await hold(models)
    classification = held.data("classify_complete")
    assert (classification["source"], classification["options"]) == ("facilitator", None)
    synthesis = held.data("synthesis_complete")
    assert synthesis["warnings"] == ["The facilitator named no options, so the panel finds its own."]
    assert (synthesis["finalValue"], synthesis["degraded"]) == ("Tabs", True)


@pytest.mark.parametrize("codebook", ["I cannot.", DOWN])
async def test_without_a_codebook_the_same_words_count_as_the_same(codebook: Any) -> None:
    models = panel(
        *(choice(a) for a in ("Tabs", "tabs!", "TABS", "Blanks")),
        leader=facilitator(DOWN, codebook=codebook),
    )
    held = await hold(models)
    assert sorted(share["count"] for share in held.data("round_complete")["stats"]["distribution"]) == [1, 3]
    assert held.types[-4:] == ["convergence_reached", *ENDING]
    assert any("only identical wording" in warning for warning in held.data("synthesis_complete")["warnings"])


async def test_a_coded_panel_chooses_among_the_names_in_round_two() -> None:
    models = panel(
        *([choice(a), choice("Tabs")] for a in ("Tabs", "tabs it is", "Blanks", "Dots")),
        leader=facilitator(DOWN, codebook=_coding),
    )
    held = await hold(models)
    assert held.data("convergence_reached")["round"] == 2
    assert re.search(r"[AB]\) Tabs\n", held.prompts("a/ann")[1])


async def test_a_facilitator_without_options_is_asked_once_more() -> None:
    replies = iter(["TYPE: QUALITATIVE\nOPTIONS:\nREASONING: x", COLOURS])
    models = panel(*[choice("Red")] * 3, leader=facilitator(lambda _: next(replies)))
    held = await hold(models)
    assert held.data("classify_complete")["options"] == ["Red", "Green", "Blue"]
    assert held.record.status == "complete"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"panelistModels": PANEL[:2]}, "Delphi mode requires at least 3 panelist models"),
        ({"panelistModels": PANEL * 2}, "Maximum 7 panelist models allowed"),
        (
            {"panelistModels": PANEL, "facilitatorModel": "a/ann"},
            "Facilitator model must not be one of the panelist models",
        ),
        ({"maxRounds": 6}, "maxRounds must be between 2 and 5"),
        ({"maxRounds": 1}, "maxRounds must be between 2 and 5"),
        (
            {"numericConvergenceThreshold": 0},
            "numericConvergenceThreshold must be between 0.01 and 1",
        ),
        (
            {"numericConvergenceThreshold": 1.01},
            "numericConvergenceThreshold must be between 0.01 and 1",
        ),
        (
            {"qualitativeConvergenceThreshold": 100.5},
            "qualitativeConvergenceThreshold must be between 50 and 100",
        ),
        (
            {"qualitativeConvergenceThreshold": 49},
            "qualitativeConvergenceThreshold must be between 50 and 100",
        ),
        ({"questionType": "odd"}, "questionType must be numeric or qualitative"),
        ({"options": ["one"]}, "options must hold 2 to 10 distinct entries"),
        ({"options": ["one", " One "]}, "options must hold 2 to 10 distinct entries"),
        ({"options": ["one", " "]}, "options must hold 2 to 10 distinct entries"),
        ({"options": [f"option {n}" for n in range(11)]}, "options must hold 2 to 10 distinct entries"),
        ({"timeoutMs": 29_999}, "timeoutMs must be between 30000 and 180000"),
        ({"timeoutMs": 180_001}, "timeoutMs must be between 30000 and 180000"),
    ],
)
async def test_a_bad_config_is_refused(config: dict[str, Any], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("delphi", QUESTION, **config)
    assert str(refused.value) == message


async def test_a_follow_up_is_refused() -> None:
    async with Chamber(panel(*[estimate(5)] * 4)) as chamber:
        config: Any = {"panelistModels": PANEL, "facilitatorModel": FACILITATOR}
        held = await chamber.deliberate("delphi", QUESTION, **config)
        with pytest.raises(Rejected, match="takes no follow-up questions"):
            await chamber.deliberate("delphi", QUESTION, conversation=held.record.conversation_id)


@pytest.mark.parametrize(
    ("models", "panelists", "facilitator"),
    [
        (("a", "b", "c", "d", "e", "f"), ["a", "b", "c", "d"], "e"),
        (("a", "b", "c", "d"), ["b", "c", "d"], "a"),
        (("a", "b"), ["b", "b", "b"], "a"),
    ],
)
def test_the_defaults_leave_one_model_to_facilitate(
    models: tuple[str, ...], panelists: list[str], facilitator: str
) -> None:
    defaults = MODES["delphi"].defaults(Panel(models), {})
    assert defaults == {"panelistModels": panelists, "facilitatorModel": facilitator}


@pytest.mark.parametrize("stop", range(0, 11, 2))
async def test_an_exercise_that_is_stopped_goes_on_where_it_was(tmp_path: Path, stop: int) -> None:
    values = dict(zip(PANEL, (30, 40, 44, 90), strict=True))

    def voice(received: Received) -> str:
        if received.model == FACILITATOR:
            return REPORT if "You facilitated" in received.prompt else NUMERIC
        return estimate(values[received.model] if "Round 2" not in received.prompt else 42)

    held = await stopped_and_resumed(
        tmp_path,
        "delphi",
        voice,
        stop,
        calls=10,
        question=QUESTION,
        panelistModels=PANEL,
        facilitatorModel=FACILITATOR,
    )
    assert held.data("convergence_reached")["round"] == 2


SIMULATED: dict[str, Any] = {
    "panelistModels": [f"sim/{n}" for n in ("ada", "bo", "cleo", "dov")],
    "facilitatorModel": "sim/eli",
}


@pytest.mark.parametrize(
    "question",
    [
        "How many tennis balls fit in a bus?",
        "What percentage of cars will be electric in 2035?",
        "Should a small team start with a monolith or microservices?",
    ],
)
async def test_the_simulator_knows_the_prompts(question: str) -> None:
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate("delphi", question, **SIMULATED)
    assert held.record.status == "complete", held.result["warnings"]
    assert "imulated" in (held.answer or "")


async def test_a_simulated_facilitator_that_fails_degrades_the_exercise() -> None:
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        config = {**SIMULATED, "facilitatorModel": "sim/eli:fail=1"}
        held = await chamber.deliberate("delphi", "Should a team use tabs or spaces?", **config)
    assert held.record.status == "degraded"
    assert held.data("synthesis_complete")["facilitatorModel"] is None
