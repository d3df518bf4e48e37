"""Blueprint: every row of its edge-case table and its worked example over real HTTP."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.simulator.transport import Simulator
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber, Held, assert_fenced, failed
from tests.harness.long_text import long_text
from tests.harness.resuming import spend_time, stopped_and_resumed, until_stored
from tests.harness.telling import kept, story

SOURCE = "Stops, trips and calendars.\nSECTION 9: x\nThe service must run at night."
DOWN = Reply(status=500, message="the model is down")
CONFIG: dict[str, Any] = {
    "architectModel": "p/plan",
    "authorModels": ["a/ann", "b/bob", "c/cyd"],
    "assemblerModel": "e/edit",
}


def plan(count: int, **lines: str) -> str:
    parts = [
        f"SECTION {number}: Part {number}\nDescription: About part {number}.\n"
        f"Key Topics: topic{number}; audit log retention\nLength: Short\nExcludes: none"
        for number in range(1, count + 1)
    ]
    summary = "DOCUMENT SUMMARY:\nTotal sections: 9\nEstimated total length: 900 words\nKey themes: a; b"
    return "\n".join(["DOCUMENT TITLE: The Service", "TERM: rider = who travels", *parts, summary])


def text_of(number: int) -> str:
    """The text of a section: a paragraph of its own, and one on its topic."""
    own = " ".join(f"w{number}x{place}" for place in range(100))
    return f"{own}\n\nHere topic{number} is dealt with, as a passenger would."


def section_number(received: Received) -> int:
    match = re.search(r"Write section (\d+) of", received.prompt)
    assert match is not None
    return int(match[1])


def section(received: Received) -> str:
    number = section_number(received)
    return f"## Section {number}: Part {number}\n{text_of(number)}"


def but(**others: Reply | str) -> Callable[[Received], Reply | str]:
    """An author who answers some sections differently: `s4=DOWN`."""

    def author(received: Received) -> Reply | str:
        return others.get(f"s{section_number(received)}", section(received))

    return author


def edits_for(count: int, *lines: str) -> str:
    transitions = [f"TRANSITION {number}: On to part {number}." for number in range(2, count + 1)]
    return "\n".join(["EXECUTIVE SUMMARY:\nAll of it.\nEND SUMMARY", *transitions, *lines, "END OF ASSEMBLY"])


def cast(count: int = 4, **changes: Any) -> dict[str, Any]:
    models = {
        "plan": [plan(count)],
        "ann": section,
        "bob": section,
        "cyd": section,
        "edit": [edits_for(count)],
    }
    names = {"plan": "p/plan", "ann": "a/ann", "bob": "b/bob", "cyd": "c/cyd", "edit": "e/edit"}
    return {names[name]: line for name, line in {**models, **changes}.items()}


async def blueprint(models: dict[str, Any] | None = None, question: str = SOURCE, **config: Any) -> Held:
    async with Chamber(models or cast()) as chamber:
        return await chamber.deliberate("blueprint", question, **{**CONFIG, **config})


def payloads(held: Held, type: str) -> list[dict[str, Any]]:
    return [frame["data"] for frame in held.frames if frame["type"] == type]


def assert_whole(held: Held, *missing: int) -> None:
    """Every written section stands in the document once, in order and complete."""
    document = held.answer
    assert document is not None
    numbers = [
        one["number"] for one in held.result["outline"]["parsedSections"] if one["number"] not in missing
    ]
    places = [document.index(text_of(number).split("\n")[0]) for number in numbers]
    assert places == sorted(places)
    assert all(document.count(text_of(number).split("\n")[0]) == 1 for number in numbers)


async def test_a_document_is_planned_written_and_assembled() -> None:
    held = await blueprint()
    assert held.types == snapshot(
        [
            "blueprint_start",
            "outline_start",
            "outline_complete",
            "expansion_start",
            "section_complete",
            "section_complete",
            "section_complete",
            "section_complete",
            "all_sections_complete",
            "assembly_start",
            "assembly_complete",
            "complete",
        ]
    )
    assert held.frames[0]["documentType"] == "architecture_blueprint"
    assert re.sub(r"(w\d)x0 .*", r"\1…", held.answer or "") == snapshot("""\
# The Service

## Executive Summary

All of it.

## Table of Contents

