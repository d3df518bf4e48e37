"""Training records: pairs, masks, splits and the formats."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.modes.dialectic.critiques import CritiqueIssue, Status
from moot.modes.dialectic.scaffolds import library
from moot.modes.dialectic.trace import (
    DialecticResult,
    RoundResult,
    UsageTotals,
    document,
    exclusions,
    quality_score,
)
from moot.traces.export import Candidate, Filters, dissimilar, distinct, exclusion_reasons, for_validation
from moot.traces.formats import (
    has_secrets,
    mask,
    normal_question,
    pairs,
    place_in_split,
    records,
    tokens_of,
)
from moot.traces.queries import StoredTrace

ANSWERS = (
    "Use tabs since every reader can choose the width that suits them.",
    "Prefer spaces: they look alike in each editor, diff and terminal.",
    "Let a formatter decide, and never argue about the matter again.",
)


def a_round(number: int, score: float | None, answer: str = "", **more: Any) -> RoundResult:
    values: dict[str, Any] = {
        "round": number,
        "proposal": "p",
        "critique": "c",
        "answer": answer or ANSWERS[number - 1],
        "issues": (),
        "statuses": (),
        "score": score,
        "proposer_ms": 1,
        "skeptic_ms": 1,
        **more,
    }
    return RoundResult(**values)


def a_result(
    rounds: list[RoundResult], final: str = "The final answer says something else entirely, and well."
) -> DialecticResult:
    return DialecticResult(
        trace_id="t1",
        query="Tabs, or mail ann@example.org?",
        templates=(),
        fallback=True,
        rounds=tuple(rounds),
        ledger=(),
        final_answer=final,
        raw_text=final,
        confidence=None,
        changes=(),
        caveats=(),
        total_rounds=len(rounds),
        early_stopped=True,
        stop_reason="ready_signal",
        quality_score=9,
        user_rating=None,
        auto_score=9,
        score_error=None,
        criteria=None,
        justification=None,
        would_benefit_from_finetune=None,
        eligible=True,
        reasons=(),
        models=None,
        timing=None,
        tokens=None,
        cost_usd=None,
        degraded=False,
        warnings=(),
        title=None,
    )


@pytest.mark.parametrize(
    ("scores", "quality", "sources"),
    [
        ([5, 7, 7], None, ["round_2>round_1"]),
        ([5, 7, 8], None, ["round_2>round_1", "round_3>round_2"]),
        ([6, 6, 6], 9.0, ["final>round_1"]),
        ([7, 7, 7], 9.0, []),
        ([6, 6, 6], 7.9, []),
        ([None, 7, None], 9.0, []),
        ([5, 6, 7], 9.0, ["round_2>round_1", "round_3>round_2", "final>round_1"]),
        ([7, 6.5], None, []),
    ],
)
def test_a_better_answer_beats_a_worse_one(
    scores: list[float | None], quality: float | None, sources: list[str]
) -> None:
    result = a_result([a_round(number, score) for number, score in enumerate(scores, 1)])
    assert [pair.source for pair in pairs(result, quality)] == sources


def test_a_critical_issue_that_was_resolved_makes_a_pair_though_the_score_stood_still() -> None:
    red = CritiqueIssue(id="C1", severity="critical", title="x", where=None, body="")
    new = CritiqueIssue(id="C2", severity="critical", title="y", where=None, body="")
    gone = Status(id="C1", status="resolved", note="")
    first = a_round(1, 7, issues=(red,))
    assert len(pairs(a_result([first, a_round(2, 7, statuses=(gone,))]), None)) == 1
    assert pairs(a_result([first, a_round(2, 7, statuses=(gone,), issues=(new,))]), None) == []
    assert pairs(a_result([first, a_round(2, 6.9, statuses=(gone,))]), None) == []


@pytest.mark.parametrize(
    ("better", "worse"), [("same text here", "same text here"), ("x" * 300, "y" * 100), ("anything", "")]
)
def test_answers_that_are_alike_or_of_very_different_length_make_no_pair(better: str, worse: str) -> None:
    rounds = [a_round(1, 3, worse or " "), a_round(2, 9, better)]
    rounds[0] = rounds[0].model_copy(update={"answer": worse})
    assert pairs(a_result(rounds), None) == []


def test_the_formats_have_no_null_and_mask_what_is_secret() -> None:
    result = a_result([a_round(1, 5), a_round(2, 7)])
    trace = document(result, 0, 9, None, {"auto_score": 7.5}, UsageTotals(0.25, 10, 20))
    scaffold = library().scaffolds[0]
    [chat] = records("chat", result, trace, [scaffold])
    assert [turn["role"] for turn in chat["messages"]] == ["system", "user", "assistant"]
    assert chat["messages"][0]["content"] == "Answer carefully and state assumptions."
    assert chat["messages"][1]["content"] == "Tabs, or mail [removed]?"
    [told] = records("chat", result, trace, [scaffold], with_scaffold=True)
    assert "Scaffold: Stepwise derivation. 1. List the givens" in told["messages"][0]["content"]
    [alpaca] = records("alpaca", result, trace, [])
    assert (alpaca["input"], set(alpaca)) == ("", {"instruction", "input", "output"})
    both = list(records("dpo", result, trace, []))
    assert [record["source"] for record in both] == ["round_2>round_1", "final>round_1"]
    assert all(type(record[key]) is float for record in both for key in ("score_chosen", "score_rejected"))
    assert both[1]["score_chosen"] == 9.0
    [raw] = records("raw", result, trace, [])
    assert raw["query"] == "Tabs, or mail [removed]?"
    assert (raw["quality_score"], raw["user_rating"], raw["auto_score"]) == (9.0, 9, 7.5)
    assert (raw["ext"]["cost_usd"], raw["ext"]["tokens"]) == (0.25, {"prompt": 10, "completion": 20})


def test_a_document_has_the_names_of_its_first_readers() -> None:
    trace = document(a_result([a_round(1, 5)]), 1_700_000_000_000, None, None, {}, UsageTotals())
    assert list(trace) == [
        "id",
        "timestamp",
        "query",
        "templates_used",
        "rounds",
        "final_answer",
        "total_rounds",
        "early_stopped",
        "quality_score",
        "user_rating",
        "auto_score",
        "models",
        "timing",
        "ext",
    ]
    assert trace["rounds"] == [{"round": 1, "proposer": "p", "skeptic": "c"}]
    assert trace["timestamp"] == "2023-11-14T22:13:20+00:00"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("mail me: ann.b+c@mail.example.org", True),
        ("sk-proj-abcdefghijklmnop1234", True),
        ("AKIAABCDEFGHIJKLMNOP", True),
        ("Authorization: Bearer abcdefghijklmnopqrstuvwxyz", True),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", True),
        ("sk-short", False),
        ("a @ b, and tabs@", False),
    ],
)
def test_secrets_are_known(text: str, secret: bool) -> None:
    assert has_secrets(text) is secret
    assert has_secrets(mask(text)) is False


@given(st.text(max_size=200))
def test_a_question_keeps_its_side_of_the_split_however_it_is_typed(question: str) -> None:
    assert 0 <= place_in_split(question) < 1
    assert place_in_split(question) == place_in_split(f"  {question.strip()} ")
    assert normal_question(normal_question(question)) == normal_question(question)
    assert tokens_of(question) == -(-len(question) // 4)


@given(st.sets(st.text(min_size=1, max_size=20), min_size=1, max_size=60), st.integers(0, 59))
def test_more_traces_move_none_across_the_split(questions: set[str], cut: int) -> None:
    every = [
        Candidate.of(f"{number}", question, 9, number) for number, question in enumerate(sorted(questions))
    ]
    few = every[: cut + 1]
    before, after = for_validation(few), for_validation(every)
    if any(one.place < 0.1 for one in few):
        assert before == after & {one.id for one in few}
    assert after or len(every) < 10


def test_of_like_questions_the_best_then_the_newest_is_kept() -> None:
    import numpy as np

    same = [
        Candidate.of("a", "Tabs?", 8, 1),
        Candidate.of("b", "tabs", 9, 2),
        Candidate.of("c", "TABS ?", 9, 3),
        Candidate.of("d", "Spaces?", 8, 4),
    ]
    best = distinct(same)
    assert [one.id for one in best] == ["c", "d"]
    near = np.array([[1, 0], [0.93, (1 - 0.93**2) ** 0.5]], np.float32)
    assert [one.id for one in dissimilar(best, near, 0.92)] == ["c"]
    assert [one.id for one in dissimilar(best, near, 0.95)] == ["c", "d"]


@pytest.mark.parametrize(
    ("values", "reasons"),
    [
        ({}, ()),
        ({"quality": 7.9}, ("low_quality",)),
        ({"quality": None}, ("low_quality",)),
        ({"rounds": 1}, ("too_few_rounds",)),
        ({"answer": "short"}, ("too_short",)),
        ({"had_error": True}, ("had_error",)),
        ({"quality": 7.0, "threshold": 7.0}, ()),
    ],
)
def test_a_trace_is_fit_only_if_all_holds(values: dict[str, Any], reasons: tuple[str, ...]) -> None:
    good: dict[str, Any] = {"quality": 8.0, "rounds": 2, "answer": "x" * 200, "had_error": False}
    assert exclusions(**{**good, **values}) == reasons


def test_a_persons_rating_counts_before_the_judges_score() -> None:
    assert (quality_score(9, 7.9), quality_score(None, 7.9), quality_score(None, None)) == (9.0, 7.9, None)


def a_trace(**changed: Any) -> StoredTrace:
    values: dict[str, Any] = {
        **dict.fromkeys(field.name for field in fields(StoredTrace)),
        "trace_id": "t1",
        "query": "Tabs or spaces?",
        "final_answer": "x" * 200,
        "total_rounds": 2,
        "had_error": False,
        "same_model": False,
        "auto_score": 9.0,
    }
    return StoredTrace(**{**values, **changed})


@pytest.mark.parametrize(
    ("changed", "filters", "reasons"),
    [
        ({}, {}, []),
        ({"user_rating": 7}, {}, ["low_quality"]),
        ({"user_rating": 7}, {"min_quality": 7}, []),
        ({"auto_score": 7.9}, {}, ["low_quality"]),
        ({"auto_score": None}, {"min_quality": 1}, ["low_quality"]),
        ({"total_rounds": 1}, {}, ["too_few_rounds"]),
        ({"final_answer": "x" * 199}, {}, ["too_short"]),
        ({"had_error": True}, {}, ["had_error"]),
        ({"final_answer": "x" * 16_369}, {}, []),
        ({"final_answer": "x" * 16_370}, {}, ["too_long"]),
        ({"final_answer": "x" * 16_370}, {"max_tokens": 5000}, []),
        ({"same_model": True}, {}, []),
        ({"same_model": True}, {"same_model": True}, ["same_model"]),
        ({"query": "Mail ann@example.org?"}, {}, []),
        ({"query": "Mail ann@example.org?"}, {"secrets": "drop"}, ["secrets"]),
        ({"final_answer": f"{'x' * 200} sk-proj-abcdefghijklmnop1234"}, {"secrets": "drop"}, ["secrets"]),
        (
            {"total_rounds": 1, "had_error": True, "auto_score": 1.0},
            {},
            ["low_quality", "too_few_rounds", "had_error"],
        ),
    ],
)
def test_every_reason_to_leave_a_trace_out_is_named(
    changed: dict[str, Any], filters: dict[str, Any], reasons: list[str]
) -> None:
    assert exclusion_reasons(a_trace(**changed), Filters(**filters)) == reasons


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5])
def test_the_share_for_validation_can_be_chosen(share: float) -> None:
    every = [Candidate.of(f"{number}", f"Question {number}?", 9, number) for number in range(1000)]
    assert len(for_validation(every, share)) / 1000 == pytest.approx(share, abs=0.03)
