"""What an editor delivers, and which of it is carried out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import NOTHING_SHOWN, Shown
from moot.deliberation.similarity import cosine, letter_groups, vectors
from moot.deliberation.text import word_count
from moot.modes.blueprint.document import (
    Composition,
    Linker,
    anchor,
    conflict_points,
    holds_in_order,
    link,
    todo,
    todo_markers,
    todo_points,
)
from moot.modes.blueprint.edits import (
    Conflict,
    Cut,
    Edits,
    apply_cuts,
    is_whole_document,
    read_edits,
    replace_terms,
)
from moot.modes.blueprint.outline import read_outline
from moot.modes.blueprint.section import canonical, clean_section, passages
from tests.harness.pace import on_this_machine, used

REPLY = """EXECUTIVE SUMMARY:
It is about stops.

## Scope
And more.
END SUMMARY
TRANSITION 2: With the parts named,
**TRANSITION 3:** their data follows.
TERM: rider <= passenger; traveller
CUT 5.3 REPEATS 2.4
- CONFLICT 3.2 / 6.1: hourly or daily
TODO 4: the retention period
Some remark.
END OF ASSEMBLY"""


def read(text: str, *titles: str) -> Edits:
    result = read_edits(text, titles, NOTHING_SHOWN)
    assert result is not None
    return result


def test_the_lines_of_an_editor_are_read() -> None:
    result = read(REPLY)
    assert result.summary == "It is about stops.\n\n### Scope\n\nAnd more."
    assert result.transitions == {2: "With the parts named,", 3: "their data follows."}
    assert result.terms == {"passenger": "rider", "traveller": "rider"}
    assert result.cuts == [Cut((5, 3), (2, 4))]
    assert result.conflicts == [Conflict(first="3.2", second="6.1", text="hourly or daily")]
    assert result.todos == [(4, "the retention period")]


@pytest.mark.parametrize(
    "text",
    [
        "EXECUTIVE SUMMARY:\nShort.\nTRANSITION 2: x",
        "**Executive Summary:** Short.\nEND SUMMARY",
        "## Executive Summary\nShort.",
        "EXECUTIVE SUMMARY:\nShort.\n## Section 1: A\nall of it",
        "```\nEXECUTIVE SUMMARY:\nShort.\nEND SUMMARY\n```",
    ],
)
def test_a_summary_ends_where_something_else_begins(text: str) -> None:
    assert read(text).summary == "Short."


@pytest.mark.parametrize(
    "text", ["", "I could not do it.", "# A\n## Executive Summary\nx\n## Section 1: Data\ny"]
)
def test_a_reply_without_any_of_the_lines_is_none(text: str) -> None:
    assert read_edits(text, ["Data"], NOTHING_SHOWN) is None


def test_the_template_is_no_edit() -> None:
    text = (
        "TRANSITION 2: one or two sentences that lead from section 1 into section 2\n"
        "TERM: preferred term <= variant; variant\nCONFLICT 3.2 / 6.1: what contradicts what\n"
        "TODO 4: what section 4 still lacks\nEND OF ASSEMBLY"
    )
    assert read(text) == Edits(transitions={}, terms={}, cuts=[], conflicts=[], todos=[])


def test_a_line_quoted_from_a_section_counts_only_if_there_is_no_other() -> None:
    shown = Shown(["The end.\nTODO 1: send money"])
    text = "TODO 4: figures\nOne section says:\nTODO 1: send money"
    result = read_edits(text, [], shown)
    assert result is not None
    assert result.todos == [(4, "figures")]


@pytest.mark.parametrize(
    ("line", "terms"),
    [
        ("TERM: rider <= passenger", {"passenger": "rider"}),
        ("TERM: rider ≤ 'Passenger'.", {"passenger": "rider"}),
        ("TERM: client app <= client", {}),
        ("TERM: rider <= it; not; pax", {"pax": "rider"}),
        (
            "TERM: a <= " + "; ".join(f"variant {n}" for n in range(30)),
            {f"variant {n}": "a" for n in range(20)},
        ),
    ],
)
def test_a_term_replaces_only_what_it_may(line: str, terms: dict[str, str]) -> None:
    assert read(f"{line}\nEND OF ASSEMBLY").terms == terms


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Passengers wait.", "Passengers wait."),
        ("Passenger and passenger.", "Rider and rider."),
        ("a `passenger` b", "a `passenger` b"),
        ("```\npassenger\n```", "```\npassenger\n```"),
        ("### The passenger", "### The passenger"),
        ("see [passenger](http://x/passenger), passenger", "see [passenger](http://x/passenger), rider"),
        ("bus\nline is here", "route is here"),
        ("| passenger | x |\n| y | z |", "| rider | x |\n| y | z |"),
        ("the api door", "the API door"),
    ],
)
def test_terms_are_unified_as_whole_words(body: str, expected: str) -> None:
    assert replace_terms(body, {"passenger": "rider", "bus line": "route", "api": "API"}) == expected


SAME = "the rider waits at the stop until the vehicle of the next trip arrives on time"
OTHER = "completely different words about money budgets invoices and yearly accounts"


def sections(**paragraphs: list[str]) -> dict[int, str]:
    return {int(name[1:]): "\n\n".join(given) for name, given in paragraphs.items()}


FILL = " ".join(f"filler{number}" for number in range(100))
BODIES = sections(
    s1=[FILL, "x", SAME], s2=[f"{SAME} again", FILL.upper()], s3=[OTHER, FILL], s4=[f"{SAME} once more", SAME]
)


@pytest.mark.parametrize(
    ("cut", "accepted"),
    [
        (Cut((2, 1), (1, 3)), True),
        (Cut((3, 1), (1, 3)), False),
        (Cut((4, 1), (1, 3)), False),
        (Cut((4, 1), (4, 2)), False),
        (Cut((2, 9), (1, 3)), False),
        (Cut((9, 1), (1, 3)), False),
    ],
)
def test_a_cut_is_carried_out_or_refused(cut: Cut, accepted: bool) -> None:
    result = apply_cuts([cut], BODIES)
    assert (result.accepted, result.refused) == ((1, 0) if accepted else (0, 1))
    assert (result.bodies == BODIES) == (not accepted)


def test_of_two_paragraphs_that_repeat_each_other_one_stays() -> None:
    result = apply_cuts([Cut((2, 1), (1, 3)), Cut((1, 3), (2, 1)), Cut((2, 1), (1, 3))], BODIES)
    assert (result.accepted, result.refused) == (1, 2)
    assert SAME in result.bodies[1]


def test_a_section_loses_no_more_than_a_quarter() -> None:
    text = " ".join(f"alpha{number}" for number in range(20))
    bodies = sections(s1=[text, f"{text} b"], s2=[text, f"{text} b", " ".join(["gamma"] * 60)])
    result = apply_cuts([Cut((2, 1), (1, 1)), Cut((2, 2), (1, 2))], bodies)
    assert (result.accepted, result.refused) == (1, 1)


def test_likeness_is_the_cosine_of_letter_groups_weighted_over_all_paragraphs() -> None:
    texts = [SAME, f"{SAME} again", OTHER]
    groups = [letter_groups(text) for text in texts]
    terms = sorted({term for group in groups for term in group})
    counts = np.array([[group.count(term) for term in terms] for group in groups], dtype=float)
    idf = np.log((1 + len(texts)) / (1 + (counts > 0).sum(axis=0))) + 1
    weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * idf
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    ours = vectors(groups)
    assert math.isclose(cosine(ours[0], ours[1]), float(weights[0] @ weights[1]), abs_tol=1e-9)
    assert math.isclose(cosine(ours[0], ours[2]), float(weights[0] @ weights[2]), abs_tol=1e-9)


@given(
    st.dictionaries(st.integers(1, 5), st.lists(st.sampled_from([SAME, OTHER, FILL, "x y"]), min_size=1)),
    st.lists(
        st.builds(
            Cut,
            st.tuples(st.integers(1, 5), st.integers(1, 4)),
            st.tuples(st.integers(1, 5), st.integers(1, 4)),
        )
    ),
)
def test_cuts_never_lose_more_than_they_may(given: dict[int, list[str]], cuts: list[Cut]) -> None:
    bodies = {number: "\n\n".join(paragraphs) for number, paragraphs in given.items()}
    result = apply_cuts(cuts, bodies)
    assert result.accepted + result.refused == len(cuts)
    for number, body in bodies.items():
        assert 4 * word_count(result.bodies[number]) >= 3 * word_count(body)


def test_a_cut_takes_a_likeness_of_at_least_nine_twentieths() -> None:
    likenesses = set()
    for shared in range(16):
        twin = " ".join([f"same{n}" for n in range(shared)] + [f"other{n}" for n in range(15 - shared)])
        bodies = sections(s1=[" ".join(f"same{n}" for n in range(15))], s2=[twin, FILL])
        ours = vectors([letter_groups(text) for text in (bodies[1], twin, FILL)])
        like = cosine(ours[0], ours[1])
        assert apply_cuts([Cut((2, 1), (1, 1))], bodies).accepted == (like >= 0.45)
        likenesses.add(round(like, 1))
    assert {0.3, 0.4, 0.5, 0.7} <= likenesses


TITLES = {number: f"Part {number}" for number in range(1, 8)}


@pytest.mark.parametrize(
    ("text", "expected", "dangling"),
    [
        ("As [[S2]] says.", "As [Section 2: Part 2](#section-2-part-2) says.", []),
        ("see Section 4 and [[S9]]", "see [Section 4: Part 4](#section-4-part-4) and Section 9", [9]),
        ("See section 9. [[s9]]", "See Section 9. Section 9", [9]),
        ("`[[S2]]` and [see Section 2](http://x)", "`[[S2]]` and [see Section 2](http://x)", []),
        ("```\n[[S2]]\n```", "```\n[[S2]]\n```", []),
        ("see Section 4.2 of the law", "see Section 4.2 of the law", []),
        ("Section 4 is long.", "Section 4 is long.", []),
    ],
)
def test_references_become_links(text: str, expected: str, dangling: list[int]) -> None:
    linker = Linker(TITLES)
    assert linker.link_references(text) == expected
    assert linker.dangling == dangling


def test_links_are_counted() -> None:
    linker = Linker(TITLES)
    linker.link_references("[[S1]] [[S2]] [[S1]] [[S8]]")
    assert (len(linker.links), linker.dangling) == (3, [8])


def test_an_anchor_is_that_of_the_heading() -> None:
    assert anchor("Section 4: Data & [its] Paths") == "section-4-data--its-paths"
    assert link(4, "Data [x]") == "[Section 4: Data (x)](#section-4-data-x)"


@pytest.mark.parametrize(
    ("document", "markers"),
    [
        ("a [TODO: one] b [todo: two]", ["one", "two"]),
        ("`[TODO: one]`\n\n```\n[TODO: two]\n```", []),
        ("TODO: none", []),
    ],
)
def test_todo_markers_are_found_outside_code(document: str, markers: list[str]) -> None:
    assert todo_markers(document) == markers


def test_a_document_is_composed_in_order() -> None:
    points = [
        *todo_points([(2, "fig [1]"), (9, "x")], TITLES),
        *conflict_points([Conflict(first="1.2", second="3.1", text="t")]),
    ]
    document = Composition(
        "Title", {1: "A", 2: "B", 3: "C"}, {1: "one", 3: "three"}, "sum", {3: "then"}, points
    )
    assert document.document() == (
        "# Title\n\n## Executive Summary\n\nsum\n\n## Table of Contents\n\n"
        "- [Section 1: A](#section-1-a)\n- [Section 2: B](#section-2-b)\n- [Section 3: C](#section-3-c)\n\n"
        '## Section 1: A\n\none\n\n## Section 2: B\n\n[TODO: Section 2 "B" was not written]\n\n'
        "## Section 3: C\n\n*then*\n\nthree\n\n"
        '## Open Points\n\n- [TODO: Section 2 "Part 2": fig (1)]\n- [TODO: x]\n'
        "- Conflict between Section 1 and Section 3: t"
    )
    assert todo("a [b]") == "[TODO: a (b)]"


def test_a_lost_section_is_noticed() -> None:
    assert holds_in_order("a b a", ["a", "b", "a"])
    assert not holds_in_order("a b", ["b", "a"])


def test_a_whole_document_has_every_title_and_most_of_the_words() -> None:
    text = "# T\n## Section 1: Data\n" + "w " * 90 + "\n## Routing"
    assert is_whole_document(text, ["Data", "Routing"], 100)
    assert not is_whole_document(text, ["Data", "Other"], 100)
    assert not is_whole_document(text, ["Data", "Routing"], 130)


PIECES = st.sampled_from([*REPLY.split("\n"), "```", "## Section 1: Data", "[[S1]] see Section 2", ""])


TEXTS = st.one_of(st.text(), st.lists(PIECES).map("\n".join))


@given(TEXTS)
def test_whatever_an_editor_writes_its_terms_may_be_replaced(text: str) -> None:
    result = read_edits(text, ["Data"], Shown([text])) or Edits()
    assert len(result.terms) <= 20
    for variant, preferred in result.terms.items():
        assert 3 <= len(variant) <= 80
        assert variant not in preferred.casefold()
        assert variant == variant.casefold()
    assert all(result.transitions.values())
    assert is_whole_document(text, [], 0)


@given(TEXTS)
def test_terms_change_no_code_no_heading_and_no_count_of_words(text: str) -> None:
    body = canonical(text)
    changed = replace_terms(body, {"stops": "halts", "data": "figures"})
    before, after = passages(body), passages(changed)
    assert [part.kind for part in before] == [part.kind for part in after]
    for one, other in zip(before, after, strict=True):
        assert one == other or one.kind in ("text", "table")
    assert word_count(changed) == word_count(body)
    assert replace_terms(changed, {"stops": "halts", "data": "figures"}) == changed


@given(TEXTS)
def test_links_lead_to_sections_that_are_there(text: str) -> None:
    linker = Linker(TITLES)
    text_with_links = linker.link_references(canonical(text))
    assert set(linker.links) <= set(TITLES)
    assert not set(linker.dangling) & set(TITLES)
    assert len(set(linker.dangling)) == len(linker.dangling)
    assert text_with_links.count("](#section-") - text.count("](#section-") == len(linker.links)
    assert all(todo and "[" not in todo for todo in todo_markers(f"{text_with_links}\n\n[TODO: more]"))


@pytest.mark.parametrize(
    "start", ["TERM: a", "**a**", "1. a", "see Section 1", "TRANSITION 2:", "[[S1", "CUT 1.1"]
)
@pytest.mark.parametrize("filling", [" ", "[", "`", "a ", ".", "\n\n", "|"])
def test_no_line_however_long_holds_up_a_run(start: str, filling: str) -> None:
    text = start + filling * 20_000 + "x"
    with used() as work:
        result = read_edits(text, ["Data"], Shown([text])) or Edits()
        replace_terms(text, {"passenger": "rider", **result.terms})
        Linker(TITLES).link_references(text)
        todo_markers(text)
        clean_section(text, 1, "Data")
        read_outline(text)
    assert work.seconds < on_this_machine(2)
