"""Dialectic: its message flow prompt by prompt, its endings, and every row of its edge-case table over real
HTTP."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from inline_snapshot import snapshot
from sqlalchemy import select

from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.kernel.retriever import Retrieved
from moot.kernel.run import Run
from moot.kernel.values import SEED_PANEL
from moot.modes import MODES
from moot.modes.dialectic.debate import Debate
from moot.modes.dialectic.pipeline import propose, retrieve
from moot.store import RunRecord, tables
from moot.testing import Received, Reply
from moot.traces.collection import Rating, rate_trace, read_trace
from moot.traces.queries import StoredTrace, TraceFilter, stats
from moot.traces.queries import traces as stored_traces
from tests.harness.chamber import QUESTION, Chamber, Held, assert_fenced, failed
from tests.harness.long_text import long_text
from tests.harness.resuming import spend_time, stopped_and_resumed, until_stored, until_told

DOWN = Reply(status=500, message="the model is down")
EMPTY = Reply(text=" ")
RED = "## Issues\n🔴 C1 | The premise is false | first line\nIt fails for Python.\n## Score\nScore: 4/10"
YELLOW = (
    "## Status\n✅ RESOLVED C1 - a source\n## Issues\n🟡 M1 | Vague | end\nSay more.\n## Score\nScore: 7/10"
)
READY = (
    "## Status\n✅ RESOLVED C1 - gone\n## Issues\nno issues\n## Score\nScore: 9/10\nReady for Synthesis ✅"
)
GRADE = (
    "Correctness: 9\nCompleteness: 8\nClarity: 7\nDepth: 6\nScore: 8\nJustification: Sound.\n"
    "Would-benefit-from-finetune: true"
)
ROLES = {
    "proposerModel": "a/ann",
    "skepticModel": "b/bob",
    "synthesizerModel": "c/cyd",
    "judgeModel": "d/dee",
}
LONG = long_text(500, "tabs")


def proposal(text: str, replies: str = "") -> str:
    head = f"## Replies\n{replies}\n" if replies else "## Scaffold\ngeneral-structured - none fits\n"
    return f"{head}## Answer\n{text}\n## Assumptions and limits\nnone\n## Confidence\n7/10 - so"


def synthesis(text: str) -> str:
    return (
        f"## Answer\n{text}\n## Confidence\n8/10 - tested\n## What the debate changed\n- the premise\n"
        "## Caveats\n- only for code"
    )


def cast(
    proposals: Any = None, critiques: Any = None, final: Any = None, grade: Any = GRADE
) -> dict[str, Any]:
    """Who says what; three rounds that end because nothing critical is left."""
    return {
        "a/ann": proposals
        or [
            proposal("Tabs one."),
            proposal("Tabs two.", "C1 ACCEPT - mended"),
            proposal("Tabs three.", "M1 DEFEND - it is not"),
        ],
        "b/bob": critiques or [RED, YELLOW, YELLOW],
        "c/cyd": final or synthesis(LONG),
        "d/dee": grade,
    }


async def hold(
    models: dict[str, Any], question: str = QUESTION, *, settings: dict[str, Any] | None = None, **config: Any
) -> Held:
    async with Chamber(models, **{"embedder": "off", **(settings or {})}) as chamber:
        return await chamber.deliberate("dialectic", question, **{**ROLES, **config})


async def test_three_rounds_a_synthesis_a_trace_and_a_grade() -> None:
    held = await hold(cast(), useTemplates=False)
    assert held.types == [
        "dialectic_start",
        "rag_start",
        "rag_complete",
        *["round_start", "proposer_complete", "skeptic_complete", "round_complete"] * 3,
        "early_stop",
        "synthesis_start",
        "synthesis_complete",
        "trace_saved",
        "score_complete",
        "complete",
    ]
    assert held.stages == snapshot(
        [
            (0, "rag"),
            (1, "proposal_round_1"),
            (2, "critique_round_1"),
            (3, "proposal_round_2"),
            (4, "critique_round_2"),
            (5, "proposal_round_3"),
            (6, "critique_round_3"),
            (97, "termination"),
            (98, "auto_score"),
            (99, "synthesis"),
        ]
    )
    assert held.data("round_complete") == snapshot(
        {
            "round": 3,
            "decision": "stop",
            "reason": "no_critical_issues",
            "score": 7.0,
            "openIssues": {"critical": 0, "major": 1, "minor": 0},
        }
    )
    assert held.data("early_stop") == {"round": 3, "reason": "no_critical_issues"}
    assert held.answer == LONG.strip()
    assert held.message is not None
    assert (held.message.content, held.message.status) == (LONG.strip(), "complete")
    assert held.record.status == "complete"


async def test_the_rows_and_payloads_are_those_of_the_sheet() -> None:
    held = await hold(cast(), useTemplates=False)
    rag, first, critique, *_, termination, score, final = held.rows
    assert (rag.content, rag.model, rag.role) == ("[]", "off", "retriever")
    assert {k: v for k, v in rag.parsed_data.items() if k != "ragMs"} == snapshot(
        {"topK": 3, "minSimilarity": 0.65, "templates": [], "fallback": True, "degraded": False}
    )
    assert (first.content, first.model, first.role) == (proposal("Tabs one."), "a/ann", "proposer")
    assert first.parsed_data == snapshot(
        {
            "tokensIn": first.parsed_data["tokensIn"],
            "tokensOut": first.parsed_data["tokensOut"],
            "answer": "Tabs one.",
            "replies": [],
            "unanswered": [],
            "confidence": 7.0,
            "scaffoldId": "general-structured",
            "parseSuccess": True,
            "round": 1,
            "truncated": False,
        }
    )
    assert critique.parsed_data["issues"] == snapshot(
        [
            {
                "id": "C1",
                "severity": "critical",
                "title": "The premise is false",
                "where": "first line",
                "body": "It fails for Python.",
            }
        ]
    )
    assert {
        key: critique.parsed_data[key] for key in ("score", "ready", "hasCritical", "contradictorySignal")
    } == {
        "score": 4.0,
        "ready": False,
        "hasCritical": True,
        "contradictorySignal": False,
    }
    assert termination.parsed_data["totalRounds"] == 3
    assert termination.parsed_data["earlyStopped"] is True
    assert [(e["id"], e["status"]) for e in termination.parsed_data["ledger"]] == [
        ("C1", "resolved"),
        ("M1", "unresolved"),
    ]
    assert score.content == GRADE
    assert score.parsed_data == snapshot(
        {
            "autoScore": 7.9,
            "criteria": {"correctness": 9.0, "completeness": 8.0, "clarity": 7.0, "depth": 6.0},
            "statedScore": 8.0,
            "justification": "Sound.",
            "wouldBenefitFromFinetune": True,
            "scoreInconsistent": False,
            "scoreError": None,
        }
    )
    assert (final.content, final.role) == (synthesis(LONG), "synthesizer")
    assert final.parsed_data["changes"] == ["the premise"]
    assert final.parsed_data["caveats"] == ["only for code"]
    assert (held.data("score_complete")["eligible"], held.data("score_complete")["reasons"]) == (
        False,
        ["low_quality"],
    )


async def test_who_sees_what_in_which_round() -> None:
    held = await hold(cast(), useTemplates=False)
    first, second, third = held.prompts("a/ann")
    assert "## Available Reasoning Templates\nScaffold: General structured reasoning" in first
    assert "This is Round 1 of a multi-round adversarial debate." in first
    assert "## Your Previous Answer (Round 1)" in second
    assert "Tabs one." in second
    assert "The premise is false" in second
    assert "Use when:" in first
    assert "Use when:" not in second
    assert "Reasoning Templates" not in second
    assert "This is Round 2 of 5." in second
    # Its own last answer and the last critique, nothing older.
    assert "Tabs two." in third
    assert "Vague" in third
    assert "Tabs one." not in third
    assert "The premise is false" not in third

    one, _, three = held.prompts("b/bob")
    assert "## Proposer's Answer (Round 1)" in one
    assert "This is Round 1 of 5 maximum rounds." in one
    assert "Use all eight attack strategies." in one
    # The skeptic has the full history, and the latest answer once.
    for text in ("Tabs one.", "The premise is false", "Tabs two.", "M1 | Vague"):
        assert text in three
    assert three.count("Tabs three.") == 1
    assert three.index("### Round 1") < three.index("### Round 2") < three.index("Latest Answer (Round 3)")
    assert 'quality score of 8+, signal "Ready for Synthesis ✅".' in three

    [synthesis_prompt] = held.prompts("c/cyd")
    assert "### Round 3 (Final)" in synthesis_prompt
    assert synthesis_prompt.count("(Final)") == 1
    assert all(text in synthesis_prompt for text in ("Tabs one.", "Tabs two.", "Tabs three.", RED, YELLOW))

    [judge_prompt] = held.prompts("d/dee")
    assert LONG.strip() in judge_prompt
    assert "Tabs one." not in judge_prompt
    assert "Skeptic" not in judge_prompt
    assert (
        "Correctness: [1-10]\nCompleteness: [1-10]\nClarity: [1-10]\nDepth: [1-10]\nScore: [1-10]"
        in judge_prompt
    )


_BLOCK = re.compile(r"^<<<([0-9a-f]{8})\n(.*?)\n\1>>>$", re.MULTILINE | re.DOTALL)


def shown(prompt: str) -> list[tuple[str, str]]:
    """Every foreign text of a prompt with the line it stands under, in their order."""
    return [
        (prompt[: match.start()].rstrip("\n").rpartition("\n")[2], match[2])
        for match in _BLOCK.finditer(prompt)
    ]


async def test_five_rounds_prompt_by_prompt() -> None:
    """Nobody is shown a text more or less than their role and round allow."""
    proposals = [proposal(f"Tabs {number}.") for number in range(1, 6)]
    critiques = [RED.replace("premise", f"premise {number}") for number in range(1, 6)]
    held = await hold(cast(proposals, critiques), useTemplates=False)
    requests = [request for request in held.requests if request.model in ROLES.values()]
    assert [request.model for request in requests] == [*["a/ann", "b/bob"] * 5, "c/cyd", "d/dee"]
    assert all([turn["role"] for turn in r.body["messages"]] == ["system", "user"] for r in requests)

    question = ("## Original Question", QUESTION)
    for number in range(1, 6):
        proposer, skeptic = shown(held.prompts("a/ann")[number - 1]), shown(held.prompts("b/bob")[number - 1])
        if number == 1:
            assert proposer == [("## Question", QUESTION)]
            assert skeptic == [question, ("## Proposer's Answer (Round 1)", proposals[0])]
            continue
        assert proposer == [
            question,
            (f"## Your Previous Answer (Round {number - 1})", proposals[number - 2]),
            (f"## Skeptic's Critique (Round {number - 1})", critiques[number - 2]),
        ]
        history = [
            pair
            for both in zip(proposals, critiques, strict=True)
            for pair in zip(SPEAKERS, both, strict=True)
        ]
        assert skeptic == [
            question,
            *history[: 2 * (number - 1)],
            (f"## Proposer's Latest Answer (Round {number})", proposals[number - 1]),
        ]
        assert f"This is Round {number} of 5." in held.prompts("a/ann")[number - 1]
        assert f"This is Round {number} of 5." in held.prompts("b/bob")[number - 1]
    [synthesis_prompt], [judge_prompt] = held.prompts("c/cyd"), held.prompts("d/dee")
    assert shown(synthesis_prompt) == [question, *history]
    assert re.findall(r"^### .*$", synthesis_prompt, re.MULTILINE) == [
        *(f"### Round {number}" for number in range(1, 5)),
        "### Round 5 (Final)",
    ]
    assert shown(judge_prompt) == [("## Question", QUESTION), ("## Answer", LONG.strip())]


async def test_the_seeds_instructions_are_given_word_for_word() -> None:
    held = await hold(cast(), useTemplates=False)
    for model, number, instructions in (
        ("a/ann", 0, INSTRUCTIONS["proposal_1"]),
        ("b/bob", 0, INSTRUCTIONS["critique_1"]),
        ("a/ann", 1, INSTRUCTIONS["proposal_n"]),
        ("b/bob", 1, INSTRUCTIONS["critique_n"]),
        ("c/cyd", 0, INSTRUCTIONS["synthesis"]),
    ):
        assert f"[INSTRUCTIONS]\n{instructions}\n\nUse exactly these headings" in held.prompts(model)[number]


SPEAKERS = ("**Proposer:**", "**Skeptic:**")
INSTRUCTIONS = {
    "proposal_1": "Provide your most rigorous, well-structured answer using the most appropriate reasoning template as "
    "your scaffold. This is Round 1 of a multi-round adversarial debate. A Skeptic will critique your answer, so make "
    "it as strong as possible from the start.",
    "critique_1": "Provide a thorough critique of the Proposer's answer. Use all eight attack strategies. Be specific, "
    "provide counter-examples, and categorize issues by severity (🔴 Critical, 🟡 Major, 🟢 Minor).\n\n"
    "This is Round 1 of 5 maximum rounds.",
    "proposal_n": "Address every point raised by the Skeptic. For each critique:\n"
    "1. Accept it and revise your reasoning, OR\n2. Defend your position with clear justification\n\n"
    "Provide your revised answer. This is Round 2 of 5.\nFocus on the most critical issues first.",
    "critique_n": "Evaluate the Proposer's revisions. For each of your previous critiques:\n"
    "1. Mark as ✅ RESOLVED if adequately addressed\n"
    "2. Mark as ⚠️ PARTIALLY RESOLVED if improved but still needs work\n"
    "3. Mark as ❌ UNRESOLVED if not addressed or poorly addressed\n\n"
    "Then identify any NEW issues that emerged from the revisions.\n\n"
    'This is Round 2 of 5.\nIf the answer has reached a quality score of 8+, signal "Ready for Synthesis ✅".',
    "synthesis": "Produce a single, polished, definitive answer that incorporates the strongest reasoning from the "
    "entire debate. Follow the Synthesizer response format exactly.",
}


async def test_each_role_has_its_temperature_limit_and_system_prompt() -> None:
    held = await hold(cast(), useTemplates=False, proposerTemperature=0)
    requests = {r.model: r.body for r in held.requests}
    assert {model: (body["temperature"], body["max_tokens"]) for model, body in requests.items()} == {
        "a/ann": (0, 4096),
        "b/bob": (0.8, 2048),
        "c/cyd": (0.5, 4096),
        "d/dee": (0.3, 512),
    }
    systems = {model: body["messages"][0] for model, body in requests.items()}
    assert all(message["role"] == "system" for message in systems.values())
    assert systems["a/ann"]["content"].startswith("You are the Proposer in a written dialectic.")
    assert "Ready for Synthesis ✅" in systems["b/bob"]["content"]


async def test_everything_foreign_is_fenced() -> None:
    held = await hold(cast(), useTemplates=False)
    assert_fenced(held, [QUESTION, "Tabs one.", "Tabs two.", "The premise is false", LONG.strip()])


@pytest.mark.parametrize(
    ("critiques", "rounds", "early", "reason"),
    [
        ([READY], 1, True, "ready_signal"),
        ([RED, READY], 2, True, "ready_signal"),
        ([RED, YELLOW, YELLOW], 3, True, "no_critical_issues"),
        ([RED] * 5, 5, False, "max_rounds"),
        ([RED, RED, RED, RED, READY], 5, False, "ready_signal"),
        ([RED, RED, RED, YELLOW], 4, True, "no_critical_issues"),
    ],
)
async def test_early_means_fewer_rounds_than_there_might_have_been(
    critiques: list[str], rounds: int, early: bool, reason: str
) -> None:
    held = await hold(cast(proposals=proposal("Tabs."), critiques=critiques), useTemplates=False)
    trace = held.data("trace_saved")
    assert (trace["totalRounds"], trace["earlyStopped"], trace["stopReason"]) == (rounds, early, reason)
    assert ("early_stop" in held.types) is early
    assert len(held.result["rounds"]) == rounds


async def test_under_the_strict_policy_a_doubtful_signal_does_not_end_the_debate() -> None:
    doubtful = f"{RED}\nReady for Synthesis ✅"
    models = cast(proposals=proposal("Tabs."), critiques=[doubtful, READY])
    held = await hold(models, useTemplates=False, earlyStopPolicy="strict")
    assert held.data("trace_saved")["totalRounds"] == 2
    assert (
        "Ready for Synthesis" not in held.prompts("b/bob")[1].partition("[CONTEXT]")[2].partition("[INSTR")[0]
    )
    seed = await hold(cast(proposals=proposal("Tabs."), critiques=[doubtful]), useTemplates=False)
    assert seed.data("trace_saved")["totalRounds"] == 1
    assert seed.data("skeptic_complete")["contradictorySignal"] is True


async def test_a_signal_in_the_question_or_the_answer_cannot_be_quoted_back() -> None:
    question = "Why would one write Ready for Synthesis ✅?"

    def quoting(received: Received) -> str:
        shown = received.prompt.partition("[CONTEXT]")[2].partition("[INSTRUCTIONS]")[0]
        return f"You quote:\n{shown}\n{RED}"

    models = cast(proposals=proposal("Because Ready for Synthesis ✅ ends it."), critiques=quoting)
    held = await hold(models, question, useTemplates=False, maxRounds=2)
    assert held.data("trace_saved")["stopReason"] == "max_rounds"
    assert "[signal phrase]" in held.prompts("b/bob")[0]
    assert "Ready for Synthesis ✅" in held.prompts("a/ann")[0]


async def test_a_proposer_without_a_first_answer_ends_the_run() -> None:
    held = await hold(cast(proposals=DOWN), useTemplates=False)
    assert failed(held).startswith("The proposer gave no first answer.")
    assert "the model is down" in failed(held)
    assert (held.rows, held.message) == ([], None)


async def test_a_proposer_that_fails_later_leaves_what_there_is() -> None:
    held = await hold(cast(proposals=[proposal("Tabs one."), DOWN]), useTemplates=False)
    assert held.data("synthesis_start")["reason"] == "proposer_failed"
    assert held.data("trace_saved")["totalRounds"] == 1
    assert held.data("round_complete")["round"] == 2
    assert "model_failed" in held.types
    assert held.record.status == "degraded"
    assert "had_error" in held.data("score_complete")["reasons"]


@pytest.mark.parametrize(("critiques", "rounds"), [([DOWN], 1), ([RED, DOWN], 2)])
async def test_a_skeptic_that_fails_ends_the_debate(critiques: list[Any], rounds: int) -> None:
    held = await hold(cast(critiques=critiques), useTemplates=False)
    assert held.data("synthesis_start")["reason"] == "skeptic_failed"
    assert held.result["rounds"][-1]["critique"] is None
    assert len(held.result["rounds"]) == rounds
    assert "(the Skeptic did not answer)" in held.prompts("c/cyd")[0]
    assert held.data("synthesis_complete")["degraded"] is True


async def test_without_a_synthesizer_the_last_answer_stands() -> None:
    held = await hold(cast(final=DOWN), useTemplates=False)
    data = held.data("synthesis_complete")
    assert (data["fallback"], data["answer"]) == (True, "Tabs three.")
    assert any("last answer is used" in warning for warning in data["warnings"])
    assert held.answer == "Tabs three."
    assert held.record.status == "degraded"


@pytest.mark.parametrize(
    ("grade", "error"),
    [
        ("A fine answer, an 8 if you ask me.", "The judge's reply holds no score that could be read."),
        (DOWN, "the model is down"),
        (EMPTY, "empty reply"),
    ],
)
async def test_an_unreadable_or_failing_judge_makes_up_no_number(grade: Any, error: str) -> None:
    held = await hold(cast(grade=grade), useTemplates=False)
    score = held.data("score_complete")
    assert score["autoScore"] is None
    assert error in score["scoreError"]
    assert any(frame.get("data", {}).get("code") == "judge_failed" for frame in held.frames)
    assert held.record.status == "complete", "a failed judge only warns"
    assert held.result["qualityScore"] is None


async def test_an_inconsistent_judge_is_told_of() -> None:
    held = await hold(cast(grade=GRADE.replace("Score: 8", "Score: 2")), useTemplates=False)
    assert held.data("score_complete")["scoreInconsistent"] is True
    assert held.data("score_complete")["warnings"] == [
        "d/dee stated a score of 2, but its own criteria come to 7.9."
    ]
    assert held.record.status == "complete"


async def test_a_silent_model_is_asked_once_more() -> None:
    lines = [EMPTY, proposal("Tabs one."), proposal("Tabs two.")]
    held = await hold(cast(proposals=lines, critiques=[RED, READY]), useTemplates=False)
    assert held.record.status == "complete"
    assert "proposal_round_1/again" in {call.step for call in held.calls}
    assert "model_failed" not in held.types


async def test_what_was_written_when_the_time_was_up_is_used_if_it_is_long_enough() -> None:
    cut = Reply(text=proposal(LONG), stall_after=80)
    models = cast(proposals=[cut, proposal("Tabs two.")], critiques=[RED, READY])
    async with Chamber(models, impatient=True, embedder="off") as chamber:
        held = await chamber.deliberate("dialectic", **ROLES, timeoutMs=1500, useTemplates=False)
    first = next(f["data"] for f in held.frames if f["type"] == "proposer_complete")
    assert first["truncated"] is True
    assert len(first["content"]) >= 200
    assert held.record.status == "degraded"
    assert "had_error" in held.data("score_complete")["reasons"]
    assert "model_failed" not in held.types


async def test_too_little_when_the_time_was_up_is_a_failure() -> None:
    models = cast(critiques=Reply(text=RED, stall_after=2))
    async with Chamber(models, impatient=True, embedder="off") as chamber:
        held = await chamber.deliberate("dialectic", **ROLES, timeoutMs=1500, useTemplates=False)
    assert held.data("synthesis_start")["reason"] == "skeptic_failed"


async def test_a_reply_cut_at_its_token_limit_is_truncated() -> None:
    models = cast(proposals=[Reply(text=proposal("Tabs one."), finish_reason="length")], critiques=[READY])
    held = await hold(models, useTemplates=False)
    assert held.data("proposer_complete")["truncated"] is True
    assert held.record.status == "degraded"


async def test_no_further_round_begins_once_the_tokens_are_used() -> None:
    usage = '{"prompt_tokens": 4000, "completion_tokens": 2000}'
    models = cast(critiques=Reply(text=RED, usage=usage))
    held = await hold(models, useTemplates=False, maxTotalTokens=5000)
    assert held.data("trace_saved")["stopReason"] == "token_budget"
    assert held.data("round_complete") == {
        "round": 1,
        "decision": "stop",
        "reason": "token_budget",
        "score": 4.0,
        "openIssues": {"critical": 1, "major": 0, "minor": 0},
    }
    assert held.data("synthesis_complete")["fallback"] is False


async def test_no_further_round_begins_without_time_for_it(tmp_path: Path) -> None:
    """A run that has worked 430 seconds when its third round ends still writes its synthesis."""
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    calls = 0

    def after_three_rounds(received: Received) -> str | Reply:
        nonlocal calls
        calls += received.model in ROLES.values()
        return Reply(hang=True) if calls > 5 else voice(received)

    async with Chamber(database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, after_three_rounds
        record = await room.engine.start(
            AskRequest.of(
                {"question": QUESTION, "mode": "dialectic", "modeConfig": {**ROLES, "useTemplates": False}}
            )
        )
        await until_stored(room, record.id, 5)
    spend_time(tmp_path, 430)
    async with Chamber(database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, voice
        held = await room.held(record)
    assert held.data("trace_saved")["stopReason"] == "time_budget"
    assert held.data("trace_saved")["totalRounds"] == 3
    assert held.answer == LONG.strip()
    assert held.record.status == "degraded"


async def test_of_the_last_two_minutes_none_is_spent_on_a_critique(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"

    def proposer_alone(received: Received) -> str | Reply:
        return Reply(hang=True) if received.model == "b/bob" else voice(received)

    async with Chamber(database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, proposer_alone
        record = await start_debate(room)
        await until_stored(room, record.id, 1)
    spend_time(tmp_path, 500)
    async with Chamber(database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, voice
        held = await room.held(record)
    assert "b/bob" not in {request.model for request in held.requests}
    assert held.data("trace_saved")["stopReason"] == "skeptic_failed"
    assert held.answer == LONG.strip()


async def test_with_no_time_for_the_judge_the_grade_is_null_and_says_why(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    config = {**ROLES, "maxRounds": 1, "useTemplates": False}

    def rounds_alone(received: Received) -> str | Reply:
        return Reply(hang=True) if received.model in ("c/cyd", "d/dee") else voice(received)

    async with Chamber(database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, rounds_alone
        record = await room.engine.start(
            AskRequest.of({"question": QUESTION, "mode": "dialectic", "modeConfig": config})
        )
        await until_stored(room, record.id, 2)
    spend_time(tmp_path, 470)
    async with Chamber(database=database, embedder="off", pipeline_seconds=479.0) as room:
        room.server.script.models, room.server.script.default = {}, voice
        held = await room.held(record)
    score = held.data("score_complete")
    assert (score["autoScore"], score["scoreError"]) == (None, "There was no time left for the judge.")
    assert "d/dee" not in {request.model for request in held.requests}


async def test_a_retry_leaves_one_trace(store_url: str) -> None:
    async with Chamber(cast(final=DOWN), database=store_url, embedder="off") as chamber:
        first = await chamber.deliberate("dialectic", **ROLES, useTemplates=False)
        assert first.record.status == "degraded"
        chamber.server.script.models = {**cast(), "t/title": "A Short Title"}
        second = await chamber.held(await chamber.engine.retry(first.record.id))
        ids = await chamber.store.read(
            lambda db: [
                list(db.execute(select(table.c.trace_id)).scalars())
                for table in (tables.reasoning_traces, tables.trace_scores)
            ]
        )
    assert second.record.status == "complete"
    assert ids == [[second.record.id], [second.record.id]]


def voice(received: Received) -> str:
    """Answers any prompt of the mode, the same way each time, and never gives the signal."""
    if received.model == "a/ann":
        return proposal(f"Tabs, version {received.digest[:6]}.")
    return {"b/bob": RED, "c/cyd": synthesis(LONG), "d/dee": GRADE}.get(received.model, "A Short Title")


@pytest.mark.parametrize("stop", range(7))
async def test_a_run_that_is_killed_in_any_phase_tells_the_same_story(tmp_path: Path, stop: int) -> None:
    config: dict[str, Any] = {**ROLES, "maxRounds": 2, "minRounds": 1, "useTemplates": False}
    held = await stopped_and_resumed(tmp_path, "dialectic", voice, stop, calls=6, **config)
    assert held.result["totalRounds"] == 2


async def start_debate(chamber: Chamber, **config: Any) -> RunRecord:
    mode_config = {**ROLES, "useTemplates": False, **config}
    return await chamber.engine.start(
        AskRequest.of({"question": QUESTION, "mode": "dialectic", "modeConfig": mode_config})
    )


async def stored_debate_traces(chamber: Chamber) -> Sequence[StoredTrace]:
    return (await chamber.store.read(lambda db: stored_traces(db, "local", TraceFilter()))).items


async def test_a_cancelled_debate_keeps_its_finished_rounds_as_a_trace(store_url: str) -> None:
    models = cast(critiques=[RED, Reply(hang=True)])
    async with Chamber(models, database=store_url, embedder="off") as chamber:
        record = await start_debate(chamber)
        await until_stored(chamber, record.id, 3)
        await chamber.engine.cancel(record.id)
        held = await chamber.held(record)
        [trace] = await stored_debate_traces(chamber)
        whole = await read_trace(chamber.engine, "local", record.id)
    assert failed(held) == "Cancelled."
    assert held.types[-2:] == ["trace_saved", "error"]
    assert held.stages == [
        (0, "rag"),
        (1, "proposal_round_1"),
        (2, "critique_round_1"),
        (3, "proposal_round_2"),
    ]
    assert held.result["stopReason"] == "cancelled"
    assert [one["critique"] is None for one in held.result["rounds"]] == [False, True]
    assert held.requests[-1].outcome in ("gone", "waiting")
    assert (trace.stop_reason, trace.total_rounds, trace.early_stopped) == ("cancelled", 2, True)
    assert "had_error" in trace.reasons
    assert [one["skeptic"] for one in whole["rounds"]] == [RED, None]
    assert (whole["final_answer"], whole["ext"]["stop_reason"]) == (None, "cancelled")
    assert len(whole["timing"]["rounds_ms"]) == 2
    assert whole["timing"]["synthesis_ms"] == 0


async def test_a_debate_cancelled_before_its_first_answer_leaves_nothing() -> None:
    async with Chamber(cast(proposals=Reply(hang=True)), embedder="off") as chamber:
        record = await start_debate(chamber)
        await until_told(chamber, record.id, "round_start")
        await chamber.engine.cancel(record.id)
        held = await chamber.held(record)
        assert not await stored_debate_traces(chamber)
    assert "trace_saved" not in held.types
    assert held.message is None


@pytest.mark.parametrize("store_trace", [True, False])
async def test_a_debate_cancelled_in_its_synthesis_was_not_stopped_early_by_its_rounds(
    store_trace: bool,
) -> None:
    models = cast(critiques=[RED, RED], final=Reply(hang=True))
    async with Chamber(models, embedder="off") as chamber:
        record = await start_debate(chamber, maxRounds=2, storeTrace=store_trace)
        await until_told(chamber, record.id, "synthesis_start")
        await chamber.engine.cancel(record.id)
        held = await chamber.held(record)
        traces = await stored_debate_traces(chamber)
    assert (held.result["stopReason"], held.result["earlyStopped"]) == ("cancelled", False)
    assert [(one.stop_reason, one.early_stopped) for one in traces] == [("cancelled", False)] * store_trace


async def test_a_debate_cancelled_while_it_is_graded_keeps_its_answer_and_teaches_nobody() -> None:
    async with Chamber(cast(grade=Reply(hang=True)), embedder="off") as chamber:
        record = await start_debate(chamber)
        await until_told(chamber, record.id, "trace_saved")
        await chamber.engine.cancel(record.id)
        held = await chamber.held(record)
        await rate_trace(chamber.engine, "local", record.id, Rating(rating=10))
        [trace] = await stored_debate_traces(chamber)
        totals = await chamber.store.read(lambda db: stats(db, "local"))
    assert held.types.count("trace_saved") == 1
    assert (held.answer, held.result["stopReason"]) == (LONG.strip(), "no_critical_issues")
    assert (trace.final_answer, trace.stop_reason) == (LONG.strip(), "no_critical_issues")
    assert trace.reasons == ("had_error",)
    assert (totals.total, totals.eligible) == (1, 0)
    assert held.result["reasons"] == ["low_quality", "had_error"]


async def test_a_debate_whose_time_is_over_leaves_its_rounds_as_a_trace() -> None:
    """Not even the answers that stand in for what was not asked came in time."""

    async def stuck(run: Run[Any]) -> None:
        await retrieve(run)
        debate = Debate(Retrieved())
        await propose(run, debate, 1)
        raise TimeoutError

    modes = {**MODES, "dialectic": replace(MODES["dialectic"], pipeline=stuck)}
    async with Chamber(cast(), embedder="off") as chamber:
        chamber.engine.modes = modes
        held = await chamber.held(await start_debate(chamber))
        [trace] = await stored_debate_traces(chamber)
    assert failed(held) == "The deliberation took too long and was stopped."
    assert (trace.stop_reason, trace.total_rounds, held.result["stopReason"]) == ("failed", 1, "failed")


async def test_a_cancelled_debate_that_nobody_worked_on_leaves_the_same_trace(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    models = cast(critiques=[RED, Reply(hang=True)])
    async with Chamber(models, database=database, embedder="off") as room:
        record = await start_debate(room)
        await until_stored(room, record.id, 3)
    async with Chamber(models, database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, Reply(hang=True)
        await room.engine.cancel(record.id)
        held = await room.held(record)
        [trace] = await stored_debate_traces(room)
    assert held.types[-2:] == ["trace_saved", "error"]
    assert (trace.stop_reason, trace.total_rounds) == ("cancelled", 2)


async def test_templates_are_found_and_shown_to_the_first_proposal_alone() -> None:
    question = "Compute the monthly payment on a mortgage step by step"
    models = cast(critiques=[RED, READY])
    held = await hold(models, question, settings={"embedder": "e/embed"}, minSimilarity=0.6)
    retrieval = held.data("rag_complete")
    assert retrieval["templates"][0]["id"] == "stepwise-derivation"
    assert (retrieval["fallback"], retrieval["degraded"]) == (False, False)
    first, second = held.prompts("a/ann")
    assert "Scaffold 1: Stepwise derivation (id stepwise-derivation, similarity " in first
    assert "Stepwise derivation" not in second
    assert held.data("trace_saved")["templatesUsed"][0] == "stepwise-derivation"
    assert held.data("trace_saved")["models"]["embedding"] == "e/embed"


async def test_nothing_near_enough_is_no_fault() -> None:
    held = await hold(cast(), "Xyzzy?", settings={"embedder": "e/embed"})
    retrieval = held.data("rag_complete")
    assert (retrieval["templates"], retrieval["fallback"], retrieval["degraded"]) == ([], True, False)
    assert "warning" not in held.types
    assert "Scaffold: General structured reasoning" in held.prompts("a/ann")[0]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"embedder": "off"}, "embedder is off"),
        ({"embedder": "builtin", "embedder_folder": "/nonexistent"}, "moot embedder install"),
        ({"embedder": "e/down"}, "out of order"),
        ({"embedder": "nonsense"}, "'nonsense' is not a model"),
    ],
)
async def test_a_missing_embedder_costs_a_scaffold_and_not_the_run(
    settings: dict[str, Any], why: str
) -> None:
    models = {**cast(), "e/down": Reply(status=500, message="out of order")}
    held = await hold(models, settings=settings)
    retrieval = held.data("rag_complete")
    assert (retrieval["fallback"], retrieval["degraded"]) == (True, True)
    [warning] = [frame["data"] for frame in held.frames if frame["type"] == "warning"]
    assert warning["code"] == "retrieval_fallback"
    assert why in warning["message"]
    assert held.record.status == "complete"


async def test_what_was_found_is_not_looked_up_again(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    config = {**ROLES, "maxRounds": 1, "minSimilarity": 0.3}
    async with Chamber(database=database, embedder="e/embed") as room:
        room.server.script.models, room.server.script.default = {}, Reply(hang=True)
        record = await room.engine.start(
            AskRequest.of({"question": QUESTION, "mode": "dialectic", "modeConfig": config})
        )
        async for batch in room.engine.follow(record.id):
            if any(frame.type == "round_start" for frame in batch):
                break
    async with Chamber(database=database, embedder="off") as room:
        room.server.script.models, room.server.script.default = {}, voice
        held = await room.held(record)
    assert held.data("rag_complete")["templates"]
    assert held.record.status == "complete"


async def test_a_trace_and_its_grade_are_stored_with_the_events_that_tell_of_them(store_url: str) -> None:
    async with Chamber(cast(), database=store_url, embedder="off") as chamber:
        held = await chamber.deliberate("dialectic", **ROLES, useTemplates=False)
        [trace], [score] = await chamber.store.read(
            lambda db: (
                db.execute(select(tables.reasoning_traces)).mappings().all(),
                db.execute(select(tables.trace_scores)).mappings().all(),
            )
        )
    assert trace["trace_id"] == score["trace_id"] == held.record.id == held.result["traceId"]
    assert (trace["total_rounds"], trace["early_stopped"], trace["stop_reason"]) == (
        3,
        True,
        "no_critical_issues",
    )
    assert trace["models"]["judge"] == "d/dee"
    assert len(trace["timing"]["rounds_ms"]) == 3
    assert (score["auto_score"], score["would_benefit"], score["score_error"]) == (7.9, True, None)


async def test_a_trace_is_not_stored_for_whoever_does_not_want_it() -> None:
    held = await hold(cast(), useTemplates=False, storeTrace=False)
    assert "trace_saved" not in held.types
    assert held.result["traceId"] is None
    assert held.data("score_complete")["autoScore"] == 7.9


async def test_without_a_judge_nothing_is_graded() -> None:
    held = await hold(cast(), useTemplates=False, autoScore="off")
    assert "score_complete" not in held.types
    assert held.result["autoScore"] is None
    assert "d/dee" not in {request.model for request in held.requests}


async def test_a_stored_result_equals_the_streamed_one() -> None:
    held = await hold(cast(), useTemplates=False)
    assert held.result["finalAnswer"] == held.data("synthesis_complete")["answer"]
    assert held.result["ledger"] == held.data("synthesis_start")["ledger"]
    assert held.result["timing"] == held.data("trace_saved")["timing"]
    assert held.result["criteria"] == held.data("score_complete")["criteria"]
    assert orjson.loads(orjson.dumps(held.result)) == held.result
    assert set(held.result) == snapshot(
        {
            "traceId",
            "query",
            "templates",
            "fallback",
            "rounds",
            "ledger",
            "finalAnswer",
            "rawText",
            "confidence",
            "changes",
            "caveats",
            "totalRounds",
            "earlyStopped",
            "stopReason",
            "qualityScore",
            "userRating",
            "autoScore",
            "scoreError",
            "criteria",
            "justification",
            "wouldBenefitFromFinetune",
            "eligible",
            "reasons",
            "models",
            "timing",
            "tokens",
            "costUsd",
            "degraded",
            "warnings",
            "title",
        }
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"minRounds": 0}, "minRounds must be between 1 and 7."),
        ({"maxRounds": 8}, "maxRounds must be between 1 and 7."),
        ({"minRounds": 4, "maxRounds": 2}, "minRounds must not exceed maxRounds."),
        ({"earlyStopScore": 11}, "earlyStopScore must be between 1 and 10."),
        ({"earlyStopPolicy": "kind"}, "Unknown earlyStopPolicy."),
        ({"skepticModel": "a/ann"}, "Proposer and skeptic must be different models."),
        ({"skepticTemperature": 2.5}, "skepticTemperature must be between 0 and 2."),
        ({"ragTopK": 0}, "ragTopK must be between 1 and 10."),
        ({"timeoutMs": 5}, "timeoutMs must be between 10000 and 300000."),
        ({"maxTotalTokens": 10}, "maxTotalTokens must be at least 5000."),
        ({"wireFormat": "platform"}, "Unknown field: wireFormat"),
    ],
)
async def test_a_config_beyond_its_limits_is_refused(config: dict[str, Any], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("dialectic", **{**ROLES, **config})
    assert str(refused.value) == message


async def test_a_question_may_have_a_hundred_thousand_characters() -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected, match="the limit is 100000"):
            await chamber.deliberate("dialectic", "x" * 100_001)


async def test_the_first_readers_names_are_taken_for_fields() -> None:
    models = cast(proposals=proposal("Tabs."), critiques=RED)
    held = await hold(models, useTemplates=False, min_rounds=1, max_rounds=1)
    assert held.data("trace_saved")["totalRounds"] == 1


@pytest.mark.parametrize(
    ("panel", "given", "expected"),
    [
        (("a/ann", "b/bob", "c/cyd"), {}, ("a/ann", "b/bob", "a/ann", "b/bob", False)),
        (("a/ann",), {}, ("a/ann", "a/ann", "a/ann", "a/ann", True)),
        (("a/ann", "b/bob"), {"synthesizerModel": "b/bob"}, ("a/ann", "b/bob", "b/bob", "a/ann", False)),
        (
            SEED_PANEL,
            {},
            (
                "qwen/qwen3-32b",
                "meta-llama/llama-3.3-70b-instruct",
                "qwen/qwen3-32b",
                "meta-llama/llama-3.3-70b-instruct",
                False,
            ),
        ),
        (
            ("x/other", "qwen/qwen3-32b", "meta-llama/llama-3.3-70b-instruct"),
            {},
            (
                "qwen/qwen3-32b",
                "meta-llama/llama-3.3-70b-instruct",
                "qwen/qwen3-32b",
                "meta-llama/llama-3.3-70b-instruct",
                False,
            ),
        ),
    ],
)
def test_roles_that_are_not_named_are_drawn_from_the_panel(
    panel: tuple[str, ...], given: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    from moot.kernel.mode import Panel
    from moot.modes.dialectic.config import defaults

    config = {**defaults(Panel(panel), given), **given}
    roles = ("proposerModel", "skepticModel", "synthesizerModel", "judgeModel", "allowSameModel")
    assert tuple(config[role] for role in roles) == expected


def test_one_limit_of_the_rounds_moves_the_others_default() -> None:
    from moot.kernel.mode import Panel
    from moot.modes.dialectic.config import defaults

    panel = Panel(("a/ann", "b/bob"))
    assert defaults(panel, {"maxRounds": 2})["minRounds"] == 2
    assert defaults(panel, {"minRounds": 6})["maxRounds"] == 6


async def test_one_model_alone_argues_with_itself_and_says_so() -> None:
    same = {"a/ann": lambda r: READY if "You are the Skeptic" in r.prompt else proposal("Tabs.")}
    held = await hold(
        {**cast(), **same}, useTemplates=False, skepticModel="a/ann", allowSameModel=True, maxRounds=2
    )
    assert any("both proposer and skeptic" in warning for warning in held.data("score_complete")["warnings"])
    assert held.data("trace_saved")["sameModel"] is True
    assert held.record.status == "complete"
