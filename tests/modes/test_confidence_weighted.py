"""Confidence-weighted: its parsers and weights, and every row of its edge-case table over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from moot.calibration import named, read_synthesis, read_verdicts
from moot.confidences import effective_voices, read_confident, read_value, weights
from moot.errors import Rejected
from moot.simulator import Simulator
from moot.testing import Reply
from tests.chamber import Chamber, Held, failed

PANEL = ["a/ann", "b/bob", "c/cyd"]
DOWN = Reply(status=500, message="the model is down")
SYNTHESIS = "SYNTHESIS:\nUse both.\n\nCONFIDENCE CALIBRATION NOTES:\nAnswer A: FAIR - it knew.\nAnswer B: **OVERCONFIDENT** – no.\nAll were sure."
TOLD = [
    "confidence_weighted_start",
    "answers_start",
    "answer_complete",
    "answer_complete",
    "answer_complete",
    "all_answers_complete",
    "weights_calculated",
    "synthesis_start",
    "synthesis_complete",
    "complete",
]


def sure(text: str, confidence: Any = 0.8) -> str:
    return f"RESPONSE:\n{text}\n\nCONFIDENCE: {confidence}\nCONFIDENCE_REASONING: I know it."


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("0.8", (0.8, None)),
        ("8/10", (0.8, "fraction")),
        ("4 out of 5", (0.8, "fraction")),
        ("0,82", (0.82, None)),
        (".82", (0.82, None)),
        ("1.5", (1.0, "clamped")),
        ("-0.3", (0.0, "clamped")),
        ("150", (1.0, "clamped")),
        ("85-90%", (0.875, "range")),
        ("70%", (0.7, "percent")),
        ("70 percent", (0.7, "percent")),
        ("high", (0.8, "verbal")),
        ("very low", (0.1, "verbal")),
        ("9", (0.9, "scale10")),
        ("82", (0.82, "percent")),
        ("1", (1.0, None)),
        ("0", (0.0, None)),
        ("<one decimal number such as 0.74>", None),
        ("unsure", None),
        ("3/0", None),
    ],
)
def test_a_stated_confidence_is_read(value: str, read: Any) -> None:
    assert read_value(value) == read


@pytest.mark.parametrize(
    ("reply", "response", "confidence", "reasoning", "note"),
    [
        ("It is so.\n\n**Confidence:** 0.8", "It is so.", 0.8, "", None),
        ("- **Confidence**: **0.8**\nIt is so.", "It is so.", 0.8, "", None),
        (
            "Sure.\nRESPONSE:\nIt is.\nCONFIDENCE: 0.6\nCONFIDENCE_REASONING: a\n\nb",
            "It is.",
            0.6,
            "a\n\nb",
            None,
        ),
        (
            "The Confidence: 95% interval [2.1, 3.4]\nConfidence: 95% interval [2.1, 3.4]\nCONFIDENCE: 0.6",
            "The Confidence: 95% interval [2.1, 3.4]\nConfidence: 95% interval [2.1, 3.4]",
            0.6,
            "",
            None,
        ),
        ("No number here.", "No number here.", None, "", "missing"),
        ("CONFIDENCE: 0.9", "", 0.9, "", None),
        ("My confidence level: 7\nThen the answer.", "Then the answer.", 0.7, "", "scale10"),
        ('Answer: yes.\n{"confidence": 0.7, "reasoning": "r"}', "yes.", 0.7, "r", None),
        ("RESPONSE: inline\nFINAL CONFIDENCE：0.5\nConfidence rationale: so", "inline", 0.5, "so", None),
    ],
)
def test_a_confident_reply_is_read(
    reply: str, response: str, confidence: float | None, reasoning: str, note: str | None
) -> None:
    read = read_confident(reply)
    assert (read.response, read.confidence, read.reasoning, read.note) == (
        response,
        confidence,
        reasoning,
        note,
    )


@given(st.text())
def test_no_text_makes_the_parsers_raise(text: str) -> None:
    read = read_confident(text)
    assert read.confidence is None or 0 <= read.confidence <= 1
    body, notes = read_synthesis(text)
    assert isinstance(read_verdicts(notes), dict)
    assert len(body) <= len(text)


@pytest.mark.parametrize(
    ("raw", "temperature", "weighting", "percents"),
    [
        ([0.97, 0.85, 0.60, None], 1, "softmax", [28.45, 25.75, 20.05, 25.75]),
        ([0.97, 0.85, 0.60, None], 0.5, "softmax", [31.91, 26.12, 15.85, 26.12]),
        ([0.97, 0.85, 0.60, None], 1, "log_odds", [59.69, 17.80, 4.71, 17.80]),
        ([0.5] * 3, 1, "softmax", [33.34, 33.33, 33.33]),
        ([None] * 6, 1, "softmax", [16.67, 16.67, 16.67, 16.67, 16.66, 16.66]),
        ([0.82, 0.91, 0.45], 1, "softmax", [35.91, 39.29, 24.80]),
        ([0.9, 0.8, None], 1, "softmax", [35.01, 31.68, 33.31]),
        ([0.9, 0.5], 0.1, "softmax", [98.20, 1.80]),
        ([0.9, 0.5], 5, "softmax", [52.00, 48.00]),
        ([0.9, 0.5], 1, "log_odds", [90.00, 10.00]),
        ([1.0, 0.1, 0.1], 0.1, "softmax", [99.96, 0.02, 0.02]),
        ([0.9, 0.9, 0.5], 0.0001, "softmax", [50.0, 50.0, 0.0]),
    ],
)
def test_weights_follow_the_formula(
    raw: Any, temperature: float, weighting: Any, percents: list[float]
) -> None:
    assert [weight.percent for weight in weights(raw, temperature, weighting)] == percents


def test_the_worked_examples_other_figures() -> None:
    weighted = weights([0.97, 0.85, 0.60, None], 1, "softmax")
    assert [weight.effective for weight in weighted] == [0.95, 0.85, 0.60, 0.85]
    assert [weight.is_outlier for weight in weighted] == [True, False, False, False]
    assert round(effective_voices(weighted), 2) == 3.94
    assert not any(weight.is_outlier for weight in weights([0.95, 0.10], 1, "softmax"))


@given(
    st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=6),
    st.floats(0.1, 5),
    st.sampled_from(["softmax", "log_odds"]),
)
def test_percents_always_add_up_to_a_hundred(
    raw: list[float | None], temperature: float, weighting: Any
) -> None:
    weighted = weights(raw, temperature, weighting)
    assert sum(round(weight.percent * 100) for weight in weighted) == 10_000
    assert abs(sum(weight.share for weight in weighted) - 1) < 1e-9


def test_letters_in_the_notes_become_names() -> None:
    assert named("Answer A: FAIR. Answer Z.", {"A": "a/ann"}) == "a/ann: FAIR. Answer Z."


async def weighted(models: dict[str, Any], **config: Any) -> Held:
    async with Chamber(models) as chamber:
        return await chamber.deliberate("confidence_weighted", models=PANEL, synthesisModel="d/dee", **config)


def good(**changes: Any) -> dict[str, Any]:
    lines = {
        "ann": [sure("tabs", 0.9)],
        "bob": [sure("spaces", 0.5)],
        "cyd": [sure("both", 0.7)],
        "dee": [SYNTHESIS],
        **changes,
    }
    return {f"{name[0]}/{name}": line for name, line in lines.items()}


async def test_answers_are_weighed_and_merged() -> None:
    held = await weighted(good())
    assert held.types == TOLD
    assert held.frames[0]["config"] == {
        "models": PANEL,
        "synthesisModel": "d/dee",
        "temperature": 1.0,
        "weighting": "softmax",
    }
    synthesis = held.data("synthesis_complete")
    assert (synthesis["synthesis"], synthesis["fallback"], synthesis["skipped"]) == ("Use both.", None, False)
    assert [(c["model"], c["verdict"]) for c in synthesis["calibration"]] == [
        ("a/ann", "FAIR"),
        ("b/bob", None),
        ("c/cyd", "OVERCONFIDENT"),
    ]
    assert synthesis["calibrationNotes"].startswith("a/ann: FAIR - it knew.\nc/cyd:")
    assert synthesis["degraded"] is False
    assert held.message is not None
    assert (held.message.content, held.message.status) == ("Use both.", "complete")


async def test_the_synthesizer_sees_the_heaviest_first_and_no_names() -> None:
    held = await weighted(good(ann=[sure("tabs", 0.97)], bob=["spaces, without a number"]))
    [prompt] = held.prompts("d/dee")
    labels = [line for line in prompt.splitlines() if line.startswith("ANSWER label")]
    assert labels[0].startswith("ANSWER label=A weight=3")
    assert labels[0].endswith("stated_confidence=0.97 outlier=yes")
    assert any(line.endswith("stated_confidence=not given") for line in labels)
    assert not any(model in prompt for model in PANEL)
    answer = held.prompts("a/ann")[0]
    assert "<<<" in answer
    assert answer.index("QUESTION") < answer.index("Tabs or spaces?")


async def test_the_rows_are_those_of_the_sheet() -> None:
    held = await weighted(good(bob=DOWN))
    assert held.stages == [(0, "answer_0"), (0, "answer_2"), (1, "weights"), (2, "synthesis")]
    first, _, weighing, synthesis = held.rows
    assert first.content == sure("tabs", 0.9)
    assert first.parsed_data == snapshot(
        {
            "index": 0,
            "confidence": 0.9,
            "confidenceReasoning": "I know it.",
            "parsedSuccessfully": True,
            "parseNote": None,
            "responsePreview": "tabs",
        }
    )
    assert weighing.content == snapshot(
        "softmax, temperature 1: a/ann 54.98 % (confidence 0.9); c/cyd 45.02 % (confidence 0.7)"
    )
    assert set(weighing.parsed_data) == {
        "type",
        "temperature",
        "weighting",
        "weights",
        "outlierCount",
        "effectiveVoices",
        "failedModels",
    }
    assert (synthesis.content, synthesis.model, synthesis.role) == ("Use both.", "d/dee", "synthesizer")
    assert synthesis.parsed_data["rawText"] == SYNTHESIS
    assert synthesis.parsed_data["highestWeight"] == {"model": "a/ann", "weightPercent": 54.98}


async def test_all_respondents_fail() -> None:
    held = await weighted(good(ann=DOWN, bob=DOWN, cyd=DOWN))
    assert failed(held).startswith("All models failed to respond.")
    assert (held.rows, held.message) == ([], None)


async def test_a_single_answer_is_the_result() -> None:
    held = await weighted(good(bob=DOWN, cyd=DOWN))
    synthesis = held.data("synthesis_complete")
    assert (synthesis["skipped"], synthesis["synthesis"], synthesis["model"]) == (True, "tabs", "a/ann")
    assert synthesis["calibrationNotes"] == "A single answer arrived, so confidences could not be compared."
    assert held.data("weights_calculated")["weights"][0]["weightPercent"] == 100.0
    assert "synthesis_start" in held.types
    assert held.prompts("d/dee") == []
    assert held.record.status == "degraded"


async def test_a_confidence_without_an_answer_is_a_failure() -> None:
    held = await weighted(good(bob=["CONFIDENCE: 0.9"]))
    [entry] = held.data("all_answers_complete")["failedModels"]
    assert (entry["index"], entry["model"], entry["kind"]) == (1, "b/bob", "empty")


async def test_equal_confidences_weigh_the_same() -> None:
    held = await weighted(good(ann=["tabs"], bob=["spaces"], cyd=["both"]))
    data = held.data("weights_calculated")
    assert [entry["weightPercent"] for entry in data["weights"]] == [33.34, 33.33, 33.33]
    assert [entry["rawConfidence"] for entry in data["weights"]] == [None] * 3
    assert held.record.status == "complete"


async def test_a_substitute_writes_the_synthesis() -> None:
    held = await weighted(good(dee=DOWN, ann=[sure("tabs", 0.9), SYNTHESIS]))
    synthesis = held.data("synthesis_complete")
    assert (synthesis["fallback"], synthesis["model"], synthesis["synthesis"]) == (
        "substitute_model",
        "a/ann",
        "Use both.",
    )
    assert held.record.status == "degraded"
    assert held.types[-1] == "complete"


async def test_without_any_synthesis_the_heaviest_answer_stands() -> None:
    held = await weighted(good(dee=Reply(text=" "), ann=[sure("tabs", 0.9), DOWN]))
    synthesis = held.data("synthesis_complete")
    assert (synthesis["fallback"], synthesis["synthesis"], synthesis["model"]) == (
        "top_answer",
        "tabs",
        "a/ann",
    )
    assert synthesis["warnings"]


async def test_without_time_the_heaviest_answer_stands() -> None:
    async with Chamber(
        good(bob=Reply(text=sure("spaces", 0.5), latency=0.3)), pipeline_seconds=5.2
    ) as chamber:
        held = await chamber.deliberate("confidence_weighted", models=PANEL, synthesisModel="d/dee")
    assert held.data("synthesis_complete")["fallback"] == "top_answer"
    assert held.data("warning")["code"] == "pipeline_timeout"


async def test_a_follow_up_carries_the_synthesis_and_no_notes() -> None:
    lines: dict[str, Any] = {model: sure("tabs") for model in PANEL}
    async with Chamber({**lines, "d/dee": SYNTHESIS}) as chamber:
        first = await chamber.deliberate("confidence_weighted", models=PANEL, synthesisModel="d/dee")
        await chamber.deliberate("confidence_weighted", "And now?", conversation=first.record.conversation_id)
        second = [r for r in chamber.server.requests if r.model == "a/ann"][1]
    assert second.body["messages"][:2] == [
        {"role": "user", "content": "Tabs or spaces?"},
        {"role": "assistant", "content": "Use both."},
    ]
    assert "CALIBRATION" not in second.prompt


async def test_the_same_model_twice_is_two_respondents() -> None:
    replies = iter([sure("tabs", 0.9), sure("spaces", 0.3)])
    async with Chamber({"a/ann": lambda received: next(replies), "d/dee": SYNTHESIS}) as chamber:
        held = await chamber.deliberate(
            "confidence_weighted", models=["a/ann", "a/ann"], synthesisModel="d/dee"
        )
    assert [row.stage_type for row in held.rows[:2]] == ["answer_0", "answer_1"]
    shares = [entry["weightPercent"] for entry in held.data("weights_calculated")["weights"]]
    assert shares[0] != shares[1]


async def test_a_stored_result_read_back_equals_the_streamed_one() -> None:
    held = await weighted(good())
    assert held.result["synthesis"] == held.data("synthesis_complete")
    assert held.result["weights"] == held.data("weights_calculated")["weights"]
    streamed = sorted(
        (f["data"] for f in held.frames if f["type"] == "answer_complete"), key=lambda one: one["index"]
    )
    assert [(a["model"], a["response"], a["rawConfidence"]) for a in held.result["answers"]] == [
        (a["model"], a["response"], a["confidence"]) for a in streamed
    ]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"models": ["a/ann"]}, "Confidence-weighted mode requires at least 2 models"),
        ({"models": ["a/ann"] * 7}, "Maximum 6 models allowed"),
        ({"synthesisModel": " "}, "synthesisModel must not be empty"),
        ({"temperature": 0.05}, "temperature must be between 0.1 and 5"),
        ({"weighting": "mean"}, 'weighting must be "softmax" or "log_odds"'),
        ({"timeoutMs": 1}, "timeoutMs must be between 10000 and 300000"),
    ],
)
async def test_a_bad_config_is_refused(config: dict[str, Any], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("confidence_weighted", **config)
    assert str(refused.value) == message


async def test_defaults() -> None:
    async with Chamber(good(ann=[sure("tabs"), SYNTHESIS])) as chamber:
        held = await chamber.deliberate("confidence_weighted")
    assert json.loads(held.record.config) == {
        "timeoutMs": 120000,
        "models": PANEL,
        "synthesisModel": "a/ann",
        "temperature": 1.0,
        "weighting": "softmax",
    }


async def test_the_simulator_knows_the_prompts() -> None:
    models = ["sim/ada", "sim/bo", "sim/cleo"]
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate(
            "confidence_weighted", "How should a small team plan its week?", models=models
        )
    assert held.record.status == "complete"
    assert all(entry["rawConfidence"] is not None for entry in held.result["weights"])
    assert all(entry["verdict"] for entry in held.data("synthesis_complete")["calibration"])
