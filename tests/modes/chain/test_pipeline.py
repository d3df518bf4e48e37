"""Chain: its parsers and guard, and every row of its edge-case table over real HTTP."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from moot.deliberation.similarity import change
from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.modes.chain.versions import Version, read_version, regression
from moot.simulator.transport import Simulator
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held, assert_fenced, failed, little_time_after
from tests.harness.resuming import spend_time, stopped_and_resumed, until_stored
from tests.harness.telling import kept, story

NONCE = "1a2b3c4d"
STEPS = [
    {"model": "a/ann", "mandate": "draft"},
    {"model": "b/bob", "mandate": "structure_depth"},
    {"model": "c/cyd", "mandate": "accuracy_completeness"},
    {"model": "d/dee", "mandate": "polish_format"},
]
DOWN = Reply(status=500, message="the model is down")


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count))


def version(text: str, note: str = "NONE") -> Any:
    """A reply in the layout that was asked for."""

    def reply(received: Received) -> str:
        nonce = re.findall(r"BEGIN-([0-9a-f]{8})", received.prompt)[-1]
        return f"NOTE: {note}\nBEGIN-{nonce}\n{text}\nEND-{nonce}"

    return reply


async def chain(models: dict[str, Any], steps: list[dict[str, str]] = STEPS, **config: Any) -> Held:
    async with Chamber(models) as chamber:
        return await chamber.deliberate("chain", "Write about tabs.", steps=steps, **config)


def good(**changes: Any) -> dict[str, Any]:
    lines = {
        "ann": [version(words(100))],
        "bob": [version(words(110))],
        "cyd": [version(words(120))],
        "dee": [version(words(118))],
        **changes,
    }
    return {f"{name[0]}/{name}": line for name, line in lines.items()}


@pytest.mark.parametrize(
    ("reply", "text", "note"),
    [
        (
            f"NOTE: Removed the outdated table.\nBEGIN-{NONCE}\n# Title\nEND-{NONCE}",
            "# Title",
            "Removed the outdated table.",
        ),
        (f"NOTE: NONE\n**BEGIN-{NONCE}**\na\nb\n`END-{NONCE}`\nbye", "a\nb", None),
        (f"BEGIN-{NONCE}\na\nEND-{NONCE}\nmore\nEND-{NONCE}", "a\nmore", None),
        (f"BEGIN-{NONCE}\nBEGIN-{NONCE}\na\nEND-{NONCE}\nEND-{NONCE}", "a", None),
        (f"BEGIN-{NONCE}\na\nEND-{NONCE}\n\nBEGIN-{NONCE}\na\nEND-{NONCE}", "a", None),
        (f"BEGIN-{NONCE}\nEND-{NONCE}\n\nFor example:\nBEGIN-{NONCE}\nEND-{NONCE}", "", None),
        (f"BEGIN-{NONCE}\na b c END-{NONCE}", "a b c", None),
        (f"**BEGIN-{NONCE}** a b c\nd\nEND-{NONCE}", "a b c\nd", None),
        (f"<<<BEGIN-{NONCE}>>>\na\n<<<END-{NONCE}>>>", "a", None),
        (f"=== BEGIN-{NONCE} ===\na\n[END-{NONCE}]", "a", None),
        (f"BEGIN {NONCE}\na\nEND – {NONCE}", "a", None),
        (f"BEGIN-{NONCE[:5]}\na\nEND-{NONCE[2:]}", "a", None),
        ("NOTE: cut it\nBEGIN-7148022771\na\nEND-7148022771", "a", "cut it"),
        (
            f"BEGIN-{NONCE}\na, said between BEGIN-{NONCE} and END-{NONCE}.\nEND-{NONCE}",
            "a, said between and.",
            None,
        ),
        (f"BEGIN-{NONCE}\n[Editor's Note: x] text\nEND-{NONCE}", "text", "x"),
        (
            "Sure, here's the improved version:\n\n# Title\nbody\n\nLet me know if you want more!",
            "# Title\nbody",
            None,
        ),
        ("```markdown\n# Title\nbody\n```", "# Title\nbody", None),
        ("```python\nprint()\n```\nand more", "```python\nprint()\n```\nand more", None),
        ("NOTE: cut it\n\nthe text", "the text", "cut it"),
        ("BEGIN-00000000\nother fence", "BEGIN-00000000\nother fence", None),
        (f"BEGIN-{NONCE}\n  indented\n\n  kept  \n\nEND-{NONCE}", "  indented\n\n  kept", None),
        (f"BEGIN-{NONCE}\na line that ends  \nhere\nEND-{NONCE}", "a line that ends  \nhere", None),
    ],
)
def test_a_version_is_read(reply: str, text: str, note: str | None) -> None:
    assert read_version(reply, NONCE) == Version(text, note)


def test_of_two_versions_that_differ_none_is_taken() -> None:
    two = f"BEGIN-{NONCE}\none\nEND-{NONCE}\nBetter:\nBEGIN-{NONCE}\ntwo\nEND-{NONCE}"
    assert read_version(two, NONCE) == Version("", None, several=True)


def test_a_mark_that_the_text_itself_speaks_of_stays() -> None:
    quoted = "BEGIN-7148022771\na\nEND-7148022771"
    assert read_version(quoted, NONCE, [f"What does {quoted} mean?"]).text == quoted


def test_an_end_that_is_missing_is_noticed() -> None:
    assert read_version(f"BEGIN-{NONCE}\nall of it", NONCE) == Version("all of it", None, end_missing=True)


@pytest.mark.parametrize(
    ("before", "after", "note", "finish", "reason"),
    [
        (words(1000), words(300), None, "stop", "shrunk"),
        (words(1000), words(300), "Cut the appendix.", "stop", None),
        (words(1000), words(190), "Cut nearly all.", "stop", "shrunk"),
        (words(30), words(10), None, "stop", None),
        (words(100), words(100), None, "length", "truncated"),
        (words(100), words(99) + "\n[rest unchanged]", None, "stop", "abbreviated"),
        (words(100) + "\n[rest unchanged]", words(99) + "\n[rest unchanged]", None, "stop", None),
        (words(100), words(99) + "\n(same as above)", None, "stop", "abbreviated"),
        (words(100), words(99) + "\n… remains the same", None, "stop", "abbreviated"),
        (words(100), words(99) + "\nThe price remains the same because demand does.", None, "stop", None),
        (words(100), words(25, "other"), "Rewrote it.", "stop", "not the document"),
    ],
)
def test_the_guard_refuses_what_regresses(
    before: str, after: str, note: str | None, finish: str, reason: str | None
) -> None:
    assert regression(before, Version(after, note), change(before, after), finish) == reason


PIECES = [
    "NOTE: cut it",
    "NOTE: NONE",
    f"BEGIN-{NONCE}",
    f"END-{NONCE}",
    "[Editor's Note: x]",
    "```markdown",
    "```",
]
PIECES += ["Sure, here's it:", "Let me know!", "a b c", "  d  ", "[rest unchanged]", "", "\n", "\n"]
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map("\n".join)


@given(TEXTS)
def test_what_is_read_as_the_text_stands_in_the_reply(reply: str) -> None:
    read, source = read_version(reply, NONCE), reply.replace("\r\n", "\n").replace("\r", "\n")
    assert NONCE not in read.text
    assert all(line in source for line in read.text.split("\n"))
    assert read.text == read.text.rstrip()
    assert read.note is None or read.note.strip() in source
    assert read.note is None or read.note.upper() not in ("", "NONE")
    assert not read.end_missing or f"BEGIN-{NONCE}" in reply.upper().replace("begin", "BEGIN").replace(
        NONCE.upper(), NONCE
    )


@given(TEXTS, st.sampled_from([words(100), words(30), ""]), st.sampled_from(["stop", "length", None]))
def test_a_version_that_passes_the_guard_has_lost_no_more_than_it_may(
    reply: str, before: str, finish: str | None
) -> None:
    read = read_version(reply, NONCE)
    reason = regression(before, read, change(before, read.text), finish)
    assert reason in (None, "truncated", "abbreviated", "shrunk", "not the document")
    assert (reason == "truncated") == (read.end_missing or finish == "length")
    if reason is None and len(before.split()) >= 40:
        assert 5 * len(read.text.split()) >= len(before.split())
        assert read.note or 2 * len(read.text.split()) >= len(before.split())


async def test_a_text_passes_through_all_hands() -> None:
    held = await chain(good())
    assert held.types == snapshot(
        [
            "chain_start",
            "chain_step_start",
            "chain_step_complete",
            "chain_step_start",
            "chain_step_complete",
            "chain_step_start",
            "chain_step_complete",
            "chain_step_start",
            "chain_step_complete",
            "complete",
        ]
    )
    assert held.frames[0]["totalSteps"] == 4
    assert held.frames[0]["steps"][1] == {
        "step": 2,
        "model": "b/bob",
        "mandate": "structure_depth",
        "mandateDisplay": "Structure & Depth",
    }
    assert held.answer == words(118)
    assert held.message is not None
    assert (held.message.content, held.message.status) == (words(118), "complete")
    assert held.data("chain_step_complete")["degraded"] is False
    assert held.result["wordCountProgression"] == [100, 110, 120, 118]
    assert held.result["steps"][1]["content"] == words(110)


async def test_the_story_and_the_rows_of_a_chain() -> None:
    own = {"model": "d/dee", "mandate": "custom", "customMandate": "Sing."}
    lines = {
        "a/ann": [version(f"A song. {words(48)}")],
        "b/bob": [version("Short."), version("Shorter.")],
        "c/cyd": [DOWN, version(f"A song. {words(20)}", "Cut the end.")],
        "d/dee": [version(f"A song.\n{words(20)}")],
    }
    held = await chain(lines, [*STEPS[:3], own])
    assert story(held) == snapshot(
        [
            (
                "chain_start",
                {
                    "mode": "chain",
                    "totalSteps": 4,
                    "steps": [
                        {"step": 1, "model": "a/ann", "mandate": "draft", "mandateDisplay": "Draft"},
                        {
                            "step": 2,
                            "model": "b/bob",
                            "mandate": "structure_depth",
                            "mandateDisplay": "Structure & Depth",
                        },
                        {
                            "step": 3,
                            "model": "c/cyd",
                            "mandate": "accuracy_completeness",
                            "mandateDisplay": "Accuracy & Completeness",
                        },
                        {"step": 4, "model": "d/dee", "mandate": "custom", "mandateDisplay": "Sing."},
                    ],
                },
            ),
            (
                "chain_step_start",
                {"step": 1, "model": "a/ann", "mandate": "draft", "mandateDisplay": "Draft"},
            ),
            (
                "chain_step_complete",
                {
                    "step": 1,
                    "model": "a/ann",
                    "mandate": "draft",
                    "mandateDisplay": "Draft",
                    "content": "A song. word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 word19 word20 word21 word22 word23 word24 word25 word26 word27 word28 word29 word30 word31 word32 word33 word34 word35 word36 word37 word38 word39 word40 word41 word42 word43 word44 word45 word46 word47",
                    "wordCount": 50,
                    "previousWordCount": 0,
                    "wordCountDelta": 50,
                    "addedWords": 50,
                    "removedWords": 0,
                    "similarity": 0.0,
                    "unchanged": False,
                    "editorNote": None,
                    "endMissing": False,
                    "attempts": 1,
                    "responseTimeMs": 0,
                },
            ),
            (
                "chain_step_start",
                {
                    "step": 2,
                    "model": "b/bob",
                    "mandate": "structure_depth",
                    "mandateDisplay": "Structure & Depth",
                },
            ),
            (
                "model_failed",
                {
                    "step": "chain_step_2",
                    "seat": 2,
                    "model": "b/bob",
                    "kind": "unreadable",
                    "reason": "Output rejected: shrunk",
                },
            ),
            (
                "chain_step_skipped",
                {
                    "step": 2,
                    "model": "b/bob",
                    "mandate": "structure_depth",
                    "mandateDisplay": "Structure & Depth",
                    "reason": "Output rejected: shrunk",
                    "previousWordCount": 50,
                    "rejectedText": "Shorter.",
                },
            ),
            (
                "chain_step_start",
                {
                    "step": 3,
                    "model": "c/cyd",
                    "mandate": "accuracy_completeness",
                    "mandateDisplay": "Accuracy & Completeness",
                    "note": "Previous step(s) skipped",
                },
            ),
            (
                "chain_step_complete",
                {
                    "step": 3,
                    "model": "c/cyd",
                    "mandate": "accuracy_completeness",
                    "mandateDisplay": "Accuracy & Completeness",
                    "content": "A song. word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 word19",
                    "wordCount": 22,
                    "previousWordCount": 50,
                    "wordCountDelta": -28,
                    "addedWords": 0,
                    "removedWords": 28,
                    "similarity": 0.61,
                    "unchanged": False,
                    "editorNote": "Cut the end.",
                    "endMissing": False,
                    "attempts": 2,
                    "responseTimeMs": 0,
                },
            ),
            (
                "chain_step_start",
                {"step": 4, "model": "d/dee", "mandate": "custom", "mandateDisplay": "Sing."},
            ),
            (
                "chain_step_complete",
                {
                    "step": 4,
                    "model": "d/dee",
                    "mandate": "custom",
                    "mandateDisplay": "Sing.",
                    "content": "‹answer›",
                    "wordCount": 22,
                    "previousWordCount": 22,
                    "wordCountDelta": 0,
                    "addedWords": 0,
                    "removedWords": 0,
                    "similarity": 1.0,
                    "unchanged": False,
                    "editorNote": None,
                    "customMandate": "Sing.",
                    "endMissing": False,
                    "attempts": 1,
                    "responseTimeMs": 0,
                    "degraded": True,
                    "warnings": ["b/bob: Output rejected: shrunk"],
                },
            ),
            "complete",
        ]
    )
    assert kept(held) == snapshot(
        [
            (
                1,
                "chain_step_1",
                1,
                "a/ann",
                "drafter",
                "A song. word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 word19 word20 word21 word22 word23 word24 word25 word26 word27 word28 word29 word30 word31 word32 word33 word34 word35 word36 word37 word38 word39 word40 word41 word42 word43 word44 word45 word46 word47",
                {
                    "step": 1,
                    "mandate": "draft",
                    "mandateDisplay": "Draft",
                    "wordCount": 50,
                    "previousWordCount": 0,
                    "wordCountDelta": 50,
                    "attempts": 1,
                },
            ),
            (
                2,
                "chain_step_2",
                2,
                "b/bob",
                "improver",
                "",
                {
                    "step": 2,
                    "mandate": "structure_depth",
                    "mandateDisplay": "Structure & Depth",
                    "previousWordCount": 50,
                    "rejectedText": "Shorter.",
                    "skipped": True,
                    "skipReason": "Output rejected: shrunk",
                    "wordCount": 0,
                    "wordCountDelta": 0,
                },
            ),
            (
                3,
                "chain_step_3",
                3,
                "c/cyd",
                "improver",
                "A song. word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 word19",
                "= chain_step_complete without model, content, responseTimeMs",
            ),
            (
                4,
                "chain_step_4",
                4,
                "d/dee",
                "improver",
                "‹answer›",
                {
                    "step": 4,
                    "mandate": "custom",
                    "mandateDisplay": "Sing.",
                    "wordCount": 22,
                    "previousWordCount": 22,
                    "wordCountDelta": 0,
                    "addedWords": 0,
                    "removedWords": 0,
                    "similarity": 1.0,
                    "unchanged": False,
                    "editorNote": None,
                    "customMandate": "Sing.",
                    "endMissing": False,
                    "attempts": 1,
                },
            ),
        ]
    )


async def test_the_stored_result_is_the_streamed_one() -> None:
    held = await chain(good(bob=DOWN))
    steps = {
        f["data"]["step"]: f["data"]
        for f in held.frames
        if f["type"].endswith(("_complete", "_skipped")) and "step" in f.get("data", {})
    }
    fields = ("step", "model", "mandate", "mandateDisplay", "previousWordCount")
    assert [{key: step[key] for key in fields} for step in held.result["steps"]] == [
        {key: steps[number][key] for key in fields} for number in (1, 2, 3, 4)
    ]
    for step in held.result["steps"]:
        if not step["skipped"]:
            shared = step.keys() & steps[step["step"]].keys()
            assert len(shared) == 11
            assert {key: step[key] for key in shared} == {key: steps[step["step"]][key] for key in shared}
    last = steps[4]
    assert (held.result["finalContent"], held.result["degraded"], held.result["warnings"]) == (
        last["content"],
        last["degraded"],
        last["warnings"],
    )
    assert held.result["steps"][1]["skipReason"] == steps[2]["reason"]
    assert (held.result["totalSteps"], held.result["completedSteps"]) == (4, 3)
    assert held.result["title"] == "A Short Title"


async def test_everything_foreign_is_fenced_and_only_one_version_is_shown() -> None:
    drafts = [f"version {number} of the text " + words(60, f"v{number}") for number in (1, 2, 3)]
    lines = {
        f"{name[0]}/{name}": [version(text)] for name, text in zip(("ann", "bob", "cyd"), drafts, strict=True)
    }
    held = await chain(lines, STEPS[:3])
    assert_fenced(held, ["Write about tabs.", *drafts[:2]])
    last = held.prompts("c/cyd")[0]
    assert drafts[1] in last
    assert drafts[0] not in last
    assert not any(model in last for model in ("a/ann", "b/bob", "c/cyd"))


async def test_only_the_same_text_is_unchanged() -> None:
    draft = "# Title\n\n" + words(100)
    held = await chain(good(ann=[version(draft)], bob=[version(draft.replace(" ", "\n", 3))]), STEPS[:2])
    step = held.data("chain_step_complete")
    assert (step["unchanged"], step["similarity"], step["addedWords"]) == (False, 1.0, 0)
    same = await chain(good(ann=[version(draft)], bob=[version(f"\n{draft}  \n")]), STEPS[:2])
    assert same.data("chain_step_complete")["unchanged"] is True


async def test_a_draft_that_was_cut_off_degrades_the_answer() -> None:
    held = await chain(good(ann=Reply(words(100), finish_reason="length")), STEPS[:2])
    assert held.record.status == "degraded"
    assert held.data("chain_step_complete")["warnings"] == ["a/ann was cut off at its token limit."]


async def test_a_step_whose_second_try_finds_no_time_says_so(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    body = {"question": "Write about tabs.", "mode": "chain", "modeConfig": {"steps": STEPS}}
    async with Chamber(good(bob=[DOWN, Reply(hang=True)]), database=database) as room:
        record = await room.engine.start(AskRequest.of(body))
        await until_stored(room, record.id, 2)
    spend_time(tmp_path, 585)
    async with Chamber(good(), database=database) as room:
        held = await room.held(record)
    assert held.requests == []
    skipped = [frame["data"] for frame in held.frames if frame["type"] == "chain_step_skipped"]
    assert [(one["step"], one["reason"]) for one in skipped] == [
        (number, "Pipeline time limit reached") for number in (2, 3, 4)
    ]
    started = [frame["data"]["step"] for frame in held.frames if frame["type"] == "chain_step_start"]
    assert started == [1, 2]
    assert held.answer == words(100)


@pytest.mark.parametrize("stop", range(6))
async def test_a_chain_stopped_after_any_call_ends_the_same(stop: int, tmp_path: Path) -> None:
    texts = {"a/ann": words(100), "b/bob": words(20), "c/cyd": words(120), "d/dee": words(118)}

    def voice(received: Received) -> str:
        return str(version(texts[received.model])(received))

    held = await stopped_and_resumed(tmp_path, "chain", voice, stop, calls=5, question="Write.", steps=STEPS)
    assert held.result["wordCountProgression"] == [100, 100, 120, 118]


async def test_no_model_can_draft() -> None:
    held = await chain(good(ann=DOWN, bob=DOWN, cyd=DOWN))
    assert (
        failed(held)
        == "Chain mode requires a successful draft (step 1). The drafter model failed to respond."
    )
    assert held.types[-1] == "error"
    assert (held.rows, held.message) == ([], None)
    assert [r.model for r in held.requests] == ["a/ann", "a/ann", "b/bob", "b/bob", "c/cyd", "c/cyd"]


async def test_every_improver_fails_and_the_draft_is_the_answer() -> None:
    held = await chain(good(bob=DOWN), STEPS[:2])
    assert held.types == [
        "chain_start",
        "chain_step_start",
        "chain_step_complete",
        "chain_step_start",
        "model_failed",
        "chain_step_skipped",
        "complete",
    ]
    assert held.answer == words(100)
    skipped = held.data("chain_step_skipped")
    assert (skipped["reason"], skipped["degraded"]) == ("Model failed to respond", True)
    assert held.record.status == "degraded"


async def test_skipped_mandates_are_named_to_the_next_improver_until_one_succeeds() -> None:
    held = await chain(good(bob=DOWN))
    third, fourth = held.prompts("c/cyd")[0], held.prompts("d/dee")[0]
    assert "CURRENT VERSION (left by step 1)" in third
    assert "Not done because the step failed: Structure & Depth." in third
    assert held.event("chain_step_start")["data"].get("note") is None
    assert "left by step 3" in fourth
    assert "Not done" not in fourth
    assert "Already done, keep its gains: Accuracy & Completeness." in fourth


async def test_two_neighbouring_skips_are_both_named() -> None:
    held = await chain(good(bob=DOWN, cyd=DOWN))
    assert "the step failed: Structure & Depth, Accuracy & Completeness." in held.prompts("d/dee")[0]
    assert held.data("chain_step_start")["note"] == "Previous step(s) skipped"


async def test_the_last_step_fails_and_the_version_before_is_final() -> None:
    held = await chain(good(dee=DOWN))
    assert held.answer == words(120)
    assert held.types[-2:] == ["chain_step_skipped", "complete"]
    assert held.result["skippedSteps"] == [4]
    assert any("the model is down" in warning for warning in held.result["warnings"])


async def test_an_identical_version_is_a_valid_step() -> None:
    held = await chain(good(bob=[version(words(100))]), STEPS[:2])
    step = held.data("chain_step_complete")
    assert (step["unchanged"], step["wordCountDelta"], step["similarity"]) == (True, 0, 1.0)
    assert (step["addedWords"], step["removedWords"]) == (0, 0)


async def test_a_huge_version_is_passed_on_whole() -> None:
    huge = words(20_000)
    held = await chain(good(ann=[version(huge)], bob=[version(huge + " end")]), STEPS[:2])
    assert len(huge) > 100_000
    assert huge in held.prompts("b/bob")[0]
    assert held.data("chain_step_complete")["addedWords"] == 1
    narrow = Reply(status=400, message="maximum context length is 8192 tokens")
    held = await chain(good(ann=[version(huge)], bob=narrow), STEPS[:2])
    assert (held.answer, held.result["skippedSteps"]) == (huge, [2])


async def test_steps_without_time_are_skipped_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    little_time_after(monkeypatch, "chain_step_complete", 19.0)
    async with Chamber(good(ann=words(100))) as chamber:
        held = await chamber.deliberate("chain", "Write about tabs.", steps=STEPS)
    assert held.types == ["chain_start", "chain_step_start", "chain_step_complete"] + [
        "warning",
        "chain_step_skipped",
    ] * 3 + ["complete"]
    assert held.data("chain_step_skipped")["reason"] == "Pipeline time limit reached"
    assert held.result["warnings"] == [
        f"Step {number} was skipped because time ran out." for number in (2, 3, 4)
    ]
    assert held.answer == words(100)


async def test_a_fence_in_the_users_text_has_no_effect() -> None:
    async with Chamber(good()) as chamber:
        held = await chamber.deliberate(
            "chain", "Explain {previous} and {nonce}.\nBEGIN-00000000", steps=STEPS[:2]
        )
    assert "Explain {previous} and {nonce}.\nBEGIN-00000000" in held.prompts("a/ann")[0]
    assert held.record.status == "complete"


async def test_a_version_without_its_end_is_asked_for_again() -> None:
    def endless(received: Received) -> str:
        nonce = re.findall(r"BEGIN-([0-9a-f]{8})", received.prompt)[-1]
        return f"BEGIN-{nonce}\n{words(110)}"

    held = await chain(good(bob=[endless, version(words(110))]), STEPS[:2])
    step = held.data("chain_step_complete")
    assert (step["attempts"], step["wordCount"]) == (2, 110)
    again = [r for r in held.requests if r.model == "b/bob"][1]
    assert [message["role"] for message in again.body["messages"]] == ["user", "assistant", "user"]
    assert again.body["messages"][2]["content"].startswith("Your version cannot be used: truncated.")
    assert {call.step for call in held.calls if call.model == "b/bob"} == {
        "chain_step_2",
        "chain_step_2/repair",
    }


async def test_a_version_refused_twice_is_skipped_and_kept_for_people_to_see() -> None:
    short = version(words(30))
    held = await chain(good(bob=[short, short]), STEPS[:2])
    skipped = held.data("chain_step_skipped")
    assert (skipped["reason"], skipped["rejectedText"]) == ("Output rejected: shrunk", words(30))
    assert held.rows[1].parsed_data["rejectedText"] == words(30)
    assert held.data("model_failed")["kind"] == "unreadable"


async def test_the_drafter_fails_and_the_next_model_drafts_in_its_place() -> None:
    held = await chain(good(ann=DOWN, bob=[version(words(100)), version(words(105))]), STEPS[:2])
    first = next(f["data"] for f in held.frames if f["type"] == "chain_step_complete")
    assert (first["model"], first["substitutedFor"]) == ("b/bob", "a/ann")
    assert held.result["warnings"][-1] == "b/bob drafted in place of a/ann."
    assert held.rows[0].model == "b/bob"
    assert held.answer == words(105)
    assert held.record.status == "degraded"
    assert held.types.count("chain_step_start") == 2


async def test_the_worked_example() -> None:
    held = await chain(
        good(
            ann=[version(words(800))],
            bob=DOWN,
            cyd=[version(words(1010))],
            dee=[version(words(120)), version(words(990))],
        )
    )
    assert held.result["wordCountProgression"] == [800, 800, 1010, 990]
    assert [step["wordCountDelta"] for step in held.result["steps"]] == [800, 0, 210, -20]
    assert (held.result["completedSteps"], held.result["skippedSteps"]) == (3, [2])


async def test_a_slow_model_is_skipped_with_its_time() -> None:
    async with Chamber(good(bob=Reply(hang=True)), impatient=True) as chamber:
        held = await chamber.deliberate("chain", steps=STEPS[:2], timeoutMs=1500)
    assert re.fullmatch(r"Model timeout after [1-9]\d{3,}ms", held.data("chain_step_skipped")["reason"])


async def test_the_first_mandate_reaches_the_draft() -> None:
    steps = [
        {"model": "a/ann", "mandate": "security_review"},
        {
            "model": "a/ann",
            "mandate": "custom",
            "customMandate": "Shorten every single sentence to at most ten words please",
        },
    ]
    held = await chain({"a/ann": [version(words(100)), version(words(100))]}, steps)
    draft, improve = held.prompts("a/ann")
    assert "Give weight to: Security Review. Find what an attacker could use" in draft
    assert "Your single task: Shorten every single sentence to at most" in improve
    assert "\nShorten every single sentence to at most ten words please\n" in improve
    assert held.data("chain_step_complete")["mandateDisplay"] == "Shorten every single sentence to at most"


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (STEPS[:1], "Chain mode requires at least 2 steps"),
        ([STEPS[0], *STEPS[1:2] * 6], "Maximum 6 steps allowed"),
        ([{"model": "a/ann", "mandate": "foo"}] * 2, "Unknown mandate: foo"),
        (
            [{"model": "a/ann", "mandate": "custom", "customMandate": "  "}] * 2,
            "customMandate is required when mandate is 'custom'",
        ),
        ([STEPS[0], STEPS[1], STEPS[0]], "Mandate draft is only valid for the first step"),
        ([{"model": "a/ann"}] * 2, "Mandate is required"),
        ([{"mandate": "draft"}] * 2, "Model is required"),
        ([{"model": " ", "mandate": "draft"}] * 2, "Model is required"),
        (
            [{"model": "a/ann", "mandate": "custom", "customMandate": "x" * 2001}] * 2,
            "customMandate may have at most 2000 characters",
        ),
    ],
)
async def test_a_bad_config_is_refused(steps: list[dict[str, str]], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("chain", steps=steps)
    assert str(refused.value) == message


@pytest.mark.parametrize("limit", [29_999, 180_001])
async def test_a_timeout_out_of_its_limits_is_refused(limit: int) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("chain", steps=STEPS, timeoutMs=limit)
    assert str(refused.value) == "timeoutMs must be between 30000 and 180000"


async def test_a_chain_about_nothing_and_a_follow_up_are_refused() -> None:
    async with Chamber(good()) as chamber:
        with pytest.raises(Rejected, match="Request content is required"):
            await chamber.deliberate("chain", " ", steps=STEPS)
        held = await chamber.deliberate("chain", "Write.", steps=STEPS)
        with pytest.raises(Rejected, match="takes no follow-up questions"):
            await chamber.deliberate("chain", "More.", conversation=held.record.conversation_id)


async def test_the_defaults_are_four_steps_of_four_models() -> None:
    async with Chamber(good()) as chamber:
        chamber.server.script.models["e/eve"] = [version(words(118))]  # type: ignore[index]
        held = await chamber.deliberate("chain")
    steps = json.loads(held.record.config)["steps"]
    assert [(s["model"], s["mandate"]) for s in steps] == [
        ("a/ann", "draft"),
        ("b/bob", "structure_depth"),
        ("c/cyd", "accuracy_completeness"),
        ("e/eve", "polish_format"),
    ]
    assert held.record.status == "complete"


async def test_the_simulator_knows_the_prompts() -> None:
    steps = [
        {**step, "model": f"sim/{name}"}
        for step, name in zip(STEPS, ("ada", "bo", "cleo", "dov"), strict=True)
    ]
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate("chain", "How should a small team plan its week?", steps=steps)
    assert held.record.status == "complete"
    assert held.result["completedSteps"] == 4
    assert "imulated" in (held.answer or "")
