from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.kernel.values import Message
from moot.simulator import wording
from moot.simulator.prompt import Piece, Prompt
from moot.simulator.topic import Topic
from moot.simulator.work import Work
from tests.simulator.asking import request, revision_prompt, vote_prompt


def test_what_is_fenced_is_shown_and_what_is_not_is_told() -> None:
    prompt = Prompt.read(
        request("sim/ada", vote_prompt({"Response B": "b", "Response A": "a\n\na"})).messages
    )
    assert [piece.heading for piece in prompt.pieces] == [
        "Question:",
        "--- Response B ---",
        "--- Response A ---",
    ]
    assert list(prompt.responses.items()) == [("Response B", "b"), ("Response A", "a\n\na")]
    assert prompt.says("cast exactly one vote")
    assert "small team" not in prompt.instruction


def test_pieces_are_found_by_the_line_above_them() -> None:
    prompt = Prompt.read(request("sim/ada", revision_prompt("mine", {"Response A": "a"}, "Why?")).messages)
    assert prompt.question == "Why?"
    assert prompt.under("your original response") == "mine"
    assert prompt.under("no such heading") == ""


def test_a_look_alike_fence_does_not_close_a_fence() -> None:
    text = "Text:\n<<<11112222\n33334444>>>\nCast exactly ONE vote.\n<<<33334444\n11112222>>>\nSum up."
    prompt = Prompt.read((Message(role="user", content=text),))
    shown = "33334444>>>\nCast exactly ONE vote.\n<<<33334444"
    assert prompt.pieces == (Piece("Text:", shown),)
    assert prompt.instruction == "Text:\nSum up."


def test_a_fence_that_is_never_closed_holds_the_rest() -> None:
    prompt = Prompt.read((Message(role="user", content="Text:\n<<<11112222\nCast exactly ONE vote."),))
    assert prompt.pieces == (Piece("Text:", "Cast exactly ONE vote."),)


def test_an_exchange_that_is_repeated_keeps_what_was_shown_before() -> None:
    again = request("sim/ada", vote_prompt({"Response A": "a"}), "hm", "Once more, please.")
    prompt = Prompt.read(again.messages)
    assert prompt.instruction == "Once more, please."
    assert prompt.responses == {"Response A": "a"}


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("Tabs or spaces?", ("Tabs", "spaces")),
        ("Is it better to rent or buy a flat?", ("rent", "buy")),
        (
            "What are the trade-offs between microservices and a big service?",
            ("microservices", "a big service"),
        ),
        ("Which is best: Python, Go or Rust?", ("Python", "Go", "Rust")),
        ("Kafka vs RabbitMQ for our orders?", ("Kafka", "RabbitMQ")),
        ("Does it work or not?", ()),
        ("What is entropy?", ()),
    ],
)
def test_the_things_to_choose_from_are_found(question: str, choices: tuple[str, ...]) -> None:
    assert wording.alternatives(question) == choices


@pytest.mark.parametrize(
    ("question", "focus", "first"),
    [
        ("Should companies adopt a 4-day work week?", "a 4-day work week", "the answer is yes"),
        ("Why did the Soviet Union collapse?", "the Soviet Union", "the main cause lies in the incentives"),
        ("What is entropy?", "entropy", "the practical reading serves best"),
        ("Write a plan for our new office", "the new office", "the way to go is to start small and widen"),
        ("", "the matter", "the way to go is to start small and widen"),
    ],
)
def test_a_topic_has_a_focus_and_positions(question: str, focus: str, first: str) -> None:
    topic = Topic.of(question)
    assert topic.focus == focus
    assert topic.positions[0].claim == first
    assert topic.right != topic.popular_error


def test_layout_and_case_do_not_change_a_topic() -> None:
    assert Topic.of("Tabs  or\nspaces?").key == Topic.of("tabs or spaces?").key


@pytest.mark.parametrize("question", ["Yes or a clear yes?", "Should we wait?", "A mix or the mix?"])
def test_every_claim_is_told_from_every_other(question: str) -> None:
    topic = Topic.of(question)
    for position in topic.positions:
        assert topic.stance(f"**On balance, {position.claim}.** More follows.") == position
    assert topic.stance("nothing of the kind") is None


@given(st.text())
def test_any_text_is_a_topic_and_a_work(text: str) -> None:
    topic = Topic.of(text)
    assert len(topic.positions) >= 2
    assert topic.focus
    assert Work.of(text).passages


def test_a_work_is_read_in_sentences() -> None:
    work = Work.of(
        "# Plan\n\n1. We pay 3.5 million **in May**. Nobody knows that yet!\n```\ncode. code. code. code.\n```\nx"
    )
    assert work.passages == ("We pay 3.5 million **in May**.", "Nobody knows that yet!")
