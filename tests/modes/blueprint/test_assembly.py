"""Whatever an editor replies, no section is lost, doubled or moved."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from moot.kernel.values import Answer
from moot.modes.blueprint.assembly import assembled
from moot.modes.blueprint.events import OutlineData, WrittenSection, read_section
from moot.modes.blueprint.outline import read_outline

COUNT = 5
PLAN = "\n".join(f"SECTION {number}: Part {number}" for number in range(1, COUNT + 1))
SHARED = "the rider waits at the stop until the vehicle of the next trip arrives on time"
SEE_ONE = "\n\nSee [Section 1: Part 1](#section-1-part-1)."
REPLIES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "EXECUTIVE SUMMARY:",
                "END SUMMARY",
                "TERM: traveller <= rider; vehicle",
                "All of it, see Section 2 and [[S9]].",
                "## Section 2: Part 2",
                "```",
                "END OF ASSEMBLY",
            ]
        ),
        st.builds("TRANSITION {}: On we go.".format, st.integers(0, 9)),
        st.builds("TODO {}: more [figures]".format, st.integers(0, 9)),
        st.builds(
            "CUT {}.{} REPEATS {}.{}".format,
            st.integers(1, 6),
            st.integers(1, 4),
            st.integers(1, 6),
            st.integers(1, 4),
        ),
        st.text(max_size=30),
    )
).map("\n".join)


def answer(text: str) -> Answer:
    return Answer(seat=None, model="m/m", response=text, response_time_ms=1)


def outline() -> OutlineData:
    return OutlineData.of(read_outline(PLAN), answer(PLAN), "custom", ["m/m"], False, ())


def written(numbers: set[int]) -> list[WrittenSection]:
    planned = outline().sections
    texts = {
        number: f"{' '.join(f'own{number}x{place}' for place in range(40))}\n\n{SHARED}\n\nSee [[S1]]."
        for number in numbers
    }
    return [
        read_section(answer(texts[number]), planned[number - 1], 1, COUNT, False)
        for number in sorted(numbers)
    ]


def test_a_cut_takes_away_the_paragraph_it_names_and_no_other() -> None:
    found = assembled(outline(), written({1, 2}), "CUT 1.3 REPEATS 2.3", False)
    first, second = found.document.split("## Section 2: Part 2")
    assert (first.count(SHARED), first.count(SEE_ONE)) == (1, 0)
    assert (second.count(SHARED), second.count(SEE_ONE)) == (1, 1)
    assert (found.accepted, found.refused) == (1, 0)


# Each section's third paragraph, a bare reference, may be cut as well as its second.
@example(numbers={1, 2}, reply="CUT 1.3 REPEATS 2.3", condensed=False)
@given(st.sets(st.integers(1, COUNT), min_size=1), st.one_of(st.none(), REPLIES), st.booleans())
def test_every_section_stands_once_and_in_order(
    numbers: set[int], reply: str | None, condensed: bool
) -> None:
    found = assembled(outline(), written(numbers), reply, condensed)
    assert found.mode in ("patched", "plain")
    places = [found.document.index(f"own{number}x0 own{number}x1") for number in sorted(numbers)]
    assert places == sorted(places)
    for number in range(1, COUNT + 1):
        assert found.document.count(f"own{number}x39") == (number in numbers)
        missing = f'[TODO: Section {number} "Part {number}" was not written]'
        assert (missing in found.document) == (number not in numbers)
    left = found.document.count("waits at the stop until the") + found.document.count(SEE_ONE)
    assert left == 2 * len(numbers) - found.accepted