- [Section 1: Part 1](#section-1-part-1)
- [Section 2: Part 2](#section-2-part-2)
- [Section 3: Part 3](#section-3-part-3)
- [Section 4: Part 4](#section-4-part-4)

## Section 1: Part 1

w1…

Here topic1 is dealt with, as a passenger would.

## Section 2: Part 2

*On to part 2.*

w2…

Here topic2 is dealt with, as a passenger would.

## Section 3: Part 3

*On to part 3.*

w3…

Here topic3 is dealt with, as a passenger would.

## Section 4: Part 4

*On to part 4.*

w4…

Here topic4 is dealt with, as a passenger would.\
""")
    assert_whole(held)
    final = held.data("assembly_complete")
    assert (final["assemblyMode"], final["model"], final["degraded"]) == ("patched", "e/edit", False)
    assert (final["warnings"], final["hasTodoMarkers"]) == ([], False)
    assert held.message is not None
    assert (held.message.content, held.message.status) == (held.answer, "complete")
    assert [one["assignedModel"] for one in held.data("outline_complete")["sections"]] == [
        "a/ann",
        "b/bob",
        "c/cyd",
        "a/ann",
    ]
    first = min(payloads(held, "section_complete"), key=lambda one: one["index"])
    assert (first["sectionNumber"], first["index"], first["totalSections"]) == (1, 0, 4)
    assert (first["keyTopicsCovered"], first["lengthStatus"]) == (["topic1"], "ok")


async def test_the_story_and_the_rows_of_a_document() -> None:
    def short(received: Received) -> str:
        number = section_number(received)
        return f"Sure!\n## Section {number}: Part {number}\nHere topic{number} is dealt with, see [[S1]] and [[S9]]."

    def second_down(received: Received) -> str | Reply:
        return DOWN if section_number(received) == 2 else short(received)

    lines = ("TERM: handled <= dealt", "CUT 3.1 REPEATS 1.1", "TODO 3: figures")
    models = cast(3, ann=short, bob=second_down, cyd=second_down, edit=[edits_for(3, *lines)])
    held = await blueprint(models)
    assert story(held, "section_complete") == snapshot(
        [
            ("blueprint_start", {"mode": "blueprint", "documentType": "architecture_blueprint"}),
            "outline_start",
            (
                "outline_complete",
                {
                    "documentTitle": "The Service",
                    "documentType": "architecture_blueprint",
                    "sections": [
                        {
                            "number": 1,
                            "sourceNumber": 1,
                            "title": "Part 1",
                            "description": "About part 1.",
                            "keyTopics": ["topic1", "audit log retention"],
                            "length": "Short",
                            "sourceCoverage": "",
                            "excludes": "",
                            "assignedModel": "a/ann",
                        },
                        {
                            "number": 2,
                            "sourceNumber": 2,
                            "title": "Part 2",
                            "description": "About part 2.",
                            "keyTopics": ["topic2", "audit log retention"],
                            "length": "Short",
                            "sourceCoverage": "",
                            "excludes": "",
                            "assignedModel": "b/bob",
                        },
                        {
                            "number": 3,
                            "sourceNumber": 3,
                            "title": "Part 3",
                            "description": "About part 3.",
                            "keyTopics": ["topic3", "audit log retention"],
                            "length": "Short",
                            "sourceCoverage": "",
                            "excludes": "",
                            "assignedModel": "c/cyd",
                        },
                    ],
                    "totalSections": 3,
                    "estimatedLength": "900 words",
                    "keyThemes": ["a", "b"],
                    "terms": [{"term": "rider", "meaning": "who travels"}],
                    "architectModel": "p/plan",
                    "rawOutline": "‹outline of p/plan›",
                    "outlineParse": "markers",
                    "repaired": False,
                    "droppedSections": [],
                    "warnings": [],
                    "responseTimeMs": 0,
                },
            ),
            ("expansion_start", {"totalSections": 3}),
            (
                "model_failed",
                {
                    "step": "section_2",
                    "seat": 2,
                    "model": "b/bob",
                    "kind": "other",
                    "reason": "OpenRouter failed on b/bob (500): the model is down.",
                },
            ),
            (
                "model_failed",
                {
                    "step": "section_2",
                    "seat": 3,
                    "model": "c/cyd",
                    "kind": "other",
                    "reason": "OpenRouter failed on c/cyd (500): the model is down.",
                },
            ),
            (
                "section_complete",
                {
                    "seat": 1,
                    "sectionNumber": 1,
                    "sectionTitle": "Part 1",
                    "model": "a/ann",
                    "wordCount": 9,
                    "responseTimeMs": 0,
                    "content": "Here topic1 is dealt with, see [[S1]] and [[S9]].",
                    "targetLength": "Short",
                    "lengthStatus": "under",
                    "keyTopicsCovered": ["topic1"],
                    "keyTopicsMissing": ["audit log retention"],
                    "reassigned": False,
                    "trimmedWords": 1,
                    "rawContent": "‹section_1 of a/ann›",
                    "index": 0,
                    "totalSections": 3,
                },
            ),
            (
                "section_complete",
                {
                    "seat": 3,
                    "sectionNumber": 3,
                    "sectionTitle": "Part 3",
                    "model": "c/cyd",
                    "wordCount": 9,
                    "responseTimeMs": 0,
                    "content": "Here topic3 is dealt with, see [[S1]] and [[S9]].",
                    "targetLength": "Short",
                    "lengthStatus": "under",
                    "keyTopicsCovered": ["topic3"],
                    "keyTopicsMissing": ["audit log retention"],
                    "reassigned": False,
                    "trimmedWords": 1,
                    "rawContent": "‹section_3 of c/cyd›",
                    "index": 2,
                    "totalSections": 3,
                },
            ),
            (
                "warning",
                {
                    "message": 'Section 2 "Part 2" was not written.',
                    "code": "not_written",
                    "step": "section_2",
                },
            ),
            (
                "all_sections_complete",
                {
                    "sections": [
                        {
                            "seat": 1,
                            "sectionNumber": 1,
                            "sectionTitle": "Part 1",
                            "model": "a/ann",
                            "wordCount": 9,
                            "responseTimeMs": 0,
                        },
                        {
                            "seat": 3,
                            "sectionNumber": 3,
                            "sectionTitle": "Part 3",
                            "model": "c/cyd",
                            "wordCount": 9,
                            "responseTimeMs": 0,
                        },
                    ],
                    "failedSections": [
                        {
                            "sectionNumber": 2,
                            "sectionTitle": "Part 2",
                            "seat": 3,
                            "model": "c/cyd",
                            "kind": "other",
                            "reason": "OpenRouter failed on c/cyd (500): the model is down.",
                        }
                    ],
                    "totalSucceeded": 2,
                    "totalFailed": 1,
                },
            ),
            "assembly_start",
            (
                "assembly_complete",
                {
                    "degraded": True,
                    "warnings": [
                        "OpenRouter failed on b/bob (500): the model is down.",
                        "OpenRouter failed on c/cyd (500): the model is down.",
                        'Section 2 "Part 2" was not written.',
                    ],
                    "model": "e/edit",
                    "document": "‹answer›",
                    "wordCount": 91,
                    "hasTodoMarkers": True,
                    "todoMarkers": ['Section 2 "Part 2" was not written', 'Section 3 "Part 3": figures'],
                    "assemblyMode": "patched",
                    "documentTitle": "The Service",
                    "totalSections": 3,
                    "sectionsAssembled": 2,
                    "sectionsMissing": 1,
                    "failedSections": [
                        {
                            "sectionNumber": 2,
                            "sectionTitle": "Part 2",
                            "seat": 3,
                            "model": "c/cyd",
                            "kind": "other",
                            "reason": "OpenRouter failed on c/cyd (500): the model is down.",
                        }
                    ],
                    "crossReferencesAdded": 2,
                    "danglingReferences": [9],
                    "acceptedCuts": 0,
                    "refusedCuts": 1,
                    "conflicts": [],
                    "condensed": False,
                    "editorText": "‹assembly of e/edit›",
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
                "outline",
                None,
                "p/plan",
                "architect",
                "‹outline of p/plan›",
                "= outline_complete without architectModel, rawOutline",
            ),
            (
                1,
                "section_1",
                1,
                "a/ann",
                "author",
                "Here topic1 is dealt with, see [[S1]] and [[S9]].",
                {
                    "sectionNumber": 1,
                    "sectionTitle": "Part 1",
                    "wordCount": 9,
                    "responseTimeMs": 0,
                    "targetLength": "Short",
                    "lengthStatus": "under",
                    "keyTopicsCovered": ["topic1"],
                    "keyTopicsMissing": ["audit log retention"],
                    "reassigned": False,
                    "trimmedWords": 1,
                    "rawContent": "‹section_1 of a/ann›",
                },
            ),
            (
                3,
                "section_3",
                3,
                "c/cyd",
                "author",
                "Here topic3 is dealt with, see [[S1]] and [[S9]].",
                {
                    "sectionNumber": 3,
                    "sectionTitle": "Part 3",
                    "wordCount": 9,
                    "responseTimeMs": 0,
                    "targetLength": "Short",
                    "lengthStatus": "under",
                    "keyTopicsCovered": ["topic3"],
                    "keyTopicsMissing": ["audit log retention"],
                    "reassigned": False,
                    "trimmedWords": 1,
                    "rawContent": "‹section_3 of c/cyd›",
                },
            ),
            (
                13,
                "assembly",
                None,
                "e/edit",
                "assembler",
                "‹answer›",
                {
                    "degraded": True,
                    "warnings": [
                        "OpenRouter failed on b/bob (500): the model is down.",
                        "OpenRouter failed on c/cyd (500): the model is down.",
                        'Section 2 "Part 2" was not written.',
                    ],
                    "hasTodoMarkers": True,
                    "todoMarkers": ['Section 2 "Part 2" was not written', 'Section 3 "Part 3": figures'],
                    "assemblyMode": "patched",
                    "documentTitle": "The Service",
                    "sectionsAssembled": 2,
                    "sectionsMissing": 1,
                    "failedSections": [
                        {
                            "sectionNumber": 2,
                            "sectionTitle": "Part 2",
                            "seat": 3,
                            "model": "c/cyd",
                            "kind": "other",
                            "reason": "OpenRouter failed on c/cyd (500): the model is down.",
                        }
                    ],
                    "crossReferencesAdded": 2,
                    "danglingReferences": [9],
                    "acceptedCuts": 0,
                    "refusedCuts": 1,
                    "conflicts": [],
                    "condensed": False,
                    "editorText": "‹assembly of e/edit›",
                    "responseTimeMs": 0,
                    "totalWordCount": 91,
                },
            ),
        ]
    )


async def test_a_stored_result_read_back_equals_the_streamed_one() -> None:
    held = await blueprint(cast(ann=but(s1=DOWN), bob=but(s1=DOWN)))
    outline, final = held.data("outline_complete"), held.data("assembly_complete")
    planned = (
        *("documentTitle", "documentType", "rawOutline", "totalSections", "estimatedLength", "keyThemes"),
        *("terms", "responseTimeMs"),
    )
    assembly = (
        *("model", "document", "wordCount", "hasTodoMarkers", "todoMarkers", "assemblyMode"),
        "responseTimeMs",
    )
    assert held.result == {
        "outline": {
            "model": "p/plan",
            "parsedSections": outline["sections"],
            **{key: outline[key] for key in planned},
        },
        "sections": sorted(payloads(held, "section_complete"), key=lambda one: one["index"]),
        "failedSections": held.data("all_sections_complete")["failedSections"],
        "assembly": {key: final[key] for key in assembly},
        "degraded": True,
        "warnings": final["warnings"],
        "title": "A Short Title",
    }


async def test_the_prompts_show_foreign_text_behind_the_fence_and_the_editor_no_names() -> None:
    held = await blueprint()
    assert_fenced(
        held, [SOURCE, "About part 3.", "who travels", text_of(2).split("\n")[0], "topic4; audit log"]
    )
    editor = held.prompts("e/edit")[0]
    assert not any(model in editor for model in ("a/ann", "b/bob", "c/cyd", "p/plan"))
    assert SOURCE not in editor
    assert "[3.2] Here topic3 is dealt with" in editor
    assert "1: audit log retention\n" in editor
    author = held.prompts("b/bob")[0]
    assert author.endswith("End when the section ends: no closing remark.")
    assert 'Write section 2 of the Architecture Blueprint "The Service", and no other section.' in author


async def test_a_plan_in_a_code_block_does_not_see_the_source() -> None:
    held = await blueprint(cast(plan=[f"```\n{plan(4)}\n```"]))
    assert held.data("outline_complete")["totalSections"] == 4


async def test_the_architect_does_not_answer() -> None:
    for silence in (DOWN, Reply(text="  \n")):
        held = await blueprint(cast(plan=silence))
        assert failed(held) == "Architect failed to produce an outline"
        assert (held.rows, held.message) == ([], None)


async def test_a_plan_that_is_too_short_twice_fails_and_is_kept() -> None:
    held = await blueprint(cast(plan=[plan(2), plan(2)]))
    assert failed(held) == "Outline has too few sections (2, minimum 3)"
    assert held.stages == [(0, "outline")]
    second = held.prompts("p/plan")[1]
    assert (
        "Your last plan was unusable: it has 2 sections that could be read, at least 3 are needed." in second
    )
    assert plan(2) in second
    assert_fenced(held, [plan(2)])
    assert [call.step for call in held.calls if call.model == "p/plan"] == ["outline", "outline/repair"]


async def test_a_plan_may_be_mended() -> None:
    held = await blueprint(cast(plan=[plan(2), plan(4)]))
    assert held.data("outline_complete")["repaired"] is True
    assert held.record.status == "complete"


async def test_a_repair_that_fails_leaves_the_plan_as_it_was() -> None:
    held = await blueprint(cast(plan=[plan(1), DOWN]))
    assert failed(held) == "Outline has too few sections (1, minimum 3)"
    held = await blueprint(cast(21, plan=[plan(21), plan(2)]))
    assert held.data("outline_complete")["repaired"] is False
    assert held.data("outline_complete")["totalSections"] == 20


async def test_headings_are_taken_for_a_plan_without_a_second_call() -> None:
    text = "# The Service\n" + "\n".join(f"## Part {number}\nAbout it." for number in range(1, 8))
    held = await blueprint(cast(7, plan=[text]))
    outline = held.data("outline_complete")
    assert (outline["totalSections"], outline["outlineParse"]) == (7, "headings")
    assert len(held.prompts("p/plan")) == 1
    assert outline["warnings"] == [
        "The plan did not keep to its layout: its sections were read from its headings."
    ]
    assert held.record.status == "complete"


@pytest.mark.parametrize(("count", "order"), [(12, 13), (14, 15), (15, 16)])
async def test_the_assembly_comes_after_all_sections(count: int, order: int) -> None:
    held = await blueprint(cast(count))
    assert held.stages[-1] == (order, "assembly")
    long = [f"The plan has {count} sections; 6 to 12 were asked for."]
    assert held.data("outline_complete")["warnings"] == (long if count > 12 else [])
    assert held.data("assembly_complete")["degraded"] is False
    assert_whole(held)


async def test_of_too_many_sections_twenty_are_written_and_the_rest_are_open_points() -> None:
    held = await blueprint(cast(22, plan=[plan(22), plan(22)]))
    assert held.stages[-1] == (21, "assembly")
    message = "The plan has 22 sections: the first 20 are written, the rest are open points."
    assert held.data("outline_complete")["warnings"] == [message]
    final = held.data("assembly_complete")
    assert final["todoMarkers"] == [
        '"Part 21" was planned but not written',
        '"Part 22" was planned but not written',
    ]
    assert held.record.status == "degraded"


async def test_sections_are_dealt_in_turn_and_handed_to_the_next_author() -> None:
    models = cast(5, bob=DOWN)
    held = await blueprint(models, authorModels=["a/ann", "b/bob"])
    assigned = [one["assignedModel"] for one in held.data("outline_complete")["sections"]]
    assert assigned == ["a/ann", "b/bob", "a/ann", "b/bob", "a/ann"]
    sections = {one["sectionNumber"]: one for one in held.result["sections"]}
    assert {number: one["model"] for number, one in sections.items()} == dict.fromkeys(range(1, 6), "a/ann")
    assert [number for number, one in sections.items() if one["reassigned"]] == [2, 4]
    assert [one["step"] for one in payloads(held, "model_failed")] == ["section_2", "section_4"]
    assert held.record.status == "degraded"
    assert_whole(held)


async def test_a_single_author_tries_twice() -> None:
    tries: dict[int, int] = {}

    def once_down(received: Received) -> Reply | str:
        number = section_number(received)
        tries[number] = tries.get(number, 0) + 1
        return DOWN if tries[number] == 1 and number == 2 else section(received)

    held = await blueprint(cast(3, ann=once_down), authorModels=["a/ann"])
    assert held.record.status == "complete"
    assert [one["reassigned"] for one in held.result["sections"]] == [False, False, False]
    assert "model_failed" not in held.types


async def test_the_worked_example() -> None:
    twin = "the rider waits at the stop until the vehicle of the next trip arrives on time and doors open"
    first = f"## Section 1: Part 1\n{text_of(1)}\n\n{twin}"
    fourth = f"## Section 4: Part 4\n{text_of(4)}\n\n{twin} again\n\n" + " ".join(["own"] * 80)
    sixth = f"## Section 6: Part 6\n{text_of(6)}"
    edits = edits_for(7, "CUT 4.3 REPEATS 1.3", "CUT 6.1 REPEATS 4.4", "TRANSITION 7: Into nothing.")
    held = await blueprint(
        cast(
            7,
            ann=but(s1=first, s4=fourth, s7=DOWN),
            bob=but(s5=DOWN, s7=DOWN),
            cyd=but(s6=sixth),
            edit=[edits],
        )
    )
    assert {one["sectionNumber"]: one["model"] for one in held.result["sections"]} == {
        1: "a/ann",
        2: "b/bob",
        3: "c/cyd",
        4: "a/ann",
        5: "c/cyd",
        6: "c/cyd",
    }
    failures = held.result["failedSections"]
    assert [(one["sectionNumber"], one["model"], one["kind"]) for one in failures] == [(7, "b/bob", "other")]
    final = held.data("assembly_complete")
    assert held.rows[-1].parsed_data["acceptedCuts"] == 1
    assert held.rows[-1].parsed_data["refusedCuts"] == 1
    assert held.answer is not None
    assert held.answer.count(twin) == 1
    assert final["todoMarkers"] == ['Section 7 "Part 7" was not written']
    assert "Into nothing" not in held.answer
    assert held.stages == [(0, "outline"), *((n, f"section_{n}") for n in range(1, 7)), (13, "assembly")]
    assert "NOT WRITTEN:\n" in held.prompts("e/edit")[0]
    assert_whole(held, 7)


async def test_one_section_of_eight_is_composed_without_an_editor() -> None:
    only = {f"s{number}": DOWN for number in range(2, 9)}
    held = await blueprint(cast(8, ann=but(**only), bob=but(**only), cyd=but(**only)))
    final = held.data("assembly_complete")
    assert (final["assemblyMode"], final["model"], len(final["todoMarkers"])) == ("plain", None, 7)
    assert final["responseTimeMs"] is None
    assert held.prompts("e/edit") == []
    assert (
        "Fewer than half of the sections were written: they were put together without an editor."
        in final["warnings"]
    )
    assert held.record.status == "degraded"


async def test_no_section_is_written() -> None:
    held = await blueprint(cast(ann=DOWN, bob=DOWN, cyd=DOWN))
    assert failed(held) == "All sections failed"
    assert held.stages == [(0, "outline")]
    assert held.types[-2:] == ["all_sections_complete", "error"]


async def test_the_assembler_fails_and_the_document_is_plain() -> None:
    held = await blueprint(cast(edit=DOWN))
    final = held.data("assembly_complete")
    assert (final["assemblyMode"], final["model"], held.types[-1]) == ("plain", None, "complete")
    message = "The editor did not answer: the sections were put together as they were written."
    assert final["warnings"][-1] == message
    assert held.answer is not None
    assert "Executive Summary" not in held.answer
    assert held.rows[-1].parsed_data["editorText"] is None
    assert held.record.status == "degraded"
    assert_whole(held)


async def test_an_editor_who_cannot_be_read_is_left_out() -> None:
    held = await blueprint(cast(edit=["What a fine document!"]))
    assert held.data("assembly_complete")["assemblyMode"] == "plain"
    assert held.rows[-1].parsed_data["editorText"] == "What a fine document!"
    assert held.data("assembly_complete")["warnings"] == [
        "The editor's reply could not be used: the sections were put together as they were written."
    ]
    assert held.record.status == "degraded"


async def test_a_missing_summary_degrades() -> None:
    held = await blueprint(cast(edit=["TRANSITION 2: On.\nEND OF ASSEMBLY"]))
    final = held.data("assembly_complete")
    assert (final["assemblyMode"], final["warnings"]) == (
        "patched",
        ["The editor wrote no executive summary."],
    )
    assert held.answer is not None
    assert "*On.*" in held.answer


def rewritten(count: int, words: int, *, skip: int = 0) -> str:
    parts = [
        f"## Section {number}: Part {number}\n{' '.join(['w'] * words)}"
        for number in range(1, count + 1)
        if number != skip
    ]
    return "\n\n".join(["# The Service\n\n## Executive Summary\n\nAll.", *parts])


async def test_an_editor_may_write_the_document_out() -> None:
    held = await blueprint(cast(edit=[rewritten(4, 98)]))
    final = held.data("assembly_complete")
    assert (final["assemblyMode"], final["model"], final["degraded"]) == ("rewritten", "e/edit", True)
    message = "The editor wrote the document out again, with fewer words than the authors."
    assert final["warnings"] == [message]
    assert held.answer is not None
    assert held.answer.split() == rewritten(4, 98).split()
    longer = await blueprint(cast(edit=[rewritten(4, 150)]))
    final = longer.data("assembly_complete")
    assert (final["degraded"], final["warnings"]) == (False, ["The editor wrote the document out again."])


async def test_a_rewritten_document_says_what_was_never_written() -> None:
    without_four = but(s4=DOWN)
    held = await blueprint(cast(ann=without_four, bob=without_four, edit=[rewritten(4, 150, skip=4)]))
    assert held.data("assembly_complete")["todoMarkers"] == ['Section 4 "Part 4" was not written']


async def test_a_document_with_a_heading_missing_is_not_taken() -> None:
    held = await blueprint(cast(edit=[rewritten(4, 150, skip=2)]))
    assert held.data("assembly_complete")["assemblyMode"] == "plain"
    assert_whole(held)


async def test_an_author_who_writes_another_section_too_is_trimmed() -> None:
    both = f"Gladly!\n## Section 3: Part 3\n{text_of(3)}\n## Section 4: Part 4\nNot mine at all."
    held = await blueprint(cast(cyd=but(s3=both)))
    third = held.result["sections"][2]
    assert (third["content"], third["trimmedWords"], third["rawContent"]) == (text_of(3), 10, both)
    assert "rawContent" not in held.result["sections"][0]


async def test_too_few_words_before_a_foreign_heading_are_not_cut() -> None:
    short = "## Section 3: Part 3\nShort.\n## Section 4: Part 4\nNot mine."
    held = await blueprint(cast(cyd=but(s3=short), edit=[edits_for(4, "TODO 3: nearly everything")]))
    third = held.result["sections"][2]
    assert (third["content"], third["trimmedWords"]) == ("Short.\n\n### Section 4: Part 4\n\nNot mine.", 0)
    assert held.data("assembly_complete")["todoMarkers"] == ['Section 3 "Part 3": nearly everything']
    assert third["lengthStatus"] == "under"


async def test_an_empty_section_is_handed_over_and_at_last_given_up() -> None:
    blank = but(s2=Reply(text=" \n"))
    held = await blueprint(cast(bob=blank))
    assert held.result["sections"][1]["model"] == "c/cyd"
    held = await blueprint(cast(bob=blank, cyd=but(s2="## Section 2: Part 2")))
    assert [one["sectionNumber"] for one in held.result["failedSections"]] == [2]
    assert held.result["failedSections"][0]["kind"] == "unreadable"
    assert held.result["failedSections"][0]["reason"] == "c/cyd sent section 2 without a text."
    assert held.answer is not None
    assert '## Section 2: Part 2\n\n[TODO: Section 2 "Part 2" was not written]' in held.answer


async def test_sections_are_told_as_they_come_and_stand_in_order() -> None:
    slow = Reply(text=f"## Section 2: Part 2\n{text_of(2)}", latency=0.2)
    held = await blueprint(cast(5, bob=but(s2=slow)))
    arrived = [one["sectionNumber"] for one in payloads(held, "section_complete")]
    assert arrived[-1] == 2
    assert [one["sectionNumber"] for one in held.data("all_sections_complete")["sections"]] == [1, 2, 3, 4, 5]
    assert_whole(held)


async def test_a_topic_that_is_missing_is_for_the_editor_alone() -> None:
    held = await blueprint()
    first = held.result["sections"][0]
    assert first["keyTopicsMissing"] == ["audit log retention"]
    assert held.answer is not None
    assert "audit log" not in held.answer


async def test_edits_are_carried_out_and_references_become_links() -> None:
    text = f"## Section 1: Part 1\n{text_of(1)}\n\nAs [[S2]] and [[S9]] say, see Section 3."
    lines = ("TERM: rider <= passenger", "CONFLICT 1.2 / 2.1: hourly or daily", "TODO 4: figures")
    held = await blueprint(cast(ann=but(s1=text), edit=[edits_for(4, *lines)]))
    document, stored = held.answer, held.rows[-1].parsed_data
    assert document is not None
    assert "[Section 2: Part 2](#section-2-part-2) and Section 9 say, see [Section 3: Part 3]" in document
    assert (stored["crossReferencesAdded"], stored["danglingReferences"]) == (2, [9])
    assert "passenger" not in document
    assert "as a rider would" in document
    assert "- Conflict between Section 1 and Section 2: hourly or daily" in document
    assert stored["conflicts"] == [{"first": "1.2", "second": "2.1", "text": "hourly or daily"}]
    assert stored["todoMarkers"] == ['Section 4 "Part 4": figures']
    assert held.record.status == "complete"


async def test_an_editor_of_very_long_sections_sees_their_beginning() -> None:
    def endless(received: Received) -> str:
        number = section_number(received)
        return f"## Section {number}: Part {number}\n{text_of(number)}\n\n" + long_text(84_000)

    models = cast(3, ann=endless, bob=endless, cyd=endless, edit=[edits_for(3, "CUT 2.2 REPEATS 1.2")])
    held = await blueprint(models)
    stored = held.rows[-1].parsed_data
    assert (stored["condensed"], stored["acceptedCuts"], stored["refusedCuts"]) == (True, 0, 0)
    assert len(held.prompts("e/edit")[0]) < 20_000
    assert held.data("assembly_complete")["warnings"] == [
        "The sections are too long to be edited word by word: the editor saw the beginning of each."
    ]
    assert held.record.status == "degraded"


async def test_the_time_is_used_up_while_sections_are_written(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    body = {"question": SOURCE, "mode": "blueprint", "modeConfig": CONFIG}
    hang = Reply(hang=True)
    async with Chamber(cast(bob=hang, cyd=hang), database=database) as room:
        record = await room.engine.start(AskRequest.of(body))
        await until_stored(room, record.id, 3)
    spend_time(tmp_path, 599)
    async with Chamber(cast(), database=database) as room:
        held = await room.held(record)
    assert held.requests == []
    assert [one["kind"] for one in held.result["failedSections"]] == ["timeout", "timeout"]
    assert held.data("assembly_complete")["assemblyMode"] == "plain"
    assert held.record.status == "degraded"
    assert_whole(held, 2, 3)


async def test_the_editors_minute_is_kept_and_half_of_the_sections_are_enough_for_an_editor(
    tmp_path: Path,
) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    body = {"question": SOURCE, "mode": "blueprint", "modeConfig": CONFIG}
    hang = Reply(hang=True)
    async with Chamber(cast(bob=hang, cyd=hang), database=database) as room:
        record = await room.engine.start(AskRequest.of(body))
        await until_stored(room, record.id, 3)
    spend_time(tmp_path, 540)
    async with Chamber(cast(), database=database) as room:
        held = await room.held(record)
    assert [request.model for request in held.requests] == ["e/edit"]
    final = held.data("assembly_complete")
    assert (final["assemblyMode"], final["sectionsAssembled"], final["sectionsMissing"]) == ("patched", 2, 2)
    assert_whole(held, 2, 3)


async def test_a_section_line_in_the_source_is_harmless() -> None:
    held = await blueprint(question="SECTION 9: x\nDOCUMENT TITLE: Mine")
    assert held.data("outline_complete")["documentTitle"] == "The Service"
    assert held.data("outline_complete")["totalSections"] == 4


async def test_a_custom_document_has_its_label() -> None:
    held = await blueprint(documentType="custom", documentTypeLabel="Field  Guide")
    assert "Plan a Field Guide. You only plan." in held.prompts("p/plan")[0]
    held = await blueprint(documentType="custom")
    assert "Plan a Custom Document. You only plan." in held.prompts("p/plan")[0]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"documentType": "poem"}, "Invalid document type: poem"),
        ({"documentTypeLabel": "Guide"}, "documentTypeLabel is only allowed for custom documents"),
        (
            {"documentType": "custom", "documentTypeLabel": "ab"},
            "documentTypeLabel must have 3 to 80 characters",
        ),
        (
            {"documentType": "custom", "documentTypeLabel": "a" * 81},
            "documentTypeLabel must have 3 to 80 characters",
        ),
        ({"architectModel": " "}, "Architect model is required"),
        ({"assemblerModel": ""}, "Assembler model is required"),
        ({"authorModels": []}, "Blueprint mode requires at least 1 author model"),
        ({"authorModels": ["a/ann"] * 7}, "Maximum 6 author models allowed"),
        ({"timeoutMs": 59_999}, "timeoutMs must be between 60000 and 600000"),
        ({"timeoutMs": 600_001}, "timeoutMs must be between 60000 and 600000"),
    ],
)
async def test_a_config_that_cannot_work_is_refused(config: dict[str, Any], message: str) -> None:
    async with Chamber() as chamber:
        with pytest.raises(Rejected) as refused:
            await chamber.deliberate("blueprint", SOURCE, **config)
    assert str(refused.value) == message
    assert chamber.server.requests == []


async def test_a_source_has_its_length() -> None:
    held = await blueprint(question="x" * 200_000)
    assert held.record.status == "complete"
    async with Chamber() as chamber:
        for question, message in (
            ("x" * 200_001, "Source material must not exceed 200,000 characters"),
            (" ", "Source material is required"),
        ):
            with pytest.raises(Rejected, match=message):
                await chamber.deliberate("blueprint", question, **CONFIG)


async def test_a_follow_up_is_refused() -> None:
    async with Chamber(cast()) as chamber:
        held = await chamber.deliberate("blueprint", SOURCE, **CONFIG)
        with pytest.raises(Rejected, match="takes no follow-up questions"):
            await chamber.deliberate("blueprint", "And?", conversation=held.record.conversation_id)


async def test_the_default_panel_has_three_authors() -> None:
    def ann(received: Received) -> str:
        if "You only plan" in received.prompt:
            return plan(3)
        return edits_for(3) if "You are its editor" in received.prompt else section(received)

    async with Chamber({"a/ann": ann, "b/bob": section, "c/cyd": section}) as chamber:
        held = await chamber.deliberate("blueprint", SOURCE)
    assert [row.model for row in held.rows] == ["a/ann", "a/ann", "b/bob", "c/cyd", "a/ann"]
    assert held.record.status == "complete"


def voice(received: Received) -> str:
    if received.model == "p/plan":
        return plan(4)
    return edits_for(4) if received.model == "e/edit" else section(received)


@pytest.mark.parametrize("stop", range(7))
async def test_a_run_that_was_stopped_tells_the_same_story(tmp_path: Path, stop: int) -> None:
    held = await stopped_and_resumed(tmp_path, "blueprint", voice, stop, calls=6, question=SOURCE, **CONFIG)
    assert_whole(held)


async def test_a_simulated_document_is_not_degraded() -> None:
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate(
            "blueprint",
            SOURCE,
            architectModel="sim/ada",
            authorModels=["sim/bo", "sim/cleo"],
            assemblerModel="sim/dov",
        )
    final = held.data("assembly_complete")
    assert (held.record.status, final["assemblyMode"]) == ("complete", "patched")
    assert held.data("outline_complete")["totalSections"] == 4
    assert all(one["lengthStatus"] == "ok" for one in held.result["sections"])


async def test_a_shaky_cast_degrades_a_document_without_ending_it() -> None:
    async with Chamber(transport=Simulator(speed=0)) as chamber:
        held = await chamber.deliberate(
            "blueprint",
            SOURCE,
            architectModel="sim/ada",
            authorModels=["sim/bo:fail=0.5", "sim/cleo:fail=0.5"],
            assemblerModel="sim/dov:unreadable=1",
        )
    assert held.record.status == "degraded"
    assert held.types[-1] == "complete"
