"""Traits move behaviour the way their names say. Seeds are fixed, so every figure is the same each time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from moot.simulator.cast import cast_for, character
from moot.simulator.replies import reply
from moot.simulator.topic import Topic
from tests.harness.waiting import PATIENCE
from tests.simulator import asking
from tests.simulator.asking import ask, request

QUESTIONS = tuple(f"Should team {number} start with a monolith or microservices?" for number in range(120))


def share(outcomes: Iterable[bool]) -> float:
    counted = list(outcomes)
    return sum(counted) / len(counted)


def right_share(model: str) -> float:
    return share(Topic.of(q).stance(ask(model, q)) == Topic.of(q).right for q in QUESTIONS)


def test_the_same_request_always_gets_the_same_reply() -> None:
    for model in (*asking.PANEL, "sim/x:fail=0.5"):
        assert reply(request(model, QUESTIONS[0])) == reply(request(model, QUESTIONS[0]))


def test_another_process_gives_the_same_replies() -> None:
    code = (
        "from tests.simulator.asking import *\n"
        "texts = answers()\n"
        "print(ask('sim/fay', vote_prompt(texts)), ask('sim/dov', revision_prompt('x', texts)))"
    )
    heard = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(heard) == 1


def test_another_seed_is_another_sample_of_the_same_character() -> None:
    texts = {ask(f"sim/ada:seed={seed}", QUESTIONS[0]) for seed in range(5)}
    assert len(texts) == 5
    assert all("On balance," in text for text in texts)


def test_an_opinion_is_the_same_in_every_stage() -> None:
    for question in QUESTIONS[:20]:
        alone = Topic.of(question).stance(ask("sim/dov", question))
        followed = Topic.of(question).stance(ask("sim/dov", "Hello?", "Hello.", question))
        assert alone == followed


@pytest.mark.parametrize("accuracy", [0.0, 0.3, 0.7, 1.0])
def test_accuracy_is_how_often_it_is_right(accuracy: float) -> None:
    assert right_share(f"sim/ada:accuracy={accuracy}") == pytest.approx(accuracy, abs=0.08)


@pytest.mark.parametrize(("correlation", "agreeing"), [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)])
def test_error_correlation_is_how_often_errors_are_the_popular_one(
    correlation: float, agreeing: float
) -> None:
    model = f"sim/ada:accuracy=0:error_correlation={correlation}"
    popular = share(Topic.of(q).stance(ask(model, q)) == Topic.of(q).popular_error for q in QUESTIONS)
    assert popular == pytest.approx(agreeing, abs=0.08)


def test_judges_prefer_what_is_right_the_more_accurate_they_are() -> None:
    def prefers_right(model: str) -> float:
        return share(
            _prefers(model, Topic.of(q).right.claim, Topic.of(q).popular_error.claim, q) for q in QUESTIONS
        )

    assert prefers_right("sim/x:accuracy=1:position_bias=0") > 0.95
    assert prefers_right("sim/x:accuracy=0:position_bias=0") < 0.5


@pytest.mark.parametrize(("bias", "low", "high"), [(1.0, 0.95, 1.0), (0.0, 0.3, 0.7), (-1.0, 0.0, 0.05)])
def test_position_bias_favours_what_is_shown_first_or_last(bias: float, low: float, high: float) -> None:
    model = f"sim/x:position_bias={bias}"
    first = share(_prefers(model, "One view.", "Other view.", q) for q in QUESTIONS)
    assert low <= first <= high


def test_self_preference_favours_texts_in_its_own_manner() -> None:
    own, other = ask("sim/dov", QUESTIONS[0]), ask("sim/cleo", QUESTIONS[0])

    def picks_own(level: float) -> float:
        model = f"sim/dov:self_preference={level}:position_bias=0"
        return share(_prefers(f"{model}:seed={seed}", own, other, QUESTIONS[0]) for seed in range(60))

    assert picks_own(0.0) < 0.8
    assert picks_own(1.0) > 0.95


@pytest.mark.parametrize("conformity", [0.0, 0.3, 0.8, 1.0])
def test_conformity_is_how_often_it_goes_over_to_a_unanimous_panel(conformity: float) -> None:
    def goes_over(question: str) -> bool:
        topic = Topic.of(question)
        own, theirs = f"So {topic.positions[0].claim}.", f"So {topic.positions[1].claim}."
        prompt = asking.revision_prompt(own, {"Response A": theirs, "Response B": theirs}, question)
        return "convinced me" in ask(f"sim/x:conformity={conformity}", prompt)

    assert share(goes_over(question) for question in QUESTIONS) == pytest.approx(conformity, abs=0.1)


def test_a_smaller_majority_sways_less() -> None:
    def goes_over(question: str, supporters: int) -> bool:
        topic = Topic.of(question)
        own, theirs = f"So {topic.positions[0].claim}.", f"So {topic.positions[1].claim}."
        shown = {f"Response {chr(66 + at)}": theirs if at < supporters else own for at in range(4)}
        return "convinced me" in ask("sim/x:conformity=1", asking.revision_prompt(own, shown, question))

    three, four = (share(goes_over(question, supporters) for question in QUESTIONS) for supporters in (3, 4))
    assert 0.6 < three < 0.9
    assert four == 1.0


def test_verbosity_is_length() -> None:
    lengths = [len(ask(f"sim/ada:verbosity={level}", QUESTIONS[0]).split()) for level in (0.5, 1, 2)]
    assert lengths[0] < lengths[1] < lengths[2]


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_failures_come_at_their_rate_and_always_for_the_same_requests(rate: float) -> None:
    failures = [reply(request(f"sim/bo:fail={rate}", question)).failure for question in QUESTIONS]
    assert share(failure is not None for failure in failures) == pytest.approx(rate, abs=0.08)
    assert failures == [reply(request(f"sim/bo:fail={rate}", question)).failure for question in QUESTIONS]


def test_failures_are_of_four_kinds_unless_one_is_asked_for() -> None:
    kinds = {reply(request("sim/bo:fail=1", question)).failure for question in QUESTIONS}
    assert kinds == {"rate_limited", "network", "empty", "refused"}
    only = {reply(request("sim/bo:fail=1:fail_as=credit", question)).failure for question in QUESTIONS}
    assert only == {"credit"}


@pytest.mark.parametrize("rate", [0.0, 0.4, 1.0])
def test_unreadable_replies_come_at_their_rate(rate: float) -> None:
    shown = {"Response A": "a", "Response B": "b"}
    replies = (ask(f"sim/bo:unreadable={rate}", asking.vote_prompt(shown, q)) for q in QUESTIONS)
    assert share("VOTE:" not in text for text in replies) == pytest.approx(rate, abs=0.1)


def test_a_name_nobody_knows_has_a_character_of_its_own() -> None:
    assert character("gus") == character("gus")
    assert len({character(name).traits for name in ("gus", "hal", "ida", "jon")}) == 4


def test_traits_in_the_id_change_only_what_they_name() -> None:
    member, traits = cast_for("sim/ada:latency=0:fail=0.25")
    assert traits.fail == 0.25
    assert traits.latency == 0
    assert traits.model_copy(update={"fail": 0.0, "latency": member.traits.latency}) == member.traits


def _prefers(model: str, first: str, second: str, question: str) -> bool:
    """Whether it votes for the text that is shown first."""
    prompt = asking.vote_prompt({"Response B": f"So {first}", "Response A": f"So {second}"}, question)
    return ask(model, prompt).endswith("VOTE: Response B")
