from __future__ import annotations

from typing import Any

from moot.cli.story import Story


def call(type: str, at: int, seat: int | None = 1, step: str = "collect", **more: Any) -> dict[str, Any]:
    return {"type": type, "at": at, "data": {"step": step, "seat": seat, "model": f"m/{seat}", **more}}


def heard(*events: dict[str, Any]) -> Story:
    story = Story()
    for event in events:
        story.apply(event)
    return story


OPENING = {
    "type": "vote_start",
    "at": 0,
    "runId": "r",
    "conversationId": "c",
    "mode": "vote",
    "simulated": True,
}


def test_the_opening_says_what_run_it_is() -> None:
    story = heard(OPENING, {"type": "stage1_start", "at": 4})
    assert (story.mode, story.simulated, story.at) == ("vote", True, 4)


def test_a_second_attempt_voids_the_text_of_the_first() -> None:
    story = heard(
        call("call_start", 0, attempt=1),
        call("token", 5, text="half a"),
        call("call_start", 9, attempt=2),
        call("token", 12, text="whole"),
    )
    [speaker] = story.visible
    assert (speaker.text, speaker.attempt, speaker.started_at) == ("whole", 2, 9)


def test_two_calls_of_one_step_and_seat_speak_side_by_side() -> None:
    orders = ("forward", "reversed")
    story = heard(
        *(call("call_start", 0, seat=None, step="round_1_match_0", call=order) for order in orders),
        *(call("token", 5, seat=None, step="round_1_match_0", call=order, text=order) for order in orders),
        *(call("call_complete", 9, seat=None, step="round_1_match_0", call=order) for order in orders),
    )
    assert [speaker.text for speaker in story.visible] == ["forward", "reversed"]
    assert story.calls == 2


def test_a_call_is_counted_once_however_often_it_is_told() -> None:
    usage = {"promptTokens": 10, "completionTokens": 5}
    complete = call("call_complete", 9, responseTimeMs=9, usage=usage, cost=0.25)
    story = heard(complete, complete, call("call_complete", 9, seat=2, responseTimeMs=9, usage={}, cost=None))
    assert (story.calls, story.tokens, story.dollars) == (2, 15, 0.25)


def test_who_failed_is_marked_with_the_reason_and_who_is_told_of_leaves() -> None:
    story = heard(
        call("call_start", 0),
        call("call_start", 0, seat=2),
        call("call_start", 0, seat=None, step="title"),
        call("call_complete", 5, seat=2, responseTimeMs=5),
        call("model_failed", 5, seat=2, kind="credit", reason="The account is empty."),
    )
    assert [(one.seat, one.failure) for one in story.visible] == [(1, None), (2, "The account is empty.")]
    story.apply({"type": "stage1_complete", "at": 6, "data": []})
    assert [one.seat for one in story.visible] == [1]
